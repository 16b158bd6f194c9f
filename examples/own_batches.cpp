// SPDX-License-Identifier: Apache-2.0

// My engine takes batches, answers asynchronously and in BF16, and returns logits only for the last
// token of each sequence. Is that enough?
//
// SequenceBatches turns plumb's trees into sequences; the adapter waits for results and widens them
// to F32.
//
// Prints:
//   knows 2 of 2 facts
//   the largest batch had 16 sequences

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <future>
#include <vector>

#include "own_engine.hpp"
#include "plumb/candidate_scorer.hpp"
#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"

/// A stand-in for an engine on another thread or GPU: it returns a future with logits in BF16.
struct LateEngine : Engine {
  [[nodiscard]] std::future<std::vector<std::uint16_t>> submit(
      std::vector<plumb::TokenId> tokens) const {
    return std::async(std::launch::async, [this, tokens = std::move(tokens)] {
      std::vector<std::uint16_t> row;
      for (const float logit : next(tokens)) {
        row.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(logit) >> 16U));
      }
      return row;
    });
  }
};

/// The tokenizer and limits come from own_engine.hpp. Submits the whole batch, then waits for the
/// results.
struct BatchModel : EngineModel {
  void evaluate(std::span<const std::vector<plumb::TokenId>> sequences, const auto& visit) {
    largest = std::max(largest, sequences.size());
    std::vector<std::future<std::vector<std::uint16_t>>> rows;
    for (const auto& sequence : sequences) rows.push_back(engine.submit(sequence));
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      std::vector<float> logits;
      for (const std::uint16_t half : rows[i].get()) {
        logits.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16U));
      }
      visit(i, static_cast<std::uint32_t>(sequences[i].size() - 1), logits);
    }
  }
  LateEngine engine;
  std::size_t largest = 0;
};
static_assert(plumb::BatchCausalLm<BatchModel>);

int main() {
  plumb::SequenceBatches model(BatchModel(), 16);
  plumb::CausalScorer scorer(model);
  const plumb::Answers answers =
      plumb::probe(scorer, {"cities",
                            {plumb::relation_of("country", {"[X] is in [Y]."},
                                                {{"Oslo", "Norway"}, {"Lima", "Peru"}})}});
  const auto numbers = plumb::metrics_of(answers).overall;
  std::printf("knows %.0f of %zu facts\n",
              numbers.accuracy.value * static_cast<double>(numbers.facts), numbers.facts);
  std::printf("the largest batch had %zu sequences\n", model.model().largest);
}
