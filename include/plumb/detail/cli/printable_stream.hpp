// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are control sequences in a dataset prevented from affecting a terminal?
//
// All output of a subcommand goes through one stream, which escapes control characters
// (core/printable.hpp) except line feeds and tabs. Therefore no column, note or message can bypass
// the escaping. The progress bar, which moves the cursor, writes to the underlying stream.

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "plumb/detail/core/printable.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe. The target must outlive it.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::ostream& target) : target_(target) {}
  PrintableBuffer(const PrintableBuffer&) = delete;
  PrintableBuffer& operator=(const PrintableBuffer&) = delete;
  ~PrintableBuffer() override { (void)write_rest(); }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    pending_.append(text, static_cast<std::size_t>(size));
    return write(whole_characters()) ? size : 0;
  }
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  int sync() override {
    const bool written = write_rest();
    target_.flush();
    return written && target_.good() ? 0 : -1;
  }

 private:
  /// The number of pending bytes, without those of an incomplete last character.
  [[nodiscard]] std::size_t whole_characters() const {
    const std::size_t size = pending_.size();
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, size); ++back) {
      const auto byte = static_cast<unsigned char>(pending_[size - back]);
      if (byte < 0x80) break;
      if (byte < 0xC0) continue;  // a continuation byte
      const std::size_t needed = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
      return needed > back ? size - back : size;
    }
    return size;
  }
  bool write(std::size_t size) {
    if (size > 0) target_ << printable(std::string_view(pending_).substr(0, size), "\n\t");
    pending_.erase(0, size);
    return target_.good();
  }
  bool write_rest() { return write(pending_.size()); }

  std::ostream& target_;
  std::string pending_;
};

/// A stream that writes to the target with control characters escaped. Not thread-safe.
class PrintableStream : public std::ostream {
 public:
  explicit PrintableStream(std::ostream& target) : std::ostream(nullptr), buffer_(target) {
    rdbuf(&buffer_);
    flags(target.flags());
  }

 private:
  PrintableBuffer buffer_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
