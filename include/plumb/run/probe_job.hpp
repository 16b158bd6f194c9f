// SPDX-License-Identifier: Apache-2.0
#pragma once

// The closed-set probe as a job: every statement of a dataset scored, its rows, metadata and page.
//
// Relation by relation, in blocks of whole facts that hold at most `block_statements` statements, so
// memory does not grow with the dataset. A block is planned whole and then scored pack by pack. When
// a relation is through, its results file gets its name and the journal says so. What is written
// depends on the dataset and the settings alone. A fact with a candidate whose tokens the engine did
// not report in full is left out, counted in the metadata and in run.json.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/as_loaded.hpp"
#include "plumb/data/dataset.hpp"
#include "plumb/data/dataset_texts.hpp"
#include "plumb/prompt/prompt.hpp"
#include "plumb/prompt/statement.hpp"
#include "plumb/records/probe_rows.hpp"
#include "plumb/records/result_sums.hpp"
#include "plumb/records/results_kind.hpp"
#include "plumb/report/probe_report.hpp"
#include "plumb/run/job.hpp"
#include "plumb/run/option_check.hpp"
#include "plumb/run/probe_settings.hpp"
#include "plumb/run/provenance.hpp"
#include "plumb/run/scored_block.hpp"
#include "plumb/run/statement_prompts.hpp"
#include "plumb/score/bos.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/score_table.hpp"

namespace plumb {

/// Throws a user error for what a model cannot be asked: an option that it does not see, or a text
/// that holds the text of a special token and may not. Adds to the model's description what is to be known
/// of how it reads these texts.
template <class Model>
void check_probe(const Model& model, const Dataset& dataset, const ProbeSettings& settings,
                 ModelDescription& description) {
  refuse_empty_options(model, dataset);
  const SpecialTokenCheck check{model, settings.special_tokens};
  for_each_text(dataset, settings.templates.indices, check);
  check.warn(description);
}

/// Models Job. The scorer must outlive it. Not thread-safe.
template <PackedScorer Scorer, PromptBuilder Builder = Statement>
class ProbeJob {
 public:
  /// The dataset is asked as it is, its facts numbered where they are not (as_loaded). Throws a user
  /// error for settings that contradict one another, for a template that a relation lacks, and for
  /// what a loader would refuse.
  ProbeJob(Scorer& scorer, Dataset dataset, ProbeSettings settings, Provenance provenance = {},
           Builder builder = {})
      : scorer_(scorer),
        dataset_(as_loaded(std::move(dataset))),
        settings_(std::move(settings)),
        provenance_(std::move(provenance)),
        builder_(std::move(builder)) {
    (settings_.check)();
    statements_ = count_statements(dataset_, settings_.templates.indices);
    if (!settings_.masked.value_or(false)) warn_of_bos();
  }

  /// Statements of a block at most, or those of one fact.
  std::size_t block_statements = 65'536;
  /// From so many statements on, the progress of checking and planning them is told, which takes seconds
  /// then.
  std::size_t told_check = 1'000'000;

  [[nodiscard]] Json settings() const { return probe_record(settings_, dataset_, provenance_); }

  /// Statements, and what feeding them takes. Throws as run does for a statement that cannot be scored.
  [[nodiscard]] JobPlan plan(const ProgressCallback& on_progress = {}) {
    check_all(nullptr, on_progress);
    Count planned(told(statements_, on_progress), "statements planned", statements_);
    ScoringCost cost;
    for (const Relation& relation : dataset_.relations) {
      for_each_block(relation, [&](std::size_t first, std::size_t count) {
        typename Scorer::Block block;
        plan_block(block, relation, first, count);
        cost += block.cost();
        planned.advance(count * per_fact(relation), relation.code);
      });
    }
    return {{"", "statement", statements_, cost}};
  }

  /// Throws a user error for a statement that cannot be scored, before anything is scored where the
  /// scorer tells so beforehand.
  void run(const RunFolder& folder, Work& work) {
    check_all(&work, work.on_progress());
    const std::vector<UnknownAnswers> unknown = unknown_answers();
    ExamplePrompts examples;
    for_each_statement_prompt(dataset_, builder_, settings_.templates.indices, settings_.bos, {},
                              std::ref(examples));
    examples.write(folder.path());
    work.begin("statements", statements_);
    Json metadata = Json::object();
    RecordedRun run{provenance_.model, dataset_.name, settings_.scoring, settings_.bos.wanted};
    if (settings_.masked.value_or(false)) {
      run.pll_metric = settings_.pll == PseudoLikelihood::original ? "original" : "within_word_l2r";
    }
    unreported_facts_ = 0;
    for (const Relation& relation : dataset_.relations) {
      const auto file = folder.file(relation.code + "_results.jsonl");
      Part part(work, relation.code, relation.code);
      if (const auto cost = part.done(file)) {
        part.skip(*cost);
      } else {
        score(relation, file, part);
      }
      if (!unknown.empty()) {
        const UnknownAnswers& count = unknown[metadata.size()];
        run.unknown_facts = count.facts;
        run.unknown_statements = count.statements;
      }
      // A fact that the engine did not report in full has no rows.
      const std::size_t rows = file.is_file() ? sum_of(file).lines : 0;
      run.unreported_facts =
          part.is_whole() ? relation.facts.size() - rows / templates(relation).size() : 0;
      unreported_facts_ += run.unreported_facts;
      metadata[relation.code] = recorded_metadata(relation, templates(relation), run);
    }
    write_atomically(folder.file(metadata_name(ResultsKind::closed_set)), metadata.dump(2) + "\n");
  }

  /// How many facts the last run left out, where there are some.
  [[nodiscard]] Json facts() const {
    if (unreported_facts_ == 0) return Json::object();
    return {{"unreported_facts", unreported_facts_}};
  }

  [[nodiscard]] ProbeReport report(const DiskPath& folder) const {
    return ProbeReport(folder, {.seed = settings_.seed});
  }

 private:
  [[nodiscard]] std::vector<std::size_t> templates(const Relation& relation) const {
    return templates_of(relation, settings_.templates.indices);
  }

  /// Calls `visit(fact, template_index, query)` fact by fact, then template by template.
  template <class Visit>
  void for_each_query(const Relation& relation, std::size_t first, std::size_t count,
                      Visit visit) const {
    Query query;
    for (std::size_t f = first; f < first + count; ++f) {
      for (const std::size_t t : templates(relation)) {
        fill_query(query, builder_, relation, relation.facts[f], t);
        visit(relation.facts[f], t, query);
      }
    }
  }

  /// Statements that begin with BOS themselves, and without BOS what begins with the answer.
  void warn_of_bos() {
    std::size_t own = 0, patterns = 0, led_by_answer = 0, facts = 0;
    for (const Relation& relation : dataset_.relations) {
      std::vector<bool> leads(relation.templates.size() + 1, false);
      for (const Fact& fact : relation.facts) {
        for (const std::size_t t : templates(relation)) {
          const Prompt asked = builder_.build(relation, fact, t, fact.answer);
          if constexpr (requires { scorer_.begins_with_bos(asked); }) {
            own += scorer_.begins_with_bos(asked) ? 1U : 0U;
          }
          if (asked.answer.empty() || asked.answer.front().begin > 0) continue;
          leads[(std::min)(t, relation.templates.size())] = true;
          ++facts;
        }
      }
      patterns += templates(relation).size();
      led_by_answer += static_cast<std::size_t>(over::count(leads, true));
    }
    provenance_.warn(own_bos_warning(own, "statement"));
    if (settings_.bos) return;
    provenance_.warn(
        "Warning: no BOS stands before the statements, so the first token of each has no "
        "probability; " +
        std::to_string(led_by_answer) + " of " + counted(patterns, "template") +
        (led_by_answer == 1 ? " begins" : " begin") + " with the answer" +
        (facts == 0 ? "."
                    : ", and " + counted(facts, "right answer") +
                          (facts == 1 ? " lacks" : " lack") + " a token's."));
  }

  struct UnknownAnswers {
    std::size_t facts = 0, statements = 0;
  };

  /// By relation; nothing where the scorer does not tell.
  [[nodiscard]] std::vector<UnknownAnswers> unknown_answers() const {
    std::vector<UnknownAnswers> all;
    if constexpr (requires(const Query& query) { scorer_.unknown_answers(query); }) {
      for (const Relation& relation : dataset_.relations) {
        UnknownAnswers& count = all.emplace_back();
        std::size_t next = 0;  // facts before it are counted
        for_each_query(relation, 0, relation.facts.size(),
                       [&](const Fact& fact, std::size_t, const Query& query) {
                         const std::vector<bool> unknown = scorer_.unknown_answers(query);
                         count.statements += static_cast<std::size_t>(over::count(unknown, true));
                         const auto at = static_cast<std::size_t>(&fact - relation.facts.data());
                         if (!unknown[fact.answer] || at < next) return;
                         ++count.facts;
                         next = at + 1;
                       });
      }
    }
    return all;
  }

  [[nodiscard]] std::size_t per_fact(const Relation& relation) const {
    return templates(relation).size() * relation.options.size();
  }

  /// Who is told of so many statements.
  [[nodiscard]] const ProgressCallback& told(std::size_t statements,
                                             const ProgressCallback& on_progress) const {
    static const ProgressCallback nobody;
    return statements >= told_check ? on_progress : nobody;
  }

  /// Once, of relations that the work has not done.
  void check_all(Work* work, const ProgressCallback& on_progress) {
    if (std::exchange(is_checked_, true) || !checks_beforehand()) return;
    std::vector<const Relation*> open;
    std::size_t statements = 0;
    for (const Relation& relation : dataset_.relations) {
      if (work != nullptr && Part(*work, relation.code).done()) continue;
      open.push_back(&relation);
      statements += relation.facts.size() * per_fact(relation);
    }
    Count checked(told(statements, on_progress), "statements checked", statements);
    for (const Relation* relation : open) {
      (check)(*relation, [&] { checked.advance(relation->options.size(), relation->code); });
    }
  }

  [[nodiscard]] bool checks_beforehand() const {
    return requires(const Query& query) {
      (scorer_.check)(query, settings_.scoring);
    };
  }

  // What the user can fix is said before anything is scored, with its place in the dataset; `checked`
  // is called after each query.
  template <class Checked>
  void(check)(const Relation& relation, Checked checked) const {
    if constexpr (requires(const Query& query) { (scorer_.check)(query, settings_.scoring); }) {
      for_each_query(relation, 0, relation.facts.size(),
                     [&](const Fact& fact, std::size_t t, const Query& query) {
                       try {
                         (scorer_.check)(query, settings_.scoring);
                       } catch (const Error& error) {
                         throw Error(error.fault(),
                                     {relation.file, fact.line,
                                      relation.code + ", template " + std::to_string(t)},
                                     error.what());
                       }
                       checked();
                     });
    }
  }

  /// Calls `visit(first fact, count)` for each block of a relation.
  template <class Visit>
  void for_each_block(const Relation& relation, Visit visit) const {
    const std::size_t facts_per_block =
        std::max<std::size_t>(1, block_statements / per_fact(relation));
    for (std::size_t first = 0; first < relation.facts.size(); first += facts_per_block) {
      visit(first, (std::min)(facts_per_block, relation.facts.size() - first));
    }
  }

  void plan_block(typename Scorer::Block& block, const Relation& relation, std::size_t first,
                  std::size_t count) {
    for_each_query(relation, first, count, [&](const Fact&, std::size_t, const Query& query) {
      scorer_.add(block, query);
    });
    scorer_.plan(block);
  }

  void score(const Relation& relation, const DiskPath& file, Part& part) {
    const std::vector<std::size_t> asked = templates(relation);
    FileInTheMaking rows(file);
    ScoringCost cost;
    for_each_block(relation, [&](std::size_t first, std::size_t count) {
      typename Scorer::Block block;
      plan_block(block, relation, first, count);
      cost += block.cost();
      ScoreTable table(count, asked.size(), relation.options.size());
      auto scored = scored_block(
          part, scorer_, block, settings_.scoring.span,
          [&](std::size_t statement) {
            const std::size_t options = relation.options.size(), row = statement / options;
            const Fact& fact = relation.facts[first + row / asked.size()];
            return statement_name(relation, fact, asked[row % asked.size()], statement % options);
          },
          Unreported::left_out);
      if (!scored) return;
      const std::vector<StatementScore> scores = as_recorded(*std::move(scored));
      for (std::size_t i = 0; i < scores.size(); ++i) table.set(i, scores[i]);
      const std::size_t of_fact = asked.size() * relation.options.size();
      for (std::size_t f = 0; f < count; ++f) {
        const auto own = std::span(scores).subspan(f * of_fact, of_fact);
        if (over::any_of(own, [](const auto& s) { return s.unreported_tokens > 0; })) continue;
        for (std::size_t t = 0; t < asked.size(); ++t) {
          rows << recorded_line(relation.facts[first + f], asked[t], table.row(f, t),
                                settings_.scoring);
        }
      }
    });
    if (!part.is_whole()) return;
    part.finish(cost, rows.finish());
  }

  Scorer& scorer_;
  Dataset dataset_;
  ProbeSettings settings_;
  Provenance provenance_;
  Builder builder_;
  std::size_t statements_ = 0, unreported_facts_ = 0;
  bool is_checked_ = false;
};

}  // namespace plumb
