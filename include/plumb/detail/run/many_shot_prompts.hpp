// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prompts does a many-shot study send to the model?
//
// This file lists all prompts used by many_shot_run.hpp, injection_run.hpp and
// many_shot_generation.hpp, built from the same blocks. The parts "ic", "eic", "eic-isolated",
// "hgp" and "mmp" have one text per choice. The part "injection" contains a panel's whole sequence;
// each object is scored in the text that ends with it. The parts "ic generated" and so on contain
// the texts that the model continues.

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/prompt/injection.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/run/many_shot_generation.hpp"
#include "plumb/detail/run/many_shot_plan.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline Json many_shot_about(const std::string& part, const ManyShotRelation& asked,
                            const Setting& setting, const ManyShotBlock& block, std::size_t f) {
  const Fact& fact = asked.test_fact(f);
  Json about = {{"part", part},
                {"relation", asked.relation().code},
                {"sub_id", fact.subject_id},
                {"sub_label", fact.subject},
                {"instance_index", fact.instance},
                {"separator", setting.separator},
                {"variant", setting.variant}};
  const bool shown = !block.shots.empty();
  const auto before = block.before ? block.before(f) : PrecedingTexts{shown ? setting.shots : 0};
  about["shots"] =
      shown ? Json(asked.shot_instances(setting.variant, before.pairs)) : Json::array();
  if (!before.order.empty()) about["asked_before"] = before.asked;
  return about;
}

template <class Visit>
void for_each_choice_prompt(const ManyShotRelation& asked, const Bos& with_bos,
                            const WantedFact& wanted, bool generated, Visit visit) {
  asked.for_each_block([&](const ManyShotBlock& block) {
    const std::vector<std::size_t> continued = generated_settings(block);
    for (std::size_t s = 0; s < block.settings.size(); ++s) {
      const Setting& setting = block.settings[s];
      if (generated && ranges::find(continued, s) == continued.end()) continue;
      const std::string part = setting.method + (generated ? " generated" : "");
      for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
        const Fact& fact = asked.test_fact(f);
        if (!wanted.has(fact.subject_id, fact.subject, asked.relation().code, fact.instance)) {
          continue;
        }
        visit(part, [&] {
          ListedPrompt made{.about = many_shot_about(part, asked, setting, block, f),
                            .with_bos = with_bos,
                            .candidates = !generated};
          if (generated) {
            made.texts = {block.opening(s, f)};
          } else {
            made.texts = block.query(s, f).candidates;
          }
          return made;
        });
      }
    }
  });
}

/// Calls `visit(kind, make)` for each prompt in the order of the run; make() returns the
/// ListedPrompt. `form` determines how the pairs in the panels of `designs` are written;
/// `generated` is true if texts are also generated.
template <class Visit>
void for_each_many_shot_prompt(const std::vector<ManyShotRelation>& relations,
                               const std::vector<InjectionDesign>& designs, const ManyShot& form,
                               bool generated, const Bos& with_bos, const WantedFact& wanted,
                               Visit visit) {
  for (const ManyShotRelation& asked : relations) {
    detail::for_each_choice_prompt(asked, with_bos, wanted, false, visit);
  }
  for (const InjectionDesign& design : designs) {
    for (const InjectionPanel& panel : design.panels) {
      if (!wanted.all()) continue;
      visit("injection, " + panel.name, [&] {
        return ListedPrompt{.about = Json{{"part", "injection"},
                                          {"relation", design.relation},
                                          {"panel", panel.name},
                                          {"instances", design.instances}},
                            .texts = form.grown(pairs_of(panel)),
                            .with_bos = with_bos,
                            .candidates = true};
      });
    }
  }
  for (const ManyShotRelation& asked : relations) {
    if (generated) detail::for_each_choice_prompt(asked, with_bos, wanted, true, visit);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
