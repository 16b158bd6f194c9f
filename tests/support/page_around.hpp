// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds a page around the given sections, like the report of a run with these settings.

#include <string>
#include <vector>

#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

inline std::string page_around(const std::string& sections, const Json& settings,
                               const std::vector<std::string>& remarks) {
  const RunRecord run{.settings = settings};
  return whole_page({run.title(), "", run.with_warnings(remarks), settings}, sections);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
