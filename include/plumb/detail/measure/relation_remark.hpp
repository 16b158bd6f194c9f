// SPDX-License-Identifier: Apache-2.0
#pragma once

// What must be said of some relations, once for all that it is true of?

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What a reader must know of a relation: the same words for all relations it is true of, and what
/// differs among them.
struct RelationRemark {
  std::string what;
  std::string detail{};
};

/// Remarks distinct once each: "what: A detail, B detail".
[[nodiscard]] inline std::vector<std::string> distinct_remarks(
    const std::vector<std::pair<std::string, RelationRemark>>& by_relation) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [code, remark] : by_relation) {
    const std::string one = code + (remark.detail.empty() ? "" : " " + remark.detail);
    const auto known =
        ranges::find(lines, remark.what, [](const auto& line) { return line.first; });
    if (known == lines.end()) {
      lines.emplace_back(remark.what, remark.what + ": " + one);
    } else {
      known->second += ", " + one;
    }
  }
  std::vector<std::string> distinct;
  for (auto& [what, line] : lines) distinct.push_back(std::move(line));
  return distinct;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
