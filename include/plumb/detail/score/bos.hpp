// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which token precedes every text?
//
// It is the model's BOS, no token, or any token of the vocabulary, specified as text: models such
// as Qwen have no BOS and were trained on texts that follow "<|endoftext|>". On the command line,
// the value is `yes`, `no` or the token's text. A text that consists only of letters ("maybe") must
// be written `text:maybe`, because without the prefix it is most likely a mistake.
// backend/text_tokens.hpp puts the token before a text.

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

/// A setting: true for the model's BOS, false for no token, or a token's text.
struct Bos {
  // NOLINTNEXTLINE(google-explicit-constructor): most callers only choose whether to use BOS
  Bos(bool is_wanted = true) : wanted(is_wanted) {}
  /// No token precedes a text, so the text's first token has no probability.
  [[nodiscard]] static Bos none() { return {false}; }
  [[nodiscard]] static Bos of(std::string text) {
    Bos made;
    made.token = std::move(text);
    return made;
  }

  bool wanted = true;
  /// The token's text; empty for the model's own BOS.
  std::string token{};

  [[nodiscard]] explicit operator bool() const noexcept { return wanted; }
  friend bool operator==(const Bos&, const Bos&) = default;

  [[nodiscard]] std::string word() const {
    if (!wanted || token.empty()) return wanted ? "yes" : "no";
    return (needs_prefix(token) ? std::string(prefix) : "") + token;
  }
  /// Reads a value. Throws a user error for an invalid value.
  void read(const std::string& text, const std::string& name) {
    if (text == "yes" || text == "no") return void(*this = Bos(text == "yes"));
    const bool is_marked = text.starts_with(prefix);
    const std::string named = is_marked ? text.substr(prefix.size()) : text;
    if (named.empty() || (!is_marked && needs_prefix(named))) {
      throw user_error({.setting = name}, "'" + text + "' is not a valid choice",
                       "use yes, no, or a token's text such as <s>; if that is a word, write "
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

/// A remedy that lists the special tokens whose texts are most similar to `text`: up to four, the
/// most similar first.
inline std::string near_special_tokens(std::vector<SpecialToken> tokens, const std::string& text) {
  const auto distance = [&](const SpecialToken& one) { return edit_distance(text, one.text); };
  ranges::stable_sort(tokens, {}, distance);
  if (tokens.size() > 4) tokens.resize(4);
  if (tokens.empty()) return "";
  return "use a token of its vocabulary; similar special tokens: " +
         text_list(
             tokens, [](const SpecialToken& one) { return one.text; }, ", ", " and ");
}

/// The token for a text: a special token, or the only token that the tokenizer produces for the
/// text. Throws a user error if neither exists.
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
                   "'" + text + "' is not a token of this model" +
                       (made.size() > 1 ? ", which splits it into " + counted(made.size(), "token")
                                        : std::string()),
                   nearby.empty() ? "use a token of its vocabulary, or yes or no" : nearby);
}

/// "choose a token to use instead, such as `bos` <s>", where the example is a special token of the
/// model. Tokens that usually begin texts are preferred.
template <class Model>
[[nodiscard]] std::string stand_in_remedy(const Model& model) {
  const std::string name = "choose a token to use instead";
  std::vector<SpecialToken> special;
  if constexpr (ListsSpecialTokens<Model>) {
    if (capabilities_of(model).special_tokens) special = model.special_tokens();
  }
  if (special.empty()) return name;
  for (const char* const known : {"<s>", "<bos>", "<|begin_of_text|>", "[BOS]", "<|endoftext|>"}) {
    const auto found = ranges::find(special, known, &SpecialToken::text);
    if (found != special.end()) return name + ", such as `bos` " + Bos::of(found->text).word();
  }
  return name + ", such as `bos` " + Bos::of(special.front().text).word();
}

/// The token to put before a text; nothing if none is wanted. Throws a user error if the model has
/// no BOS (`remedy` describes what the user can do then) or if the text is not a token of the
/// model.
template <class Model>
[[nodiscard]] std::optional<TokenId> require_bos(
    Model& model, const Bos& wanted,
    const std::string& remedy = "set `bos` to no, or choose a token to use instead") {
  if (!wanted) return std::nullopt;
  if (!wanted.token.empty()) return detail::token_named(model, wanted.token);
  const std::optional<TokenId> bos = model.bos();
  if (!bos) throw user_error({.setting = "bos"}, "the model has no BOS token", remedy);
  return bos;
}

/// The tokens around an embedded text: BOS before it, or all tokens that the tokenizer's own
/// configuration adds, which may include tokens after the text.
struct FramingTokens {
  // NOLINTNEXTLINE(google-explicit-constructor): most callers pass only BOS
  FramingTokens(Bos before = {}, std::optional<TextFrame> of_tokenizer = std::nullopt)
      : bos(std::move(before)), own(std::move(of_tokenizer)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as for Bos
  FramingTokens(bool with_bos) : bos(with_bos) {}

  Bos bos;
  /// Replaces `bos` if the tokenizer's configuration determines the added tokens.
  std::optional<TextFrame> own{};

  /// Whether more than one leading token, or any trailing token, is added to a text.
  [[nodiscard]] bool is_frame() const {
    return own && (own->before.size() > 1 || !own->after.empty());
  }
};

/// A text's tokens, including those added around it. If a text already begins with the preceding
/// token, the token is not added again. Throws the errors of `require_bos` and `prompt_ids`.
template <class Model>
[[nodiscard]] std::vector<TokenId> surrounded_ids(Model& model, const std::string& text,
                                                  const FramingTokens& around) {
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

/// Detects texts that already begin with BOS, so that BOS is not added again. The model must
/// outlive it. As thread-safe as the model.
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

  /// Whether a text begins with BOS. If the text of BOS is known, only texts that begin with it are
  /// tokenised.
  [[nodiscard]] bool begins(std::string_view text) const {
    const auto is_there = [&](const std::string& one) { return text.starts_with(one); };
    if (!bos_ || (!texts_.empty() && ranges::none_of(texts_, is_there))) return false;
    return begins_with(text_tokens(model_, text), bos_);
  }

 private:
  const Model& model_;
  std::optional<TokenId> bos_;
  std::vector<std::string> texts_;  // possible texts of BOS
};

/// The run.json warning about texts that already begin with BOS; nothing if there are none. `thing`
/// is the kind of text, for example "statement".
[[nodiscard]] inline std::optional<std::string> own_bos_warning(std::size_t count,
                                                                const std::string& thing) {
  if (count == 0) return std::nullopt;
  return "Warning: " + counted(count, thing) + (count == 1 ? " begins" : " begin") +
         " with BOS already; no second BOS is added to " + (count == 1 ? "it." : "them.");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
