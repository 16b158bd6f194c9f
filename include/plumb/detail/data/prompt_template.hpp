// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which properties does a template have besides its text?
//
// Datasets of many prompts (MyriadLAMA) record for each template which source template it
// paraphrases, whether it is a sentence with a gap or a question, and whether a person or a program
// wrote it. Source: "What Matters in Learning Facts in Language Models?", section 4.1.

#include <cstdint>
#include <string>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class TemplateStyle : std::uint8_t { cloze, question };
enum class TemplateOrigin : std::uint8_t { manual, generated };

struct PromptTemplate {
  /// The text with [X] and [Y]; other tables identify the template by it.
  std::string text;
  /// The name of the source template that it paraphrases, or of itself. A template without a name
  /// is a group of its own.
  std::string group{};
  TemplateStyle style = TemplateStyle::cloze;
  TemplateOrigin origin = TemplateOrigin::manual;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
