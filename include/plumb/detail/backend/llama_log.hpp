// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does llama.cpp log?
//
// llama.cpp's log is process-wide. While at least one LlamaLog exists, all LlamaLogs receive the
// log instead of stderr or the previous target. Afterwards, the log goes back to the previous
// target.

#include <llama.h>

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Receives llama.cpp's log, mostly in whole lines, on the thread that logs. It must not call
/// llama.cpp; exceptions that it throws are discarded.
using LlamaListener = std::function<void(std::string_view)>;

/// Stores the latest errors for plumb's own messages and passes everything on. Each LlamaLog
/// receives the log of all models in the process.
class LlamaLog {
 public:
  explicit LlamaLog(LlamaListener listener = {}) : listener_(std::move(listener)) {
    static std::once_flag is_unfinished;
    std::call_once(is_unfinished, llama_backend_init);
    const std::lock_guard lock(mutex_);
    living_.insert(this);
    ggml_log_callback now = nullptr;
    void* data = nullptr;
    llama_log_get(&now, &data);
    if (now == &LlamaLog::receive) return;
    former_ = now;
    former_data_ = data;
    llama_log_set(&LlamaLog::receive, nullptr);
  }
  LlamaLog(const LlamaLog&) = delete;
  LlamaLog& operator=(const LlamaLog&) = delete;
  ~LlamaLog() {
    const std::lock_guard lock(mutex_);
    living_.erase(this);
    ggml_log_callback now = nullptr;
    void* data = nullptr;
    llama_log_get(&now, &data);
    if (living_.empty() && now == &LlamaLog::receive) llama_log_set(former_, former_data_);
  }

  /// The errors since the last call, on one line.
  std::string take() {
    const std::lock_guard lock(mutex_);
    std::string taken;
    for (const char c : std::exchange(errors_, {})) {
      c == '\n' ? taken += "; " : taken += c;
    }
    return taken.ends_with("; ") ? taken.substr(0, taken.size() - 2) : taken;
  }

 private:
  static void receive(ggml_log_level level, const char* text, void*) {
    const std::lock_guard lock(mutex_);
    for (LlamaLog* log : living_) {
      try {
        if (level == GGML_LOG_LEVEL_ERROR) log->keep(text);
        if (log->listener_) log->listener_(text);
      } catch (...) {
        // Called by llama.cpp through a C interface, so no exception may escape.
      }
    }
  }

  /// Stores the text, and drops the oldest lines once more than 400 bytes are stored.
  void keep(const char* text) {
    errors_ += text;
    while (errors_.size() > 400) {
      const std::size_t end = errors_.find('\n');
      if (end == std::string::npos || end + 1 == errors_.size()) return;
      errors_.erase(0, end + 1);
    }
  }

  inline static std::mutex mutex_;
  inline static std::set<LlamaLog*> living_;
  inline static ggml_log_callback former_ = nullptr;
  inline static void* former_data_ = nullptr;

  LlamaListener listener_;
  std::string errors_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
