// SPDX-License-Identifier: Apache-2.0
#pragma once

// Replays a log of file calls: what may a folder look like after a power loss?
//
// A file system guarantees only what was synced: a file's bytes once the file is synced, a name
// once its folder is synced. Any part of the rest may be on the disk, in any order: names without
// bytes, bytes without names, a later write without an earlier one (then the earlier one's range
// contains zeros), or half a write. A rename is either complete or absent.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/file_calls.hpp"
#include "support/temporary_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The unsynced changes that reached the disk.
enum class Unsynced {
  lost,
  kept,
  names,   ///< only names
  bytes,   ///< bytes of files whose names were synced
  random,  ///< each name and each write, or half of it, independently of the others
};
inline constexpr std::array unsynced_kinds{Unsynced::lost, Unsynced::kept, Unsynced::names,
                                           Unsynced::bytes, Unsynced::random};
[[nodiscard]] constexpr std::string_view name_of(Unsynced kind) noexcept {
  constexpr std::array<std::string_view, unsynced_kinds.size()> names{
      "all that was not synced is lost", "all is kept", "names are kept", "bytes are kept",
      "a random part is kept"};
  return names[static_cast<std::size_t>(kind)];
}

class LoggedDisk {
 public:
  /// Assumes that everything below `root` is on the disk. The paths of events are below `root`.
  explicit LoggedDisk(std::filesystem::path root) : root_(std::move(root)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      if (entry.is_directory()) {
        names_[entry.path()] = folder;
      } else {
        // The files are numbered in the same order as in watch_files.
        names_[entry.path()] = ++files_seen_;
        files_[files_seen_].bytes = slurp(entry.path());
      }
    }
  }

  void add(const FileEvent& event) {
    using Kind = FileEvent::Kind;
    switch (event.kind) {
      case Kind::write:
      case Kind::cut:
        files_[event.file].waiting.push_back(event);
        return;
      case Kind::sync:
        for (const FileEvent& one : std::exchange(files_[event.file].waiting, {})) {
          apply(files_[event.file].bytes, one);
        }
        return;
      case Kind::sync_folder: {
        std::vector<FileEvent> others;
        for (FileEvent& one : waiting_) {
          if (is_in(one, event.path)) {
            apply(names_, one);
          } else {
            others.push_back(std::move(one));
          }
        }
        waiting_ = std::move(others);
        return;
      }
      default:
        waiting_.push_back(event);
    }
  }

  /// Recreates the folder `root` in a state in which a power loss may leave it.
  void restore(Unsynced kept, std::uint64_t seed) const {
    RandomStream random(seed, "power loss");
    const auto takes = [&](bool name) {
      if (kept == Unsynced::random) return random.below(2) == 0;
      return kept == Unsynced::kept || kept == (name ? Unsynced::names : Unsynced::bytes);
    };
    Names names = names_;
    for (const FileEvent& one : waiting_) {
      if (takes(true)) apply(names, one);
    }
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
    for (const auto& [path, number] : names) {
      if (!names.contains(path.parent_path()) && path.parent_path() != root_) continue;
      if (number == folder) {
        std::filesystem::create_directories(path);
        continue;
      }
      const auto found = files_.find(number);
      std::string bytes = found == files_.end() ? "" : found->second.bytes;
      if (found != files_.end()) {
        for (FileEvent one : found->second.waiting) {
          if (!takes(false)) continue;
          if (kept == Unsynced::random && random.below(4) == 0) {
            one.bytes.resize(one.bytes.size() / 2);
          }
          apply(bytes, one);
        }
      }
      if (!std::filesystem::is_directory(path.parent_path())) continue;
      std::ofstream(path, std::ios::binary) << bytes;
    }
  }

 private:
  static constexpr std::uint64_t folder = 0;
  using Names = std::map<std::filesystem::path, std::uint64_t>;
  struct File {
    std::string bytes;
    std::vector<FileEvent> waiting;
  };

  static bool is_in(const FileEvent& event, const std::filesystem::path& folder_path) {
    const auto& named = event.kind == FileEvent::Kind::rename ? event.to : event.path;
    return named.parent_path() == folder_path;
  }
  static void apply(std::string& bytes, const FileEvent& event) {
    if (event.kind == FileEvent::Kind::cut) return bytes.resize(event.offset);
    if (bytes.size() < event.offset + event.bytes.size()) {
      bytes.resize(event.offset + event.bytes.size());
    }
    bytes.replace(event.offset, event.bytes.size(), event.bytes);
  }
  static void apply(Names& names, const FileEvent& event) {
    using Kind = FileEvent::Kind;
    if (event.kind == Kind::create) names[event.path] = event.file;
    if (event.kind == Kind::folder) names[event.path] = folder;
    if (event.kind == Kind::remove) names.erase(event.path);
    if (event.kind != Kind::rename) return;
    if (event.file != folder) {  // the new name exists, even if the old one never did
      names.erase(event.path);
      names[event.to] = event.file;
      return;
    }
    Names moved;
    const std::string from = event.path.string(), to = event.to.string();
    std::erase_if(names, [&](const auto& one) {
      const std::string name = one.first.string();
      if (name == to || name.starts_with(to + "/")) return true;
      if (name != from && !name.starts_with(from + "/")) return false;
      moved[to + name.substr(from.size())] = one.second;
      return true;
    });
    names.merge(moved);
  }

  std::filesystem::path root_;
  std::uint64_t files_seen_ = 0;
  Names names_;
  std::map<std::uint64_t, File> files_;
  std::vector<FileEvent> waiting_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
