// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb many-shot: what does a model know about a relation if it sees only examples of the
// relation?
//
// Scores the choices for every test fact after shots from its relation, or replays a study from a
// file.

#include <string>
#include <utility>

#include "plumb/detail/cli/job_console.hpp"
#include "plumb/detail/cli/job_target.hpp"
#include "plumb/detail/cli/several_models.hpp"
#include "plumb/detail/run/fixed_study_job.hpp"
#include "plumb/detail/run/many_shot_job.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ManyShotArguments {
  ManyShotSettings many_shot{};
  JobTarget target{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    ManyShotSettings::visit(self.many_shot, visitor);
    JobTarget::visit_out(self.target, visitor);
    JobTarget::visit_model(self.target, visitor);
  }
  void(check)() const {
    if (many_shot.fixed.empty()) (require)(many_shot.data, "--data", "plumb many-shot");
    require_model(target, "plumb many-shot");
    require_out(target, "plumb many-shot");
    if (!many_shot.fixed.empty() && !many_shot.data.empty()) {
      throw user_error({.field = "--fixed"}, "conflicts with --data", "use only one of them");
    }
    (many_shot.check)();
  }
};

inline int replay_study(Console& console, const ManyShotArguments& arguments, FixedFile file,
                        AnyModel& model) {
  FixedStudyJob job(model, arguments.many_shot, std::move(file),
                    arguments.target.provenance(model.describe()));
  const std::filesystem::path& data = arguments.many_shot.fixed;
  if (is_dry_run_or_shard(console, "many-shot", arguments.target, data, job)) return 0;
  const auto finished = run_target(console, "many-shot", arguments.target, data, job);
  show_report(console, finished.report, arguments.target.out / "fixed.json",
              cost_in_words(finished.summary, arguments.target), "scores");
  return 0;
}

/// Runs the subcommand; returns the exit code 0. Throws an Error for every failure.
inline int run_many_shot_command(Console& console, const ModelMaker& make_model) {
  detail::ManyShotArguments arguments;
  const auto values = detail::parse_settings(
      console, "plumb many-shot --data DIR --model FILE --out RUN [options]", arguments);
  if (!values) return 0;
  if (arguments.target.asks_several()) {
    return detail::ask_each_model(console, "many-shot", arguments.target,
                                  detail::comparing_with(console, "compare", {"seed"}));
  }
  arguments.target.find_model(*values, console);
  (arguments.check)();
  detail::refuse_masked(make_model, arguments.target, "plumb many-shot");
  const ManyShotSettings& settings = arguments.many_shot;
  const detail::JobTarget& target = arguments.target;
  detail::check_out(target);  // check before a large model is loaded
  const auto make = [&] {
    return detail::causal_model(make_model, target, settings.special_tokens, "plumb many-shot");
  };
  if (!settings.fixed.empty()) {
    FixedFile file = read_fixed_file(settings.fixed);
    AnyModel model = make();
    return detail::replay_study(console, arguments, std::move(file), model);
  }
  const ManyShotQuestions questions(settings);
  AnyModel model = make();
  ManyShotJob job(model, questions, target.provenance(model.describe()));
  if (detail::is_dry_run_or_shard(console, "many-shot", target, settings.data, job)) {
    return 0;
  }
  const auto finished = detail::run_target(console, "many-shot", target, settings.data, job);
  detail::show_report(console, finished.report, target.out / "report.html",
                      detail::cost_in_words(finished.summary, target));
  return 0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
