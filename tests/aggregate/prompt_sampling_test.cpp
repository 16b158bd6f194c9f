// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/prompt_sampling.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "support/small_prompts.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;
using test::near;
using test::one_relation;
using test::random_prompts;

BOOST_AUTO_TEST_SUITE(prompt_sampling)

namespace {

using Marks = std::vector<std::string>;

/// The probability of each possible number of correctly answered facts.
using Law = std::map<std::size_t, double>;

/// Enumerates all possible samplings, fact by fact: each fact uses each of its `prompts_of(fact)`
/// in turn.
template <class PromptsOf>
void every_sampling(std::size_t fact, std::size_t facts, std::size_t right, double probability,
                    const PromptsOf& prompts_of, Law& law) {
  if (fact == facts) {
    law[right] += probability;
    return;
  }
  const std::vector<PromptOutcome> prompts = prompts_of(fact);
  for (const PromptOutcome& prompt : prompts) {
    every_sampling(fact + 1, facts, right + (prompt.right ? 1 : 0),
                   probability / static_cast<double>(prompts.size()), prompts_of, law);
  }
}

std::vector<PromptOutcome> all_prompts(const PromptOutcomes& table, std::size_t fact) {
  const auto prompts = table.prompts(fact);
  return {prompts.begin(), prompts.end()};
}

Law law_by_fact(const PromptOutcomes& table) {
  Law law;
  every_sampling(
      0, table.facts(), 0, 1, [&](std::size_t fact) { return all_prompts(table, fact); }, law);
  return law;
}

/// Enumerates every choice of one template per relation, and every sampling under that choice.
Law law_by_relation(const PromptOutcomes& table) {
  const auto& relations = table.relations();
  Law law;
  std::vector<std::size_t> drawn(relations.size());
  std::vector<std::size_t> relation_of;
  double choices = 1;
  for (std::size_t r = 0; r < relations.size(); ++r) {
    relation_of.insert(relation_of.end(), relations[r].facts, r);
    choices *= static_cast<double>(relations[r].templates.size());
  }
  for (;;) {
    every_sampling(
        0, table.facts(), 0, 1 / choices,
        [&](std::size_t fact) {
          std::vector<PromptOutcome> some;
          for (const PromptOutcome& prompt : table.prompts(fact)) {
            if (prompt.template_index == drawn[relation_of[fact]]) some.push_back(prompt);
          }
          return some.empty() ? all_prompts(table, fact) : some;
        },
        law);
    std::size_t r = 0;
    while (r < drawn.size() && ++drawn[r] == relations[r].templates.size()) drawn[r++] = 0;
    if (r == drawn.size()) return law;
  }
}

double mean_of(const Law& law) {
  double mean = 0;
  for (const auto& [right, p] : law) mean += p * static_cast<double>(right);
  return mean;
}

double sd_of(const Law& law) {
  double variance = 0;
  const double mean = mean_of(law);
  for (const auto& [right, p] : law) variance += p * std::pow(static_cast<double>(right) - mean, 2);
  return std::sqrt(variance);
}

/// Compares the closed forms with the exact distribution. Also checks that the observed frequency
/// of each number is within five standard errors of its probability.
void check(const SampledAccuracy& made, const Law& law) {
  const double facts = static_cast<double>(made.facts);
  BOOST_TEST(near(std::accumulate(law.begin(), law.end(), 0.0,
                                  [](double sum, const auto& one) { return sum + one.second; }),
                  1));
  BOOST_TEST(near(made.exact_mean, mean_of(law) / facts));
  BOOST_TEST(near(made.exact_sd, sd_of(law) / facts));
  const double n = static_cast<double>(made.right.size());
  std::size_t found = 0;
  for (const auto& [right, p] : law) {
    const auto times = std::ranges::count(made.right, right);
    found += static_cast<std::size_t>(times);
    BOOST_TEST(std::abs(static_cast<double>(times) / n - p) <=
               5 * std::sqrt(p * (1 - p) / n) + 1e-9);
  }
  BOOST_TEST(found == made.right.size());
  BOOST_TEST(std::abs(made.mean - made.exact_mean) <= 5 * made.exact_sd / std::sqrt(n) + 1e-12);
  BOOST_TEST(std::abs(*made.sd - made.exact_sd) <= 0.02 * made.exact_sd + 1e-12);
}

/// The oracle samples one prompt at a time from a single stream.
std::vector<double> prompt_by_prompt(const PromptOutcomes& table, SampleBy by, std::size_t n) {
  RandomStream random(99, "slow");
  std::vector<double> accuracies;
  for (std::size_t i = 0; i < n; ++i) {
    double right = 0;
    for (const PromptRelation& relation : table.relations()) {
      const std::size_t drawn = random.below(relation.templates.size());
      for (std::size_t f = relation.first_fact; f < relation.first_fact + relation.facts; ++f) {
        std::vector<PromptOutcome> some = all_prompts(table, f);
        if (by == SampleBy::relation) {
          std::erase_if(some, [&](const auto& p) { return p.template_index != drawn; });
        }
        right += some[random.below(some.size())].right ? 1 : 0;
      }
    }
    accuracies.push_back(right / static_cast<double>(table.facts()));
  }
  return accuracies;
}

SampledAccuracy sampled(const std::vector<double>& right, std::size_t facts) {
  SampledAccuracy made;
  made.facts = facts;
  made.right = right;
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(by_fact_the_samplings_follow_all_there_are) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto table = random_prompts(seed, {.relations = 2, .facts = 2, .templates = 3});
    check(sample_accuracy(table, {.by = SampleBy::fact, .seed = seed}), law_by_fact(table));
  }
}

BOOST_AUTO_TEST_CASE(by_relation_the_samplings_follow_all_there_are) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto table = random_prompts(seed, {.relations = 2, .facts = 3, .templates = 3});
    check(sample_accuracy(table, {.by = SampleBy::relation, .seed = seed}), law_by_relation(table));
  }
  // With one expression per subject, nothing is random once the template is drawn.
  const auto labels = random_prompts(4, {.relations = 3, .facts = 4, .expressions = 1});
  check(sample_accuracy(labels, {.by = SampleBy::relation}), law_by_relation(labels));
}

// Each fact has its own draw here, so a fact without a prompt under the drawn template draws from
// its other prompts.
BOOST_AUTO_TEST_CASE(a_fact_without_a_prompt_under_the_drawn_template_draws_among_all_it_has) {
  const auto table = one_relation({{"10", "0", "11"}, {"1", "-", "0"}, {"-", "-", "01"}});
  const auto made = sample_accuracy(table, {.by = SampleBy::relation});
  BOOST_TEST(made.facts == 3U);
  BOOST_TEST(made.gaps == 3U);
  check(made, law_by_relation(table));
  const auto by_fact = sample_accuracy(table, {.by = SampleBy::fact});
  BOOST_TEST(by_fact.gaps == 0U);
  check(by_fact, law_by_fact(table));
}

// The first relation has 2 facts and the second has 1. In the first relation, 2 facts are right
// under one template and an average of 0.5 facts under the other: the mean is 1.25, and the
// variance is 0.75² between templates and (0 + 0.25) / 2 within them. The second relation's fact is
// right under one of two templates: the mean is 0.5 and the variance 0.25.
BOOST_AUTO_TEST_CASE(the_closed_forms_are_those_of_a_sum_by_hand) {
  PromptOutcomes table;
  table.add_relation("P1", test::templates(2));
  table.add_fact("a", test::marks({"11", "01"}));
  table.add_fact("b", test::marks({"1", "0"}));
  table.add_relation("P2", test::templates(2));
  table.add_fact("c", test::marks({"0", "1"}));
  const auto by_relation = sample_accuracy(table, {.by = SampleBy::relation, .samplings = 10});
  BOOST_TEST(near(by_relation.exact_mean, 1.75 / 3));
  BOOST_TEST(near(by_relation.exact_sd, std::sqrt(0.5625 + 0.125 + 0.25) / 3));
  // The facts' fractions of correctly answered prompts are 3/4, 1/2 and 1/2.
  const auto by_fact = sample_accuracy(table, {.by = SampleBy::fact, .samplings = 10});
  BOOST_TEST(near(by_fact.exact_mean, 1.75 / 3));
  BOOST_TEST(near(by_fact.exact_sd, std::sqrt(0.1875 + 0.25 + 0.25) / 3));
}

BOOST_AUTO_TEST_CASE(sampling_prompt_by_prompt_gives_the_same_mean_and_spread) {
  const auto table = random_prompts(8, {.relations = 4, .facts = 30, .templates = 7});
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    const auto made = sample_accuracy(table, {.by = by, .samplings = 4000});
    const auto slow = prompt_by_prompt(table, by, 4000);
    const double mean = std::accumulate(slow.begin(), slow.end(), 0.0) / 4000;
    BOOST_TEST(std::abs(mean - made.mean) < 5 * made.exact_sd * std::sqrt(2 / 4000.0));
    BOOST_TEST(std::abs(*sample_sd(slow) / *made.sd - 1) < 0.08);
  }
}

BOOST_AUTO_TEST_CASE(samplings_depend_on_the_seed_alone_and_on_no_number_of_threads) {
  const auto table = random_prompts(5, {.relations = 3, .facts = 40, .missing = 2});
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    const auto made = [&](int threads, std::uint64_t seed) {
      const test::Threads with(threads);
      return sample_accuracy(table, {.by = by, .samplings = 5000, .seed = seed});
    };
    const auto once = made(1, 1);
    for (const int threads : {2, 5}) {
      const auto again = made(threads, 1);
      BOOST_TEST(again.right == once.right);
      BOOST_TEST(again.mean == once.mean);
      BOOST_TEST(*again.sd == *once.sd);
    }
    BOOST_CHECK(made(1, 2).right != once.right);
  }
}

BOOST_AUTO_TEST_CASE(each_block_of_samplings_is_drawn_independently) {
  const auto table = random_prompts(5, {.relations = 3, .facts = 40});
  const auto made = [&](std::size_t samplings) {
    return sample_accuracy(table, {.samplings = samplings, .seed = 1}).right;
  };
  // A larger set of samplings contains the smaller one.
  BOOST_TEST(made(1023).size() == 1023U);
  BOOST_CHECK(std::ranges::includes(made(1025), made(1024)));
  BOOST_CHECK(std::ranges::includes(made(2048), made(1024)));
  // If the second block equalled the first, every number would appear twice as often.
  std::vector<double> twice = made(1024);
  twice.insert(twice.end(), twice.begin(), twice.end());
  std::ranges::sort(twice);
  BOOST_CHECK(made(2048) != twice);
}

BOOST_AUTO_TEST_CASE(the_order_of_facts_means_nothing) {
  const std::vector<std::vector<std::string>> facts{
      {"10", "1"}, {"0", "1"}, {"11", "0"}, {"1", "01"}, {"0", "0"}};
  const std::vector<std::vector<std::string>> backwards(facts.rbegin(), facts.rend());
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    const PromptSampling options{.by = by, .samplings = 3000, .seed = 2};
    BOOST_CHECK(sample_accuracy(one_relation(facts), options).right ==
                sample_accuracy(one_relation(backwards), options).right);
  }
}

BOOST_AUTO_TEST_CASE(what_every_prompt_agrees_on_does_not_move) {
  const auto table = one_relation({{"11", "1"}, {"0", "00"}, {"1", "1"}, {"1", "1"}});
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    const auto made = sample_accuracy(table, {.by = by, .samplings = 100});
    BOOST_TEST(made.low() == 0.75);
    BOOST_TEST(made.high() == 0.75);
    BOOST_TEST(made.range() == 0.0);
    BOOST_TEST(near(made.mean, 0.75));
    BOOST_TEST(made.exact_mean == 0.75);
    BOOST_TEST(made.exact_sd == 0.0);
    BOOST_TEST(*made.sd < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(facts_without_prompts_are_left_out_and_counted) {
  const auto table = one_relation({{"1", "1"}, {"", ""}, {"1", "0"}});
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    const auto made = sample_accuracy(table, {.by = by, .samplings = 500});
    BOOST_TEST(made.facts == 2U);
    BOOST_TEST(made.without_prompt == 1U);
    BOOST_TEST(made.gaps == 0U);
    BOOST_TEST(made.exact_mean == 0.75);
    BOOST_TEST(made.low() == 0.5);
    BOOST_TEST(made.high() == 1.0);
  }
}

BOOST_AUTO_TEST_CASE(a_template_no_fact_was_asked_under_is_not_drawn) {
  const auto made = sample_accuracy(one_relation({{"1", "", "0"}, {"1", "", "0"}}),
                                    {.by = SampleBy::relation, .samplings = 500});
  BOOST_TEST(made.gaps == 0U);
  BOOST_TEST(made.exact_mean == 0.5);
  BOOST_TEST(made.exact_sd == 0.5);
  for (const double right : made.right) BOOST_TEST((right == 0 || right == 2));
}

BOOST_AUTO_TEST_CASE(without_facts_or_samplings_there_are_no_numbers) {
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    const auto none = sample_accuracy({}, {.by = by});
    BOOST_TEST(none.facts == 0U);
    BOOST_TEST(none.right.empty());
    BOOST_TEST(none.histogram(10).empty());
    const auto table = one_relation({{"1", "0"}});
    const auto closed = sample_accuracy(table, {.by = by, .samplings = 0});
    BOOST_TEST(closed.exact_mean == 0.5);
    BOOST_TEST(!closed.sd);
    BOOST_TEST(closed.right.empty());
    const auto one = sample_accuracy(table, {.by = by, .samplings = 1});
    BOOST_TEST(one.right.size() == 1U);
    BOOST_TEST(!one.sd);
  }
}

BOOST_AUTO_TEST_CASE(quantiles_and_ends_are_shares_of_the_facts) {
  const auto made = sampled({2, 3, 3, 5, 9}, 10);
  BOOST_TEST(made.low() == 0.2);
  BOOST_TEST(made.high() == 0.9);
  BOOST_TEST(made.range() == 0.7);
  BOOST_TEST(made.quantile(0) == 0.2);
  BOOST_TEST(made.quantile(0.5) == 0.3);
  BOOST_TEST(near(made.quantile(0.625), 0.4));  // halfway from 3 to 5
  BOOST_TEST(made.quantile(1) == 0.9);
}

BOOST_AUTO_TEST_CASE(a_histogram_has_bars_of_as_many_facts_and_every_sampling) {
  // The eight values from 2 to 9 are divided into 3 bars: 2–4, 5–7 and 8–10. The last bar includes
  // the maximum, 10.
  const auto bars = sampled({2, 3, 3, 5, 9}, 10).histogram(3);
  BOOST_REQUIRE(bars.size() == 3U);
  BOOST_TEST(bars[0].from == 0.15);
  BOOST_TEST(bars[0].to == 0.45);
  BOOST_TEST(bars[0].samplings == 3U);
  BOOST_TEST(bars[1].from == 0.45);
  BOOST_TEST(bars[1].samplings == 1U);
  BOOST_TEST(bars[2].from == 0.75);
  BOOST_TEST(bars[2].to == 1.0);
  BOOST_TEST(bars[2].samplings == 1U);
  BOOST_TEST(sampled({2, 3, 3, 5, 9}, 10).histogram(99).size() == 8U);
  const auto one = sampled({4, 4}, 8).histogram(5);
  BOOST_REQUIRE(one.size() == 1U);
  BOOST_TEST(one[0].from == 0.4375);
  BOOST_TEST(one[0].to == 0.5625);
  BOOST_TEST(one[0].samplings == 2U);
}

BOOST_AUTO_TEST_CASE(the_order_of_relations_means_nothing) {
  PromptOutcomes one, other;
  for (const bool second : {false, true}) {
    one.add_relation(second ? "B" : "A", test::templates(2));
    one.add_fact("f", test::marks(second ? Marks{"10", "1"} : Marks{"1", "0"}));
    other.add_relation(second ? "A" : "B", test::templates(2));
    other.add_fact("f", test::marks(second ? Marks{"1", "0"} : Marks{"10", "1"}));
  }
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    const SampledAccuracy a = sample_accuracy(one, {by, 500, 3});
    const SampledAccuracy b = sample_accuracy(other, {by, 500, 3});
    BOOST_TEST((a.right == b.right));
    BOOST_TEST(a.exact_mean == b.exact_mean);
    BOOST_TEST(a.exact_sd == b.exact_sd);
  }
}

BOOST_AUTO_TEST_SUITE_END()
