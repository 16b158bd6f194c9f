// SPDX-License-Identifier: Apache-2.0
#pragma once

// Maps strings to tokens and tokens to strings.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/huggingface/json_part.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Maps ids to the tokens' strings, and strings to ids. Ids may have gaps. Any number of threads
/// may read the same object.
class TokenVocabulary {
 public:
  /// Reads {string: id, …}. Throws a user error for a duplicate id, and for an id that is not a
  /// whole number from 0 to 2 n + 1000, where n is the number of strings.
  static TokenVocabulary read(const JsonPart& part) {
    TokenVocabulary vocabulary;
    if (!part.value().is_object())
      throw part.wrong("is not an object", "it must be {token: id, …}");
    const std::size_t most = 2 * part.value().size() + 1000;
    vocabulary.ids_.reserve(part.value().size());
    for (const auto& [text, id] : part.value().items()) {
      if (!id.is_number_unsigned() || id.get<std::size_t>() > most) {
        throw part.wrong("the id of \"" + shortened(text) + "\" is not a whole number from 0 to " +
                         std::to_string(most));
      }
      if (!vocabulary.add(text, id.get<TokenId>())) {
        throw part.wrong("two tokens have the id " + std::to_string(id.get<TokenId>()));
      }
    }
    return vocabulary;
  }

  /// Returns false and adds nothing if the string or the id already exists. The id must not be
  /// negative.
  bool add(const std::string& text, TokenId id) {
    const auto at = static_cast<std::size_t>(id);
    if (ids_.contains(text) || (at < texts_.size() && texts_[at])) return false;
    if (at >= texts_.size()) texts_.resize(at + 1);
    texts_[at] = text;
    ids_.emplace(text, id);
    return true;
  }

  [[nodiscard]] std::optional<TokenId> id_of(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  /// nullopt for an id without a token.
  [[nodiscard]] std::optional<std::string_view> text_of(TokenId id) const {
    const auto at = static_cast<std::size_t>(id);
    if (id < 0 || at >= texts_.size() || !texts_[at]) return std::nullopt;
    return *texts_[at];
  }
  /// The number of tokens.
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  /// One more than the largest id.
  [[nodiscard]] std::size_t end() const noexcept { return texts_.size(); }

 private:
  std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>> ids_;
  std::vector<std::optional<std::string>> texts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
