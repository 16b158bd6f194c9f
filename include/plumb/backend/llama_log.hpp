// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did llama.cpp complain of?
//
// Its log is process-wide; this header takes it over with the first model and keeps only the last
// errors, which go into our own messages.

#include <llama.h>

#include <mutex>
#include <string>
#include <utility>

namespace plumb {
namespace detail {

/// The last error lines llama.cpp logged, for our own messages.
class LlamaLog {
 public:
  static LlamaLog& instance() {
    static LlamaLog log;
    return log;
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(text_, {});
  }

 private:
  LlamaLog() {
    llama_backend_init();
    llama_log_set(
        [](ggml_log_level level, const char* text, void* self) {
          if (level != GGML_LOG_LEVEL_ERROR) return;
          auto& log = *static_cast<LlamaLog*>(self);
          const std::lock_guard lock(log.mutex_);
          if (log.text_.size() < 400) log.text_ += text;
        },
        this);
  }
  std::mutex mutex_;
  std::string text_;
};

}  // namespace detail

}  // namespace plumb
