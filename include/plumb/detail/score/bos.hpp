// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which token stands before every text?
//
// The model's BOS, none, or any token of its vocabulary, named by its text: models such as Qwen have
// no BOS and were trained on texts behind "<|endoftext|>". A command line says `yes`, `no` or the
// token's text; a text of letters alone ("maybe") is taken for a token only as `text:maybe`, as it is
// mostly a slip. How it is put before a text: backend/text_tokens.hpp.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/suggestion.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A setting: true for the model's BOS, false for none, or a token's text.
struct Bos {
  // NOLINTNEXTLINE(google-explicit-constructor): whether there is one is all that most callers say
  Bos(bool is_wanted = true) : wanted(is_wanted) {}
  /// No token stands before a text, so its first token has no probability.
  [[nodiscard]] static Bos none() { return {false}; }
  [[nodiscard]] static Bos of(std::string text) {
    Bos made;
    made.token = std::move(text);
    return made;
  }

  bool wanted = true;
  /// The text of the token; empty for the model's own.
  std::string token{};

  [[nodiscard]] explicit operator bool() const noexcept { return wanted; }
  friend bool operator==(const Bos&, const Bos&) = default;

  [[nodiscard]] std::string word() const {
    if (!wanted || token.empty()) return wanted ? "yes" : "no";
    return (needs_prefix(token) ? std::string(prefix) : "") + token;
  }
  /// Throws a user error for a word that is none.
  void read(const std::string& text, const std::string& name) {
    if (text == "yes" || text == "no") return void(*this = Bos(text == "yes"));
    const bool is_marked = text.starts_with(prefix);
    const std::string named = is_marked ? text.substr(prefix.size()) : text;
    if (named.empty() || (!is_marked && needs_prefix(named))) {
      throw user_error({.setting = name}, "'" + text + "' is not a choice",
                       "say yes or no, or the text of a token, as <s>; of one that is a word, as "
                       "text:" +
                           (named.empty() ? "the" : named));
    }
    *this = of(named);
  }

 private:
  static constexpr std::string_view prefix = "text:";

  static bool needs_prefix(std::string_view text) {
    return text.starts_with(prefix) || ranges::all_of(text, [](char c) {
             return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
           });
  }
};

/// "; near it are '<s>' and '</s>'": special tokens' texts by their distance from a word, four at most.
inline std::string near_special_tokens(std::vector<SpecialToken> tokens, const std::string& text) {
  const auto distance = [&](const SpecialToken& one) { return edit_distance(text, one.text); };
  ranges::stable_sort(tokens, {}, distance);
  if (tokens.size() > 4) tokens.resize(4);
  if (tokens.empty()) return "";
  return "name one of its vocabulary; special tokens near it: " +
         text_list(
             tokens, [](const SpecialToken& one) { return one.text; }, ", ", " and ");
}

/// The token of a text: a special one, or the one that the tokenizer makes of it. Throws a user error
/// where it is neither.
template <class Model>
[[nodiscard]] TokenId token_named(const Model& model, const std::string& text) {
  std::vector<SpecialToken> special;
  if constexpr (ListsSpecialTokens<Model>) {
    if (capabilities_of(model).special_tokens) special = model.special_tokens();
  }
  const auto found = ranges::find(special, text, &SpecialToken::text);
  if (found != special.end()) return found->id;
  const std::vector<TokenId> made = ids_of(inner_tokens(model, text));
  if (made.size() == 1 && model.detokenize(std::span<const TokenId>(made)) == text) {
    return made.front();
  }
  const std::string nearby = near_special_tokens(std::move(special), text);
  throw user_error({.setting = "bos"},
                   "'" + text + "' is no token of this model" +
                       (made.size() > 1 ? ", which reads it as " + counted(made.size(), "token")
                                        : std::string()),
                   nearby.empty() ? "name one of its vocabulary, or say yes or no" : nearby);
}

/// "name a token that stands for it, as `bos` <s>", with a special token that the model has; texts are
/// begun with by those first in the list.
template <class Model>
[[nodiscard]] std::string stand_in_remedy(const Model& model) {
  const std::string name = "name a token that stands for it";
  std::vector<SpecialToken> special;
  if constexpr (ListsSpecialTokens<Model>) {
    if (capabilities_of(model).special_tokens) special = model.special_tokens();
  }
  if (special.empty()) return name;
  for (const char* const known : {"<s>", "<bos>", "<|begin_of_text|>", "[BOS]", "<|endoftext|>"}) {
    const auto found = ranges::find(special, known, &SpecialToken::text);
    if (found != special.end()) return name + ", as `bos` " + Bos::of(found->text).word();
  }
  return name + ", as `bos` " + Bos::of(special.front().text).word();
}

/// The token to stand before a text; nothing where none is wanted. Throws a user error when the model has
/// no BOS, whose `remedy` says what goes without it, and for a text that is no token of the model.
template <class Model>
[[nodiscard]] std::optional<TokenId> require_bos(
    Model& model, const Bos& wanted,
    const std::string& remedy = "use `bos` no, or name a token that stands for it") {
  if (!wanted) return std::nullopt;
  if (!wanted.token.empty()) return detail::token_named(model, wanted.token);
  const std::optional<TokenId> bos = model.bos();
  if (!bos) throw user_error({.setting = "bos"}, "the model has no BOS token", remedy);
  return bos;
}

/// What stands around a text that becomes a vector: BOS before it, or all that its tokenizer's own
/// configuration puts there, which may end the text as well.
struct Surround {
  // NOLINTNEXTLINE(google-explicit-constructor): mostly it is BOS alone
  Surround(Bos before = {}, std::optional<TextFrame> of_tokenizer = std::nullopt)
      : bos(std::move(before)), own(std::move(of_tokenizer)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as Bos has it
  Surround(bool with_bos) : bos(with_bos) {}

  Bos bos;
  /// In place of `bos`, where the tokenizer decides.
  std::optional<TextFrame> own{};

  /// Whether it is more than one token before a text.
  [[nodiscard]] bool is_frame() const {
    return own && (own->before.size() > 1 || !own->after.empty());
  }
};

/// A text's tokens with what stands around it. A text that begins with the token before it has no
/// other. Throws as `require_bos` and `prompt_ids` do.
template <class Model>
[[nodiscard]] std::vector<TokenId> surrounded_ids(Model& model, const std::string& text,
                                                  const Surround& around) {
  const Prompt whole{text, {}, {}};
  if (!around.own) return prompt_ids(model, whole, require_bos(model, around.bos));
  std::vector<TokenId> before = around.own->before;
  std::optional<TokenId> nearest;
  if (!before.empty()) {
    nearest = before.back();
    before.pop_back();
  }
  std::vector<TokenId> ids = prompt_ids(model, whole, nearest);
  ids.insert(ids.begin(), before.begin(), before.end());
  ids.insert(ids.end(), around.own->after.begin(), around.own->after.end());
  return ids;
}

/// Tells texts whose own first token is BOS, so that no other is put before them. The model must outlive
/// it. As thread-safe as the model.
template <class Model>
class OwnBos {
 public:
  OwnBos(const Model& model, std::optional<TokenId> bos) : model_(model), bos_(bos) {
    if (!bos_) return;
    if constexpr (ListsSpecialTokens<Model>) {
      if (capabilities_of(model).special_tokens) {
        for (SpecialToken& one : model.special_tokens()) {
          if (one.id == *bos_) texts_.push_back(std::move(one.text));
        }
      }
    }
    const std::array<TokenId, 1> alone{*bos_};
    texts_.push_back(model.detokenize(std::span<const TokenId>(alone)));
    std::erase(texts_, "");
  }

  /// Where the text of BOS is known, the tokenizer is asked about texts that begin with it alone.
  [[nodiscard]] bool begins(std::string_view text) const {
    const auto is_there = [&](const std::string& one) { return text.starts_with(one); };
    if (!bos_ || (!texts_.empty() && ranges::none_of(texts_, is_there))) return false;
    return begins_with(text_tokens(model_, text), bos_);
  }

 private:
  const Model& model_;
  std::optional<TokenId> bos_;
  std::vector<std::string> texts_;  // that BOS may have
};

/// What run.json says where texts begin with BOS themselves; nothing where none does. `things` are
/// "statements".
[[nodiscard]] inline std::optional<std::string> own_bos_warning(std::size_t count,
                                                                const std::string& thing) {
  if (count == 0) return std::nullopt;
  return "Warning: " + counted(count, thing) + (count == 1 ? " begins" : " begin") +
         " with BOS already; no other is put before " + (count == 1 ? "it." : "them.");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
