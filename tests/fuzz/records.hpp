// SPDX-License-Identifier: Apache-2.0
#pragma once

// Run folders of every job, from which reports, calibrations and comparisons are made; journals; run.json;
// and the files that jobs read beside a dataset.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sound.hpp"
#include "plumb/cli/config_file.hpp"
#include "plumb/core/hash.hpp"
#include "plumb/measure/morphy.hpp"
#include "plumb/records/journal.hpp"
#include "plumb/records/recorded_answer_sets.hpp"
#include "plumb/records/recorded_injection.hpp"
#include "plumb/records/recorded_metrics.hpp"
#include "plumb/records/recorded_ranks.hpp"
#include "plumb/records/recorded_shots.hpp"
#include "plumb/run/calibrate_measurement.hpp"
#include "plumb/run/compare_measurement.hpp"
#include "plumb/run/fill_plan.hpp"
#include "plumb/run/finished_report.hpp"
#include "plumb/run/fixed_ranking.hpp"
#include "plumb/run/fixed_study.hpp"
#include "support/memory_disk.hpp"
#include "support/small_graph.hpp"

namespace plumb::fuzz {

/// A journal's lines with their checksums, where an input leaves them out.
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

/// What a report leaves and says.
template <class Report>
void use_report(const Report& report, test::MemoryDisk& disk) {
  const DiskPath out = disk / "out";
  (void)disk.make_folders(out.path());
  report.write(out);
  (void)report.notes();
  (void)report.table(TableWidth{80, ""});
}

inline void use_run(const DiskPath& run, test::MemoryDisk& disk) {
  const std::string place = run.string();
  constexpr Bootstrap few{.seed = 0, .resamples = 20};
  const auto has = [&](const char* name) { return (run / name).exists(); };
  is_read(place, [&] { (void)run_kind(run); });
  is_read(place, [&] { (void)read_run_record(run); });
  is_read(place, [&] { (void)recorded_measuring(run); });
  if (has("metadata_results.json")) {
    is_read(place, [&] { use_report(ProbeReport(run, few), disk); });
    is_read(place, [&] {
      (void)recorded_weighted_ranks(run);
      (void)recorded_answer_sets(recorded_relations(run));
    });
    CalibrateSettings calibrate;
    calibrate.folders.list = {{"", run}};
    calibrate.resamples = 20;
    is_read(place, [&] { use_report(CalibrateMeasurement(calibrate).measure().report, disk); });
  }
  if (has("metadata_many_shot.json")) {
    is_read(place, [&] { use_report(ManyShotReport(run, few), disk); });
    is_read(place, [&] { (void)read_many_shot_run(run); });
  }
  if (has("metadata_rank.json")) {
    is_read(place, [&] { use_report(RankReport(run, few), disk); });
  }
  if (has("metadata_generate.json")) {
    const ManyPromptOptions options{.bootstrap = few, .samplings = 20};
    is_read(place, [&] { use_report(generation_report(run, AnswerLemmas(), options), disk); });
    is_read(place, [&] { use_report(ListReport(run, few), disk); });
  }
  CompareSettings compare;
  compare.runs.list = {{"a", run}, {"b", run}};
  compare.measuring = {.wordnet = "none", .samplings = 20};
  is_read(place, [&] { use_report(CompareMeasurement(compare).measure().report, disk); });
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
  use_run(run, disk);
  for (const DiskPath& file : run.list()) {
    const std::string name = file.name(), place = file.string();
    const auto is = [&](std::string_view begins) { return name.starts_with(begins); };
    const auto read = [&](auto reader) { is_read(place, [&] { (void)reader(); }); };
    if (is("journal")) use_journal(file);
    if (is("shots")) read([&] { return read_shot_lists(file); });
    if (is("injection")) read([&] { return read_recorded_injection(file); });
    if (is("fixed-study")) read([&] { return read_fixed_file(file); });
    if (is("fixed-ranking")) read([&] { return read_fixed_rankings(file, graph); });
    if (is("families")) read([&] { return detail::read_families(file, {"a", "b"}); });
    if (is("vocabulary")) read([&] { return read_vocabulary(file); });
    if (is("config")) read([&] { return detail::read_config(file, "probe"); });
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

}  // namespace plumb::fuzz
