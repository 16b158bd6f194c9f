// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prompts does a setting use, in what order, and which of them get sampled answers?
//
// Prompts are ordered by relation, then template, fact and expression of the subject, so that
// prompts that share the longest prefix are next to each other. A pack ends at the end of its
// relation, at the end of a template if it contains at least 256 prompts by then, and always after
// 1024 prompts. All of this depends only on the data and the options, so a resumed job has the same
// packs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_rows.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/measure/answer_match.hpp"
#include "plumb/detail/prompt/few_shot.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct AnswerOptions {
  std::vector<FewShotSetting> settings{};
  /// The number of facts per relation, taken in file order; 0 selects all. Shots are drawn from all
  /// facts.
  std::size_t limit = 0;
  std::size_t max_new_tokens = 16;
  /// Strings that end an answer (backend/stop_text.hpp).
  std::vector<std::string> stop{"\n"};
  /// Number of sampled answers per prompt, and number of prompts with sampled answers. No two of
  /// these prompts are about the same fact.
  std::size_t samples = 100;
  std::size_t confidence_prompts = 10'000;
  /// The seed for the shots, and the seed for choosing the sampled prompts and drawing their
  /// samples.
  std::uint64_t shot_seed = 0;
  std::uint64_t sample_seed = 0;
};

/// The selected facts of one relation. The relation and the facts are identified by index.
struct AskedRelation {
  std::size_t relation = 0;
  std::vector<std::size_t> facts;
};

struct AskedFacts {
  std::vector<AskedRelation> relations;
  /// Facts omitted because none of their objects' names contain a word, each as relation and
  /// subject.
  std::vector<std::pair<std::string, std::string>> without_answer;
  /// Object names that contain no word and thus cannot match any answer; each as relation and name,
  /// without duplicates. The names of omitted facts are included.
  std::vector<std::pair<std::string, std::string>> wordless_names;
};

/// The first `limit` answerable facts of each relation in `codes` (of all relations if `codes` is
/// empty). Relations keep the dataset's order. Throws a user error if a code is not in the dataset,
/// or if no facts remain.
[[nodiscard]] inline AskedFacts asked_facts(const MultiPromptDataset& dataset,
                                            const std::vector<std::string>& codes,
                                            std::size_t limit) {
  AskedFacts asked;
  for (const std::size_t r : relation_places(dataset, codes)) {
    const MultiPromptRelation& relation = dataset.relations[r];
    AskedRelation& made = asked.relations.emplace_back(AskedRelation{r, {}});
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      if (limit > 0 && made.facts.size() == limit) break;
      bool answerable = false;
      for (const NamedEntity& object : relation.facts[f].objects) {
        const UsableAnswers usable = usable_answers(object.names);
        answerable = answerable || !usable.answers.empty();
        for (const std::size_t name : usable.dropped) {
          const std::pair one{relation.code, object.names[name]};
          auto& listed = asked.wordless_names;
          if (ranges::find(listed, one) == listed.end()) listed.push_back(one);
        }
      }
      if (answerable) {
        made.facts.push_back(f);
      } else {
        asked.without_answer.emplace_back(relation.code, relation.facts[f].subject.names.front());
      }
    }
  }
  std::erase_if(asked.relations, [](const AskedRelation& one) { return one.facts.empty(); });
  if (asked.relations.empty()) {
    throw user_error({.file = dataset.files.empty() ? "" : dataset.files.front()},
                     "no fact has an answer that can be matched",
                     "add names with a letter or a digit to the facts' objects");
  }
  return asked;
}

/// The dataset without the names, objects and facts that no answer can match. These therefore
/// cannot become shots or candidates. Relations keep their indices.
[[nodiscard]] inline MultiPromptDataset answerable(MultiPromptDataset dataset) {
  for (MultiPromptRelation& relation : dataset.relations) {
    for (ManyNamedFact& fact : relation.facts) {
      for (NamedEntity& object : fact.objects) {
        std::erase_if(object.names,
                      [](const std::string& name) { return NormalisedText(name).empty(); });
      }
      std::erase_if(fact.objects, [](const NamedEntity& object) { return object.names.empty(); });
    }
    std::erase_if(relation.facts, [](const ManyNamedFact& fact) { return fact.objects.empty(); });
  }
  return dataset;
}

/// Reduces the dataset to what can be answered, and selects the facts to ask about. Lists
/// everything that is omitted. Throws the same errors as asked_facts.
[[nodiscard]] inline AskedFacts select_answerable(MultiPromptDataset& dataset,
                                                  const std::vector<std::string>& codes,
                                                  std::size_t limit) {
  AskedFacts before = asked_facts(dataset, codes, limit);
  dataset = answerable(std::move(dataset));
  AskedFacts asked = asked_facts(dataset, codes, limit);
  asked.without_answer = std::move(before.without_answer);
  asked.wordless_names = std::move(before.wordless_names);
  return asked;
}

/// The selected facts, as a separate dataset.
[[nodiscard]] inline MultiPromptDataset narrowed(const MultiPromptDataset& dataset,
                                                 const AskedFacts& asked) {
  MultiPromptDataset made{dataset.name, {}, dataset.files};
  for (const AskedRelation& one : asked.relations) {
    const MultiPromptRelation& relation = dataset.relations[one.relation];
    MultiPromptRelation& copy = made.relations.emplace_back(MultiPromptRelation{
        relation.code, relation.templates, {}, relation.file, relation.template_file});
    for (const std::size_t f : one.facts) copy.facts.push_back(relation.facts[f]);
  }
  return made;
}

/// A prompt for a selected relation, identified by index.
struct PlannedPrompt {
  std::uint32_t relation = 0;
  AskedPrompt prompt;
};

/// All prompts of a setting, and the end of each pack.
struct AnswerPlan {
  std::vector<PlannedPrompt> prompts;
  std::vector<std::size_t> ends;

  [[nodiscard]] std::span<const PlannedPrompt> pack(std::size_t p) const {
    const std::size_t begin = p == 0 ? 0 : ends[p - 1];
    return std::span(prompts).subspan(begin, ends[p] - begin);
  }
};

/// All prompts for which `keep(PlannedPrompt)` is true. `few_shot` must refer to the same dataset.
template <class Keep>
[[nodiscard]] AnswerPlan answer_plan(const MultiPromptDataset& dataset, const AskedFacts& asked,
                                     const FewShot& few_shot, Keep keep) {
  constexpr std::size_t enough = 256, most = 1024;
  AnswerPlan plan;
  std::size_t begin = 0;
  const auto cut = [&] {
    if (plan.prompts.size() > begin) plan.ends.push_back(begin = plan.prompts.size());
  };
  for (std::size_t r = 0; r < asked.relations.size(); ++r) {
    const AskedRelation& one = asked.relations[r];
    for (const std::size_t t : few_shot.templates(one.relation)) {
      for (std::size_t f = 0; f < one.facts.size(); ++f) {
        const auto& names = dataset.relations[one.relation].facts[one.facts[f]].subject.names;
        for (std::size_t e = 0; e < names.size(); ++e) {
          const PlannedPrompt planned{static_cast<std::uint32_t>(r),
                                      {static_cast<std::uint32_t>(f), static_cast<std::uint16_t>(t),
                                       static_cast<std::uint16_t>(e)}};
          if (!keep(planned)) continue;
          plan.prompts.push_back(planned);
          if (plan.prompts.size() - begin == most) cut();
        }
      }
      if (plan.prompts.size() - begin >= enough) cut();
    }
    cut();  // each relation has its own shots
  }
  return plan;
}

/// Every prompt.
[[nodiscard]] inline AnswerPlan answer_plan(const MultiPromptDataset& dataset,
                                            const AskedFacts& asked, const FewShot& few_shot) {
  return answer_plan(dataset, asked, few_shot, [](const PlannedPrompt&) { return true; });
}

/// One prompt for each of `confidence_prompts` facts (or for all facts if there are fewer), in
/// packs of 16 that may span relations. All settings with the same form use the same facts,
/// templates and expressions of the subject. Each fact draws its prompt and a number from its own
/// random stream, named after its relation and subject. The facts with the lowest numbers are
/// selected, with ties broken by the dataset's order. Thus neither draw depends on the fact's
/// position, and a fact's prompt does not depend on which other facts are selected.
[[nodiscard]] inline AnswerPlan sampled_plan(const MultiPromptDataset& dataset,
                                             const AskedFacts& asked, const FewShot& few_shot,
                                             const AnswerOptions& options) {
  constexpr std::size_t pack_size = 16;
  std::vector<std::pair<double, PlannedPrompt>> drawn;
  for (std::size_t r = 0; r < asked.relations.size(); ++r) {
    const AskedRelation& one = asked.relations[r];
    const MultiPromptRelation& relation = dataset.relations[one.relation];
    const auto& templates = few_shot.templates(one.relation);
    for (std::size_t f = 0; f < one.facts.size() && !templates.empty(); ++f) {
      const NamedEntity& subject = relation.facts[one.facts[f]].subject;
      RandomStream random(options.sample_seed, "confidence prompt/" + relation.code + "/" +
                                                   subject.id + "/" + subject.names.front());
      const std::size_t t = templates[random.below(templates.size())];
      const std::size_t e = random.below(subject.names.size());
      drawn.push_back({random.uniform(),
                       {static_cast<std::uint32_t>(r),
                        {static_cast<std::uint32_t>(f), static_cast<std::uint16_t>(t),
                         static_cast<std::uint16_t>(e)}}});
    }
  }
  ranges::stable_sort(drawn, {}, [](const auto& one) { return one.first; });
  drawn.resize((std::min)(drawn.size(), options.confidence_prompts));
  std::vector<PlannedPrompt> offered;
  for (const auto& [number, prompt] : drawn) offered.push_back(prompt);
  ranges::sort(offered, {}, [](const PlannedPrompt& one) {
    return std::tuple{one.relation, one.prompt.template_index, one.prompt.fact};
  });
  AnswerPlan plan{std::move(offered), {}};
  for (std::size_t begin = 0; begin < plan.prompts.size(); begin += pack_size) {
    plan.ends.push_back((std::min)(begin + pack_size, plan.prompts.size()));
  }
  return plan;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
