// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known of a template beside its words?
//
// Data sets of many prompts (MyriadLAMA) say which source template each one paraphrases, whether it
// is a sentence with a gap or a question, and whether a person or a program wrote it. Source: "What
// Matters in Learning Facts in Language Models?", section 4.1.

#include <cstdint>
#include <string>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class TemplateStyle : std::uint8_t { cloze, question };
enum class TemplateOrigin : std::uint8_t { manual, generated };

struct PromptTemplate {
  /// With [X] and [Y]; what a template is known by in another table.
  std::string text;
  /// The source template it paraphrases, itself included; one without a name is a group of its own.
  std::string group{};
  TemplateStyle style = TemplateStyle::cloze;
  TemplateOrigin origin = TemplateOrigin::manual;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
