// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the text of a planned prompt?
//
// Prompts come relation by relation and template by template, so the shots they share are drawn once
// and kept until a prompt with others comes.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/prompt/few_shot.hpp"
#include "plumb/run/answer_plan.hpp"

namespace plumb {

/// Not thread-safe. Dataset, facts and prompt builder must outlive it.
class PromptTexts {
 public:
  PromptTexts(const MultiPromptDataset& dataset, const AskedFacts& asked, const FewShot& few_shot)
      : dataset_(dataset), asked_(asked), few_shot_(few_shot) {}

  [[nodiscard]] const MultiPromptRelation& relation(const PlannedPrompt& planned) const {
    return dataset_.relations[asked_.relations[planned.relation].relation];
  }
  [[nodiscard]] const ManyNamedFact& fact(const PlannedPrompt& planned) const {
    return relation(planned).facts[fact_place(planned)];
  }
  /// The subject's name that the prompt uses.
  [[nodiscard]] const std::string& subject(const PlannedPrompt& planned) const {
    return fact(planned).subject.names[planned.prompt.expression];
  }

  /// Instruction and shots, without the question.
  [[nodiscard]] std::string context(const PlannedPrompt& planned) {
    const std::size_t place = asked_.relations[planned.relation].relation;
    return few_shot_.context(shots(place, planned.prompt.template_index), place,
                             fact_place(planned));
  }
  /// The whole prompt, up to where the answer begins.
  [[nodiscard]] std::string text(const PlannedPrompt& planned) {
    const std::size_t place = asked_.relations[planned.relation].relation;
    return context(planned) +
           few_shot_.question(place, planned.prompt.template_index, subject(planned));
  }
  /// The same with a text of no content for a subject, under the first shots.
  [[nodiscard]] std::string content_free(std::size_t relation, std::size_t template_index,
                                         std::string_view subject) {
    const std::size_t place = asked_.relations[relation].relation;
    return few_shot_.context(shots(place, template_index), place) +
           few_shot_.question(place, template_index, subject);
  }

 private:
  [[nodiscard]] std::size_t fact_place(const PlannedPrompt& planned) const {
    return asked_.relations[planned.relation].facts[planned.prompt.fact];
  }

  const std::vector<AskedUnder>& shots(std::size_t relation, std::size_t template_index) {
    const bool by_template = few_shot_.setting().source == ShotSource::same_template;
    const std::pair key{relation, by_template ? template_index : 0};
    if (drawn_for_ != key) {
      drawn_ = few_shot_.shots(relation, template_index);
      drawn_for_ = key;
    }
    return drawn_;
  }

  const MultiPromptDataset& dataset_;
  const AskedFacts& asked_;
  const FewShot& few_shot_;
  std::optional<std::pair<std::size_t, std::size_t>> drawn_for_;
  std::vector<AskedUnder> drawn_;
};

}  // namespace plumb
