// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which numbers summarise a ranking of entities?
//
// Everything shown on a ranking's page, in its tables and in metrics.json is computed once, here,
// from the ranks: the metrics of each method, raw and filtered; the agreement of methods on shared
// queries and candidates; and whether long names rank lower.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/correlation.hpp"
#include "plumb/detail/measure/pearson_p_value.hpp"
#include "plumb/detail/measure/rank.hpp"
#include "plumb/detail/measure/rank_metrics.hpp"
#include "plumb/detail/measure/ties.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The rank of one query's true entity. `score` is the entity's score, either a cosine or a
/// log-probability in nats. If a search ended early, `undecided` is the number of other candidates
/// that may still rank above it. `tokens` is the length of the entity's name in the model's tokens.
struct EntityRank {
  std::string part;
  std::size_t line = 0;
  bool asks_head = false;
  std::string head, relation, tail;
  double score = 0;
  std::size_t candidates = 0, filtered_candidates = 0;
  Rank raw, filtered;
  std::size_t undecided = 0;
  std::size_t tokens = 0;
};

/// A correlation with its two-sided p-value.
struct TestedCorrelation {
  Estimate r;
  std::optional<double> p{};
  std::size_t queries = 0;
};

/// The fraction of queries whose rank, rounded down, is between `low` and `high`.
struct RankBin {
  std::size_t low = 1, high = 1;
  Estimate share;
};

struct RankedMethod {
  std::string name;
  /// Whether the method ranks only one-token names while other methods rank all names.
  bool narrowed = false;
  std::vector<EntityRank> ranks;
  /// Indexed by Ties.
  std::array<RankMetrics, 3> raw{}, filtered{};
  /// The metrics of realistic ranks (the middle of a tie), which the tables show.
  [[nodiscard]] const RankMetrics& realistic() const {
    return raw[static_cast<std::size_t>(Ties::realistic)];
  }
  /// The metrics of raw, realistic ranks, by relation.
  std::map<std::string, RankMetrics> by_relation{};
  /// Correlation of the rank (not its logarithm) with the number of tokens in the true entity's
  /// name.
  TestedCorrelation length{};
  /// The largest number of candidates of any query.
  std::size_t candidates = 0;
  /// The distribution of the true entity's rank over the queries; empty if ranks are undecided.
  std::vector<RankBin> histogram{};
  /// Ranks by the number of tokens in the true entity's name; the last group includes all longer
  /// names.
  std::map<std::size_t, std::vector<double>> by_length{};
};

/// Two methods compared on their shared queries.
struct MethodAgreement {
  std::size_t one = 0, other = 0;
  TestedCorrelation log_rank, rank;
  /// Correlations of ranks within each relation.
  std::map<std::string, TestedCorrelation> by_relation{};
  /// For each shared query, its indices in the two methods' ranks.
  std::vector<std::pair<std::size_t, std::size_t>> shared;
};

struct RankResults {
  std::vector<RankedMethod> methods;
  std::vector<MethodAgreement> agreements;
  std::vector<std::string> remarks;
};

inline TestedCorrelation tested(const std::vector<double>& x, const std::vector<double>& y) {
  TestedCorrelation made{pearson(x, y), {}, x.size()};
  if (made.r.count > 0) made.p = p_value(made.r.value, made.r.count);
  return made;
}

inline QueryRank query_rank(const EntityRank& rank, bool filtered) {
  return {filtered ? rank.filtered : rank.raw,
          filtered ? rank.filtered_candidates : rank.candidates, rank.undecided};
}

inline std::string relation_of(const EntityRank& rank) {
  return (rank.asks_head ? "inverse of " : "") + rank.relation;
}

inline bool is_decided(const RankedMethod& method) {
  return method.raw[0].undecided == 0 && !method.ranks.empty();
}

inline constexpr std::size_t longest_length = 8;

/// The bins are 1, 2–3, 4–10, 11–30, 31–100 …
inline std::vector<RankBin> histogram_of(const RankedMethod& method) {
  std::vector<RankBin> bins;
  for (std::size_t low = 1, high = 1, decade = 1; low <= method.candidates; low = high + 1) {
    if (low > 1) high = high == decade* 3 ? decade *= 10 : decade * 3;
    const auto count = ranges::count_if(method.ranks, [&](const EntityRank& rank) {
      const double at = std::floor(rank.raw.realistic());
      return at >= static_cast<double>(low) && at <= static_cast<double>(high);
    });
    bins.push_back({low, (std::min)(high, method.candidates),
                    wilson(static_cast<std::size_t>(count), method.ranks.size())});
  }
  return bins;
}

inline void measure(RankedMethod& method, const Bootstrap& bootstrap) {
  for (const bool filtered : {false, true}) {
    std::vector<QueryRank> ranks;
    for (const EntityRank& rank : method.ranks) ranks.push_back(query_rank(rank, filtered));
    for (const Ties ties : {Ties::optimistic, Ties::realistic, Ties::pessimistic}) {
      (filtered ? method.filtered : method.raw)[static_cast<std::size_t>(ties)] =
          rank_metrics(ranks, ties, bootstrap, "ranks");
    }
  }
  std::map<std::string, std::vector<QueryRank>> by_relation;
  for (const EntityRank& rank : method.ranks) {
    by_relation[relation_of(rank)].push_back(query_rank(rank, false));
  }
  for (const auto& [relation, ranks] : by_relation) {
    method.by_relation[relation] = rank_metrics(ranks, Ties::realistic, bootstrap, "ranks");
  }
  for (const EntityRank& rank : method.ranks) {
    method.candidates = (std::max)(method.candidates, rank.candidates);
  }
  if (!is_decided(method)) return;
  method.histogram = histogram_of(method);
  for (const EntityRank& rank : method.ranks) {
    method.by_length[(std::min)(rank.tokens, longest_length)].push_back(rank.raw.realistic());
  }
  std::vector<double> tokens, ranks;
  for (const EntityRank& rank : method.ranks) {
    tokens.push_back(static_cast<double>(rank.tokens));
    ranks.push_back(rank.raw.realistic());
  }
  method.length = tested(tokens, ranks);
}

/// Identifies a query across methods or runs by its line or, if it has no line, by the names of its
/// entities.
using QueryKey = std::tuple<std::string, std::string, std::size_t, bool, std::size_t, std::string>;
inline QueryKey query_key(const EntityRank& rank) {
  return {rank.part,      rank.relation,   rank.line,
          rank.asks_head, rank.candidates, rank.line > 0 ? "" : rank.head + "\n" + rank.tail};
}

/// For each shared query, its index in each of the two lists. Throws a user error if the two lists
/// have different entities for the same line.
[[nodiscard]] inline std::vector<std::pair<std::size_t, std::size_t>> shared_queries(
    const std::vector<EntityRank>& one, const std::vector<EntityRank>& other) {
  std::map<QueryKey, std::size_t> places;
  for (std::size_t i = 0; i < other.size(); ++i) places[query_key(other[i])] = i;
  std::vector<std::pair<std::size_t, std::size_t>> shared;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const auto place = places.find(query_key(one[i]));
    if (place == places.end()) continue;
    const EntityRank& same = other[place->second];
    if (same.head != one[i].head || same.tail != one[i].tail) {
      throw user_error({.field = one[i].relation},
                       one[i].part + ":" + std::to_string(one[i].line) + " asks for '" +
                           one[i].tail + "' of '" + one[i].head + "' in one run and for '" +
                           same.tail + "' of '" + same.head + "' in another",
                       "compare runs over the same graph");
    }
    shared.emplace_back(i, place->second);
  }
  return shared;
}

inline MethodAgreement agreement(const RankResults& made, std::size_t one, std::size_t other) {
  const std::vector<EntityRank>& a = made.methods[one].ranks;
  const std::vector<EntityRank>& b = made.methods[other].ranks;
  MethodAgreement agreement{one, other, {}, {}, {}, shared_queries(a, b)};
  std::vector<double> x, y, log_x, log_y;
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> by_relation;
  for (const auto& [i, j] : agreement.shared) {
    x.push_back(a[i].raw.realistic());
    y.push_back(b[j].raw.realistic());
    log_x.push_back(std::log(x.back()));
    log_y.push_back(std::log(y.back()));
    auto& [of_x, of_y] = by_relation[relation_of(a[i])];
    of_x.push_back(x.back());
    of_y.push_back(y.back());
  }
  for (const auto& [relation, ranks] : by_relation) {
    agreement.by_relation[relation] = tested(ranks.first, ranks.second);
  }
  agreement.rank = tested(x, y);
  agreement.log_rank = tested(log_x, log_y);
  return agreement;
}

/// Measures methods. Each method must have its name, at least one rank, and `narrowed` set.
[[nodiscard]] inline RankResults rank_results(std::vector<RankedMethod> methods,
                                              const Bootstrap& bootstrap) {
  RankResults made{std::move(methods), {}, {}};
  for (RankedMethod& method : made.methods) {
    const std::string& name = method.name;
    detail::measure(method, bootstrap);
    if (const auto warning = rank_tie_warning(method.raw[0].tied, method.raw[0].queries)) {
      made.remarks.push_back(name + ": " + *warning);
    }
    if (method.raw[0].undecided > 0) {
      double least = 0, most = 0;
      for (const EntityRank& rank : method.ranks) {
        least += rank.raw.realistic() / static_cast<double>(method.ranks.size());
        most += (rank.raw.realistic() + static_cast<double>(rank.undecided)) /
                static_cast<double>(method.ranks.size());
      }
      made.remarks.push_back(
          name + ": " + std::to_string(method.raw[0].undecided) + " of " +
          std::to_string(method.ranks.size()) +
          " searches ended before the rank was certain: mean ranks, correlations and Hit@k at "
          "larger k are not reported. The mean rank is between " +
          with_decimals(least, 1) + " and " + with_decimals(most, 1) + ".");
    }
  }
  for (std::size_t i = 0; i < made.methods.size(); ++i) {
    for (std::size_t j = i + 1; j < made.methods.size(); ++j) {
      if (!detail::is_decided(made.methods[i]) || !detail::is_decided(made.methods[j])) continue;
      if (made.methods[i].narrowed != made.methods[j].narrowed) continue;
      MethodAgreement agreement = detail::agreement(made, i, j);
      if (!agreement.shared.empty()) made.agreements.push_back(std::move(agreement));
    }
  }
  return made;
}

/// Indices of the DEER methods that rank all candidates; there is one for each entity prompt.
[[nodiscard]] inline std::vector<std::size_t> entity_wordings(const RankResults& made) {
  std::vector<std::size_t> wordings;
  for (std::size_t m = 0; m < made.methods.size(); ++m) {
    const std::string& name = made.methods[m].name;
    if (name == "deer" || (name.starts_with("deer-") && name.size() == 6)) wordings.push_back(m);
  }
  return wordings;
}

/// For each metric, the difference between the highest and the lowest value among the entity
/// prompts.
[[nodiscard]] inline std::map<std::string, double> wording_differences(const RankResults& made) {
  std::map<std::string, std::pair<double, double>> ranges;
  for (const std::size_t m : entity_wordings(made)) {
    const RankMetrics& metrics = made.methods[m].raw[static_cast<std::size_t>(Ties::realistic)];
    const auto add = [&](const std::string& name, const Estimate& e) {
      if (e.count == 0) return;
      auto& [least, most] = ranges.try_emplace(name, e.value, e.value).first->second;
      least = (std::min)(least, e.value);
      most = (std::max)(most, e.value);
    };
    add("MRR", metrics.mean_reciprocal_rank);
    for (const std::size_t k : ranked_hit_levels) {
      add("Hit@" + std::to_string(k), metrics.hit_at(k));
    }
  }
  std::map<std::string, double> differences;
  for (const auto& [name, range] : ranges) differences[name] = range.second - range.first;
  return differences;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
