// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does the page of a many-prompt run show?

#include <string>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/report/many_prompt_accuracy.hpp"
#include "plumb/detail/report/many_prompt_answers.hpp"
#include "plumb/detail/report/many_prompt_reliability.hpp"
#include "plumb/detail/report/many_prompt_templates.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/paired_columns.hpp"
#include "plumb/detail/report/prompt_section.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How the model is asked about facts, and which answers are considered correct.
inline std::string asked_in_words(const ManyPromptResults& made) {
  const bool words = has_any(made, AnswerKind::text), options = has_any(made, AnswerKind::option);
  std::string text =
      "Each fact is queried with many prompts: each template of its relation is combined with the "
      "names of its subject. ";
  if (words) text += "A generated answer is right if it contains a name of an object of the fact. ";
  if (options)
    text += "An answer to a closed set is right if the true option is the single likeliest. ";
  if (has_any(made, AnswerKind::fill)) {
    text +=
        "A masked model's answer is the likeliest token in the gap; it is right if it exactly "
        "matches a name of an object. ";
  }
  text.pop_back();
  return text;
}

/// Paired tests comparing query forms from several runs.
inline std::string paired_prompts_section(const ManyPromptResults& made) {
  if (made.paired.empty()) return "";
  const std::vector<std::string> names = made.names();
  const auto columns = named_paired_columns(names);
  return heading("Paired tests",
                 "Computed over the facts that were asked under both settings. A setting knows a "
                 "fact if its answers to more than half of the fact's prompts are right. " +
                     meanings(columns)) +
         html_table(columns, made.paired);
}

/// The sections of the page.
[[nodiscard]] inline std::string many_prompt_sections(const ManyPromptResults& made) {
  return detail::many_prompt_cards(made) + detail::overview_section(made) +
         detail::written_answers_section(made) + detail::token_ranks_section(made) +
         detail::samplings_section(made) + detail::reliability_section(made) +
         detail::answer_length_section(made) + detail::coverage_section(made) +
         detail::sharing_section(made) + paired_prompts_section(made) +
         detail::consistency_section(made) + detail::prompts_section(made) +
         detail::forms_section(made) + detail::aliases_section(made) + detail::bias_section(made) +
         detail::prompted_relations_section(made) + detail::several_section(made);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
