// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the lines of a results file: a regular file with one JSON object per line. A pipe or a
// device in its place is rejected, because it may never end.

#include <cstddef>

#include "plumb/detail/core/disk.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Throws a user error if there is a pipe or a device in place of a results file, because reading
/// it may never end.
inline void refuse_stream(const DiskPath& file) {
  if (file.disk().kind(file) != Disk::Kind::stream) return;
  throw user_error({.file = file}, "is a pipe or a device, not a results file",
                   "remove it, then create the results again");
}

/// Whether a run folder's file exists. Throws the same errors as refuse_stream.
[[nodiscard]] inline bool is_there(const DiskPath& file) {
  refuse_stream(file);
  return file.is_file();
}

/// Calls `visit(object, line)` for each line that is not blank; lines are counted from 1. Throws
/// the same errors as refuse_stream, and a user error at the first line that is not an object.
template <class Visit>
void for_each_result_line(const DiskPath& file, Visit visit) {
  refuse_stream(file);
  for_each_json_line(file, throw_problem, visit);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
