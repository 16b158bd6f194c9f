// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tensor in a file, independent of the file's format.
//
// Files are mapped; F64, F32, F16 and BF16 numbers are read as F32, a row at a time. The reader for each
// format checks a file's header before it adds tensors (safetensors.hpp, gguf_tensors.hpp).

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/mapped_file.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/kernels/half_number.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using TensorShape = std::vector<std::size_t>;

/// A shape as text, for example "[2, 3]".
[[nodiscard]] inline std::string shape_text(const TensorShape& shape) {
  return "[" + text_list(shape, [](std::size_t size) { return std::to_string(size); }) + "]";
}

/// A tensor stored in a file. Any number of threads may read it while its StoredTensors exists.
class StoredTensor {
 public:
  StoredTensor(std::filesystem::path file, std::string name, std::string type, TensorShape shape,
               std::string_view bytes)
      : file_(std::move(file)),
        name_(std::move(name)),
        type_(std::move(type)),
        shape_(std::move(shape)),
        bytes_(bytes) {}

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Rows [first, first + count) of a tensor [rows, …], as a tensor named `name`.
  [[nodiscard]] StoredTensor slice(std::string name, std::size_t first, std::size_t count) const {
    TensorShape shape = shape_;
    const std::size_t row = shape[0] == 0 ? 0 : bytes_.size() / shape[0];
    shape[0] = count;
    return {file_, std::move(name), type_, std::move(shape),
            bytes_.substr(first * row, count * row)};
  }
  /// Entry `index` of a tensor [entries, …], without the first axis.
  [[nodiscard]] StoredTensor entry(std::string name, std::size_t index) const {
    StoredTensor made = slice(std::move(name), index, 1);
    made.shape_.erase(made.shape_.begin());
    return made;
  }
  /// The type in safetensors' spelling, e.g. "F32".
  [[nodiscard]] const std::string& type() const noexcept { return type_; }
  [[nodiscard]] const TensorShape& shape() const noexcept { return shape_; }

  /// Whether its numbers can be read.
  [[nodiscard]] bool is_readable() const {
    return type_ == "F64" || type_ == "F32" || type_ == "F16" || type_ == "BF16";
  }

  /// Reads numbers [first, first + into.size()) in C order, as F32. Throws a user error for a
  /// non-finite number. The tensor must be readable.
  void read(std::size_t first, std::span<float> into) const {
    if (type_ == "F32") {
      std::memcpy(into.data(), bytes_.data() + first * 4, into.size() * 4);
    } else if (type_ == "F64") {
      const char* from = bytes_.data() + first * 8;
      for (float& number : into) {
        double wide = 0;
        std::memcpy(&wide, from, 8);
        from += 8;
        if (std::isfinite(wide) && std::abs(wide) > double{(std::numeric_limits<float>::max)()}) {
          const auto at = static_cast<std::size_t>(&number - into.data());
          throw user_error({.file = file_, .field = name_},
                           "number " + std::to_string(first + at) + " is too large for F32",
                           "plumb computes in F32; use a model whose weights fit");
        }
        number = static_cast<float>(wide);
      }
    } else {
      const char* from = bytes_.data() + first * 2;
      for (float& number : into) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from, 2);
        from += 2;
        number = type_ == "F16" ? widened_half(bits) : widened(bits);
      }
    }
    std::uint32_t found = 0;  // infinity and NaN have all exponent bits set
    for (const float number : into) {
      const auto bits = std::bit_cast<std::uint32_t>(number);
      found |= static_cast<std::uint32_t>((bits & 0x7F800000U) == 0x7F800000U);
    }
    if (found == 0) return;
    const auto bad =
        std::find_if(into.begin(), into.end(), [](float x) { return !std::isfinite(x); });
    throw user_error({.file = file_, .field = name_},
                     "number " +
                         std::to_string(first + static_cast<std::size_t>(bad - into.begin())) +
                         (std::isnan(*bad) ? " is NaN" : " is infinite"),
                     "the weights are damaged; fetch them again");
  }

  /// Reads the bits of numbers [first, first + into.size()) of a 16-bit type. Throws like `read`.
  void read_bits(std::size_t first, std::span<std::uint16_t> into) const {
    std::memcpy(into.data(), bytes_.data() + first * 2, into.size() * 2);
    const std::uint16_t exponent = type_ == "F16" ? 0x7C00 : 0x7F80;
    std::uint32_t found = 0;  // as above
    for (const std::uint16_t bits : into) {
      found |= static_cast<std::uint32_t>((bits & exponent) == exponent);
    }
    if (found == 0) return;
    std::vector<float> numbers(into.size());
    read(first, numbers);
  }

 private:
  static float widened(std::uint16_t bits) {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    float number = 0;
    std::memcpy(&number, &wide, 4);
    return number;
  }

  std::filesystem::path file_;
  std::string name_, type_;
  TensorShape shape_;
  std::string_view bytes_;
};

/// The tensors of a model. Any number of threads may read it.
class StoredTensors {
 public:
  /// The tensor of that name, or null.
  [[nodiscard]] const StoredTensor* find(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::map<std::string, StoredTensor>& tensors() const { return tensors_; }
  /// The number of parameters in all tensors.
  [[nodiscard]] std::uint64_t parameters() const {
    std::uint64_t sum = 0;
    for (const auto& [name, tensor] : tensors_) {
      std::uint64_t product = 1;
      for (const std::size_t size : tensor.shape()) product *= size;
      sum += product;
    }
    return sum;
  }
  /// The file to name in errors about a missing tensor: the weights file, or the index of the
  /// weights files.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 protected:
  std::filesystem::path file_;
  std::deque<MappedFile> maps_;
  std::map<std::string, StoredTensor> tensors_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
