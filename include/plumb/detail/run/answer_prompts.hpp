// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prompts does a many-prompt generation run send to the model?
//
// This file lists all prompts used by answer_run.hpp and name_likelihood_run.hpp, built from the
// same plans and texts. For each setting, the kinds of prompts are "SETTING answers", "SETTING
// samples", "SETTING names" and "SETTING content_free", matching the names of the files.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/detail/records/generation_shots.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/run/name_plan.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Lists the shots in a prompt. The constructor arguments must outlive this object. Any number of
/// threads may use the same object.
class ShownShots {
 public:
  ShownShots(const MultiPromptDataset& dataset, const FewShot& few_shot)
      : dataset_(dataset), few_shot_(few_shot) {}

  /// The shots at these indices, in the form in which a row records them. `relation` is an index
  /// into the dataset.
  [[nodiscard]] Json of(std::size_t relation, std::size_t template_index,
                        const ShotPlaces& shown) const {
    Json shots = Json::array();
    if (shown.places.empty()) return shots;
    if (few_shot_.setting().fresh) {
      for (std::size_t i = 0; i < shown.places.size(); ++i) {
        AskedUnder shot = few_shot_.offered_at(relation, shown.places[i]);
        shot.template_index = shown.templates.at(i);
        shots.push_back(to_json(recorded_shot(dataset_, shot)));
      }
      return shots;
    }
    const RecordedShotList list = shot_list(dataset_, few_shot_, relation, template_index);
    for (const std::uint32_t place : shown.places) shots.push_back(to_json(list.shots.at(place)));
    return shots;
  }

 private:
  const MultiPromptDataset& dataset_;
  const FewShot& few_shot_;
};

/// Calls `visit(kind, make)` for each prompt, in the order of the run's rows; make() returns the
/// ListedPrompt. `names` are the settings under which names are scored. The arguments must outlive
/// the call.
template <class Visit>
void for_each_answer_prompt(const MultiPromptDataset& dataset, const AskedFacts& asked,
                            const AnswerOptions& options, const std::vector<FewShotSetting>& names,
                            const Bos& with_bos, const WantedFact& wanted, Visit visit) {
  for (const FewShotSetting& setting : options.settings) {
    const FewShot few_shot(dataset, setting, options.shot_seed);
    const ShownShots shown(dataset, few_shot);
    PromptTexts texts(dataset, asked, few_shot);
    const auto about = [&](const std::string& part, const PlannedPrompt& planned) {
      const AskedPrompt& prompt = planned.prompt;
      return Json{{"part", part},
                  {"relation", texts.relation(planned).code},
                  {"sub_id", texts.fact(planned).subject.id},
                  {"sub_label", texts.fact(planned).subject.names.front()},
                  {"fact", prompt.fact},
                  {"subject", texts.subject(planned)},
                  {"template", prompt.template_index},
                  {"expression", prompt.expression},
                  {"shots", shown.of(asked.relations[planned.relation].relation,
                                     prompt.template_index, texts.shown(planned))}};
    };
    const auto is_wanted = [&](const PlannedPrompt& planned) {
      const NamedEntity& subject = texts.fact(planned).subject;
      const std::string& relation = texts.relation(planned).code;
      return ranges::any_of(subject.names, [&](const std::string& name) {
        return wanted.has(subject.id, name, relation, planned.prompt.fact);
      });
    };
    const auto visit_open = [&](const std::string& part, const AnswerPlan& plan) {
      for (const PlannedPrompt& planned : plan.prompts) {
        if (!is_wanted(planned)) continue;
        visit(part, [&] {
          return ListedPrompt{.about = about(part, planned),
                              .texts = {Prompt{texts.text(planned), {}, {}}},
                              .with_bos = with_bos};
        });
      }
    };
    visit_open(few_shot.name() + " answers", answer_plan(dataset, asked, few_shot));
    if (options.samples > 0 && options.confidence_prompts > 0) {
      visit_open(few_shot.name() + " samples", sampled_plan(dataset, asked, few_shot, options));
    }
    if (ranges::find(names, setting) == names.end()) continue;
    const std::string part = few_shot.name() + " names";
    for (const PlannedPrompt& planned : named_prompts(dataset, asked, few_shot)) {
      if (!is_wanted(planned)) continue;
      visit(part, [&] {
        return ListedPrompt{.about = about(part, planned),
                            .texts = names_after_prompt(texts, planned).query().candidates,
                            .with_bos = with_bos,
                            .candidates = true};
      });
    }
    if (!wanted.all()) continue;
    const std::string empty = few_shot.name() + " content_free";
    for (const ContentFreePrompt& one : content_free_prompts(asked, few_shot)) {
      visit(empty, [&] {
        const std::size_t place = asked.relations[one.relation].relation;
        const MultiPromptRelation& relation = dataset.relations[place];
        const auto shots = texts.shown_content_free(one.relation, one.template_index);
        return ListedPrompt{
            .about = Json{{"part", empty},
                          {"relation", relation.code},
                          {"subject", std::string(one.subject)},
                          {"template", one.template_index},
                          {"shots", shown.of(place, one.template_index, shots)}},
            .texts = labels_after_prompt(texts, one, object_labels(relation)).query().candidates,
            .with_bos = with_bos,
            .candidates = true};
      });
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
