// SPDX-License-Identifier: Apache-2.0
#pragma once

// What properties does a template have besides its text?
//
// For each template, many-prompt datasets (MyriadLAMA) record which source template it paraphrases,
// whether it is a sentence with a gap or a question, and whether a person or a program wrote it.
// Source: "What Matters in Learning Facts in Language Models?", section 4.1.

#include <cstdint>
#include <string>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class TemplateStyle : std::uint8_t { cloze, question };
enum class TemplateOrigin : std::uint8_t { manual, generated };

struct PromptTemplate {
  /// The text with [X] and [Y]; other tables use it to identify the template.
  std::string text;
  /// The name of the source template that this one paraphrases, or this template's own name. A
  /// template without a name forms its own group.
  std::string group{};
  TemplateStyle style = TemplateStyle::cloze;
  TemplateOrigin origin = TemplateOrigin::manual;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
