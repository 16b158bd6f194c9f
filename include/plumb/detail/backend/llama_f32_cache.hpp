// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where is the F32 copy of a 16-bit GGUF model?
//
// ggml rounds activations to the type of the matrix, F16 or BF16, before it multiplies them, so
// such a file's scores are not exactly the scores that its weights would yield. F32 represents both
// types exactly and needs no such rounding. The model is therefore rewritten once
// (llama_rewrite.hpp), and the copy is stored under the hash of the original file. The folder of
// copies can be deleted at any time. Non-goal: quantised weights.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "plumb/detail/backend/llama_file.hpp"
#include "plumb/detail/backend/llama_rewrite.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Returns the error for a request for exact scores from 16-bit weights. Its remedy is the command
/// that creates an F32 file.
[[nodiscard]] inline Error no_exact_scores(const GgufModel& model, const std::string& why) {
  const std::filesystem::path& file = model.first().path();
  std::filesystem::path output = file;
  output.replace_extension(".F32.gguf");
  return user_error(
      {.file = file},
      "has " + model.weight_types().names() +
          " weights, for which llama.cpp rounds the activations, so its scores are not exact" +
          (why.empty() ? "" : "; they cannot be widened to F32: " + why),
      "run `requantize " + file.string() + " " + output.string() +
          " F32` and use that file, or set `precision` to fast");
}

/// Several processes may share a folder, and any number of threads may use one object.
class F32Cache {
 public:
  /// `hash` computes the hash that identifies a model by its files. `tell` is called with a message
  /// about the copy and its size before a copy is written.
  F32Cache(std::filesystem::path folder,
           std::function<std::string(const std::vector<std::filesystem::path>&)> hash,
           std::function<void(const std::string&)> tell)
      : folder_(std::move(folder)), hash_(std::move(hash)), tell_(std::move(tell)) {}

  /// Returns the file with the same weights in F32, writing it first if it does not exist. Throws a
  /// user error if it cannot be written; the remedy shows how to write it elsewhere.
  [[nodiscard]] std::filesystem::path operator()(const GgufModel& model) const {
    const GgufRewrite rewrite(model, {GGML_TYPE_F32, 0});
    const std::filesystem::path folder = folder_ / hash_(model.paths());
    const std::filesystem::path file = folder / "weights.F32.gguf";
    if (is_whole(file, rewrite)) return file;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
      throw no_exact_scores(model, folder.string() + " cannot be created: " + failed.message());
    }
    const auto lock = locked(model, folder);
    if (is_whole(file, rewrite)) return file;  // another process has written it
    const std::uintmax_t room = std::filesystem::space(folder, failed).available;
    if (!failed && room < rewrite.bytes()) {
      throw no_exact_scores(model, "the F32 file needs " + megabytes(rewrite.bytes()) + ", but " +
                                       folder.string() + " has " + megabytes(room) + " left");
    }
    tell_(model.first().path().string() + " has " + model.weight_types().names() +
          " weights. For exact scores, they are widened to F32 once, which takes " +
          megabytes(rewrite.bytes()) + " of disk space: " + file.string());
    try {
      rewrite.write(file);
    } catch (const Error& error) {
      throw no_exact_scores(model, error.what());
    }
    return file;
  }

 private:
  [[nodiscard]] static bool is_whole(const std::filesystem::path& file,
                                     const GgufRewrite& rewrite) {
    std::error_code absent;
    return std::filesystem::file_size(file, absent) == rewrite.bytes() && !absent;
  }

  /// Locks the folder, waiting while another process holds the lock.
  [[nodiscard]] static std::unique_ptr<FolderLock> locked(const GgufModel& model,
                                                          const std::filesystem::path& folder) {
    std::unique_ptr<FolderLock> lock;
    while (const std::error_code failed = real_disk().lock(folder, lock)) {
      if (failed != std::errc::resource_unavailable_try_again) {
        throw no_exact_scores(model, folder.string() + ": " + failed.message());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return lock;
  }

  static std::string megabytes(std::uintmax_t bytes) {
    return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
  }

  std::filesystem::path folder_;
  std::function<std::string(const std::vector<std::filesystem::path>&)> hash_;
  std::function<void(const std::string&)> tell_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
