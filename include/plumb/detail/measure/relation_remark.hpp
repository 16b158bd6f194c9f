// SPDX-License-Identifier: Apache-2.0
#pragma once

// Remarks about relations; a remark that applies to several relations appears once.

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A remark about a relation that readers must see. `what` is the text shared by all relations to
/// which the remark applies; `detail` is the text that differs between them.
struct RelationRemark {
  std::string what;
  std::string detail{};
};

/// Lists each distinct remark once: "what: A detail, B detail".
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
