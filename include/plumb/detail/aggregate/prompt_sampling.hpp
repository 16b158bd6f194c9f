// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much does accuracy vary with the prompts that happen to be used?
//
// A sampling draws one prompt for every fact; its accuracy is the proportion of the facts T that
// are answered correctly. Over N samplings, the mean, the range (highest minus lowest) and the
// standard deviation of the accuracy are computed. There are two ways to draw:
//   by fact      each fact draws one of its prompts, independently of other facts;
//   by relation  a relation draws one of its templates, which all its facts share; each fact then
//                draws one of its subject's expressions under it, independently.
// Prompts are not sampled one by one. All facts with the same proportion p of correctly answered
// prompts are drawn together: the number of correctly answered facts among them is Binomial(number
// of these facts, p). If the template is drawn first, this is done for each template. Let p_t be
// the proportion of fact t's prompts that are answered correctly, p_tj the same proportion under
// template j, and k_r the number of templates of relation r. Then
//   by fact      mean Σ p_t / |T|,  sd √(Σ p_t (1 − p_t)) / |T|
//   by relation  mean Σ_r Σ_j (Σ_t p_tj) / k_r / |T|,
//                sd √(Σ_r [Var_j(Σ_t p_tj) + Σ_j Σ_t p_tj (1 − p_tj) / k_r]) / |T|.
// The second sd follows from the law of total variance. The between-template component is n_r²
// Var_r, where Var_r is the variance (over k_r) of the templates' accuracies. The within-template
// component is the variance due to the expressions, which is 0 if every subject has one expression.
// In a closed set, a tie of n options for the best score counts as 1/n if it includes the right
// option, as in the mean of all prompts. Ties are not broken at random, because how ties are broken
// is not a property of the prompts. If there are such ties, p is the mean of the values of a fact's
// prompts, and p (1 − p) is replaced by the variance of these values. Source: "What Matters in
// Learning Facts in Language Models?", section 2.2. The paper's text describes drawing by fact. The
// standard deviations in its tables (.02–.03) exceed the bound for drawing by fact (1 / 2√|T|) and
// are consistent with drawing by relation.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/core/binomial_table.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class SampleBy { fact, relation };
[[nodiscard]] constexpr std::array<SampleBy, 2> every(SampleBy) noexcept {
  return {SampleBy::fact, SampleBy::relation};
}
[[nodiscard]] constexpr std::string_view name_of(SampleBy by) noexcept {
  return by == SampleBy::fact ? "fact" : "relation";
}

struct PromptSampling {
  SampleBy by = SampleBy::fact;
  std::size_t samplings = 50'000;
  std::uint64_t seed = 0;
};

/// A bar of a histogram: the samplings with an accuracy in [from, to), within [0, 1].
struct AccuracyBar {
  double from = 0;
  double to = 0;
  std::size_t samplings = 0;
};

struct SampledAccuracy {
  SampleBy by = SampleBy::fact;
  /// The number of facts with a prompt; the accuracies are proportions of these facts. If this is
  /// 0, there are no numbers.
  std::size_t facts = 0;
  /// The number of facts without a prompt; these facts are omitted.
  std::size_t without_prompt = 0;
  /// When drawing by relation: the number of (fact, template) pairs in which the fact has no prompt
  /// under that template of its relation. If that template is drawn, one of all the fact's prompts
  /// is drawn instead.
  std::size_t gaps = 0;
  /// The mean, computed in closed form.
  double exact_mean = no_number;
  double exact_sd = no_number;
  /// Computed over the samplings, of which there must be at least one; the SD needs at least two.
  double mean = no_number;
  std::optional<double> sd;
  /// The number of correctly answered facts in each sampling, in ascending order; ties make these
  /// numbers fractional.
  std::vector<double> right;

  /// The quantile `q`, interpolated between the two nearest samplings; `no_number` if there are no
  /// samplings, as for the other numbers here.
  [[nodiscard]] double quantile(double q) const {
    return right.empty() ? no_number : plumb::detail::quantile(right, q) / denominator();
  }
  [[nodiscard]] double low() const { return quantile(0); }
  [[nodiscard]] double high() const { return quantile(1); }
  [[nodiscard]] double range() const {
    return right.empty() ? no_number : (right.back() - right.front()) / denominator();
  }

  /// Returns at most `bars` bars, from the lowest accuracy to the highest; `bars` must be positive.
  /// All bars have the same width, a whole number of facts, so that no bar is higher only because
  /// it covers more values than another. Bar edges lie half a fact away from the whole numbers that
  /// the bars cover.
  [[nodiscard]] std::vector<AccuracyBar> histogram(std::size_t bars) const {
    if (right.empty()) return {};
    const auto whole = [](double count) { return static_cast<std::size_t>(std::lround(count)); };
    const std::size_t lowest = whole(right.front());
    const std::size_t values = whole(right.back()) - lowest + 1;
    const std::size_t width = (values + bars - 1) / bars;
    std::vector<AccuracyBar> all((values + width - 1) / width);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double first = static_cast<double>(lowest + i * width) - 0.5;
      all[i].from = (std::max)(0.0, first / denominator());
      all[i].to = (std::min)(1.0, (first + static_cast<double>(width)) / denominator());
    }
    for (const double count : right) ++all[(whole(count) - lowest) / width].samplings;
    return all;
  }

 private:
  [[nodiscard]] double denominator() const { return static_cast<double>(facts); }
};

/// A unit that is drawn as a whole: first one of several equally likely choices, and then the
/// numbers of correctly answered facts.
struct SamplingPool {
  /// The index of its first choice among all choices, and the number of its choices.
  std::size_t first = 0;
  std::size_t choices = 0;
};

/// The prompts of a fact, from which one is drawn.
using DrawnPrompts = std::span<const PromptOutcome>;

/// The number of correctly answered facts among those whose result is the same in every draw; the
/// index range of the tables for the other facts; and the index range of the facts with ties.
struct SamplingChoice {
  double certain = 0;
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t first_tied = 0;
  std::size_t end_tied = 0;
};

/// A way of sampling, decomposed into binomials.
class SamplingPlan {
 public:
  /// Starts a new pool, to which all subsequently added choices belong.
  void begin_pool() { pools_.push_back({choices_.size(), 0}); }

  /// Adds a choice to the latest pool: for each fact, the prompts from which one is drawn. The
  /// prompts must outlive the plan.
  void add_choice(std::span<const DrawnPrompts> facts) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> by_share;
    SamplingChoice choice{0, used_.size(), 0, tied_.size(), 0};
    for (const DrawnPrompts prompts : facts) {
      const auto [right, total, of_ties] = count_right(prompts);
      if (prompts.size() == 1) {
        choice.certain += prompts.front().accuracy();
      } else if (of_ties > 0) {
        tied_.push_back(prompts);
      } else if (right == total) {
        choice.certain += 1;
      } else if (right > 0) {
        const std::uint32_t common = std::gcd(right, total);
        ++by_share[{right / common, total / common}];
      }
    }
    choice.end_tied = tied_.size();
    for (const auto& [share, trials] : by_share) {
      const auto key = std::tuple{trials, share.first, share.second};
      const auto [place, added] =
          table_of_.emplace(key, static_cast<std::uint32_t>(tables_.size()));
      if (added) tables_.emplace_back(trials, share.first, share.second);
      used_.push_back(place->second);
    }
    choice.end = used_.size();
    choices_.push_back(choice);
    ++pools_.back().choices;
  }

  /// The number of correctly answered facts in one sampling.
  [[nodiscard]] double draw(RandomStream& random) const {
    double certain = 0;
    std::size_t right = 0;
    for (const SamplingPool& pool : pools_) {
      const SamplingChoice& choice = choices_[pool.first + random.below(pool.choices)];
      certain += choice.certain;
      for (std::size_t i = choice.first; i < choice.end; ++i) right += tables_[used_[i]](random);
      for (std::size_t i = choice.first_tied; i < choice.end_tied; ++i) {
        certain += tied_[i][random.below(tied_[i].size())].accuracy();
      }
    }
    return certain + static_cast<double>(right);
  }

 private:
  std::vector<SamplingPool> pools_;
  std::vector<SamplingChoice> choices_;
  /// Indices of the choices' tables; choices with the same number of facts and the same proportion
  /// use the same table.
  std::vector<std::uint32_t> used_;
  std::vector<BinomialTable> tables_;
  /// Facts that are drawn prompt by prompt, because some of their prompts count as neither 0 nor 1.
  std::vector<DrawnPrompts> tied_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> table_of_;
};

/// The sum over facts of the mean, and the sum over facts of the variance, of the value of a prompt
/// drawn at random from the fact's prompts.
inline std::pair<double, double> drawn_sums(std::span<const DrawnPrompts> facts) {
  std::pair<double, double> sums;
  for (const DrawnPrompts prompts : facts) {
    const double mean = count_right(prompts).share();
    double squares = 0;
    for (const PromptOutcome& prompt : prompts) squares += prompt.accuracy() * prompt.accuracy();
    sums.first += mean;
    sums.second += squares / static_cast<double>(prompts.size()) - mean * mean;
  }
  return sums;
}

/// Plans a relation's draws and adds the mean and variance of its number of correctly answered
/// facts to the sums.
inline void plan_relation(const PromptOutcomes& table, const PromptRelation& relation,
                          SamplingPlan& plan, SampledAccuracy& made, double& mean,
                          double& variance) {
  std::vector<DrawnPrompts> all;  // the prompts of each fact that has any
  for (std::size_t i = 0; i < relation.facts; ++i) {
    const auto prompts = table.prompts(relation.first_fact + i);
    if (prompts.empty()) continue;
    all.push_back(prompts);
  }
  if (all.empty()) return;
  // The prompts of each template and fact: templates × facts, row by row.
  std::vector<DrawnPrompts> under;
  for (std::size_t j = 0; j < relation.templates.size(); ++j) {
    under.insert(under.end(), all.begin(), all.end());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for_each_template(
        all[i], [&](std::size_t j, DrawnPrompts prompts) { under[j * all.size() + i] = prompts; });
  }
  const std::vector<std::size_t> asked = facts_asked(table, relation);
  std::vector<double> means;
  double within = 0;
  plan.begin_pool();
  for (std::size_t j = 0; j < asked.size(); ++j) {
    if (asked[j] == 0) continue;
    const auto row = std::span(under).subspan(j * all.size(), all.size());
    plan.add_choice(row);
    const auto [sum, spread] = drawn_sums(row);
    means.push_back(sum);
    within += spread;
    made.gaps += all.size() - asked[j];
  }
  const double k = static_cast<double>(means.size());
  double relation_mean = 0;
  for (const double value : means) relation_mean += value / k;
  double between = 0;
  for (const double value : means) between += (value - relation_mean) * (value - relation_mean);
  mean += relation_mean;
  variance += (between + within) / k;
}

/// Samplings are drawn in blocks of 1024, each from its own stream, so that they depend only on the
/// seed and the way of drawing, not on the number of threads. Relations are processed in the order
/// of their codes, so their order in the table has no effect. The order of a relation's facts has
/// an effect only if there are ties. Templates that were not used for any fact are ignored.
[[nodiscard]] inline SampledAccuracy sample_accuracy(const PromptOutcomes& table,
                                                     const PromptSampling& options) {
  SampledAccuracy made;
  made.by = options.by;
  detail::SamplingPlan plan;
  double mean = 0;
  double variance = 0;
  std::vector<detail::DrawnPrompts> facts;
  for (std::size_t fact = 0; fact < table.facts(); ++fact) {
    if (!table.prompts(fact).empty()) facts.push_back(table.prompts(fact));
  }
  made.facts = facts.size();
  made.without_prompt = table.facts() - facts.size();
  if (facts.empty()) return made;
  if (options.by == SampleBy::fact) {
    std::tie(mean, variance) = detail::drawn_sums(facts);
    plan.begin_pool();
    plan.add_choice(facts);
  } else {
    std::vector<const PromptRelation*> by_code;
    for (const PromptRelation& relation : table.relations()) by_code.push_back(&relation);
    ranges::stable_sort(by_code, {}, [](const PromptRelation* one) { return one->code; });
    for (const PromptRelation* relation : by_code) {
      detail::plan_relation(table, *relation, plan, made, mean, variance);
    }
  }
  const double all = static_cast<double>(made.facts);
  made.exact_mean = mean / all;
  made.exact_sd = std::sqrt(variance) / all;
  constexpr std::size_t block = 1024;
  made.right.resize(options.samplings);
  const std::string name =
      std::string("prompt sampling/") + (options.by == SampleBy::fact ? "fact/" : "relation/");
  parallel_for((options.samplings + block - 1) / block, [&](std::size_t b) {
    RandomStream random(options.seed, name + std::to_string(b));
    const std::size_t end = (std::min)((b + 1) * block, options.samplings);
    for (std::size_t i = b * block; i < end; ++i) made.right[i] = plan.draw(random);
  });
  ranges::sort(made.right);
  std::vector<double> accuracies;
  for (const double count : made.right) accuracies.push_back(count / all);
  made.sd = sample_sd(accuracies);
  if (accuracies.empty()) return made;
  made.mean = 0;
  for (const double accuracy : accuracies) {
    made.mean += accuracy / static_cast<double>(accuracies.size());
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
