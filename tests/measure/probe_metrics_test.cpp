// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/probe_metrics.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(probe_metrics_suite)

namespace {

/// The ranks of each fact under each template; rank 1 is a correct answer.
using Ranks = std::vector<std::vector<std::size_t>>;

RelationAnswers empty_relation(const std::string& code, std::vector<std::string> domains,
                               std::size_t options, std::size_t templates) {
  RelationAnswers made;
  made.relation.code = code;
  made.relation.domains = std::move(domains);
  made.relation.cardinality = Cardinality::many_to_one;
  made.relation.options.resize(options);
  for (std::size_t t = 0; t < templates; ++t) made.settings.push_back(template_setting(t));
  return made;
}

RelationAnswers relation(const std::string& code, std::vector<std::string> domains,
                         std::size_t options, const Ranks& ranks) {
  RelationAnswers made = empty_relation(code, std::move(domains), options, ranks.front().size());
  std::vector<double> scores(options);
  for (std::size_t i = 0; i < options; ++i) scores[i] = -static_cast<double>(i);
  for (const auto& rows : ranks) {
    made.relation.facts.emplace_back();
    for (const std::size_t rank : rows) made.cells.push_back(predict(scores, rank - 1));
  }
  return made;
}

ProbeMetrics metrics(const std::vector<RelationAnswers>& relations,
                     const Bootstrap& bootstrap = {}) {
  return probe_metrics(under_all_templates(relations), bootstrap, "all");
}

// In capital, two of four facts are answered correctly, with five options and two domains. In
// river, two of two are answered correctly, with two options.
std::vector<RelationAnswers> two_relations() {
  return {relation("capital", {"Geography", "Politics"}, 5, {{1}, {1}, {2}, {5}}),
          relation("river", {"Geography"}, 2, {{1}, {1}})};
}

}  // namespace

BOOST_AUTO_TEST_CASE(overall_counts_facts_and_the_unweighted_one_relations) {
  const ProbeMetrics m = metrics(two_relations());
  BOOST_TEST(m.overall.relations == 2U);
  BOOST_TEST(m.overall.facts == 6U);
  BOOST_TEST(near(m.overall.accuracy.value, 4.0 / 6));
  BOOST_TEST(near(m.overall_unweighted.accuracy.value, (0.5 + 1.0) / 2));
  BOOST_TEST(near(m.overall.mean_rank.value, (1 + 1 + 2 + 5 + 1 + 1) / 6.0));
  BOOST_TEST(near(m.overall_unweighted.mean_rank.value, (9.0 / 4 + 1) / 2));
  BOOST_TEST(near(m.overall.mean_reciprocal_rank.value, (1 + 1 + 0.5 + 0.2 + 1 + 1) / 6));
  BOOST_TEST(near(m.overall_unweighted.mean_reciprocal_rank.value, (2.7 / 4 + 1) / 2));
}

BOOST_AUTO_TEST_CASE(relations_stand_in_the_order_of_the_run) {
  const ProbeMetrics m = metrics(two_relations());
  BOOST_TEST(m.relations.size() == 2U);
  BOOST_TEST(m.relations[0].first == "capital");
  BOOST_TEST(m.relations[0].second.accuracy.value == 0.5);
  BOOST_TEST(m.relations[1].first == "river");
  BOOST_TEST(m.relations[1].second.accuracy.value == 1.0);
}

BOOST_AUTO_TEST_CASE(hits_never_fall_with_k_and_are_absent_past_the_options) {
  const ProbeMetrics m = metrics(two_relations());
  BOOST_TEST(near(m.overall.hit_at(1).value, 4.0 / 6));  // Hit@1
  // Hit@3: river has only two options, so its facts are always hits
  BOOST_TEST(near(m.overall.hit_at(3).value, 5.0 / 6));
  BOOST_TEST(m.overall.hit_at(3).count == 6U);
  BOOST_TEST(m.overall.hit_at(5).value == 1.0);  // Hit@5: capital has five options
  BOOST_TEST(m.overall.hit_at(10).count == 0U);  // Hit@10: no relation has ten
  BOOST_TEST(m.relations[1].second.hit_at(3).count == 0U);
  BOOST_TEST(near(m.overall_unweighted.hit_at(3).value, (0.75 + 1.0) / 2));
}

BOOST_AUTO_TEST_CASE(a_relation_of_two_domains_counts_in_both) {
  const ProbeMetrics m = metrics(two_relations());
  BOOST_TEST(m.domains.size() == 2U);
  const auto& [geography, divided, unused] = m.domains.at("Geography");
  BOOST_TEST(geography.facts == 6U);
  BOOST_TEST(near(geography.accuracy.value, 4.0 / 6));
  // As in lm-pub-quiz, capital's support of 4 is divided by its 2 domains, and river's support of 2
  // by 1.
  BOOST_TEST(near(divided.value, (2 * 0.5 + 2 * 1.0) / 4));
  BOOST_TEST(divided.method == "clustered wilson");
  const auto& [politics, politics_divided, unused_too] = m.domains.at("Politics");
  BOOST_TEST(politics.facts == 4U);
  BOOST_TEST(politics.accuracy.value == 0.5);
  BOOST_TEST(politics_divided.value == 0.5);
}

BOOST_AUTO_TEST_CASE(a_domain_that_is_listed_twice_counts_once) {
  const ProbeMetrics once = metrics({relation("a", {"Geography"}, 3, {{1}, {2}})});
  const ProbeMetrics twice = metrics({relation("a", {"Geography", "Geography"}, 3, {{1}, {2}})});
  BOOST_TEST(twice.domains.at("Geography").metrics.facts == 2U);
  BOOST_TEST(twice.domains.at("Geography").metrics.accuracy.high ==
             once.domains.at("Geography").metrics.accuracy.high);
}

BOOST_AUTO_TEST_CASE(relations_without_domains_are_in_none) {
  const ProbeMetrics m = metrics({relation("a", {}, 3, {{1}})});
  BOOST_TEST(m.domains.empty());
  BOOST_TEST(m.overall.facts == 1U);
}

BOOST_AUTO_TEST_CASE(cardinality_parts_the_relations) {
  auto relations = two_relations();
  relations[1].relation.cardinality = Cardinality::one_to_one;
  const ProbeMetrics m = metrics(relations);
  BOOST_TEST(m.cardinality.size() == 2U);
  BOOST_TEST(m.cardinality.at("1:1").facts == 2U);
  BOOST_TEST(m.cardinality.at("1:1").accuracy.value == 1.0);
  BOOST_TEST(m.cardinality.at("N:1").accuracy.value == 0.5);
}

BOOST_AUTO_TEST_CASE(one_template_has_wilsons_interval) {
  const ProbeMetrics m = metrics(two_relations());
  const Estimate expected = wilson(4, 6);
  BOOST_TEST(m.overall.accuracy.method == "wilson");
  BOOST_TEST(m.overall.accuracy.low == expected.low);
  BOOST_TEST(m.overall.accuracy.high == expected.high);
  BOOST_TEST(m.overall.hit_at(3).low == wilson(5, 6).low);
  // A mean rank is not a proportion, so its interval is bootstrapped. A mean over relations is a
  // proportion computed from clusters of facts.
  BOOST_TEST(m.overall.mean_rank.method == "bootstrap");
  BOOST_TEST(m.overall_unweighted.accuracy.method == "clustered wilson");
}

// Two facts under two templates have the proportions 1 and ½, so the accuracy is ¾ over two facts.
// The ends of Wilson's interval solve (¾ − p)² = z² p (1 − p) / 2.
BOOST_AUTO_TEST_CASE(several_templates_are_averaged_within_a_fact) {
  const ProbeMetrics m = metrics({relation("a", {}, 4, {{1, 1}, {1, 4}})});
  BOOST_TEST(m.overall.accuracy.value == 0.75);
  BOOST_TEST(m.overall.accuracy.count == 2U);
  BOOST_TEST(m.overall.accuracy.method == "wilson");
  for (const double end : {m.overall.accuracy.low, m.overall.accuracy.high}) {
    const double z = 1.959963984540054;
    BOOST_TEST(near((0.75 - end) * (0.75 - end), z * z * end * (1 - end) / 2));
  }
  BOOST_TEST(m.overall.accuracy.low < 0.75);
  BOOST_TEST(m.overall.accuracy.high > 0.75);
  BOOST_TEST(m.overall.mean_rank.value == (1 + 2.5) / 2);
  BOOST_TEST(m.overall.hit_at(3).value == 0.75);
}

// For the accuracy, fact 0 counts as ½ and 1 under the two templates, and fact 1 as 0 and 1. If the
// first of the tied options were taken as the answer, fact 0 would count as 1 and 1, and fact 1 as
// 0 and 1.
BOOST_AUTO_TEST_CASE(ties_are_counted_by_row_and_halve_accuracy_and_rank) {
  RelationAnswers tied = relation("a", {}, 3, {{1, 1}, {2, 1}});
  // The answer is tied for best and comes first.
  tied.cells[0] = predict(std::vector<double>{-1, -1, -2}, 0);
  // The two other options are tied for best.
  tied.cells[2] = predict(std::vector<double>{-1, -1, -2}, 2);
  const ProbeMetrics m = metrics({tied});
  BOOST_CHECK((m.overall.ties_for_best == TieCount{2, 4}));
  BOOST_TEST(m.overall.ties_with_answer == 1U);
  BOOST_TEST(m.overall.accuracy.value == 0.625);
  BOOST_TEST(m.overall.accuracy_first_wins.value == 0.75);
  BOOST_TEST(m.overall.accuracy_first_wins.low == wilson_share(0.75, 2).low);
  BOOST_TEST(m.overall.hit_at(1).value == 0.625);  // equals the accuracy
  BOOST_TEST(m.overall.hit_at(3).value == 1.0);
  BOOST_TEST(m.overall.mean_rank.value == ((1.5 + 1) / 2 + (3 + 1) / 2.0) / 2);
}

// All twenty options of ten facts are tied. The right option comes first with probability 1/20 and
// is among the first k with probability k/20. If the first option were always chosen, either all
// facts or only fact 0 would be answered correctly.
BOOST_AUTO_TEST_CASE(equal_scores_for_all_options_are_worth_a_guess) {
  for (const bool same_answer : {true, false}) {
    RelationAnswers level = empty_relation("a", {"D"}, 20, 1);
    for (std::size_t fact = 0; fact < 10; ++fact) {
      level.relation.facts.emplace_back();
      level.cells.push_back(predict(std::vector<double>(20, -41.25), same_answer ? 0 : fact));
    }
    const ProbeMetrics m = metrics({level});
    for (const GroupMetrics* group : {&m.overall, &m.overall_unweighted, &m.relations[0].second,
                                      &m.domains.at("D").metrics, &m.cardinality.at("N:1")}) {
      BOOST_TEST(near(group->accuracy.value, 0.05));
      BOOST_TEST(near(group->accuracy_first_wins.value, same_answer ? 1.0 : 0.1));
      for (const std::size_t k : {1U, 2U, 3U, 5U, 10U, 11U}) {
        BOOST_TEST(near(group->hit_at(k).value, static_cast<double>(k) / 20));
      }
      BOOST_TEST(!group->hit_at(100).exists());
      BOOST_TEST(group->mean_rank.value == 10.5);
      BOOST_CHECK((group->ties_for_best == TieCount{10, 10}));
    }
    BOOST_TEST(near(m.overall.accuracy.high, wilson_share(0.05, 10).high));
    BOOST_TEST(near(m.domains.at("D").divided_support.value, 0.05));
    BOOST_TEST(near(m.domains.at("D").divided_support_first_wins.value, same_answer ? 1.0 : 0.1));
  }
}

BOOST_AUTO_TEST_CASE(without_ties_the_first_wins_changes_nothing) {
  const ProbeMetrics m = metrics(two_relations());
  for (const GroupMetrics* group : {&m.overall, &m.overall_unweighted}) {
    BOOST_TEST(group->accuracy_first_wins.value == group->accuracy.value);
    BOOST_TEST(group->accuracy_first_wins.low == group->accuracy.low);
    BOOST_TEST(group->accuracy_first_wins.high == group->accuracy.high);
    BOOST_TEST(group->ties_for_best.tied == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_relations_interval_does_not_depend_on_the_others) {
  const Bootstrap bootstrap{.seed = 9, .resamples = 200};
  const auto both = two_relations();
  const Estimate alone = metrics({both[0]}, bootstrap).relations[0].second.mean_rank;
  const Estimate beside = metrics(both, bootstrap).relations[0].second.mean_rank;
  BOOST_TEST(alone.low == beside.low);
  BOOST_TEST(alone.high == beside.high);
  BOOST_TEST(alone.low < alone.high);
}

BOOST_AUTO_TEST_CASE(a_relation_without_facts_has_no_numbers_and_weighs_nothing) {
  auto relations = two_relations();
  relations.push_back(empty_relation("empty", {"Geography"}, 5, 1));
  const ProbeMetrics m = metrics(relations);
  BOOST_TEST(m.relations[2].second.accuracy.count == 0U);
  BOOST_TEST(m.relations[2].second.mean_rank.count == 0U);
  BOOST_TEST(near(m.overall_unweighted.accuracy.value, 0.75));
}

BOOST_AUTO_TEST_CASE(a_relation_without_templates_has_no_numbers) {
  auto shots = relation("a", {}, 3, {{1}, {2}});
  shots.settings[0].method = "ic";
  const ProbeMetrics m = metrics({shots, relation("b", {}, 3, {{1}})});
  BOOST_TEST(m.relations[0].second.accuracy.count == 0U);
  BOOST_TEST(m.overall.accuracy.value == 1.0);
  BOOST_TEST(m.overall_unweighted.mean_rank.value == 1.0);
}

BOOST_AUTO_TEST_CASE(no_relations_give_no_numbers) {
  const ProbeMetrics m = metrics({});
  BOOST_TEST(m.overall.accuracy.count == 0U);
  BOOST_TEST(m.overall_unweighted.mean_rank.count == 0U);
}

BOOST_AUTO_TEST_CASE(one_template_is_picked_out_of_several) {
  auto two = relation("a", {"D"}, 4, {{1, 3}, {2, 4}});
  two.settings[0].variant = 1;
  two.settings[1].variant = 5;
  const std::vector<RelationAnswers> all{two, relation("b", {}, 2, {{1}})};
  const auto picked = under_template(all, 5);
  BOOST_REQUIRE(picked.size() == 1U);  // b has no scores under template 5
  BOOST_TEST(picked[0].relation().code == "a");
  BOOST_TEST(picked[0].size() == 1U);
  BOOST_TEST(picked[0].answer(0).rank.realistic() == 3.0);
  BOOST_TEST(picked[0].answer(1).rank.realistic() == 4.0);
}

// A relation whose templates all have weight 0 contributes no facts. A relation without weights is
// excluded.
BOOST_AUTO_TEST_CASE(weighted_templates_answer_together) {
  auto weighs = relation("a", {"D"}, 4, {{1, 3}, {2, 4}});
  weighs.relation.template_weights = {0.25, 0.75};
  weighs.weighted = {weighs.cells[1], weighs.cells[2]};  // with ranks 3 and 2
  auto nothing = relation("c", {}, 2, {{1}});
  nothing.relation.template_weights = {0};
  const std::vector<RelationAnswers> all{weighs, relation("b", {}, 2, {{1}}), nothing};
  const auto together = under_weighted_templates(all);
  BOOST_REQUIRE(together.size() == 2U);
  const ProbeMetrics m = probe_metrics(together, {}, "weighted");
  BOOST_TEST(m.overall.facts == 2U);
  BOOST_TEST(m.overall.accuracy.value == 0.0);
  BOOST_TEST(m.overall.mean_rank.value == 2.5);
  BOOST_TEST(m.relations[1].first == "c");
  BOOST_TEST(m.relations[1].second.accuracy.count == 0U);
  BOOST_TEST(m.domains.at("D").metrics.facts == 2U);
  BOOST_TEST(m.cardinality.at("N:1").relations == 2U);
}

BOOST_AUTO_TEST_CASE(scored_templates_are_those_of_any_relation_in_order) {
  auto one = relation("a", {}, 2, {{1, 1}}), other = one;
  one.settings[0].variant = 7;
  one.settings[1].variant = 2;
  other.settings[1].variant = 2;
  BOOST_TEST((scored_templates({one, other}) == std::vector<std::size_t>{0, 2, 7}));
  BOOST_TEST(scored_templates({}).empty());
}

BOOST_AUTO_TEST_CASE(the_order_of_facts_templates_and_relations_changes_no_number) {
  RandomStream random(37, "facts");
  for (int round = 0; round < 20; ++round) {
    std::vector<RelationAnswers> all;
    for (std::size_t r = 0; r < 2 + random.below(4); ++r) {
      const std::size_t options = 2 + random.below(12), templates = 1 + random.below(4);
      std::vector<std::string> domains;
      if (random.below(3) > 0) domains.emplace_back("a");
      if (random.below(3) == 0) domains.emplace_back("b");
      RelationAnswers made = empty_relation("r" + std::to_string(r), domains, options, templates);
      if (random.below(2) == 0) made.relation.cardinality = Cardinality::one_to_one;
      made.relation.facts.resize(1 + random.below(9));
      for (std::size_t cell = 0; cell < made.facts() * templates; ++cell) {
        std::vector<double> scores(options);
        for (double& score : scores) score = -static_cast<double>(random.below(6));
        made.cells.push_back(predict(scores, random.below(options)));
      }
      all.push_back(std::move(made));
    }
    std::vector<RelationAnswers> others = all;
    for (RelationAnswers& relation : others) {
      const std::size_t templates = relation.settings.size();
      std::vector<std::size_t> rows(relation.facts());
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      random.shuffle(rows);
      std::vector<std::size_t> order(templates);
      std::iota(order.begin(), order.end(), std::size_t{0});
      random.shuffle(order);
      const RelationAnswers before = relation;
      for (std::size_t f = 0; f < rows.size(); ++f) {
        for (std::size_t t = 0; t < templates; ++t) {
          relation.cells[f * templates + t] = before.row(rows[f])[order[t]];
        }
      }
    }
    random.shuffle(others);
    const ProbeMetrics a = metrics(all), b = metrics(others);
    const auto same = [](const GroupMetrics& one, const GroupMetrics& other) {
      BOOST_TEST(one.facts == other.facts);
      BOOST_TEST(one.relations == other.relations);
      BOOST_TEST(one.ties_with_answer == other.ties_with_answer);
      BOOST_TEST(near(one.accuracy.value, other.accuracy.value));
      BOOST_TEST(near(one.accuracy_first_wins.value, other.accuracy_first_wins.value));
      BOOST_TEST(near(one.mean_rank.value, other.mean_rank.value));
      BOOST_TEST(near(one.mean_reciprocal_rank.value, other.mean_reciprocal_rank.value));
      for (const std::size_t k : hit_levels) {
        BOOST_TEST(one.hit_at(k).count == other.hit_at(k).count);
        if (one.hit_at(k).exists()) {
          BOOST_TEST(near(one.hit_at(k).value, other.hit_at(k).value));
        }
      }
    };
    same(a.overall, b.overall);
    same(a.overall_unweighted, b.overall_unweighted);
    BOOST_REQUIRE(a.domains.size() == b.domains.size());
    for (const auto& [domain, numbers] : a.domains) {
      const auto found = std::ranges::find_if(
          b.domains, [&, &name = domain](const auto& other) { return other.first == name; });
      BOOST_REQUIRE(found != b.domains.end());
      same(numbers.metrics, found->second.metrics);
      BOOST_TEST(near(numbers.divided_support.value, found->second.divided_support.value));
    }
    for (const auto& [code, numbers] : a.relations) {
      const auto found = std::ranges::find_if(
          b.relations, [&, &name = code](const auto& other) { return other.first == name; });
      BOOST_REQUIRE(found != b.relations.end());
      same(numbers, found->second);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
