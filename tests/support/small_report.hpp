// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A report that uses one text as its page, its terminal table and its `numbers.csv`.
inline Report small_report(std::string text, std::vector<std::string> notes = {},
                           std::function<std::vector<ReportFile>()> files = {}) {
  if (!files) files = [text] { return std::vector<ReportFile>{{"numbers.csv", text}}; };
  return Report({.metrics =
                     [text] {
                       return Json{{"text", text}};
                     },
                 .files = std::move(files),
                 .page = [text] { return text; },
                 .notes = std::move(notes),
                 .table = [text](const TableWidth&) { return text + "\n"; }});
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
