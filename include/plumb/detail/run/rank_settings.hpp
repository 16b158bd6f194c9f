// SPDX-License-Identifier: Apache-2.0
#pragma once

// Settings of a ranking of entities, and the graph they choose.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/closed_set_graph.hpp"
#include "plumb/detail/data/dataset_formats.hpp"
#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/measure/rank_metrics.hpp"
#include "plumb/detail/records/npy_file.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/rank_method.hpp"
#include "plumb/detail/run/rank_plan.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Levels of hits, of which a search has to decide the largest; 0 gives full ranks.
struct HitLevels {
  std::size_t most = 0;

  [[nodiscard]] std::string word() const { return most == 0 ? "" : std::to_string(most); }
  [[nodiscard]] Json json() const { return most; }
  void read(const std::string& word, const std::string& name) {
    std::vector<std::size_t> levels;
    setting::read(word, name, levels);
    for (const std::size_t k : levels) {
      if (ranges::find(ranked_hit_levels, k) == ranked_hit_levels.end()) {
        throw user_error({.setting = name}, "'" + std::to_string(k) + "' is not shown",
                         "say 1, 3, 10 or 100");
      }
      most = (std::max)(most, k);
    }
  }
};

struct RankSettings {
  /// What `ranked_graph` loads; not read where a graph is given.
  std::filesystem::path data{};
  std::vector<RankMethod> methods{RankMethod::deer};
  RankOptions ranking{};
  HitLevels hits{};
  /// Where not said: what the model's tokenizer does by its own configuration, as in the paper's program;
  /// jobs ask it.
  std::optional<Bos> bos{};
  /// How many nearest entities of each query DEER writes down.
  std::size_t nearest = 0;
  /// Vectors of the entities made elsewhere; empty where there are none.
  std::filesystem::path entities{};
  /// Whether entity vectors that the model gave before are taken from `vector_cache`, and kept there.
  bool cache_vectors = false;
  /// That folder (vector_cache.hpp); empty where there is none. The command line's is plumb's cache.
  std::filesystem::path vector_cache{};
  /// A ranking to be replayed; empty where there is none.
  std::filesystem::path fixed{};
  SpecialTokenReading special_tokens = SpecialTokenReading::refuse;
  /// Of the bootstrap intervals.
  std::uint64_t seed = 0;

  [[nodiscard]] bool ranks_by(RankMethod method) const {
    return ranges::find(methods, method) != methods.end();
  }

  /// Which settings have no effect beside others, and what to do.
  [[nodiscard]] IdleRules idle_rules() const {
    const bool replays = !fixed.empty(), deer = ranks_by(RankMethod::deer);
    IdleRules rules;
    rules.when(replays, "beside `fixed`; leave it out; the file says what is asked",
               {"method", "split", "candidates", "relations", "sample", "sample-seed", "limit",
                "shots", "shot-seed", "entity-prompt", "entities", "cache-vectors", "nearest",
                "head-queries", "hits", "reduction", "budget", "seed"});
    rules.when(!deer, "without `method` deer; leave it out",
               {"entity-prompt", "entities", "cache-vectors", "nearest"});
    rules.when(!ranks_by(RankMethod::likelihood), "without `method` likelihood; leave it out",
               {"hits", "reduction", "budget"});
    rules.when(!replays && !deer && !ranks_by(RankMethod::lm_head),
               "without `method` deer or lm-head; leave it out", {"query-form"});
    rules.when(!entities.empty(), "beside `entities`; leave it out; the vectors are made already",
               {"entity-prompt"});
    rules.when(!entities.empty(), "beside `entities`; leave it out", {"cache-vectors"});
    return rules;
  }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    auto& ranking = self.ranking;
    const IdleRules rules = self.idle_rules();
    const auto setting = rules.around(visitor);
    setting("data", self.data,
            {.value = "DIR",
             .help = "knowledge graph: a folder in KG-BERT's layout, or train, valid and test as "
                     ".tsv, or a closed-set dataset",
             .recorded = "-"});
    setting("method", self.methods,
            {.value = "A,B", .help = "deer, likelihood, lm-head", .recorded = "-"});
    setting("split", ranking.part,
            {.value = "PART", .help = "triples that are asked: test, valid, train or all"});
    setting(
        "candidates", ranking.candidates,
        {.value = "SET",
         .help = "entities they are ranked among: all, single-token, of-queries or of-relation"});
    setting("relations", ranking.relations,
            {.value = "A,B", .help = "only queries of these relations", .recorded = "-"});
    setting("sample", ranking.sample,
            {.value = "N", .help = "N triples drawn by seed; 0 takes all"});
    setting("sample-seed", ranking.sample_seed, {.value = "N", .help = "of the draw"});
    setting("limit", ranking.limit, {.value = "N", .help = "first N triples; 0 takes all"});
    setting("shots", ranking.shots, {.value = "N", .help = "training triples before a query"});
    setting("shot-seed", ranking.shot_seed, {.value = "N", .help = "of their draw"});
    setting(
        "query-form", ranking.form,
        {.value = "FORM", .help = "reference: an empty line, then \"(h, r, \"; paper: \"(h, r,\""});
    setting("entity-prompt", ranking.entity_prompts,
            {.value = "eol,a,b,c",
             .help = "how DEER writes an entity: the paper's prompt, its variants, or several",
             .recorded = "entity_prompts"});
    setting("entities", self.entities,
            {.value = "FILE.npy",
             .help = "DEER's entity vectors, made elsewhere or by another run",
             .recorded = "-"});
    setting("cache-vectors", self.cache_vectors,
            {.help = "take DEER's entity vectors from plumb's cache (PLUMB_CACHE, or .cache/plumb "
                     "in the home folder) where this model gave them before, and keep them there",
             .recorded = "-"});
    setting("nearest", self.nearest,
            {.value = "K", .help = "also write down DEER's K nearest entities of each query"});
    setting("head-queries", ranking.heads,
            {.help = "also ask for each triple's head", .recorded = "-"});
    setting(
        "hits", self.hits,
        {.value = "1,3,10", .help = "likelihood: end each search once these Hit@k are certain"});
    setting("reduction", ranking.search.reduction,
            {.value = "sum|mean", .help = "likelihood: over a name's tokens"});
    setting("budget", ranking.search.budget,
            {.value = "N", .help = "likelihood: prefixes looked at for one query; 0 sets no end"});
    setting("fixed", self.fixed,
            {.value = "FILE",
             .help = "instead: DEER on shots, entities and queries of `data` from a JSON file",
             .recorded = "-"});
    setting(
        "bos", self.bos,
        {.value = "yes|no|TOKEN",
         .help = "start each prompt with the BOS token, or with another token, by its text; not "
                 "given: what the model's tokenizer does by itself",
         .recorded = "-"});
    setting("special-tokens", self.special_tokens,
            {.value = "text|parse", .help = special_tokens_help, .recorded = "-"});
    setting("seed", self.seed, {.value = "N", .help = "of the bootstrap intervals"});
  }

  /// Throws a user error for settings that contradict one another.
  void(check)() const {
    if (ranking.heads && ranking.candidates == CandidateSet::of_relation) {
      throw user_error({.setting = "head-queries"},
                       "ask for heads, and `candidates` of-relation ranks a relation's tails",
                       "leave out one of the two");
    }
  }
  /// What the ranking is told.
  [[nodiscard]] RankOptions options() const {
    RankOptions made = ranking;
    made.search.hits = hits.most;
    return made;
  }
};

/// What run.json has of tokens around vectors' texts that `bos` does not say; null without any.
[[nodiscard]] inline Json frame_record(const BosOfRanking& made) {
  if (!made.around().is_frame()) return {};
  return {{"before", made.own->before}, {"after", made.own->after}};
}

/// What run.json says of a ranking's settings; `bos` stands before its prompts.
[[nodiscard]] inline Json rank_record(const RankSettings& settings, const Bos& bos,
                                      const KnowledgeGraph& graph, const Provenance& from) {
  Json record =
      shared_settings("rank", from, graph.name, graph.files, bos, settings.special_tokens);
  record.update(recorded_settings(settings));
  Json& methods = record["methods"] = Json::array();  // in one order, however they were named
  for (const RankMethod method : every(RankMethod{})) {
    if (settings.ranks_by(method)) methods.push_back(name_of(method));
  }
  std::vector<std::string> codes;  // in the graph's order, however they were named
  for (const GraphRelation& relation : graph.relations) {
    const auto& named = settings.ranking.relations;
    if (ranges::find(named, relation.id) != named.end()) codes.push_back(relation.id);
  }
  const auto& entities = settings.entities;
  record["relations"] = codes.empty() ? Json() : Json(std::move(codes));
  record["head_queries"] = settings.ranking.heads;
  record["entities_sha256"] = entities.empty() || !from.hash_files
                                  ? Json()
                                  : from.hash_files({entities, identifiers_of(entities)});
  return record;
}

/// The graph that is ranked, or the one that a closed set makes. Throws a user error for what cannot
/// be read.
[[nodiscard]] inline KnowledgeGraph ranked_graph(const RankSettings& settings) {
  const DiskPath path = settings.data;
  // A graph that lacks a part is no table of facts.
  const bool has_part = (path / "train.tsv").exists() || (path / "test.tsv").exists();
  if (has_part || format_of(path, dataset_formats) == nullptr) return load_graph(path);
  const Dataset dataset = load_dataset(path);
  for (const Relation& relation : dataset.relations) {
    const auto& asked = settings.ranking.relations;
    if (!asked.empty() && ranges::find(asked, relation.code) == asked.end()) continue;
    const auto has_own_texts = [](const Fact& fact) { return !fact.choices.empty(); };
    if (!relation.own_sentences && ranges::none_of(relation.facts, has_own_texts)) continue;
    throw user_error(
        {.file = path, .line = 0, .field = relation.code},
        "has sentences or texts of each fact in place of names, and no entities to rank",
        "leave it out with `relations`, or name another dataset");
  }
  return graph_of(dataset, settings.ranking.relations);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
