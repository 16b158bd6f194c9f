// SPDX-License-Identifier: Apache-2.0
#pragma once

// Run folders of every job, read by reports, calibrations and comparisons; journals; run.json; and
// the files that jobs read together with a dataset.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sound.hpp"
#include "plumb/detail/aggregate/aggregator.hpp"
#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/cli/config_file.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/measure/morphy.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/records/generation_folder.hpp"
#include "plumb/detail/records/generation_lists.hpp"
#include "plumb/detail/records/generation_shots.hpp"
#include "plumb/detail/records/injection_file.hpp"
#include "plumb/detail/records/journal.hpp"
#include "plumb/detail/records/many_shot_answers.hpp"
#include "plumb/detail/records/metrics_file.hpp"
#include "plumb/detail/records/probe_predictions.hpp"
#include "plumb/detail/records/ranking_rows.hpp"
#include "plumb/detail/records/relation_results.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/run/compare_measurement.hpp"
#include "plumb/detail/run/fill_plan.hpp"
#include "plumb/detail/run/finished_report.hpp"
#include "plumb/detail/run/fixed_ranking.hpp"
#include "plumb/detail/run/fixed_study.hpp"
#include "support/memory_disk.hpp"
#include "support/small_graph.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz {

/// Adds checksums to a journal's lines if the input omits them.
inline std::string with_checksums(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (line.starts_with("{\"version\":2,") && line.find("\"checksum\"") == line.npos) {
      if (line.ends_with('}')) line.pop_back();
      line += ",\"checksum\":\"" + fnv1a_hex(line) + "\"}";
    }
    made += line;
    if (end < text.size()) made += '\n';
    at = end + 1;
  }
  return made;
}

/// Reads a model's results and uses them: the answers, and the calibration input built from them.
inline void use_results(const DiskPath& run) {
  constexpr Bootstrap few{.seed = 0, .resamples = 20};
  std::vector<RelationAnswers> answers;
  for (const RecordedRelation& recorded : recorded_relations(run)) {
    answers.push_back(read_relation_results(recorded).answers);
  }
  (void)probe_metrics(under_all_templates(answers), few, "all");
  for (const bool reduces : {false, true}) {
    ReadingOptions options;
    if (reduces) {
      options.reduction = Reduction::mean;
      options.span = Span::answer;
    }
    const ScoredModel model = read_model("model", {run}, options);
    for (const RelationPredictions& relation : model.predictions.relations) {
      (void)Aggregator(Vote{}).aggregate(relation);
    }
  }
}

inline void use_generation(const DiskPath& run) {
  const ManyPromptAnswers read = read_generation(run, AnswerLemmas());
  (void)many_prompt_results(read.studies,
                            {.bootstrap = {.seed = 0, .resamples = 20}, .samplings = 20});
}

inline void use_run(const DiskPath& run) {
  const std::string place = run.string();
  constexpr Bootstrap few{.seed = 0, .resamples = 20};
  const auto has = [&](const char* name) { return (run / name).exists(); };
  is_read(place, [&] { (void)run_kind(run); });
  is_read(place, [&] { (void)model_warnings(read_run_record(run).settings); });
  is_read(place, [&] { (void)recorded_measuring(run); });
  if (has("metadata_results.json")) is_read(place, [&] { use_results(run); });
  is_read(place, [&] {
    const ModelAnswers answers = read_answers({"a", run});
    for (const Setting& group : groups_of(answers)) (void)match_answers(answers, answers, group);
  });
  if (has("metadata_many_shot.json")) {
    is_read(place, [&] { (void)many_shot_results(read_many_shot_run(run), few); });
  }
  for (const char* method : {"deer", "lm-head"}) {
    if (!has((std::string(method) + "_ranks.jsonl").c_str())) continue;
    is_read(place, [&] { (void)rank_results(read_ranked_methods(run, {method}, true), few); });
  }
  if (has("metadata_generate.json")) {
    is_read(place, [&] { use_generation(run); });
    is_read(place, [&] { (void)read_list_run(run); });
  }
  if (has("metrics.json")) {
    is_read(place, [&] { (void)read_run_numbers(run, "model", "dataset"); });
  }
}

inline void use_journal(const DiskPath& file) {
  is_read(file.string(), [&] {
    Journal journal(file);
    for (const char* part : {"P36", "", "fixed 0"}) {
      (void)journal.done(part);
      for (std::size_t pack = 0; pack < 3; ++pack) (void)journal.find(part, pack);
    }
  });
}

inline void records(std::string_view input) {
  static const KnowledgeGraph graph = test::elements();
  test::MemoryDisk disk;
  for (const auto& [name, text] : files_of(input)) {
    disk.put("run/" + name, name == "journal.jsonl" ? with_checksums(text) : text);
  }
  const DiskPath run = disk / "run";
  if (!run.is_folder()) return;
  use_run(run);
  for (const DiskPath& file : run.list()) {
    const std::string name = file.name(), place = file.string();
    const auto is = [&](std::string_view begins) { return name.starts_with(begins); };
    const auto read = [&](auto reader) { is_read(place, [&] { (void)reader(); }); };
    if (is("journal")) use_journal(file);
    if (is("shots")) read([&] { return read_shot_lists(file); });
    if (is("injection")) read([&] { return read_recorded_injection(file); });
    if (is("fixed-study")) read([&] { return read_fixed_file(file); });
    if (is("fixed-ranking")) read([&] { return read_fixed_rankings(file, graph); });
    if (is("families")) read([&] { return read_families(file, {"a", "b"}); });
    if (is("vocabulary")) read([&] { return read_vocabulary(file); });
    if (is("config")) read([&] { return read_config(file, "probe"); });
    if (is("wordnet")) {
      is_read(place, [&] {
        const Morphy morphy(file);
        for (const char* word : {"dogs", "boxesful", "ran", "", "better_x"}) {
          (void)morphy.lemma(word);
        }
      });
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz
