// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a GGUF file's tokenizer loaded without the weights?

#include <llama.h>

#include <filesystem>
#include <memory>
#include <string>

#include "plumb/detail/backend/llama_log.hpp"
#include "plumb/detail/backend/llama_vocabulary.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A vocabulary and its model, loaded without weights. Movable; any number of threads may use the
/// same object.
class LlamaVocabularyFile {
 public:
  /// Throws a user error if the file cannot be loaded. The error names `setting`, or the file if
  /// `setting` is empty.
  explicit LlamaVocabularyFile(const std::filesystem::path& file, bool parse_special_tokens = false,
                               const std::string& setting = "") {
    detail::LlamaLog log;
    llama_model_params params = llama_model_default_params();
    params.vocab_only = true;
    model_.reset(llama_model_load_from_file(file.c_str(), params), llama_model_free);
    if (!model_) {
      if (setting.empty()) {
        throw user_error({.file = file}, "cannot be loaded: " + log.take(), "fetch it again");
      }
      throw user_error({.setting = setting}, file.string() + " cannot be loaded: " + log.take(),
                       "use a Hugging Face folder or a .gguf file");
    }
    vocabulary_ = LlamaVocabulary(*model_, parse_special_tokens);
  }
  [[nodiscard]] const LlamaVocabulary& operator*() const noexcept { return vocabulary_; }
  [[nodiscard]] const LlamaVocabulary* operator->() const noexcept { return &vocabulary_; }

 private:
  std::shared_ptr<llama_model> model_;
  LlamaVocabulary vocabulary_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
