// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/prompt_coverage.hpp"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/prompt_sampling.hpp"
#include "support/small_prompts.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;
using test::near;
using test::one_relation;
using test::random_prompts;
using test::same;

BOOST_AUTO_TEST_SUITE(prompt_coverage_suite)

namespace {

/// The fraction of a fact's k-prompt subsets that contain a correctly answered prompt. If the fact
/// has fewer than k prompts, the only subset contains all of them.
double subset_by_subset(std::span<const PromptOutcome> prompts, std::size_t k) {
  const int size = static_cast<int>(std::min(k, prompts.size()));
  double subsets = 0, known = 0;
  for (std::uint32_t subset = 0; subset < (1U << prompts.size()); ++subset) {
    if (std::popcount(subset) != size) continue;
    bool right = false;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      right = right || ((subset >> i & 1U) != 0 && prompts[i].right);
    }
    subsets += 1;
    known += right ? 1 : 0;
  }
  return known / subsets;
}

}  // namespace

// Of four facts, t0 gets the first right and, with the best expression, also the second; t1 gets
// the third.
BOOST_AUTO_TEST_CASE(average_maximum_minimum_and_oracle_by_hand) {
  const auto made = prompt_coverage(
      one_relation({{"1", "0"}, {"01", "00"}, {"0", "1"}, {"000", "000"}, {"", ""}}));
  BOOST_TEST(near(made.average.value, (0.5 + 0.25 + 0.5) / 4));
  BOOST_TEST(made.average.count == 4U);
  BOOST_CHECK(same(made.average_first_wins, made.average));  // without ties, the two are equal
  BOOST_TEST(made.maximum.value == 0.5);
  BOOST_TEST(made.minimum.value == 0.25);
  BOOST_TEST(made.oracle.value == 0.75);
  BOOST_CHECK(same(made.oracle, wilson(3, 4)));
  BOOST_CHECK(same(made.maximum, wilson(2, 4)));
  BOOST_TEST(made.without_prompt == 1U);
}

// The oracle tries every choice of one template per relation. A fact counts if it is answered
// correctly with any expression under that template.
BOOST_AUTO_TEST_CASE(maximum_and_minimum_bound_every_choice_of_templates) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto table = random_prompts(seed, {.relations = 3, .facts = 5, .templates = 4});
    std::size_t lowest = 15, highest = 0;
    for (std::size_t choice = 0; choice < 64; ++choice) {
      const std::map<std::string, std::size_t> drawn{
          {"P0", choice % 4}, {"P1", choice / 4 % 4}, {"P2", choice / 16}};
      std::map<std::string, bool> known;
      for (const auto& row : test::rows_of(table)) {
        if (row.outcome.template_index != drawn.at(row.relation)) continue;
        known[row.relation + row.fact] |= row.outcome.right;
      }
      std::size_t right = 0;
      for (const auto& [fact, is] : known) right += is ? 1U : 0U;
      lowest = std::min(lowest, right);
      highest = std::max(highest, right);
    }
    const auto made = prompt_coverage(table);
    BOOST_TEST(near(made.minimum.value, static_cast<double>(lowest) / 15));
    BOOST_TEST(near(made.maximum.value, static_cast<double>(highest) / 15));
    BOOST_TEST(made.maximum.count == 15U);
    BOOST_TEST(made.maximum.value <= made.oracle.value);
  }
}

BOOST_AUTO_TEST_CASE(average_and_oracle_are_counted_prompt_by_prompt) {
  const auto table = random_prompts(3, {.missing = 5});
  std::map<std::string, std::vector<double>> facts;
  for (const auto& row : test::rows_of(table)) {
    facts[row.relation + row.fact].push_back(row.outcome.right ? 1 : 0);
  }
  double average = 0, oracle = 0;
  for (const auto& [fact, marks] : facts) {
    double right = 0;
    for (const double mark : marks) right += mark;
    average += right / static_cast<double>(marks.size());
    oracle += right > 0 ? 1 : 0;
  }
  const double n = static_cast<double>(facts.size());
  const auto made = prompt_coverage(table);
  BOOST_TEST(near(made.average.value, average / n));
  BOOST_TEST(near(made.oracle.value, oracle / n));
  BOOST_TEST(near(made.average.value, sample_accuracy(table, {.samplings = 0}).exact_mean));
  BOOST_TEST(made.average.low < made.average.value);
  BOOST_TEST(made.average.high > made.average.value);
}

// A relation contributes one fact if its best template was used for only one.
BOOST_AUTO_TEST_CASE(facts_that_were_not_asked_under_the_chosen_template_do_not_count) {
  PromptOutcomes table = one_relation({{"1", "0"}, {"", "0"}, {"", "1"}});
  table.add_relation("P2", test::templates(1));
  table.add_fact("a", test::marks({"0"}));
  const auto made = prompt_coverage(table);
  BOOST_TEST(made.maximum.value == 0.5);
  BOOST_TEST(made.maximum.count == 2U);
  BOOST_TEST(made.minimum.value == 0.25);
  BOOST_TEST(made.minimum.count == 4U);
}

BOOST_AUTO_TEST_CASE(the_curve_is_the_mean_over_all_subsets_of_prompts) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const auto table =
        random_prompts(seed, {.relations = 2, .facts = 4, .templates = 4, .missing = 3});
    const std::vector<std::size_t> steps{1, 2, 3, 5, 6, 12, 40};
    const auto curve = coverage_curve(table, steps);
    BOOST_REQUIRE(curve.size() == steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) {
      double sum = 0;
      std::size_t facts = 0, fewer = 0;
      for (std::size_t fact = 0; fact < table.facts(); ++fact) {
        const auto prompts = table.prompts(fact);
        if (prompts.empty()) continue;
        sum += subset_by_subset(prompts, steps[s]);
        ++facts;
        fewer += prompts.size() < steps[s] ? 1U : 0U;
      }
      BOOST_TEST(curve[s].prompts == steps[s]);
      BOOST_TEST(near(curve[s].share.value, sum / static_cast<double>(facts)));
      BOOST_TEST(curve[s].share.count == facts);
      BOOST_TEST(curve[s].fewer == fewer);
      BOOST_TEST(curve[s].share.low <= curve[s].share.value);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_curve_goes_from_average_to_oracle) {
  const auto table = random_prompts(4, {.relations = 4, .facts = 8, .templates = 9});
  const auto coverage = prompt_coverage(table);
  const auto curve = coverage_curve(table);
  BOOST_TEST(curve.front().prompts == 1U);
  BOOST_TEST(near(curve.front().share.value, coverage.average.value));
  BOOST_TEST(near(curve.back().share.value, coverage.oracle.value));
  BOOST_TEST(curve.back().prompts == 27U);  // 9 templates and 3 expressions
  for (std::size_t i = 1; i < curve.size(); ++i) {
    BOOST_TEST(curve[i].share.value >= curve[i - 1].share.value);
  }
  // The first point equals Average, including the interval.
  BOOST_TEST(near(curve.front().share.low, coverage.average.low));
  BOOST_TEST(near(curve.front().share.high, coverage.average.high));
}

BOOST_AUTO_TEST_CASE(steps_are_denser_where_there_are_few_prompts) {
  using Steps = std::vector<std::size_t>;
  BOOST_TEST(coverage_steps(0) == Steps{});
  BOOST_TEST(coverage_steps(1) == Steps{1});
  BOOST_TEST(coverage_steps(2) == (Steps{1, 2}));
  BOOST_TEST(coverage_steps(10) == (Steps{1, 2, 3, 5, 7, 10}));
  BOOST_TEST(coverage_steps(120) == (Steps{1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 120}));
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_means_nothing) {
  const auto table = random_prompts(7, {.facts = 30});
  const auto made = [&](int threads) {
    const test::Threads with(threads);
    return std::pair{prompt_coverage(table), coverage_curve(table)};
  };
  const auto [coverage, curve] = made(1);
  const auto [again, curve_again] = made(4);
  BOOST_CHECK(same(coverage.average, again.average));
  for (std::size_t i = 0; i < curve.size(); ++i) {
    BOOST_CHECK(same(curve[i].share, curve_again[i].share));
  }
}

BOOST_AUTO_TEST_CASE(without_prompts_nothing_is_covered) {
  const auto none = prompt_coverage(one_relation({{"", ""}}));
  BOOST_TEST(none.average.count == 0U);
  BOOST_TEST(none.maximum.count == 0U);
  BOOST_TEST(none.minimum.count == 0U);
  BOOST_TEST(none.oracle.count == 0U);
  BOOST_TEST(none.without_prompt == 1U);
  BOOST_TEST(coverage_curve({}).empty());
  BOOST_TEST(coverage_curve(one_relation({{""}}), std::vector<std::size_t>{1}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
