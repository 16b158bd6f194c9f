// SPDX-License-Identifier: Apache-2.0

// How long does it take to score every entity as the answer of a query?
//
//   exhaustive_time MODEL.gguf GRAPH SIZES REPEATS ENTITIES
// Scores ENTITIES entities (0 for all; otherwise drawn with a fixed seed) after queries of the
// graph, and prints the seconds as one JSON object. SIZES ("16,31,46") lists the numbers of
// queries; each is measured REPEATS times. A query's candidates share its prompt and their common
// prefixes. Each repeat draws new queries.

#include <chrono>
#include <cstddef>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "plumb/detail/cli/arguments.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/run/rank_plan.hpp"
#include "plumb/detail/score/causal_scorer.hpp"

int main(int argc, char** argv) {
  using namespace plumb::detail;
  if (argc != 6) {
    std::cerr << "usage: exhaustive_time MODEL.gguf GRAPH SIZES REPEATS ENTITIES\n";
    return 2;
  }
  LlamaModel model({.model = argv[1]});
  const KnowledgeGraph graph = load_graph(argv[2]);
  const std::size_t repeats = std::stoul(argv[4]), count = std::stoul(argv[5]);
  std::vector<std::string> names;
  for (const Entity& entity : graph.entities) names.push_back(TriplePrompt::candidate(entity));
  if (count > 0 && count < names.size()) {
    RandomStream(0, "entities").shuffle(names, count);
    names.resize(count);
  }
  CausalScorer scorer(model, Bos(), Span::continuation);
  Json measured = Json::array();
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    std::istringstream sizes(argv[3]);
    for (std::string size; std::getline(sizes, size, ',');) {
      const RankPlan plan = rank_plan(
          graph, {.part = GraphPart::all, .sample = std::stoul(size), .sample_seed = repeat},
          model);
      const TriplePrompt prompt(graph, plan.shots, QueryForm::paper);
      const auto start = std::chrono::steady_clock::now();
      for (const PlannedQuery& planned : plan.queries) {
        const std::string text = prompt.query(planned.query);
        Query query;
        for (const std::string& name : names) {
          query.candidates.push_back(
              {text + name, {{text.size(), text.size() + name.size()}}, {}, text.size()});
        }
        (void)scorer.score(query);
      }
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      measured.push_back({plan.queries.size(), spent.count()});
      std::cerr << "repeat " << repeat + 1 << ", " << plan.queries.size()
                << " queries: " << spent.count() << " s\n";
    }
  }
  std::cout << Json{{"queries_in_graph",
                     graph.train.size() + graph.valid.size() + graph.test.size()},
                    {"entities_in_graph", graph.entities.size()},
                    {"entities", names.size()},
                    {"queries_and_seconds", measured}}
            << std::endl;
}
