// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does the text that the model generates contain the answer?
//
// The text is the greedy continuation of the shots and a subject (IC-LKE, with the most shots) or
// of a prompt without shots (HGP, MMP). The text is correct if it contains the object's label,
// either letter for letter or according to the matching rules of the authors' program
// (measure/label_match.hpp). plumb also records whether it contains the label or an alias. A text
// ends at the token limit or, if reached earlier, at the model's end-of-text token or at a stop
// string, if any is set (backend/stop_text.hpp). Source: "Towards Reliable Latent Knowledge
// Estimation in LLMs", Appendix H.7 (50 tokens).

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/prompt_generator.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/label_match.hpp"
#include "plumb/detail/records/many_shot_rows.hpp"
#include "plumb/detail/run/many_shot_plan.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/work.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The settings in a block for which text is generated: templates, and the largest number of shots.
inline std::vector<std::size_t> generated_settings(const ManyShotBlock& block) {
  std::vector<std::size_t> settings;
  if (!block.opening) return settings;
  for (std::size_t s = 0; s < block.settings.size(); ++s) {
    if (block.shots.empty() || block.settings[s].shots == block.shots.size()) settings.push_back(s);
  }
  return settings;
}

/// The row for a text that was generated for a fact.
inline std::string generation_line(const Relation& relation, const ObjectAliases& aliases,
                                   const Setting& setting, const Fact& fact, std::string text,
                                   LabelMatch match) {
  RecordedGeneration row{setting, fact, std::move(text)};
  const auto holds = [&](const std::string& name) { return holds_label(row.text, name, match); };
  row.correct = holds(relation.options[fact.answer]);
  const auto others = aliases.find(relation.option_ids[fact.answer]);
  row.correct_with_aliases =
      row.correct || (others != aliases.end() && ranges::any_of(others->second, holds));
  return row_line(row);
}

/// The number of texts to generate for a relation.
[[nodiscard]] inline std::size_t generated_texts(const ManyShotRelation& asked) {
  std::size_t texts = 0;
  asked.for_each_block([&](const ManyShotBlock& block) {
    texts += detail::generated_settings(block).size() * block.facts;
  });
  return texts;
}

/// The total number of tokens in the prompts from which a relation's texts are generated.
template <CausalLm Model>
[[nodiscard]] ScoringCost generation_cost(KeptPrompts<Model>& prompts,
                                          const ManyShotRelation& asked) {
  ScoringCost cost;
  if (asked.skipped()) return cost;
  asked.for_each_block([&](const ManyShotBlock& block) {
    for (const std::size_t s : detail::generated_settings(block)) {
      for (std::size_t f = 0; f < block.facts; ++f) {
        const Prompt prompt = block.opening(s, block.first_fact + f);
        cost.tokens_one_by_one += prompts.ids(prompt).size();
      }
    }
  });
  return cost;
}

/// Writes a relation's generated texts, unless the file exists. Each setting in a block is a pack,
/// whose texts are stored in the journal. Throws a user error if a prompt leaves less context than
/// `max_new_tokens`.
template <CausalLm Model>
void generate_many_shot(Model& model, KeptPrompts<Model>& tokens, const ManyShotRelation& asked,
                        const ObjectAliases& aliases, std::size_t max_new_tokens,
                        const std::vector<std::string>& stop, const RunFolder& folder, Work& work,
                        LabelMatch match = LabelMatch::letters) {
  const Relation& relation = asked.relation();
  Part part(work, relation.code + " texts", relation.code);
  const auto file = folder.file(relation.code + "_generated.jsonl");
  if (part.done(file)) {
    return work.advance(generated_texts(asked), 0, relation.code);
  }
  std::string rows;
  PromptGenerator generator(model);
  asked.for_each_block([&](const ManyShotBlock& block) {
    const std::vector<std::size_t> settings = detail::generated_settings(block);
    const std::vector<PackCost> packs(settings.size(), {block.facts, 0, block.facts});
    part.generate_rows(
        packs,
        [&](std::size_t p) {
          std::vector<std::vector<TokenId>> prompts;
          for (std::size_t f = 0; f < block.facts; ++f) {
            prompts.push_back(tokens.ids(block.opening(settings[p], block.first_fact + f)));
          }
          Json texts = Json::array();
          for (const auto& made : generator.generate(
                   prompts,
                   {.samples = 0, .max_new_tokens = max_new_tokens, .stop = stop, .seed = 0})) {
            texts.push_back(valid_utf8(model.detokenize(made.front().tokens)));
          }
          return texts.dump();
        },
        [&](std::size_t p, const Json& texts) {
          if (texts.size() != block.facts) throw part.other_job();
          for (std::size_t f = 0; f < block.facts; ++f) {
            rows += detail::generation_line(relation, aliases, block.settings[settings[p]],
                                            asked.test_fact(block.first_fact + f), texts[f], match);
          }
        });
  });
  if (asked.skipped() || !part.is_whole()) return;
  if (!rows.empty()) part.finish({}, write_atomically(file, rows));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
