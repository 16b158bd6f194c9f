// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/template_accuracy.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/small_prompts.hpp"

using namespace plumb::detail;
using test::near;
using test::one_relation;
using test::random_prompts;
using test::same;

BOOST_AUTO_TEST_SUITE(template_accuracy)

namespace {

const Bootstrap few{.seed = 2, .resamples = 40};

/// The marks of each fact under one template of a relation (1 if the answer is right), collected
/// prompt by prompt.
std::map<std::string, std::vector<double>> under(const PromptOutcomes& table,
                                                 const std::string& code, std::size_t index) {
  std::map<std::string, std::vector<double>> marks;
  for (const auto& row : test::rows_of(table)) {
    if (row.relation != code || row.outcome.template_index != index) continue;
    marks[row.fact].push_back(row.outcome.right ? 1 : 0);
  }
  return marks;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The fraction of right marks, averaged over facts.
double accuracy(const std::map<std::string, std::vector<double>>& marks) {
  std::vector<double> shares;
  for (const auto& [fact, values] : marks) shares.push_back(mean(values));
  return mean(shares);
}

/// A relation with five facts. `right` lists how many of them each template gets right.
PromptOutcomes right_of_five(const std::vector<std::size_t>& right,
                             const std::vector<TemplateOrigin>& origins) {
  PromptOutcomes table;
  auto templates = test::templates(right.size());
  for (std::size_t i = 0; i < right.size(); ++i) templates[i].origin = origins[i];
  table.add_relation("P1", templates);
  for (std::size_t f = 0; f < 5; ++f) {
    std::vector<std::string> words;
    for (const std::size_t count : right) words.emplace_back(f < count ? "1" : "0");
    table.add_fact("f" + std::to_string(f), test::marks(words));
  }
  return table;
}

constexpr auto manual = TemplateOrigin::manual;
constexpr auto generated = TemplateOrigin::generated;

}  // namespace

BOOST_AUTO_TEST_CASE(a_template_is_as_accurate_as_the_mean_share_of_its_facts) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto table = random_prompts(seed, {.missing = 3});
    for (const PromptRelation& relation : table.relations()) {
      const auto made = template_accuracies(table, relation);
      BOOST_REQUIRE(made.size() == relation.templates.size());
      for (std::size_t t = 0; t < made.size(); ++t) {
        const auto marks = under(table, relation.code, t);
        std::size_t best = 0;
        for (const auto& [fact, values] : marks) {
          best += std::ranges::any_of(values, [](double v) { return v > 0; }) ? 1U : 0U;
        }
        BOOST_REQUIRE(!marks.empty());
        BOOST_TEST(made[t].accuracy.count == marks.size());
        BOOST_TEST(near(made[t].accuracy.value, accuracy(marks)));
        BOOST_CHECK(same(made[t].with_best_expression, wilson(best, marks.size())));
        BOOST_TEST(near(made[t].accuracy.low, wilson_share(accuracy(marks), marks.size()).low));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_template_no_fact_was_asked_under_has_no_accuracy) {
  const auto table = one_relation({{"1", ""}, {"01", ""}});
  const auto made = template_accuracies(table, table.relations()[0]);
  BOOST_TEST(made[0].accuracy.value == 0.75);
  BOOST_TEST(made[0].with_best_expression.value == 1.0);
  BOOST_TEST(made[1].accuracy.count == 0U);
  BOOST_TEST(made[1].with_best_expression.count == 0U);
}

BOOST_AUTO_TEST_CASE(extremes_are_the_first_of_equals_among_templates_with_facts) {
  const auto extremes = [](const std::vector<std::vector<std::string>>& facts) {
    const auto table = one_relation(facts);
    return template_extremes(template_accuracies(table, table.relations()[0]),
                             &TemplateAccuracy::accuracy);
  };
  const auto found = extremes({{"", "0", "1", "1", "0"}, {"", "0", "1", "1", "0"}});
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(found->worst == 1U);
  BOOST_TEST(found->best == 2U);
  // In double precision, (0.1 + 0.2) + 0.3 is larger than (0.3 + 0.2) + 0.1.
  const std::string tenth = "1000000000", two = "1100000000", three = "1110000000";
  const auto level = extremes({{tenth, three, three}, {two, two, three}, {three, tenth, three}});
  BOOST_TEST(level->worst == 0U);
  BOOST_TEST(level->best == 2U);
  BOOST_TEST(!extremes({{"", ""}}).has_value());
}

// The templates get 5, 3, 3, 1 and 0 of 5 facts right. The manual ones rank 2.5 (in a tie) and 4.
BOOST_AUTO_TEST_CASE(manual_templates_rank_among_all_with_ties_in_the_middle) {
  const auto table =
      right_of_five({5, 3, 3, 1, 0}, {generated, manual, generated, manual, generated});
  const auto made = manual_ranks(table, few);
  BOOST_TEST(made.mean.value == 3.25);
  BOOST_TEST(made.mean.count == 2U);
  BOOST_TEST(made.by_chance == 3.0);
  BOOST_TEST(made.generated == 3U);
  BOOST_TEST(made.mean.low >= 2.5);
  BOOST_TEST(made.mean.high <= 4.0);
}

BOOST_AUTO_TEST_CASE(ranks_are_those_of_a_sort_and_chance_is_the_mean_of_all_ranks) {
  for (const std::uint64_t seed : {3U, 4U}) {
    const auto table = random_prompts(seed, {.relations = 4, .facts = 5, .templates = 7});
    std::vector<double> ranks, chance;
    for (const PromptRelation& relation : table.relations()) {
      std::vector<double> accuracies;
      for (std::size_t t = 0; t < relation.templates.size(); ++t) {
        accuracies.push_back(accuracy(under(table, relation.code, t)));
      }
      for (std::size_t t = 0; t < accuracies.size(); t += 2) {  // the manual templates
        double first = 1, last = 0;
        for (const double other : accuracies) {
          first += other > accuracies[t] + 1e-9 ? 1 : 0;
          last += other > accuracies[t] - 1e-9 ? 1 : 0;
        }
        ranks.push_back((first + last) / 2);
        chance.push_back(4);
      }
    }
    const auto made = manual_ranks(table, few);
    BOOST_TEST(made.mean.count == 16U);
    BOOST_TEST(made.generated == 12U);
    BOOST_TEST(near(made.mean.value, mean(ranks)));
    BOOST_TEST(near(made.by_chance, mean(chance)));
  }
}

BOOST_AUTO_TEST_CASE(without_manual_templates_there_is_no_rank) {
  const auto made = manual_ranks(right_of_five({5, 3}, {generated, generated}), few);
  BOOST_TEST(made.mean.count == 0U);
  BOOST_TEST(made.generated == 0U);
  BOOST_TEST(std::isnan(made.by_chance));
  // Templates without prompts do not count.
  const auto asked =
      selected(right_of_five({5, 0, 4}, {manual, manual, generated}),
               [](const PromptTemplate& of, const auto&) { return of.text != "t0"; });
  BOOST_TEST(manual_ranks(asked, few).mean.value == 2.0);
  BOOST_TEST(manual_ranks(asked, few).mean.count == 1U);
  BOOST_TEST(manual_ranks(asked, few).by_chance == 1.5);
}

// The oracle tries every choice of one template per relation.
BOOST_AUTO_TEST_CASE(the_template_extent_bounds_every_choice_of_templates) {
  const auto table = random_prompts(5, {.relations = 3, .facts = 4, .templates = 4});
  double lowest = 1, highest = 0;
  for (std::size_t choice = 0; choice < 64; ++choice) {
    const std::size_t drawn[] = {choice % 4, choice / 4 % 4, choice / 16};
    double sum = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      sum += accuracy(under(table, table.relations()[r].code, drawn[r])) / 3;
    }
    lowest = std::min(lowest, sum);
    highest = std::max(highest, sum);
  }
  const auto extent = template_extent(table);
  BOOST_TEST(near(extent.lowest.value, lowest));
  BOOST_TEST(near(extent.highest.value, highest));
  BOOST_TEST(extent.lowest.count == 12U);
  BOOST_TEST(extent.highest.low <= highest);
  BOOST_TEST(extent.highest.high >= highest);
}

// The oracle tries every choice of one expression per fact.
BOOST_AUTO_TEST_CASE(the_subject_extent_bounds_every_choice_of_expressions) {
  const auto table = random_prompts(6, {.relations = 2, .facts = 3, .expressions = 3});
  // The marks of each fact (keyed by relation and fact), by expression.
  std::map<std::string, std::map<std::size_t, std::vector<double>>> facts;
  for (const auto& row : test::rows_of(table)) {
    facts[row.relation + row.fact][row.outcome.expression].push_back(row.outcome.right ? 1 : 0);
  }
  std::vector<double> sums{0};
  for (const auto& [fact, expressions] : facts) {
    std::vector<double> next;
    for (const double sum : sums) {
      for (const auto& [expression, marks] : expressions) next.push_back(sum + mean(marks));
    }
    sums = next;
  }
  const auto [lowest, highest] = std::ranges::minmax(sums);
  const auto extent = subject_extent(table);
  BOOST_TEST(near(extent.lowest.value, lowest / 6));
  BOOST_TEST(near(extent.highest.value, highest / 6));
  BOOST_TEST(extent.lowest.count == 6U);
}

BOOST_AUTO_TEST_CASE(extents_leave_out_facts_without_prompts_and_take_gaps) {
  const auto table = one_relation({{"-1", "-0"}, {"", ""}, {"0-1", "0-0"}});
  const auto subject = subject_extent(table);
  BOOST_TEST(subject.lowest.count == 2U);
  // Half of the first fact's prompts are right, and none of the last fact's.
  BOOST_TEST(subject.lowest.value == 0.25);
  BOOST_TEST(subject.highest.value == 0.5);
  const auto templates = template_extent(table);
  BOOST_TEST(templates.lowest.value == 0.0);
  BOOST_TEST(templates.highest.value == 0.75);
  BOOST_TEST(templates.highest.count == 2U);
  BOOST_TEST(subject_extent({}).lowest.count == 0U);
  BOOST_TEST(template_extent(one_relation({{""}})).highest.count == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
