// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/calibration_metrics.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/measure/resamples.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::tied_judgements;
using enum CalibrationMetric;

BOOST_AUTO_TEST_SUITE(calibration_metrics)

namespace {

/// Two NaNs are considered near each other.
bool near(double a, double b, double by = 1e-12) {
  return std::isnan(b) ? std::isnan(a) : test::near(a, b, by);
}

constexpr double none = std::numeric_limits<double>::quiet_NaN();

MetricValues metrics_of(const std::vector<Judgement>& judgements, std::size_t bins = 20) {
  return SortedJudgements(judgements, bins).metrics();
}

// ---- Every metric, computed from its definition on a list in which repeated answers appear
// several times ----

double value(const Judgement& judgement) {
  return judgement.correct ? 1 : 0;
}

template <class Of>
double mean_of(const std::vector<Judgement>& all, Of of) {
  double sum = 0;
  for (const Judgement& judgement : all) sum += of(judgement);
  return sum / static_cast<double>(all.size());
}

/// numpy.percentile for an unsorted list. numpy rounds the result of every operation, so no
/// operations may be fused.
double percentile(const std::vector<Judgement>& all, double percent) {
  std::multiset<double> ordered;
  for (const Judgement& judgement : all) ordered.insert(judgement.confidence);
  const std::vector<double> sorted(ordered.begin(), ordered.end());
  const volatile double place = static_cast<double>(sorted.size() - 1) * (percent / 100);
  const auto below = static_cast<std::size_t>(std::floor(place));
  if (below + 1 >= sorted.size()) return sorted.back();
  const double t = place - std::floor(place);
  const double difference = sorted[below + 1] - sorted[below];
  const volatile double way = t < 0.5 ? difference * t : difference * (1 - t);
  return t < 0.5 ? sorted[below] + way : sorted[below + 1] - way;
}

/// The answers in each non-empty bin. A confidence's bin is the number of inner edges below it.
std::vector<std::vector<Judgement>> binned(const std::vector<Judgement>& all,
                                           const std::vector<double>& edges) {
  std::map<std::ptrdiff_t, std::vector<Judgement>> members;
  for (const Judgement& judgement : all) {
    const auto below =
        std::ranges::count_if(edges, [&](double edge) { return edge < judgement.confidence; });
    members[below].push_back(judgement);
  }
  std::vector<std::vector<Judgement>> list;
  for (const auto& [bin, inside] : members) list.push_back(inside);
  return list;
}

/// The oracle compares each right answer with each wrong one.
double auroc_by_pairs(const std::vector<Judgement>& all) {
  double won = 0;
  double pairs = 0;
  for (const Judgement& right : all) {
    for (const Judgement& wrong : all) {
      if (!right.correct || wrong.correct) continue;
      pairs += 1;
      won += right.confidence > wrong.confidence ? 1 : 0;
      won += right.confidence == wrong.confidence ? 0.5 : 0;
    }
  }
  return pairs > 0 ? won / pairs : none;
}

/// The mean over k of the expected error rate among the k most confident answers. Each wrong answer
/// in a group of ties counts with the fraction of the group that is among these k answers.
double aurc_by_chances(const std::vector<Judgement>& all) {
  const auto n = static_cast<double>(all.size());
  double area = 0;
  for (std::size_t k = 1; k <= all.size(); ++k) {
    double errors = 0;
    for (const Judgement& one : all) {
      if (one.correct) continue;
      double above = 0;
      double tied = 0;
      for (const Judgement& other : all) {
        above += other.confidence > one.confidence ? 1 : 0;
        tied += other.confidence == one.confidence ? 1 : 0;
      }
      errors += std::clamp((static_cast<double>(k) - above) / tied, 0.0, 1.0);
    }
    area += errors / static_cast<double>(k);
  }
  return area / n;
}

/// The area under the risk–coverage curve, averaged over every ordering of the list with
/// non-increasing confidences.
double aurc_by_orders(std::vector<Judgement> all) {
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  double sum = 0;
  double orders = 0;
  do {
    bool falls = true;
    for (std::size_t i = 1; i < order.size(); ++i) {
      falls = falls && all[order[i - 1]].confidence >= all[order[i]].confidence;
    }
    if (!falls) continue;
    double errors = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      errors += all[order[i]].correct ? 0 : 1;
      sum += errors / static_cast<double>(i + 1) / static_cast<double>(all.size());
    }
    orders += 1;
  } while (std::ranges::next_permutation(order).found);
  return sum / orders;
}

MetricValues by_definition(const std::vector<Judgement>& all, std::size_t bins) {
  MetricValues m;
  m.values.fill(none);
  const auto n = static_cast<double>(all.size());
  std::vector<double> quantiles, widths;
  for (std::size_t i = 1; i < bins; ++i) {
    const double share = static_cast<double>(i) * (1 / static_cast<double>(bins));
    quantiles.push_back(percentile(all, share * 100));
    widths.push_back(share);
  }
  const auto confidence = [](const Judgement& j) { return j.confidence; };
  const auto gap = [&](const std::vector<Judgement>& inside) {
    return mean_of(inside, value) - mean_of(inside, confidence);
  };
  m[accuracy] = mean_of(all, value);
  m[mean_confidence] = mean_of(all, confidence);
  m[brier] = mean_of(all, [](const Judgement& j) { return std::pow(j.confidence - value(j), 2); });
  m[log_loss] = mean_of(all, [](const Judgement& j) {
    const double c = std::min(std::max(j.confidence, 1e-12), 1 - 1e-12);
    return -(value(j) * std::log(c) + (1 - value(j)) * std::log(1 - c));
  });
  m[brier_uncertainty] = m[accuracy] * (1 - m[accuracy]);
  if (m[brier_uncertainty] > 0) m[brier_skill] = 1 - m[brier] / m[brier_uncertainty];
  m[ece] = m[mce] = 0;
  for (const auto& inside : binned(all, widths)) {
    m[ece] += static_cast<double>(inside.size()) / n * std::abs(gap(inside));
    m[mce] = std::max(m[mce], std::abs(gap(inside)));
  }
  if (all.size() >= bins) {
    const auto parts = binned(all, quantiles);
    m[ace] = m[brier_reliability] = m[brier_resolution] = m[brier_within_bin] = 0;
    for (const auto& inside : parts) {
      const double share = static_cast<double>(inside.size()) / n;
      m[ace] += std::abs(gap(inside)) / static_cast<double>(parts.size());
      m[brier_reliability] += share * std::pow(gap(inside), 2);
      m[brier_resolution] += share * std::pow(mean_of(inside, value) - m[accuracy], 2);
      // The within-bin term is the variance of the confidences in a bin minus twice their
      // covariance with correctness.
      const double c = mean_of(inside, confidence);
      const double y = mean_of(inside, value);
      m[brier_within_bin] +=
          share * mean_of(inside, [&](const Judgement& j) {
            return std::pow(j.confidence - c, 2) - 2 * (j.confidence - c) * (value(j) - y);
          });
    }
  }
  m[auroc] = auroc_by_pairs(all);
  m[aurc] = aurc_by_chances(all);
  return m;
}

void check_same(const MetricValues& made, const MetricValues& expected, double tolerance = 1e-11) {
  for (std::size_t i = 0; i < calibration_metric_count; ++i) {
    BOOST_TEST(
        near(made.values[i], expected.values[i], tolerance),
        declared_metrics[i].key << ": " << made.values[i] << " is not " << expected.values[i]);
  }
}

}  // namespace

// Two equal-count bins contain {0.2, 0.4} with one right answer and {0.6, 0.8} with two: the gaps
// are 0.2 and 0.3. Each of the four equal-width bins (0, ¼], (¼, ½], (½, ¾], (¾, 1] contains one
// answer.
BOOST_AUTO_TEST_CASE(a_small_example_by_hand) {
  const std::vector<Judgement> four{{0.8, true}, {0.2, false}, {0.6, true}, {0.4, true}};
  const MetricValues two = metrics_of(four, 2);
  BOOST_TEST(near(two[accuracy], 0.75));
  BOOST_TEST(near(two[mean_confidence], 0.5));
  BOOST_TEST(near(two[ace], 0.25));
  BOOST_TEST(near(two[brier], (0.04 + 0.04 + 0.16 + 0.36) / 4));
  BOOST_TEST(near(two[brier_reliability], (0.04 + 0.09) / 2));
  BOOST_TEST(near(two[brier_resolution], 0.0625));
  BOOST_TEST(near(two[brier_uncertainty], 0.1875));
  BOOST_TEST(near(two[brier_within_bin], 0.15 - (0.065 - 0.0625 + 0.1875)));
  BOOST_TEST(near(two[brier_skill], 1 - 0.15 / 0.1875));
  BOOST_TEST(near(two[log_loss], -std::log(0.8 * 0.8 * 0.6 * 0.4) / 4));
  BOOST_TEST(near(two[auroc], 1.0));
  BOOST_TEST(near(two[aurc], (0 + 0 + 0 + 0.25) / 4));
  const MetricValues in_four = metrics_of(four, 4);
  BOOST_TEST(near(in_four[ece], (0.2 + 0.2 + 0.4 + 0.6) / 4));
  BOOST_TEST(near(in_four[mce], 0.6));
}

// The expected values are from scikit-learn 1.9: calibration_curve for the same twelve answers with
// 3, 4 and 5 bins, then the mean of |prob_true − prob_pred| for strategy "quantile" and its maximum
// for "uniform"; and roc_auc_score.
BOOST_AUTO_TEST_CASE(twelve_answers_have_scikit_learns_numbers) {
  const std::vector<double> c{.05, .1, .1, .2, .35, .35, .35, .5, .62, .8, .8, .97};
  const std::vector<int> y{0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1};
  std::vector<Judgement> twelve;
  for (std::size_t i = 0; i < c.size(); ++i) twelve.push_back({c[i], y[i] == 1});
  BOOST_TEST(near(metrics_of(twelve, 3)[ace], 0.09916666666666664));
  BOOST_TEST(near(metrics_of(twelve, 4)[ace], 0.1289583333333333));
  BOOST_TEST(near(metrics_of(twelve, 5)[ace], 0.1289583333333333));
  BOOST_TEST(near(metrics_of(twelve, 3)[mce], 0.1433333333333332));
  BOOST_TEST(near(metrics_of(twelve, 4)[mce], 0.62));
  BOOST_TEST(near(metrics_of(twelve, 5)[mce], 0.5));
  BOOST_TEST(near(metrics_of(twelve, 5)[auroc], 0.7916666666666666));
}

BOOST_AUTO_TEST_CASE(random_answers_with_many_ties_have_the_numbers_of_the_definitions) {
  RandomStream random(3, "shapes");
  for (int round = 0; round < 60; ++round) {
    const std::size_t count = 1 + random.below(70);
    const std::size_t steps = 1 + random.below(12);
    const std::size_t bins = 1 + random.below(25);
    const auto judgements = tied_judgements(count, steps, std::to_string(round) + "m");
    check_same(metrics_of(judgements, bins), by_definition(judgements, bins));
  }
}

BOOST_AUTO_TEST_CASE(a_resample_has_the_numbers_of_its_answers_written_out) {
  RandomStream random(4, "shapes");
  for (int round = 0; round < 40; ++round) {
    const std::size_t count = 1 + random.below(60);
    const std::size_t bins = 1 + random.below(25);
    const std::size_t steps = round % 3 == 0 ? 1000 : 1 + random.below(12);
    const auto judgements = tied_judgements(count, steps, std::to_string(round) + "r");
    const SortedJudgements sorted(judgements, bins);
    const std::vector<std::size_t> strata{count};
    const Resamples resamples(strata, {.seed = 6, .resamples = 4}, std::to_string(round));
    for (std::size_t r = 0; r < resamples.size(); ++r) {
      std::vector<Judgement> written_out;
      for (std::size_t i = 0; i < count; ++i) {
        written_out.insert(written_out.end(), resamples.counts(r)[i], judgements[i]);
      }
      check_same(sorted.metrics(resamples.counts(r)), by_definition(written_out, bins));
    }
    const std::vector<std::uint16_t> once(count, 1);
    check_same(sorted.metrics(once), sorted.metrics(), 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(a_resample_may_be_one_answer_many_times) {
  const std::vector<Judgement> three{{0.9, true}, {0.25, true}, {0.25, false}};
  const SortedJudgements sorted(three, 3);
  const std::vector<std::vector<std::uint16_t>> all_of_one{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
  for (std::size_t i = 0; i < 3; ++i) {
    check_same(sorted.metrics(all_of_one[i]), by_definition({three[i], three[i], three[i]}, 3));
  }
}

BOOST_AUTO_TEST_CASE(risk_is_the_mean_over_all_orders_of_equals) {
  for (int round = 0; round < 12; ++round) {
    const auto judgements = tied_judgements(6, 2, std::to_string(round) + "orders");
    BOOST_TEST(near(metrics_of(judgements)[aurc], aurc_by_orders(judgements)));
  }
}

BOOST_AUTO_TEST_CASE(fewer_answers_than_bins_have_no_equal_count_numbers) {
  const auto judgements = tied_judgements(19, 7, "few");
  const MetricValues few = metrics_of(judgements, 20);
  for (const auto metric : {ace, brier_reliability, brier_resolution, brier_within_bin}) {
    BOOST_TEST(std::isnan(few[metric]));
    BOOST_TEST(std::isfinite(metrics_of(judgements, 19)[metric]));
  }
  for (const auto metric : {accuracy, ece, mce, brier, brier_uncertainty, log_loss, auroc, aurc}) {
    BOOST_TEST(std::isfinite(few[metric]));
  }
}

// All answers are in one bin: ACE = ECE = MCE = |0.6 − 0.7|, the reliability is the square of that,
// and the resolution is 0.
BOOST_AUTO_TEST_CASE(a_constant_confidence_is_one_bin) {
  std::vector<Judgement> constant(40, {0.7, true});
  for (std::size_t i = 0; i < 16; ++i) constant[i].correct = false;
  const MetricValues m = metrics_of(constant);
  BOOST_TEST(near(m[ace], 0.1));
  BOOST_TEST(near(m[ece], 0.1));
  BOOST_TEST(near(m[mce], 0.1));
  BOOST_TEST(near(m[brier], 0.01 + 0.24));
  BOOST_TEST(near(m[brier_reliability], 0.01));
  BOOST_TEST(near(m[brier_resolution], 0.0));
  BOOST_TEST(near(m[brier_within_bin], 0.0));
  BOOST_TEST(near(m[auroc], 0.5));
  BOOST_TEST(near(m[aurc], 0.4));
}

BOOST_AUTO_TEST_CASE(all_right_all_wrong_and_none_have_documented_values) {
  const MetricValues right = metrics_of(std::vector<Judgement>(20, {1.0, true}));
  const MetricValues wrong = metrics_of(std::vector<Judgement>(20, {1.0, false}));
  BOOST_TEST(right[ace] == 0.0);
  BOOST_TEST(right[aurc] == 0.0);
  BOOST_TEST(wrong[ace] == 1.0);
  BOOST_TEST(wrong[aurc] == 1.0);
  for (const MetricValues& m : {right, wrong}) {
    BOOST_TEST(std::isnan(m[auroc]));
    BOOST_TEST(std::isnan(m[brier_skill]));
    BOOST_TEST(m[brier_uncertainty] == 0.0);
  }
  // Probabilities are clipped at 1e-12, so a fully confident error costs ln 1e12.
  BOOST_TEST(near(wrong[log_loss], 12 * std::log(10.0), 1e-4));
  BOOST_TEST(near(metrics_of({{0.0, true}}, 1)[log_loss], 12 * std::log(10.0), 1e-9));
  BOOST_TEST(near(right[log_loss], 1e-12, 1e-15));
  for (const double number : metrics_of({}).values) BOOST_TEST(std::isnan(number));
}

BOOST_AUTO_TEST_CASE(the_order_of_answers_does_not_matter_and_the_ranks_see_order_only) {
  auto judgements = tied_judgements(50, 8, "order");
  const MetricValues before = metrics_of(judgements);
  std::ranges::reverse(judgements);
  check_same(metrics_of(judgements), before);
  for (Judgement& judgement : judgements) judgement.confidence = std::sqrt(judgement.confidence);
  const MetricValues other = metrics_of(judgements);
  BOOST_TEST(near(other[auroc], before[auroc]));
  BOOST_TEST(near(other[aurc], before[aurc]));
  BOOST_TEST(!near(other[brier], before[brier], 1e-3));
}

BOOST_AUTO_TEST_CASE(metric_keys_follow_declaration_order) {
  const auto name = [](CalibrationMetric metric) {
    return declared_metrics[static_cast<std::size_t>(metric)].key;
  };
  BOOST_TEST(name(accuracy) == "accuracy");
  BOOST_TEST(name(ace) == "ace");
  BOOST_TEST(name(brier) == "brier");
  BOOST_TEST(name(log_loss) == "log_loss");
  BOOST_TEST(name(aurc) == "aurc");
  BOOST_TEST(static_cast<std::size_t>(aurc) + 1 == calibration_metric_count);
}

BOOST_AUTO_TEST_CASE(a_confidence_that_is_no_probability_is_refused) {
  for (const double confidence :
       {std::nan(""), -0.1, 1.1, std::numeric_limits<double>::infinity()}) {
    const std::vector<Judgement> judgements{{0.5, true}, {confidence, false}};
    BOOST_CHECK_EXCEPTION(SortedJudgements(judgements, 2), Error,
                          test::says(Fault::user, "is not in [0, 1]"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
