// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a GGUF model rewritten with another weight type?
//
// The result is one file, even if the model has several parts. Every matrix is converted to the
// target type. Vectors (norms, biases) become F32, and integers are left unchanged. Only a few rows
// are processed at a time, so that memory does not grow with the model. F16 and BF16 become F32
// without rounding.

#include <ggml.h>
#include <gguf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A weight type, and the matching value of `general.file_type` (llama.cpp's LLAMA_FTYPE_*).
struct GgufTarget {
  ggml_type type = GGML_TYPE_F32;
  std::uint32_t file_type = 0;
};

/// A planned rewrite. The model must outlive it. Not thread-safe.
class GgufRewrite {
 public:
  /// Throws a user error for a tensor that is truncated, that occurs twice, or whose rows do not
  /// fit the target type.
  GgufRewrite(const GgufModel& model, GgufTarget target)
      : model_(model), result_(gguf_init_empty()) {
    gguf_set_kv(result_.get(), &model.first().metadata());
    // The result is one file with the default alignment.
    for (const char* key :
         {"split.no", "split.count", "split.tensors.count", "general.alignment"}) {
      gguf_remove_key(result_.get(), key);
    }
    gguf_set_val_u32(result_.get(), "general.file_type", target.file_type);
    model.for_each_tensor([&](const GgufFile& file, std::size_t i) {
      if (file.place(i) + ggml_nbytes(&file.tensor(i)) > std::filesystem::file_size(file.path())) {
        throw user_error({.file = file.path(), .field = file.tensor(i).name},
                         "extends past the end of the file, which is truncated",
                         "fetch the model again");
      }
      add(file.tensor(i), target.type);
    });
  }

  /// The size in bytes of the file that `write` creates.
  [[nodiscard]] std::uintmax_t bytes() const {
    std::uintmax_t sum = gguf_get_meta_size(result_.get());
    for (const ggml_tensor& one : tensors_) sum += padded(ggml_nbytes(&one));
    return sum;
  }

  /// Writes to NAME.part first, and renames the file once all of it is on disk. Throws a user error
  /// if the file cannot be created, and an internal error if a file cannot be read or written
  /// completely.
  void write(const DiskPath& output) const {
    const DiskPath part = output + ".part";
    auto file = part.disk().write(part, Disk::Opening::create);
    if (!file) {
      throw user_error({.file = part}, "cannot be created",
                       "check the folder's permissions, or choose another folder");
    }
    try {
      write_to(*file, part);
      refuse_failed(file->sync(), part);
      file.reset();
      refuse_failed(part.disk().rename(part, output), output);
      refuse_failed(part.disk().sync_folder(output.parent()), output);
    } catch (...) {
      [[maybe_unused]] const auto ignored = part.disk().remove(part);
      throw;
    }
  }

 private:
  void add(const ggml_tensor& source, ggml_type matrices) {
    ggml_tensor made = source;
    if (is_number(source.type)) {
      made.type = ggml_n_dims(&source) > 1 ? matrices : GGML_TYPE_F32;
    }
    if (source.ne[0] % ggml_blck_size(made.type) != 0) {
      throw user_error({.field = source.name},
                       "has rows whose length is not a multiple of the type's block size",
                       "convert the model to F32, F16 or BF16");
    }
    made.nb[0] = ggml_type_size(made.type);
    made.nb[1] = ggml_row_size(made.type, made.ne[0]);
    for (int d = 2; d < GGML_MAX_DIMS; ++d) {
      made.nb[d] = made.nb[d - 1] * static_cast<std::size_t>(made.ne[d - 1]);
    }
    if (gguf_find_tensor(result_.get(), made.name) >= 0) {
      throw user_error({.field = made.name}, "occurs twice", "fetch the model again");
    }
    gguf_add_tensor(result_.get(), &made);
    tensors_.push_back(made);
  }

  /// Integer tensors are not weights.
  static bool is_number(ggml_type type) {
    return type != GGML_TYPE_I8 && type != GGML_TYPE_I16 && type != GGML_TYPE_I32 &&
           type != GGML_TYPE_I64;
  }

  [[nodiscard]] std::size_t padded(std::size_t bytes) const {
    const std::size_t step = gguf_get_alignment(result_.get());
    return (bytes + step - 1) / step * step;
  }

  static void refuse_failed(const std::error_code& failed, const DiskPath& file) {
    if (!failed) return;
    throw internal_error({.file = file}, "cannot be written: " + failed.message(),
                         "check the free disk space, then try again");
  }

  void write_to(OutputFile& file, const DiskPath& part) const {
    std::string bytes(gguf_get_meta_size(result_.get()), '\0');
    gguf_get_meta_data(result_.get(), bytes.data());
    refuse_failed(file.write(bytes), part);
    std::size_t at = 0;
    for (const GgufFile& from : model_.files()) {
      const auto stream = DiskPath(from.path()).read();
      for (std::size_t i = 0; i < from.tensors(); ++i) {
        const ggml_tensor& made = tensors_[at++];
        if (stream) stream->seekg(static_cast<std::streamoff>(from.place(i)));
        write_rows(stream.get(), from, from.tensor(i), made, file, part);
        bytes.assign(padded(ggml_nbytes(&made)) - ggml_nbytes(&made), '\0');
        refuse_failed(file.write(bytes), part);
      }
    }
  }

  static void write_rows(std::istream* stream, const GgufFile& from, const ggml_tensor& source,
                         const ggml_tensor& made, OutputFile& file, const DiskPath& part) {
    const std::int64_t rows = ggml_nrows(&source), length = source.ne[0];
    const std::int64_t at_once = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / length);
    std::string read, written;
    std::vector<float> values;
    for (std::int64_t first = 0; first < rows; first += at_once) {
      const std::int64_t count = (std::min)(at_once, rows - first);
      read.resize(static_cast<std::size_t>(count) * ggml_row_size(source.type, length));
      if (stream == nullptr ||
          !stream->read(read.data(), static_cast<std::streamsize>(read.size()))) {
        throw internal_error({.file = from.path(), .field = source.name},
                             "cannot be read completely", "fetch the model again");
      }
      if (made.type == source.type) {
        refuse_failed(file.write(read), part);
        continue;
      }
      values.resize(static_cast<std::size_t>(count * length));
      to_floats(read, source, values);
      written.resize(static_cast<std::size_t>(count) * ggml_row_size(made.type, length));
      ggml_quantize_chunk(made.type, values.data(), written.data(), 0, count, length, nullptr);
      refuse_failed(file.write(written), part);
    }
  }

  static void to_floats(const std::string& read, const ggml_tensor& source,
                        std::vector<float>& values) {
    if (source.type == GGML_TYPE_F32) {
      const auto* from = reinterpret_cast<const float*>(read.data());
      values.assign(from, from + values.size());
      return;
    }
    const auto* traits = ggml_get_type_traits(source.type);
    if (traits->to_float == nullptr) {
      throw user_error({.field = source.name}, "has a weight type that cannot be read",
                       "convert the model to F32, F16 or BF16");
    }
    traits->to_float(read.data(), values.data(), static_cast<std::int64_t>(values.size()));
  }

  const GgufModel& model_;
  detail::GgufContext result_;
  std::vector<ggml_tensor> tensors_;  // the result's tensors: names, types and shapes
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
