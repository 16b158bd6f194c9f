// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a generated text contain a label?
//
//   letters   letter for letter, following IC-LKE's paper: the object must be in the text
//   program   as in IC-LKE's program: both texts are put in lower case, and ":", "," and "." are
//             removed from the label but not from the text; a text with "Los Angeles, California"
//             therefore does not contain that label
// Source: "Towards Reliable Latent Knowledge Estimation in LLMs", Appendix H.7, and its program
// (ZeroPrompt_LKE, generation.py).

#include <array>
#include <string>
#include <string_view>

#include "plumb/detail/core/lower_case.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class LabelMatch { letters, program };
[[nodiscard]] constexpr std::array<LabelMatch, 2> every(LabelMatch) noexcept {
  return {LabelMatch::letters, LabelMatch::program};
}
[[nodiscard]] constexpr std::string_view name_of(LabelMatch match) noexcept {
  return match == LabelMatch::letters ? "letters" : "program";
}

/// A label left empty by these rules matches every text.
[[nodiscard]] inline bool holds_label(std::string_view text, std::string_view label,
                                      LabelMatch match) {
  if (match == LabelMatch::letters) return text.find(label) != std::string_view::npos;
  std::string wanted = lower_case(label);
  std::erase_if(wanted, [](char c) { return c == ':' || c == ',' || c == '.'; });
  return lower_case(text).find(wanted) != std::string::npos;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
