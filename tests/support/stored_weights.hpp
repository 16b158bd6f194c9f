// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bytes of safetensors files.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Little-endian single precision, on any machine.
[[nodiscard]] inline std::string floats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (const int shift : {0, 8, 16, 24}) bytes += static_cast<char>(bits >> shift & 0xFF);
  }
  return bytes;
}

/// A file with this header and these numbers.
[[nodiscard]] inline std::string stored(const std::string& header, const std::string& numbers) {
  std::string length;
  for (std::size_t i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> 8 * i & 0xFF);
  return length + header + numbers;
}

/// An F32 tensor.
struct PlainTensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> numbers;
};

[[nodiscard]] inline std::string stored(const std::vector<PlainTensor>& tensors) {
  std::string header, numbers;
  for (const PlainTensor& tensor : tensors) {
    std::string shape;
    for (const std::size_t size : tensor.shape) {
      shape.append(shape.empty() ? "" : ",").append(std::to_string(size));
    }
    header.append(header.empty() ? "{\"" : ",\"").append(tensor.name);
    header.append("\":{\"dtype\":\"F32\",\"shape\":[").append(shape).append("],\"data_offsets\":[");
    header.append(std::to_string(numbers.size())).append(",");
    numbers += floats(tensor.numbers);
    header.append(std::to_string(numbers.size())).append("]}");
  }
  return stored(header + "}", numbers);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
