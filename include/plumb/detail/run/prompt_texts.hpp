// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the text of a planned prompt, and which facts does it show?
//
// Prompts are ordered by relation, template and fact. Shared shots are therefore drawn once and
// kept until a prompt needs different shots.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plumb/detail/prompt/few_shot.hpp"
#include "plumb/detail/records/recorded_shots.hpp"
#include "plumb/detail/run/answer_plan.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A shot in the form in which files record it.
[[nodiscard]] inline RecordedShot recorded_shot(const MultiPromptDataset& dataset,
                                                const AskedUnder& shot) {
  const ManyNamedFact& fact = dataset.relations[shot.relation].facts[shot.fact];
  return {dataset.relations[shot.relation].code, fact.subject.id, fact.subject.names.front(),
          fact.objects.front().names.front(), shot.template_index};
}

/// The facts that may be shown as shots before the prompts of a relation, in the order in which
/// they were drawn. `template_index` is only used under X-template. If each prompt draws its own
/// shots, these are all facts that may be drawn, in the dataset's order and without a template.
[[nodiscard]] inline RecordedShotList shot_list(const MultiPromptDataset& dataset,
                                                const FewShot& few_shot, std::size_t relation,
                                                std::size_t template_index) {
  RecordedShotList list{few_shot.name(), dataset.relations[relation].code, {}, {}};
  if (few_shot.setting().fresh) {
    if (few_shot.setting().source == ShotSource::random) list.relation.clear();
    for (std::size_t place = 0; place < few_shot.offered(relation); ++place) {
      list.shots.push_back(recorded_shot(dataset, few_shot.offered_at(relation, place)));
      list.shots.back().template_index.reset();
    }
    return list;
  }
  if (few_shot.setting().source == ShotSource::same_template) list.template_index = template_index;
  for (const AskedUnder& shot : few_shot.shots(relation, template_index)) {
    list.shots.push_back(recorded_shot(dataset, shot));
  }
  return list;
}

/// All lists of a setting's shots; empty if the setting shows no shots.
[[nodiscard]] inline std::vector<RecordedShotList> shot_lists(const MultiPromptDataset& dataset,
                                                              const AskedFacts& asked,
                                                              const FewShot& few_shot) {
  std::vector<RecordedShotList> lists;
  if (few_shot.setting().source == ShotSource::none) return lists;
  for (const AskedRelation& one : asked.relations) {
    for (const std::size_t t : few_shot.templates(one.relation)) {
      lists.push_back(shot_list(dataset, few_shot, one.relation, t));
      if (lists.back().relation.empty()) return lists;  // one list for all relations
      if (!lists.back().template_index) break;          // one list for all templates
    }
  }
  return lists;
}

/// Not thread-safe. The dataset, the facts and the prompt builder must outlive this object.
class PromptTexts {
 public:
  PromptTexts(const MultiPromptDataset& dataset, const AskedFacts& asked, const FewShot& few_shot)
      : dataset_(dataset), asked_(asked), few_shot_(few_shot) {}

  [[nodiscard]] const MultiPromptRelation& relation(const PlannedPrompt& planned) const {
    return relation_at(planned.relation);
  }
  /// The relation at an index among the selected relations.
  [[nodiscard]] const MultiPromptRelation& relation_at(std::size_t place) const {
    return dataset_.relations[asked_.relations[place].relation];
  }
  [[nodiscard]] const ManyNamedFact& fact(const PlannedPrompt& planned) const {
    return relation(planned).facts[fact_place(planned)];
  }
  /// The subject's name that the prompt uses.
  [[nodiscard]] const std::string& subject(const PlannedPrompt& planned) const {
    return fact(planned).subject.names[planned.prompt.expression];
  }

  /// The subject name that the prompt uses.
  [[nodiscard]] ShotPlaces shown(const PlannedPrompt& planned) {
    return places(asked_.relations[planned.relation].relation, planned.prompt.template_index,
                  fact_place(planned), planned.prompt.expression);
  }
  /// The shots in a content-free prompt.
  [[nodiscard]] ShotPlaces shown_content_free(std::size_t relation, std::size_t template_index) {
    return places(asked_.relations[relation].relation, template_index, FewShot::no_fact, 0);
  }

  /// The instruction and the shots, without the question.
  [[nodiscard]] std::string context(const PlannedPrompt& planned) {
    const std::size_t place = asked_.relations[planned.relation].relation;
    const std::size_t fact = fact_place(planned);
    return few_shot_.context(
        shots(place, planned.prompt.template_index, fact, planned.prompt.expression), place, fact);
  }
  /// The whole prompt, up to the start of the answer.
  [[nodiscard]] std::string text(const PlannedPrompt& planned) {
    const std::size_t place = asked_.relations[planned.relation].relation;
    return context(planned) +
           few_shot_.question(place, planned.prompt.template_index, subject(planned));
  }
  /// The prompt's template as a sentence, with the byte range of the answer.
  [[nodiscard]] Prompt sentence(const PlannedPrompt& planned,
                                std::string_view answer = "[MASK]") const {
    return few_shot_.sentence(asked_.relations[planned.relation].relation,
                              planned.prompt.template_index, subject(planned), answer);
  }
  /// The whole prompt with a content-free text as the subject, preceded by the first shots.
  [[nodiscard]] std::string content_free(std::size_t relation, std::size_t template_index,
                                         std::string_view subject) {
    const std::size_t place = asked_.relations[relation].relation;
    return few_shot_.context(shots(place, template_index, FewShot::no_fact, 0), place) +
           few_shot_.question(place, template_index, subject);
  }

 private:
  [[nodiscard]] std::size_t fact_place(const PlannedPrompt& planned) const {
    return asked_.relations[planned.relation].facts[planned.prompt.fact];
  }

  const std::vector<AskedUnder>& shots(std::size_t relation, std::size_t template_index,
                                       std::size_t fact, std::size_t expression) {
    const FewShotSetting& setting = few_shot_.setting();
    const bool by_template = setting.fresh || setting.source == ShotSource::same_template;
    const std::tuple key{relation, by_template ? template_index : 0, setting.fresh ? fact : 0,
                         setting.fresh ? expression : 0};
    if (drawn_for_ != key) {
      drawn_ = few_shot_.shots(relation, template_index, fact, expression);
      drawn_for_ = key;
    }
    return drawn_;
  }

  [[nodiscard]] ShotPlaces places(std::size_t relation, std::size_t template_index,
                                  std::size_t fact, std::size_t expression) {
    const std::vector<AskedUnder>& drawn = shots(relation, template_index, fact, expression);
    ShotPlaces made{few_shot_.shown(drawn, relation, fact), {}};
    if (!few_shot_.setting().fresh) return made;
    for (std::uint32_t& place : made.places) {
      const AskedUnder& shot = drawn[place];
      made.templates.push_back(static_cast<std::uint32_t>(shot.template_index));
      place = static_cast<std::uint32_t>(few_shot_.place_of(shot));
    }
    return made;
  }

  const MultiPromptDataset& dataset_;
  const AskedFacts& asked_;
  const FewShot& few_shot_;
  std::optional<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> drawn_for_;
  std::vector<AskedUnder> drawn_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
