// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small tables of many prompts, and lists of these prompts for slow reference computations.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "support/near.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Templates "t0", "t1" … in groups of two, "g0", "g1" …. The first of each group is manual, and
/// the templates of odd groups are questions.
inline std::vector<PromptTemplate> templates(std::size_t count) {
  std::vector<PromptTemplate> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back({"t" + std::to_string(i), "g" + std::to_string(i / 2),
                    i / 2 % 2 == 0 ? TemplateStyle::cloze : TemplateStyle::question,
                    i % 2 == 0 ? TemplateOrigin::manual : TemplateOrigin::generated});
  }
  return made;
}

/// A fact's prompts: one string for each template, with one mark for each expression. The mark 1
/// means correct, 0 means wrong, and any other mark means that there is no prompt. Correct prompts
/// have the answer 1, wrong ones the answer 0.
inline std::vector<PromptOutcome> marks(const std::vector<std::string>& words) {
  std::vector<PromptOutcome> prompts;
  for (std::size_t t = 0; t < words.size(); ++t) {
    for (std::size_t e = 0; e < words[t].size(); ++e) {
      const char mark = words[t][e];
      if (mark != '0' && mark != '1') continue;
      prompts.push_back({mark == '1' ? 1U : 0U, static_cast<std::uint16_t>(t),
                         static_cast<std::uint16_t>(e), mark == '1'});
    }
  }
  return prompts;
}

/// One relation "P1" whose facts "f0", "f1" … have these marks.
inline PromptOutcomes one_relation(const std::vector<std::vector<std::string>>& facts) {
  PromptOutcomes table;
  table.add_relation("P1", templates(facts.empty() ? 0 : facts.front().size()));
  for (std::size_t i = 0; i < facts.size(); ++i) {
    table.add_fact("f" + std::to_string(i), marks(facts[i]));
  }
  return table;
}

struct RandomPrompts {
  std::size_t relations = 3;
  std::size_t facts = 6;
  std::size_t templates = 5;
  /// The maximum number of expressions per subject.
  std::size_t expressions = 3;
  /// Answers are numbered from 0 to this number; 0 is the correct one.
  std::size_t answers = 4;
  /// How many of every ten prompts are missing.
  std::size_t missing = 0;
};

/// Relations "P0" … with facts "f0" …; correct answers are more likely for some facts and for some
/// templates.
inline PromptOutcomes random_prompts(std::uint64_t seed, const RandomPrompts& shape) {
  RandomStream random(seed, "prompts");
  PromptOutcomes table;
  for (std::size_t r = 0; r < shape.relations; ++r) {
    table.add_relation("P" + std::to_string(r), templates(shape.templates));
    for (std::size_t f = 0; f < shape.facts; ++f) {
      std::vector<PromptOutcome> prompts;
      const std::size_t expressions = 1 + random.below(shape.expressions);
      const std::size_t ease = random.below(4);
      for (std::size_t t = 0; t < shape.templates; ++t) {
        for (std::size_t e = 0; e < expressions; ++e) {
          const bool missing = random.below(10) < shape.missing;
          const bool right = random.below(6) < ease + (t == 1 ? 2U : 0U);
          const std::size_t wrong = 1 + random.below(shape.answers);
          if (missing) continue;
          prompts.push_back({right ? 0U : static_cast<std::uint32_t>(wrong),
                             static_cast<std::uint16_t>(t), static_cast<std::uint16_t>(e), right});
        }
      }
      table.add_fact("f" + std::to_string(f), prompts);
    }
  }
  return table;
}

/// A prompt's outcome with its relation, fact and template.
struct PromptRow {
  std::string relation;
  std::string fact;
  PromptTemplate of;
  PromptOutcome outcome;
};

inline std::vector<PromptRow> rows_of(const PromptOutcomes& table) {
  std::vector<PromptRow> rows;
  for (const PromptRelation& relation : table.relations()) {
    for (std::size_t fact = relation.first_fact; fact < relation.first_fact + relation.facts;
         ++fact) {
      for (const PromptOutcome& prompt : table.prompts(fact)) {
        rows.push_back(
            {relation.code, table.key(fact), relation.templates[prompt.template_index], prompt});
      }
    }
  }
  return rows;
}

/// Whether two estimates are bit-identical.
inline bool same(const Estimate& one, const Estimate& other) {
  const bool ends = one.count > 0 && !one.has_interval()
                        ? other.count > 0 && !other.has_interval()
                        : one.low == other.low && one.high == other.high;
  return one.value == other.value && ends && one.count == other.count && one.method == other.method;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
