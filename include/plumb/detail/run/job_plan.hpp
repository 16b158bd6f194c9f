// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a job about to ask the model?
//
// A plan is computed from the data, using only the model's tokenizer. Token counts cover all texts,
// including BOS, as if each text were fed separately. If packs are planned in advance, the plan
// also counts the tokens that are fed when each shared prefix is fed only once. The number of
// tokens that a model will generate is unknown; only its maximum is counted.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One part of a job's plan.
struct PlannedPart {
  /// The name shown in the progress output, such as "zero-shot samples"; may be empty if there is
  /// only one part.
  std::string name{};
  /// The singular noun for what is counted: "statement", "prompt" or "query".
  std::string noun{};
  std::size_t count = 0;
  /// The known part of the cost: tokens if each text is fed separately, tokens actually fed (0 if
  /// unknown), and masked inputs. Not set if no part of the cost is known.
  std::optional<ScoringCost> cost{};
  /// The number of texts that the model will generate, including samples, and the maximum number of
  /// tokens per text.
  std::size_t answers = 0;
  std::size_t new_tokens = 0;
  /// A description of other work whose amount is known only once it is done; may be empty.
  std::string uncounted{};
};

using JobPlan = std::vector<PlannedPart>;

inline std::string planned_cost_text(const ScoringCost& cost) {
  if (cost.masked_inputs > 0) {
    return ", " + counted(cost.masked_inputs, "masked input") + " (" +
           std::to_string(cost.masked_inputs_computed) + " computed)";
  }
  std::string words = ", " + counted(cost.tokens_one_by_one, "token");
  if (cost.tokens_fed > 0 && cost.tokens_fed != cost.tokens_one_by_one) {
    words +=
        " (" + std::to_string(cost.tokens_fed) + " fed, because equal prefixes are fed only once)";
  } else if (cost.tokens_fed == 0 && cost.tokens_one_by_one > 0) {
    words += " (as if each text were fed separately)";
  }
  return words;
}

/// "zero-shot: 40 prompts, 520 tokens, 40 answers of at most 16 tokens".
[[nodiscard]] inline std::string description_of(const PlannedPart& part) {
  std::string words = part.name.empty() ? "" : part.name + ": ";
  words += counted(part.count, part.noun);
  if (part.cost) words += detail::planned_cost_text(*part.cost);
  if (part.answers > 0) {
    words +=
        ", " + counted(part.answers, "answer") + " of at most " + counted(part.new_tokens, "token");
  }
  if (!part.uncounted.empty()) words += ", and " + part.uncounted;
  return words;
}

/// One line for each part and, if there are several parts, one line for the total: "in all: 40
/// prompts, 80 statements, at least 520 tokens, 40 answers". Includes "at least" if the token count
/// of any part is unknown.
[[nodiscard]] inline std::vector<std::string> description_of(const JobPlan& plan) {
  std::vector<std::string> lines;
  // number of items for each noun, in order of appearance
  std::vector<std::pair<std::string, std::size_t>> counts;
  ScoringCost cost;
  std::size_t answers = 0;
  bool knows_all = true;
  for (const PlannedPart& part : plan) {
    lines.push_back(description_of(part));
    const auto same =
        ranges::find_if(counts, [&](const auto& one) { return one.first == part.noun; });
    if (same == counts.end()) {
      counts.emplace_back(part.noun, part.count);
    } else {
      same->second += part.count;
    }
    if (part.cost) cost += *part.cost;
    knows_all = knows_all && (part.cost || part.count == 0) && part.uncounted.empty();
    answers += part.answers;
  }
  if (plan.size() < 2) return lines;
  std::string all = "in all: " + text_list(counts, [](const auto& one) {
                      return counted(one.second, one.first);
                    });
  const char* const least = knows_all ? ", " : ", at least ";
  if (cost.masked_inputs > 0) all += least + counted(cost.masked_inputs, "masked input");
  if (cost.tokens_one_by_one > 0) all += least + counted(cost.tokens_one_by_one, "token");
  if (answers > 0) all += ", " + counted(answers, "answer");
  lines.push_back(std::move(all));
  return lines;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
