// SPDX-License-Identifier: Apache-2.0

// Scores the first facts of every relation with a real model. All statements of a relation are
// scored in shared trees, and every Nth statement overall is also scored on its own. Prints the
// largest difference as JSON.
//
//   tree_against_one_by_one MODEL.gguf DATA LIMIT N

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/score/causal_scorer.hpp"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::size_t every = std::stoul(argv[4]);
  plumb::detail::LlamaModel model({argv[1]});
  plumb::detail::CausalScorer scorer(model);
  const auto dataset =
      plumb::detail::select_facts(plumb::detail::load_dataset(argv[2]), {}, std::stoul(argv[3]));
  const plumb::detail::Statement builder;
  double worst = 0;
  std::size_t statements = 0, compared = 0;
  plumb::detail::ScoringCost cost;
  for (const plumb::detail::Relation& relation : dataset.relations) {
    plumb::detail::CausalScorer<plumb::detail::LlamaModel>::Block block;
    std::vector<std::optional<plumb::detail::StatementScore>> alone;
    for (const plumb::detail::Fact& fact : relation.facts) {
      plumb::detail::Query query;
      for (std::size_t option = 0; option < relation.options.size(); ++option) {
        query.candidates.push_back(builder.build(relation, fact, 0, option));
        alone.emplace_back();
        if (statements++ % every != 0) continue;
        alone.back() = scorer.score(plumb::detail::Query{{query.candidates.back()}}).front();
      }
      scorer.add(block, query);
    }
    scorer.plan(block);
    cost += block.cost();
    for (std::size_t p = 0; p < block.packs(); ++p) {
      const auto scores = scorer.score(block, p);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const auto& one = alone[block.pack(p)[i]];
        if (!one) continue;
        ++compared;
        worst = std::max(
            {worst, std::abs(scores[i].statement.log_likelihood - one->statement.log_likelihood),
             std::abs(scores[i].answer.log_likelihood - one->answer.log_likelihood)});
        if (scores[i].statement.tokens != one->statement.tokens ||
            scores[i].answer.tokens != one->answer.tokens)
          return 1;
      }
    }
  }
  std::cout << "{\"relations\":" << dataset.relations.size()
            << ",\"statements\":" << cost.statements << ",\"compared\":" << compared
            << ",\"worst\":" << worst << ",\"tokens_fed\":" << cost.tokens_fed
            << ",\"tree_nodes\":" << cost.tree_nodes << "}\n";
}
