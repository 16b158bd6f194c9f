// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which token has this text, and which text has this token?

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

/// The texts of tokens by id and back. Ids may leave gaps. Any number of threads may read one.
class TokenVocabulary {
 public:
  /// From {text: id, …}. Throws a user error for an id that is none, is used twice, or leaves more
  /// ids unused than there are tokens.
  static TokenVocabulary read(const JsonPart& part) {
    TokenVocabulary vocabulary;
    if (!part.value().is_object()) throw part.wrong("is no object", "it must hold {token: id, …}");
    const std::size_t most = 2 * part.value().size() + 1000;
    vocabulary.ids_.reserve(part.value().size());
    for (const auto& [text, id] : part.value().items()) {
      if (!id.is_number_unsigned() || id.get<std::size_t>() > most) {
        throw part.wrong("the id of \"" + shortened(text) + "\" is no whole number from 0 to " +
                         std::to_string(most));
      }
      if (!vocabulary.add(text, id.get<TokenId>())) {
        throw part.wrong("two tokens have the id " + std::to_string(id.get<TokenId>()));
      }
    }
    return vocabulary;
  }

  /// False, and nothing is added, when the text or the id is there already. The id is not negative.
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
  /// Nothing for an id that no token has.
  [[nodiscard]] std::optional<std::string_view> text_of(TokenId id) const {
    const auto at = static_cast<std::size_t>(id);
    if (id < 0 || at >= texts_.size() || !texts_[at]) return std::nullopt;
    return *texts_[at];
  }
  /// How many tokens there are.
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  /// One more than the largest id.
  [[nodiscard]] std::size_t end() const noexcept { return texts_.size(); }

 private:
  std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>> ids_;
  std::vector<std::optional<std::string>> texts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
