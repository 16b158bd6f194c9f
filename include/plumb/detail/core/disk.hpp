// SPDX-License-Identifier: Apache-2.0
#pragma once

// One small interface for all of the library's file access.
//
// Run folders, journals, datasets and pages are read and written through a Disk. Tests use an
// in-memory disk and can make any call fail. Mapped files (vectors, weights) and files that
// backends read directly are not accessed through a Disk.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

// Disk, OutputFile and FolderLock have virtual functions so that a test can run any of the
// library's readers and writers on its own disk. This way, the readers and writers need not be
// templates.

/// A file that is being written; the destructor closes it. Not thread-safe.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  /// Appends. After an error, any part of the bytes may have been written.
  [[nodiscard]] virtual std::error_code write(std::string_view bytes) = 0;
  /// Returns once everything written so far would survive a power loss.
  [[nodiscard]] virtual std::error_code sync() = 0;
};

/// Gives one process the exclusive right to write to a folder; the destructor releases the lock.
/// Any thread may destroy it.
class FolderLock {
 public:
  virtual ~FolderLock() = default;
};

/// Queries throw std::filesystem::filesystem_error if the disk reports an error. Functions that
/// change the disk return an error code. Any number of threads may use the same disk for different
/// files.
class Disk {
 public:
  using Path = std::filesystem::path;
  /// A stream is a pipe or a device; reading it may never end.
  enum class Kind { nothing, file, folder, stream };
  /// `create` creates a file or replaces an existing one. Neither mode follows a link, because its
  /// target may be another user's file.
  enum class Opening { create, append };

  virtual ~Disk() = default;

  [[nodiscard]] virtual Kind kind(const Path& path) const = 0;
  /// The entries of a folder as sorted paths, each beginning with the folder's own path.
  [[nodiscard]] virtual std::vector<Path> list(const Path& folder) const = 0;
  /// The path with links and dots resolved, as far as the path exists.
  [[nodiscard]] virtual Path canonical(const Path& path) const = 0;
  /// Null if the path cannot be opened or is a folder. A failed read sets the stream's badbit.
  [[nodiscard]] virtual std::unique_ptr<std::istream> read(const Path& file) const = 0;

  /// Null if the file cannot be opened.
  [[nodiscard]] virtual std::unique_ptr<OutputFile> write(const Path& file, Opening how) = 0;
  /// Replaces an existing file at `to` atomically. The new name is guaranteed to survive a power
  /// loss only after `sync_folder`.
  [[nodiscard]] virtual std::error_code rename(const Path& from, const Path& to) = 0;
  /// Removing a file that does not exist is not an error.
  [[nodiscard]] virtual std::error_code remove(const Path& file) = 0;
  /// Truncates a file to its first `size` bytes; does not follow symbolic links.
  [[nodiscard]] virtual std::error_code cut(const Path& file, std::uintmax_t size) = 0;
  /// Creates a folder and its parents; an existing folder is not an error.
  [[nodiscard]] virtual std::error_code make_folders(const Path& folder) = 0;
  /// Returns once the names in a folder would survive a power loss.
  [[nodiscard]] virtual std::error_code sync_folder(const Path& folder) = 0;
  /// Returns errc::resource_unavailable_try_again if another process holds the lock.
  [[nodiscard]] virtual std::error_code lock(const Path& folder,
                                             std::unique_ptr<FolderLock>& held) = 0;
};

[[nodiscard]] inline std::error_code last_error() {
  return {errno, std::generic_category()};
}

/// A file descriptor; the destructor closes it.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  /// File systems report EINVAL for files that they cannot sync; this error is ignored.
  [[nodiscard]] std::error_code sync() const {
    while (fsync(number_) != 0) {
      if (errno == EINVAL) break;
      if (errno != EINTR) return last_error();
    }
    return {};
  }

 private:
  int number_;
};

class RealOutput : public OutputFile {
 public:
  explicit RealOutput(int descriptor) : file_(descriptor) {}
  std::error_code write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto written = ::write(file_.number(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return last_error();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }
  std::error_code sync() override { return file_.sync(); }

 private:
  Descriptor file_;
};

class RealLock : public FolderLock {
 public:
  explicit RealLock(int descriptor) : folder_(descriptor) {}
  [[nodiscard]] const Descriptor& folder() const noexcept { return folder_; }

 private:
  Descriptor folder_;
};

/// The machine's own disk. Any number of threads may use it, as described for Disk.
class RealDisk : public Disk {
 public:
  Kind kind(const Path& path) const override {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    // no file can have such a long name
    if (failed == std::errc::filename_too_long) return Kind::nothing;
    if (status.type() == std::filesystem::file_type::none) {
      throw std::filesystem::filesystem_error("status", path, failed);
    }
    if (std::filesystem::is_directory(status)) return Kind::folder;
    if (!std::filesystem::exists(status)) return Kind::nothing;
    return std::filesystem::is_regular_file(status) ? Kind::file : Kind::stream;
  }
  std::vector<Path> list(const Path& folder) const override {
    std::vector<Path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  Path canonical(const Path& path) const override {
    return std::filesystem::weakly_canonical(path);
  }
  std::unique_ptr<std::istream> read(const Path& file) const override {
    auto stream = std::make_unique<std::ifstream>(file, std::ios::binary);
    std::error_code ignored;  // a file stream can also open folders
    if (!*stream || std::filesystem::is_directory(file, ignored)) return nullptr;
    return stream;
  }

  std::unique_ptr<OutputFile> write(const Path& file, Opening how) override {
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    if (how == Opening::create) {
      if (unlink(file.c_str()) != 0 && errno != ENOENT) return nullptr;
      flags |= O_EXCL;
    } else {
      flags |= O_APPEND;
    }
    const int descriptor = open(file.c_str(), flags, 0666);
    if (descriptor < 0) return nullptr;
    return std::make_unique<detail::RealOutput>(descriptor);
  }
  std::error_code rename(const Path& from, const Path& to) override {
    std::error_code failed;
    std::filesystem::rename(from, to, failed);
    return failed;
  }
  std::error_code remove(const Path& file) override {
    std::error_code failed;
    std::filesystem::remove(file, failed);
    return failed;
  }
  std::error_code cut(const Path& file, std::uintmax_t size) override {
    const detail::Descriptor opened(open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (opened.number() >= 0 && ftruncate(opened.number(), static_cast<off_t>(size)) == 0)
      return {};
    return detail::last_error();
  }
  std::error_code make_folders(const Path& folder) override {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    return failed;
  }
  std::error_code sync_folder(const Path& folder) override {
    const detail::Descriptor opened(open_folder(folder));
    return opened.number() < 0 ? detail::last_error() : opened.sync();
  }
  std::error_code lock(const Path& folder, std::unique_ptr<FolderLock>& held) override {
    auto made = std::make_unique<detail::RealLock>(open_folder(folder));
    const int descriptor = made->folder().number();
    if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) != 0) return detail::last_error();
    held = std::move(made);
    return {};
  }

 private:
  static int open_folder(const Path& folder) {
    return open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
};

/// The default disk. It has no state.
[[nodiscard]] inline Disk& real_disk() noexcept {
  static RealDisk disk;
  return disk;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
