// SPDX-License-Identifier: Apache-2.0

// My engine generates text itself. What must a continuation contain, and what does my engine
// generate?
//
// The engine is an archetype that has read one sentence; run.json records what its `describe`
// returns.
//
// Prints:
//   a 3-gram engine, F32
//   greedy: " in Norway." in 11 tokens, -53.46 nats
//   a sample of 20 tokens
//   a sample of 20 tokens
//   a sample of 20 tokens

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "plumb/model.hpp"

struct Engine : plumb::NgramModel {
  Engine() : NgramModel("Oslo is in Norway.\n", 3) {}
  [[nodiscard]] plumb::ModelDescription describe() const {
    return {.backend = "a 3-gram engine", .weights = "F32"};
  }
};
static_assert(plumb::Generator<Engine>);

int main() {
  Engine engine;
  const plumb::ModelDescription description = engine.describe();
  std::printf("%s, %s\n", description.backend.c_str(), description.weights.c_str());

  std::vector<plumb::TokenId> prompt{*engine.bos()};
  for (const auto& token : engine.tokenize("Oslo is").tokens) prompt.push_back(token.id);
  plumb::GenerationOptions options{.max_new_tokens = 20};
  const plumb::Continuation greedy = engine.generate(prompt, options).front();
  const double nats =
      std::accumulate(greedy.log_probabilities.begin(), greedy.log_probabilities.end(), 0.0);
  std::printf("greedy: \"%s\" in %zu tokens, %.2f nats\n", engine.detokenize(greedy.tokens).c_str(),
              greedy.tokens.size(), nats);

  options.samples = 3;
  for (const plumb::Continuation& one : engine.generate(prompt, options)) {
    std::printf("a sample of %zu tokens\n", one.tokens.size());
  }
}
