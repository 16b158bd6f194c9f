// SPDX-License-Identifier: Apache-2.0
#pragma once

// What reads the lines of a results file: a file that ends, one JSON object a line.

#include <cstddef>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/error.hpp"
#include "plumb/data/json_file.hpp"

namespace plumb {

/// Calls `visit(object, line)` for each line that is not blank; lines count from 1. Throws a user error
/// at the first line that is no object, and for what is no file: a pipe or a device may never end.
template <class Visit>
void for_each_result_line(const DiskPath& file, Visit visit) {
  if (file.exists() && !file.is_file() && !file.is_folder()) {
    throw user_error({.file = file}, "is a pipe or a device, not a file of results",
                     "remove it, then make the results again");
  }
  for_each_json_line(file, throw_problem, visit);
}

}  // namespace plumb
