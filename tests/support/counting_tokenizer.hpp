// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model that counts how often each text is tokenised.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/token.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Copies count together. As thread-safe as no test needs.
template <class Model>
struct CountingTokenizer : Model {
  explicit CountingTokenizer(Model model) : Model(std::move(model)) {}

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    ++(*counts_)[std::string(text)];
    return Model::tokenize(text);
  }
  [[nodiscard]] const std::map<std::string, std::size_t>& counts() const { return *counts_; }
  /// How often a text was tokenised at most, of those that hold a word.
  [[nodiscard]] std::size_t most_often(std::string_view word) const {
    std::size_t most = 0;
    for (const auto& [text, count] : *counts_) {
      if (text.find(word) != std::string::npos) most = most < count ? count : most;
    }
    return most;
  }

 private:
  std::shared_ptr<std::map<std::string, std::size_t>> counts_ =
      std::make_shared<std::map<std::string, std::size_t>>();
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
