// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/paired_accuracy.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/small_prompts.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;
using test::near;
using test::random_prompts;
using test::same;

BOOST_AUTO_TEST_SUITE(paired_accuracy)

namespace {

const Bootstrap few{.seed = 2, .resamples = 40};

/// For one fact, in each of the two compared sets of prompts: the number of correctly answered
/// prompts and the total number of prompts.
struct TwoWays {
  double one_right = 0, one = 0, other_right = 0, other = 0;
};
using Facts = std::map<std::string, TwoWays>;

void check(const PairedAccuracy& made, const Facts& facts) {
  double one = 0, other = 0;
  std::size_t count = 0;
  for (const auto& [name, fact] : facts) {
    if (fact.one == 0 || fact.other == 0) continue;
    one += fact.one_right / fact.one;
    other += fact.other_right / fact.other;
    ++count;
  }
  BOOST_TEST(made.one.count == count);
  BOOST_TEST(made.difference.count == count);
  const double n = static_cast<double>(count);
  BOOST_TEST(near(made.one.value, one / n));
  BOOST_TEST(near(made.other.value, other / n));
  BOOST_TEST(near(made.difference.value, (one - other) / n));
  // There is no interval if all facts differ by the same amount.
  if (!made.difference.has_interval()) return;
  BOOST_TEST(made.difference.low <= made.difference.value);
  BOOST_TEST(made.difference.high >= made.difference.value);
}

}  // namespace

BOOST_AUTO_TEST_CASE(styles_are_compared_on_facts_that_have_both) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto table = random_prompts(seed, {.templates = 4, .missing = 7});
    Facts facts;
    for (const auto& row : test::rows_of(table)) {
      TwoWays& fact = facts[row.relation + row.fact];
      const bool cloze = row.of.style == TemplateStyle::cloze;
      (cloze ? fact.one : fact.other) += 1;
      if (row.outcome.right) (cloze ? fact.one_right : fact.other_right) += 1;
    }
    std::size_t one_style = 0;
    for (const auto& [name, fact] : facts) one_style += fact.one == 0 || fact.other == 0 ? 1U : 0U;
    const auto made = compare_styles(table, few);
    check(made.accuracy, facts);
    BOOST_TEST(made.one_style == one_style);
  }
}

// Templates t0 and t1 are clozes, and t2 is a question. The second fact has no question.
BOOST_AUTO_TEST_CASE(styles_by_hand) {
  const auto made = compare_styles(
      test::one_relation({{"1", "0", "1"}, {"1", "1", ""}, {"", "", ""}, {"0", "", "1"}}), few);
  BOOST_TEST(made.accuracy.one.value == 0.25);
  BOOST_TEST(made.accuracy.other.value == 1.0);
  BOOST_TEST(made.accuracy.difference.value == -0.75);
  BOOST_TEST(made.accuracy.one.count == 2U);
  BOOST_TEST(made.one_style == 1U);
  BOOST_TEST(compare_styles({}, few).accuracy.one.count == 0U);
}

BOOST_AUTO_TEST_CASE(tables_are_compared_on_the_prompts_both_have) {
  for (const std::uint64_t seed : {4U, 5U}) {
    // The two tables have the same facts and templates, but each lacks different prompts and has
    // different answers.
    const auto one = random_prompts(seed, {.missing = 5});
    const auto other = random_prompts(seed + 100, {.missing = 5});
    Facts facts;
    std::size_t unshared = 0;
    for (const auto& mine : test::rows_of(one)) {
      bool found = false;
      for (const auto& yours : test::rows_of(other)) {
        if (mine.relation != yours.relation || mine.fact != yours.fact ||
            mine.of.text != yours.of.text || mine.outcome.expression != yours.outcome.expression) {
          continue;
        }
        found = true;
        TwoWays& fact = facts[mine.relation + mine.fact];
        fact.one += 1;
        fact.other += 1;
        fact.one_right += mine.outcome.right ? 1 : 0;
        fact.other_right += yours.outcome.right ? 1 : 0;
      }
      unshared += found ? 0U : 1U;
    }
    const auto made = compare_shared(pair_prompts(one, other), few);
    check(made.accuracy, facts);
    BOOST_TEST(unshared > 0U);
    BOOST_TEST(made.unshared.prompts > 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_difference_is_resampled_in_pairs) {
  // Every fact, easy or hard, scores better in the first table by the same amount.
  const auto made = compare_shared(
      pair_prompts(test::one_relation({{"1", "0"}, {"1", "1"}, {"1", "0"}, {"1", "1"}}),
                   test::one_relation({{"0", "0"}, {"0", "1"}, {"0", "0"}, {"0", "1"}})),
      few);
  BOOST_TEST(made.accuracy.difference.value == 0.5);
  BOOST_TEST(!made.accuracy.difference.has_interval());  // an unpaired difference would vary
  BOOST_TEST(made.accuracy.one.low < made.accuracy.one.high);
  BOOST_TEST(compare_shared({}, few).accuracy.one.count == 0U);
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_means_nothing) {
  const auto table = random_prompts(7, {.facts = 40});
  const auto made = [&](int threads) {
    const test::Threads with(threads);
    return compare_styles(table, few).accuracy.difference;
  };
  BOOST_CHECK(same(made(1), made(4)));
}

// Each of the second fact's prompts is a two-way tie that includes the right option, so the fact
// counts as unknown in both comparisons.
BOOST_AUTO_TEST_CASE(ties_are_not_right_in_either_way) {
  PromptOutcomes table = test::one_relation({{"1", "1", "0"}});
  std::vector<PromptOutcome> tied = test::marks({"0", "0", "0"});
  for (PromptOutcome& prompt : tied) {
    prompt.tie = BestTie::answer_first;
    prompt.tied_options = 2;
  }
  table.add_fact("f1", tied);
  const auto styles = compare_styles(table, few).accuracy;
  BOOST_TEST(styles.one.value == 0.5);
  BOOST_TEST(styles.other.value == 0.0);
  const auto same = compare_shared(pair_prompts(table, table), few).accuracy;
  BOOST_TEST(near(same.one.value, 2.0 / 3 / 2));
  BOOST_TEST(same.difference.value == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
