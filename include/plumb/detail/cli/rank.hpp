// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb rank: the rank of the true entity among all entities of a knowledge graph.
//
// Ranks the tails of a graph's triples by the cosine of embeddings (DEER), by exact likelihood or
// by the LM head, and shows the methods side by side. It can also replay embedding rankings from a
// file.

#include <string>
#include <utility>

#include "plumb/detail/cli/job_console.hpp"
#include "plumb/detail/cli/job_target.hpp"
#include "plumb/detail/cli/model_places.hpp"
#include "plumb/detail/cli/several_models.hpp"
#include "plumb/detail/run/fixed_ranking_job.hpp"
#include "plumb/detail/run/rank_job.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct RankArguments {
  RankSettings rank{};
  JobTarget target{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    RankSettings::visit(self.rank, visitor);
    JobTarget::visit_out(self.target, visitor);
    JobTarget::visit_model(self.target, visitor);
  }
  void(check)() const {
    (require)(rank.data, "--data", "plumb rank");
    require_model(target, "plumb rank");
    require_out(target, "plumb rank");
    (rank.check)();
    if (!target.shard.is_part()) return;
    if (!rank.fixed.empty()) {
      throw user_error({.setting = "shard"}, "cannot split rankings that use `fixed`", "remove it");
    }
    // If shards found different vectors in the cache, they would divide the work into packs
    // differently.
    if (rank.cache_vectors) {
      throw user_error({.setting = "cache-vectors"}, "does not work with `shard`",
                       "remove it, or embed the entities once and pass them with `entities`");
    }
  }
  /// Throws a user error if the ranking cannot be divided among the processes.
  void check_shared(std::size_t processes) const {
    if (processes == 1) return;
    const char* const alone = !rank.fixed.empty()                ? "fixed"
                              : target.shard.is_part()           ? "shard"
                              : !rank.ranks_by(RankMethod::deer) ? "method"
                                                                 : nullptr;
    if (alone == nullptr) return;
    throw user_error({.setting = alone},
                     "leaves " + std::to_string(processes - 1) + " of " +
                         std::to_string(processes) +
                         " processes idle: only DEER's entities can be divided among them",
                     "start it without mpirun");
  }
};

/// How the next ranking can reuse the entity vectors of this one.
inline std::string entities_hint(const RankArguments& arguments) {
  const RankSettings& settings = arguments.rank;
  if (!settings.ranks_by(RankMethod::deer) || !settings.entities.empty()) return "";
  std::string lines;
  for (const EntityPrompt prompt : settings.options().entity_prompts) {
    const auto file = arguments.target.out / DeerRun<AnyModel>::entities_file(prompt);
    lines += "entity vectors: " + file.string() + "; --entities " + file.string() +
             " skips embedding them next time\n";
  }
  return lines;
}

inline int rank(Console& console, const RankArguments& arguments, const KnowledgeGraph& graph,
                AnyModel& model) {
  RankJob job(model, graph, arguments.rank, arguments.target.provenance(model.describe()),
              console.ranking);
  const std::filesystem::path& data = arguments.rank.data;
  if (is_dry_run_or_shard(console, "rank", arguments.target, data, job)) return 0;
  const auto finished = run_target(console, "rank", arguments.target, data, job);
  std::string searched;
  for (const auto& [part, cost] : job.search_cost()) {
    if (cost.fed == 0) continue;
    searched +=
        part + ": the search over names evaluates " +
        with_decimals(static_cast<double>(cost.fed) / static_cast<double>(cost.queries), 1) +
        " tree nodes per query\n";
  }
  show_report(
      console, finished.report, arguments.target.out / "report.html",
      searched + cost_in_words(finished.summary, arguments.target) + entities_hint(arguments));
  return 0;
}

inline int replay_rankings(Console& console, const RankArguments& arguments,
                           const KnowledgeGraph& graph, AnyModel& model) {
  if (!model.capabilities().tree_embeddings) {
    throw user_error({.field = "--fixed"},
                     "needs hidden vectors of shared prefixes, which this backend does not provide",
                     "remove it, or use another backend");
  }
  FixedRankingJob job(model, graph, arguments.rank, arguments.target.provenance(model.describe()));
  const std::filesystem::path& data = arguments.rank.data;
  if (is_dry_run_or_shard(console, "rank", arguments.target, data, job)) return 0;
  const auto finished = run_target(console, "rank", arguments.target, data, job);
  show_report(console, finished.report, arguments.target.out / "fixed.json", "", "ranks");
  return 0;
}

/// Runs the subcommand; returns the exit code 0. Throws an Error for every failure.
inline int run_rank_command(Console& console, const ModelMaker& make_model) {
  detail::RankArguments arguments;
  const auto values = detail::parse_settings(
      console, "plumb rank --data DIR --model FILE --out RUN [options]", arguments);
  if (!values) return 0;
  if (arguments.target.asks_several()) {
    return detail::ask_each_model(console, "rank", arguments.target,
                                  detail::comparing_with(console, "compare", {"seed"}));
  }
  arguments.target.find_model(*values, console);
  (arguments.check)();
  if (arguments.rank.cache_vectors) {
    if (console.variable("PLUMB_CACHE").empty() && console.variable("HOME").empty()) {
      throw user_error({.setting = "cache-vectors"}, "neither PLUMB_CACHE nor HOME is set",
                       "set PLUMB_CACHE to a folder");
    }
    arguments.rank.vector_cache = (detail::plumb_cache(console) / "vectors").path();
  }
  if (console.ranking != nullptr) arguments.check_shared(console.ranking->processes());
  detail::refuse_masked(make_model, arguments.target, "plumb rank");
  detail::check_out(arguments.target);
  const KnowledgeGraph graph = ranked_graph(arguments.rank);
  AnyModel model = detail::causal_model(make_model, arguments.target, arguments.rank.special_tokens,
                                        "plumb rank");
  model.remember_texts();
  return arguments.rank.fixed.empty() ? detail::rank(console, arguments, graph, model)
                                      : detail::replay_rankings(console, arguments, graph, model);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
