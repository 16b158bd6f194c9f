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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/over.hpp"
#include "plumb/detail/data/as_loaded.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/prompt/in_context.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/prompt/solved_facts.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/records/probe_rows.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/report/probe_report.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/neutral_prompts.hpp"
#include "plumb/detail/run/probe_settings.hpp"
#include "plumb/detail/run/probe_warnings.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/scored_block.hpp"
#include "plumb/detail/run/statement_prompts.hpp"
#include "plumb/detail/run/unknown_answers.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"
#include "plumb/detail/score/score_table.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Models Job. The scorer must outlive it. The settings' prefix and shots stand before what the builder
/// makes. Not thread-safe.
template <PackedScorer Scorer, PromptBuilder Builder = Statement>
class ProbeJob {
 public:
  /// The dataset is asked as it is, its facts numbered where they are not (as_loaded). Throws a user
  /// error for settings that contradict one another, for a template or facts to show that a relation
  /// lacks, and for what a loader would refuse.
  ProbeJob(Scorer& scorer, Dataset dataset, ProbeSettings settings, Provenance provenance = {},
           Builder builder = {})
      : scorer_(scorer),
        dataset_(as_loaded(std::move(dataset))),
        settings_(std::move(settings)),
        provenance_(std::move(provenance)),
        builder_(dataset_, settings_.prefix.text, settings_.shots, std::move(builder)) {
    (settings_.check)();
    (builder_.solved().check)(dataset_);
    statements_ =
        count_statements(dataset_, settings_.templates.indices) + neutral().statements(dataset_);
    provenance_.warn(prefix_warning(settings_.prefix.text));
    if (settings_.masked.value_or(false)) return;
    for (std::string& warning : bos_warnings(dataset_, settings_, builder_, scorer_)) {
      provenance_.warn(std::move(warning));
    }
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
      for_each_neutral_block(relation, [&](std::size_t first, std::size_t count) {
        typename Scorer::Block block;
        plan_neutral(block, relation, first, count);
        cost += block.cost();
      });
      for_each_block(relation, [&](std::size_t first, std::size_t count) {
        for (const std::vector<std::size_t>& together : scored_together(relation)) {
          typename Scorer::Block block;
          plan_block(block, relation, first, count, together);
          cost += block.cost();
        }
        planned.advance(count * per_fact(relation), relation.code);
      });
    }
    return {{"", "statement", statements_, cost}};
  }

  /// Throws a user error for a statement that cannot be scored, before anything is scored where the
  /// scorer tells so beforehand.
  void run(const RunFolder& folder, Work& work) {
    check_all(&work, work.on_progress());
    const std::vector<UnknownAnswers> unknown =
        unknown_answers(scorer_, dataset_, settings_, builder_);
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
    for_each_query(relation, first, count, templates(relation), visit);
  }
  template <class Visit>
  void for_each_query(const Relation& relation, std::size_t first, std::size_t count,
                      const std::vector<std::size_t>& under, Visit visit) const {
    Query query;
    for (std::size_t f = first; f < first + count; ++f) {
      for (const std::size_t t : under) {
        fill_query(query, builder_, relation, relation.facts[f], t);
        visit(relation.facts[f], t, query);
      }
    }
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
    return requires(const Query& query) { (scorer_.check)(query, settings_.scoring); };
  }

  // What the user can fix is said before anything is scored, with its place in the dataset; `checked`
  // is called after each query.
  template <class Checked>
  void(check)(const Relation& relation, Checked checked) const {
    if constexpr (requires(const Query& query) { (scorer_.check)(query, settings_.scoring); }) {
      const auto look = [&](const Fact& fact, std::size_t t, const Query& query, Scoring scoring) {
        try {
          (scorer_.check)(query, scoring);
        } catch (const Error& error) {
          throw Error(error.fault(),
                      {relation.file, fact.line, relation.code + ", template " + std::to_string(t)},
                      error.what());
        }
      };
      for_each_query(relation, 0, relation.facts.size(),
                     [&](const Fact& fact, std::size_t t, const Query& query) {
                       look(fact, t, query, settings_.scoring);
                       checked();
                     });
      for_each_neutral_block(relation, [&](std::size_t first, std::size_t count) {
        neutral().for_each_query(relation, first, count,
                                 [&](const Fact& fact, std::size_t t, const Query& query) {
                                   look(fact, t, query, {Reduction::sum, neutral().span()});
                                 });
      });
    }
  }

  /// Calls `visit(first fact, count)` for each block of a relation.
  template <class Visit>
  void for_each_block(const Relation& relation, Visit visit) const {
    for_each_block(relation, relation.facts.size(), visit);
  }
  /// The same of its first facts.
  template <class Visit>
  void for_each_block(const Relation& relation, std::size_t facts, Visit visit) const {
    std::size_t facts_per_block = std::max<std::size_t>(1, block_statements / per_fact(relation));
    // Each fact's own shots are held in the model while its options are scored.
    if (settings_.shots.count > 0 && settings_.shots.draw == ShotDraw::fact) facts_per_block = 1;
    for (std::size_t first = 0; first < facts; first += facts_per_block) {
      visit(first, (std::min)(facts_per_block, facts - first));
    }
  }

  /// The templates of a relation in groups whose statements are scored in one block. Those behind a
  /// context have a block for each template, which has its own context.
  [[nodiscard]] std::vector<std::vector<std::size_t>> scored_together(
      const Relation& relation) const {
    std::vector<std::size_t> all = templates(relation);
    if (!builder_.has_context()) return {std::move(all)};
    std::vector<std::vector<std::size_t>> alone;
    for (const std::size_t t : all) alone.push_back({t});
    return alone;
  }

  void plan_block(typename Scorer::Block& block, const Relation& relation, std::size_t first,
                  std::size_t count, const std::vector<std::size_t>& under) {
    if constexpr (requires { scorer_.share(block, Prompt{}); }) {
      if (builder_.has_context()) {
        scorer_.share(block, shared_context(builder_, relation, first, count, under.front()));
      }
    }
    for_each_query(
        relation, first, count, under,
        [&](const Fact&, std::size_t, const Query& query) { scorer_.add(block, query); });
    scorer_.plan(block);
  }

  [[nodiscard]] NeutralPrompts<Builder> neutral() const { return {builder_.builder(), settings_}; }

  /// Calls `visit(first fact, count)` for each block of a relation's neutral prompts.
  template <class Visit>
  void for_each_neutral_block(const Relation& relation, Visit visit) const {
    for_each_block(relation, neutral().facts(relation), visit);
  }
  void plan_neutral(typename Scorer::Block& block, const Relation& relation, std::size_t first,
                    std::size_t count) {
    neutral().for_each_query(
        relation, first, count,
        [&](const Fact&, std::size_t, const Query& query) { scorer_.add(block, query); });
    scorer_.plan(block);
  }

  /// Log-likelihoods of a relation's neutral prompts in their order; some lack where the part is not
  /// whole.
  std::vector<double> score_neutral(const Relation& relation, Part& part, ScoringCost& cost) {
    const std::vector<std::size_t> asked = templates(relation);
    std::vector<double> made;
    for_each_neutral_block(relation, [&](std::size_t first, std::size_t count) {
      typename Scorer::Block block;
      plan_neutral(block, relation, first, count);
      cost += block.cost();
      const auto scored = scored_block(part, scorer_, block, neutral().span(), [&](std::size_t s) {
        return "the neutral prompt of " + name_of_statement(relation, first, asked, s);
      });
      if (!scored) return;
      for (const StatementScore& score : *scored) {
        made.push_back(neutral_log_likelihood(score, settings_.scoring.span));
      }
    });
    return made;
  }

  [[nodiscard]] static std::string name_of_statement(const Relation& relation, std::size_t first,
                                                     const std::vector<std::size_t>& under,
                                                     std::size_t statement) {
    const std::size_t options = relation.options.size(), row = statement / options;
    return statement_name(relation, relation.facts[first + row / under.size()],
                          under[row % under.size()], statement % options);
  }

  void score(const Relation& relation, const DiskPath& file, Part& part) {
    const std::vector<std::size_t> asked = templates(relation);
    FileInTheMaking rows(file);
    ScoringCost cost;
    const std::vector<double> neutral_scores = score_neutral(relation, part, cost);
    for_each_block(relation, [&](std::size_t first, std::size_t count) {
      ScoreTable table(count, asked.size(), relation.options.size());
      std::vector<bool> left_out(count, false);
      std::size_t place = 0;  // of the first of `together` among the templates
      for (const std::vector<std::size_t>& together : scored_together(relation)) {
        const std::size_t of_fact = together.size() * relation.options.size();
        const auto set = [&](std::size_t s, const StatementScore& score) {
          const std::size_t f = s / of_fact;
          if (score.unreported_tokens > 0) left_out[f] = true;
          table.set((f * asked.size() + place) * relation.options.size() + s % of_fact, score);
        };
        score_block(relation, first, count, together, part, cost, set);
        place += together.size();
      }
      if (!part.is_whole()) return;
      Query query;
      for (std::size_t f = 0; f < count; ++f) {
        if (left_out[f]) continue;
        const Fact& fact = relation.facts[first + f];
        for (std::size_t t = 0; t < asked.size(); ++t) {
          std::vector<StatementScore> row = table.row(f, t);
          fill_query(query, builder_, relation, fact, asked[t]);
          const std::size_t of_neutral = neutral().place(relation, first + f, t);
          for (std::size_t option = 0; option < row.size(); ++option) {
            count_bytes(row[option], query.candidates[option]);
            if (neutral_scores.empty()) continue;
            row[option].neutral_log_likelihood = neutral_scores[of_neutral + option];
          }
          rows << recorded_line(fact, asked[t], as_recorded(std::move(row)), settings_.scoring);
        }
      }
    });
    if (!part.is_whole()) return;
    part.finish(cost, rows.finish());
  }

  /// Scores a block of facts under some templates and calls `set(statement, score)` where the part is
  /// whole.
  template <class Set>
  void score_block(const Relation& relation, std::size_t first, std::size_t count,
                   const std::vector<std::size_t>& under, Part& part, ScoringCost& cost, Set set) {
    typename Scorer::Block block;
    plan_block(block, relation, first, count, under);
    cost += block.cost();
    auto scored = scored_block(
        part, scorer_, block, settings_.scoring.span,
        [&](std::size_t statement) { return name_of_statement(relation, first, under, statement); },
        Unreported::left_out);
    for (std::size_t s = 0; scored && s < scored->size(); ++s) set(s, (*scored)[s]);
  }

  Scorer& scorer_;
  Dataset dataset_;
  ProbeSettings settings_;
  Provenance provenance_;
  InContext<Builder> builder_;
  std::size_t statements_ = 0, unreported_facts_ = 0;
  bool is_checked_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
