// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report of a replay: a terminal table without an HTML page.

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline Report replay_report(TextTable table, std::vector<std::string> remarks) {
  return Report(
      {.metrics = {},
       .files = {},
       .page = {},
       .notes = std::move(remarks),
       .table = [table = std::move(table)](const TableWidth& width) { return table.text(width); }});
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
