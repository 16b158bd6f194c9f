// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a many-shot study told on the command line?

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "plumb/cli/job_options.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/prompt/injection.hpp"
#include "plumb/run/many_shot_block.hpp"

namespace plumb {
namespace detail {

struct ManyShotArguments : JobArguments {
  ManyShotOptions study;
  /// Files that decide the study, by name in the settings; empty where not given.
  std::filesystem::path baselines, separators, fixed;
  /// By relation: templates of the separators' file that do not begin with the subject.
  std::map<std::string, std::size_t> without_separator{};
  /// Tokens of a greedy continuation; 0 generates nothing.
  std::size_t generate = 0;
  /// The injection experiment; 0 pairs leave it out.
  InjectionOptions injection{.pairs = 0};
};

/// The separators of a file: one text a line, each put between spaces; or, from a JSON file of
/// baseline templates, what follows the subject in those that begin with it, by relation.
inline void read_separators(ManyShotArguments& arguments) {
  const std::filesystem::path& file = arguments.separators;
  ManyShotOptions& study = arguments.study;
  if (file.extension() == ".json") {
    for (const auto& [code, templates] : read_baseline_templates(file)) {
      std::vector<std::string>& texts = study.relation_separators[code];
      for (const auto* list : {&templates.hgp, &templates.mmp}) {
        for (const std::string& text : *list) {
          if (text.starts_with(subject_slot)) {
            texts.push_back(text.substr(subject_slot.size()) + " ");
          } else {
            ++arguments.without_separator[code];
          }
        }
      }
    }
    return;
  }
  const std::string text = read_text(file);
  for (const std::string& line : split(text, '\n')) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t\r") + 1;
    const std::string separator = " " + line.substr(begin, end - begin) + " ";
    auto& known = study.pair_separators;
    if (over::find(known, separator) == known.end()) known.push_back(separator);
  }
}

/// The options as words; `parse` turns them into arguments once the command line is read.
struct ManyShotWords : JobOptions {
  std::string shots, seeds, choices, choice_seed, split_seed, training, least_facts, least_objects,
      pair_separator, item_separator, separators, eic, join, baselines, generate, injection,
      injected, highlight, fixed;

  void describe(options::options_description& list) {
    describe_folders(list);
    list.add_options()  //
        ("shots", text_option(shots, "50")->value_name("1,5,10"),
         "numbers of shots; - for none")                                           //
        ("seeds", text_option(seeds, "5")->value_name("N"), "draws of the shots")  //
        ("choices", text_option(choices, "100")->value_name("N"),
         "choices a fact, the answer included")                                            //
        ("choice-seed", text_option(choice_seed, "0")->value_name("N"), "of the choices")  //
        ("split-seed", text_option(split_seed, "0")->value_name("N"),
         "of the split where the dataset has none")  //
        ("train", text_option(training, "100")->value_name("N"),
         "facts kept as shots where the dataset has no split")  //
        ("min-facts", text_option(least_facts, "0")->value_name("N"),
         "skip relations with fewer facts")  //
        ("min-objects", text_option(least_objects, "0")->value_name("N"),
         "skip relations with fewer objects")  //
        ("pair-separator", text_option(pair_separator, " ")->value_name("TEXT"),
         "between a subject and its object")  //
        ("item-separator", text_option(item_separator, " ")->value_name("TEXT"),
         "between pairs")  //
        ("separators", text_option(separators, "")->value_name("FILE"),
         "more pair separators: a text a line, or JSON templates by relation")  //
        ("eic", text_option(eic, "none")->value_name("KIND"),
         "EIC-LKE: paper, isolated, both or none")  //
        ("join", text_option(join, "ids")->value_name("ids|text"),
         "EIC-LKE's parts: tokenised apart with a comma between pairs, or as IC-LKE's")  //
        ("baselines", text_option(baselines, "")->value_name("FILE"),
         "HGP and MMP templates by relation, JSON")  //
        ("generate", text_option(generate, "0")->value_name("N"),
         "also N greedy tokens, and whether the answer is in them")  //
        ("injection", text_option(injection, "0")->value_name("N"),
         "also the injection experiment, on N pairs of each relation")  //
        ("injected", text_option(injected, "")->value_name("N"),
         "how many of them are replaced; a fifth by default")  //
        ("highlight", text_option(highlight, "")->value_name("POSITION"),
         "a pair to mark, from 0; one behind a replaced pair by default")  //
        ("fixed", text_option(fixed, "")->value_name("FILE"),
         "instead of --data: shots, choices and facts from a JSON file");
    describe_model(list, "first N test facts of each relation; 0 takes all");
  }

  [[nodiscard]] ManyShotArguments parse(const options::variables_map& values) const {
    ManyShotArguments parsed{
        parse_job(values, "plumb many-shot", fixed.empty()), {}, baselines, separators, fixed};
    if (!fixed.empty() && !data.empty()) {
      throw user_error({.field = "--fixed"}, "stands beside --data", "give one of the two");
    }
    if (!fixed.empty()) parsed.data = fixed;
    refuse_idle(values);
    ManyShotOptions& study = parsed.study;
    study.shots.clear();
    if (shots != "-") study.shots = parse_indices(shots, "--shots");
    study.seeds = at_least(1, seeds, "--seeds");
    study.choices = at_least(2, choices, "--choices");
    study.choice_seed = parse_count(choice_seed, "--choice-seed");
    study.split_seed = parse_count(split_seed, "--split-seed");
    study.training = at_least(1, training, "--train");
    study.limit = parsed.limit;
    study.least_facts = parse_count(least_facts, "--min-facts");
    study.least_objects = parse_count(least_objects, "--min-objects");
    study.pair_separators = {pair_separator};
    study.item_separator = item_separator;
    if (!separators.empty()) read_separators(parsed);
    study.eic_paper = eic == "paper" || eic == "both";
    study.eic_isolated = eic == "isolated" || eic == "both";
    if (!study.eic_paper && !study.eic_isolated && eic != "none") {
      throw user_error({.field = "--eic"}, "'" + eic + "' is not a choice",
                       "say paper, isolated, both or none");
    }
    if (!parse_choice(join, "--join", "ids", "text")) {
      study.eic_form = {pair_separator, item_separator, Join::text};
    }
    if (!baselines.empty()) study.baselines = read_baseline_templates(baselines);
    parsed.generate = parse_count(generate, "--generate");
    parsed.injection.pairs = parse_count(injection, "--injection");
    parsed.injection.slots =
        injected.empty() ? parsed.injection.pairs / 5 : parse_count(injected, "--injected");
    if (!highlight.empty()) parsed.injection.highlight = parse_count(highlight, "--highlight");
    parsed.injection.seed = study.split_seed;
    if (fixed.empty() && study.shots.empty() && eic == "none" && baselines.empty() &&
        parsed.injection.pairs == 0) {
      throw user_error({.field = "--shots"}, "asks nothing",
                       "give it numbers, or --eic or --baselines");
    }
    return parsed;
  }

 private:
  /// Options that another leaves without effect.
  void refuse_idle(const options::variables_map& values) const {
    const auto given = [&](const std::string& option) {
      return values.contains(option) && !values[option].defaulted();
    };
    const auto refuse = [&](std::initializer_list<const char*> idle, const char* beside,
                            const char* remedy) {
      for (const char* option : idle) {
        if (!given(option)) continue;
        throw user_error({.field = std::string("--") + option},
                         std::string("has no effect ") + beside, remedy);
      }
    };
    if (!fixed.empty()) {
      refuse({"shots",      "seeds",     "choices",     "choice-seed",    "split-seed",
              "train",      "min-facts", "min-objects", "pair-separator", "item-separator",
              "separators", "eic",       "join",        "baselines",      "generate",
              "injection",  "injected",  "highlight",   "relations",      "limit"},
             "beside --fixed", "leave it out; the file says what is asked");
    }
    if (eic == "none") refuse({"join"}, "without --eic", "say --eic paper or isolated");
    if (injection == "0") {
      refuse({"injected", "highlight"}, "without --injection", "say --injection 200");
    }
    if (shots == "-") {
      refuse({"separators"}, "without shots", "say --shots with numbers");
      if (injection == "0" && (eic == "none" || join == "ids")) {
        refuse({"pair-separator", "item-separator"},
               "without shots, and EIC-LKE joined by ids has none",
               "say --shots with numbers or --join text");
      }
    }
  }

  static std::size_t at_least(std::size_t least, const std::string& text, const char* option) {
    const std::uint64_t value = parse_count(text, option);
    if (value >= least) return value;
    throw user_error({.field = option}, "is less than " + std::to_string(least), "");
  }
};

}  // namespace detail
}  // namespace plumb
