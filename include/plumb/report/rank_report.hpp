// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a ranking of entities leave for people and for other programs?
//
// From a finished run folder: metrics.json, ranks.csv, report.html, and the table for the terminal.
// All depends on the results and the settings alone.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/records/listed_prompt.hpp"
#include "plumb/records/whole_file.hpp"
#include "plumb/report/csv.hpp"
#include "plumb/report/rank_data.hpp"
#include "plumb/report/rank_json.hpp"
#include "plumb/report/rank_page.hpp"
#include "plumb/report/text_table.hpp"

namespace plumb {

/// Measures a run folder once, then writes. One thread at a time may write into a folder.
class RankReport {
 public:
  /// Throws a user error when the folder holds no finished run.
  explicit RankReport(const std::filesystem::path& folder, Bootstrap bootstrap = {})
      : bootstrap_(bootstrap) {
    const auto file = folder / "metadata_rank.json";
    if (!std::filesystem::exists(file)) {
      throw user_error({.file = folder}, "holds no finished ranking (no metadata_rank.json)",
                       "finish it with `resume`");
    }
    const Json metadata = read_json_object(file);
    const auto methods = string_list(metadata, "methods");
    if (!methods || methods->empty()) {
      throw user_error({file, 0, "methods"}, "names none", "rank again");
    }
    made_ = rank_results(folder, *methods, metadata.value("narrowed", false), bootstrap);
    if (const auto remarks = string_list(metadata, "remarks")) {
      made_.remarks.insert(made_.remarks.begin(), remarks->begin(), remarks->end());
    }
    prompts_ = read_example_prompts(folder);
    if (const auto run = folder / "run.json"; std::filesystem::exists(run)) {
      settings_ = read_json_object(run).value("settings", Json::object());
    }
  }

  /// Writes metrics.json, ranks.csv and report.html into `target`.
  void write(const std::filesystem::path& target) const {
    Json metrics = {{"bootstrap", {{"seed", bootstrap_.seed}, {"resamples", bootstrap_.resamples}}},
                    {"interval", 0.95}};
    metrics.update(to_json(made_));
    write_atomically(target / "metrics.json", metrics.dump(2) + "\n");
    write_atomically(target / "ranks.csv", csv());
    write_atomically(target / "report.html", rank_page(made_, settings_, prompts_));
  }

  [[nodiscard]] std::string table() const {
    std::vector<std::string> heads{"method", "queries", "candidates", "MR", "MRR [95%]", "AMRI"};
    for (const std::size_t k : entity_hit_levels) heads.push_back("Hit@" + std::to_string(k));
    heads.push_back("ties");
    TextTable table(heads);
    for (const RankedMethod& method : made_.methods) {
      for (const bool filtered : {false, true}) {
        const RankMetrics& metrics = (filtered ? method.filtered : method.raw)[1];
        std::vector<std::string> row{method.name + (filtered ? ", filtered" : ""),
                                     std::to_string(metrics.queries),
                                     candidates_of(method),
                                     number_or_dash(metrics.mean_rank, 1),
                                     with_interval(metrics.mean_reciprocal_rank),
                                     number_or_dash(metrics.adjusted_mean_rank_index)};
        for (const Estimate& hits : metrics.hits) row.push_back(number_or_dash(hits));
        row.push_back(std::to_string(metrics.tied));
        table.add(row);
      }
    }
    std::string text = table.text();
    if (made_.agreements.empty()) return text;
    TextTable agreements({"agreement", "queries", "r of log ranks [95%]", "p"});
    for (const MethodAgreement& one : made_.agreements) {
      agreements.add({made_.methods[one.one].name + " and " + made_.methods[one.other].name,
                      std::to_string(one.shared.size()), with_interval(one.log_rank.r),
                      detail::p_text(one.log_rank.p)});
    }
    return text + "\n" + agreements.text();
  }

  /// What must be said wherever the numbers are shown, each once.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return made_.remarks; }
  [[nodiscard]] const RankResults& results() const noexcept { return made_; }

 private:
  /// "135", or "25–60" where relations have candidates of their own.
  static std::string candidates_of(const RankedMethod& method) {
    std::size_t fewest = method.candidates;
    for (const EntityRank& rank : method.ranks) fewest = std::min(fewest, rank.candidates);
    const std::string most = std::to_string(method.candidates);
    return fewest == method.candidates ? most : std::to_string(fewest) + "–" + most;
  }

  /// A row for each method and query.
  [[nodiscard]] std::string csv() const {
    std::string text = csv_line({"method", "part", "line", "asks", "head", "relation", "tail",
                                 "tokens", "rank", "filtered_rank", "undecided", "rank_at_most"});
    for (const RankedMethod& method : made_.methods) {
      for (const EntityRank& rank : method.ranks) {
        text += csv_line({method.name, rank.part, std::to_string(rank.line),
                          rank.asks_head ? "head" : "tail", rank.head, rank.relation, rank.tail,
                          std::to_string(rank.tokens), fixed(rank.raw.realistic(), 1),
                          fixed(rank.filtered.realistic(), 1), std::to_string(rank.undecided),
                          fixed(rank.raw.realistic() + static_cast<double>(rank.undecided), 1)});
      }
    }
    return text;
  }

  Bootstrap bootstrap_;
  RankResults made_;
  std::vector<Json> prompts_;
  Json settings_ = Json::object();
};

}  // namespace plumb
