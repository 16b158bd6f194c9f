// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a large file accessed as if it were memory?
//
// The file is mapped: the system loads each page on first access and may evict it later. Files of
// vectors and weights are read this way.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A mapped file; the destructor unmaps it. Any number of threads may read the same object.
class MappedFile {
 public:
  MappedFile() = default;
  /// If `size` is given, the file is created or extended to that size and is writable; the path
  /// must not be a symbolic link. Otherwise, the existing file is mapped for reading. Throws a user
  /// error if the file is empty or cannot be opened, and an internal error if there is not enough
  /// disk space or memory.
  explicit MappedFile(const std::filesystem::path& file, std::size_t size = 0) {
    const bool writes = size > 0;
    const int descriptor =
        open(file.c_str(), (writes ? O_RDWR | O_CREAT | O_NOFOLLOW : O_RDONLY) | O_CLOEXEC, 0644);
    if (descriptor < 0) {
      throw user_error({.file = file}, writes ? "cannot be created" : "cannot be read",
                       "check that its folder exists, and check its permissions");
    }
    struct stat status {};
    bool sound = fstat(descriptor, &status) == 0;
    if (writes) sound = sound && posix_fallocate(descriptor, 0, static_cast<off_t>(size)) == 0;
    size_ = writes ? size : static_cast<std::size_t>(status.st_size);
    const bool empty = sound && size_ == 0;
    void* at = MAP_FAILED;
    errno = 0;
    if (sound && !empty) {
      at = mmap(nullptr, size_, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor,
                0);
    }
    const bool no_memory = errno == ENOMEM;
    close(descriptor);
    if (empty) throw user_error({.file = file}, "is empty", "create it again");
    if (at == MAP_FAILED) {
      const std::string bytes = std::to_string(size_) + " bytes";
      if (no_memory) {
        throw internal_error({.file = file}, "not enough memory to map its " + bytes,
                             "raise the memory limit (ulimit -v), then try again");
      }
      if (!writes) throw user_error({.file = file}, "cannot be mapped", "use a regular file");
      throw internal_error({.file = file}, "needs " + bytes + " that could not be allocated",
                           "check the free disk space, then try again");
    }
    data_ = static_cast<char*>(at);
  }
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~MappedFile() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  [[nodiscard]] char* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
