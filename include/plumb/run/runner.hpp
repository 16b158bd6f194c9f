// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is every fact of a dataset scored, and how does the job go on after a crash?
//
// Relation by relation, in blocks of whole facts that hold at most `block_statements` statements,
// so memory does not grow with the dataset. A block is planned whole and then scored pack by pack;
// a pack that the journal has is taken from there. When the relation is through, its results file
// gets its name and the journal says so. What is written depends on the dataset and the settings
// alone.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/data/dataset.hpp"
#include "plumb/prompt/prompt.hpp"
#include "plumb/run/pack_run.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/recorded.hpp"
#include "plumb/score/score_table.hpp"

namespace plumb {

struct RunOptions {
  /// Template indices to score; empty for all of each relation's. Each must exist in every
  /// relation.
  std::vector<std::size_t> templates;
  Scoring scoring;
  ProgressCallback on_progress{};
  std::size_t block_statements = 65'536;
};

/// The template indices a run scores for one relation. Throws a user error for one it lacks.
[[nodiscard]] inline std::vector<std::size_t> templates_of(const Relation& relation,
                                                           const std::vector<std::size_t>& chosen) {
  for (const std::size_t index : chosen) {
    if (index < relation.templates.size()) continue;
    throw user_error({.field = "--templates"},
                     "relation " + relation.code + " has " +
                         std::to_string(relation.templates.size()) + " templates, no index " +
                         std::to_string(index),
                     "indices start at 0");
  }
  if (!chosen.empty()) return chosen;
  std::vector<std::size_t> all(relation.templates.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

/// Puts into `query` the statements of a fact under a template, one for each option.
template <PromptBuilder Builder>
void fill_query(Query& query, const Builder& builder, const Relation& relation, const Fact& fact,
                std::size_t template_index) {
  query.candidates.resize(relation.options.size());
  for (std::size_t option = 0; option < relation.options.size(); ++option) {
    query.candidates[option] = builder.build(relation, fact, template_index, option);
  }
}

/// Statements a run scores.
[[nodiscard]] inline std::size_t count_statements(const Dataset& dataset,
                                                  const std::vector<std::size_t>& templates) {
  std::size_t count = 0;
  for (const Relation& relation : dataset.relations) {
    count +=
        relation.facts.size() * templates_of(relation, templates).size() * relation.options.size();
  }
  return count;
}

/// Scores the statements of a dataset that are not yet in the folder. All that it is given must
/// outlive it. One process, one thread.
template <PromptBuilder Builder, PackedScorer Scorer>
class Runner {
 public:
  Runner(const Builder& builder, Scorer& scorer, const RunFolder& folder, RunOptions options)
      : builder_(builder),
        scorer_(scorer),
        folder_(folder),
        options_(std::move(options)),
        packs_(scorer, folder.file("journal.jsonl"), options_.scoring, options_.on_progress) {}

  /// Scores what is not scored yet. Leaves one results file for each relation.
  RunSummary run(const Dataset& dataset) {
    for (const Relation& relation : dataset.relations) check(relation);
    for (const Relation& relation : dataset.relations) {
      if (const auto cost = packs_.done(relation.code);
          cost && std::filesystem::exists(results_file(relation))) {
        packs_.skip(relation.code, *cost);
      } else {
        run_relation(relation);
      }
    }
    return packs_.summary();
  }

 private:
  [[nodiscard]] std::filesystem::path results_file(const Relation& relation) const {
    return folder_.file(relation.code + "_results.jsonl");
  }

  /// Calls `visit(fact, template_index, query)` fact by fact, then template by template.
  template <class Visit>
  void for_each_query(const Relation& relation, const std::vector<std::size_t>& templates,
                      std::size_t first, std::size_t count, Visit visit) const {
    Query query;
    for (std::size_t f = first; f < first + count; ++f) {
      for (const std::size_t t : templates) {
        fill_query(query, builder_, relation, relation.facts[f], t);
        visit(relation.facts[f], t, query);
      }
    }
  }

  // What the user can mend is said before anything is scored, with its place in the dataset.
  void check(const Relation& relation) {
    const std::vector<std::size_t> templates = templates_of(relation, options_.templates);
    if constexpr (requires(const Query& query) { scorer_.check(query, options_.scoring); }) {
      if (packs_.done(relation.code)) return;
      for_each_query(relation, templates, 0, relation.facts.size(),
                     [&](const Fact& fact, std::size_t t, const Query& query) {
                       try {
                         scorer_.check(query, options_.scoring);
                       } catch (const Error& error) {
                         throw Error(error.fault(),
                                     {relation.file, fact.line,
                                      relation.code + ", template " + std::to_string(t)},
                                     error.what());
                       }
                     });
    }
  }

  void run_relation(const Relation& relation) {
    const std::vector<std::size_t> templates = templates_of(relation, options_.templates);
    const std::size_t per_fact = templates.size() * relation.options.size();
    const std::size_t facts_per_block =
        std::max<std::size_t>(1, options_.block_statements / per_fact);
    FileInTheMaking rows(results_file(relation));
    ScoringCost cost;
    for (std::size_t first = 0, block = 0; first < relation.facts.size();
         first += facts_per_block, ++block) {
      const std::size_t count = std::min(facts_per_block, relation.facts.size() - first);
      const ScoreTable table = score_block(relation, templates, first, count, block, cost);
      for (std::size_t f = 0; f < count; ++f) {
        for (std::size_t t = 0; t < templates.size(); ++t) {
          rows << recorded_line(relation.facts[first + f], templates[t], table.row(f, t),
                                options_.scoring);
        }
      }
    }
    rows.finish();
    packs_.finish(relation.code, cost);
  }

  ScoreTable score_block(const Relation& relation, const std::vector<std::size_t>& templates,
                         std::size_t first, std::size_t count, std::size_t block_index,
                         ScoringCost& cost) {
    typename Scorer::Block block;
    for_each_query(
        relation, templates, first, count,
        [&](const Fact&, std::size_t, const Query& query) { scorer_.add(block, query); });
    scorer_.plan(block);
    cost += block.cost();
    ScoreTable table(count, templates.size(), relation.options.size());
    const std::vector<StatementScore> scores = packs_.score(relation.code, block_index, block);
    for (std::size_t i = 0; i < scores.size(); ++i) table.set(i, scores[i]);
    return table;
  }

  const Builder& builder_;
  Scorer& scorer_;
  const RunFolder& folder_;
  RunOptions options_;
  PackRun<Scorer> packs_;
};

}  // namespace plumb
