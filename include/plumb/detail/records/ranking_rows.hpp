// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is it kept where true entities stand?
//
//   <method>_ranks.jsonl, a line a query:
//   {"part": "test", "line": 12, "asks": "tail", "head": id, "relation": id, "tail": id,
//    "score": …, "candidates": 40943, "above": 6, "equal": 0, "filtered_candidates": 40941,
//    "filtered_above": 5, "filtered_equal": 0, "undecided": 0, "tokens": 3}
// "score" is the true entity's: a cosine, or nats. "undecided" counts candidates that may stand
// above too, where a search ended early. "tokens" is the length of its name in the model's tokens; a
// likelihood is also over the ")" behind it, so that --reduction mean divides by one more.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline std::string entity_rank_line(const EntityRank& rank) {
  return Json{{"part", rank.part},
              {"line", rank.line},
              {"asks", rank.asks_head ? "head" : "tail"},
              {"head", rank.head},
              {"relation", rank.relation},
              {"tail", rank.tail},
              {"score", rank.score},
              {"candidates", rank.candidates},
              {"above", rank.raw.above},
              {"equal", rank.raw.equal},
              {"filtered_candidates", rank.filtered_candidates},
              {"filtered_above", rank.filtered.above},
              {"filtered_equal", rank.filtered.equal},
              {"undecided", rank.undecided},
              {"tokens", rank.tokens}}
             .dump() +
         "\n";
}

/// Whether a rank's counts are none that no graph has, with the true entity among its candidates.
inline bool has_sound_counts(const Json& row) {
  const auto count = [&](const std::string& field) -> std::uint64_t {
    return row.at(field).get_ref<const Json::number_unsigned_t&>();
  };
  for (const std::string kind : {"", "filtered_"}) {
    const std::uint64_t candidates = count(kind + "candidates"), above = count(kind + "above");
    if (candidates > (std::numeric_limits<std::uint32_t>::max)()) return false;
    if (above >= candidates || count(kind + "equal") >= candidates - above) return false;
  }
  return count("undecided") <= count("candidates") &&
         (std::max)(count("tokens"), count("line")) <= (std::numeric_limits<std::uint32_t>::max)();
}

/// In the order of the file. Throws a user error for a line that is none of these.
[[nodiscard]] inline std::vector<EntityRank> read_entity_ranks(const DiskPath& file) {
  std::vector<EntityRank> ranks;
  for_each_result_line(file, [&](const Json& row, std::size_t line) {
    try {
      if (row.at("asks") != "head" && row.at("asks") != "tail") {
        throw user_error({file, line, "asks"}, "is neither head nor tail", "rank again");
      }
      if (!detail::has_sound_counts(row)) {
        throw user_error({file, line}, "has counts that no rank has",
                         "the file was changed; rank again");
      }
      ranks.push_back({row.at("part"),
                       row.at("line"),
                       row.at("asks") == "head",
                       row.at("head"),
                       row.at("relation"),
                       row.at("tail"),
                       row.at("score"),
                       row.at("candidates"),
                       row.at("filtered_candidates"),
                       {row.at("above"), row.at("equal")},
                       {row.at("filtered_above"), row.at("filtered_equal")},
                       row.at("undecided"),
                       row.at("tokens")});
    } catch (const nlohmann::json::exception&) {
      throw user_error({file, line}, "is not a rank",
                       "the file was changed; restore it, or rank again");
    }
  });
  return ranks;
}

/// The ranks of a run folder's methods, to be measured; `narrowed` says whether the LM head ranks among
/// fewer candidates than others do. Throws a user error when a file is missing, damaged or empty.
[[nodiscard]] inline std::vector<RankedMethod> read_ranked_methods(
    const DiskPath& folder, const std::vector<std::string>& names, bool narrowed) {
  std::vector<RankedMethod> methods;
  for (const std::string& name : names) {
    RankedMethod& method = methods.emplace_back();
    method.name = name;
    method.narrowed = narrowed && (name == "lm-head" || name.ends_with("-single-token"));
    const auto file = folder / (name + "_ranks.jsonl");
    method.ranks = read_entity_ranks(file);
    if (method.ranks.empty()) throw user_error({.file = file}, "holds no rank", "rank again");
  }
  return methods;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
