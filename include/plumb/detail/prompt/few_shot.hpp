// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a model prompted for the missing word, with other facts as examples?
//
//   Predict the [MASK] in each sentence in one word.
//   Q: The capital of Norway is [MASK].
//   A: Oslo.
//   …
//   Q: The capital of France is [MASK].
//   A:
// In the question form, which applies only to question templates:
//   Answer each question in one word.
//   Q: What is the capital of France?
//   A:
// A masked model gets only the sentence, "The capital of France is [MASK].", with its own mask.
// Examples (shots) are facts, shown with the labels of their subject and their first object:
//   zero-shot   none
//   X-random    X facts of all relations, each under a template of its own relation
//   X-relation  X facts of the queried relation, each under one of its templates
//   X-template  X facts of the queried relation, under the queried template
// X + 1 facts and their templates are drawn once for each setting and relation (X-template: for
// each template). In a prompt about one of the first X facts, the extra fact replaces that fact.
// Nearly all prompts of a relation therefore begin the same way. Fresh shots, in contrast, are
// drawn for each prompt: X facts other than the one in question, and their templates. Their random
// stream is named after the prompt's template, fact and subject name, so the draw does not depend
// on the order of prompts or on other prompts. If a relation has too few facts, all of them are
// used. Templates are filled in as they are; no letter is upper-cased. Source: "What Matters in
// Learning Facts in Language Models?", section 3.1 and appendices D.1 and E, which do not specify
// how often X facts are drawn (docs/many-prompts.md).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/prompt/statement.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The source of the examples: none, any relation, the queried relation, or the queried relation
/// under the queried template.
enum class ShotSource : std::uint8_t { none, random, relation, same_template };
[[nodiscard]] constexpr std::array<ShotSource, 4> every(ShotSource) noexcept {
  return {ShotSource::none, ShotSource::random, ShotSource::relation, ShotSource::same_template};
}
[[nodiscard]] constexpr std::string_view name_of(ShotSource source) noexcept {
  constexpr std::array<std::string_view, 4> names{"zero-shot", "random", "relation", "template"};
  return names[static_cast<std::size_t>(source)];
}

/// An instruction to predict a masked word, a question, a sentence whose gap a masked model fills,
/// or a question whose answer is a list (KAMEL's form, which is implemented in kamel_prompt.hpp,
/// not here).
enum class PromptForm : std::uint8_t { mask, question, sentence, list };

struct FewShotSetting {
  ShotSource source = ShotSource::none;
  /// 0 if and only if `source` is none.
  std::size_t shots = 0;
  PromptForm form = PromptForm::mask;
  /// Whether shots are drawn separately for each prompt.
  bool fresh = false;

  friend bool operator==(const FewShotSetting&, const FewShotSetting&) = default;
};

/// "zero-shot", "4-random", "4-relation" or "4-template", followed by "-question" for the question
/// form; "masked" for sentences, "5-kamel" for lists.
[[nodiscard]] inline std::string few_shot_name(const FewShotSetting& setting) {
  if (setting.form == PromptForm::sentence) return "masked";
  const std::string many = std::to_string(setting.shots);
  if (setting.form == PromptForm::list) return many + "-kamel";
  std::string name = "zero-shot";
  if (setting.source == ShotSource::random) name = many + "-random";
  if (setting.source == ShotSource::relation) name = many + "-relation";
  if (setting.source == ShotSource::same_template) name = many + "-template";
  return name + (setting.form == PromptForm::question ? "-question" : "");
}

/// A fact under a template, as indices into the dataset.
struct AskedUnder {
  std::size_t relation = 0;
  std::size_t fact = 0;
  std::size_t template_index = 0;
};

/// Writes the prompts of one setting. The dataset must outlive this object. Any number of threads
/// may use the same object.
class FewShot {
 public:
  static constexpr std::size_t no_fact = static_cast<std::size_t>(-1);

  FewShot(const MultiPromptDataset& dataset, const FewShotSetting& setting, std::uint64_t seed)
      : dataset_(dataset), setting_(setting), seed_(seed), usable_(dataset.relations.size()) {
    for (std::size_t r = 0; r < usable_.size(); ++r) {
      const auto& templates = dataset.relations[r].templates;
      for (std::size_t t = 0; t < templates.size(); ++t) {
        if (setting.form != PromptForm::question || templates[t].style == TemplateStyle::question) {
          usable_[r].push_back(t);
        }
      }
      begins_.push_back(begins_.back() +
                        (usable_[r].empty() ? 0 : dataset.relations[r].facts.size()));
    }
  }

  [[nodiscard]] const FewShotSetting& setting() const noexcept { return setting_; }
  [[nodiscard]] std::string name() const { return few_shot_name(setting_); }
  /// The indices of a relation's templates that can be used in this form, ascending.
  [[nodiscard]] const std::vector<std::size_t>& templates(std::size_t relation) const {
    return usable_[relation];
  }

  /// The facts that can serve as shots for a relation's prompts are numbered in the dataset's
  /// order. `offered` returns how many there are, `offered_at` returns the fact with a given
  /// number, under its relation's first template, and `place_of` returns a fact's number.
  [[nodiscard]] std::size_t offered(std::size_t relation) const {
    if (setting_.source == ShotSource::none) return 0;
    return of_all() ? begins_.back() : begins_[relation + 1] - begins_[relation];
  }
  [[nodiscard]] AskedUnder offered_at(std::size_t relation, std::size_t place) const {
    if (!of_all()) return {relation, place, 0};
    // The last relation that begins at or before `place`; a relation without usable facts begins at
    // the same number as the next one.
    const auto next = ranges::upper_bound(begins_, place);
    const auto found = static_cast<std::size_t>(next - begins_.begin()) - 1;
    return {found, place - begins_[found], 0};
  }
  [[nodiscard]] std::size_t place_of(const AskedUnder& shot) const {
    return (of_all() ? begins_[shot.relation] : 0) + shot.fact;
  }

  /// The X + 1 shots of a relation (for X-template, of one of its templates), in order; fewer if
  /// there are not enough facts. In a prompt about the fact of one of the shots, the last shot
  /// replaces that shot. Fresh shots are the X shots of one prompt; `expression` is the index of
  /// the subject's name in that prompt. If `fact` is not set, the shots are for content-free
  /// prompts under the template.
  [[nodiscard]] std::vector<AskedUnder> shots(std::size_t relation, std::size_t template_index,
                                              std::size_t fact = no_fact,
                                              std::size_t expression = 0) const {
    if (setting_.source == ShotSource::none) return {};
    if (setting_.fresh) return fresh_shots(relation, template_index, fact, expression);
    const bool same = setting_.source == ShotSource::same_template;
    const MultiPromptRelation& asked = dataset_.relations[relation];
    std::vector<AskedUnder> drawn;
    for (std::size_t place = 0; place < offered(relation); ++place) {
      drawn.push_back(offered_at(relation, place));
      drawn.back().template_index = template_index;
    }
    RandomStream random(seed_, "shots/" + name() + "/" + asked.code +
                                   (same ? "/" + asked.templates[template_index].text : ""));
    random.shuffle(drawn, setting_.shots + 1);
    drawn.resize((std::min)(drawn.size(), setting_.shots + 1));
    if (same) return drawn;
    for (AskedUnder& shot : drawn) {
      const std::vector<std::size_t>& from = usable_[shot.relation];
      shot.template_index = from[random.below(from.size())];
    }
    return drawn;
  }

  /// The indices of the shots shown in a prompt about the fact, in order. `drawn` is the result of
  /// `shots`. If `fact` is not set (content-free prompts), these are the indices of the first X
  /// shots.
  [[nodiscard]] std::vector<std::uint32_t> shown(const std::vector<AskedUnder>& drawn,
                                                 std::size_t relation,
                                                 std::size_t fact = no_fact) const {
    std::vector<std::uint32_t> places;
    for (std::size_t i = 0; i < (std::min)(setting_.shots, drawn.size()); ++i) {
      if (drawn[i].relation != relation || drawn[i].fact != fact) {
        places.push_back(static_cast<std::uint32_t>(i));
      } else if (drawn.size() > setting_.shots) {
        places.push_back(static_cast<std::uint32_t>(drawn.size() - 1));
      }
    }
    return places;
  }

  /// The text before the question about the fact. `drawn` is the result of `shots`.
  [[nodiscard]] std::string context(const std::vector<AskedUnder>& drawn, std::size_t relation,
                                    std::size_t fact = no_fact) const {
    if (setting_.form == PromptForm::sentence) return "";
    std::string text = setting_.form == PromptForm::mask
                           ? "Predict the [MASK] in each sentence in one word.\n"
                           : "Answer each question in one word.\n";
    for (const std::uint32_t place : shown(drawn, relation, fact)) text += example(drawn[place]);
    return text;
  }

  /// The question itself, which follows the context and ends before the answer.
  [[nodiscard]] std::string question(std::size_t relation, std::size_t template_index,
                                     std::string_view subject) const {
    if (setting_.form == PromptForm::sentence)
      return sentence(relation, template_index, subject).text;
    const std::string& pattern = dataset_.relations[relation].templates[template_index].text;
    return "Q: " +
           (setting_.form == PromptForm::mask ? sentence(relation, template_index, subject).text
                                              : fill_question(pattern, subject)) +
           "\nA:";
  }

  /// The filled template as a sentence; the prompt's answer spans mark the answer in it.
  [[nodiscard]] Prompt sentence(std::size_t relation, std::size_t template_index,
                                std::string_view subject,
                                std::string_view answer = "[MASK]") const {
    return fill_template(dataset_.relations[relation].templates[template_index].text, subject,
                         answer, true);
  }

 private:
  [[nodiscard]] bool of_all() const { return setting_.source == ShotSource::random; }

  /// Draws X different facts that can serve as shots, excluding the fact in question.
  [[nodiscard]] std::vector<AskedUnder> fresh_shots(std::size_t relation,
                                                    std::size_t template_index, std::size_t fact,
                                                    std::size_t expression) const {
    const MultiPromptRelation& asked = dataset_.relations[relation];
    const std::size_t all = offered(relation);
    std::vector<std::size_t> taken;
    std::string subject;
    if (fact != no_fact) {
      const NamedEntity& of = asked.facts[fact].subject;
      subject = "/fact/" + of.id + "/" + of.names.at(expression);
      if (all > 0 && !usable_[relation].empty()) taken.push_back(place_of({relation, fact, 0}));
    }
    const std::size_t besides = taken.size();
    RandomStream random(seed_, "fresh shots/" + name() + "/" + asked.code + "/" +
                                   asked.templates[template_index].text + subject);
    const std::size_t wanted = (std::min)(setting_.shots, all - besides);
    std::vector<AskedUnder> drawn;
    while (drawn.size() < wanted) {
      const std::size_t place = random.below(all);
      if (ranges::find(taken, place) != taken.end()) continue;
      taken.push_back(place);
      AskedUnder& shot = drawn.emplace_back(offered_at(relation, place));
      const std::vector<std::size_t>& from = usable_[shot.relation];
      shot.template_index = setting_.source == ShotSource::same_template
                                ? template_index
                                : from[random.below(from.size())];
    }
    return drawn;
  }

  [[nodiscard]] std::string example(const AskedUnder& shot) const {
    const ManyNamedFact& fact = dataset_.relations[shot.relation].facts[shot.fact];
    return question(shot.relation, shot.template_index, fact.subject.names.front()) + " " +
           fact.objects.front().names.front() + ".\n";
  }

  const MultiPromptDataset& dataset_;
  FewShotSetting setting_;
  std::uint64_t seed_;
  /// By relation.
  std::vector<std::vector<std::size_t>> usable_;
  /// By relation: the number of usable facts in all earlier relations. The last entry is their
  /// total.
  std::vector<std::size_t> begins_{0};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
