// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of several models ranks the true entity highest, for each method?
//
// Two models are compared on the queries that both ranked against the same number of candidates.
// Two queries are the same if they agree in part, line, relation and direction (head or tail). A
// difference is the mean over these queries of the first model's value minus the second's; its
// interval comes from a percentile bootstrap over queries. The rank used is the raw, realistic one:
// the middle of a tie, among all candidates.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/rank/rank_results.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One model's run, with the metrics of its ranks already computed.
struct RankedModel {
  std::string name;
  std::vector<RankedMethod> methods;
  /// Agreement between pairs of methods.
  std::vector<MethodAgreement> agreements{};
  /// The family (a group of models that differ in size) and the number of parameters, if known.
  std::string family{};
  std::optional<double> parameters{};
};

/// How one measure of a method changes with model size within a family.
struct SizeSeries {
  std::string family;
  std::string method;
  /// A key of rank_columns.
  std::string measure;
  /// Indices of at least two models, in ascending order of size.
  std::vector<std::size_t> models;
  /// Whether every model's value is at least as high as that of each smaller model.
  bool monotone = false;
};

/// One model under one method: the index of the model, and the index of the method in that model's
/// list.
struct RankStanding {
  std::size_t model = 0;
  std::size_t method = 0;
};

/// Two models under one method, compared on their shared queries.
struct RankDifference {
  std::size_t first = 0, second = 0;
  std::size_t queries = 0;
  /// The numbers of queries for which the first model ranks the true entity higher, for which the
  /// second model ranks it higher, and for which both rank it equally.
  std::size_t first_higher = 0, second_higher = 0, equal = 0;
  Estimate mean_reciprocal_rank, hits_at_1, hits_at_10;
  TestedCorrelation log_rank;
};

struct MethodComparison {
  std::string method;
  /// Ordered from the highest mean reciprocal rank to the lowest.
  std::vector<RankStanding> standings;
  /// Pairs in the order of the standings. Pairs that share no query or have undecided ranks are
  /// left out.
  std::vector<RankDifference> differences;
};

struct RankComparison {
  std::vector<RankedModel> models;
  std::vector<MethodComparison> methods;
  /// Series of Hit@1, Hit@10, Hit@100 and MRR for each family that has models of several sizes.
  std::vector<SizeSeries> sizes{};
  Bootstrap bootstrap{};
  std::vector<std::string> remarks{};

  /// The fraction of series that are monotone; `no_number` if there are no series.
  [[nodiscard]] double monotone_share() const {
    const auto monotone = ranges::count(sizes, true, &SizeSeries::monotone);
    return sizes.empty() ? no_number
                         : static_cast<double>(monotone) / static_cast<double>(sizes.size());
  }
  [[nodiscard]] const RankedMethod& ranked(const RankStanding& standing) const {
    return models[standing.model].methods[standing.method];
  }
};

/// Throws the same errors as shared_queries.
[[nodiscard]] inline RankDifference rank_difference(const RankedMethod& one,
                                                    const RankedMethod& other,
                                                    const Bootstrap& bootstrap) {
  RankDifference made;
  Stratum reciprocal, first, tenth;
  std::vector<double> log_one, log_other;
  for (const auto& [i, j] : shared_queries(one.ranks, other.ranks)) {
    const Rank& mine = one.ranks[i].raw;
    const Rank& theirs = other.ranks[j].raw;
    const double a = mine.realistic(), b = theirs.realistic();
    ++made.queries;
    ++(a < b ? made.first_higher : a > b ? made.second_higher : made.equal);
    reciprocal.values.push_back(1 / a - 1 / b);
    first.values.push_back(mine.hit(1, Ties::realistic) - theirs.hit(1, Ties::realistic));
    tenth.values.push_back(mine.hit(10, Ties::realistic) - theirs.hit(10, Ties::realistic));
    log_one.push_back(std::log(a));
    log_other.push_back(std::log(b));
  }
  if (made.queries == 0) return made;
  made.mean_reciprocal_rank = bootstrap_mean({reciprocal}, bootstrap, "rank difference/mrr");
  made.hits_at_1 = bootstrap_mean({first}, bootstrap, "rank difference/hit 1");
  made.hits_at_10 = bootstrap_mean({tenth}, bootstrap, "rank difference/hit 10");
  made.log_rank = tested(log_one, log_other);
  return made;
}

/// Source: DEER, section 5.1, which examines whether a probe's scores grow with model size.
[[nodiscard]] inline std::vector<SizeSeries> size_series(const RankComparison& made) {
  using Value = std::pair<const char*, double (*)(const RankMetrics&)>;
  constexpr std::array<Value, 4> measures{
      Value{"hits_at_1", [](const RankMetrics& m) { return m.hits.at(1).value; }},
      Value{"hits_at_10", [](const RankMetrics& m) { return m.hits.at(10).value; }},
      Value{"hits_at_100", [](const RankMetrics& m) { return m.hits.at(100).value; }},
      Value{"mean_reciprocal_rank",
            [](const RankMetrics& m) { return m.mean_reciprocal_rank.value; }}};
  std::vector<SizeSeries> all;
  for (const MethodComparison& of : made.methods) {
    std::map<std::string, std::vector<RankStanding>> families;
    for (const RankStanding& one : of.standings) {
      const RankedModel& model = made.models[one.model];
      if (model.parameters && !model.family.empty()) families[model.family].push_back(one);
    }
    for (auto& [family, standings] : families) {
      if (standings.size() < 2) continue;
      ranges::stable_sort(standings, {}, [&](const RankStanding& one) {
        return *made.models[one.model].parameters;
      });
      if (*made.models[standings.front().model].parameters ==
          *made.models[standings.back().model].parameters) {
        continue;  // all models have the same size
      }
      for (const auto& [measure, value] : measures) {
        SizeSeries series{family, of.method, measure, {}, true};
        double size = 0, of_smaller = -1,
               of_size = -1;  // the highest value of all smaller models, and of models of this size
        for (const RankStanding& one : standings) {
          const double mine = value(made.ranked(one).realistic());
          if (std::isnan(mine)) continue;
          if (*made.models[one.model].parameters > size) {
            size = *made.models[one.model].parameters;
            of_smaller = (std::max)(of_smaller, of_size);
          }
          series.models.push_back(one.model);
          series.monotone = series.monotone && mine >= of_smaller;
          of_size = (std::max)(of_size, mine);
        }
        if (series.models.size() > 1) all.push_back(std::move(series));
      }
    }
  }
  return all;
}

/// Compares at least two measured models. Throws the same errors as shared_queries, and a user
/// error if no two of the models share a method and a query.
[[nodiscard]] inline RankComparison compare_ranks(std::vector<RankedModel> models,
                                                  const Bootstrap& bootstrap) {
  RankComparison made{.models = std::move(models), .methods = {}, .bootstrap = bootstrap};
  for (std::size_t m = 0; m < made.models.size(); ++m) {
    const std::vector<RankedMethod>& ranked = made.models[m].methods;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      auto known = ranges::find(made.methods, ranked[i].name, &MethodComparison::method);
      if (known == made.methods.end()) {
        made.methods.push_back({ranked[i].name, {}, {}});
        known = made.methods.end() - 1;
      }
      known->standings.push_back({m, i});
    }
  }
  std::string apart, alone;
  for (MethodComparison& of : made.methods) {
    ranges::stable_sort(of.standings, {}, [&](const RankStanding& one) {
      return -or_lowest(made.ranked(one).realistic().mean_reciprocal_rank.value);
    });
    if (of.standings.size() == 1) {
      add_to_list(alone, of.method + " (" + made.models[of.standings[0].model].name + ")");
    }
    for (std::size_t i = 0; i < of.standings.size(); ++i) {
      for (std::size_t j = i + 1; j < of.standings.size(); ++j) {
        const RankStanding &one = of.standings[i], &other = of.standings[j];
        const RankedMethod &mine = made.ranked(one), &theirs = made.ranked(other);
        if (!is_decided(mine) || !is_decided(theirs)) continue;
        RankDifference difference = rank_difference(mine, theirs, bootstrap);
        if (difference.queries < mine.ranks.size() || difference.queries < theirs.ranks.size()) {
          add_to_list(apart, made.models[one.model].name + " and " + made.models[other.model].name +
                                 " by " + of.method + " (" + std::to_string(difference.queries) +
                                 " shared)");
        }
        if (difference.queries == 0) continue;
        difference.first = one.model;
        difference.second = other.model;
        of.differences.push_back(std::move(difference));
      }
    }
  }
  made.sizes = size_series(made);
  const bool shares = ranges::any_of(
      made.methods, [](const MethodComparison& of) { return of.standings.size() > 1; });
  const bool undecided = ranges::any_of(made.models, [](const RankedModel& model) {
    return ranges::any_of(model.methods,
                          [](const RankedMethod& method) { return !is_decided(method); });
  });
  const bool compares = ranges::any_of(
      made.methods, [](const MethodComparison& of) { return !of.differences.empty(); });
  if (!shares || (!compares && !undecided)) {
    throw user_error({.field = "RUN"},
                     shares ? "the runs share no query with the same number of "
                              "candidates"
                            : "the runs share no method",
                     "choose runs that ranked the same queries of one graph by the same method");
  }
  if (!apart.empty()) {
    made.remarks.push_back(
        "Different queries or candidates: " + apart +
        ". A model's row covers its own queries; a difference covers only the shared ones.");
  }
  if (!alone.empty()) made.remarks.push_back("Methods used by only one model: " + alone + ".");
  for (const RankedModel& model : made.models) {
    for (const RankedMethod& method : model.methods) {
      if (is_decided(method)) continue;
      made.remarks.push_back(model.name + ": some searches by " + method.name +
                             " ended before the rank was certain, so no differences are reported.");
    }
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
