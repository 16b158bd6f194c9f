// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which packs are scored already, and what did they score?
//
// journal.jsonl grows by one line for each pack as soon as it is scored, so a job killed at any
// moment loses at most the pack it was on. Only where each pack's line begins is kept in memory.
//   {"relation": "P36", "block": 0, "pack": 7,
//    "scores": [[nats, answer nats, tokens, answer tokens], …]}
//   {"relation": "P36", "done": {statements, tokens_one_by_one, tree_nodes, tokens_fed}}

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/run/journal_file.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/recorded.hpp"

namespace plumb {

/// Not thread-safe; one process writes one journal.
class Journal {
 public:
  /// Opens or creates. Throws a user error when a line before the last is damaged.
  explicit Journal(const std::filesystem::path& file)
      : file_(file, [&](const std::string& text, std::uintmax_t begin, std::size_t line) {
          index(text, begin, {file, line});
        }) {}

  /// The scores of a pack that is done, rounded as they stand in the file; nothing for others.
  [[nodiscard]] std::optional<std::vector<StatementScore>> find(const std::string& relation,
                                                                std::size_t block,
                                                                std::size_t pack) {
    const auto found = begins_.find({relation, block, pack});
    if (found == begins_.end()) return std::nullopt;
    return scores_of(Json::parse(file_.read(found->second)));
  }

  /// Writes a pack down and rounds `scores` to what now stands in the file, so that going on and
  /// taking up again work with the same numbers. Throws an internal error on a score that is not
  /// finite or a write that fails.
  void append(const std::string& relation, std::size_t block, std::size_t pack,
              std::vector<StatementScore>& scores) {
    std::string line = R"({"relation":)" + Json(relation).dump() +
                       ",\"block\":" + std::to_string(block) + ",\"pack\":" + std::to_string(pack) +
                       ",\"scores\":[";
    for (StatementScore& score : scores) {
      if (line.back() != '[') line += ',';
      line += '[';
      score.log_likelihood = put(line, score.log_likelihood, relation);
      line += ',';
      score.answer_log_likelihood = put(line, score.answer_log_likelihood, relation);
      line.append(",").append(std::to_string(score.tokens));
      line.append(",").append(std::to_string(score.answer_tokens)).append(",");
      score.continuation_log_likelihood = put(line, score.continuation_log_likelihood, relation);
      line.append(",").append(std::to_string(score.continuation_tokens)).append("]");
    }
    line += "]}\n";
    begins_[{relation, block, pack}] = file_.append(line);
  }

  /// What the relation cost, once all of it is done and its results file stands.
  [[nodiscard]] std::optional<ScoringCost> done(const std::string& relation) const {
    const auto found = done_.find(relation);
    return found == done_.end() ? std::nullopt : std::optional(found->second);
  }
  void mark_done(const std::string& relation, const ScoringCost& cost) {
    const Json counts = {{"statements", cost.statements},
                         {"tokens_one_by_one", cost.tokens_one_by_one},
                         {"tree_nodes", cost.tree_nodes},
                         {"tokens_fed", cost.tokens_fed}};
    file_.append(Json{{"relation", relation}, {"done", counts}}.dump() + "\n");
    done_[relation] = cost;
  }

 private:
  static std::vector<StatementScore> scores_of(const Json& record) {
    std::vector<StatementScore> scores;
    for (const Json& item : record.at("scores")) {
      scores.push_back({item.at(0).get<double>(), item.at(1).get<double>(),
                        item.at(2).get<std::uint32_t>(), item.at(3).get<std::uint32_t>(),
                        item.at(4).get<double>(), item.at(5).get<std::uint32_t>()});
    }
    return scores;
  }

  void index(const std::string& text, std::uintmax_t begin, const Site& site) {
    try {
      const Json record = Json::parse(text);
      const auto relation = record.at("relation").get<std::string>();
      if (const auto counts = record.find("done"); counts != record.end()) {
        done_[relation] = {counts->at("statements"), counts->at("tokens_one_by_one"),
                           counts->at("tree_nodes"), counts->at("tokens_fed")};
      } else {
        (void)scores_of(record);  // refused here, where the line is known
        begins_[{relation, record.at("block"), record.at("pack")}] = begin;
      }
    } catch (const nlohmann::json::exception&) {
      throw user_error(site, "is not a journal line",
                       "the file was changed by hand; delete the line to score its pack again");
    }
  }

  double put(std::string& line, double value, const std::string& relation) const {
    if (!std::isfinite(value)) {
      throw internal_error({.file = {}, .line = 0, .field = relation},
                           "the model gave a score that is not finite", "check the model file");
    }
    const std::size_t begin = line.size();
    detail::append_fixed(line, value);
    double rounded = 0;
    std::from_chars(line.data() + begin, line.data() + line.size(), rounded);
    return rounded;
  }

  using Key = std::tuple<std::string, std::size_t, std::size_t>;
  // The file indexes itself into these while it is opened.
  std::map<Key, std::uintmax_t> begins_;
  std::map<std::string, ScoringCost> done_;
  JournalFile file_;
};

}  // namespace plumb
