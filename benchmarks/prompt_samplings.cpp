// SPDX-License-Identifier: Apache-2.0

// How long do 50,000 prompt samplings take?
//
//   prompt_samplings [FACTS] [PROMPTS] [SAMPLINGS]
// Creates a table of outcomes from a seed (40 relations; each fact's fraction of correct prompts is
// drawn uniformly, so all fractions occur) and samples it both by fact and by relation, five times
// each. For comparison, it draws a prompt for every fact in a hundred samplings and extrapolates
// the time. Prints the seconds as one JSON object.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/prompt_sampling.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace plumb::detail;
  const auto argument = [&](int place, std::size_t fallback) {
    return argc > place ? std::stoul(argv[place]) : fallback;
  };
  const std::size_t facts = argument(1, 30'000), prompts = argument(2, 100);
  const std::size_t samplings = argument(3, 50'000), relations = 40;
  PromptOutcomes table;
  RandomStream random(0, "outcomes");
  std::vector<PromptOutcome> of_fact(prompts);
  for (std::size_t r = 0; r < relations; ++r) {
    std::vector<PromptTemplate> templates;
    for (std::size_t t = 0; t < prompts; ++t) templates.push_back({"[X] [Y] " + std::to_string(t)});
    table.add_relation("P" + std::to_string(r), std::move(templates));
    for (std::size_t f = r * facts / relations; f < (r + 1) * facts / relations; ++f) {
      const double share = random.uniform();
      for (std::size_t t = 0; t < prompts; ++t) {
        const bool right = random.uniform() < share;
        of_fact[t] = {right ? 0U : 1U, static_cast<std::uint16_t>(t), 0, right};
      }
      table.add_fact(std::to_string(f), of_fact);
    }
  }
  Json made = {{"facts", facts}, {"prompts", prompts}, {"samplings", samplings}};
  for (const SampleBy by : {SampleBy::fact, SampleBy::relation}) {
    std::vector<double> seconds;
    double sd = 0, exact = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto start = Clock::now();
      const SampledAccuracy sampled = sample_accuracy(table, {by, samplings, 0});
      seconds.push_back(seconds_since(start));
      sd = sampled.sd.value_or(0);
      exact = sampled.exact_sd;
    }
    made[by == SampleBy::fact ? "by_fact" : "by_relation"] = {
        {"seconds", seconds}, {"sd", sd}, {"exact_sd", exact}};
  }
  const std::size_t few = std::min<std::size_t>(100, samplings);
  std::size_t right = 0;
  const auto start = Clock::now();
  for (std::size_t i = 0; i < few; ++i) {
    for (std::size_t f = 0; f < table.facts(); ++f) {
      right += table.prompts(f)[random.below(prompts)].right ? 1U : 0U;
    }
  }
  made["fact_by_fact"] = {
      {"seconds_extrapolated",
       seconds_since(start) * static_cast<double>(samplings) / static_cast<double>(few)},
      {"mean", static_cast<double>(right) / static_cast<double>(few * facts)}};
  std::cout << made.dump(1) << "\n";
  return 0;
}
