// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns closed-set answers into the outcomes from which measures over many prompts are computed.
//
// A closed set's prompts are the paraphrases of its relation's templates, each filled with the
// subject's label. Templates with a marker ask a different question and are left out. Answers are
// numbered by option, so that two answers are the same only if they are the same option
// (SameAnswer). A tie for the best score is not an answer; it gets its own number, which differs
// from the numbers of all other answers. A fact's key is its subject's identifier, or else the
// subject's label, or else the fact's position in its file. If a subject has several facts in a
// relation, they remain separate facts, which share a key and differ in their right answers.
// Non-goal: the confidence of the answers (calibrate/overconfidence.hpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/predictions.hpp"
#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/fact_split.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The known properties of templates in addition to their texts, by relation code.
using KnownTemplates = std::map<std::string, std::vector<PromptTemplate>>;

/// A relation's paraphrases, in row order. A template without a text is called "template N".
inline std::vector<PromptTemplate> paraphrase_templates(const RelationPredictions& relation,
                                                        const KnownTemplates& known) {
  const auto entry = known.find(relation.relation.code);
  const std::vector<std::string>& texts = relation.relation.templates;
  std::vector<PromptTemplate> made;
  for (std::size_t i = 0; i < relation.paraphrases; ++i) {
    const std::size_t index = relation.template_at(i);
    const std::string name = "template " + std::to_string(index);
    const std::string& text = index < texts.size() && !texts[index].empty() ? texts[index] : name;
    if (entry == known.end()) {
      made.push_back({.text = text});
      continue;
    }
    const auto found = ranges::find(entry->second, text, &PromptTemplate::text);
    if (found == entry->second.end()) {
      // If this template were accepted, it would be treated as a manual template with its own
      // group.
      throw user_error({.field = relation.relation.code},
                       name + (text == name ? ", whose text is not known," : " ('" + text + "')") +
                           " is not among the templates whose groups are given",
                       "pass the file that contains the scored templates");
    }
    made.push_back(*found);
  }
  return made;
}

inline std::string closed_set_key(const Fact& fact) {
  const std::string& key = subject_key(fact);
  return key.empty() ? "instance " + std::to_string(fact.instance) : key;
}

/// Relations, facts and paraphrases are in the model's order. For relations without an entry in
/// `known`, only the templates' texts are known. Throws a user error for a paraphrase that is not
/// among the known templates of its relation.
[[nodiscard]] inline PromptOutcomes closed_set_outcomes(const ModelPredictions& model,
                                                        const KnownTemplates& known = {}) {
  PromptOutcomes table;
  std::vector<PromptOutcome> prompts;
  for (const RelationPredictions& relation : model.relations) {
    table.add_relation(relation.relation.code, detail::paraphrase_templates(relation, known));
    for (std::size_t fact = 0; fact < relation.facts(); ++fact) {
      prompts.clear();
      for (const Prediction& made : FactPredictions{relation, fact}.paraphrases()) {
        const std::size_t place = prompts.size();
        const std::size_t answer =
            made.is_tie() ? relation.relation.options.size() + place : made.option;
        constexpr std::uint32_t most = (std::numeric_limits<std::uint16_t>::max)();
        prompts.push_back({static_cast<std::uint32_t>(answer), static_cast<std::uint16_t>(place), 0,
                           made.correct, made.tie,
                           static_cast<std::uint16_t>((std::min)(most, made.tied_options))});
      }
      const Fact& known_fact = relation.relation.facts[fact];
      table.add_fact(detail::closed_set_key(known_fact), prompts,
                     option_text(relation.relation, known_fact, known_fact.answer));
    }
  }
  return table;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
