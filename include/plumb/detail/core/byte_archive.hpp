// SPDX-License-Identifier: Apache-2.0
#pragma once

// Converts values to bytes and back within one process, for data kept in a temporary file.
//
// A type lists its members once, `template <class Archive> void archive(Archive& of) { of(a_, b_);
// }`; ByteWriter writes them, and ByteReader reads them in the same order.

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Appends values to a string: numbers, plain structs, types with an `archive`, and vectors of any
/// of these. Not thread-safe.
class ByteWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (requires { const_cast<T&>(value).archive(*this); }) {
      const_cast<T&>(value).archive(*this);  // only reads the members
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(values.size());
    if constexpr (std::is_trivially_copyable_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T& value : values) write(value);
    }
  }

  std::string bytes_;
};

/// Reads what a ByteWriter wrote; the bytes must outlive it. Not thread-safe.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  /// Throws an internal error if the bytes end before all values have been read.
  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }

 private:
  template <class T>
  void read(T& value) {
    if constexpr (requires { value.archive(*this); }) {
      value.archive(*this);
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      copy(&value, sizeof value);
    }
  }
  template <class T>
  void read(std::vector<T>& values) {
    std::size_t size = 0;
    read(size);
    values.resize(size);
    if constexpr (std::is_trivially_copyable_v<T>) {
      copy(values.data(), size * sizeof(T));
    } else {
      for (T& value : values) read(value);
    }
  }
  void copy(void* to, std::size_t size) {
    if (size > bytes_.size()) throw internal_error({}, "archived bytes end too early");
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  std::string_view bytes_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
