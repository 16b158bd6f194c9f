// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calls that this program makes of the operating system's files, counted, made to fail and written
// down. They are the program's own `open`, `write`, `rename`, … (tests/system/file_calls.cpp), which
// the linker takes before the C library's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// How a call fails.
enum class FileFault {
  io,           ///< EIO; of a write, half of the bytes are written
  no_space,     ///< ENOSPC, once; of a write, half of the bytes are written
  full,         ///< ENOSPC from here on
  read_only,    ///< EROFS, once
  turned,       ///< EROFS from here on, as a file system that turned read-only at an error
  interrupted,  ///< EINTR, once
  part,         ///< a write or a read does half of what it is asked, and succeeds
};
inline constexpr std::array file_faults{
    FileFault::io,     FileFault::no_space,    FileFault::full, FileFault::read_only,
    FileFault::turned, FileFault::interrupted, FileFault::part};
[[nodiscard]] constexpr std::string_view name_of(FileFault fault) noexcept {
  constexpr std::array<std::string_view, file_faults.size()> names{"EIO",
                                                                   "ENOSPC",
                                                                   "ENOSPC from there on",
                                                                   "EROFS",
                                                                   "EROFS from there on",
                                                                   "EINTR",
                                                                   "half a read or write"};
  return names[static_cast<std::size_t>(fault)];
}

/// What a call did to the disk. A file is named by a number that it keeps under any name.
struct FileEvent {
  enum class Kind {
    create,       ///< `path` names the new file `file`
    write,        ///< `bytes` at `offset` of `file`
    cut,          ///< `file` is `offset` bytes large
    sync,         ///< `file` is on the disk
    folder,       ///< `path` is a new folder
    rename,       ///< `path`, the file `file` or a folder (0), is named `to`
    remove,       ///< `path` is gone
    sync_folder,  ///< the names in the folder `path` are on the disk
  };
  Kind kind{};
  std::filesystem::path path{}, to{};
  std::uint64_t file = 0;
  std::size_t offset = 0;
  std::string bytes{};
};

/// Watches calls on what lies below `root` until `unwatch_files`. One thread at a time calls files.
void watch_files(const std::filesystem::path& root);
/// The nth call (from 0) to which the fault can happen fails. Watching anew takes it back.
void fail_file_call(FileFault fault, std::size_t nth);
/// Events are kept while this is on, beginning with the files that lie below root.
void log_file_calls();

struct WatchedFiles {
  /// How many calls could have failed so, by fault.
  std::array<std::size_t, file_faults.size()> calls{};
  /// The call that failed: "write run.json.part"; empty where none did.
  std::string failed{};
  std::vector<FileEvent> events{};
};
WatchedFiles unwatch_files();

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
