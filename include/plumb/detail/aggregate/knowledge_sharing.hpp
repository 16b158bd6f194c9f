// SPDX-License-Identifier: Apache-2.0
#pragma once

// Of the facts that one model or setting gets right, how many does another get right too?
//
//   cell (L, T) = |K_L ∩ K_T| / |K_L|,
// with L at the left of the heat map and T at the top. K is computed in two ways, over the prompts
// that L and T have in common:
//   by template   the facts right under a template (with any of the subject's expressions); the
//                 unweighted mean over the templates of all relations under which L knows a fact
//   oracle        the facts right under any prompt, of all relations together
// This is η(L|T) in measure/subsumption.hpp, with templates as variants; that header computes the
// numbers and intervals. Source: "What Matters in Learning Facts in Language Models?", section 6.3
// and Figure 2, which show the mean by template and do not mention subjects with several
// expressions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_pairs.hpp"
#include "plumb/detail/measure/subsumption.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One cell. LeftOut counts the omitted data; its settings are templates.
struct KnowledgeSharing {
  Subsumption by_template;
  Subsumption oracle;
};

/// The two cells for a pair of models, and the data that the models do not share.
struct SharingPair {
  KnowledgeSharing one_given_other;
  KnowledgeSharing other_given_one;
  UnsharedPrompts unshared;
};

/// For each shared template, the facts that are answered correctly under it.
[[nodiscard]] inline MatchedAnswers match_templates(const PairedPrompts& paired) {
  const UnsharedPrompts& out = paired.unshared;
  MatchedAnswers matched{{}, {out.relations, out.templates, out.facts}};
  for (const PairedRelation& relation : paired.relations) {
    MatchedRelation& made = matched.relations.emplace_back(MatchedRelation{
        relation.code, relation.facts,
        std::vector(relation.templates, std::vector<std::uint8_t>(relation.facts))});
    for (const PairedOutcome& prompt : relation.prompts) {
      std::uint8_t& right = made.right[prompt.template_index][prompt.fact];
      right = static_cast<std::uint8_t>(right | (prompt.one_right ? 1U : 0U) |
                                        (prompt.other_right ? 2U : 0U));
    }
  }
  return matched;
}

/// The facts that are answered correctly under any shared prompt, with all relations treated as
/// one.
[[nodiscard]] inline MatchedAnswers match_oracles(const MatchedAnswers& by_template) {
  MatchedAnswers matched{{{"oracle", 0, {{}}}}, by_template.left_out};
  MatchedRelation& all = matched.relations.front();
  for (const MatchedRelation& relation : by_template.relations) {
    std::vector<std::uint8_t>& right = all.right.front();
    right.resize(all.facts + relation.facts);
    for (const auto& under : relation.right) {
      for (std::size_t fact = 0; fact < under.size(); ++fact) {
        std::uint8_t& known = right[all.facts + fact];
        known = static_cast<std::uint8_t>(known | under[fact]);
      }
    }
    all.facts += relation.facts;
  }
  return matched;
}

/// Facts are resampled within their relations, both by template and for the oracle.
[[nodiscard]] inline SharingPair knowledge_sharing(const PairedPrompts& paired,
                                                   const Bootstrap& bootstrap) {
  const MatchedAnswers by_template = match_templates(paired);
  const Resamples resamples(facts_by_relation(by_template), bootstrap, "knowledge sharing");
  SubsumptionPair cells = subsumption(by_template, resamples);
  SubsumptionPair oracles = subsumption(match_oracles(by_template), resamples);
  return {{std::move(cells.one_given_other), std::move(oracles.one_given_other)},
          {std::move(cells.other_given_one), std::move(oracles.other_given_one)},
          paired.unshared};
}

/// rates[L][T] is cell (L, T); empty on the diagonal.
[[nodiscard]] inline std::vector<std::vector<KnowledgeSharing>> sharing_matrix(
    std::span<const PromptOutcomes* const> tables, const Bootstrap& bootstrap) {
  std::vector<std::vector<KnowledgeSharing>> rates(tables.size(),
                                                   std::vector<KnowledgeSharing>(tables.size()));
  for (std::size_t l = 0; l < tables.size(); ++l) {
    for (std::size_t t = l + 1; t < tables.size(); ++t) {
      SharingPair pair = knowledge_sharing(pair_prompts(*tables[l], *tables[t]), bootstrap);
      rates[l][t] = std::move(pair.one_given_other);
      rates[t][l] = std::move(pair.other_given_one);
    }
  }
  return rates;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
