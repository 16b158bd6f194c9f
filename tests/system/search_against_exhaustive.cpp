// SPDX-License-Identifier: Apache-2.0

// Ranks the true entities of a graph's queries in two ways: by best-first search and by scoring
// every name. Compares full ranks and Hit@10, with sum and mean, and prints the differences as
// JSON.
//
//   search_against_exhaustive MODEL.gguf GRAPH QUERIES
//
// QUERIES is the number of queries to draw with a seed; 0 uses the whole test part. Names within
// 1e-4 nats of the true one may rank on either side of it; they are counted.

#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/rank/likelihood_ranker.hpp"
#include "plumb/detail/run/rank_plan.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/pack_plan.hpp"
#include "plumb/detail/score/token_joins.hpp"

int main(int argc, char** argv) {
  using namespace plumb::detail;
  if (argc != 4) return 2;
  LlamaModel model({.model = argv[1]});
  const KnowledgeGraph graph = load_graph(argv[2]);
  RankOptions options;
  options.sample = std::stoul(argv[3]);
  const RankPlan plan = rank_plan(graph, options, model);
  const TriplePrompt prompt(graph, plan.shots, QueryForm::paper);
  const TrueCandidates truths(plan);
  std::vector<std::string> names;
  for (const Entity& entity : graph.entities) names.push_back(TriplePrompt::candidate(entity));

  const std::string first = prompt.query(plan.queries.front().query);
  const NameTrie trie(model, names, TokenJoins(model).lead(first, ' '));
  std::vector<NameQuestion> questions;
  std::vector<std::vector<StatementScore>> scores;
  CausalScorer scorer(model, Bos(), Span::continuation);
  for (const PlannedQuery& planned : plan.queries) {
    const std::string text = prompt.query(planned.query);
    questions.push_back({prompt_ids(model, {text, {}, {}}, model.bos()), planned.query.gold(),
                         truths.of(planned.query)});
    questions.back().prompt.resize(questions.back().prompt.size() - trie.given().size());
    Query query;
    for (const std::string& name : names) {
      query.candidates.push_back(
          {text + name, {{text.size(), text.size() + name.size()}}, {}, text.size()});
    }
    scores.push_back(scorer.score(query));
  }
  std::vector<TokenId> context = questions.front().prompt;
  for (const NameQuestion& question : questions) {
    context.resize(common_prefix(context, question.prompt));
  }

  std::size_t wrong = 0, near = 0;
  double worst = 0, fed_for_full = 0, fed_for_hits = 0;
  for (const NameReduction reduction : {NameReduction::sum, NameReduction::mean}) {
    for (const std::size_t hits : {0U, 10U}) {
      LikelihoodRanker ranker(model, trie, {reduction, hits, 0});
      const std::vector<SearchedRank> ranks = ranker.rank(context, questions);
      const double fed =
          static_cast<double>(ranker.fed_for_names()) / static_cast<double>(questions.size());
      if (reduction == NameReduction::sum) (hits == 0 ? fed_for_full : fed_for_hits) = fed;
      for (std::size_t q = 0; q < ranks.size(); ++q) {
        const auto score = [&](std::size_t e) {
          return reduce(scores[q][e],
                        {reduction == NameReduction::sum ? Reduction::sum : Reduction::mean,
                         Span::continuation});
        };
        const std::uint32_t gold = questions[q].gold;
        worst = std::max(worst, std::abs(score(gold) - ranks[q].score));
        // The number of names that are certainly above the true one, and the number of names that
        // may be above it.
        std::size_t least = 0, most = 0, filtered_least = 0, filtered_most = 0;
        for (std::size_t e = 0; e < names.size(); ++e) {
          if (names[e] == names[gold]) continue;
          const bool certain = score(e) > score(gold) + 1e-4;
          const bool possible = score(e) > score(gold) - 1e-4;
          const bool counts = !std::ranges::binary_search(questions[q].truths, e);
          least += certain ? 1U : 0U;
          most += possible ? 1U : 0U;
          filtered_least += certain && counts ? 1U : 0U;
          filtered_most += possible && counts ? 1U : 0U;
        }
        if (hits == 0) near += most - least;
        const SearchedRank& rank = ranks[q];
        const bool ended_early = hits > 0 && rank.filtered_above >= hits;
        const bool sound = ended_early
                               ? filtered_most >= hits
                               : rank.above >= least && rank.above <= most && rank.undecided == 0 &&
                                     rank.filtered_above >= filtered_least &&
                                     rank.filtered_above <= filtered_most;
        if (!sound) ++wrong;
      }
    }
  }
  std::cout << Json{{"queries", questions.size()},
                    {"entities", names.size()},
                    {"inner_nodes", trie.inner_nodes()},
                    {"wrong", wrong},
                    {"near", near},
                    {"worst", worst},
                    {"fed_for_full_ranks", fed_for_full},
                    {"fed_for_hits_at_10", fed_for_hits}}
            << std::endl;
}
