// SPDX-License-Identifier: Apache-2.0
#pragma once

// Studies put together by hand, answers written as "101": right, wrong, right; "2" to "9" are ties of
// as many choices, the right one among them but not the first.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/measure/study.hpp"
#include "support/make_tie.hpp"

namespace plumb::test {

/// Many-shot learning with a seed.
[[nodiscard]] inline Setting ic(std::size_t shots, std::size_t seed = 0) {
  Setting setting{"ic", shots};
  setting.separator = " ";
  setting.variant = seed;
  return setting;
}

/// A relation whose fact i is ("s"i, "o"i) at instance i; every answer has the confidence 0.5.
[[nodiscard]] inline StudiedRelation studied(
    const std::string& code, const std::vector<std::pair<Setting, std::string>>& settings) {
  StudiedRelation relation{code, {}, {}};
  for (const auto& [setting, marks] : settings) {
    SettingAnswers& made = relation.settings.emplace_back();
    made.setting = setting;
    for (const char mark : marks) {
      Prediction& answer = made.answers.emplace_back();
      answer.correct = mark == '1';
      answer.confidence = 0.5;
      if (mark > '1') make_tie(answer, static_cast<std::uint32_t>(mark - '0'));
    }
  }
  const std::size_t facts = settings.empty() ? 0 : settings.front().second.size();
  for (std::size_t i = 0; i < facts; ++i) {
    relation.facts.push_back({i, std::string("s").append(std::to_string(i)),
                              std::string("o").append(std::to_string(i))});
  }
  return relation;
}

/// A relation under ic(50), a text for each seed from 0.
[[nodiscard]] inline StudiedRelation by_seed(const std::string& code,
                                             const std::vector<std::string>& marks) {
  std::vector<std::pair<Setting, std::string>> settings;
  for (const std::string& text : marks) settings.emplace_back(ic(50, settings.size()), text);
  return studied(code, settings);
}

}  // namespace plumb::test
