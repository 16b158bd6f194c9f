// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings of a ranking of entities, and the graph that they select.

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

/// Levels of hits. A search must determine ranks up to the largest level; 0 means that it must
/// determine every rank.
struct HitLevels {
  std::size_t most = 0;

  [[nodiscard]] std::string word() const { return most == 0 ? "" : std::to_string(most); }
  [[nodiscard]] Json json() const { return most; }
  void read(const std::string& word, const std::string& name) {
    std::vector<std::size_t> levels;
    setting::read(word, name, levels);
    for (const std::size_t k : levels) {
      if (ranges::find(ranked_hit_levels, k) == ranked_hit_levels.end()) {
        throw user_error({.setting = name},
                         "'" + std::to_string(k) + "' is not a supported k for Hit@k",
                         "use 1, 3, 10 or 100");
      }
      most = (std::max)(most, k);
    }
  }
};

struct RankSettings {
  /// The path that `ranked_graph` loads. It is not read if a program passes a graph.
  std::filesystem::path data{};
  std::vector<RankMethod> methods{RankMethod::deer};
  RankOptions ranking{};
  HitLevels hits{};
  /// If not set, the configuration of the model's tokenizer decides, as in the paper's program.
  /// Jobs query the tokenizer for this.
  std::optional<Bos> bos{};
  /// The number of nearest entities that DEER writes for each query.
  std::size_t nearest = 0;
  /// A file of entity vectors from another source; empty for none.
  std::filesystem::path entities{};
  /// Whether to read previously computed entity vectors from `vector_cache` and to store new ones
  /// there.
  bool cache_vectors = false;
  /// The cache folder (vector_cache.hpp); empty for none. The command line uses plumb's cache.
  std::filesystem::path vector_cache{};
  /// The file of a ranking to replay; empty for none.
  std::filesystem::path fixed{};
  SpecialTokenReading special_tokens = SpecialTokenReading::refuse;
  /// The seed for the bootstrap intervals.
  std::uint64_t seed = 0;

  [[nodiscard]] bool ranks_by(RankMethod method) const {
    return ranges::find(methods, method) != methods.end();
  }

  /// Which settings have no effect in combination with others, and how the user can resolve this.
  [[nodiscard]] IdleRules idle_rules() const {
    const bool replays = !fixed.empty(), deer = ranks_by(RankMethod::deer);
    IdleRules rules;
    rules.when(replays, "with `fixed`, whose file determines what is asked; remove it",
               {"method", "split", "candidates", "relations", "sample", "sample-seed", "limit",
                "shots", "shot-seed", "entity-prompt", "entities", "cache-vectors", "nearest",
                "head-queries", "hits", "reduction", "budget", "seed"});
    rules.when(!deer, "without `method` deer; remove it",
               {"entity-prompt", "entities", "cache-vectors", "nearest"});
    rules.when(!ranks_by(RankMethod::likelihood), "without `method` likelihood; remove it",
               {"hits", "reduction", "budget"});
    rules.when(!replays && !deer && !ranks_by(RankMethod::lm_head),
               "without `method` deer or lm-head; remove it", {"query-form"});
    rules.when(!entities.empty(), "with `entities`, whose vectors are already computed; remove it",
               {"entity-prompt"});
    rules.when(!entities.empty(), "with `entities`; remove it", {"cache-vectors"});
    return rules;
  }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    auto& ranking = self.ranking;
    const IdleRules rules = self.idle_rules();
    const auto setting = rules.around(visitor);
    setting("data", self.data,
            {.value = "DIR",
             .help = "knowledge graph: a KG-BERT folder; train, valid and test as .tsv; or a "
                     "closed-set dataset",
             .recorded = "-"});
    setting(
        "method", self.methods,
        {.value = "A,B", .help = "ranking methods: deer, likelihood, lm-head", .recorded = "-"});
    setting("split", ranking.part,
            {.value = "PART", .help = "triples to query: test, valid, train or all"});
    setting(
        "candidates", ranking.candidates,
        {.value = "SET", .help = "entities to rank: all, single-token, of-queries or of-relation"});
    setting("relations", ranking.relations,
            {.value = "A,B", .help = "use only queries of these relations", .recorded = "-"});
    setting("sample", ranking.sample,
            {.value = "N", .help = "draw N triples at random; 0 uses all"});
    setting("sample-seed", ranking.sample_seed,
            {.value = "N", .help = "random seed for the drawn triples"});
    setting("limit", ranking.limit,
            {.value = "N", .help = "use only the first N triples; 0 uses all"});
    setting("shots", ranking.shots, {.value = "N", .help = "training triples before a query"});
    setting("shot-seed", ranking.shot_seed, {.value = "N", .help = "random seed for the shots"});
    setting(
        "query-form", ranking.form,
        {.value = "FORM",
         .help = "query text: reference (an empty line, then \"(h, r, \") or paper (\"(h, r,\")"});
    setting(
        "entity-prompt", ranking.entity_prompts,
        {.value = "eol,a,b,c",
         .help = "prompts for DEER's entity vectors: the paper's (eol) or its variants (a, b, c)",
         .recorded = "entity_prompts"});
    setting("entities", self.entities,
            {.value = "FILE.npy",
             .help = "file of DEER's entity vectors from another program or run",
             .recorded = "-"});
    setting(
        "cache-vectors", self.cache_vectors,
        {.help = "reuse DEER's entity vectors from plumb's cache (PLUMB_CACHE or ~/.cache/plumb), "
                 "and store new ones there",
         .recorded = "-"});
    setting("nearest", self.nearest,
            {.value = "K", .help = "also write the K nearest entities of each query (DEER)"});
    setting("head-queries", ranking.heads,
            {.help = "also ask for each triple's head", .recorded = "-"});
    setting(
        "hits", self.hits,
        {.value = "1,3,10", .help = "likelihood: end each search when these Hit@k are certain"});
    setting("reduction", ranking.search.reduction,
            {.value = "sum|mean", .help = "likelihood: sum or mean over a name's tokens"});
    setting(
        "budget", ranking.search.budget,
        {.value = "N",
         .help = "likelihood: maximum number of prefixes to search per query; 0 sets no limit"});
    setting("fixed", self.fixed,
            {.value = "FILE",
             .help = "run only DEER, on the shots, entities and queries that a JSON file lists",
             .recorded = "-"});
    setting("bos", self.bos,
            {.value = "yes|no|TOKEN",
             .help = "token before each prompt: BOS (yes), none (no), or a token given as text; "
                     "default: the tokenizer's own",
             .recorded = "-"});
    setting("special-tokens", self.special_tokens,
            {.value = "text|parse", .help = special_tokens_help, .recorded = "-"});
    setting("seed", self.seed, {.value = "N", .help = "random seed for the bootstrap intervals"});
  }

  /// Throws a user error for settings that contradict each other.
  void(check)() const {
    if (ranking.heads && ranking.candidates == CandidateSet::of_relation) {
      throw user_error({.setting = "head-queries"},
                       "asks for heads, but `candidates` of-relation ranks a relation's tails",
                       "remove one of the two");
    }
  }
  /// The options of the ranking.
  [[nodiscard]] RankOptions options() const {
    RankOptions made = ranking;
    made.search.hits = hits.most;
    return made;
  }
};

/// The tokens around embedded texts, beyond those that `bos` covers, as recorded in run.json; null
/// if there are none.
[[nodiscard]] inline Json frame_record(const BosOfRanking& made) {
  if (!made.around().is_frame()) return {};
  return {{"before", made.own->before}, {"after", made.own->after}};
}

/// The settings of a ranking as run.json records them; `bos` precedes the prompts.
[[nodiscard]] inline Json rank_record(const RankSettings& settings, const Bos& bos,
                                      const KnowledgeGraph& graph, const Provenance& from) {
  Json record =
      shared_settings("rank", from, graph.name, graph.files, bos, settings.special_tokens);
  record.update(recorded_settings(settings));
  Json& methods = record["methods"] = Json::array();  // in a fixed order, not the user's
  for (const RankMethod method : every(RankMethod{})) {
    if (settings.ranks_by(method)) methods.push_back(name_of(method));
  }
  std::vector<std::string> codes;  // in the graph's order, not the user's
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

/// The graph whose entities are ranked; it may be created from a closed set. Throws a user error
/// for data that cannot be read.
[[nodiscard]] inline KnowledgeGraph ranked_graph(const RankSettings& settings) {
  const DiskPath path = settings.data;
  // A folder that contains any part of a graph is read as a graph, not as a table of facts.
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
        "has a sentence or texts for each fact instead of names, so there are no entities to rank",
        "select other relations with `relations`, or use another dataset");
  }
  return graph_of(dataset, settings.ranking.relations);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
