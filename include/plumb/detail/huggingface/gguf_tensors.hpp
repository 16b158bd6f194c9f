// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which weights and facts does a GGUF file contain?
//
// A file contains "GGUF", a version and two counts, then facts (a key, a type, a value), then
// tensors (a name, a shape with the fastest dimension first, a type, an offset), and then the
// tensors' numbers at aligned offsets. Files are memory-mapped, and are read without llama.cpp.
// F32, F16 and BF16 weights are readable; tensors of other types are listed with their type number.
// Lists of strings belong to the tokenizer, which is not read here, and are skipped. Source of the
// format: ggml's docs/gguf.md. Non-goals: writing, and version 1.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/mapped_file.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/huggingface/stored_tensors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Reads a GGUF file's header from front to back. Throws a user error if the header is truncated.
class GgufCursor {
 public:
  GgufCursor(std::filesystem::path file, std::string_view bytes)
      : file_(std::move(file)), bytes_(bytes) {}

  [[nodiscard]] std::size_t at() const noexcept { return at_; }
  [[nodiscard]] Error damaged(const std::string& field, const std::string& problem) const {
    return user_error({.file = file_, .field = field}, problem,
                      "the file is truncated or damaged; fetch it again");
  }

  template <class Number>
  [[nodiscard]] Number number() {
    Number made{};
    std::memcpy(&made, take(sizeof(Number)).data(), sizeof(Number));
    return made;
  }
  [[nodiscard]] std::string text() { return std::string(take(number<std::uint64_t>())); }

  /// Reads a value of the given type (one of the format's type numbers). Returns null for a list of
  /// strings. Numbers in lists are kept only if `keeps_lists` is true.
  [[nodiscard]] Json value(std::uint32_t type, bool keeps_lists) {
    switch (type) {
      case 0:
        return number<std::uint8_t>();
      case 1:
        return number<std::int8_t>();
      case 2:
        return number<std::uint16_t>();
      case 3:
        return number<std::int16_t>();
      case 4:
        return number<std::uint32_t>();
      case 5:
        return number<std::int32_t>();
      case 6:
        return number<float>();
      case 7:
        return number<std::uint8_t>() != 0;
      case 8:
        return text();
      case 9:
        return list(keeps_lists);
      case 10:
        return number<std::uint64_t>();
      case 11:
        return number<std::int64_t>();
      case 12:
        return number<double>();
      default:
        throw damaged("", "has a metadata value of unknown type " + std::to_string(type));
    }
  }

 private:
  [[nodiscard]] std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) throw damaged("", "ends within its header");
    const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += taken.size();
    return taken;
  }

  [[nodiscard]] Json list(bool keeps) {
    const auto type = number<std::uint32_t>();
    const auto count = number<std::uint64_t>();
    if (type == 9) throw damaged("", "has a list of lists");
    Json made = type == 8 ? Json() : Json::array();
    for (std::uint64_t i = 0; i < count; ++i) {  // `value` throws at the end of the file
      Json item = value(type, false);
      if (keeps && type != 8) made.push_back(std::move(item));
    }
    return made;
  }

  std::filesystem::path file_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// The tensors and facts of a model in one or several GGUF files. Any number of threads may read
/// it.
class GgufTensors : public StoredTensors {
 public:
  /// `files` are the parts of one model; the first contains its facts. Throws a user error for a
  /// file that is damaged, truncated or not a GGUF file, and for two tensors with the same name.
  explicit GgufTensors(std::span<const std::filesystem::path> files) {
    if (!files.empty()) file_ = files.front();
    for (const std::filesystem::path& file : files) read_file(file);
  }

  /// An object that contains all facts, indexed by key.
  [[nodiscard]] const Json& facts() const noexcept { return facts_; }

 private:
  void read_file(const std::filesystem::path& file) {
    const MappedFile& map = maps_.emplace_back(file);
    const std::string_view bytes(map.data(), map.size());
    detail::GgufCursor cursor(file, bytes);
    refuse_lfs_pointer(file, bytes);
    if (!bytes.starts_with("GGUF")) throw cursor.damaged("", "is not a GGUF file");
    (void)cursor.number<std::uint32_t>();
    const auto version = cursor.number<std::uint32_t>();
    if (version != 2 && version != 3) {
      throw user_error({.file = file},
                       "is a GGUF file of version " + std::to_string(version) +
                           "; plumb reads versions 2 and 3 in little-endian order",
                       "convert the model again with a current llama.cpp");
    }
    const auto tensors = cursor.number<std::uint64_t>();
    const auto facts = cursor.number<std::uint64_t>();
    Json found = Json::object();
    for (std::uint64_t i = 0; i < facts; ++i) {
      const std::string key = cursor.text();
      const auto type = cursor.number<std::uint32_t>();
      Json value = cursor.value(type, !key.starts_with("tokenizer."));
      if (found.contains(key)) throw cursor.damaged(key, "appears twice");
      found[key] = std::move(value);
    }
    struct Entry {
      std::string name;
      TensorShape shape;
      std::uint32_t type = 0;
      std::uint64_t place = 0;
    };
    std::vector<Entry> entries;
    for (std::uint64_t i = 0; i < tensors; ++i) {
      Entry& entry = entries.emplace_back();
      entry.name = cursor.text();
      const auto dimensions = cursor.number<std::uint32_t>();
      if (dimensions > 4) throw cursor.damaged(entry.name, "has more than four dimensions");
      for (std::uint32_t d = 0; d < dimensions; ++d) {
        entry.shape.insert(entry.shape.begin(),
                           static_cast<std::size_t>(cursor.number<std::uint64_t>()));
      }
      entry.type = cursor.number<std::uint32_t>();
      entry.place = cursor.number<std::uint64_t>();
    }
    const Json step = found.value("general.alignment", Json(32U));
    const std::uint64_t align = step.is_number_unsigned() ? step.get<std::uint64_t>() : 0;
    if (align == 0 || align > 1 << 20) {
      throw cursor.damaged("general.alignment", "is " + step.dump());
    }
    const std::uint64_t begin = (cursor.at() + align - 1) / align * align;
    for (const Entry& entry : entries) {
      add(cursor, file, entry.name, entry.shape, entry.type,
          begin > bytes.size() ? std::string_view() : bytes.substr(begin), entry.place);
    }
    if (facts_.is_null()) facts_ = std::move(found);
  }

  /// The number of bytes per number (0 for a type that plumb does not read), and safetensors' name
  /// for the type.
  static std::pair<std::size_t, std::string> type_of(std::uint32_t type) {
    switch (type) {
      case 0:
        return {4, "F32"};
      case 1:
        return {2, "F16"};
      case 30:
        return {2, "BF16"};
      default:
        return {0, "ggml's type " + std::to_string(type)};
    }
  }

  void add(const detail::GgufCursor& cursor, const std::filesystem::path& file,
           const std::string& name, const TensorShape& shape, std::uint32_t type,
           std::string_view numbers, std::uint64_t place) {
    const auto [number_size, type_name] = type_of(type);
    std::size_t size = number_size;
    for (const std::size_t n : shape) {
      if (__builtin_mul_overflow(size, n, &size)) {
        throw cursor.damaged(name, "has a shape that is too large");
      }
    }
    if (place > numbers.size() || size > numbers.size() - place) {
      throw cursor.damaged(name, "extends past the end of the file");
    }
    StoredTensor tensor(file, name, type_name, shape,
                        numbers.substr(static_cast<std::size_t>(place), size));
    if (!tensors_.try_emplace(name, std::move(tensor)).second) {
      throw cursor.damaged(name, "appears twice");
    }
  }

  Json facts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
