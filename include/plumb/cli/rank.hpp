// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb rank: where does the true entity stand among all of a knowledge graph?
//
// Ranks the tails of a graph's triples by the cosine of embeddings (DEER), by exact likelihood, or
// by the LM head, keeps the ranks in a run folder and shows them side by side. Generic over the
// backend: `make_model(ModelOptions)` gives a CausalLm; DEER needs a TreeEmbedder.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/cli/job.hpp"
#include "plumb/cli/rank_options.hpp"
#include "plumb/data/graph_folder.hpp"
#include "plumb/report/rank_report.hpp"
#include "plumb/run/deer_run.hpp"
#include "plumb/run/fixed_ranking.hpp"
#include "plumb/run/name_search_run.hpp"
#include "plumb/run/progress.hpp"

namespace plumb {
namespace detail {

/// Everything that decides the results; run folders are told apart by it.
inline Json rank_settings(const RankArguments& arguments, const KnowledgeGraph& graph,
                          const ModelDescription& model) {
  const RankOptions& ranking = arguments.ranking;
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  constexpr std::array parts{"test", "valid", "train", "all"};
  constexpr std::array sets{"all", "single-token", "of-queries"};
  Json methods = Json::array();
  if (arguments.deer) methods.push_back("deer");
  if (arguments.likelihood) methods.push_back("likelihood");
  if (arguments.lm_head) methods.push_back("lm-head");
  Dataset dataset;
  dataset.name = graph.name;
  dataset.files = graph.files;
  Json settings = job_settings("rank", arguments, dataset, model);
  settings.erase("bos");
  settings.update(
      Json{{"methods", methods},
           {"split", parts[static_cast<std::size_t>(ranking.part)]},
           {"candidates", sets[static_cast<std::size_t>(ranking.candidates)]},
           {"relations", ranking.relations.empty() ? Json() : Json(ranking.relations)},
           {"sample", ranking.sample},
           {"sample_seed", ranking.sample_seed},
           {"limit", ranking.limit},
           {"shots", ranking.shots},
           {"shot_seed", ranking.shot_seed},
           {"query_form", ranking.form == QueryForm::paper ? "paper" : "reference"},
           {"entity_prompt", name_of(ranking.entity_prompt)},
           {"entities_sha256",
            arguments.entities.empty()
                ? Json()
                : Json(hash_files({arguments.entities, identifiers_of(arguments.entities)}))},
           {"head_queries", ranking.heads},
           {"hits", ranking.search.hits},
           {"reduction", name_of(ranking.search.reduction)},
           {"budget", ranking.search.budget},
           {"bos_of_vectors", yes(arguments.bos_of_vectors)},
           {"bos_of_names", yes(arguments.bos_of_names)},
           {"seed", arguments.seed}});
  return settings;
}

/// Rows for the candidates from a file of vectors made elsewhere. Throws a user error for a
/// candidate that has none.
inline EmbeddingMatrix vectors_of(const RankPlan& plan, const std::filesystem::path& file) {
  const NpyFile npy(file);
  std::unordered_map<std::string, std::size_t> rows;
  for (const std::string& id :
       read_identifiers(file, static_cast<std::size_t>(npy.rows().rows()))) {
    rows.emplace(id, rows.size());
  }
  EmbeddingMatrix vectors(static_cast<Eigen::Index>(plan.candidates.size()), npy.rows().cols());
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const std::string& id = plan.graph.entities[plan.candidates.entities()[i]].id;
    const auto found = rows.find(id);
    if (found == rows.end()) {
      throw user_error({.file = file}, "has no vector of entity '" + id + "'",
                       "embed it or leave it out of the graph");
    }
    vectors.row(static_cast<Eigen::Index>(i)) =
        npy.rows().row(static_cast<Eigen::Index>(found->second));
  }
  return vectors;
}

inline void write_ranks(const RunFolder& folder, const std::string& method,
                        const std::vector<EntityRank>& ranks) {
  std::string lines;
  for (const EntityRank& rank : ranks) lines += entity_rank_line(rank);
  write_atomically(folder.file(method + "_ranks.jsonl"), lines);
}

[[noreturn]] inline void refuse_deer() {
  throw user_error({.field = "--method"}, "DEER needs hidden vectors, which this backend lacks",
                   "say --method likelihood or lm-head");
}

/// DEER, and again on what the LM head can rank; the methods' names.
template <class Model>
std::vector<std::string> rank_by_deer(Model& model, const RankArguments& arguments,
                                      const RankPlan& plan, const std::optional<RankPlan>& single,
                                      const std::optional<EmbeddingMatrix>& vectors,
                                      const RunFolder& folder, RankWork& work) {
  if constexpr (TreeEmbedder<Model>) {
    DeerRun run(model, arguments.ranking, folder, work);
    std::optional<VectorRows> rows;
    if (vectors) rows.emplace(vectors->data(), vectors->rows(), vectors->cols());
    write_ranks(folder, "deer", run.rank(plan, arguments.bos_of_vectors, rows));
    if (!single || arguments.ranking.candidates == CandidateSet::single_token) return {"deer"};
    std::optional<NpyFile> own;
    if (!rows) rows.emplace(own.emplace(folder.file("entities.npy")).rows());
    write_ranks(folder, "deer-single-token", run.rank_again(plan, *single, *rows));
    return {"deer", "deer-single-token"};
  } else {
    refuse_deer();
  }
}

/// Replays rankings of a file; returns the exit code 0.
template <TreeEmbedder Model>
int replay_rankings(Console& console, const RankArguments& arguments, const KnowledgeGraph& graph,
                    Model& model, double start) {
  const FixedRankings fixed = read_fixed_rankings(arguments.fixed, graph);
  const ModelDescription description = describe_model(model);
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
                   "within 1e-4"});
  for (std::size_t i = 0; i < fixed.rankings.size(); ++i) {
    const FixedRanking& ranking = fixed.rankings[i];
    FixedRankingResult result =
        run_fixed_ranking(ranking, graph, arguments.ranking.form, arguments.bos_of_vectors,
                          arguments.model.model.filename().string(), model);
    double reciprocal = 0;
    for (const Rank& rank : result.ranks) reciprocal += 1 / rank.realistic();
    const bool compared = result.worst_difference.has_value();
    table.add({std::to_string(i), std::to_string(ranking.queries.size()),
               std::to_string(ranking.entities.size()),
               plumb::fixed(reciprocal / static_cast<double>(result.ranks.size()), 3),
               compared ? plumb::fixed(*result.worst_difference, 7) : "–",
               compared ? std::to_string(result.other_ranks) : "–",
               compared ? std::to_string(result.near) : "–"});
    made.push_back(std::move(result.ranking));
  }
  write_atomically(folder.file("fixed.json"), (fixed.is_list ? made : made.front()).dump(1) + "\n");
  folder.write_run(run_facts(command_line_of(console, "rank"), arguments, {},
                             Progress::monotonic_seconds() - start),
                   "complete");
  console.out << table.text() << "\nranks: " << (arguments.out / "fixed.json").string() << "\n";
  return 0;
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
template <class MakeModel>
int run_rank_command(Console& console, MakeModel make_model) {
  detail::RankWords words;
  detail::options::options_description list;
  words.describe(list);
  const auto values = detail::parse_arguments(
      console, "plumb rank --data DIR --model FILE --out RUN [options]", list);
  if (!values) return 0;
  const detail::RankArguments arguments = words.parse(*values);
  if (!arguments.resume) refuse_used(arguments.out);  // said before a large model is loaded
  const double start = Progress::monotonic_seconds();
  const KnowledgeGraph graph = load_graph(arguments.data);
  auto model = make_model(arguments.model);
  if (!arguments.fixed.empty()) {
    if constexpr (TreeEmbedder<decltype(model)>) {
      return detail::replay_rankings(console, arguments, graph, model, start);
    } else {
      detail::refuse_deer();
    }
  }
  const RankOptions& ranking = arguments.ranking;
  const RankPlan plan = rank_plan(graph, ranking, model);
  std::optional<RankPlan> single;
  if (arguments.lm_head) single.emplace(single_token_plan(plan, model, ranking.form));

  if (arguments.deer && !TreeEmbedder<decltype(model)>) detail::refuse_deer();
  std::optional<EmbeddingMatrix> vectors;
  if (!arguments.entities.empty()) {
    vectors = detail::vectors_of(plan, arguments.entities);
    (void)CosineRanker(VectorRows(vectors->data(), vectors->rows(), vectors->cols()));
  }
  const ModelDescription description = detail::describe_model(model);
  const RunFolder folder(arguments.out, detail::rank_settings(arguments, graph, description),
                         arguments.resume);
  std::string at_work;
  std::unique_ptr<Progress> progress;
  RankWork work(folder.file("journal.jsonl"), [&](const std::string& part, std::size_t done,
                                                  std::size_t fresh, std::size_t total) {
    if (part != at_work) {
      progress = std::make_unique<Progress>(console.err, total, part, console.err_is_terminal);
      at_work = part;
    }
    progress->update(done, fresh, "");
  });
  std::vector<std::string> methods, remarks;
  if (arguments.deer)
    methods = detail::rank_by_deer(model, arguments, plan, single, vectors, folder, work);
  NameSearchRun names(model, ranking, work);
  if (arguments.likelihood) {
    detail::write_ranks(folder, "likelihood", names.likelihood(plan, arguments.bos_of_names));
    methods.push_back("likelihood");
  }
  if (arguments.lm_head) {
    detail::write_ranks(folder, "lm-head", names.lm_head(*single, arguments.bos_of_vectors));
    methods.push_back("lm-head");
    remarks.push_back("lm-head: " + std::to_string(single->candidates.size()) +
                      " candidates have a name of one token; " +
                      counted(single->left_out, "query") + " whose true entity has not left out.");
  }
  if (plan.left_out > 0) {
    remarks.push_back(counted(plan.left_out, "query") +
                      " whose true entity is no candidate left out.");
  }
  if (graph.trivial > 0) {
    remarks.push_back(counted(graph.trivial, "triple") + " whose tail is a gender left out.");
  }
  Json shots = Json::array();
  for (const Triple& shot : plan.shots) {
    shots.push_back(Json::array({graph.entities[shot.head].id, graph.relations[shot.relation].id,
                                 graph.entities[shot.tail].id}));
  }
  write_atomically(folder.file("metadata_rank.json"),
                   Json{{"model", arguments.model.model.filename().string()},
                        {"dataset", graph.name},
                        {"methods", methods},
                        {"shots", std::move(shots)},
                        {"remarks", remarks}}
                           .dump(2) +
                       "\n");
  const RankReport report(folder.path(), {.seed = arguments.seed});
  report.write(folder.path());
  Json facts = detail::run_facts(detail::command_line_of(console, "rank"), arguments, work.summary,
                                 Progress::monotonic_seconds() - start);
  facts["seconds_by_part"] = work.seconds;
  for (const auto& [part, cost] : names.cost()) {
    facts["searches"][part] = {{"queries", cost.queries},
                               {"nodes_fed", cost.fed},
                               {"nodes_looked_at", cost.expanded},
                               {"nearer_than_1e-4", cost.near}};
  }
  folder.write_run(facts, "complete");
  for (const std::string& note : report.notes()) console.out << note << "\n";
  console.out << "\n" << report.table() << "\n";
  for (const auto& [part, cost] : names.cost()) {
    console.out << part << ": "
                << fixed(static_cast<double>(cost.fed) / static_cast<double>(cost.queries), 1)
                << " nodes fed a query for the names\n";
  }
  console.out << detail::cost_in_words(work.summary, description)
              << "report: " << (arguments.out / "report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
