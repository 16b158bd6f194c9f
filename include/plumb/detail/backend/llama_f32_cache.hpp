// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where are the weights of a 16-bit GGUF model in F32?
//
// ggml multiplies a matrix in F16 or BF16 by activations that it rounds to the same type, so scores of
// such a file are not those of its weights. They are in F32, which holds both types without
// rounding: the model is rewritten once (llama_rewrite.hpp) and the rewrite kept, under the hash of the
// file it was made of. A folder of rewrites can be removed at any time. Non-goal: quantised weights.

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

/// Refuses exact scores of 16-bit weights, with the command that makes a file that has them.
[[nodiscard]] inline Error no_exact_scores(const GgufModel& model, const std::string& why) {
  const std::filesystem::path& file = model.first().path();
  std::filesystem::path output = file;
  output.replace_extension(".F32.gguf");
  return user_error(
      {.file = file},
      "has " + model.weight_types().names() +
          " weights, beside which llama.cpp rounds the activations, so its scores are "
          "not exact" +
          (why.empty() ? "" : ", and they cannot be widened to F32: " + why),
      "run `requantize " + file.string() + " " + output.string() +
          " F32` and name that file, or say `precision` fast");
}

/// Several processes may use one folder; any number of threads may ask one.
class F32Cache {
 public:
  /// `hash` tells models apart by their files; `tell` hears, before a rewrite is made, what is made and
  /// how large it is.
  F32Cache(std::filesystem::path folder,
           std::function<std::string(const std::vector<std::filesystem::path>&)> hash,
           std::function<void(const std::string&)> tell)
      : folder_(std::move(folder)), hash_(std::move(hash)), tell_(std::move(tell)) {}

  /// The file of the same weights in F32, made if it is not there. Throws a user error where it cannot
  /// be made, which says how to make it elsewhere.
  [[nodiscard]] std::filesystem::path operator()(const GgufModel& model) const {
    const GgufRewrite rewrite(model, {GGML_TYPE_F32, 0});
    const std::filesystem::path folder = folder_ / hash_(model.paths());
    const std::filesystem::path file = folder / "weights.F32.gguf";
    if (is_whole(file, rewrite)) return file;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
      throw no_exact_scores(model, folder.string() + " cannot be made: " + failed.message());
    }
    const auto lock = locked(model, folder);
    if (is_whole(file, rewrite)) return file;  // another process has made it
    const std::uintmax_t room = std::filesystem::space(folder, failed).available;
    if (!failed && room < rewrite.bytes()) {
      throw no_exact_scores(model, "that takes " + megabytes(rewrite.bytes()) + ", and " +
                                       folder.string() + " has " + megabytes(room) + " left");
    }
    tell_(model.first().path().string() + " has " + model.weight_types().names() +
          " weights; for exact scores they are widened to F32 once, which takes " +
          megabytes(rewrite.bytes()) + " on the disk: " + file.string());
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

  /// Waits for another process that is writing.
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
