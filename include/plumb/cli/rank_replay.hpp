// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb rank --fixed: are the cosines and ranks of a file those that plumb makes?

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "plumb/cli/job.hpp"
#include "plumb/cli/rank_options.hpp"
#include "plumb/data/knowledge_graph.hpp"
#include "plumb/measure/ties.hpp"
#include "plumb/report/text_table.hpp"
#include "plumb/run/fixed_ranking.hpp"
#include "plumb/run/progress.hpp"
#include "plumb/run/run_folder.hpp"

namespace plumb {
namespace detail {

/// Replays rankings of a file; returns the exit code 0.
inline int replay_rankings(Console& console, const RankArguments& arguments,
                           const KnowledgeGraph& graph, AnyModel& model, double start) {
  const FixedRankings fixed = read_fixed_rankings(arguments.fixed, graph);
  const ModelDescription description = model.describe();
  const SpecialTokenCheck check(model, arguments.special_tokens);
  for (const FixedRanking& ranking : fixed.rankings) {
    std::set<std::uint32_t> met(ranking.entities.begin(), ranking.entities.end());
    for (const auto* list : {&ranking.shots, &ranking.queries}) {
      for (const Triple& triple : *list) met.insert({triple.head, triple.tail});
    }
    check(graph, {met.begin(), met.end()}, true);
  }
  Dataset dataset;
  dataset.name = arguments.fixed.filename().string();
  dataset.files = graph.files;
  dataset.files.push_back(arguments.fixed);
  const bool paper = arguments.ranking.form == QueryForm::paper;
  Json settings = job_settings("rank --fixed", arguments, dataset, description);
  settings["bos"] = arguments.bos_of_vectors ? "yes" : "no";
  settings["query_form"] = paper ? "paper" : "reference";
  const RunFolder folder(arguments.out, settings, arguments.resume);
  Json made = Json::array();
  TextTable table({"ranking", "queries", "entities", "MRR", "largest difference", "other ranks",
                   "within 1e-4", "ties"});
  std::size_t tied = 0, queries = 0;
  for (std::size_t i = 0; i < fixed.rankings.size(); ++i) {
    const FixedRanking& ranking = fixed.rankings[i];
    FixedRankingResult result =
        run_fixed_ranking(ranking, graph, arguments.ranking.form, arguments.bos_of_vectors,
                          arguments.model.model.filename().string(), model);
    double reciprocal = 0;
    std::size_t ties = 0;
    for (const Rank& rank : result.ranks) {
      reciprocal += 1 / rank.realistic();
      ties += rank.equal > 0 ? 1U : 0U;
    }
    tied += ties;
    queries += result.ranks.size();
    const bool has_cosines = result.worst_difference.has_value();
    table.add({std::to_string(i), std::to_string(ranking.queries.size()),
               std::to_string(ranking.entities.size()),
               plumb::fixed(reciprocal / static_cast<double>(result.ranks.size()), 3),
               has_cosines ? plumb::fixed(*result.worst_difference, 7) : "–",
               result.compared ? std::to_string(result.other_ranks) : "–",
               has_cosines ? std::to_string(result.near) : "–", std::to_string(ties)});
    made.push_back(std::move(result.ranking));
  }
  write_atomically(folder.file("fixed.json"), (fixed.is_list ? made : made.front()).dump(1) + "\n");
  folder.write_run(run_facts(command_line_of(console, "rank"), arguments, {},
                             Progress::monotonic_seconds() - start),
                   "complete");
  if (const auto warning = rank_tie_warning(tied, queries)) console.out << *warning << "\n";
  console.out << table.text() << "\nranks: " << (arguments.out / "fixed.json").string() << "\n";
  return 0;
}

}  // namespace detail
}  // namespace plumb
