// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/bias_level.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(bias_level_suite)

namespace {

using Weights = std::vector<double>;

constexpr double infinite = std::numeric_limits<double>::infinity();

double level(const Weights& weights) {
  return bias_level(weights).value();
}

/// 1 − H / ln n, computed as the distance from equal probabilities: Σ p ln(n p) / ln n.
double slow_level(const Weights& p) {
  const double n = static_cast<double>(p.size());
  double distance = 0;
  for (const double value : p) distance += value > 0 ? value * std::log(n * value) : 0;
  return distance / std::log(n);
}

/// The log-likelihoods of these probabilities, in one list per prompt. Each list is shifted by a
/// different number of nats.
ContentFreeScores scores_of(std::size_t templates, const std::vector<Weights>& prompts) {
  ContentFreeScores scores{templates, prompts.size() / templates, prompts.front().size(), {}};
  double nats = -20;
  for (const Weights& prompt : prompts) {
    for (const double p : prompt) scores.log_likelihoods.push_back(std::log(p) + nats);
    nats -= 3;
  }
  return scores;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_bias_level_is_zero_for_equal_chances_and_one_for_certainty) {
  BOOST_TEST(level({0.5, 0.5}) == 0.0);
  BOOST_TEST(level(Weights(7, 1.0 / 7)) < 1e-15);
  BOOST_TEST(level(Weights(7, 1.0 / 7)) >= 0.0);
  BOOST_TEST(level({0, 1, 0}) == 1.0);
  // The entropy is 2 − 0.75 log2 3 bits, and its maximum is 1 bit.
  BOOST_TEST(near(level({0.75, 0.25}), 1 - (2 - 0.75 * std::log(3) / std::log(2))));
  BOOST_TEST(near(level({0.25, 0.25, 0, 0.5}), 0.25));  // the entropy is 1.5 out of 2 bits
}

BOOST_AUTO_TEST_CASE(weights_need_not_sum_to_one) {
  BOOST_TEST(near(level({3, 1}), level({0.75, 0.25})));
  BOOST_TEST(near(level({1e-320, 1e-320, 0}), 1 - std::log(2) / std::log(3)));
  BOOST_TEST(level({1e308, 1e308, 1e308}) < 1e-15);
}

BOOST_AUTO_TEST_CASE(fewer_than_two_candidates_and_zeros_have_no_bias_level) {
  BOOST_TEST(!bias_level({}).has_value());
  BOOST_TEST(!bias_level(Weights{1}).has_value());
  BOOST_TEST(!bias_level(Weights{0, 0, 0}).has_value());
  for (const double wrong : {-0.1, infinite, std::numeric_limits<double>::quiet_NaN()}) {
    BOOST_CHECK_EXCEPTION(static_cast<void>(bias_level(Weights{0.5, wrong})), Error,
                          test::says(Fault::user, "probability: "));
  }
}

// Under the first template, the content-free texts yield (1, 0), (0.5, 0.5) and (0.75, 0.25).
BOOST_AUTO_TEST_CASE(templates_are_averaged_before_or_after_their_bias) {
  const auto made = relation_bias(
      scores_of(2, {{1, 0}, {0.5, 0.5}, {0.75, 0.25}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}}));
  BOOST_TEST(made.templates == 2U);
  BOOST_TEST(made.candidates == 2U);
  BOOST_TEST(near(made.single.value(), slow_level({0.75, 0.25}) / 2));
  BOOST_TEST(near(made.multi.value(), slow_level({0.625, 0.375})));
  BOOST_TEST(made.favoured->candidate == 0U);
  BOOST_TEST(near(made.favoured->mean_probability, 0.625));
  BOOST_TEST(made.favoured->template_index == 0U);
  BOOST_TEST(near(made.favoured->probability, 0.75));
}

// The second name has three tokens. Under the first template, each of its tokens has probability
// 3/4, and the first name's only token has 1/4. Under the second template, every token has
// probability 1/2.
BOOST_AUTO_TEST_CASE(per_token_a_long_name_is_not_less_likely_for_its_length) {
  const auto made = [] {
    auto scores = scores_of(2, {{0.25, 27.0 / 64}, {0.5, 0.125}});
    // scores_of would shift the scores of each prompt by a constant, which would distort the scores
    // per token.
    scores.log_likelihoods = {std::log(0.25), 3 * std::log(0.75), std::log(0.5), 3 * std::log(0.5)};
    scores.tokens = {1, 3, 1, 3};
    return relation_bias(scores);
  }();
  BOOST_TEST(
      near(made.single.value(), (slow_level({16.0 / 43, 27.0 / 43}) + slow_level({0.8, 0.2})) / 2));
  BOOST_TEST(near(made.multi.value(), slow_level({(16.0 / 43 + 0.8) / 2, (27.0 / 43 + 0.2) / 2})));
  BOOST_TEST(made.favoured->candidate == 0U);
  BOOST_TEST(made.favoured->template_index == 1U);
  BOOST_TEST(near(made.per_token.single.value(), slow_level({0.25, 0.75}) / 2));
  BOOST_TEST(near(made.per_token.multi.value(), slow_level({0.375, 0.625})));
  BOOST_TEST(made.per_token.favoured->candidate == 1U);
  BOOST_TEST(near(made.per_token.favoured->mean_probability, 0.625));
  BOOST_TEST(made.per_token.favoured->template_index == 0U);
  BOOST_TEST(near(made.per_token.favoured->probability, 0.75));
}

// One name consists of one token with probability 1/4; the other, of two tokens with 1/4 each.
BOOST_AUTO_TEST_CASE(names_of_equal_tokens_are_biased_by_their_lengths_alone) {
  ContentFreeScores scores{1, 1, 2, {std::log(0.25), 2 * std::log(0.25)}, {1, 2}};
  const auto made = relation_bias(scores);
  BOOST_TEST(near(made.single.value(), slow_level({0.8, 0.2})));
  BOOST_TEST(made.per_token.single.value() < 1e-15);
  BOOST_TEST(made.per_token.multi.value() < 1e-15);
  scores.tokens.clear();  // as if each name had one token
  const auto of_one = relation_bias(scores);
  BOOST_TEST(of_one.per_token.single.value() == of_one.single.value());
  BOOST_TEST(of_one.per_token.favoured->candidate == 0U);
}

BOOST_AUTO_TEST_CASE(opposite_templates_cancel) {
  const auto made = relation_bias(scores_of(2, {{1, 0}, {0, 1}}));
  BOOST_TEST(made.single.value() == 1.0);
  BOOST_TEST(made.multi.value() == 0.0);
  BOOST_TEST(made.favoured->candidate == 0U);  // the first of two tied candidates
}

// The overall favourite is not the first choice of any template.
BOOST_AUTO_TEST_CASE(the_favoured_candidate_is_the_most_probable_over_all_templates) {
  const auto made =
      relation_bias(scores_of(3, {{0.6, 0.4, 0}, {0, 0.45, 0.55}, {0.4, 0.375, 0.225}}));
  BOOST_TEST(made.favoured->candidate == 1U);
  BOOST_TEST(near(made.favoured->mean_probability, 1.225 / 3));
  BOOST_TEST(made.favoured->template_index == 1U);
  BOOST_TEST(near(made.favoured->probability, 0.45));
}

BOOST_AUTO_TEST_CASE(many_prompts_are_never_more_biased_than_one) {
  RandomStream random(8, "bias");
  for (int round = 0; round < 20; ++round) {
    constexpr std::size_t templates = 4, texts = 3, candidates = 5;
    ContentFreeScores scores{templates, texts, candidates, {}};
    for (std::size_t i = 0; i < templates * texts * candidates; ++i) {
      scores.log_likelihoods.push_back(-8 * random.uniform());
    }
    Weights mean(candidates);
    double single = 0;
    for (std::size_t t = 0; t < templates; ++t) {
      Weights row(candidates);
      for (std::size_t x = 0; x < texts; ++x) {
        const double* prompt = scores.log_likelihoods.data() + (t * texts + x) * candidates;
        double sum = 0;
        for (std::size_t i = 0; i < candidates; ++i) sum += std::exp(prompt[i]);
        for (std::size_t i = 0; i < candidates; ++i) row[i] += std::exp(prompt[i]) / sum / texts;
      }
      single += slow_level(row) / templates;
      for (std::size_t i = 0; i < candidates; ++i) mean[i] += row[i] / templates;
    }
    const auto made = relation_bias(scores);
    BOOST_TEST(near(made.single.value(), single));
    BOOST_TEST(near(made.multi.value(), slow_level(mean)));
    BOOST_TEST(made.multi.value() < made.single.value());
  }
}

BOOST_AUTO_TEST_CASE(one_candidate_or_no_prompt_has_no_bias) {
  const auto one = relation_bias(scores_of(2, {{1}, {1}, {1}, {1}}));
  BOOST_TEST(!one.single.has_value());
  BOOST_TEST(!one.multi.has_value());
  BOOST_TEST(one.favoured->mean_probability == 1.0);
  BOOST_TEST(!one.per_token.multi.has_value());
  BOOST_TEST(one.per_token.favoured->mean_probability == 1.0);
  const auto none = relation_bias({.templates = 0, .candidates = 4, .log_likelihoods = {}});
  BOOST_TEST(!none.single.has_value());
  BOOST_TEST(!none.favoured.has_value());
  BOOST_TEST(none.candidates == 4U);
}

BOOST_AUTO_TEST_CASE(scores_are_log_likelihoods_of_all_candidates) {
  auto scores = scores_of(2, {{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}});
  scores.log_likelihoods[6] = std::numeric_limits<double>::quiet_NaN();
  BOOST_CHECK_EXCEPTION(
      static_cast<void>(relation_bias(scores)), Error,
      test::says(Fault::user, "template 1, content-free text 1: not a log-likelihood; "));
  scores.log_likelihoods[6] = infinite;
  BOOST_CHECK_EXCEPTION(static_cast<void>(relation_bias(scores)), Error,
                        test::says(Fault::user, "text 1: not a log-likelihood; "));
  scores.log_likelihoods[6] = scores.log_likelihoods[7] = -infinite;
  BOOST_CHECK_EXCEPTION(static_cast<void>(relation_bias(scores)), Error,
                        test::says(Fault::user, "text 1: every candidate has probability 0; "));
  scores.log_likelihoods[6] = scores.log_likelihoods[7] = -1;
  for (const auto& tokens :
       {std::vector<std::uint32_t>{1, 1, 1, 1, 1, 1, 1}, std::vector<std::uint32_t>(8, 0)}) {
    scores.tokens = tokens;
    BOOST_CHECK_EXCEPTION(
        static_cast<void>(relation_bias(scores)), Error,
        test::says(Fault::user,
                   "tokens: must contain one positive token count for each log-likelihood; "));
  }
  scores.log_likelihoods.pop_back();
  BOOST_CHECK_EXCEPTION(
      static_cast<void>(relation_bias(scores)), Error,
      test::says(Fault::user, "7 numbers for 2 templates, 2 texts and 2 candidates; "));
}

BOOST_AUTO_TEST_CASE(relations_weigh_the_same) {
  std::vector<RelationBias> relations(3);
  relations[0].single = 0.5;
  relations[0].multi = 0.25;
  relations[0].templates = 40;
  relations[2].single = 0.25;
  relations[2].multi = 0;
  relations[0].per_token = {{0.125, 0.0625}};
  relations[2].per_token = {{0.375, 0.1875}};
  const MeanBias made = mean_bias(relations);
  BOOST_TEST(made.single.value() == 0.375);
  BOOST_TEST(made.multi.value() == 0.125);
  BOOST_TEST(made.per_token.single.value() == 0.25);
  BOOST_TEST(made.per_token.multi.value() == 0.125);
  BOOST_TEST(made.relations == 2U);
  BOOST_TEST(made.excluded == 1U);
  BOOST_TEST(!mean_bias({}).single.has_value());
  BOOST_TEST(!mean_bias(std::vector<RelationBias>(2)).multi.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
