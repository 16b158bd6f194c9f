// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can the model see every option of a dataset?

#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <ios>
#include <sstream>
#include <string>
#include <string_view>

#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// For example " (U+200B, U+00AD)": the code points of a text that consists only of invisible
/// characters (zero-width marks and spaces). Lists at most four code points. Empty if any character
/// is visible.
[[nodiscard]] inline std::string code_points_of(std::string_view text) {
  std::string list;
  for (std::size_t at = 0, count = 0; at < text.size(); ++count) {
    const auto [value, size] = first_code_point(text.substr(at));
    const bool is_unseen = is_white_space(value) || is_control(value) || value == 0xAD ||
                           value == 0x034F || value == 0x061C || value == 0x180E ||
                           (value >= 0x200B && value <= 0x200F) ||
                           (value >= 0x2060 && value <= 0x206F) || value == 0xFEFF ||
                           (value >= 0xFE00 && value <= 0xFE0F);
    if (size == 0 || !is_unseen) return "";
    at += size;
    if (count > 4) continue;
    std::ostringstream word;
    word << "U+" << std::hex << std::uppercase << std::setw(4) << std::setfill('0')
         << static_cast<std::uint32_t>(value);
    list += (list.empty() ? " (" : ", ") + (count < 4 ? word.str() : std::string("…"));
  }
  return list.empty() ? "" : list + ")";
}

/// Throws a user error for an option that this model's tokenizer turns into an empty token list.
/// The message names the option.
template <class Model>
void refuse_empty_options(const Model& model, const Dataset& dataset) {
  for (const Relation& relation : dataset.relations) {
    const auto check = [&](const std::string& option, std::size_t line) {
      if (!text_tokens(model, option).tokens.empty()) return;
      throw user_error({line > 0 ? relation.file : "", line, relation.code},
                       "option '" + option + "'" + detail::code_points_of(option) +
                           " tokenises to nothing with this model",
                       "remove it or give it a label the tokenizer knows");
    };
    for (std::size_t o = 0; o < relation.options.size(); ++o) {
      const auto fact = ranges::find(relation.facts, o, &Fact::answer);
      (check)(relation.options[o], fact == relation.facts.end() ? 0 : fact->line);
    }
    for (const Fact& fact : relation.facts) {
      for (const std::string& choice : fact.choices) (check)(choice, fact.line);
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
