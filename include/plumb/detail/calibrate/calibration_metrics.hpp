// SPDX-License-Identifier: Apache-2.0
#pragma once

// How well does confidence match correctness?
//
// Over n answers with confidence c and correctness y (1 or 0), B bins with counts n_b, mean
// confidences c̄_b and accuracies ȳ_b:
//   ACE          mean over non-empty equal-count bins of |ȳ_b − c̄_b|  (Nixon et al. 2020; unweighted)
//   ECE, MCE     Σ n_b/n |ȳ_b − c̄_b| and max_b |ȳ_b − c̄_b| over equal-width bins (Naeini et al. 2015)
//   Brier        mean (c − y)² = reliability − resolution + uncertainty + within-bin, where
//                reliability = Σ n_b/n (c̄_b − ȳ_b)², resolution = Σ n_b/n (ȳ_b − ȳ)²,
//                uncertainty = ȳ(1 − ȳ), over the equal-count bins (Murphy 1973); the within-bin
//                remainder is 0 if all confidences of each bin are equal
//   Brier skill  1 − Brier / uncertainty
//   log loss     mean −ln(c if y else 1 − c), c clipped to [1e-12, 1 − 1e-12]
//   AUROC        P(c of a right answer > c of a wrong one) + ½ P(equal)
//   AURC         mean over k of the error rate among the k most confident answers; the expectation
//                over random orders of equal confidences (Geifman et al. 2019)
// Metrics over equal-count bins need at least as many answers as bins, AUROC needs a right and a
// wrong answer, and Brier skill needs an uncertainty above 0. Otherwise the metric is NaN here and
// a missing Estimate elsewhere in the code.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/detail/calibrate/bins.hpp"
#include "plumb/detail/calibrate/confidence.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The metrics computed from confidences; the opening comment defines them.
enum class CalibrationMetric : std::size_t {
  accuracy,
  mean_confidence,
  ace,
  ece,
  mce,
  brier,
  brier_reliability,
  brier_resolution,
  brier_uncertainty,
  brier_within_bin,
  brier_skill,
  log_loss,
  auroc,
  aurc,
};

/// Where a metric is shown, in addition to the files, which contain all metrics.
enum class MetricTable : unsigned { terminal = 1, page_first = 2, page_second = 4 };

/// The only place where metrics are declared. A metric that is added here and measured below
/// appears in metrics.json, in the CSV file, in the terminal's table and on the page.
struct DeclaredMetric {
  CalibrationMetric metric;
  /// Its key in files.
  std::string_view key;
  std::string_view heading;
  std::string_view meaning{};
  /// A sum of MetricTable values.
  unsigned tables = static_cast<unsigned>(MetricTable::terminal) |
                    static_cast<unsigned>(MetricTable::page_second);
  /// Whether a terminal shows the interval, and whether a narrow terminal drops the column only
  /// after less important ones.
  bool interval = false, is_major = false;
  /// The values at which the metric's colour changes; all zeros if the metric has no colours.
  /// Source: Kissling et al., Table 1.
  std::array<double, 3> steps{};

  [[nodiscard]] constexpr bool is_in(MetricTable table) const noexcept {
    return (tables & static_cast<unsigned>(table)) != 0;
  }
};

/// In the order of CalibrationMetric, which is also the order in files.
inline constexpr std::array declared_metrics = [] {
  using enum CalibrationMetric;
  constexpr auto in = [](auto... tables) { return (static_cast<unsigned>(tables) | ...); };
  constexpr unsigned both = in(MetricTable::terminal, MetricTable::page_first);
  constexpr unsigned second = in(MetricTable::page_second);
  constexpr unsigned terminal_and_second = in(MetricTable::terminal, MetricTable::page_second);
  return std::array{
      DeclaredMetric{accuracy, "accuracy", "accuracy", "", both, true},
      DeclaredMetric{mean_confidence, "mean_confidence", "confidence", "", both},
      DeclaredMetric{ace,
                     "ace",
                     "ACE",
                     "ACE: mean distance between confidence and accuracy over equal-count bins.",
                     both,
                     true,
                     true,
                     {0.05, 0.1, 0.2}},
      DeclaredMetric{ece,
                     "ece",
                     "ECE",
                     "ECE and MCE: mean and largest distance between confidence and accuracy over "
                     "equal-width bins.",
                     terminal_and_second,
                     false,
                     false,
                     {0.05, 0.1, 0.2}},
      DeclaredMetric{mce, "mce", "MCE", "", second},
      DeclaredMetric{brier, "brier", "Brier", "", both, true, true, {0.1, 0.2, 0.25}},
      DeclaredMetric{
          brier_reliability, "brier_reliability", "reliability",
          "Brier = reliability − resolution + uncertainty + within-bin, over the equal-count bins.",
          second},
      DeclaredMetric{brier_resolution, "brier_resolution", "resolution", "", second},
      DeclaredMetric{brier_uncertainty, "brier_uncertainty", "uncertainty", "", second},
      DeclaredMetric{brier_within_bin, "brier_within_bin", "within bin", "", second},
      DeclaredMetric{brier_skill, "brier_skill", "skill", "Skill: 1 − Brier / uncertainty.",
                     second},
      DeclaredMetric{log_loss, "log_loss", "log loss", "", terminal_and_second},
      DeclaredMetric{auroc, "auroc", "AUROC",
                     "AUROC: how well confidence separates right answers from wrong ones.", both},
      DeclaredMetric{aurc, "aurc", "AURC",
                     "AURC: the mean error rate of the answers that remain as the least confident "
                     "ones are rejected one by one.",
                     both}};
}();
inline constexpr std::size_t calibration_metric_count = declared_metrics.size();

[[nodiscard]] constexpr const DeclaredMetric& declared_metric(CalibrationMetric metric) noexcept {
  return declared_metrics[static_cast<std::size_t>(metric)];
}
static_assert(
    [] {
      for (std::size_t i = 0; i < calibration_metric_count; ++i) {
        if (declared_metrics[i].metric != static_cast<CalibrationMetric>(i)) return false;
      }
      return true;
    }(),
    "declared_metrics must follow the order of CalibrationMetric");

/// All metrics of one set of answers, indexed by CalibrationMetric; NaN for a number that does not
/// exist.
struct MetricValues {
  std::array<double, calibration_metric_count> values{};

  [[nodiscard]] double operator[](CalibrationMetric metric) const {
    return values[static_cast<std::size_t>(metric)];
  }
  [[nodiscard]] double& operator[](CalibrationMetric metric) {
    return values[static_cast<std::size_t>(metric)];
  }
};

/// Whether a number is a confidence: in [0, 1], up to rounding.
[[nodiscard]] constexpr bool is_confidence(double value) noexcept {
  return value >= 0 && value <= 1 + 1e-9;
}

/// Answers in order of confidence. Sorting them once allows the metrics of any resample to be
/// computed in linear time; a resample specifies how often each answer counts. Thread-safe once
/// constructed.
class SortedJudgements {
 public:
  /// `bins` ≥ 1. Throws a user error for a confidence that is not in [0, 1].
  SortedJudgements(std::span<const Judgement> judgements, std::size_t bins) : bins_(bins) {
    for (const Judgement& judgement : judgements) {
      if (is_confidence(judgement.confidence)) continue;
      throw user_error({.field = "confidence"},
                       std::to_string(judgement.confidence) + " is not in [0, 1]",
                       "fix the confidence estimator");
    }
    std::vector<std::uint32_t> order(judgements.size());
    std::iota(order.begin(), order.end(), 0U);
    ranges::stable_sort(order, {}, [&](std::uint32_t i) { return judgements[i].confidence; });
    const std::vector<double> uniform = uniform_edges(bins);
    for (const std::uint32_t i : order) {
      const double c = judgements[i].confidence;
      const double y = judgements[i].correct ? 1 : 0;
      const double clipped = std::clamp(c, 1e-12, 1 - 1e-12);
      items_.push_back({c, y, (c - y) * (c - y), -std::log(y > 0 ? clipped : 1 - clipped), i,
                        static_cast<std::uint32_t>(bin_of(c, uniform))});
    }
    harmonic_.assign(items_.size() + 1, 0);
    for (std::size_t k = 1; k < harmonic_.size(); ++k) {
      harmonic_[k] = harmonic_[k - 1] + 1 / static_cast<double>(k);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] std::size_t bins() const noexcept { return bins_; }

  /// The metrics with each answer counted once.
  [[nodiscard]] MetricValues metrics() const {
    return measure([](const Item&) { return 1U; });
  }
  /// The metrics with answer i counted `counts[i]` times; the counts sum to size().
  [[nodiscard]] MetricValues metrics(std::span<const std::uint16_t> counts) const {
    return measure([&](const Item& item) -> std::uint32_t { return counts[item.index]; });
  }

 private:
  struct Item {
    double confidence, correct, squared_error, log_loss;
    std::uint32_t index, uniform_bin;
  };
  struct Bin {
    double count = 0, confidence = 0, correct = 0;
    [[nodiscard]] double gap() const { return (correct - confidence) / count; }
  };

  /// The edges of a resample, computed without expanding it. quantile_edges reads positions in
  /// ascending order, except for one step back to the previous position.
  template <class Weight>
  std::vector<double> edges(Weight weight) const {
    std::size_t item = 0;
    std::size_t from = 0;                   // positions of `item` in the resample:
    std::size_t until = weight(items_[0]);  // from, …, until − 1
    const auto at = [&](std::size_t place) {
      while (until <= place) {
        from = until;
        until += weight(items_[++item]);
      }
      while (place < from) {
        until = from;
        from -= weight(items_[--item]);
      }
      return items_[item].confidence;
    };
    return quantile_edges(at, items_.size(), bins_);
  }

  template <class Weight>
  MetricValues measure(Weight weight) const {
    using enum CalibrationMetric;
    MetricValues m;
    m.values.fill(std::numeric_limits<double>::quiet_NaN());
    if (items_.empty()) return m;
    const double n = static_cast<double>(items_.size());
    const bool enough = items_.size() >= bins_;
    const std::vector<double> inner = enough ? edges(weight) : std::vector<double>{};
    std::vector<Bin> quantile(bins_), uniform(bins_);
    std::size_t bin = 0;
    double right = 0, confidence = 0, squares = 0, losses = 0;
    for (const Item& item : items_) {
      const std::uint32_t times = weight(item);
      if (times == 0) continue;
      const double w = times;
      right += w * item.correct;
      confidence += w * item.confidence;
      squares += w * item.squared_error;
      losses += w * item.log_loss;
      while (bin < inner.size() && inner[bin] < item.confidence) ++bin;
      for (Bin* b : {&quantile[bin], &uniform[item.uniform_bin]}) {
        b->count += w;
        b->confidence += w * item.confidence;
        b->correct += w * item.correct;
      }
    }
    m[accuracy] = right / n;
    m[mean_confidence] = confidence / n;
    m[brier] = squares / n;
    m[log_loss] = losses / n;
    m[brier_uncertainty] = m[accuracy] * (1 - m[accuracy]);
    if (right > 0 && right < n) m[brier_skill] = 1 - m[brier] / m[brier_uncertainty];
    m[ece] = m[mce] = 0;
    for (const Bin& b : uniform) {
      if (b.count == 0) continue;
      m[ece] += b.count / n * std::abs(b.gap());
      m[mce] = (std::max)(m[mce], std::abs(b.gap()));
    }
    if (enough) {
      double filled = 0;
      m[ace] = m[brier_reliability] = m[brier_resolution] = 0;
      for (const Bin& b : quantile) {
        if (b.count == 0) continue;
        filled += 1;
        m[ace] += std::abs(b.gap());
        m[brier_reliability] += b.count / n * b.gap() * b.gap();
        const double lead = b.correct / b.count - m[accuracy];
        m[brier_resolution] += b.count / n * lead * lead;
      }
      m[ace] /= filled;
      m[brier_within_bin] =
          m[brier] - (m[brier_reliability] - m[brier_resolution] + m[brier_uncertainty]);
    }
    rank(weight, right, m);
    return m;
  }

  // AUROC and AURC, from the most confident answer down, one group of tied answers at a time.
  template <class Weight>
  void rank(Weight weight, double right, MetricValues& m) const {
    const double n = static_cast<double>(items_.size());
    const double wrong = n - right;
    double pairs = 0;       // right above wrong, ties count half
    double seen_right = 0;  // among the more confident answers
    double errors = 0;
    double risks = 0;
    std::size_t kept = 0;
    for (std::size_t end = items_.size(); end > 0;) {
      const double c = items_[end - 1].confidence;
      std::size_t tied = 0;
      double tied_right = 0;
      for (; end > 0 && items_[end - 1].confidence == c; --end) {
        const std::uint32_t times = weight(items_[end - 1]);
        tied += times;
        tied_right += times * items_[end - 1].correct;
      }
      if (tied == 0) continue;
      const double size = static_cast<double>(tied);
      const double tied_wrong = size - tied_right;
      pairs += tied_wrong * (seen_right + tied_right / 2);
      // Σ_{j=1..m} (E + e·j/m) / (K + j): K kept and E wrong so far, m tied, e of them wrong
      const double slope = tied_wrong / size;
      risks += tied_wrong + (errors - slope * static_cast<double>(kept)) *
                                (harmonic_[kept + tied] - harmonic_[kept]);
      kept += tied;
      errors += tied_wrong;
      seen_right += tied_right;
    }
    m[CalibrationMetric::aurc] = risks / n;
    if (right > 0 && wrong > 0) m[CalibrationMetric::auroc] = pairs / (right * wrong);
  }

  std::size_t bins_;
  std::vector<Item> items_;
  std::vector<double> harmonic_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
