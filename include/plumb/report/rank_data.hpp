// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which numbers does a ranking of entities come to?
//
// Everything its page, its tables and its metrics.json show, measured once from the run folder: each
// method by itself, raw and filtered; how far methods agree on the queries and candidates they
// share; and whether long names stand lower.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/measure/correlation.hpp"
#include "plumb/measure/rank_metrics.hpp"
#include "plumb/measure/significance.hpp"
#include "plumb/rank/recorded_entity_ranks.hpp"
#include "plumb/report/metrics_json.hpp"

namespace plumb {

/// A correlation with its two-sided p.
struct TestedCorrelation {
  Estimate r;
  std::optional<double> p{};
};

/// Ranks from `low` to `high`, cut at a whole number.
struct RankBin {
  std::size_t low = 1, high = 1;
  Estimate share;
};

struct RankedMethod {
  std::string name;
  std::vector<EntityRank> ranks;
  /// By Ties.
  std::array<RankMetrics, 3> raw{}, filtered{};
  /// Raw and realistic, by relation.
  std::map<std::string, RankMetrics> by_relation{};
  /// Linear rank against the tokens of the true entity's name.
  TestedCorrelation length{};
  /// Most candidates a query has.
  std::size_t candidates = 0;
  /// Share of queries by the rank of the true entity; empty where ranks are undecided.
  std::vector<RankBin> histogram{};
  /// Ranks by the tokens of the true entity's name, the last with all longer ones.
  std::map<std::size_t, std::vector<double>> by_length{};
};

/// Two methods over the queries they share.
struct MethodAgreement {
  std::size_t one = 0, other = 0;
  TestedCorrelation log_rank, rank;
  /// Places of the shared queries in both methods' ranks.
  std::vector<std::pair<std::size_t, std::size_t>> shared;
};

struct RankResults {
  std::vector<RankedMethod> methods;
  std::vector<MethodAgreement> agreements;
  std::vector<std::string> remarks;
};

namespace detail {

inline TestedCorrelation tested(const std::vector<double>& x, const std::vector<double>& y) {
  TestedCorrelation made{pearson(x, y)};
  if (made.r.count > 0) made.p = p_value(made.r.value, made.r.count);
  return made;
}

inline QueryRank query_rank(const EntityRank& rank, bool filtered) {
  return {filtered ? rank.filtered : rank.raw,
          filtered ? rank.filtered_candidates : rank.candidates, rank.undecided};
}

inline bool is_decided(const RankedMethod& method) {
  return method.raw[0].undecided == 0 && !method.ranks.empty();
}

inline constexpr std::size_t longest_length = 8;

/// 1, 2–3, 4–10, 11–30, 31–100 …
inline std::vector<RankBin> histogram_of(const RankedMethod& method) {
  std::vector<RankBin> bins;
  for (std::size_t low = 1, high = 1, decade = 1; low <= method.candidates; low = high + 1) {
    if (low > 1) high = high == decade* 3 ? decade *= 10 : decade * 3;
    const auto count = std::ranges::count_if(method.ranks, [&](const EntityRank& rank) {
      const double at = std::floor(rank.raw.realistic());
      return at >= static_cast<double>(low) && at <= static_cast<double>(high);
    });
    bins.push_back({low, std::min(high, method.candidates),
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
          rank_metrics(ranks, ties, bootstrap, method.name + (filtered ? "/filtered" : "/raw"));
    }
  }
  std::map<std::string, std::vector<QueryRank>> by_relation;
  for (const EntityRank& rank : method.ranks) {
    by_relation[(rank.asks_head ? "inverse of " : "") + rank.relation].push_back(
        query_rank(rank, false));
  }
  for (const auto& [relation, ranks] : by_relation) {
    method.by_relation[relation] =
        rank_metrics(ranks, Ties::realistic, bootstrap, method.name + "/" + relation);
  }
  for (const EntityRank& rank : method.ranks) {
    method.candidates = std::max(method.candidates, rank.candidates);
  }
  if (!is_decided(method)) return;
  method.histogram = histogram_of(method);
  for (const EntityRank& rank : method.ranks) {
    method.by_length[std::min(rank.tokens, longest_length)].push_back(rank.raw.realistic());
  }
  std::vector<double> tokens, ranks;
  for (const EntityRank& rank : method.ranks) {
    tokens.push_back(static_cast<double>(rank.tokens));
    ranks.push_back(rank.raw.realistic());
  }
  method.length = tested(tokens, ranks);
}

inline MethodAgreement agreement(const RankResults& made, std::size_t one, std::size_t other) {
  const auto key = [](const EntityRank& rank) {
    return std::tuple(rank.part, rank.line, rank.asks_head, rank.candidates);
  };
  std::map<std::tuple<std::string, std::size_t, bool, std::size_t>, std::size_t> places;
  const std::vector<EntityRank>& a = made.methods[one].ranks;
  const std::vector<EntityRank>& b = made.methods[other].ranks;
  for (std::size_t i = 0; i < b.size(); ++i) places[key(b[i])] = i;
  MethodAgreement agreement{one, other, {}, {}, {}};
  std::vector<double> x, y, log_x, log_y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto place = places.find(key(a[i]));
    if (place == places.end()) continue;
    agreement.shared.emplace_back(i, place->second);
    x.push_back(a[i].raw.realistic());
    y.push_back(b[place->second].raw.realistic());
    log_x.push_back(std::log(x.back()));
    log_y.push_back(std::log(y.back()));
  }
  agreement.rank = tested(x, y);
  agreement.log_rank = tested(log_x, log_y);
  return agreement;
}

}  // namespace detail

/// Measures a finished run folder; `names` are its methods. Throws a user error when a file is
/// missing or damaged.
[[nodiscard]] inline RankResults rank_results(const std::filesystem::path& folder,
                                              const std::vector<std::string>& names,
                                              const Bootstrap& bootstrap) {
  RankResults made;
  for (const std::string& name : names) {
    RankedMethod& method = made.methods.emplace_back();
    method.name = name;
    const auto file = folder / (name + "_ranks.jsonl");
    method.ranks = read_entity_ranks(file);
    if (method.ranks.empty()) {
      throw user_error({.file = file}, "holds no rank", "rank again");
    }
    detail::measure(method, bootstrap);
    if (method.raw[0].undecided > 0) {
      made.remarks.push_back(
          name + ": " + std::to_string(method.raw[0].undecided) + " of " +
          std::to_string(method.ranks.size()) +
          " searches ended before the rank was certain: mean ranks, correlations "
          "and Hit@k beyond that are not given.");
    }
  }
  for (std::size_t i = 0; i < made.methods.size(); ++i) {
    for (std::size_t j = i + 1; j < made.methods.size(); ++j) {
      if (!detail::is_decided(made.methods[i]) || !detail::is_decided(made.methods[j])) continue;
      MethodAgreement agreement = detail::agreement(made, i, j);
      if (!agreement.shared.empty()) made.agreements.push_back(std::move(agreement));
    }
  }
  return made;
}

[[nodiscard]] inline Json to_json(const TestedCorrelation& tested) {
  Json json = {{"r", to_json(tested.r)}};
  json["p"] = tested.p ? Json(*tested.p) : Json();
  return json;
}

[[nodiscard]] inline Json to_json(const RankMetrics& metrics) {
  Json json = {{"queries", metrics.queries},
               {"tied", metrics.tied},
               {"undecided", metrics.undecided},
               {"mean_rank", to_json(metrics.mean_rank)},
               {"mean_reciprocal_rank", to_json(metrics.mean_reciprocal_rank)},
               {"adjusted_mean_rank_index", to_json(metrics.adjusted_mean_rank_index)}};
  for (std::size_t i = 0; i < entity_hit_levels.size(); ++i) {
    json["hits_at_" + std::to_string(entity_hit_levels[i])] = to_json(metrics.hits[i]);
  }
  return json;
}

/// What metrics.json holds.
[[nodiscard]] inline Json to_json(const RankResults& made) {
  Json json = {{"methods", Json::object()}, {"agreement", Json::array()}};
  for (const RankedMethod& method : made.methods) {
    Json& one = json["methods"][method.name];
    const std::array<const char*, 3> ties{"optimistic", "realistic", "pessimistic"};
    for (std::size_t t = 0; t < ties.size(); ++t) {
      one["raw"][ties[t]] = to_json(method.raw[t]);
      one["filtered"][ties[t]] = to_json(method.filtered[t]);
    }
    one["candidates"] = method.candidates;
    one["rank_against_name_tokens"] = to_json(method.length);
    for (const RankBin& bin : method.histogram) {
      one["histogram"].push_back(
          {{"from", bin.low}, {"to", bin.high}, {"share", to_json(bin.share)}});
    }
    for (const auto& [tokens, ranks] : method.by_length) {
      std::vector<double> sorted = ranks;
      std::ranges::sort(sorted);
      Json& box = one["rank_by_name_tokens"][std::to_string(tokens)];
      box["queries"] = sorted.size();
      for (const int percent : {5, 25, 50, 75, 95}) {
        box["percentile_" + std::to_string(percent)] = quantile(sorted, percent / 100.0);
      }
    }
    for (const auto& [relation, metrics] : method.by_relation) {
      one["relations"][relation] = to_json(metrics);
    }
  }
  for (const MethodAgreement& agreement : made.agreements) {
    json["agreement"].push_back(
        {{"methods", {made.methods[agreement.one].name, made.methods[agreement.other].name}},
         {"queries", agreement.shared.size()},
         {"log_rank", to_json(agreement.log_rank)},
         {"rank", to_json(agreement.rank)}});
  }
  return json;
}

}  // namespace plumb
