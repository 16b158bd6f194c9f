// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stores byte strings that are written once and read back by number, using little memory.

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The first `room` bytes stay in memory. The rest is written to a temporary file that no other
/// process sees. The file is deleted when this process ends. If it cannot be written, all bytes
/// stay in memory. Not thread-safe.
class Spool {
 public:
  explicit Spool(std::size_t room = std::size_t{64} << 20U) : room_(room) {}

  /// Stores a byte string and returns its number: 0, 1, 2 …
  std::size_t add(std::string_view bytes) {
    Entry entry{0, bytes.size(), {}, false};
    if (in_memory_ + bytes.size() > room_ && write(bytes, entry)) {
      in_file_ += bytes.size();
    } else {
      entry.bytes = std::string(bytes);
      in_memory_ += bytes.size();
    }
    entries_.push_back(std::move(entry));
    return entries_.size() - 1;
  }

  /// Throws an internal error if the temporary file cannot be read.
  [[nodiscard]] std::string get(std::size_t number) const {
    const Entry& entry = entries_.at(number);
    if (!entry.is_in_file) return entry.bytes;
    std::string bytes(entry.size, '\0');
    if (std::fseek(file_.get(), entry.begin, SEEK_SET) != 0 ||
        std::fread(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
      throw internal_error({}, "a temporary file could not be read");
    }
    return bytes;
  }

  [[nodiscard]] std::size_t bytes_in_memory() const noexcept { return in_memory_; }
  [[nodiscard]] std::size_t bytes_in_file() const noexcept { return in_file_; }

 private:
  struct Entry {
    long begin = 0;
    std::size_t size = 0;
    std::string bytes;  // empty if the bytes are in the file
    bool is_in_file = false;
  };
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  [[nodiscard]] bool write(std::string_view bytes, Entry& entry) {
    if (file_ == nullptr && !is_broken_) file_.reset(std::tmpfile());
    if (file_ == nullptr || is_broken_) return false;
    is_broken_ = std::fseek(file_.get(), 0, SEEK_END) != 0 ||
                 (entry.begin = std::ftell(file_.get())) < 0 ||
                 std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() ||
                 std::fflush(file_.get()) != 0;
    entry.is_in_file = !is_broken_;
    return entry.is_in_file;
  }

  std::size_t room_, in_memory_ = 0, in_file_ = 0;
  std::vector<Entry> entries_;
  std::unique_ptr<std::FILE, Close> file_;
  bool is_broken_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
