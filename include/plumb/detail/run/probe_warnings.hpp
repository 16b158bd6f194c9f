// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which statements cannot be used with a model, and what must readers of a closed-set probe's
// results know about its statements?

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/run/option_check.hpp"
#include "plumb/detail/run/probe_settings.hpp"
#include "plumb/detail/run/special_token_check.hpp"
#include "plumb/detail/run/statement_prompts.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Throws a user error for an option that tokenises to nothing and, if special tokens are refused,
/// for a text that contains one. Adds warnings to the model's description about how the model reads
/// these texts.
template <class Model>
void check_probe(const Model& model, const Dataset& dataset, const ProbeSettings& settings,
                 ModelDescription& description) {
  refuse_empty_options(model, dataset);
  SpecialTokenCheck special_tokens{model, settings.special_tokens};
  if (settings.chat) special_tokens.must_parse();
  if (!settings.prefix.text.empty()) special_tokens({.setting = "prefix"}, settings.prefix.text);
  if (!settings.system.text.empty()) special_tokens({.setting = "system"}, settings.system.text);
  if (settings.neutral.text) special_tokens({.setting = "neutral"}, *settings.neutral.text);
  for_each_text(dataset, settings.templates.indices, special_tokens);
  special_tokens.warn(description);
}

/// A warning if the prefix does not end with white space, so that its last word runs into the
/// statement; otherwise nothing.
[[nodiscard]] inline std::optional<std::string> prefix_warning(const std::string& prefix) {
  const std::size_t last = prefix.find_last_of(" \n\t") + 1;
  if (prefix.empty() || last == prefix.size()) return std::nullopt;
  return "Warning: the prefix ends in '" + shortened(prefix.substr(last)) +
         "' without a space or line break, so the statement follows directly.";
}

/// Warnings about statements that already begin with BOS and, without BOS, about statements that
/// begin with the answer. `builder` includes the prefix and shots, if there are any.
template <class Builder, class Scorer>
[[nodiscard]] std::vector<std::string> bos_warnings(const Dataset& dataset,
                                                    const ProbeSettings& settings,
                                                    const Builder& builder, const Scorer& scorer) {
  std::vector<std::string> warnings;
  // the chat template comes first and determines whether there is a BOS
  if (settings.chat) return warnings;
  std::size_t own = 0, patterns = 0, led_by_answer = 0, facts = 0;
  for (const Relation& relation : dataset.relations) {
    const std::vector<std::size_t> templates = templates_of(relation, settings.templates.indices);
    std::vector<bool> answer_leads(relation.templates.size() + 1, false);
    for (const Fact& fact : relation.facts) {
      for (const std::size_t t : templates) {
        const Prompt asked = builder.build(relation, fact, t, fact.answer);
        if constexpr (requires { scorer.begins_with_bos(asked); }) {
          own += scorer.begins_with_bos(asked) ? 1U : 0U;
        }
        if (asked.answer.empty() || asked.answer.front().begin > 0) continue;
        answer_leads[(std::min)(t, relation.templates.size())] = true;
        ++facts;
      }
    }
    patterns += templates.size();
    led_by_answer += static_cast<std::size_t>(ranges::count(answer_leads, true));
  }
  if (auto begins = own_bos_warning(own, "statement")) warnings.push_back(*std::move(begins));
  if (settings.bos) return warnings;
  warnings.push_back(
      "Warning: no BOS comes before the statements, so the first token of each has no "
      "probability; " +
      std::to_string(led_by_answer) + " of " + counted(patterns, "template") +
      (led_by_answer == 1 ? " begins" : " begin") + " with the answer" +
      (facts == 0 ? "."
                  : ", and " + counted(facts, "right answer") + (facts == 1 ? " lacks" : " lack") +
                        " a token's probability."));
  return warnings;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
