// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the replay of a file shows: a table for a terminal. It has no page.

#include <string>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ReplayReport {
  TextTable shown;
  std::vector<std::string> remarks{};

  void write(const DiskPath&) const {}
  [[nodiscard]] const std::vector<std::string>& notes() const { return remarks; }
  [[nodiscard]] std::string table(const TableWidth& width = {}) const { return shown.text(width); }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
