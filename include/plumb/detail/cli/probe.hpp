// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb probe: how much of a dataset does a model know, judged by the likelihood of statements?

#include <optional>
#include <string>
#include <utility>

#include "plumb/detail/backend/own_chat_template.hpp"
#include "plumb/detail/cli/job_console.hpp"
#include "plumb/detail/cli/job_target.hpp"
#include "plumb/detail/cli/several_models.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/prompt/chat.hpp"
#include "plumb/detail/prompt/solved_facts.hpp"
#include "plumb/detail/run/probe_job.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/masked_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The options of `plumb probe`, which `plumb calibrate --model` also accepts.
struct ProbeArguments {
  ProbeSettings probe{};
  JobTarget target{};

  /// Options that also apply to reading existing results.
  template <class Self, class Visitor>
  static void visit_reading(Self& self, Visitor& visitor) {
    ProbeSettings::visit_reading(self.probe, visitor);
    JobTarget::visit_out(self.target, visitor);
  }
  template <class Self, class Visitor>
  static void visit_scoring(Self& self, Visitor& visitor) {
    ProbeSettings::visit_scoring(self.probe, visitor);
    JobTarget::visit_model(self.target, visitor);
  }
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visit_reading(self, visitor);
    visit_scoring(self, visitor);
  }

  /// Throws a user error for missing or contradictory options; `command` is, for example, "plumb
  /// probe".
  void(check)(const std::string& command) const {
    (require)(probe.data, "--data", command);
    require_model(target, command);
    require_out(target, command);
    (probe.check)();
  }
};

/// A chat template writes BOS itself, so plumb does not add BOS unless the user sets `bos`.
inline void take_bos_of_template(const options::variables_map& values, ProbeSettings& settings) {
  const auto bos = values.find("bos");
  const bool is_given = bos != values.end() && !bos->second.defaulted();
  if (settings.chat && !is_given) settings.bos = Bos::none();
}

/// Throws a user error, before a model is loaded, for an option that has no effect for this kind of
/// model.
inline void tell_kind(const options::variables_map& values, ProbeArguments& arguments,
                      const ModelMaker& make_model) {
  arguments.probe.masked = will_be_masked(make_model, arguments.target);
  take_bos_of_template(values, arguments.probe);
  const RefuseIdleOptions refuse(values);
  ProbeArguments::visit(std::as_const(arguments), refuse);
  if (arguments.probe.masked.value_or(false)) (arguments.probe.check)();
}

/// A conversation in a template's format. Throws a user error if the program cannot run templates.
[[nodiscard]] inline Chat chat_by(ChatTemplate by, const ModelMaker& make_model,
                                  const ProbeSettings& settings) {
  if (!make_model.chat_renderer()) {
    throw user_error({.setting = "chat"}, "this program has no engine for chat templates",
                     "build plumb with its chat component (docs/building.md)");
  }
  if (first_invalid_utf8(by.text) < by.text.size()) {
    throw user_error({.file = settings.chat_template, .setting = "chat"},
                     "the chat template is not UTF-8", "pass another with `chat-template`");
  }
  return {std::move(by), make_model.chat_renderer(), settings.chat_turn, settings.system.text};
}

/// The conversation that a probe's settings request, in the format of the settings' template file
/// or, failing that, of the model's own template. Throws the same errors as chat_by, and a user
/// error if there is no template.
[[nodiscard]] inline Chat chat_of(const ModelMaker& make_model, const ProbeSettings& settings,
                                  const AnyModel& model) {
  if (!settings.chat) return {};
  std::optional<ChatTemplate> by = own_chat_template(model);
  if (!settings.chat_template.empty()) {
    if (!by) by.emplace();
    by->text = read_text(settings.chat_template);
  }
  if (!by || by->text.empty()) {
    throw user_error({.setting = "chat"}, "the model has no chat template",
                     "use an instruction model, or pass a template with `chat-template`");
  }
  return chat_by(*std::move(by), make_model, settings);
}

/// The results of a probe, and its cost as text.
using ProbedInWords = std::pair<Finished<ProbeReport>, std::string>;

/// Probes a dataset and writes the results to the run folder. Returns nullopt after a dry run or a
/// shard.
inline std::optional<ProbedInWords> probe(Console& console, const char* command,
                                          const ProbeArguments& arguments, const Dataset& dataset,
                                          const ModelMaker& make_model) {
  // Missing templates and shots are reported before a large model is loaded.
  (void)count_statements(dataset, arguments.probe.templates.indices);
  (SolvedFacts(dataset, arguments.probe.shots).check)(dataset);
  AnyModel model = arguments.target.make(make_model, arguments.probe.reading());
  const auto run = [&](auto& scorer) -> std::optional<ProbedInWords> {
    ModelDescription description = model.describe();
    check_probe(model, dataset, arguments.probe, description);
    ProbeSettings settings = arguments.probe;
    settings.masked = model.capabilities().only_masked();
    settings.conversation = chat_of(make_model, settings, model);
    if (const auto& warning = settings.conversation.warning()) {
      description.warnings.push_back(*warning);
    }
    ProbeJob job(scorer, dataset, settings, arguments.target.provenance(std::move(description)));
    const std::filesystem::path& data = arguments.probe.data;
    if (is_dry_run_or_shard(console, command, arguments.target, data, job)) return std::nullopt;
    auto finished = run_target(console, command, arguments.target, data, job);
    std::string cost = cost_in_words(finished.summary, arguments.target);
    return ProbedInWords{std::move(finished), std::move(cost)};
  };
  if (model.capabilities().only_masked()) {
    MaskedScorer scorer(model, arguments.probe.pll);
    return run(scorer);
  }
  CausalScorer scorer(model, arguments.probe.bos);
  return run(scorer);
}

/// Runs the subcommand; returns the exit code 0. Throws an Error for every failure.
inline int run_probe_command(Console& console, const ModelMaker& make_model) {
  detail::ProbeArguments arguments;
  const auto values = detail::parse_settings(
      console, "plumb probe --data DIR --model FILE --out RUN [options]", arguments);
  if (!values) return 0;
  if (arguments.target.asks_several() || arguments.probe.shot_seeds > 1) {
    if (!arguments.target.asks_several()) detail::require_model(arguments.target, "plumb probe");
    return detail::ask_each_model(console, "probe", arguments.target,
                                  detail::comparing_with(console, "compare", {"seed", "group-by"}),
                                  &arguments.probe);
  }
  arguments.target.find_model(*values, console);
  (arguments.check)("plumb probe");
  detail::tell_kind(*values, arguments, make_model);
  detail::check_out(arguments.target);
  const auto probed =
      detail::probe(console, "probe", arguments, chosen_dataset(arguments.probe), make_model);
  if (!probed) return 0;
  const auto& [finished, cost] = *probed;
  detail::show_report(console, finished.report, arguments.target.out / "report.html", cost);
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
