// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb generate: what does a model say when it is asked in many ways, and does it stay with it?
//
// Asks every fact of a dataset under all templates and names, with and without examples before it,
// keeps the answers in a run folder and shows how often they are right, how they agree and how sure
// the model was.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/generate_options.hpp"
#include "plumb/cli/job.hpp"
#include "plumb/data/dataset_texts.hpp"
#include "plumb/report/many_prompt_report.hpp"
#include "plumb/run/answer_prompts.hpp"
#include "plumb/run/answer_run.hpp"
#include "plumb/run/name_likelihood_check.hpp"
#include "plumb/run/name_likelihood_run.hpp"
#include "plumb/run/progress.hpp"

namespace plumb {
namespace detail {

inline Json setting_names(const std::vector<FewShotSetting>& settings) {
  Json names = Json::array();
  for (const FewShotSetting& setting : settings) names.push_back(setting_name(setting));
  return names;
}

/// Everything that decides the results; run folders are told apart by it.
inline Json generate_settings(const GenerateArguments& arguments, const MultiPromptDataset& data,
                              const ModelDescription& model, const AnswerLemmas& lemmas) {
  Dataset dataset;
  dataset.name = data.name;
  dataset.files = data.files;
  std::vector<std::string> codes;  // in the dataset's order, however they were named
  for (const std::size_t r : relation_places(data, arguments.relations)) {
    codes.push_back(data.relations[r].code);
  }
  const AnswerOptions& asking = arguments.asking;
  Json settings = job_settings("generate", arguments, dataset, model);
  settings.update(Json{{"settings", setting_names(asking.settings)},
                       {"names", setting_names(arguments.names)},
                       {"limit", asking.limit},
                       {"relations", arguments.relations.empty() ? Json() : Json(std::move(codes))},
                       {"max_new_tokens", asking.max_new_tokens},
                       {"samples", asking.samples},
                       {"confidence_prompts", asking.confidence_prompts},
                       {"shot_seed", asking.shot_seed},
                       {"sample_seed", asking.sample_seed},
                       {"lemmas", lemmas_word(lemmas)},
                       {"samplings", arguments.measuring.samplings},
                       {"sample_by", as_word(arguments.measuring.by)},
                       {"seed", arguments.seed}});
  return settings;
}

/// "2 nouns what: capital 'x', author 'y'.", of the first twelve.
inline std::string listed(const std::string& noun, const std::string& what,
                          const std::vector<std::pair<std::string, std::string>>& named) {
  std::string text = counted(named.size(), noun) + " " + what + ": ";
  for (std::size_t i = 0; i < std::min<std::size_t>(12, named.size()); ++i) {
    text += (i == 0 ? "" : ", ") + named[i].first + " '" + named[i].second + "'";
  }
  return text + (named.size() > 12 ? " …" : ".");
}

inline std::vector<std::string> remarks_on(const MultiPromptDataset& dataset,
                                           const AskedFacts& asked,
                                           const GenerateArguments& arguments) {
  std::vector<std::string> remarks;
  if (!asked.without_answer.empty()) {
    remarks.push_back(
        listed("fact", "left out, as no name of an object has a word", asked.without_answer));
  }
  if (!asked.wordless_names.empty()) {
    remarks.push_back(
        listed("name", "without a word, which no answer can match", asked.wordless_names));
  }
  for (const FewShotSetting& setting : arguments.asking.settings) {
    const FewShot few_shot(dataset, setting, arguments.asking.shot_seed);
    std::string none, fewer;
    for (const AskedRelation& one : asked.relations) {
      const std::string& code = dataset.relations[one.relation].code;
      const auto& templates = few_shot.templates(one.relation);
      if (templates.empty()) {
        none += (none.empty() ? "" : ", ") + code;
      } else if (few_shot.shots(one.relation, templates.front()).size() <= setting.shots &&
                 setting.shots > 0) {
        fewer += (fewer.empty() ? "" : ", ") + code;
      }
    }
    if (!none.empty()) {
      remarks.push_back(few_shot.name() + ": no question template in " + none + ".");
    }
    if (!fewer.empty()) {
      remarks.push_back(few_shot.name() + ": some prompts show fewer than " +
                        std::to_string(setting.shots) + " examples, as there are no more, in " +
                        fewer + ".");
    }
  }
  return remarks;
}

/// Refuses a job that would ask nothing. The mask form asks with any template.
inline void refuse_no_question(const MultiPromptDataset& dataset, const AskedFacts& asked,
                               const GenerateArguments& arguments) {
  for (const FewShotSetting& setting : arguments.asking.settings) {
    const FewShot few_shot(dataset, setting, arguments.asking.shot_seed);
    for (const AskedRelation& one : asked.relations) {
      if (!few_shot.templates(one.relation).empty()) return;
    }
  }
  throw user_error({.file = arguments.data}, "has no question template",
                   "say --form mask, or give templates of \"style\": \"question\"");
}

/// Refuses what the job would end in later, before it makes its folder.
inline void refuse_unaskable(AnyModel& model, const MultiPromptDataset& dataset,
                             const AskedFacts& asked, const GenerateArguments& arguments) {
  if (arguments.bos && !model.bos()) {
    throw user_error({.field = "--bos"}, "the model has no BOS token", "say --bos no");
  }
  for (const FewShotSetting& setting : arguments.asking.settings) {
    refuse_long_prompts(model, arguments.bos, arguments.asking, dataset, asked, setting);
  }
  for (const FewShotSetting& setting : arguments.names) {
    refuse_unscorable_names(model, arguments.bos, arguments.asking, dataset, asked, setting);
  }
}

/// Refuses texts of the relations that are asked or shown. Returns what is to be known where the
/// prompts' own words hold the text of a special token.
inline std::optional<std::string> check_special_tokens(const AnyModel& model,
                                                       const MultiPromptDataset& dataset,
                                                       const AskedFacts& asked,
                                                       const GenerateArguments& arguments) {
  const SpecialTokenCheck check(model, arguments.special_tokens);
  const auto& settings = arguments.asking.settings;
  const bool shows_all = over::any_of(
      settings, [](const auto& setting) { return setting.source == ShotSource::random; });
  for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
    const auto is_asked = [&](const AskedRelation& one) { return one.relation == r; };
    if (shows_all || over::any_of(asked.relations, is_asked)) {
      for_each_text(dataset.relations[r], check);
    }
  }
  for (const FewShotSetting& setting : settings) {
    const FewShot few_shot(dataset, setting, arguments.asking.shot_seed);
    if (auto remark = check.remark_on(few_shot.context({}, 0))) return remark;
  }
  return std::nullopt;
}

/// left_out.csv: what no answer can match, all of it.
inline void write_left_out(const RunFolder& folder, const AskedFacts& asked) {
  if (asked.without_answer.empty() && asked.wordless_names.empty()) return;
  std::string text = csv_line({"relation", "what", "name"});
  for (const auto& [code, name] : asked.without_answer) text += csv_line({code, "fact", name});
  for (const auto& [code, name] : asked.wordless_names) {
    text += csv_line({code, "name of an object", name});
  }
  write_atomically(folder.file("left_out.csv"), text);
}

inline void write_asked(const RunFolder& folder, const MultiPromptDataset& asked) {
  std::filesystem::create_directories(folder.file("asked"));
  write_atomically(folder.file("asked") / "facts.jsonl", facts_jsonl(asked));
  write_atomically(folder.file("asked") / "templates.jsonl", templates_jsonl(asked));
}

/// shots.jsonl: which facts the settings show; and a prompt of each kind.
inline void write_prompts(const RunFolder& folder, const MultiPromptDataset& dataset,
                          const AskedFacts& asked, const GenerateArguments& arguments) {
  std::string lines;
  for (const FewShotSetting& setting : arguments.asking.settings) {
    const FewShot few_shot(dataset, setting, arguments.asking.shot_seed);
    for (const RecordedShotList& list : shot_lists(dataset, asked, few_shot)) {
      lines += shot_list_line(list);
    }
  }
  if (!lines.empty()) write_atomically(folder.file("shots.jsonl"), lines);
  ExamplePrompts examples;
  for_each_answer_prompt(dataset, asked, arguments.asking, arguments.names, arguments.bos, {},
                         std::ref(examples));
  examples.write(folder);
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_generate_command(Console& console, const ModelMaker& make_model) {
  detail::GenerateWords words;
  detail::options::options_description list;
  words.describe(list);
  const auto values = detail::parse_arguments(
      console, "plumb generate --data DIR --model FILE --out RUN [options]", list);
  if (!values) return 0;
  const detail::GenerateArguments arguments = words.parse(*values);
  if (!arguments.resume) refuse_used(arguments.out);  // said before a large model is loaded
  const double start = Progress::monotonic_seconds();
  const AnswerLemmas lemmas = words.measuring.lemmas();
  const AnswerOptions& asking = arguments.asking;
  MultiPromptDataset dataset = load_multi_prompt(arguments.data);
  const AskedFacts asked = take_askable(dataset, arguments.relations, asking.limit);
  detail::refuse_no_question(dataset, asked, arguments);

  auto model = make_model(arguments.model);
  const auto own_words = detail::check_special_tokens(model, dataset, asked, arguments);
  detail::refuse_unaskable(model, dataset, asked, arguments);
  const ModelDescription description = model.describe();
  const RunFolder folder(arguments.out,
                         detail::generate_settings(arguments, dataset, description, lemmas),
                         arguments.resume);
  PartWork work(folder.file("journal.jsonl"), detail::part_bars(console));
  AnswerRun run(model, arguments.bos, asking, dataset, asked, folder, work);
  detail::write_asked(folder, narrowed(dataset, asked));
  detail::write_prompts(folder, dataset, asked, arguments);
  for (const FewShotSetting& setting : asking.settings) {
    run.answer(setting);
    run.sample(setting);
  }
  if (!arguments.names.empty()) {
    NameLikelihoodRun names(model, arguments.bos, asking, dataset, asked, folder, work);
    for (const FewShotSetting& setting : arguments.names) names.score(setting);
  }
  std::vector<std::string> remarks = detail::remarks_on(dataset, asked, arguments);
  if (own_words) remarks.push_back(*own_words);
  Json candidates = Json::object();
  for (const AskedRelation& one : asked.relations) {
    const MultiPromptRelation& relation = dataset.relations[one.relation];
    candidates[relation.code] = object_labels(relation);
  }
  detail::write_left_out(folder, asked);
  write_atomically(folder.file("metadata_generate.json"),
                   Json{{"model", arguments.model.model.filename().string()},
                        {"dataset", dataset.name},
                        {"settings", detail::setting_names(asking.settings)},
                        {"candidates", std::move(candidates)},
                        {"rows", recorded_rows(folder.path())},
                        {"remarks", std::move(remarks)}}
                           .dump(2) +
                       "\n");
  const ManyPromptReport report =
      detail::generation_report(folder.path(), lemmas, arguments.measuring);
  report.write(folder.path());
  Json facts = detail::run_facts(detail::command_line_of(console, "generate"), arguments,
                                 work.summary, Progress::monotonic_seconds() - start);
  facts["seconds_by_part"] = work.seconds;
  facts["wordnet"] = words.measuring.wordnet;
  folder.write_run(facts, "complete");
  for (const std::string& note : report.notes()) console.out << note << "\n";
  console.out << "\n"
              << report.table() << "\n"
              << detail::cost_in_words(work.summary, description, "answers and scored names")
              << "report: " << (arguments.out / "report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
