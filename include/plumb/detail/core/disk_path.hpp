// SPDX-License-Identifier: Apache-2.0
#pragma once

// A path together with its disk.
//
// The path that a job or a reader receives also selects the disk. A plain path refers to the real
// disk, and a path derived from another path refers to the same disk. The library therefore needs
// neither disk arguments nor a global disk setting.

#include <concepts>
#include <filesystem>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Converts to a plain path for uses where only the path's text matters, such as messages. The disk
/// must outlive this object. Any number of threads may read the same object.
class DiskPath {
 public:
  DiskPath() = default;
  /// Accepts anything that a std::filesystem::path can be constructed from.
  template <class Source>
  requires(!std::derived_from<Source, DiskPath> &&
           std::constructible_from<std::filesystem::path, const Source&>)
      DiskPath(const Source& path, Disk& disk = real_disk())  // NOLINT: converts like a path
      : path_(path), disk_(&disk) {}

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  operator const std::filesystem::path&() const noexcept { return path_; }  // NOLINT
  [[nodiscard]] Disk& disk() const noexcept { return *disk_; }

  /// Another path on the same disk.
  [[nodiscard]] DiskPath with(const std::filesystem::path& path) const { return {path, *disk_}; }
  [[nodiscard]] DiskPath operator/(const std::filesystem::path& name) const {
    return with(path_ / name);
  }
  /// The same path with `ending` appended to its name.
  [[nodiscard]] DiskPath operator+(std::string_view ending) const {
    return with(path_.string() + std::string(ending));
  }
  [[nodiscard]] DiskPath parent() const { return with(last().parent_path()); }

  [[nodiscard]] std::string string() const { return path_.string(); }
  /// The last component ("run" even for "run/"), that component without its extension, and its
  /// extension with the dot.
  [[nodiscard]] std::string name() const { return last().filename().string(); }
  [[nodiscard]] std::string stem() const { return last().stem().string(); }
  [[nodiscard]] std::string extension() const { return last().extension().string(); }
  [[nodiscard]] bool empty() const noexcept { return path_.empty(); }

  [[nodiscard]] bool exists() const { return disk_->kind(path_) != Disk::Kind::nothing; }
  [[nodiscard]] bool is_folder() const { return disk_->kind(path_) == Disk::Kind::folder; }
  [[nodiscard]] bool is_file() const { return disk_->kind(path_) == Disk::Kind::file; }
  /// The folder's entries, sorted by name. The path must be a folder.
  [[nodiscard]] std::vector<DiskPath> list() const {
    std::vector<DiskPath> all;
    for (const std::filesystem::path& path : disk_->list(path_)) all.push_back(with(path));
    return all;
  }
  /// Files with this extension, in sorted order: those in the folder, except pipes and devices, or
  /// the path itself if it is not a folder.
  [[nodiscard]] std::vector<DiskPath> files(std::string_view extension) const {
    const bool folder = is_folder();
    std::vector<DiskPath> all;
    for (const DiskPath& one : folder ? list() : std::vector{*this}) {
      if (one.extension() == extension && (folder ? one.is_file() : one.exists())) {
        all.push_back(one);
      }
    }
    return all;
  }
  /// The path with links and dots resolved, as far as the path exists.
  [[nodiscard]] DiskPath canonical() const { return with(disk_->canonical(path_)); }
  /// Null if the file cannot be read.
  [[nodiscard]] std::unique_ptr<std::istream> read() const { return disk_->read(path_); }

  /// A template, so that comparing with a plain path converts this path to a plain one and ignores
  /// the disk.
  template <std::same_as<DiskPath> A, std::same_as<DiskPath> B>
  friend bool operator==(const A& a, const B& b) {
    return a.path_ == b.path_ && a.disk_ == b.disk_;
  }
  friend std::ostream& operator<<(std::ostream& out, const DiskPath& path) {
    return out << path.path_;
  }

 private:
  [[nodiscard]] std::filesystem::path last() const {
    return path_.has_filename() ? path_ : path_.parent_path();
  }

  std::filesystem::path path_;
  Disk* disk_ = &real_disk();
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
