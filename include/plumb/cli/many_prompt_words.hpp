// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are answers to many prompts to be compared and measured?
//
// The options that `plumb generate` and those who read its run folders share.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "plumb/cli/job_options.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/measure/answer_lemmas.hpp"
#include "plumb/report/many_prompt_report.hpp"
#include "plumb/run/listed_prompt.hpp"

namespace plumb {
namespace detail {

/// How answers are compared and measured: what a report may be told anew.
struct ManyPromptWords {
  std::string wordnet, samplings, by;

  void describe(options::options_description& list) {
    list.add_options()  //
        ("wordnet", text_option(wordnet, "/usr/share/wordnet")->value_name("DIR"),
         "where lemmas come from; none compares words as they are")  //
        ("samplings", text_option(samplings, "50000")->value_name("N"),
         "prompt samplings that accuracy is spread over")  //
        ("sample-by", text_option(by, "relation")->value_name("relation|fact"),
         "what draws a prompt together: the relation a template, or each fact alone");
  }

  /// What is not given on the command line stays as the run has it.
  void take_recorded(const options::variables_map& values, const std::filesystem::path& run_file) {
    if (!std::filesystem::exists(run_file)) return;
    const Json run = read_json_object(run_file);
    const Json settings = run.value("settings", Json::object());
    if (!settings.is_object()) return;
    if (values["wordnet"].defaulted()) {
      // A run that ended before it was complete knows no more than whether there is one.
      if (first_string(settings, "lemmas") == "none") wordnet = "none";
      wordnet = first_string(run, "wordnet").value_or(wordnet);
    }
    if (values["sample-by"].defaulted()) by = first_string(settings, "sample_by").value_or(by);
    if (const Json many = settings.value("samplings", Json());
        values["samplings"].defaulted() && many.is_number_unsigned()) {
      samplings = std::to_string(many.get<std::uint64_t>());
    }
  }

  /// Throws a user error when the folder holds no WordNet.
  [[nodiscard]] AnswerLemmas lemmas() const {
    return wordnet == "none" ? AnswerLemmas() : AnswerLemmas(wordnet);
  }
  [[nodiscard]] ManyPromptOptions parse(std::uint64_t seed) const {
    ManyPromptOptions parsed{.bootstrap = {.seed = seed}, .seed = seed};
    parsed.samplings = parse_count(samplings, "--samplings");
    if (parsed.samplings == 0 || parsed.samplings > 10'000'000) {
      throw user_error({.field = "--samplings"}, "is not between 1 and 10,000,000", "say 50000");
    }
    parsed.by =
        parse_choice(by, "--sample-by", "fact", "relation") ? SampleBy::fact : SampleBy::relation;
    return parsed;
  }
};

/// How answers are compared, as settings have it.
inline std::string lemmas_word(const AnswerLemmas& lemmas) {
  return lemmas.known() ? "wordnet" : "none";
}

/// What a run folder holds, measured. The settings it shows are those it is measured with.
inline ManyPromptReport generation_report(const std::filesystem::path& folder,
                                          const AnswerLemmas& lemmas,
                                          const ManyPromptOptions& options) {
  GenerationRun run = read_generation(folder, lemmas);
  ManyPromptResults made = many_prompt_results(run.studies, options);
  made.remarks.insert(made.remarks.begin(), run.remarks.begin(), run.remarks.end());
  Json settings = Json::object();
  if (const auto file = folder / "run.json"; std::filesystem::exists(file)) {
    settings = read_json_object(file).value("settings", Json::object());
  }
  settings.update(Json{{"lemmas", lemmas_word(lemmas)},
                       {"samplings", options.samplings},
                       {"sample_by", as_word(options.by)},
                       {"seed", options.seed}});
  const std::string title = first_string(settings, "model").value_or("model") + " on " +
                            first_string(settings, "dataset").value_or(run.asked.name);
  return ManyPromptReport(std::move(made), std::move(settings), title,
                          read_example_prompts(folder));
}

}  // namespace detail
}  // namespace plumb
