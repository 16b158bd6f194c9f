// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/overconfidence.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/predictions.hpp"
#include "support/small_prompts.hpp"

using namespace plumb::detail;
using test::near;
using test::same;

BOOST_AUTO_TEST_SUITE(overconfidence_suite)

namespace {

const Bootstrap few{.seed = 3, .resamples = 40};

/// One prompt per fact, in one relation.
PromptList<Judgement> one_each(const std::vector<Judgement>& prompts) {
  PromptList<Judgement> list;
  list.begin_relation();
  for (const Judgement& prompt : prompts) {
    list.begin_fact();
    list.add(prompt);
  }
  return list;
}

/// Each fact has zero to four prompts, with confidences that are multiples of an eighth.
PromptList<Judgement> random_list(std::uint64_t seed) {
  RandomStream random(seed, "overconfidence test");
  PromptList<Judgement> list;
  for (int relation = 0; relation < 3; ++relation) {
    list.begin_relation();
    for (int fact = 0; fact < 7; ++fact) {
      list.begin_fact();
      for (std::size_t prompts = random.below(5); prompts > 0; --prompts) {
        const double confidence = static_cast<double>(random.below(9)) / 8;
        list.add({confidence, random.uniform() < confidence});
      }
    }
  }
  return list;
}

struct Means {
  double confidence = 0;
  double accuracy = 0;
};

Means means_of(const std::vector<Judgement>& prompts) {
  Means means;
  for (const Judgement& prompt : prompts) {
    means.confidence += prompt.confidence / static_cast<double>(prompts.size());
    means.accuracy += (prompt.correct ? 1 : 0) / static_cast<double>(prompts.size());
  }
  return means;
}

/// Divides the prompts, in their given order, into bins by position.
std::vector<std::vector<Judgement>> cut(const std::vector<Judgement>& sorted, std::size_t bins) {
  std::vector<std::vector<Judgement>> parts(bins);
  for (std::size_t b = 0, at = 0; b < bins; ++b) {
    const std::size_t end = (b + 1) * sorted.size() / bins;
    for (; at < end; ++at) parts[b].push_back(sorted[at]);
  }
  return parts;
}

bool same_diagram(const Overconfidence& one, const Overconfidence& other) {
  return std::ranges::equal(
      one.diagram, other.diagram, [](const ConfidenceBin& a, const ConfidenceBin& b) {
        return a.prompts == b.prompts && a.lowest == b.lowest && a.highest == b.highest &&
               a.mean_confidence == b.mean_confidence && same(a.accuracy, b.accuracy);
      });
}

PromptList<AnswerLikelihood> answers(const std::vector<AnswerLikelihood>& prompts) {
  PromptList<AnswerLikelihood> list;
  list.begin_relation();
  list.begin_fact();
  for (const AnswerLikelihood& prompt : prompts) list.add(prompt);
  return list;
}

}  // namespace

BOOST_AUTO_TEST_CASE(prompts_stand_in_bins_from_the_most_to_the_least_confident) {
  const auto made =
      overconfidence(one_each({{0.25, false}, {0.875, true}, {0.5, false}, {0.75, false}}), few, 2);
  BOOST_TEST(made.mean_confidence.value == 0.59375);
  BOOST_TEST(made.accuracy.value == 0.25);
  BOOST_TEST(made.overconf.value == 0.34375);
  BOOST_TEST(made.overconf.count == 4U);
  BOOST_TEST(made.overconf.method == "bootstrap");
  BOOST_TEST(made.prompts == 4U);
  BOOST_REQUIRE(made.diagram.size() == 2U);
  const ConfidenceBin& top = made.diagram[0];
  BOOST_TEST(top.prompts == 2U);
  BOOST_TEST(top.highest == 0.875);
  BOOST_TEST(top.lowest == 0.75);
  BOOST_TEST(top.mean_confidence == 0.8125);
  BOOST_CHECK(same(top.accuracy, wilson(1, 2)));
  const ConfidenceBin& bottom = made.diagram[1];
  BOOST_TEST(bottom.highest == 0.5);
  BOOST_TEST(bottom.lowest == 0.25);
  BOOST_TEST(bottom.mean_confidence == 0.375);
  BOOST_CHECK(same(bottom.accuracy, wilson(0, 2)));
}

BOOST_AUTO_TEST_CASE(a_model_that_is_less_sure_than_right_is_below_zero) {
  const auto made = overconfidence(one_each({{0.5, true}, {0.25, true}}), few);
  BOOST_TEST(made.overconf.value == -0.625);
  const auto most = overconfidence(one_each({{1, false}, {1, false}}), few);
  BOOST_TEST(most.overconf.value == 1.0);
  BOOST_TEST(!most.overconf.has_interval());
  BOOST_TEST(overconfidence(one_each({{0, true}}), few).overconf.value == -1.0);
}

BOOST_AUTO_TEST_CASE(the_sum_over_bins_is_the_same_whatever_the_bins) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto list = random_list(seed);
    const Means means = means_of(list.prompts);
    for (const std::size_t bins : {1U, 3U, 10U, 1000U}) {
      const auto made = overconfidence(list, few, bins);
      BOOST_TEST(made.diagram.size() == std::min(bins, list.prompts.size()));
      double sum = 0;
      std::size_t prompts = 0;
      for (const ConfidenceBin& bin : made.diagram) {
        prompts += bin.prompts;
        sum += static_cast<double>(bin.prompts) / static_cast<double>(made.prompts) *
               (bin.mean_confidence - bin.accuracy.value);
      }
      BOOST_TEST(prompts == list.prompts.size());
      const auto [least, most] = std::ranges::minmax(made.diagram, {}, &ConfidenceBin::prompts);
      BOOST_TEST(most.prompts - least.prompts <= 1U);
      BOOST_TEST(near(sum, made.overconf.value));
      BOOST_TEST(near(made.overconf.value, means.confidence - means.accuracy));
      BOOST_TEST(near(made.accuracy.value, means.accuracy));
      BOOST_TEST(near(made.mean_confidence.value, means.confidence));
    }
  }
}

BOOST_AUTO_TEST_CASE(bins_of_different_confidences_are_those_of_a_plain_sort) {
  RandomStream random(9, "plain sort");
  std::vector<Judgement> prompts;
  for (int i = 0; i < 47; ++i) prompts.push_back({random.uniform(), random.below(2) == 0});
  const auto made = overconfidence(one_each(prompts), few);
  std::ranges::sort(prompts, std::ranges::greater{}, &Judgement::confidence);
  const auto parts = cut(prompts, 10);
  BOOST_REQUIRE(made.diagram.size() == 10U);
  for (std::size_t b = 0; b < 10; ++b) {
    const ConfidenceBin& bin = made.diagram[b];
    BOOST_TEST(bin.prompts == parts[b].size());
    BOOST_TEST(bin.highest == parts[b].front().confidence);
    BOOST_TEST(bin.lowest == parts[b].back().confidence);
    BOOST_TEST(near(bin.mean_confidence, means_of(parts[b]).confidence));
    BOOST_TEST(near(bin.accuracy.value, means_of(parts[b]).accuracy));
    BOOST_TEST(bin.accuracy.count == parts[b].size());
  }
}

// The oracle enumerates every order of the seven prompts; tied prompts appear in each order equally
// often.
BOOST_AUTO_TEST_CASE(ties_are_as_right_in_each_bin_as_a_random_order_makes_them) {
  const std::vector<Judgement> seven{{0.9, true},  {0.5, true}, {0.5, false}, {0.5, false},
                                     {0.5, false}, {0.2, true}, {0.2, false}};
  const auto made = overconfidence(one_each(seven), few, 3);
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5, 6};
  std::vector<double> accuracy(3), confidence(3);
  double orders = 0;
  do {
    std::vector<Judgement> sorted;
    for (const std::size_t i : order) sorted.push_back(seven[i]);
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &Judgement::confidence);
    const auto parts = cut(sorted, 3);
    for (std::size_t b = 0; b < 3; ++b) {
      accuracy[b] += means_of(parts[b]).accuracy;
      confidence[b] += means_of(parts[b]).confidence;
    }
    ++orders;
  } while (std::ranges::next_permutation(order).found);
  BOOST_TEST(orders == 5040.0);
  BOOST_REQUIRE(made.diagram.size() == 3U);
  for (std::size_t b = 0; b < 3; ++b) {
    BOOST_TEST(std::abs(made.diagram[b].accuracy.value - accuracy[b] / orders) < 1e-10);
    BOOST_TEST(std::abs(made.diagram[b].mean_confidence - confidence[b] / orders) < 1e-10);
  }
}

BOOST_AUTO_TEST_CASE(the_order_prompts_come_in_changes_nothing) {
  std::vector<Judgement> prompts = test::tied_judgements(60, 4, "order");
  const auto made = overconfidence(one_each(prompts), few);
  RandomStream random(1, "shuffle");
  for (int round = 0; round < 5; ++round) {
    random.shuffle(prompts);
    const auto again = overconfidence(one_each(prompts), few);
    BOOST_CHECK(same_diagram(made, again));
    BOOST_TEST(near(made.overconf.value, again.overconf.value));
  }
  std::ranges::sort(prompts, {}, [](const Judgement& prompt) { return prompt.correct; });
  BOOST_CHECK(same_diagram(made, overconfidence(one_each(prompts), few)));
}

BOOST_AUTO_TEST_CASE(fewer_prompts_than_bins_make_as_many_bins_and_none_no_number) {
  const auto three = overconfidence(one_each({{0.1, true}, {0.3, false}, {0.2, true}}), few);
  BOOST_REQUIRE(three.diagram.size() == 3U);
  BOOST_TEST(three.diagram[0].highest == 0.3);
  BOOST_TEST(three.diagram[2].lowest == 0.1);
  for (const auto& list : {PromptList<Judgement>{}, PromptList<Judgement>{{}, {0, 0}, {1, 1}}}) {
    const auto none = overconfidence(list, few);
    BOOST_TEST(none.overconf.count == 0U);
    BOOST_TEST(none.accuracy.count == 0U);
    BOOST_TEST(none.mean_confidence.count == 0U);
    BOOST_TEST(none.diagram.empty());
    BOOST_TEST(none.prompts == 0U);
    BOOST_TEST(none.without_prompt == list.facts.size());
  }
}

// The oracle expands each resample prompt by prompt.
BOOST_AUTO_TEST_CASE(intervals_are_of_facts_drawn_with_all_their_prompts) {
  const auto list = random_list(4);
  const auto made = overconfidence(list, few);
  std::vector<std::vector<Judgement>> facts;
  std::vector<std::size_t> strata;
  std::size_t prompt = 0;
  std::size_t fact = 0;
  for (const std::size_t size : list.strata) {
    strata.push_back(0);
    for (std::size_t end = fact + size; fact < end; ++fact) {
      if (list.facts[fact] == 0) continue;
      ++strata.back();
      facts.emplace_back();
      for (std::size_t i = 0; i < list.facts[fact]; ++i) {
        facts.back().push_back(list.prompts[prompt++]);
      }
    }
  }
  const Resamples resamples(strata, few, "overconfidence");
  std::vector<double> over, sure;
  for (std::size_t r = 0; r < resamples.size(); ++r) {
    std::vector<Judgement> drawn;
    for (std::size_t f = 0; f < facts.size(); ++f) {
      for (std::size_t times = 0; times < resamples.counts(r)[f]; ++times) {
        drawn.insert(drawn.end(), facts[f].begin(), facts[f].end());
      }
    }
    const Means means = means_of(drawn);
    over.push_back(means.confidence - means.accuracy);
    sure.push_back(means.confidence);
  }
  const auto agrees = [&](const Estimate& estimate, const std::vector<double>& draws) {
    const Estimate expected = percentile_interval(estimate.value, draws, facts.size());
    BOOST_TEST(near(estimate.low, expected.low));
    BOOST_TEST(near(estimate.high, expected.high));
    BOOST_TEST(estimate.count == facts.size());
  };
  agrees(made.overconf, over);
  agrees(made.mean_confidence, sure);
  // For the accuracy's interval, the number of trials is the effective number of facts, each
  // weighted by its number of prompts.
  double prompts = 0, squares = 0, known = 0;
  for (const std::vector<Judgement>& one : facts) {
    const double n = static_cast<double>(one.size());
    prompts += n;
    squares += n * n;
    for (const Judgement& judged : one) known += judged.correct ? 1 : 0;
  }
  const double z = 1.959963984540054, trials = prompts * prompts / squares;
  for (const double end : {made.accuracy.low, made.accuracy.high}) {
    const double share = known / prompts;
    BOOST_TEST(near((share - end) * (share - end), z * z * end * (1 - end) / trials));
  }
  BOOST_TEST(made.without_prompt == list.facts.size() - facts.size());
  BOOST_TEST(made.without_prompt > 0U);
  BOOST_TEST(made.overconf.low < made.overconf.high);
}

BOOST_AUTO_TEST_CASE(facts_are_drawn_within_their_relations) {
  PromptList<Judgement> list;
  for (const bool right : {true, false, true}) {
    list.begin_relation();
    for (int fact = 0; fact < 4; ++fact) {
      list.begin_fact();
      list.add({0.5, right});
    }
  }
  const auto made = overconfidence(list, few);
  BOOST_TEST(near(made.overconf.value, 0.5 - 2.0 / 3));
  BOOST_TEST(
      // with pooled resampling, a resample could contain more facts of one relation
      !made.overconf.has_interval());
  BOOST_TEST(near(made.accuracy.low, wilson(8, 12).low));
}

BOOST_AUTO_TEST_CASE(a_bin_has_no_more_trials_than_facts_or_prompts) {
  PromptList<Judgement> list;
  list.begin_relation();
  list.begin_fact();
  for (int prompt = 0; prompt < 4; ++prompt) list.add({0.9, true});
  list.begin_fact();
  for (int prompt = 0; prompt < 4; ++prompt) list.add({0.1, false});
  const auto two = overconfidence(list, few, 2);
  BOOST_CHECK(same(two.diagram[0].accuracy, wilson(1, 1)));
  BOOST_CHECK(same(two.diagram[1].accuracy, wilson(0, 1)));
  BOOST_CHECK(same(overconfidence(list, few, 1).diagram[0].accuracy, wilson(1, 2)));
  // All ten facts are tied, in five bins of two.
  const auto tied = overconfidence(one_each(std::vector<Judgement>(10, {0.5, true})), few, 5);
  for (const ConfidenceBin& bin : tied.diagram) BOOST_CHECK(same(bin.accuracy, wilson(2, 2)));
}

BOOST_AUTO_TEST_CASE(a_confidence_is_a_probability) {
  for (const double wrong : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    BOOST_CHECK_EXCEPTION(
        static_cast<void>(overconfidence(one_each({{0.5, true}, {wrong, true}}), few)), Error,
        test::says(Fault::user, " is not in [0, 1]; "));
  }
}

BOOST_AUTO_TEST_CASE(answers_are_grouped_by_their_tokens) {
  const double half = std::log(0.5);
  const auto made = overconfidence_by_length(answers({{1, half, false},
                                                      {2, 2 * half, true},
                                                      {1, half, true},
                                                      {1, 0, true},
                                                      {5, -1e9, false},
                                                      {6, 77, true},
                                                      {40, -3, true},
                                                      {0, 99, true}}),
                                             few);
  BOOST_TEST(made.longer == 2U);
  BOOST_TEST(made.empty == 1U);
  const std::size_t counts[] = {3, 1, 0, 0, 1};
  for (std::size_t k = 0; k < 5; ++k) {
    BOOST_TEST(made.lengths[k].prompts == counts[k]);
    BOOST_TEST(made.lengths[k].overconf.count == (counts[k] > 0 ? 1U : 0U));
    BOOST_TEST(made.lengths[k].without_prompt == (counts[k] > 0 ? 0U : 1U));
  }
  BOOST_TEST(near(made.lengths[0].mean_confidence.value, 2.0 / 3));
  BOOST_TEST(near(made.lengths[0].overconf.value, 0));
  BOOST_TEST(near(made.lengths[1].overconf.value, -0.75));
  BOOST_TEST(made.lengths[4].overconf.value == 0.0);
}

BOOST_AUTO_TEST_CASE(a_group_by_length_is_the_overconfidence_of_its_answers) {
  RandomStream random(6, "lengths");
  PromptList<AnswerLikelihood> all;
  std::vector<PromptList<Judgement>> lists(5);
  for (int relation = 0; relation < 2; ++relation) {
    all.begin_relation();
    for (auto& list : lists) list.begin_relation();
    for (int fact = 0; fact < 20; ++fact) {
      all.begin_fact();
      for (auto& list : lists) list.begin_fact();
      for (int prompt = 0; prompt < 4; ++prompt) {
        const auto tokens = static_cast<std::uint32_t>(1 + random.below(5));
        const double nats = -3 * random.uniform();
        const bool right = random.below(2) == 0;
        all.add({tokens, nats, right});
        lists[tokens - 1].add({std::exp(nats), right});
      }
    }
  }
  const auto made = overconfidence_by_length(all, few, 4);
  for (std::size_t k = 0; k < 5; ++k) {
    const auto expected = overconfidence(lists[k], few, 4);
    BOOST_CHECK(same(made.lengths[k].overconf, expected.overconf));
    BOOST_CHECK(same_diagram(made.lengths[k], expected));
  }
  BOOST_TEST(made.longer + made.empty == 0U);
}

BOOST_AUTO_TEST_CASE(an_answer_has_a_log_probability) {
  for (const double wrong : {0.1, std::numeric_limits<double>::quiet_NaN()}) {
    BOOST_CHECK_EXCEPTION(
        static_cast<void>(overconfidence_by_length(answers({{3, wrong, true}}), few)), Error,
        test::says(Fault::user, " is not a log-probability; "));
  }
}

BOOST_AUTO_TEST_CASE(a_closed_set_is_sure_of_each_paraphrase_by_its_base_confidence) {
  ModelPredictions model;
  model.relations.push_back(test::answered(
      "r1", {{3, {{3, 0.5}, {1, 0.25}, {3, 1}}}, {1, {{4, 0.75}, {1, 0.875}, {2, 1}}}},
      {"certainly"}));
  model.relations.push_back(test::answered("r2", {}));
  model.relations.push_back(test::answered("r3", {{0, {{0, 0.125}}}}));
  const auto list = closed_set_confidences(model);
  BOOST_TEST(list.strata == (std::vector<std::size_t>{2, 0, 1}));
  BOOST_TEST(list.facts == (std::vector<std::size_t>{2, 2, 1}));
  const double confidence[] = {0.5, 0.25, 0.75, 0.875, 0.125};
  const bool right[] = {true, false, false, true, true};
  BOOST_REQUIRE(list.prompts.size() == 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    BOOST_TEST(list.prompts[i].confidence == confidence[i]);
    BOOST_TEST(list.prompts[i].correct == right[i]);
  }
  BOOST_TEST(near(overconfidence(list, few).overconf.value, -0.1));
}

BOOST_AUTO_TEST_SUITE_END()
