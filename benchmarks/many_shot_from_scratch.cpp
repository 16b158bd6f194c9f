// SPDX-License-Identifier: Apache-2.0

// What would many-shot scoring cost without shared shots?
//
//   many_shot_from_scratch MODEL.gguf FIXED.json FACTS
//
// Scores the choices of the first FACTS facts of a fixed study: each (fact, choice) pair is a
// separate sequence, evaluated from its first token, and only the rows of the continuation's tokens
// are computed. Prints one line with the number of facts, the number of tokens, the seconds spent
// in the model (excluding tokenisation), and the largest difference from the scores in the file.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"
#include "plumb/detail/run/fixed_study.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

int main(int argc, char** argv) {
  using namespace plumb::detail;
  if (argc != 4) return 2;
  LlamaModel model({argv[1]});
  const FixedStudy study = read_fixed_file(argv[2]).studies.front();
  const std::size_t facts =
      std::min<std::size_t>(std::strtoul(argv[3], nullptr, 10), study.tests.size());
  double seconds = 0;
  double worst = 0;
  std::size_t tokens = 0;
  for (std::size_t f = 0; f < facts; ++f) {
    for (std::size_t c = 0; c < study.choices.size(); ++c) {
      const Prompt prompt =
          study.form.question(study.shots, study.tests[f].subject, study.choices[c]);
      TokenizedStatements one;
      const Tokenization made = tokenize_prompt(model, prompt, model.bos());
      one.add(prompt, made, ContinuationFinder().first(model, prompt, made, model.bos()));
      TokenTree tree;
      tree.insert(one.rest(0).first(one.length(0) - 1));  // the last token's row is not needed
      std::vector<NodeId> wanted;
      for (std::size_t t = one.continuation(0); t < one.length(0); ++t) {
        // the row before token t; nodes are numbered from 1
        wanted.push_back(static_cast<NodeId>(t));
      }
      double score = 0;
      const auto start = std::chrono::steady_clock::now();
      model.evaluate(tree, wanted, [&](NodeId node, std::span<const float> row) {
        score += static_cast<double>(row[static_cast<std::size_t>(one.token(0, node))]) -
                 log_sum_exp(row);
      });
      model.release(tree, TokenTree::root);
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      tokens += tree.size() - 1;
      if (!study.tests[f].scores.empty()) {
        worst = std::max(worst, std::abs(score - study.tests[f].scores[c]));
      }
    }
  }
  std::cout << "{\"facts\": " << facts << ", \"tokens\": " << tokens << ", \"seconds\": " << seconds
            << ", \"largest_difference\": " << worst << "}\n";
}
