// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb rank: where does the true entity stand among all of a knowledge graph?
//
// Ranks the tails of a graph's triples by the cosine of embeddings (DEER), by exact likelihood, or
// by the LM head, keeps the ranks in a run folder and shows them side by side. Generic over the
// backend: `make_model(ModelOptions)` gives a CausalLm; DEER needs a TreeEmbedder or an Embedder.

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/job.hpp"
#include "plumb/cli/rank_options.hpp"
#include "plumb/cli/rank_replay.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/bear.hpp"
#include "plumb/data/closed_set_graph.hpp"
#include "plumb/data/graph_folder.hpp"
#include "plumb/report/rank_report.hpp"
#include "plumb/run/deer_run.hpp"
#include "plumb/run/given_vectors.hpp"
#include "plumb/run/name_search_run.hpp"
#include "plumb/run/progress.hpp"
#include "plumb/run/rank_parts.hpp"
#include "plumb/run/rank_prompts.hpp"

namespace plumb {
namespace detail {

/// Everything that decides the results; run folders are told apart by it.
inline Json rank_settings(const RankArguments& arguments, const KnowledgeGraph& graph,
                          const ModelDescription& model) {
  const RankOptions& ranking = arguments.ranking;
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  constexpr std::array parts{"test", "valid", "train", "all"};
  constexpr std::array sets{"all", "single-token", "of-queries", "of-relation"};
  Json methods = Json::array();
  if (arguments.deer) methods.push_back("deer");
  if (arguments.likelihood) methods.push_back("likelihood");
  if (arguments.lm_head) methods.push_back("lm-head");
  Json prompts = Json::array();
  for (const EntityPrompt prompt : ranking.entity_prompts) prompts.push_back(name_of(prompt));
  std::vector<std::string> codes;  // in the graph's order, however they were named
  for (const GraphRelation& relation : graph.relations) {
    const auto& named = ranking.relations;
    if (over::find(named, relation.id) != named.end()) codes.push_back(relation.id);
  }
  Dataset dataset;
  dataset.name = graph.name;
  dataset.files = graph.files;
  Json settings = job_settings("rank", arguments, dataset, model);
  settings.erase("bos");
  settings.update(
      Json{{"methods", methods},
           {"split", parts[static_cast<std::size_t>(ranking.part)]},
           {"candidates", sets[static_cast<std::size_t>(ranking.candidates)]},
           {"relations", ranking.relations.empty() ? Json() : Json(std::move(codes))},
           {"sample", ranking.sample},
           {"sample_seed", ranking.sample_seed},
           {"limit", ranking.limit},
           {"shots", ranking.shots},
           {"shot_seed", ranking.shot_seed},
           {"query_form", ranking.form == QueryForm::paper ? "paper" : "reference"},
           {"entity_prompts", prompts},
           {"entities_sha256",
            arguments.entities.empty()
                ? Json()
                : Json(hash_files({arguments.entities, identifiers_of(arguments.entities)}))},
           {"nearest", arguments.nearest},
           {"head_queries", ranking.heads},
           {"hits", ranking.search.hits},
           {"reduction", name_of(ranking.search.reduction)},
           {"budget", ranking.search.budget},
           {"bos_of_vectors", yes(arguments.bos_of_vectors)},
           {"bos_of_names", yes(arguments.bos_of_names)},
           {"seed", arguments.seed}});
  return settings;
}

/// Refuses names of what is asked, shown or ranked. Returns what is to be known where the prompts'
/// own words hold the text of a special token.
inline std::optional<std::string> check_special_tokens(const AnyModel& model,
                                                       const RankArguments& arguments,
                                                       const RankPlan& plan) {
  const SpecialTokenCheck check(model, arguments.special_tokens);
  std::set<std::uint32_t> met(plan.candidates.entities().begin(), plan.candidates.entities().end());
  for (const Triple& shot : plan.shots) met.insert({shot.head, shot.tail});
  for (const PlannedQuery& planned : plan.queries) {
    met.insert({planned.query.triple.head, planned.query.triple.tail});
  }
  check(plan.graph, {met.begin(), met.end()}, arguments.deer && arguments.entities.empty());
  for (const EntityPrompt prompt : arguments.ranking.entity_prompts) {
    if (!arguments.deer) break;
    if (auto remark = check.remark_on(entity_text(prompt, {"", "", "-"}))) return remark;
  }
  return std::nullopt;
}

/// The graph that is ranked, or the one that a closed set makes.
inline KnowledgeGraph ranked_graph(const RankArguments& arguments) {
  if (!is_bear(arguments.data)) return load_graph(arguments.data);
  return graph_of(load_bear(arguments.data), arguments.ranking.relations);
}

inline RankMethods methods_of(const RankArguments& arguments) {
  return {arguments.deer,           arguments.likelihood,
          arguments.lm_head,        arguments.entities.empty(),
          arguments.bos_of_vectors, arguments.bos_of_names};
}

inline void write_ranks(const RunFolder& folder, const std::string& method,
                        const std::vector<EntityRank>& ranks) {
  std::string lines;
  for (const EntityRank& rank : ranks) lines += entity_rank_line(rank);
  write_atomically(folder.file(method + "_ranks.jsonl"), lines);
}

/// Each query's nearest entities, in the order of its ranks.
template <class Run>
void write_nearest(const RunFolder& folder, const std::string& method, const Run& run,
                   const RankParts& parts, VectorRows entities, std::size_t count) {
  std::string lines;
  for (const RankPlan& part : parts.parts) {
    const auto nearest = run.nearest(part, entities, count);
    for (std::size_t q = 0; q < part.queries.size(); ++q) {
      const GraphQuery& query = part.queries[q].query;
      const KnowledgeGraph& graph = part.graph;
      Json line = {{"asks", query.asks_head ? "head" : "tail"},
                   {"head", graph.entities[query.triple.head].id},
                   {"relation", graph.relations[query.triple.relation].id},
                   {"tail", graph.entities[query.triple.tail].id}};
      for (const NearEntity& near : nearest[q]) {
        const std::uint32_t entity = part.candidates.entities()[near.entity];
        line["nearest"].push_back({graph.entities[entity].id, near.cosine});
      }
      lines += line.dump() + "\n";
    }
  }
  write_atomically(folder.file(method + "_nearest.jsonl"), lines);
}

/// DEER, and again on what the LM head can rank; the methods' names.
inline std::vector<std::string> rank_by_deer(AnyModel& model, const RankArguments& arguments,
                                             const RankParts& parts,
                                             const std::optional<GivenVectors>& given,
                                             const RunFolder& folder, PartWork& work) {
  DeerRun run(model, arguments.ranking, folder, work, parts.whole, arguments.bos_of_vectors);
  std::vector<std::string> methods;
  const auto rank = [&](const std::string& name, VectorRows entities) {
    const auto of = [&](const RankPlan& part, std::size_t) { return run.rank(part, entities); };
    write_ranks(folder, name, ranks_of(parts.parts, of));
    methods.push_back(name);
    if (arguments.nearest > 0) write_nearest(folder, name, run, parts, entities, arguments.nearest);
    if (!parts.narrows()) return;
    write_ranks(folder, name + "-single-token", ranks_of(parts.single, of));
    methods.push_back(name + "-single-token");
  };
  if (given) {
    rank("deer", given->rows());
    return methods;
  }
  for (const EntityPrompt prompt : arguments.ranking.entity_prompts) {
    rank(run.name_of_method(prompt), run.entities(prompt).rows());
  }
  return methods;
}

/// Says when vectors made elsewhere stand beside a run of another model.
inline std::optional<std::string> remark_on_vectors(const std::filesystem::path& file,
                                                    const Json& settings) {
  const std::filesystem::path run = file.parent_path() / "run.json";
  if (file.empty() || !std::filesystem::exists(run)) return std::nullopt;
  const Json theirs = read_json_object(run).value("settings", Json::object());
  const auto hash = [](const Json& of) { return first_string(of, "model_sha256"); };
  if (!hash(theirs) || hash(theirs) == hash(settings)) return std::nullopt;
  return "deer: the entities' vectors were made with another model, " +
         first_string(theirs, "model").value_or("unnamed") + ".";
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_rank_command(Console& console, const ModelMaker& make_model) {
  detail::RankWords words;
  detail::options::options_description list;
  words.describe(list);
  const auto values = detail::parse_arguments(
      console, "plumb rank --data DIR --model FILE --out RUN [options]", list);
  if (!values) return 0;
  const detail::RankArguments arguments = words.parse(*values);
  if (!arguments.resume) refuse_used(arguments.out);  // said before a large model is loaded
  const double start = Progress::monotonic_seconds();
  const KnowledgeGraph graph = detail::ranked_graph(arguments);
  AnyModel model = make_model(arguments.model);
  const Capabilities can = model.capabilities();
  if (!arguments.fixed.empty()) {
    if (can.tree_embeddings) {
      return detail::replay_rankings(console, arguments, graph, model, start);
    }
    throw user_error({.field = "--fixed"},
                     "replays hidden vectors of shared prefixes, which this backend lacks",
                     "rank without it, or with another backend");
  }
  const bool embeds = can.tree_embeddings || can.text_embeddings;
  if (arguments.deer && !embeds) {
    throw user_error({.field = "--method"}, "DEER needs hidden vectors, which this backend lacks",
                     "say --method likelihood or lm-head");
  }
  const RankParts parts = rank_parts(graph, arguments.ranking, arguments.lm_head, model);
  auto own_words = detail::check_special_tokens(model, arguments, parts.whole);
  std::optional<GivenVectors> given;
  if (embeds && !arguments.entities.empty()) {
    given.emplace(parts.whole, arguments.entities, model.dimension());
  }
  const ModelDescription description = model.describe();
  const Json settings = detail::rank_settings(arguments, graph, description);
  std::vector<std::string> methods, remarks;
  if (auto remark = detail::remark_on_vectors(arguments.entities, settings)) {
    remarks.push_back(std::move(*remark));
  }
  if (own_words) remarks.push_back(std::move(*own_words));
  const RunFolder folder(arguments.out, settings, arguments.resume);
  ExamplePrompts examples;
  for_each_rank_prompt(parts, arguments.ranking, detail::methods_of(arguments), {},
                       std::ref(examples));
  examples.write(folder);
  PartWork work(folder.file("journal.jsonl"), detail::part_bars(console));
  if (arguments.deer) {
    methods = detail::rank_by_deer(model, arguments, parts, given, folder, work);
  }
  NameSearchRun names(model, arguments.ranking, work);
  if (arguments.likelihood) {
    detail::write_ranks(folder, "likelihood",
                        ranks_of(parts.parts, [&](const RankPlan& part, auto p) {
                          return names.likelihood(part, arguments.bos_of_names, parts.label(p));
                        }));
    methods.push_back("likelihood");
  }
  if (arguments.lm_head) {
    detail::write_ranks(folder, "lm-head",
                        ranks_of(parts.single, [&](const RankPlan& part, auto p) {
                          return names.lm_head(part, arguments.bos_of_vectors, parts.label(p));
                        }));
    methods.push_back("lm-head");
    std::set<std::uint32_t> candidates;
    std::size_t left_out = 0;
    for (const RankPlan& single : parts.single) {
      const auto& entities = single.candidates.entities();
      candidates.insert(entities.begin(), entities.end());
      left_out += single.left_out;
    }
    if (left_out > 0) {
      remarks.push_back("lm-head: " + std::to_string(candidates.size()) +
                        " candidates have a name of one token; " + counted(left_out, "query") +
                        " left out, as the true entity's name is longer.");
    }
  }
  if (const std::size_t left_out = parts.left_out(); left_out > 0) {
    remarks.push_back(counted(left_out, "query") + " whose true entity is no candidate left out.");
  }
  if (graph.trivial > 0) {
    remarks.push_back(counted(graph.trivial, "triple") + " whose tail is a gender left out.");
  }
  Json shots = Json::array();
  for (const Triple& shot : parts.whole.shots) {
    shots.push_back(Json::array({graph.entities[shot.head].id, graph.relations[shot.relation].id,
                                 graph.entities[shot.tail].id}));
  }
  write_atomically(folder.file("metadata_rank.json"),
                   Json{{"model", arguments.model.model.filename().string()},
                        {"dataset", graph.name},
                        {"methods", methods},
                        {"shots", std::move(shots)},
                        {"narrowed", parts.narrows()},
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
    if (cost.fed == 0) continue;
    console.out << part << ": "
                << fixed(static_cast<double>(cost.fed) / static_cast<double>(cost.queries), 1)
                << " nodes fed a query for the names\n";
  }
  console.out << detail::cost_in_words(work.summary, description)
              << "report: " << (arguments.out / "report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
