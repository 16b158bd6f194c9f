// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of given answers. In the string "101", the first and third answers are correct and the
// second is wrong. The digits "2" to "9" mark ties between that many choices; the correct choice is
// one of them, but not the first.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/relation_answers.hpp"
#include "support/make_tie.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A many-shot setting with a seed.
[[nodiscard]] inline Setting ic(std::size_t shots, std::size_t seed = 0) {
  Setting setting{"ic", shots};
  setting.separator = " ";
  setting.variant = seed;
  return setting;
}

/// A relation whose fact i has the subject "s" + i, the answer "o" + i and the instance i. Every
/// answer has confidence 0.5.
[[nodiscard]] inline RelationAnswers under_settings(
    const std::string& code, const std::vector<std::pair<Setting, std::string>>& settings) {
  RelationAnswers made;
  made.relation.code = code;
  for (const auto& [setting, marks] : settings) made.settings.push_back(setting);
  const std::size_t facts = settings.empty() ? 0 : settings.front().second.size();
  for (std::size_t i = 0; i < facts; ++i) {
    made.relation.options.push_back(std::string("o").append(std::to_string(i)));
    made.relation.facts.push_back(
        {.subject = std::string("s").append(std::to_string(i)), .answer = i, .instance = i});
    for (const auto& [setting, marks] : settings) {
      Prediction& answer = made.cells.emplace_back();
      answer.correct = marks[i] == '1';
      answer.confidence = 0.5;
      if (marks[i] > '1') make_tie(answer, static_cast<std::uint32_t>(marks[i] - '0'));
    }
  }
  return made;
}

/// A fact's answer in the setting with this index.
[[nodiscard]] inline Prediction& cell(RelationAnswers& table, std::size_t setting,
                                      std::size_t fact) {
  return table.cells[fact * table.settings.size() + setting];
}

/// A string with 1 for each correct and 0 for each wrong answer in the setting with this index.
[[nodiscard]] inline std::string marks_of(const RelationAnswers& table, std::size_t setting) {
  std::string marks;
  for (std::size_t i = 0; i < table.facts(); ++i) {
    marks += table.row(i)[setting].correct ? '1' : '0';
  }
  return marks;
}

/// Reverses the order of the settings.
inline void reverse_settings(RelationAnswers& table) {
  std::ranges::reverse(table.settings);
  for (std::size_t i = 0; i < table.facts(); ++i) {
    std::ranges::reverse(
        std::span(table.cells).subspan(i * table.settings.size(), table.settings.size()));
  }
}

/// A relation with ic(50) settings; `marks` contains one string for each seed, starting from 0.
[[nodiscard]] inline RelationAnswers by_seed(const std::string& code,
                                             const std::vector<std::string>& marks) {
  std::vector<std::pair<Setting, std::string>> settings;
  for (const std::string& text : marks) settings.emplace_back(ic(50, settings.size()), text);
  return under_settings(code, settings);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
