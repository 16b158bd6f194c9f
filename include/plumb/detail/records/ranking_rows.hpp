// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ranks of true entities: one file for each method, one row per query.
//
// If a search ended early, "undecided" is the number of other candidates that may also rank above
// the true entity. "tokens" is the number of tokens in the true entity's name. A likelihood also
// covers the ")" after the name, so --reduction mean divides by this number plus one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/records/record_fields.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

template <>
struct RecordFields<EntityRank> {
  static constexpr std::string_view file = "METHOD_ranks.jsonl", rows = "one row per query";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    field("part", row.part, "train, valid or test");
    field("line", row.line, "line number of the triple in the part's file, from 1");
    field("asks", OneOfTwo{row.asks_head, "tail", "head"},
          "head or tail: the end that the query asks for");
    field("head", row.head, "identifier of the head");
    field("relation", row.relation, "name of the relation");
    field("tail", row.tail, "identifier of the tail");
    field("score", row.score, "score of the true entity: a cosine, or a value in nats");
    field("candidates", row.candidates, "number of ranked entities, including the true one");
    field("above", row.raw.above, "number of candidates with a higher score");
    field("equal", row.raw.equal, "number of other candidates with the same score");
    field("filtered_candidates", row.filtered_candidates,
          "number of candidates that remain after other true entities are excluded");
    field("filtered_above", row.filtered.above,
          "number of the remaining candidates with a higher score");
    field("filtered_equal", row.filtered.equal,
          "number of other remaining candidates with the same score");
    field("undecided", row.undecided,
          "number of further candidates that might rank above the true entity, if a search ended "
          "early");
    field("tokens", row.tokens, "number of tokens of the true entity's name");
  }
};

/// The entities nearest to a query, with their cosines, nearest first.
struct NearestEntities {
  bool asks_head = false;
  std::string head, relation, tail;
  std::vector<std::pair<std::string, double>> nearest{};
};

template <>
struct RecordFields<NearestEntities> {
  static constexpr std::string_view file = "METHOD_nearest.jsonl",
                                    rows = "one row per query, with --nearest";
  template <class Self, class Field>
  static void visit(Self& row, Field& field) {
    field("asks", OneOfTwo{row.asks_head, "tail", "head"},
          "head or tail: the end that the query asks for");
    field("head", row.head, "identifier of the head");
    field("relation", row.relation, "name of the relation");
    field("tail", row.tail, "identifier of the tail");
    field.optional("nearest", row.nearest, "[entity, cosine], nearest first");
  }
};

/// Whether the counts of a rank are possible, given that the true entity is among its candidates.
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

/// Returns the ranks in file order. Throws a user error if a line is not a rank.
[[nodiscard]] inline std::vector<EntityRank> read_entity_ranks(const DiskPath& file) {
  std::vector<EntityRank> ranks;
  for_each_result_line(file, [&](const Json& row, std::size_t line) {
    try {
      if (row.at("asks") != "head" && row.at("asks") != "tail") {
        throw user_error({file, line, "asks"}, "is neither head nor tail", "rank again");
      }
      if (!detail::has_sound_counts(row)) {
        throw user_error({file, line}, "has impossible counts", "the file was changed; rank again");
      }
      ranks.push_back(read_row<EntityRank>(row));
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      throw user_error({file, line}, "is not a rank",
                       "the file was changed; restore it, or rank again");
    }
  });
  return ranks;
}

/// The ranks of a run folder's methods, ready to be measured. `narrowed` specifies whether the LM
/// head ranks fewer candidates than the other methods do. Throws a user error if a file is missing,
/// damaged or empty.
[[nodiscard]] inline std::vector<RankedMethod> read_ranked_methods(
    const DiskPath& folder, const std::vector<std::string>& names, bool narrowed) {
  std::vector<RankedMethod> methods;
  for (const std::string& name : names) {
    RankedMethod& method = methods.emplace_back();
    method.name = name;
    method.narrowed = narrowed && (name == "lm-head" || name.ends_with("-single-token"));
    const auto file = folder / (name + "_ranks.jsonl");
    method.ranks = read_entity_ranks(file);
    if (method.ranks.empty()) throw user_error({.file = file}, "contains no ranks", "rank again");
  }
  return methods;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
