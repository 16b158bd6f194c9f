// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a generation over many prompts told on the command line?

#include <cstddef>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/cli/job_options.hpp"
#include "plumb/cli/many_prompt_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/run/answer_plan.hpp"

namespace plumb {
namespace detail {

struct GenerateArguments : JobArguments {
  AnswerOptions asking{};
  /// The settings under which the names of objects are scored too.
  std::vector<FewShotSetting> names{};
  ManyPromptOptions measuring{};
};

/// The options as words; `parse` turns them into arguments once the command line is read.
struct GenerateWords : JobOptions {
  std::string settings, shots, form, new_tokens, samples, confidence_prompts, shot_seed,
      sample_seed, names;
  ManyPromptWords measuring;

  void describe(options::options_description& list) {
    using options::value;
    list.add_options()  //
        ("data", value(&data)->value_name("DIR"),
         "dataset: a folder with facts.jsonl and templates.jsonl, or a BEAR, LAMA or PARAREL "
         "folder")                                                                         //
        ("out", value(&out)->value_name("RUN"), "folder to write")                         //
        ("relations", text_option(relations, "")->value_name("A,B"), "ask only of these")  //
        ("settings", text_option(settings, "zero-shot,random,relation,template")->value_name("A,B"),
         "examples before a prompt: none, facts of all relations, of the asked one, or of it under "
         "the asked template")                                                    //
        ("shots", text_option(shots, "4")->value_name("X"), "how many examples")  //
        ("form", text_option(form, "mask")->value_name("mask|question|both"),
         "a sentence with a [MASK], or question templates as questions")  //
        ("max-new-tokens", text_option(new_tokens, "16")->value_name("N"),
         "of an answer, which ends with its line")  //
        ("samples", text_option(samples, "100")->value_name("N"),
         "sampled answers of a prompt, for its confidence; 0 takes none")  //
        ("confidence-prompts", text_option(confidence_prompts, "10000")->value_name("N"),
         "prompts that are sampled, each of another fact")  //
        ("names", text_option(names, "first")->value_name("A,B"),
         "settings under which the likelihood of objects' names is taken (aliases against labels, "
         "bias level): first, all, none or some of --settings")                         //
        ("shot-seed", text_option(shot_seed, "0")->value_name("N"), "of the examples")  //
        ("sample-seed", text_option(sample_seed, "0")->value_name("N"),
         "of the sampled prompts and answers")  //
        ("seed", text_option(seed, "0")->value_name("N"),
         "of the bootstrap intervals and prompt samplings");
    measuring.describe(list);
    describe_model(list, "ask only the first N facts of each relation; 0 takes all");
  }

  [[nodiscard]] GenerateArguments parse(const options::variables_map& values) const {
    GenerateArguments parsed{parse_job(values, "plumb generate")};
    AnswerOptions& asking = parsed.asking;
    const std::size_t many = parse_count(shots, "--shots");
    if (many == 0 || many > 1000) {
      throw user_error({.field = "--shots"}, "is not between 1 and 1000",
                       "for none say --settings zero-shot");
    }
    const auto forms =
        one_of<std::vector<PromptForm>>(form, "--form",
                                        {{"mask", {PromptForm::mask}},
                                         {"question", {PromptForm::question}},
                                         {"both", {PromptForm::mask, PromptForm::question}}});
    for (const PromptForm one : forms) {
      for (const std::string& word : parse_list(settings, "--settings")) {
        const ShotSource source = source_of(word, "--settings");
        const FewShotSetting setting{source, source == ShotSource::none ? 0 : many, one};
        if (over::find(asking.settings, setting) != asking.settings.end()) {
          throw user_error({.field = "--settings"}, "names '" + word + "' twice", "name it once");
        }
        asking.settings.push_back(setting);
      }
    }
    asking.limit = parsed.limit;
    asking.max_new_tokens = parse_count(new_tokens, "--max-new-tokens");
    if (asking.max_new_tokens == 0 || asking.max_new_tokens > 100'000) {
      throw user_error({.field = "--max-new-tokens"}, "is not between 1 and 100,000", "say 16");
    }
    asking.samples = parse_count(samples, "--samples");
    if (asking.samples > 1'000'000) {
      throw user_error({.field = "--samples"}, "is more than 1,000,000", "say 100");
    }
    asking.confidence_prompts = parse_count(confidence_prompts, "--confidence-prompts");
    asking.shot_seed = parse_count(shot_seed, "--shot-seed");
    asking.sample_seed = parse_count(sample_seed, "--sample-seed");
    parsed.names = named_settings(asking.settings);
    parsed.measuring = measuring.parse(parsed.seed);
    refuse_idle(values, parsed);
    return parsed;
  }

 private:
  static ShotSource source_of(const std::string& word, const char* option) {
    return one_of<ShotSource>(word, option,
                              {{"zero-shot", ShotSource::none},
                               {"random", ShotSource::random},
                               {"relation", ShotSource::relation},
                               {"template", ShotSource::same_template}});
  }

  [[nodiscard]] std::vector<FewShotSetting> named_settings(
      const std::vector<FewShotSetting>& asked) const {
    if (names == "none") return {};
    if (names == "all") return asked;
    if (names == "first") return {asked.front()};
    std::vector<FewShotSetting> chosen;
    for (const std::string& word : parse_list(names, "--names")) {
      const ShotSource source = source_of(word, "--names");
      if (over::find(chosen, source, &FewShotSetting::source) != chosen.end()) {
        throw user_error({.field = "--names"}, "names '" + word + "' twice", "name it once");
      }
      const std::size_t before = chosen.size();
      for (const FewShotSetting& setting : asked) {
        if (setting.source == source) chosen.push_back(setting);
      }
      if (chosen.size() == before) {
        throw user_error({.field = "--names"}, "'" + word + "' is not among --settings",
                         "name a setting that is asked");
      }
    }
    return chosen;
  }

  static void refuse_idle(const options::variables_map& values, const GenerateArguments& parsed) {
    const auto given = [&](const char* name) {
      return values.contains(name) && !values[name].defaulted();
    };
    const bool shots_shown = over::any_of(parsed.asking.settings,
                                          [](const FewShotSetting& one) { return one.shots > 0; });
    const bool samples = parsed.asking.samples > 0, prompts = parsed.asking.confidence_prompts > 0;
    for (const auto& [name, used, without] :
         {std::tuple{"shots", shots_shown, "shots in --settings"},
          {"shot-seed", shots_shown, "shots in --settings"},
          {"samples", !samples || prompts, "--confidence-prompts"},
          {"confidence-prompts", samples || !prompts, "--samples"},
          {"sample-seed", samples && prompts, "--samples and --confidence-prompts"}}) {
      if (used || !given(name)) continue;
      throw user_error({.field = std::string("--") + name},
                       std::string("has no effect without ") + without, "leave it out");
    }
  }
};

}  // namespace detail
}  // namespace plumb
