// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts the program's file calls to the operating system, makes them fail, and logs them. The
// program has its own `open`, `write`, `rename`, … (tests/system/file_calls.cpp), which the linker
// prefers to those in the C library.

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
  io,           ///< EIO; a write writes half of its bytes
  no_space,     ///< ENOSPC, once; a write writes half of its bytes
  full,         ///< ENOSPC from here on
  read_only,    ///< EROFS, once
  turned,       ///< EROFS from here on, like a file system that becomes read-only after an error
  interrupted,  ///< EINTR, once
  part,         ///< a write or read transfers half of its bytes and succeeds
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

/// The effect of a call on the disk. Each file has a number, which stays the same when the file is
/// renamed.
struct FileEvent {
  enum class Kind {
    create,       ///< `path` names the new file `file`
    write,        ///< `bytes` at `offset` of `file`
    cut,          ///< `file` is cut to `offset` bytes
    sync,         ///< `file` is synced to the disk
    folder,       ///< `path` is a new folder
    rename,       ///< `path`, which is the file `file` or, if `file` is 0, a folder, is renamed to
                  ///< `to`
    remove,       ///< `path` is removed
    sync_folder,  ///< the names in the folder `path` are synced to the disk
  };
  Kind kind{};
  std::filesystem::path path{}, to{};
  std::uint64_t file = 0;
  std::size_t offset = 0;
  std::string bytes{};
};

/// Watches calls on everything below `root` until `unwatch_files` is called. Only one thread at a
/// time may make calls.
void watch_files(const std::filesystem::path& root);
/// Makes the nth call that can have this fault (counting from 0) fail. Watching again cancels this.
void fail_file_call(FileFault fault, std::size_t nth);
/// Logs events from now on, starting with the files that exist below root.
void log_file_calls();

struct WatchedFiles {
  /// For each fault, the number of calls that could have failed in that way.
  std::array<std::size_t, file_faults.size()> calls{};
  /// The call that failed, such as "write run.json.part"; empty if none failed.
  std::string failed{};
  std::vector<FileEvent> events{};
};
WatchedFiles unwatch_files();

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
