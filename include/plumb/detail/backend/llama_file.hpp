// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does the header of a GGUF file contain?
//
// It contains the metadata, and the tensors' names, types and positions. ggml's reader can read it
// without the weights. A model may be split into several files, named NAME-00001-of-0000N.gguf and
// so on, for example by llama.cpp's gguf-split. The first file contains the metadata, where
// `split.count` is the number of files. llama.cpp only accepts the path of the first file.

#include <ggml.h>
#include <gguf.h>
#include <llama.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct FreeGguf {
  void operator()(gguf_context* context) const { gguf_free(context); }
  void operator()(ggml_context* context) const { ggml_free(context); }
};
using GgufContext = std::unique_ptr<gguf_context, FreeGguf>;
using GgmlContext = std::unique_ptr<ggml_context, FreeGguf>;

/// Returns a part's path, for example "m-00002-of-00003.gguf".
[[nodiscard]] inline std::filesystem::path part_path(const std::string& lead, std::size_t part,
                                                     std::size_t parts) {
  std::vector<char> name(lead.size() + 64);
  const int length =
      llama_split_path(name.data(), name.size(), lead.c_str(), static_cast<std::int32_t>(part),
                       static_cast<std::int32_t>(parts));
  return std::string(name.data(), static_cast<std::size_t>(length));
}

/// The header of one file. Movable; any number of threads may read the same object.
class GgufFile {
 public:
  /// Throws a user error if the file is damaged or is not a GGUF file.
  explicit GgufFile(std::filesystem::path file) : file_(std::move(file)) {
    if (!std::filesystem::is_regular_file(file_))
      throw user_error({.file = file_}, "is not a file", "pass the path of a .gguf file");
    ggml_context* shapes = nullptr;
    gguf_.reset(gguf_init_from_file(file_.c_str(), {true, &shapes}));
    shapes_.reset(shapes);
    if (!gguf_)
      throw user_error({.file = file_}, "is not a GGUF file, or is damaged", "fetch it again");
  }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_; }
  [[nodiscard]] const gguf_context& metadata() const noexcept { return *gguf_; }

  /// Returns nullopt if the key is absent or its value has a different type.
  [[nodiscard]] std::optional<std::string> text(const char* key) const {
    const std::int64_t at = gguf_find_key(gguf_.get(), key);
    if (at < 0 || gguf_get_kv_type(gguf_.get(), at) != GGUF_TYPE_STRING) return std::nullopt;
    return gguf_get_val_str(gguf_.get(), at);
  }
  [[nodiscard]] std::optional<std::int64_t> whole_number(const std::string& key) const {
    const gguf_context* const from = gguf_.get();
    const std::int64_t at = gguf_find_key(from, key.c_str());
    if (at < 0) return std::nullopt;
    switch (gguf_get_kv_type(from, at)) {
      case GGUF_TYPE_UINT8:
        return gguf_get_val_u8(from, at);
      case GGUF_TYPE_INT8:
        return gguf_get_val_i8(from, at);
      case GGUF_TYPE_UINT16:
        return gguf_get_val_u16(from, at);
      case GGUF_TYPE_INT16:
        return gguf_get_val_i16(from, at);
      case GGUF_TYPE_UINT32:
        return gguf_get_val_u32(from, at);
      case GGUF_TYPE_INT32:
        return gguf_get_val_i32(from, at);
      case GGUF_TYPE_BOOL:
        return gguf_get_val_bool(from, at) ? 1 : 0;
      default:
        return std::nullopt;
    }
  }

  [[nodiscard]] std::optional<float> real_number(const char* key) const {
    const std::int64_t at = gguf_find_key(gguf_.get(), key);
    if (at < 0 || gguf_get_kv_type(gguf_.get(), at) != GGUF_TYPE_FLOAT32) return std::nullopt;
    return gguf_get_val_f32(gguf_.get(), at);
  }

  [[nodiscard]] std::size_t tensors() const {
    return static_cast<std::size_t>(gguf_get_n_tensors(gguf_.get()));
  }
  /// A tensor's name, type and shape, without data.
  [[nodiscard]] const ggml_tensor& tensor(std::size_t i) const {
    return *ggml_get_tensor(shapes_.get(), gguf_get_tensor_name(gguf_.get(), index(i)));
  }
  /// The byte offset of its data in the file.
  [[nodiscard]] std::uint64_t place(std::size_t i) const {
    return gguf_get_data_offset(gguf_.get()) + gguf_get_tensor_offset(gguf_.get(), index(i));
  }

 private:
  static std::int64_t index(std::size_t i) { return static_cast<std::int64_t>(i); }

  std::filesystem::path file_;
  detail::GgufContext gguf_;
  detail::GgmlContext shapes_;
};

/// Counts of weights by tensor type. The tensor type determines how computations with the weights
/// are done; `general.file_type` is only a label that the file's writer chose for the whole file.
struct GgufWeightTypes {
  /// Counts of matrix elements (tensors of two or more dimensions), by type.
  std::array<std::int64_t, GGML_TYPE_COUNT> numbers{};

  [[nodiscard]] bool has(ggml_type type) const { return numbers.at(type) > 0; }
  [[nodiscard]] bool only(ggml_type type) const {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0}) == numbers.at(type);
  }
  /// Whether some matrices are stored in blocks (quantised); the kernels for such matrices also
  /// round the activations.
  [[nodiscard]] bool quantized() const {
    for (int type = 0; type < GGML_TYPE_COUNT; ++type) {
      const auto one = static_cast<ggml_type>(type);
      if (has(one) && ggml_is_quantized(one)) return true;
    }
    return false;
  }
  /// Whether no matrix is stored in blocks but some contain 16-bit numbers; for those, ggml rounds
  /// the activations to F16 or BF16.
  [[nodiscard]] bool half() const {
    return !quantized() && (has(GGML_TYPE_F16) || has(GGML_TYPE_BF16));
  }
  /// The names of the types, sorted by descending number of elements: "BF16", "F32 and F16".
  [[nodiscard]] std::string names() const {
    auto left = numbers;
    std::string names;
    while (true) {
      const auto most = std::max_element(left.begin(), left.end());
      if (*most == 0) return names;
      std::string name = ggml_type_name(static_cast<ggml_type>(most - left.begin()));
      for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      names += (names.empty() ? "" : " and ") + name;
      *most = 0;
    }
  }
};

/// All files of a model, in order: a single file, or all parts. Movable; any number of threads may
/// read the same object.
class GgufModel {
 public:
  /// Throws a user error for a file that is not a GGUF file, for a part that is not the first or
  /// does not follow the naming scheme for parts, and for a missing part.
  explicit GgufModel(const std::filesystem::path& file) {
    files_.emplace_back(file);
    const GgufFile& first = files_.front();
    const std::int64_t stated = first.whole_number("split.count").value_or(1);
    if (stated <= 1) return;
    const auto parts = static_cast<std::size_t>(stated);
    const auto part = static_cast<std::size_t>(first.whole_number("split.no").value_or(0));
    std::vector<char> name(file.string().size() + 1);
    const int length =
        llama_split_prefix(name.data(), name.size(), file.c_str(), static_cast<std::int32_t>(part),
                           static_cast<std::int32_t>(parts));
    const std::string lead(name.data(), static_cast<std::size_t>((std::max)(length, 0)));
    const std::string of = " of " + std::to_string(parts);
    if (lead.empty()) {
      throw user_error({.file = file},
                       "is part " + std::to_string(part + 1) + of +
                           " of a model, but its name "
                           "does not match",
                       "name it " + detail::part_path("NAME", part, parts).string() +
                           ", and rename the other parts likewise");
    }
    if (part != 0) {
      throw user_error({.file = file}, "is part " + std::to_string(part + 1) + of + " of a model",
                       "use the first part, " + detail::part_path(lead, 0, parts).string() +
                           ", with all parts in the same folder");
    }
    for (std::size_t i = 1; i < parts; ++i) {
      const std::filesystem::path other = detail::part_path(lead, i, parts);
      if (!std::filesystem::is_regular_file(other)) {
        throw user_error({.file = other},
                         "is missing: part " + std::to_string(i + 1) + of + " of the model",
                         "fetch it too, into the folder of the first part");
      }
      files_.emplace_back(other);
      const GgufFile& made = files_.back();
      if (made.whole_number("split.no") != static_cast<std::int64_t>(i) ||
          made.whole_number("split.count") != stated) {
        throw user_error({.file = other},
                         "is not part " + std::to_string(i + 1) + of +
                             ", although its name says "
                             "so",
                         "fetch all parts of the same model");
      }
    }
  }

  /// Throws a user error for a part that ends before the end of its last tensor. llama.cpp would
  /// report this error under the first part's name.
  void refuse_cut_parts() const {
    for (const GgufFile& file : files_) {
      if (files_.size() == 1) return;
      const std::uintmax_t has = std::filesystem::file_size(file.path());
      for (std::size_t i = 0; i < file.tensors(); ++i) {
        const std::uintmax_t needs = file.place(i) + ggml_nbytes(&file.tensor(i));
        if (needs <= has) continue;
        throw user_error({.file = file.path()},
                         "is truncated: it has " + std::to_string(has) + " bytes, but tensor " +
                             file.tensor(i).name + " ends at " + std::to_string(needs),
                         "fetch this part again");
      }
    }
  }

  [[nodiscard]] const std::vector<GgufFile>& files() const noexcept { return files_; }
  /// The file that contains the metadata.
  [[nodiscard]] const GgufFile& first() const noexcept { return files_.front(); }
  [[nodiscard]] std::vector<std::filesystem::path> paths() const {
    std::vector<std::filesystem::path> all;
    for (const GgufFile& one : files_) all.push_back(one.path());
    return all;
  }

  /// Calls `visit(file, i)` for each tensor, in order.
  template <class Visit>
  void for_each_tensor(Visit visit) const {
    for (const GgufFile& file : files_) {
      for (std::size_t i = 0; i < file.tensors(); ++i) visit(file, i);
    }
  }
  [[nodiscard]] GgufWeightTypes weight_types() const {
    GgufWeightTypes types;
    for_each_tensor([&](const GgufFile& file, std::size_t i) {
      const ggml_tensor& tensor = file.tensor(i);
      if (ggml_n_dims(&tensor) > 1) types.numbers.at(tensor.type) += ggml_nelements(&tensor);
    });
    return types;
  }
  /// Whether a tensor's name begins with `lead`.
  [[nodiscard]] bool has_tensor(std::string_view lead) const {
    bool found = false;
    for_each_tensor([&](const GgufFile& file, std::size_t i) {
      found = found || std::string_view(file.tensor(i).name).starts_with(lead);
    });
    return found;
  }

 private:
  std::vector<GgufFile> files_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
