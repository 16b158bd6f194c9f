// SPDX-License-Identifier: Apache-2.0

// Can the types that allow concurrent use be used by any number of threads? Do two models on two
// threads share no data?
//
// test_packaging.py builds this program with -fsanitize=thread, which reports data that two threads
// access at the same time. Prints "same" if every thread computes the same results as a single
// thread.

#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "plumb/detail/aggregate/probe_in_memory.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/tree_generator.hpp"
#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/rank/cosine_ranker.hpp"
#include "plumb/detail/score/causal_scorer.hpp"

namespace {

constexpr std::size_t thread_count = 4;

/// Runs the same work on several threads at the same time; returns whether all results equal this
/// thread's.
template <class Work>
bool same_on_all_threads(Work work) {
  const auto expected = work();
  std::vector<decltype(work())> made(thread_count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] { made[i] = work(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : made) {
    if (one != expected) return false;
  }
  return true;
}

plumb::detail::Dataset capitals() {
  plumb::detail::Relation capital{
      "capital", {"[X]: [Y]", "[Y] of [X]"}, {"Paris", "Seoul"}, {"p", "s"}};
  for (std::size_t i = 0; i < 40; ++i) {  // enough for an interval
    const std::string number = std::to_string(i);
    capital.facts.push_back({number, number + (i % 3 == 0 ? " Korea" : " France"), {}, i % 2});
  }
  return {"capitals", {capital}, {}};
}

}  // namespace

int main() {
  using namespace plumb::detail;
  bool same = true;

  // All threads read the same ranker, resamples and predictions.
  EmbeddingMatrix vectors(200, 16);
  RandomStream random(1, "threads");
  for (Eigen::Index i = 0; i < vectors.size(); ++i) {
    vectors.data()[i] = static_cast<float>(random.uniform()) - 0.5F;
  }
  const CosineRanker ranker(VectorRows(vectors.data(), 200, 16));
  std::vector<RankQuestion> questions;
  for (std::uint32_t i = 0; i < 50; ++i) questions.push_back({i, 199 - i});
  same = same && same_on_all_threads(
                     [&] { return ranker.ranks(VectorRows(vectors.data(), 50, 16), questions); });

  const Dataset dataset = capitals();
  const auto probed = [&] {  // each thread creates its own model
    NgramTreeModel model("France: Paris. Korea: Seoul.", 8);
    CausalScorer scorer(model);
    return probe_in_memory(scorer, dataset).relations;
  };
  const std::vector<RelationPredictions> relations = probed();
  const Resamples resamples(strata_of(relations), {}, "threads");
  const Calibrator calibrator(Average(Vote{1}), 2);
  const auto high_end = [&] {
    return calibrator.calibrate(relations, resamples)[CalibrationMetric::brier].high;
  };
  same = same && std::isfinite(high_end()) && same_on_all_threads(high_end);
  same = same && same_on_all_threads([&] {
           const std::vector<RelationPredictions> mine = probed();
           std::vector<double> confidences;
           for (const Prediction& cell : mine[0].cells) confidences.push_back(cell.confidence);
           return confidences;
         });
  same = same && same_on_all_threads([&] {
           NgramTreeModel model("France: Paris. Korea: Seoul.", 8);
           TreeGenerator generator(model);
           const std::vector<TokenId> prompt{'F', 'r'};
           return generator.generate(prompt, {.samples = 5, .max_new_tokens = 6})[4].tokens;
         });
  std::puts(same ? "same" : "different");
  return same ? 0 : 1;
}
