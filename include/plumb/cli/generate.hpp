// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb generate: what a model says when it is asked in many ways, and whether it stays with it.

#include <string>
#include <utility>

#include "plumb/cli/job_target.hpp"
#include "plumb/run/generate_job.hpp"

namespace plumb {
namespace detail {

struct GenerateArguments {
  GenerateSettings generate{};
  JobTarget target{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    GenerateSettings::visit(self.generate, visitor);
    JobTarget::visit_out(self.target, visitor);
    JobTarget::visit_model(self.target, visitor);
  }
  void check() const {
    require(generate.data, "--data", "plumb generate");
    require(target.model, "--model", "plumb generate");
    require(target.out, "--out", "plumb generate");
    (void)generate.named();
  }
};

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_generate_command(Console& console, const ModelMaker& make_model) {
  detail::GenerateArguments arguments;
  const auto values = detail::parse_settings(
      console, "plumb generate --data DIR --model FILE --out RUN [options]", arguments);
  if (!values) return 0;
  arguments.check();
  detail::refuse_masked(make_model, arguments.target, "plumb generate");
  const detail::JobTarget& target = arguments.target;
  if (!target.resume) refuse_used(target.out);  // said before a large model is loaded
  const GenerateQuestions questions(arguments.generate);
  AnyModel model =
      detail::causal_model(make_model, target, arguments.generate.special_tokens, "plumb generate");
  GenerateJob job(model, questions, target.provenance(model.describe()));
  const auto finished =
      run_job(job, detail::job_folder(console, "generate", target, arguments.generate.data));
  detail::show_report(console, finished.report, target.out / "report.html",
                      detail::cost_in_words(finished.summary, "answers and scored names"));
  return 0;
}

}  // namespace plumb
