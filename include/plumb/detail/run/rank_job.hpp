// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job that ranks a knowledge graph's entities by the cosine of embeddings (DEER), by exact
// likelihood and by the LM head. One page shows all methods.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset_check.hpp"
#include "plumb/detail/rank/entity_ranking.hpp"
#include "plumb/detail/records/ranking_metadata.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/report/rank_report.hpp"
#include "plumb/detail/run/deer_run.hpp"
#include "plumb/detail/run/given_vectors.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/name_search_run.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/rank_files.hpp"
#include "plumb/detail/run/rank_parts.hpp"
#include "plumb/detail/run/rank_prompts.hpp"
#include "plumb/detail/run/rank_settings.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_prompts.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Models the Job concept for a model that computes likelihoods. DEER also needs a TreeEmbedder or
/// an Embedder. The model and the graph must outlive this object. Not thread-safe.
template <ScoringLm Model>
class RankJob {
 public:
  /// Throws a user error if the model does not support a method or if the settings disallow the
  /// special tokens in a text; also throws the errors of rank_parts and GivenVectors. `ranking`
  /// distributes DEER's entities among processes and must outlive the job. If it is null, this
  /// process does all the ranking.
  RankJob(Model& model, const KnowledgeGraph& graph, const RankSettings& settings,
          Provenance provenance = {}, EntityRanking* ranking = nullptr)
      : ranking_(ranking),
        model_(model),
        graph_(graph),
        settings_(settings),
        options_(settings.options()),
        provenance_(std::move(provenance)),
        parts_(checked_parts()),
        bos_(BosOfRanking::of(model_, settings_.bos)),
        prompts_(model_, require_bos(model_, bos_.bos)) {
    auto own_words = check_special_tokens();
    settings_record_ = rank_record(settings_, bos_.bos, graph_, provenance_);
    if constexpr (DeerModel<Model>) {
      if (embeds() && !settings_.entities.empty()) {
        given_.emplace(parts_.whole, settings_.entities, model_.dimension(), processes() == 1);
      }
    }
    if (!settings_.vector_cache.empty()) cache_.emplace(settings_.vector_cache, cache_key());
    const bool scores_names =
        settings_.ranks_by(RankMethod::likelihood) || settings_.ranks_by(RankMethod::lm_head);
    if (scores_names && bos_.own && bos_.own->before.size() > 1) {
      throw user_error({.setting = "bos"},
                       "the model's tokenizer begins a text with " +
                           counted(bos_.own->before.size(), "token") +
                           ", but likelihood and LM head prepend only one",
                       "set `bos` to yes, no or a token's text, or use only `method` deer");
    }
    if (settings_.ranks_by(RankMethod::deer)) {
      if (auto remark = bos_.remark(model_, scores_names)) remarks_.push_back(std::move(*remark));
    }
    if (auto remark = remark_on_vectors()) remarks_.push_back(std::move(*remark));
    if (own_words) remarks_.push_back(std::move(*own_words));
    if (const std::size_t unnamed = unnamed_entities(graph_); unnamed > 0) {
      remarks_.push_back("Warning: " + std::to_string(unnamed) + " of " +
                         counted(graph_.entities.size(), "entity") +
                         " have an identifier as their name, which prompts then contain; give them "
                         "names (in a graph's folder, in entity2text.txt).");
    }
    if (const std::size_t shown = shown_queries(parts_.parts); shown > 0) {
      remarks_.push_back("Warning: " + counted(shown, "query") + (shown == 1 ? " asks" : " ask") +
                         " about a triple that is also a shot, so the prompt contains the answer.");
    }
    const bool tests = options_.part == GraphPart::test || options_.part == GraphPart::all;
    if (const std::size_t known = tests ? trained_on(graph_).size() : 0; known > 0) {
      remarks_.push_back("Warning: " + std::to_string(known) + " of " +
                         counted(graph_.test.size(), "test triple") +
                         " are also in the training part, from which shots are drawn; `plumb data "
                         "check` lists them.");
    }
  }

  [[nodiscard]] const Json& settings() const { return settings_record_; }

  /// Plans the texts to embed and the queries for name searches, with the token counts of both.
  [[nodiscard]] JobPlan plan() {
    JobPlan made;
    if constexpr (DeerModel<Model>) {
      if (settings_.ranks_by(RankMethod::deer)) {
        made =
            DeerRun<Model>::plan(model_, options_, parts_.whole, bos_.around(), !given_, cache());
      }
    }
    using Names = NameSearchRun<Model>;
    if (settings_.ranks_by(RankMethod::likelihood)) {
      made.push_back(Names::planned(prompts_, "likelihood", parts_.parts, QueryForm::paper));
      made.back().uncounted = "the name tokens that the search reaches";
    }
    if (settings_.ranks_by(RankMethod::lm_head)) {
      made.push_back(Names::planned(prompts_, "lm-head", parts_.single, options_.form));
    }
    return made;
  }

  void run(const RunFolder& folder, Work& work) {
    ExamplePrompts examples;
    for_each_rank_prompt(parts_, settings_, bos_.bos, {}, std::ref(examples));
    examples.write(folder.path());
    std::vector<std::string> methods;
    std::vector<std::string> remarks = remarks_;
    if constexpr (DeerModel<Model>) {
      if (settings_.ranks_by(RankMethod::deer)) methods = rank_by_deer(folder, work);
    }
    NameSearchRun names(model_, options_, prompts_, work);
    if (settings_.ranks_by(RankMethod::likelihood)) {
      const auto ranks = ranks_of(parts_.parts, [&](const RankPlan& part, auto p) {
        return names.likelihood(part, parts_.label(p));
      });
      if (names.is_whole()) write_ranks(folder, "likelihood", ranks);
      methods.push_back("likelihood");
    }
    if (settings_.ranks_by(RankMethod::lm_head)) {
      const auto ranks = ranks_of(parts_.single, [&](const RankPlan& part, auto p) {
        return names.lm_head(part, parts_.label(p));
      });
      if (names.is_whole()) write_ranks(folder, "lm-head", ranks);
      methods.push_back("lm-head");
    }
    cost_ = names.cost();
    add_remarks_on_what_was_left_out(remarks);
    RankingMetadata metadata{provenance_.model, graph_.name, methods, {},
                             parts_.narrows(),  remarks};
    for (const Triple& shot : parts_.whole.shots) {
      metadata.shots.push_back({graph_.entities[shot.head].id, graph_.relations[shot.relation].id,
                                graph_.entities[shot.tail].id});
    }
    write_atomically(folder.file(metadata_name(ResultsKind::ranking)),
                     to_json(metadata).dump(2) + "\n");
  }

  [[nodiscard]] RankReport report(const DiskPath& folder) const {
    return rank_report(folder, {.seed = settings_.seed});
  }

  /// How the BOS token was chosen, how many seconds DEER's ranking took, and the cost of each
  /// method's name searches.
  [[nodiscard]] Json facts() const {
    Json facts = {{"bos_by", bos_.by}};
    if (Json frame = frame_record(bos_); !frame.is_null()) facts["frame"] = std::move(frame);
    if (processes() > 1) facts["processes"] = processes();
    if (settings_.ranks_by(RankMethod::deer)) facts["seconds_ranking"] = seconds_ranking_;
    for (const auto& [part, cost] : cost_) {
      facts["searches"][part] = {{"queries", cost.queries},
                                 {"nodes_fed", cost.fed},
                                 {"nodes_looked_at", cost.expanded},
                                 {"nearer_than_1e-4", cost.nearby}};
    }
    return facts;
  }
  [[nodiscard]] const std::map<std::string, NameSearchCost>& search_cost() const noexcept {
    return cost_;
  }

 private:
  [[nodiscard]] std::size_t processes() const {
    return ranking_ != nullptr ? ranking_->processes() : 1;
  }
  [[nodiscard]] const VectorCache* cache() const { return cache_ ? &*cache_ : nullptr; }

  /// The settings that, together with the texts, determine the vectors. Throws a user error if the
  /// model has no hash.
  [[nodiscard]] Json cache_key() const {
    Json made = model_settings(provenance_);
    made.erase("lora");  // moved after `lora_sha256`, to match the keys of existing caches
    made["lora"] = provenance_.lora;
    for (const char* name : {"plumb_version", "bos", "special_tokens"}) {
      made[name] = settings_record_.at(name);
    }
    if (Json frame = frame_record(bos_); !frame.is_null()) made["frame"] = std::move(frame);
    if (!made.at("model_sha256").is_null()) return made;
    throw user_error({.setting = "cache-vectors"},
                     "the model has no file whose hash could identify its vectors", "remove it");
  }

  [[nodiscard]] bool embeds() const { return has_vectors(model_); }

  [[nodiscard]] RankParts checked_parts() const {
    (settings_.check)();
    refuse_unrankable(graph_, settings_.ranks_by(RankMethod::deer), embeds());
    return rank_parts(graph_, options_, settings_.ranks_by(RankMethod::lm_head), model_);
  }

  /// Checks the names of all entities in the queries, shots and candidates for special tokens.
  /// Returns a remark if the fixed wording of the prompts contains the text of a special token.
  [[nodiscard]] std::optional<std::string> check_special_tokens() {
    const SpecialTokenCheck check{model_, settings_.special_tokens, require_bos(model_, bos_.bos)};
    const RankPlan& plan = parts_.whole;
    const auto& candidates = plan.candidates.entities();
    std::set<std::uint32_t> met(candidates.begin(), candidates.end());
    for (const Triple& shot : plan.shots) met.insert({shot.head, shot.tail});
    for (const PlannedQuery& planned : plan.queries) {
      met.insert({planned.query.triple.head, planned.query.triple.tail});
    }
    const bool deer = settings_.ranks_by(RankMethod::deer);
    (check)(graph_, {met.begin(), met.end()}, deer && settings_.entities.empty());
    check.warn(provenance_.description);
    for (const EntityPrompt prompt : options_.entity_prompts) {
      if (!deer) break;
      if (auto remark = check.remark_on(entity_text(prompt, {"", "", "-"}))) return remark;
    }
    return std::nullopt;
  }

  /// A remark if the run uses vectors that a different model produced elsewhere.
  [[nodiscard]] std::optional<std::string> remark_on_vectors() const {
    const DiskPath& file = settings_.entities;
    const DiskPath run = file.parent() / "run.json";
    if (file.empty() || !is_there(run)) return std::nullopt;
    const Json theirs = read_json_object(run).value("settings", Json::object());
    const auto hash = [](const Json& of) { return first_string(of, "model_sha256"); };
    if (!hash(theirs) || hash(theirs) == hash(settings_record_)) return std::nullopt;
    return "deer: the entities' vectors were computed with another model, " +
           first_string(theirs, "model").value_or("unnamed") + ".";
  }

  /// Ranks by DEER and, if the LM head can rank only some entities, ranks those entities again
  /// separately. Returns the names under which the ranks were written.
  [[nodiscard]] std::vector<std::string> rank_by_deer(const RunFolder& folder, Work& work) {
    DeerRun run(model_, options_, folder, work, parts_.whole, bos_.around(), ranking_);
    std::vector<std::string> methods;
    const auto rank = [&](const std::string& name, const EntityVectors& entities) {
      const auto start = std::chrono::steady_clock::now();
      const auto of = [&](const RankPlan& part, std::size_t) { return run.rank(part, entities); };
      write_ranks(folder, name, ranks_of(parts_.parts, of));
      methods.push_back(name);
      if (settings_.nearest > 0) {
        write_nearest(folder, name, parts_, [&](const RankPlan& part) {
          return run.nearest(part, entities, settings_.nearest);
        });
      }
      if (parts_.narrows()) {
        write_ranks(folder, name + "-single-token", ranks_of(parts_.single, of));
        methods.push_back(name + "-single-token");
      }
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      seconds_ranking_ += spent.count();
    };
    if (given_) {
      if (run.has_queries()) rank("deer", given_->vectors());
      return methods;
    }
    for (const EntityPrompt prompt : options_.entity_prompts) {
      const auto entities = run.entities(prompt, cache());
      if (!entities || !run.has_queries()) continue;
      const DiskPath file = folder.file(DeerRun<Model>::entities_file(prompt));
      rank(name_of_deer(prompt), {entities->rows(), file.path()});
    }
    return methods;
  }

  void add_remarks_on_what_was_left_out(std::vector<std::string>& remarks) const {
    std::set<std::uint32_t> candidates;
    std::size_t single_left_out = 0;
    for (const RankPlan& single : parts_.single) {
      const auto& entities = single.candidates.entities();
      candidates.insert(entities.begin(), entities.end());
      single_left_out += single.left_out;
    }
    if (single_left_out > 0) {
      remarks.push_back("lm-head: " + counted(candidates.size(), "candidate") +
                        (candidates.size() == 1 ? " has" : " have") + " a one-token name; " +
                        counted(single_left_out, "query") +
                        " left out, because the true entity's name is longer.");
    }
    if (const std::size_t left_out = parts_.left_out(); left_out > 0) {
      remarks.push_back(counted(left_out, "query") +
                        " left out, because the true entity is not a candidate.");
    }
    if (graph_.trivial > 0) {
      remarks.push_back(counted(graph_.trivial, "triple") +
                        " left out, because the tail is a gender.");
    }
  }

  EntityRanking* ranking_;  // null if this process does all the ranking
  Model& model_;
  const KnowledgeGraph& graph_;
  RankSettings settings_;
  RankOptions options_;
  Provenance provenance_;
  RankParts parts_;
  BosOfRanking bos_;
  KeptPrompts<Model> prompts_;
  Json settings_record_;
  std::optional<GivenVectors> given_;
  std::optional<VectorCache> cache_;
  std::vector<std::string> remarks_;
  std::map<std::string, NameSearchCost> cost_;
  double seconds_ranking_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
