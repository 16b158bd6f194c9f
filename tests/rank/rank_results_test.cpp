// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/rank_results.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/records/ranking_rows.hpp"
#include "support/errors.hpp"
#include "support/measured_folders.hpp"
#include "support/near.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::all_methods;
using test::near;
using test::ranked;
using test::RankFolder;
using test::results;
using test::says;
using test::SmallRanking;

BOOST_AUTO_TEST_SUITE(rank_results_suite)

namespace {

using Words = std::vector<std::string>;
using Numbers = std::vector<double>;

const RankMetrics& realistic(const std::array<RankMetrics, 3>& metrics) {
  return metrics[static_cast<std::size_t>(Ties::realistic)];
}

/// Pearson's r, computed from its definition.
double correlation(const Numbers& x, const Numbers& y) {
  const auto n = static_cast<double>(x.size());
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    syy += y[i] * y[i];
    sxy += x[i] * y[i];
  }
  return (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
}

Numbers logs(Numbers values) {
  for (double& value : values) value = std::log(value);
  return values;
}

const Numbers deer{1, 2, 4, 5, 10, 20}, likelihood{1, 1, 2.5, 4, 5, 10};
const Numbers single{1, 3, 2}, lm_head{2, 5, 1};

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_method_is_measured_raw_and_filtered, SmallRanking) {
  const RankResults made = results(*this);
  BOOST_REQUIRE(made.methods.size() == 4U);
  const RankedMethod& method = made.methods[0];
  BOOST_TEST(method.name == "deer");
  BOOST_TEST(method.ranks.size() == 6U);
  const RankMetrics& raw = realistic(method.raw);
  BOOST_TEST(raw.queries == 6U);
  BOOST_TEST(raw.tied == 0U);
  BOOST_TEST(near(raw.mean_rank.value, 7.0));              // (1 + 2 + 4 + 5 + 10 + 20) / 6
  BOOST_TEST(near(raw.mean_reciprocal_rank.value, 0.35));  // 2.1 / 6
  BOOST_TEST(near(raw.adjusted_mean_rank_index.value, 1 - 6 / 9.5));
  BOOST_TEST(near(raw.hit_at(1).value, 1.0 / 6));
  BOOST_TEST(near(raw.hit_at(3).value, 2.0 / 6));
  BOOST_TEST(near(raw.hit_at(10).value, 5.0 / 6));
  BOOST_TEST(raw.hit_at(100).count == 0U);  // there are 20 candidates
  // Filtering changes only line 5, which then has rank 6 among 16 candidates.
  const RankMetrics& filtered = realistic(method.filtered);
  BOOST_TEST(near(filtered.mean_rank.value, 38.0 / 6));
  BOOST_TEST(near(filtered.mean_reciprocal_rank.value, (2.0 + 1.0 / 6) / 6));
  BOOST_TEST(
      near(filtered.adjusted_mean_rank_index.value, 1 - (38.0 / 6 - 1) / ((5 * 9.5 + 7.5) / 6)));
  BOOST_TEST(near(filtered.hit_at(10).value, 5.0 / 6));
  BOOST_TEST(near(realistic(made.methods[3].raw).mean_rank.value, 8.0 / 3));
}

BOOST_FIXTURE_TEST_CASE(tie_policy_determines_the_mean_rank, SmallRanking) {
  const RankedMethod method = results(*this).methods[1];
  const auto mean = [&](Ties ties) {
    return method.raw[static_cast<std::size_t>(ties)].mean_rank.value;
  };
  BOOST_TEST(near(mean(Ties::optimistic), 23.0 / 6));
  BOOST_TEST(near(mean(Ties::realistic), 23.5 / 6));
  BOOST_TEST(near(mean(Ties::pessimistic), 24.0 / 6));
  BOOST_TEST(realistic(method.raw).tied == 1U);
}

BOOST_FIXTURE_TEST_CASE(relations_are_measured_by_themselves, SmallRanking) {
  const RankedMethod method = results(*this).methods[0];
  BOOST_REQUIRE(method.by_relation.size() == 2U);
  BOOST_TEST(near(method.by_relation.at("next").mean_rank.value, 7.0 / 3));
  BOOST_TEST(method.by_relation.at("next").queries == 3U);
  BOOST_TEST(near(method.by_relation.at("<symbol>").mean_rank.value, 35.0 / 3));
}

BOOST_AUTO_TEST_CASE(head_queries_are_relations_of_their_own) {
  RankFolder folder;
  auto head = ranked(1, "next", 4, 1);
  head.asks_head = true;
  folder.method("deer", {ranked(1, "next", 0, 1), head});
  const RankResults made = results(folder, {"deer"});
  const auto& relations = made.methods[0].by_relation;
  BOOST_REQUIRE(relations.size() == 2U);
  BOOST_TEST(near(relations.at("next").mean_rank.value, 1));
  BOOST_TEST(near(relations.at("inverse of next").mean_rank.value, 5));
}

// Only the two pairs of methods checked below rank the same queries among the same number of
// candidates.
BOOST_FIXTURE_TEST_CASE(methods_are_compared_on_the_queries_and_candidates_they_share,
                        SmallRanking) {
  const RankResults made = results(*this);
  BOOST_REQUIRE(made.agreements.size() == 2U);
  const auto check = [&](const MethodAgreement& agreement, std::size_t one, std::size_t other,
                         const Numbers& x, const Numbers& y) {
    BOOST_TEST(agreement.one == one);
    BOOST_TEST(agreement.other == other);
    BOOST_TEST(agreement.shared.size() == x.size());
    BOOST_TEST(near(agreement.rank.r.value, correlation(x, y)));
    BOOST_TEST(near(agreement.log_rank.r.value, correlation(logs(x), logs(y))));
    BOOST_TEST(agreement.rank.r.count == x.size());
    BOOST_TEST(agreement.rank.p.has_value());
  };
  check(made.agreements[0], 0, 1, deer, likelihood);
  check(made.agreements[1], 2, 3, single, lm_head);
  // r = 0.96929836 over six pairs gives t = 7.88407828 with four degrees of freedom, for which the
  // distribution function is 1/2 + 3/8 u (1 − u²/12), u = t / √(1 + t²/4).
  BOOST_TEST(std::abs(made.agreements[0].log_rank.p.value() - 0.00139941649) < 1e-10);
}

// If all candidates of a relation have one-token names, the full and the narrowed candidate sets
// have the same size. Even then, methods with narrowed candidate sets are compared only with one
// another, unless the ranking narrows no candidate set.
BOOST_AUTO_TEST_CASE(methods_that_rank_among_fewer_are_compared_among_themselves) {
  RankFolder folder;
  const Words names{"deer", "deer-single-token", "likelihood", "lm-head", "deer-a-single-token"};
  for (std::size_t m = 0; m < names.size(); ++m) {
    std::vector<EntityRank> ranks;
    for (std::size_t line = 1; line <= 4; ++line) {
      ranks.push_back(ranked(line, "in", (line * (m + 2)) % 5, 1, 5));
    }
    folder.method(names[m], ranks);
  }
  const auto pairs = [&](bool narrowed) {
    std::vector<std::pair<std::size_t, std::size_t>> all_pairs;
    for (const MethodAgreement& one : results(folder, names, narrowed).agreements) {
      all_pairs.emplace_back(one.one, one.other);
    }
    return all_pairs;
  };
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  BOOST_TEST((pairs(true) == Pairs{{0, 2}, {1, 3}, {1, 4}, {3, 4}}));
  BOOST_TEST(pairs(false).size() == 10U);
  const RankResults made = results(folder, names);
  for (std::size_t m = 0; m < names.size(); ++m) {
    BOOST_TEST(made.methods[m].narrowed == (m == 1 || m > 2), names[m]);
    BOOST_TEST(!results(folder, names, false).methods[m].narrowed, names[m]);
  }
}

BOOST_AUTO_TEST_CASE(queries_are_the_same_by_part_line_and_side) {
  RankFolder folder;
  const std::vector<std::size_t> above{0, 3, 5, 9};
  std::vector<EntityRank> one, other;
  for (std::size_t i = 0; i < above.size(); ++i) {
    one.push_back(ranked(i + 1, "next", above[i], 1));
    other.push_back(ranked(above.size() - i, "next", 2 * above[i], 1));  // in another order
  }
  other.push_back(ranked(9, "next", 1, 1));
  auto of_valid = ranked(1, "next", 7, 1);
  of_valid.part = "valid";
  auto head = ranked(2, "next", 8, 1);
  head.asks_head = true;
  one.push_back(of_valid);
  one.push_back(head);
  folder.method("a", one);
  folder.method("b", other);
  const RankResults made = results(folder, {"a", "b"});
  BOOST_REQUIRE(made.agreements.size() == 1U);
  const MethodAgreement& agreement = made.agreements[0];
  BOOST_REQUIRE(agreement.shared.size() == 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(agreement.shared[i].first == i);
    BOOST_TEST(agreement.shared[i].second == 3 - i);
  }
  BOOST_TEST(near(agreement.rank.r.value, correlation({1, 4, 6, 10}, {19, 11, 7, 1})));
}

BOOST_FIXTURE_TEST_CASE(ranks_are_held_against_the_length_of_the_name, SmallRanking) {
  const RankResults made = results(*this);
  const Numbers tokens{1, 1, 2, 3, 5, 9};
  BOOST_TEST(near(made.methods[0].length.r.value, correlation(tokens, deer)));
  BOOST_TEST(near(made.methods[1].length.r.value, correlation(tokens, likelihood)));
  BOOST_TEST(near(made.methods[0].length.p.value(), p_value(correlation(tokens, deer), 6).value()));
  // If all names consist of one token, ranks cannot correlate with length.
  RankFolder folder;
  folder.method("deer", {ranked(1, "a", 0, 1), ranked(2, "a", 1, 1), ranked(3, "a", 5, 1)});
  const RankResults none = results(folder, {"deer"});
  BOOST_TEST(none.methods[0].length.r.count == 0U);
  BOOST_TEST(!none.methods[0].length.p.has_value());
}

BOOST_FIXTURE_TEST_CASE(ranks_are_counted_in_bins_up_to_the_candidates, SmallRanking) {
  const RankResults made = results(*this);
  const auto check = [](const RankedMethod& method, const std::vector<RankBin>& expected) {
    BOOST_REQUIRE(method.histogram.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const RankBin& bin = method.histogram[i];
      BOOST_TEST(bin.low == expected[i].low);
      BOOST_TEST(bin.high == expected[i].high);
      BOOST_TEST(near(bin.share.value, expected[i].share.value));
      BOOST_TEST(bin.share.count == method.ranks.size());
      BOOST_TEST(bin.share.method == "wilson");
    }
  };
  const auto share = [](double value) { return Estimate{value, 0, 0, 0, ""}; };
  // The ranks fall into these groups: 1 | 2 | 4, 5, 10 | 20.
  check(made.methods[0], {{1, 1, share(1.0 / 6)},
                          {2, 3, share(1.0 / 6)},
                          {4, 10, share(3.0 / 6)},
                          {11, 20, share(1.0 / 6)}});
  BOOST_TEST(made.methods[0].candidates == 20U);
  // The ranks fall into these groups: 1, 1 | 2.5 | 4, 5, 10 | none.
  check(made.methods[1], {{1, 1, share(2.0 / 6)},
                          {2, 3, share(1.0 / 6)},
                          {4, 10, share(3.0 / 6)},
                          {11, 20, share(0)}});
  // The ranks are 2, 5 and 1 among five candidates.
  check(made.methods[3], {{1, 1, share(1.0 / 3)}, {2, 3, share(1.0 / 3)}, {4, 5, share(1.0 / 3)}});
  BOOST_TEST(made.methods[3].candidates == 5U);
}

BOOST_FIXTURE_TEST_CASE(ranks_are_grouped_by_name_length, SmallRanking) {
  const std::map<std::size_t, Numbers> expected{
      {1, {1, 2}}, {2, {4}}, {3, {5}}, {5, {10}}, {8, {20}}};
  const RankResults made = results(*this);
  BOOST_TEST((made.methods[0].by_length == expected));  // nine tokens count as eight
}

BOOST_FIXTURE_TEST_CASE(a_search_that_ended_early_has_no_mean_and_no_correlation, SmallRanking) {
  auto cut = ranked(2, "next", 5, 1);
  cut.undecided = 9;
  method("cut", {ranked(1, "next", 0, 1), cut, ranked(3, "next", 2, 2)});
  const RankResults made = results(*this, {"deer", "cut"});
  BOOST_TEST(made.agreements.empty());
  const RankedMethod& method = made.methods[1];
  BOOST_TEST(realistic(method.raw).undecided == 1U);
  BOOST_TEST(realistic(method.raw).mean_rank.count == 0U);
  BOOST_TEST(method.length.r.count == 0U);
  BOOST_TEST(method.histogram.empty());
  BOOST_TEST(method.by_length.empty());
  BOOST_TEST(method.candidates == 20U);
  // a rank of 6 or more is not a hit at 3
  BOOST_TEST(near(realistic(method.raw).hit_at(3).value, 2.0 / 3));
  // but a rank of 6 … 15 may be a hit at 10
  BOOST_TEST(realistic(method.raw).hit_at(10).count == 0U);
  BOOST_TEST(
      (made.remarks ==
       Words{"cut: 1 of 3 searches ended before the rank was certain: mean ranks, correlations and "
             "Hit@k at larger k are not reported. The mean rank is between 3.3 and 6.3."}));
  const Words ties = results(*this).remarks;
  BOOST_REQUIRE(ties.size() == 1U);
  BOOST_TEST(ties[0].starts_with("likelihood: Warning: the true entities of 1 of 6 queries"));
}

BOOST_FIXTURE_TEST_CASE(methods_are_compared_within_each_relation_too, SmallRanking) {
  const RankResults made = results(*this);
  const auto& relations = made.agreements.at(0).by_relation;
  BOOST_REQUIRE(relations.size() == 2U);
  const auto check = [&](const std::string& relation, const Numbers& x, const Numbers& y) {
    const TestedCorrelation& tested = relations.at(relation);
    BOOST_TEST(tested.queries == 3U);
    BOOST_TEST(tested.r.count == 3U);
    BOOST_TEST(near(tested.r.value, correlation(x, y)), relation);
    BOOST_TEST(near(tested.p.value(), p_value(correlation(x, y), 3).value()), relation);
  };
  check("next", {1, 2, 4}, {1, 1, 2.5});
  check("<symbol>", {5, 10, 20}, {4, 5, 10});
  BOOST_TEST(made.agreements[0].rank.queries == 6U);
  BOOST_TEST(made.agreements[0].log_rank.queries == 6U);
  // The two methods of the other pair share no query of the second relation.
  const auto& alone = made.agreements.at(1).by_relation;
  BOOST_REQUIRE(alone.size() == 1U);
  BOOST_TEST(near(alone.at("next").r.value, correlation(single, lm_head)));
}

// No correlation is defined for two queries, nor for ranks that are all equal.
BOOST_AUTO_TEST_CASE(a_relation_too_small_for_a_correlation_has_its_count_alone) {
  RankFolder folder;
  std::vector<EntityRank> one, other;
  for (std::size_t line = 1; line <= 9; ++line) {
    const char* relation = line < 3 ? "few" : line < 6 ? "level" : "some";
    one.push_back(ranked(line, relation, line < 6 && line > 2 ? 4 : line, 1));
    other.push_back(ranked(line, relation, 2 * line % 7, 1));
  }
  auto head = ranked(1, "few", 3, 1);
  head.asks_head = true;
  one.push_back(head);
  other.push_back(head);
  folder.method("a", one);
  folder.method("b", other);
  const RankResults made = results(folder, {"a", "b"});
  const auto& relations = made.agreements.at(0).by_relation;
  const auto counts = [&](const std::string& relation) {
    return std::pair(relations.at(relation).queries, relations.at(relation).r.count);
  };
  BOOST_TEST(relations.size() == 4U);
  BOOST_TEST((counts("few") == std::pair<std::size_t, std::size_t>(2, 0)));
  BOOST_TEST((counts("level") == std::pair<std::size_t, std::size_t>(3, 0)));
  BOOST_TEST((counts("some") == std::pair<std::size_t, std::size_t>(4, 4)));
  BOOST_TEST((counts("inverse of few") == std::pair<std::size_t, std::size_t>(1, 0)));
  BOOST_TEST(!relations.at("few").p.has_value());
  BOOST_TEST(near(relations.at("some").r.value, correlation({7, 8, 9, 10}, {6, 1, 3, 5})));
}

// In a closed-set dataset, line numbers restart in each relation's file.
BOOST_AUTO_TEST_CASE(a_line_is_another_query_in_another_relation) {
  RankFolder folder;
  folder.method("a", {ranked(1, "x", 0, 1), ranked(2, "x", 1, 1), ranked(1, "y", 2, 1),
                      ranked(2, "y", 5, 1)});
  folder.method("b", {ranked(1, "y", 7, 1), ranked(2, "y", 8, 1), ranked(2, "x", 3, 1),
                      ranked(1, "x", 9, 1)});
  const RankResults made = results(folder, {"a", "b"});
  BOOST_REQUIRE(made.agreements.size() == 1U);
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  BOOST_TEST((made.agreements[0].shared == Pairs{{0, 3}, {1, 2}, {2, 0}, {3, 1}}));
  BOOST_TEST(near(made.agreements[0].rank.r.value, correlation({1, 2, 3, 6}, {10, 4, 8, 9})));
}

BOOST_AUTO_TEST_CASE(wordings_are_deer_by_each_entity_prompt_among_all_candidates) {
  RankResults made;
  for (const char* name : {"likelihood", "deer-a", "deer-a-single-token", "deer",
                           "deer-single-token", "deer-c", "lm-head"}) {
    made.methods.emplace_back().name = name;
  }
  BOOST_TEST((entity_wordings(made) == std::vector<std::size_t>{1, 3, 5}));
  made.methods.resize(1);
  BOOST_TEST(entity_wordings(made).empty());
}

// The reciprocal ranks sum to 2.1, 2.5 and 1.1. The hits at 1 are 1, 2 and 0 of 6; the hits at 3
// are 2, 2 and 1; the hits at 10 are 5, 4 and 6.
BOOST_FIXTURE_TEST_CASE(wordings_differ_from_the_lowest_to_the_highest, SmallRanking) {
  const auto wording = [&](const char* name, const std::vector<std::size_t>& ranks) {
    std::vector<EntityRank> lines;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      lines.push_back(ranked(i + 1, "next", ranks[i] - 1, 1));
    }
    method(name, lines);
  };
  wording("deer-b", {1, 1, 5, 5, 20, 20});
  wording("deer-c", {2, 10, 10, 10, 5, 10});
  method("deer-b-single-token", {ranked(1, "next", 0, 1, 5)});
  const std::map<std::string, double> differences = wording_differences(
      results(*this, {"deer", "likelihood", "deer-b", "deer-c", "deer-b-single-token"}));
  BOOST_REQUIRE(differences.size() == 4U);  // with 20 candidates there is no Hit@100
  BOOST_TEST(near(differences.at("MRR"), 2.5 / 6 - 1.1 / 6));
  BOOST_TEST(near(differences.at("Hit@1"), 2.0 / 6));
  BOOST_TEST(near(differences.at("Hit@3"), 1.0 / 6));
  BOOST_TEST(near(differences.at("Hit@10"), 2.0 / 6));
  // With a single wording, there are no differences.
  for (const auto& [name, difference] : wording_differences(results(*this))) {
    BOOST_TEST(difference == 0.0, name);
  }
}

BOOST_FIXTURE_TEST_CASE(bootstrap_intervals_depend_only_on_the_seed, SmallRanking) {
  const auto interval = [&](std::uint64_t seed) {
    const auto made = rank_results(read_ranked_methods(path(), all_methods, true),
                                   {.seed = seed, .resamples = 50});
    const Estimate& mean = realistic(made.methods[0].raw).mean_rank;
    return std::pair(mean.low, mean.high);
  };
  BOOST_TEST((interval(3) == interval(3)));
  BOOST_TEST((interval(3) != interval(4)));
}

BOOST_FIXTURE_TEST_CASE(files_that_are_missing_or_damaged_are_refused, SmallRanking) {
  BOOST_CHECK_EXCEPTION((void)results(*this, {"deer", "lm"}), Error,
                        says(Fault::user, "lm_ranks.jsonl: cannot be read"));
  files().write("lm_ranks.jsonl", row_line(ranked(1, "next", 0, 1)) + "{\"part\": 3}\n");
  BOOST_CHECK_EXCEPTION(
      (void)results(*this, {"deer", "lm"}), Error,
      says(Fault::user,
           "lm_ranks.jsonl:2: is not a rank; the file was changed; restore it, or "
           "rank again"));
}

BOOST_AUTO_TEST_SUITE_END()
