// SPDX-License-Identifier: Apache-2.0

// How do I combine many answers into one with my own rule?
//
// Any type with choose(paraphrases) and name() is an AggregationPolicy. This one sums confidences.
//
// Prints:
//   vote2 chooses no option
//   sum chooses option 2, the answer of 1 paraphrase

#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/aggregator.hpp"

struct LargestSum {
  [[nodiscard]] std::optional<std::size_t> choose(
      std::span<const plumb::Prediction> paraphrases) const {
    std::map<std::size_t, double> sums;
    for (const plumb::Prediction& made : paraphrases) sums[made.option] += made.confidence;
    return std::ranges::max_element(sums, {}, [](const auto& sum) { return sum.second; })->first;
  }
  [[nodiscard]] std::string name() const { return "sum"; }
};
static_assert(plumb::check_aggregation<LargestSum>());

int main() {
  const std::vector<plumb::Prediction> answers{{.option = 0, .confidence = 0.4},
                                               {.option = 1, .confidence = 0.5},
                                               {.option = 2, .confidence = 0.9}};
  const plumb::Vote vote;
  std::printf("%s chooses %s\n", vote.name().c_str(),
              plumb::aggregate(answers, vote).option ? "an option" : "no option");
  const LargestSum sum;
  const plumb::Aggregate made = plumb::aggregate(answers, sum);
  std::printf("%s chooses option %zu, the answer of %zu paraphrase\n", sum.name().c_str(),
              *made.option, made.agreeing);
}
