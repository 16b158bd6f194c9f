// SPDX-License-Identifier: Apache-2.0
#pragma once

// A path with the disk that it is on.
//
// Whoever gives a job or a reader a path says by it which disk is meant: a plain path is on the real
// one, and a path below another is on the same disk. So nothing else is handed through the library,
// and no disk is set anywhere.

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

/// Stands for a plain path wherever one is wanted for its text, as in messages. The disk must outlive
/// it. Any number of threads may read one.
class DiskPath {
 public:
  DiskPath() = default;
  /// From whatever a path is made of.
  template <class Source>
  requires(!std::derived_from<Source, DiskPath> &&
           std::constructible_from<std::filesystem::path, const Source&>)
      DiskPath(const Source& path, Disk& disk = real_disk())  // NOLINT: stands for a path
      : path_(path), disk_(&disk) {}

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  operator const std::filesystem::path&() const noexcept { return path_; }  // NOLINT
  [[nodiscard]] Disk& disk() const noexcept { return *disk_; }

  /// Another path on the same disk.
  [[nodiscard]] DiskPath with(const std::filesystem::path& path) const { return {path, *disk_}; }
  [[nodiscard]] DiskPath operator/(const std::filesystem::path& name) const {
    return with(path_ / name);
  }
  /// The same path with something at the end of its name.
  [[nodiscard]] DiskPath operator+(std::string_view ending) const {
    return with(path_.string() + std::string(ending));
  }
  [[nodiscard]] DiskPath parent() const { return with(last().parent_path()); }

  [[nodiscard]] std::string string() const { return path_.string(); }
  /// The last part ("run" of "run/" too), that without its extension, and the extension with its dot.
  [[nodiscard]] std::string name() const { return last().filename().string(); }
  [[nodiscard]] std::string stem() const { return last().stem().string(); }
  [[nodiscard]] std::string extension() const { return last().extension().string(); }
  [[nodiscard]] bool empty() const noexcept { return path_.empty(); }

  [[nodiscard]] bool exists() const { return disk_->kind(path_) != Disk::Kind::nothing; }
  [[nodiscard]] bool is_folder() const { return disk_->kind(path_) == Disk::Kind::folder; }
  [[nodiscard]] bool is_file() const { return disk_->kind(path_) == Disk::Kind::file; }
  /// What lies in it, sorted by name; it must be a folder.
  [[nodiscard]] std::vector<DiskPath> list() const {
    std::vector<DiskPath> all;
    for (const std::filesystem::path& path : disk_->list(path_)) all.push_back(with(path));
    return all;
  }
  /// Files whose names end in `extension`: itself, or those in it where it is a folder, sorted, without
  /// pipes and devices.
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
  /// Without links and dots, as far as it exists.
  [[nodiscard]] DiskPath canonical() const { return with(disk_->canonical(path_)); }
  /// Null where it cannot be read.
  [[nodiscard]] std::unique_ptr<std::istream> read() const { return disk_->read(path_); }

  /// A template, so that comparing with a plain path compares the paths alone.
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
