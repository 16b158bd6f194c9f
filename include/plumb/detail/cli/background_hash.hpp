// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a model hashed without delaying its run?
//
// A hash is computed on one core, which takes long for a large model. A thread therefore hashes the
// files while the model is loaded and checked.

#include <atomic>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "plumb/detail/cli/model_files.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Computes hash_model on another thread. Not thread-safe.
class BackgroundHash {
 public:
  /// Starts the thread. If the system refuses another thread, `get` computes the hash instead.
  explicit BackgroundHash(std::filesystem::path model) : model_(std::move(model)) {
    try {
      thread_ = std::thread([this] {
        try {
          hash_ = hash_model(model_, &stop_);
        } catch (const HashStopped&) {
        } catch (...) {
          failure_ = std::current_exception();
        }
      });
    } catch (const std::system_error&) {
    }
  }
  BackgroundHash(const BackgroundHash&) = delete;
  BackgroundHash& operator=(const BackgroundHash&) = delete;
  /// Stops the thread after its current block of 64 KB.
  ~BackgroundHash() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] const std::filesystem::path& model() const noexcept { return model_; }

  /// Waits for the hash. Throws what hash_model throws.
  [[nodiscard]] const std::string& get() {
    if (thread_.joinable()) thread_.join();
    if (failure_) std::rethrow_exception(failure_);
    if (hash_.empty()) hash_ = hash_model(model_);
    return hash_;
  }

 private:
  std::filesystem::path model_;
  std::atomic<bool> stop_{false};
  // Written by the thread, and read only after it has been joined.
  std::string hash_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
