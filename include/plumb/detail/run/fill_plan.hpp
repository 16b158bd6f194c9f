// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts can a masked model be asked about, with which prompts, and what is left out?
//
// A prompt is a template, written as a sentence with one gap. A prompt is used if at least one name
// of its fact's objects fits the gap, i.e. has no more tokens there than there are masks. A fact
// without such a prompt is left out. An object is left out if none of its names fits into any
// prompt of the fact. Names that fit nowhere stay in the list of their object's names, but have no
// likelihood. All of this is counted and listed. `limit` does not count facts that are left out.
// Source: "What Matters in Learning Facts in Language Models?", section 4, which uses facts whose
// objects are single tokens in BERT.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/run/answer_plan.hpp"
#include "plumb/detail/run/gap_words.hpp"
#include "plumb/detail/run/prompt_texts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What was left out, without duplicates. Each entry is the relation together with the name of a
/// subject or object, or with an individual name that was left out.
struct LeftOutOfFilling {
  using Named = std::vector<std::pair<std::string, std::string>>;
  Named facts, objects, names;
  /// The number of prompts for selected facts in which none of the objects' names fits the gap.
  std::size_t prompts = 0;
};

/// What is asked.
struct FillPlan {
  /// The selected facts as a separate dataset, with only those objects that fit at least one
  /// prompt.
  MultiPromptDataset dataset;
  /// Selects everything in `dataset`.
  AskedFacts asked;
  AnswerPlan prompts;
  LeftOutOfFilling left_out;
};

/// The words of a vocabulary file, one per line, without duplicates; empty lines are skipped.
/// Throws a user error if the file cannot be read, is not UTF-8 or contains no words.
[[nodiscard]] inline std::vector<std::string> read_vocabulary(const DiskPath& file) {
  std::vector<std::string> words;
  std::set<std::string> seen;
  const auto take = [&](std::string& line, std::size_t number) {
    if (first_invalid_utf8(line) != std::string::npos) {
      throw user_error({file, number}, "is not UTF-8", "save the file as UTF-8");
    }
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty() && seen.insert(line).second) words.push_back(line);
  };
  for_each_line(file, take, "use a text file with one word per line");
  if (words.empty()) {
    throw user_error({.file = file}, "has no word", "write one word per line");
  }
  return words;
}

/// Selects facts, one after another.
template <MaskedLm Model>
class FillPlanner {
 public:
  FillPlanner(GapWords<Model>& words, std::size_t masks, const MultiPromptDataset& dataset)
      : words_(words),
        masks_(masks),
        dataset_(dataset),
        few_shot_(dataset, {ShotSource::none, 0, PromptForm::sentence}, 0) {}

  /// Selects those facts of a relation that can be asked about; `r` is the relation's index in the
  /// dataset.
  void take(std::size_t r, std::size_t limit) {
    const MultiPromptRelation& from = dataset_.relations[r];
    MultiPromptRelation made{from.code, from.templates, {}, from.file, from.template_file};
    AskedRelation asked{plan_.dataset.relations.size(), {}};
    fits_.emplace_back();
    for (const ManyNamedFact& fact : from.facts) {
      if (limit > 0 && made.facts.size() == limit) break;
      if (!take(r, fact, made)) continue;
      asked.facts.push_back(asked.facts.size());
    }
    if (made.facts.empty()) return fits_.pop_back();
    plan_.asked.relations.push_back(std::move(asked));
    plan_.dataset.relations.push_back(std::move(made));
  }

  [[nodiscard]] FillPlan finish() {
    plan_.dataset.name = dataset_.name;
    plan_.dataset.files = dataset_.files;
    const FewShot few_shot(plan_.dataset, few_shot_.setting(), 0);
    plan_.prompts =
        answer_plan(plan_.dataset, plan_.asked, few_shot, [&](const PlannedPrompt& planned) {
          const auto& [fact, template_index, expression] = planned.prompt;
          const auto& names = plan_.dataset.relations[planned.relation].facts[fact].subject.names;
          const bool fits =
              fits_[planned.relation][fact][template_index * names.size() + expression];
          plan_.left_out.prompts += fits ? 0U : 1U;
          return fits;
        });
    return std::move(plan_);
  }

 private:
  using Fits = std::vector<bool>;

  /// Selects a fact, dropping the objects that do not fit any prompt. Skips the fact if no prompt
  /// can ask about it.
  bool take(std::size_t r, const ManyNamedFact& fact, MultiPromptRelation& made) {
    Fits prompts;             // indexed by template, then by expression
    std::vector<Fits> names;  // by object
    for (const NamedEntity& object : fact.objects) names.emplace_back(object.names.size(), false);
    for (std::size_t t = 0; t < made.templates.size(); ++t) {
      for (const std::string& subject : fact.subject.names) {
        prompts.push_back(mark(r, t, subject, fact, names));
      }
    }
    ManyNamedFact kept{fact.subject, {}, fact.line};
    for (std::size_t o = 0; o < fact.objects.size(); ++o) {
      const NamedEntity& object = fact.objects[o];
      for (std::size_t n = 0; n < object.names.size(); ++n) {
        if (!names[o][n]) list(plan_.left_out.names, listed_names_, made.code, object.names[n]);
      }
      if (ranges::find(names[o], true) != names[o].end()) {
        kept.objects.push_back(object);
      } else {
        list(plan_.left_out.objects, listed_objects_, made.code, object.names.front());
      }
    }
    if (kept.objects.empty()) {
      plan_.left_out.facts.emplace_back(made.code, fact.subject.names.front());
      return false;
    }
    made.facts.push_back(std::move(kept));
    fits_.back().push_back(std::move(prompts));
    return true;
  }

  /// Marks the object names that fit a prompt. Returns whether any name fits.
  bool mark(std::size_t r, std::size_t t, const std::string& subject, const ManyNamedFact& fact,
            std::vector<Fits>& names) {
    const Prompt gap = few_shot_.sentence(r, t, subject);
    const auto fill = [&](const std::string& word) {
      return few_shot_.sentence(r, t, subject, word);
    };
    bool any = false;
    for (std::size_t o = 0; o < fact.objects.size(); ++o) {
      for (std::size_t n = 0; n < fact.objects[o].names.size(); ++n) {
        const std::size_t size = words_.tokens(gap, fact.objects[o].names[n], fill).size();
        if (size == 0 || size > masks_) continue;
        names[o][n] = any = true;
      }
    }
    return any;
  }

  using Listed = std::set<std::pair<std::string, std::string>>;
  static void list(LeftOutOfFilling::Named& to, Listed& listed, const std::string& code,
                   const std::string& name) {
    if (listed.emplace(code, name).second) to.emplace_back(code, name);
  }

  GapWords<Model>& words_;
  std::size_t masks_;
  const MultiPromptDataset& dataset_;
  FewShot few_shot_;
  FillPlan plan_;
  std::vector<std::vector<Fits>> fits_;  // indexed by selected relation, then by fact
  Listed listed_names_, listed_objects_;
};

/// The plan for the relations in `codes`, in the dataset's order. Throws a user error if no facts
/// remain.
template <MaskedLm Model>
[[nodiscard]] FillPlan fill_plan(GapWords<Model>& words, const MultiPromptDataset& dataset,
                                 const std::vector<std::string>& codes, std::size_t limit,
                                 std::size_t masks) {
  detail::FillPlanner planner(words, masks, dataset);
  for (const std::size_t r : relation_places(dataset, codes)) planner.take(r, limit);
  FillPlan plan = planner.finish();
  if (!plan.dataset.relations.empty()) return plan;
  throw user_error({.file = dataset.files.empty() ? "" : dataset.files.front()},
                   "no fact has an object of " + std::to_string(masks) +
                       (masks == 1 ? " token" : " tokens") + " of this model",
                   "use relations that have such an object, or increase `masks`");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
