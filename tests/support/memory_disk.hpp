// SPDX-License-Identifier: Apache-2.0
#pragma once

// A disk in memory, and a disk whose nth call fails.

#include <cstddef>
#include <filesystem>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A disk without links or permissions. The folder "/" exists from the start.
class MemoryDisk : public Disk {
 public:
  /// The contents of every file.
  std::map<Path, std::string> files;

  [[nodiscard]] DiskPath operator/(const std::string& name) { return {Path("/") / name, *this}; }
  [[nodiscard]] const std::string& text(const Path& file) const { return files.at(file); }
  /// Writes a file and creates its folders as needed; returns its path.
  DiskPath put(const std::string& name, const std::string& text) {
    const DiskPath file = *this / name;
    make_folder(file.parent());
    files[file.path()] = text;
    return file;
  }

  Kind kind(const Path& path) const override {
    if (files.contains(path)) return Kind::file;
    return folders_.contains(without_slash(path)) ? Kind::folder : Kind::nothing;
  }
  std::vector<Path> list(const Path& folder) const override {
    if (kind(folder) != Kind::folder) {
      throw std::filesystem::filesystem_error("list", folder,
                                              make_error_code(std::errc::not_a_directory));
    }
    std::set<Path> names;
    const auto add = [&](const Path& path) {
      if (path.parent_path() == without_slash(folder) && path.has_filename()) names.insert(path);
    };
    for (const auto& [path, text] : files) add(path);
    for (const Path& path : folders_) add(path);
    return {names.begin(), names.end()};
  }
  Path canonical(const Path& path) const override { return path.lexically_normal(); }
  std::unique_ptr<std::istream> read(const Path& file) const override {
    const auto found = files.find(file);
    if (found == files.end()) return nullptr;
    return std::make_unique<std::istringstream>(found->second);
  }

  std::unique_ptr<OutputFile> write(const Path& file, Opening how) override {
    if (kind(file) == Kind::folder || kind(file.parent_path()) != Kind::folder) return nullptr;
    std::string& text = files[file];
    if (how == Opening::create) text.clear();
    return std::make_unique<Output>(text);
  }
  std::error_code rename(const Path& from, const Path& to) override {
    if (kind(to) == Kind::folder) return make_error_code(std::errc::is_a_directory);
    auto moved = files.extract(from);
    if (moved.empty()) return make_error_code(std::errc::no_such_file_or_directory);
    moved.key() = to;
    files.erase(to);
    files.insert(std::move(moved));
    return {};
  }
  std::error_code remove(const Path& file) override {
    files.erase(file);
    return {};
  }
  std::error_code cut(const Path& file, std::uintmax_t size) override {
    if (!files.contains(file)) return make_error_code(std::errc::no_such_file_or_directory);
    files[file].resize(size);
    return {};
  }
  std::error_code make_folders(const Path& folder) override { return make_folder(folder); }
  std::error_code sync_folder(const Path& folder) override {
    const bool is_there = kind(folder) == Kind::folder;
    return is_there ? std::error_code() : make_error_code(std::errc::no_such_file_or_directory);
  }
  std::error_code lock(const Path& folder, std::unique_ptr<FolderLock>& held) override {
    if (kind(folder) != Kind::folder) return make_error_code(std::errc::not_a_directory);
    if (!locked_.insert(folder).second) {
      return make_error_code(std::errc::resource_unavailable_try_again);
    }
    held = std::make_unique<Lock>(locked_, folder);
    return {};
  }

 private:
  class Output : public OutputFile {
   public:
    explicit Output(std::string& text) : text_(text) {}
    std::error_code write(std::string_view bytes) override {
      text_ += bytes;
      return {};
    }
    std::error_code sync() override { return {}; }

   private:
    std::string& text_;  // a map's values keep their addresses, even when a file is renamed
  };
  class Lock : public FolderLock {
   public:
    Lock(std::set<Path>& locked, Path folder) : locked_(locked), folder_(std::move(folder)) {}
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() override { locked_.erase(folder_); }

   private:
    std::set<Path>& locked_;
    Path folder_;
  };

  static Path without_slash(const Path& path) {
    return path.has_filename() || path == path.root_path() ? path : path.parent_path();
  }
  std::error_code make_folder(const Path& path) {
    const Path folder = without_slash(path);
    if (files.contains(folder)) return make_error_code(std::errc::not_a_directory);
    if (folder.has_filename()) {
      if (const auto failed = make_folder(folder.parent_path())) return failed;
    }
    folders_.insert(folder);
    return {};
  }

  std::set<Path> folders_{"/"};
  std::set<Path> locked_;
};

/// Wraps another disk and makes one of its calls fail once: the first call if `until` is 0, the
/// second if it is 1. A failing write writes half of its bytes; a failing stream fails on its first
/// read.
class FailingDisk : public Disk {
 public:
  FailingDisk(Disk& disk, std::size_t until) : disk_(disk), left_(until) {}

  [[nodiscard]] bool has_failed() const noexcept { return failed_; }
  [[nodiscard]] DiskPath operator()(const DiskPath& path) { return {path.path(), *this}; }

  Kind kind(const Path& path) const override {
    refuse("kind", path);
    return disk_.kind(path);
  }
  std::vector<Path> list(const Path& folder) const override {
    refuse("list", folder);
    return disk_.list(folder);
  }
  Path canonical(const Path& path) const override {
    refuse("canonical", path);
    return disk_.canonical(path);
  }
  std::unique_ptr<std::istream> read(const Path& file) const override {
    if (fails()) return nullptr;
    auto stream = disk_.read(file);
    if (stream && fails()) return std::make_unique<Broken>();
    return stream;
  }
  std::unique_ptr<OutputFile> write(const Path& file, Opening how) override {
    if (fails()) return nullptr;
    auto output = disk_.write(file, how);
    if (!output) return nullptr;
    return std::make_unique<Output>(*this, std::move(output));
  }
  std::error_code rename(const Path& from, const Path& to) override {
    return fails() ? error() : disk_.rename(from, to);
  }
  std::error_code remove(const Path& file) override {
    return fails() ? error() : disk_.remove(file);
  }
  std::error_code cut(const Path& file, std::uintmax_t size) override {
    return fails() ? error() : disk_.cut(file, size);
  }
  std::error_code make_folders(const Path& folder) override {
    return fails() ? error() : disk_.make_folders(folder);
  }
  std::error_code sync_folder(const Path& folder) override {
    return fails() ? error() : disk_.sync_folder(folder);
  }
  std::error_code lock(const Path& folder, std::unique_ptr<FolderLock>& held) override {
    return fails() ? error() : disk_.lock(folder, held);
  }

 private:
  /// A stream whose first read fails, as on a failing disk.
  struct Broken : std::istream {
    struct Buffer : std::streambuf {
      int_type underflow() override { throw std::system_error(error()); }
    };
    Broken() : std::istream(nullptr) { rdbuf(&buffer); }
    Buffer buffer;
  };
  class Output : public OutputFile {
   public:
    Output(FailingDisk& disk, std::unique_ptr<OutputFile> file)
        : disk_(disk), file_(std::move(file)) {}
    std::error_code write(std::string_view bytes) override {
      if (!disk_.fails()) return file_->write(bytes);
      static_cast<void>(file_->write(bytes.substr(0, bytes.size() / 2)));
      return error();
    }
    std::error_code sync() override { return disk_.fails() ? error() : file_->sync(); }

   private:
    FailingDisk& disk_;
    std::unique_ptr<OutputFile> file_;
  };

  static std::error_code error() { return make_error_code(std::errc::io_error); }
  bool fails() const {
    const bool now = !failed_ && left_ == 0;
    if (left_ > 0) --left_;
    failed_ = failed_ || now;
    return now;
  }
  void refuse(const char* what, const Path& path) const {
    if (fails()) throw std::filesystem::filesystem_error(what, path, error());
  }

  Disk& disk_;
  mutable std::size_t left_;
  mutable bool failed_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
