// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a model answer in a closed-set probe?
//
// Gathers the rows of one or several results folders into a table of facts by templates, with one
// cell for each row; the rows themselves are not stored. Reads both plumb's run folders and
// lm-pub-quiz's folders. Several folders of one model can be joined if they have the same facts and
// options under different templates. The templates are the variants of a single setting,
// "template", so that code that compares models reads a probe in the same way as a many-shot run.

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/weighted_likelihood.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/records/probe_rows.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The scores stored in a row.
[[nodiscard]] inline const std::vector<double>& scores_of_row(const RecordedRow& row,
                                                              const RecordedRelation& /*in*/) {
  return row.scores;
}

/// The data gathered from the rows of a fact.
struct GatheredFact {
  explicit GatheredFact(const Fact& of) : fact(of) {}

  Fact fact;
  std::map<std::size_t, Prediction> by_template{};
  WeightedLikelihood together{};
};

[[noreturn]] inline void refuse_joining(const RecordedRelation& first,
                                        const RecordedRelation& other, const char* field,
                                        const std::string& what) {
  throw user_error({other.rows, 0, field}, what + " " + first.rows.parent().string(),
                   "join only folders with scores for the same dataset");
}

inline void refuse_different(const RecordedRelation& first, const RecordedRelation& other) {
  if (other.relation.options != first.relation.options) {
    refuse_joining(first, other, "answer_space_labels", "differ from those in");
  }
  if (other.reduction != first.reduction || other.span != first.span) {
    refuse_joining(first, other, "reduction", "differs from that in");
  }
}

/// The templates' weights, which must be the same in all folders that have weights.
inline std::vector<double> joined_weights(std::span<const RecordedRelation> parts) {
  const RecordedRelation* first = nullptr;
  for (const RecordedRelation& part : parts) {
    const std::vector<double>& own = part.relation.template_weights;
    if (own.empty()) continue;
    if (first == nullptr) first = &part;
    const std::vector<double>& known = first->relation.template_weights;
    for (std::size_t t = 0; t < (std::max)(own.size(), known.size()); ++t) {
      if (weight_of(own, t) == weight_of(known, t)) continue;
      refuse_joining(*first, part, "template_weights", "differ from those in");
    }
  }
  return first == nullptr ? std::vector<double>{} : first->relation.template_weights;
}

/// Of each fact's own texts for the options, keeps only that of the right option.
inline void keep_right_texts(std::vector<Fact>& facts) {
  for (Fact& fact : facts) {
    for (std::size_t option = 0; option < fact.choices.size(); ++option) {
      if (option != fact.answer) fact.choices[option] = std::string();
    }
  }
}

/// The table of one relation, with facts in ascending order of instance and templates in ascending
/// order of index. `parts` are the relation's entries in one or more folders; `scores_of(row,
/// part)` returns the options' scores, in nats, from which a cell's prediction is computed. If no
/// metadata specifies whether the relation is 1:1, this is determined from the facts. Throws a user
/// error if rows are duplicated, if a fact lacks a template that other facts have, if a file is
/// incomplete, or if the folders do not belong together. Rows of a folder without weights have
/// weight 0.
template <class ScoresOf>
[[nodiscard]] RelationAnswers recorded_answers(std::span<const RecordedRelation> parts,
                                               ScoresOf scores_of, bool with_parts = false) {
  RelationAnswers table;
  table.relation = parts.front().relation;
  for (const RecordedRelation& recorded : parts) {
    detail::refuse_different(parts.front(), recorded);
  }
  table.relation.template_weights = detail::joined_weights(parts);
  std::vector<std::size_t> templates;
  std::map<std::size_t, detail::GatheredFact> by_instance;
  std::map<std::size_t, DiskPath> scored_in;  // by template
  for (const RecordedRelation& recorded : parts) {
    // A template's text is taken from a folder in which it was scored.
    std::vector<std::string>& texts = table.relation.templates;
    if (recorded.relation.templates.size() > texts.size()) {
      texts.resize(recorded.relation.templates.size());
    }
    const std::vector<std::size_t> before = templates;
    if (table.relation.cardinality != Cardinality::one_to_one &&
        recorded.relation.cardinality != Cardinality::by_facts) {
      table.relation.cardinality = recorded.relation.cardinality;
    }
    if (table.relation.domains.empty()) table.relation.domains = recorded.relation.domains;
    std::size_t facts = 0;
    std::size_t last = 0;
    const auto visit = [&](const RecordedRow& row) {
      const std::size_t instance = row.fact.instance;
      detail::GatheredFact& gathered = by_instance.try_emplace(instance, row.fact).first->second;
      const Fact& known = gathered.fact;
      const bool named = !known.subject.empty() && !row.fact.subject.empty();
      if (known.answer != row.fact.answer || (named && known.subject != row.fact.subject) ||
          known.choices != row.fact.choices) {
        throw user_error(
            {recorded.rows, row.fact.line, "instance_index"},
            "instance " + std::to_string(instance) + " is a different fact in an earlier row",
            "join only folders with scores for the same dataset");
      }
      if (facts == 0 || instance != last) ++facts;  // rows of a fact are contiguous
      last = instance;
      const std::vector<double>& scores = scores_of(row, recorded);
      if (!gathered.by_template.emplace(row.template_index, predict(scores, row.fact.answer))
               .second) {
        throw user_error({recorded.rows, row.fact.line, "instance_index"},
                         "instance " + std::to_string(instance) + " is duplicated for template " +
                             std::to_string(row.template_index),
                         parts.size() > 1 ? "name folders of different models as NAME=DIR"
                                          : "the results file is damaged");
      }
      gathered.together.add(scores,
                            weight_of(recorded.relation.template_weights, row.template_index));
      if (ranges::find(templates, row.template_index) == templates.end()) {
        templates.push_back(row.template_index);
      }
      scored_in.emplace(row.template_index, recorded.rows);
    };
    for_each_recorded_row(recorded, visit, with_parts);
    for (std::size_t t = 0; t < recorded.relation.templates.size(); ++t) {
      const auto has = [t](const std::vector<std::size_t>& list) {
        return ranges::find(list, t) != list.end();
      };
      const bool scored_here = has(templates) && !has(before);
      if (scored_here || texts[t].empty()) texts[t] = recorded.relation.templates[t];
    }
    if (recorded.facts > 0 && facts != recorded.facts) {
      const bool lacks = facts < recorded.facts;
      throw user_error({.file = recorded.rows},
                       (lacks ? std::to_string(facts) + " of " + counted(recorded.facts, "fact")
                              : "has " + counted(facts, "fact") + " but its metadata reports " +
                                    std::to_string(recorded.facts)),
                       lacks ? "the results file is incomplete; probe again"
                             : "the results file is from another run; probe again");
    }
  }
  ranges::sort(templates);
  const bool leaves_out =
      ranges::any_of(parts, [](const auto& p) { return p.unreported_facts > 0; });
  for (const std::size_t index : templates) table.settings.push_back(template_setting(index));
  for (auto& [instance, gathered] : by_instance) {
    const auto& by_template = gathered.by_template;
    // Some folder lacks the fact, because the engine did not report all of its log-probabilities.
    if (by_template.size() != templates.size() && leaves_out) continue;
    if (by_template.size() != templates.size()) {
      const auto lacking = ranges::find_if(
          templates, [&](std::size_t index) { return !by_template.contains(index); });
      throw user_error({scored_in.at(*lacking), 0, "template_index"},
                       "instance " + std::to_string(instance) + " has no row for template " +
                           std::to_string(*lacking) + ", which other facts have",
                       parts.size() > 1 ? "join folders with scores for the same facts"
                                        : "the results file is incomplete; probe again");
    }
    for (const auto& [index, made] : by_template) table.cells.push_back(made);
    if (const std::vector<double> scores = gathered.together.scores(); !scores.empty()) {
      table.weighted.push_back(predict(scores, gathered.fact.answer));
    }
    table.relation.facts.push_back(std::move(gathered.fact));
  }
  table.relation.cardinality = cardinality_of(table.relation);
  return table;
}

/// Of each fact's own texts for the options, keeps only those of the right option and of the
/// options that the model chose.
inline void keep_answer_texts(RelationAnswers& table) {
  for (std::size_t i = 0; i < table.facts(); ++i) {
    Fact& fact = table.relation.facts[i];
    for (std::size_t option = 0; option < fact.choices.size(); ++option) {
      const bool answered = ranges::any_of(
          table.row(i), [&](const Prediction& answer) { return answer.option == option; });
      if (option != fact.answer && !answered) fact.choices[option] = std::string();
    }
  }
}

/// The answers under all scored templates, with relations in the order of the folder; relations
/// without rows are omitted. Predictions are computed from the scores stored in the folder. Among a
/// fact's own texts for the options, only those of the right option and of the options that the
/// model chose are stored. Throws the same errors as recorded_answers, and a user error if the
/// folder has no finished results.
[[nodiscard]] inline ModelAnswers probe_answers(const DiskPath& folder, const std::string& name) {
  const std::vector<RecordedRelation> recorded = recorded_relations(folder);
  ModelAnswers model{name, std::vector<RelationAnswers>(recorded.size())};
  parallel_for(recorded.size(), [&](std::size_t i) {
    RelationAnswers& made = model.relations[i];
    made = recorded_answers(std::span(&recorded[i], 1), scores_of_row);
    detail::keep_answer_texts(made);
  });
  std::erase_if(model.relations, [](const RelationAnswers& made) { return made.facts() == 0; });
  return model;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
