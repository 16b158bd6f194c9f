// SPDX-License-Identifier: Apache-2.0
#pragma once

// A GGUF file, written byte by byte from the format's description, without ggml.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The bytes of a number, lowest byte first.
template <class Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof(Number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(Number));
  return bytes;
}
inline std::string text_bytes(const std::string& text) {
  return bytes_of(std::uint64_t{text.size()}) + text;
}

class GgufBytes {
 public:
  /// Adds a metadata entry; `type` is the format's number for its type.
  GgufBytes& fact(const std::string& key, std::uint32_t type, const std::string& value) {
    facts_ += text_bytes(key) + bytes_of(type) + value;
    ++fact_count_;
    return *this;
  }
  GgufBytes& count(const std::string& key, std::uint32_t value) {
    return fact(key, 4, bytes_of(value));
  }
  GgufBytes& number(const std::string& key, float value) { return fact(key, 6, bytes_of(value)); }
  GgufBytes& text(const std::string& key, const std::string& value) {
    return fact(key, 8, text_bytes(value));
  }

  /// A tensor with `shape` in the format's order: the fastest-varying dimension first.
  GgufBytes& tensor(const std::string& name, const std::vector<std::uint64_t>& shape,
                    std::uint32_t type, const std::string& numbers) {
    data_.resize((data_.size() + alignment - 1) / alignment * alignment);
    entries_ += text_bytes(name) + bytes_of(static_cast<std::uint32_t>(shape.size()));
    for (const std::uint64_t size : shape) entries_ += bytes_of(size);
    entries_ += bytes_of(type) + bytes_of(std::uint64_t{data_.size()});
    data_ += numbers;
    ++tensor_count_;
    return *this;
  }
  /// An F32 tensor whose numbers are all equal.
  GgufBytes& tensor(const std::string& name, const std::vector<std::uint64_t>& shape,
                    float value = 0.5F) {
    std::uint64_t size = 1;
    for (const std::uint64_t n : shape) size *= n;
    std::string numbers;
    for (std::uint64_t i = 0; i < size; ++i) numbers += bytes_of(value);
    return tensor(name, shape, 0, numbers);
  }

  [[nodiscard]] std::string bytes(std::uint32_t version = 3) const {
    std::string made = "GGUF" + bytes_of(version) + bytes_of(tensor_count_) +
                       bytes_of(fact_count_) + facts_ + entries_;
    made.resize((made.size() + alignment - 1) / alignment * alignment);
    return made + data_;
  }

 private:
  static constexpr std::size_t alignment = 32;

  std::uint64_t fact_count_ = 0, tensor_count_ = 0;
  std::string facts_, entries_, data_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
