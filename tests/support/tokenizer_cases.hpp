// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small tokenizers and the `tokenizers` package's results for them, written by
// write_tokenizer_cases.py; also a helper that uses a test's JSON as part of a tokenizer file.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/huggingface/json_part.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The folder of a tokenizer.
[[nodiscard]] inline std::filesystem::path tokenizer_folder(const std::string& name) {
  return std::filesystem::path(__FILE__).parent_path() / "huggingface" / name;
}

/// A JSON value, parsed from text, as a part of "tokenizer.json".
class PartOf {
 public:
  explicit PartOf(std::string_view json) : value_(nlohmann::json::parse(json)) {}
  [[nodiscard]] JsonPart operator()(const std::string& field = "part") const {
    return {"tokenizer.json", value_, field};
  }

 private:
  nlohmann::json value_;
};

/// The tokens that a tokenizer model of any kind produces for a word.
template <class Model>
[[nodiscard]] std::vector<Token> cut(const Model& model, std::string_view word) {
  std::vector<Token> tokens;
  model.tokenize(word, tokens);
  return tokens;
}

/// The ranges as [[begin, end], …], for comparisons.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> ranges(
    const std::vector<Token>& tokens) {
  std::vector<std::vector<std::size_t>> result;
  for (const Token& token : tokens) result.push_back({token.bytes.begin, token.bytes.end});
  return result;
}

[[nodiscard]] inline std::vector<TokenId> ids(const std::vector<Token>& tokens) {
  std::vector<TokenId> result;
  for (const Token& token : tokens) result.push_back(token.id);
  return result;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
