// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb generate: how does a model answer many prompts for each fact, and are its answers
// consistent? A masked model fills gaps instead of generating text.

#include <optional>
#include <string>
#include <utility>

#include "plumb/detail/cli/job_console.hpp"
#include "plumb/detail/cli/job_target.hpp"
#include "plumb/detail/cli/several_models.hpp"
#include "plumb/detail/run/fill_job.hpp"
#include "plumb/detail/run/generate_job.hpp"
#include "plumb/detail/run/list_job.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct GenerateArguments {
  GenerateSettings generate{};
  JobTarget target{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    GenerateSettings::visit(self.generate, visitor);
    JobTarget::visit_out(self.target, visitor);
    JobTarget::visit_model(self.target, visitor);
  }
  void(check)() const {
    (require)(generate.data, "--data", "plumb generate");
    require_model(target, "plumb generate");
    require_out(target, "plumb generate");
  }
};

/// Runs the subcommand; returns the exit code 0. Throws an Error for every failure.
inline int run_generate_command(Console& console, const ModelMaker& make_model) {
  detail::GenerateArguments arguments;
  const auto values = detail::parse_settings(
      console, "plumb generate --data DIR --model FILE --out RUN [options]", arguments);
  if (!values) return 0;
  if (arguments.target.asks_several()) {
    return detail::ask_each_model(
        console, "generate", arguments.target,
        detail::comparing_with(console, "compare", {"seed", "samplings", "sample-by", "wordnet"}));
  }
  arguments.target.find_model(*values, console);
  (arguments.check)();
  const detail::JobTarget& target = arguments.target;
  GenerateSettings& settings = arguments.generate;
  settings.masked = detail::will_be_masked(make_model, target);
  const detail::RefuseIdleOptions refuse(*values);
  detail::GenerateArguments::visit(std::as_const(arguments), refuse);
  detail::check_out(target);  // check before a large model is loaded
  std::optional<GenerateQuestions> questions;
  std::optional<FillQuestions> gaps;
  std::optional<ListQuestions> lists;
  const auto ask = [&](bool masked) {
    settings.masked = masked;
    (void)settings.named();
    if (masked) {
      gaps.emplace(settings);
    } else if (settings.lists()) {
      lists.emplace(settings);
    } else {
      questions.emplace(settings);
    }
  };
  if (settings.masked) ask(*settings.masked);
  AnyModel model = target.make(make_model, settings.special_tokens);
  const bool masked = model.capabilities().only_masked();
  if (masked ? !gaps : !questions && !lists) ask(masked);
  const auto run = [&](auto& job) {
    if (detail::is_dry_run_or_shard(console, "generate", target, settings.data, job)) return;
    const auto finished = detail::run_target(console, "generate", target, settings.data, job);
    detail::show_report(
        console, finished.report, target.out / "report.html",
        detail::cost_in_words(finished.summary, target, "text", " (answers and names)"));
  };
  if (lists) {
    ListJob job(model, *lists, target.provenance(model.describe()));
    run(job);
  } else if (masked) {
    FillJob job(model, *gaps, target.provenance(model.describe()));
    run(job);
  } else {
    GenerateJob job(model, *questions, target.provenance(model.describe()));
    run(job);
  }
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
