// SPDX-License-Identifier: Apache-2.0
#pragma once

// The closed-set probe as a job. It scores every statement of a dataset and writes the rows, the
// metadata and the page.
//
// The job processes one relation after another, in blocks of whole facts with at most
// `block_statements` statements, so memory use does not grow with the dataset. A block is planned
// as a whole and then scored pack by pack. When a relation is finished, its results file is renamed
// to its final name, and the journal records the relation as finished. The output depends only on
// the dataset and the settings. A fact is omitted if the engine did not report every token of each
// candidate; the metadata and run.json record the number of such facts.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/check_and_complete.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/column_groups.hpp"
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
#include "plumb/detail/score/kept_blocks.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Models Job. The scorer must outlive this object. The prefix and shots from the settings precede
/// the builder's prompts. Not thread-safe.
template <PackedScorer Scorer, PromptBuilder Builder = Statement>
class ProbeJob {
 public:
  /// Uses the dataset unchanged, except that facts without numbers are numbered
  /// (check_and_complete). Throws a user error for contradictory settings, for a missing template,
  /// for a relation with too few facts for the shots, and for any dataset that a loader would
  /// reject.
  ProbeJob(Scorer& scorer, Dataset dataset, ProbeSettings settings, Provenance provenance = {},
           Builder builder = {})
      : scorer_(scorer),
        dataset_(check_and_complete(std::move(dataset))),
        settings_(std::move(settings)),
        provenance_(std::move(provenance)),
        builder_(dataset_, settings_.prefix.text, settings_.shots, std::move(builder),
                 settings_.conversation) {
    (settings_.check)();
    (builder_.solved().check)(dataset_);
    check_group_by(dataset_, settings_.group_by);
    statements_ =
        count_statements(dataset_, settings_.templates.indices) + neutral().statements(dataset_);
    if (settings_.chat != static_cast<bool>(settings_.conversation)) {
      throw internal_error({.setting = "chat"},
                           "needs a conversation, and a conversation needs `chat`");
    }
    check_conversations();
    if (settings_.chat_turn == ChatTurn::question) {
      provenance_.warn(prefix_warning(settings_.prefix.text));
    }
    if (settings_.masked.value_or(false)) return;
    for (std::string& warning : bos_warnings(dataset_, settings_, builder_, scorer_)) {
      provenance_.warn(std::move(warning));
    }
  }

  /// The maximum number of statements in a block; a single fact with more statements still forms
  /// one block.
  std::size_t block_statements = 65'536;
  /// With at least this many statements, tokenising takes seconds, so its progress is reported.
  std::size_t reported_preparation = 1'000'000;

  [[nodiscard]] Json settings() const { return probe_record(settings_, dataset_, provenance_); }

  /// The number of statements and the cost of evaluating them. Throws the same error as `run` for a
  /// statement that cannot be scored.
  [[nodiscard]] JobPlan plan(const ProgressCallback& on_progress = {}) {
    prepare(nullptr, on_progress);
    return {{"", "statement", statements_, cost_}};
  }

  /// Throws a user error for a statement that cannot be scored. If the scorer can check this in
  /// advance, the error is thrown before any scoring.
  void run(const RunFolder& folder, Work& work) {
    if (checks_beforehand || counts_unknown) prepare(&work, work.on_progress());
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
    for (std::size_t r = 0; r < dataset_.relations.size(); ++r) {
      const Relation& relation = dataset_.relations[r];
      const auto file = folder.file(relation.code + "_results.jsonl");
      Part part(work, relation.code, relation.code);
      if (const auto cost = part.done(file)) {
        part.skip(*cost);
      } else {
        score(r, file, part);
      }
      if (counts_unknown) {
        run.unknown_facts = unknown_[r].facts();
        run.unknown_statements = unknown_[r].statements();
      }
      // A fact with unreported tokens has no rows.
      const std::size_t rows = file.is_file() ? sum_of(file).lines : 0;
      run.unreported_facts =
          part.is_whole() ? relation.facts.size() - rows / templates(relation).size() : 0;
      unreported_facts_ += run.unreported_facts;
      metadata[relation.code] = recorded_metadata(relation, templates(relation), run);
    }
    write_atomically(folder.file(metadata_name(ResultsKind::closed_set)), metadata.dump(2) + "\n");
  }

  /// The number of facts omitted from the last run, if any, and the column by which its report
  /// groups facts. The column is not a setting, because the report on a resumed run may group the
  /// facts by another column.
  [[nodiscard]] Json facts() const {
    Json made = Json::object();
    if (unreported_facts_ > 0) made["unreported_facts"] = unreported_facts_;
    if (!settings_.group_by.empty()) made["group_by"] = settings_.group_by;
    return made;
  }

  [[nodiscard]] ProbeReport report(const DiskPath& folder) const {
    return probe_report(folder, {.seed = settings_.seed}, settings_.group_by);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> templates(const Relation& relation) const {
    return templates_of(relation, settings_.templates.indices);
  }

  /// Throws a user error for the first template that cannot be used in a conversation, giving its
  /// location in the dataset. The message also states how many other templates are affected.
  void check_conversations() const {
    if (!settings_.conversation) return;
    std::optional<Error> first;
    std::size_t others = 0;
    for (const Relation& relation : dataset_.relations) {
      for (const std::size_t t : templates(relation)) {
        const std::size_t facts = relation.own_sentences
                                      ? relation.facts.size()
                                      : (std::min)(relation.facts.size(), std::size_t{1});
        for (std::size_t f = 0; f < facts; ++f) {
          try {
            (void)builder_.build(relation, relation.facts[f], t, 0);
            neutral().for_each_query(relation, f, f < neutral().facts(relation) ? 1 : 0,
                                     [](auto&&...) {});
          } catch (const Error& error) {
            if (first) {
              ++others;
            } else {
              first = Error(error.fault(),
                            {relation.file, relation.facts[f].line,
                             relation.code + ", template " + std::to_string(t)},
                            error.what());
            }
            break;
          }
        }
      }
    }
    if (!first) return;
    if (others == 0) throw *first;
    throw Error(first->fault(), {},
                first->what() + std::string("; so ") + (others == 1 ? "is " : "are ") +
                    counted(others, "other template") +
                    "; select others with `relations` and `templates`");
  }

  [[nodiscard]] std::size_t per_fact(const Relation& relation) const {
    return templates(relation).size() * relation.options.size();
  }

  /// Statements that are scored together: those of `count` facts, starting with `first`, under some
  /// of the templates, or the neutral prompts of these facts.
  struct BlockPlace {
    std::size_t first = 0, count = 0;
    std::vector<std::size_t> under{};
    bool is_neutral = false;
  };

  /// The blocks of a relation in scoring order: neutral prompts first, then facts. Blocks that
  /// contain the same facts with different templates are adjacent.
  [[nodiscard]] std::vector<BlockPlace> blocks_of(const Relation& relation) const {
    std::vector<BlockPlace> blocks;
    const std::vector<std::size_t> all = templates(relation);
    std::size_t facts_per_block = std::max<std::size_t>(1, block_statements / per_fact(relation));
    // If each fact has its own shots, use one fact per block, so that the model's cache contains
    // only one fact's shots at a time.
    if (settings_.shots.count > 0 && settings_.shots.draw == ShotDraw::fact) facts_per_block = 1;
    const auto cut = [&](std::size_t facts, auto add) {
      for (std::size_t first = 0; first < facts; first += facts_per_block) {
        add(first, (std::min)(facts_per_block, facts - first));
      }
    };
    cut(neutral().facts(relation), [&](std::size_t first, std::size_t count) {
      blocks.push_back({first, count, all, true});
    });
    cut(relation.facts.size(), [&](std::size_t first, std::size_t count) {
      if (!builder_.has_context()) {
        blocks.push_back({first, count, all, false});
        return;
      }
      // Each template has its own context and therefore its own block.
      for (const std::size_t t : all) blocks.push_back({first, count, {t}, false});
    });
    return blocks;
  }

  static constexpr bool checks_beforehand =
      requires(Scorer & scorer, const typename Scorer::Block& block, const Query& query) {
    (scorer.check)(block, query, Scoring{});
  };
  static constexpr bool counts_unknown =
      requires(Scorer & scorer, const typename Scorer::Block& block, const Query& query) {
    scorer.unknown_answers(block, query);
  };

  /// Tokenises and plans all statements once, and keeps the blocks for scoring. Throws a user error
  /// that gives the location in the dataset if a statement cannot be scored. Relations already
  /// finished in `work` are skipped, although their unknown answers are still counted if the scorer
  /// supports this. Without `work`, all relations are prepared.
  void prepare(Work* work, const ProgressCallback& on_progress) {
    if (has_all_ || (is_prepared_ && work != nullptr)) return;
    is_prepared_ = true;
    has_all_ = work == nullptr;
    cost_ = {};
    unknown_.clear();
    const auto is_done = [&](const Relation& relation) {
      return work != nullptr && Part(*work, relation.code).done();
    };
    std::size_t statements = 0;
    for (const Relation& relation : dataset_.relations) {
      if (!is_done(relation)) statements += relation.facts.size() * per_fact(relation);
    }
    static const ProgressCallback nobody;
    Count prepared(statements >= reported_preparation ? on_progress : nobody,
                   "statements tokenised", statements);
    for (std::size_t r = 0; r < dataset_.relations.size(); ++r) {
      const Relation& relation = dataset_.relations[r];
      if constexpr (counts_unknown) unknown_.emplace_back(relation.facts.size());
      const bool is_left_out = is_done(relation);
      if (is_left_out && !counts_unknown) continue;
      const std::vector<BlockPlace> blocks = blocks_of(relation);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        auto block = filled_block(relation, blocks[b], counts_unknown ? &unknown_[r] : nullptr);
        if (is_left_out) continue;
        scorer_.plan(block);
        cost_ += block.cost();
        kept_.keep(scorer_, {relation.code, b}, block);
        if (!blocks[b].is_neutral) {
          prepared.advance(blocks[b].count * blocks[b].under.size() * relation.options.size(),
                           relation.code);
        }
      }
    }
  }

  /// A block filled with its statements but not yet planned. Throws the same errors as prepare.
  [[nodiscard]] typename Scorer::Block filled_block(const Relation& relation,
                                                    const BlockPlace& place,
                                                    UnknownAnswers* unknown = nullptr) {
    typename Scorer::Block block;
    const auto add = [&](const Fact& fact, std::size_t t, const Query& query, Scoring scoring) {
      try {
        scorer_.add(block, query);
        if constexpr (checks_beforehand) (scorer_.check)(block, query, scoring);
      } catch (const Error& error) {
        throw Error(error.fault(),
                    {relation.file, fact.line, relation.code + ", template " + std::to_string(t)},
                    error.what());
      }
    };
    if (place.is_neutral) {
      neutral().for_each_query(relation, place.first, place.count,
                               [&](const Fact& fact, std::size_t t, const Query& query) {
                                 add(fact, t, query, {Reduction::sum, neutral().span()});
                               });
      return block;
    }
    if constexpr (requires { scorer_.share(block, Prompt{}); }) {
      if (builder_.has_context()) {
        scorer_.share(block, shared_context(builder_, relation, place.first, place.count,
                                            place.under.front()));
      }
    }
    Query query;
    for (std::size_t f = place.first; f < place.first + place.count; ++f) {
      const Fact& fact = relation.facts[f];
      for (const std::size_t t : place.under) {
        fill_query(query, builder_, relation, fact, t);
        add(fact, t, query, settings_.scoring);
        if constexpr (counts_unknown) {
          if (unknown != nullptr) {
            unknown->add(f, fact.answer, scorer_.unknown_answers(block, query));
          }
        }
      }
    }
    return block;
  }

  [[nodiscard]] NeutralPrompts<Builder> neutral() const { return {builder_.builder(), settings_}; }

  [[nodiscard]] static std::string name_of_statement(const Relation& relation,
                                                     const BlockPlace& place,
                                                     std::size_t statement) {
    const std::size_t options = relation.options.size(), row = statement / options;
    return (place.is_neutral ? "the neutral prompt of " : "") +
           statement_name(relation, relation.facts[place.first + row / place.under.size()],
                          place.under[row % place.under.size()], statement % options);
  }

  void score(std::size_t relation_place, const DiskPath& file, Part& part) {
    const Relation& relation = dataset_.relations[relation_place];
    const std::vector<std::size_t> asked = templates(relation);
    const std::vector<BlockPlace> blocks = blocks_of(relation);
    AtomicFile rows(file);
    ScoringCost cost;
    std::vector<double> neutral_scores;  // scores of the neutral prompts, in prompt order
    std::vector<StatementScore> table;  // facts × templates × options, of the blocks being scored
    std::vector<bool> left_out;
    std::size_t templates_scored = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const BlockPlace& place = blocks[b];
      typename Scorer::Block block = kept_.get(scorer_, {relation.code, b}, [&] {
        auto made = filled_block(relation, place);
        scorer_.plan(made);
        return made;
      });
      cost += block.cost();
      const auto scored = scored_block(
          part, scorer_, block, place.is_neutral ? neutral().span() : settings_.scoring.span,
          [&](std::size_t statement) { return name_of_statement(relation, place, statement); },
          place.is_neutral ? Unreported::refused : Unreported::left_out);
      if (!scored) continue;
      if (place.is_neutral) {
        for (const StatementScore& score : *scored) {
          neutral_scores.push_back(neutral_log_likelihood(score, settings_.scoring.span));
        }
        continue;
      }
      if (templates_scored == 0) {
        table.assign(place.count * per_fact(relation), {});
        left_out.assign(place.count, false);
      }
      const std::size_t of_fact = place.under.size() * relation.options.size();
      for (std::size_t s = 0; s < scored->size(); ++s) {
        const StatementScore& score = (*scored)[s];
        const std::size_t f = s / of_fact;
        if (score.unreported_tokens > 0) left_out[f] = true;
        table[(f * asked.size() + templates_scored) * relation.options.size() + s % of_fact] =
            score;
      }
      templates_scored += place.under.size();
      if (templates_scored < asked.size()) continue;
      templates_scored = 0;
      if (!part.is_whole()) continue;
      for (std::size_t f = 0; f < place.count; ++f) {
        if (left_out[f]) continue;
        write_rows(rows, relation, place.first + f,
                   std::span(table).subspan(f * per_fact(relation), per_fact(relation)),
                   neutral_scores);
      }
    }
    if (!part.is_whole()) return;
    part.finish(cost, rows.finish());
  }

  /// Writes a fact's rows; `of_fact` is ordered by template, then option.
  void write_rows(AtomicFile& rows, const Relation& relation, std::size_t fact,
                  std::span<const StatementScore> of_fact,
                  const std::vector<double>& neutral_scores) const {
    const std::vector<std::size_t> asked = templates(relation);
    Query query;
    for (std::size_t t = 0; t < asked.size(); ++t) {
      const auto row = of_fact.subspan(t * relation.options.size(), relation.options.size());
      std::vector<StatementScore> scores(row.begin(), row.end());
      fill_query(query, builder_, relation, relation.facts[fact], asked[t]);
      const std::size_t of_neutral = neutral().place(relation, fact, t);
      for (std::size_t option = 0; option < scores.size(); ++option) {
        count_lengths(scores[option], query.candidates[option]);
        if (neutral_scores.empty()) continue;
        scores[option].neutral_log_likelihood = neutral_scores[of_neutral + option];
      }
      rows << recorded_line(relation.facts[fact], asked[t], as_recorded(std::move(scores)),
                            settings_.scoring);
    }
  }

  Scorer& scorer_;
  Dataset dataset_;
  ProbeSettings settings_;
  Provenance provenance_;
  InContext<Builder> builder_;
  std::size_t statements_ = 0, unreported_facts_ = 0;
  // Whether `prepare` has prepared the unfinished relations, and whether it has prepared all of
  // them.
  bool is_prepared_ = false, has_all_ = false;
  ScoringCost cost_;
  KeptBlocks<Scorer> kept_;              // indexed by relation, then by block
  std::vector<UnknownAnswers> unknown_;  // by relation
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
