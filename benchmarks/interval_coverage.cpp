// SPDX-License-Identifier: Apache-2.0

// How often does a 95% interval for a proportion contain the true proportion?
//
//   interval_coverage [DRAWS] [SEED]
// It measures the coverage for 5, 30 and 300 facts with true proportions of 0, 0.02, 0.5 and 1. It
// first reports the coverage of Wilson's interval, summed over all outcomes of the binomial, and
// whether any set of consecutive outcomes around the likeliest one reaches 95 ± 1% (with few
// outcomes, this may be impossible). It then reports, from DRAWS seeded draws, the coverage of the
// interval in measure/clustered_share.hpp for facts in relations of different difficulty, for facts
// with several prompts each, and for both. Finally, it reports the coverage of the percentile
// bootstrap of the mean, which that interval replaces.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/measure/clustered_share.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace {

using namespace plumb::detail;

bool holds(const Estimate& e, double p) {
  return e.has_interval() && e.low <= p + 1e-12 && p - 1e-12 <= e.high;
}

/// The probabilities of 0, 1, … n successes in n trials.
std::vector<double> binomial(std::size_t n, double p) {
  std::vector<double> all(n + 1, 0.0);
  if (p <= 0 || p >= 1) {
    all[p <= 0 ? 0 : n] = 1;
    return all;
  }
  const double trials = static_cast<double>(n);
  for (std::size_t k = 0; k <= n; ++k) {
    const double hits = static_cast<double>(k);
    all[k] =
        std::exp(std::lgamma(trials + 1) - std::lgamma(hits + 1) - std::lgamma(trials - hits + 1) +
                 hits * std::log(p) + (trials - hits) * std::log1p(-p));
  }
  return all;
}

/// Whether some consecutive outcomes that include the likeliest one have a total probability
/// between 94% and 96%.
bool is_attainable(const std::vector<double>& outcomes) {
  const auto best = static_cast<std::size_t>(std::max_element(outcomes.begin(), outcomes.end()) -
                                             outcomes.begin());
  for (std::size_t from = 0; from <= best; ++from) {
    double share = 0;
    for (std::size_t k = from; k < outcomes.size(); ++k) {
      share += outcomes[k];
      if (k >= best && share >= 0.94 && share <= 0.96) return true;
    }
  }
  return false;
}

/// How facts are grouped.
struct Design {
  const char* name;
  bool relations;
  std::size_t prompts;
};

/// Draws facts whose results have mean p. The means of the relations alternate between p plus and p
/// minus half the distance from p to 0 or 1, whichever is closer.
std::vector<Stratum> draw(const Design& design, std::size_t facts, double p, RandomStream& random) {
  const std::size_t relations = !design.relations ? 1 : facts == 5 ? 2 : facts == 30 ? 6 : 30;
  std::vector<Stratum> strata(relations);
  for (std::size_t r = 0; r < relations; ++r) {
    const double away = relations > 1 ? std::min(p, 1 - p) / 2 : 0;
    const double hard = r % 2 == 0 ? p + away : p - away;
    strata[r].weight = 1 / static_cast<double>(relations);
    const std::size_t size = facts / relations + (r < facts % relations ? 1 : 0);
    for (std::size_t fact = 0; fact < size; ++fact) {
      // Half of the facts have the same result under all prompts.
      const bool alike = random.uniform() < 0.5, known = random.uniform() < hard;
      double right = 0;
      for (std::size_t j = 0; j < design.prompts; ++j) {
        right += (alike ? known : random.uniform() < hard) ? 1 : 0;
      }
      strata[r].values.push_back(right / static_cast<double>(design.prompts));
    }
  }
  return strata;
}

template <class Interval>
std::string simulated(const Design& design, std::size_t facts, double p, std::size_t draws,
                      std::uint64_t seed, Interval interval) {
  RandomStream random(
      seed, std::string(design.name) + "/" + std::to_string(facts) + "/" + with_decimals(p, 2));
  std::size_t held = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    held += holds(interval(draw(design, facts, p, random)), p) ? 1U : 0U;
  }
  return with_decimals(100 * static_cast<double>(held) / static_cast<double>(draws), 1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t draws = argc > 1 ? std::stoul(argv[1]) : 10'000;
  const std::uint64_t seed = argc > 2 ? std::stoull(argv[2]) : 0;
  const Design alone{"facts", false, 1}, relations{"relations", true, 1};
  const Design prompts{"prompts", false, 4}, both{"relations and prompts", true, 4};
  TextTable table(
      {"facts", "share", "Wilson, exact", "95 ± 1", "relations", "4 prompts", "both", "bootstrap"});
  for (const std::size_t facts : {5U, 30U, 300U}) {
    for (const double p : {0.0, 0.02, 0.5, 1.0}) {
      const std::vector<double> outcomes = binomial(facts, p);
      double exact = 0;
      for (std::size_t k = 0; k <= facts; ++k) {
        if (holds(wilson(k, facts), p)) exact += outcomes[k];
      }
      const bool is_met = std::abs(exact - 0.95) <= 0.01;
      const auto clustered = [&](const Design& design) {
        return simulated(design, facts, p, draws, seed, clustered_share);
      };
      const std::size_t few = std::min<std::size_t>(draws, 1000);
      table.add({std::to_string(facts), with_decimals(p, 2), with_decimals(100 * exact, 1),
                 is_met                    ? "yes"
                 : is_attainable(outcomes) ? "no"
                                           : "no outcomes have it",
                 clustered(relations), clustered(prompts), clustered(both),
                 simulated(alone, facts, p, few, seed, [](const std::vector<Stratum>& strata) {
                   return bootstrap_mean(strata, {}, "share");
                 })});
    }
    if (facts < 300) table.add_rule();
  }
  std::cout << "How often 95% intervals contain the true share, in percent; " << draws
            << " draws, seed " << seed << ".\n"
            << table.text();
  return 0;
}
