// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a GGUF model split a text into tokens, and which bytes does each token cover?
//
// llama.cpp returns token ids without offsets. A token's bytes are derived from the pieces: joined
// together, the pieces of all tokens equal the text (or a space and the text, if SentencePiece adds
// a space), so the lengths of the pieces add up to the offsets. If the pieces do not spell the
// text, because the tokenizer normalises it, the offsets are meaningless and `spells_text` is
// false. No special token is added. Text that looks like a special token is treated as plain text
// unless special tokens are parsed.
//
// Special tokens are those that the file marks as control or unknown, and its user-defined tokens
// in brackets ("<|START_OF_TURN_TOKEN|>"). Like transformers, llama.cpp parses user-defined tokens
// in every text, regardless of its arguments. The other user-defined tokens are pieces of text:
// letters, runs of spaces, line ends (DeepSeek, GPT-NeoX, Gemma).

#include <llama.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/token.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The tokenizer of a llama.cpp model, which must outlive it. Any number of threads may use the
/// same object.
class LlamaVocabulary {
 public:
  LlamaVocabulary() = default;
  explicit LlamaVocabulary(const llama_model& model, bool parse_special_tokens = false)
      : model_(&model), vocabulary_(llama_model_get_vocab(&model)), parses_(parse_special_tokens) {}

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    const auto length = static_cast<std::int32_t>(text.size());
    std::vector<llama_token> ids(text.size() + 8);
    const auto capacity = static_cast<std::int32_t>(ids.size());
    const auto call = [&](std::int32_t room) {
      return llama_tokenize(vocabulary_, text.data(), length, ids.data(), room, false, parses_);
    };
    std::int32_t count = call(capacity);
    if (count < 0) {
      ids.resize(static_cast<std::size_t>(-count));
      count = call(-count);
    }
    ids.resize(static_cast<std::size_t>((std::max)(count, 0)));
    Tokenization result;
    std::string spelt;
    for (const llama_token id : ids) {
      const std::size_t begin = spelt.size();
      append_piece(id, spelt);
      result.tokens.push_back({id, {begin, spelt.size()}});
    }
    if (parses_) return aligned(std::move(result), spelt, text);
    // SentencePiece adds a space before the text; the space covers no byte of the text.
    const std::size_t extra = spelt.size() == text.size() + 1 && spelt.front() == ' ' ? 1 : 0;
    result.spells_text = std::string_view(spelt).substr(extra) == text;
    for (Token& token : result.tokens) {
      token.bytes = {(std::max)(token.bytes.begin, extra) - extra,
                     (std::max)(token.bytes.end, extra) - extra};
    }
    return result;
  }

  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    std::string text;
    for (const TokenId id : ids) append_piece(id, text);
    return text;
  }

  [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
    std::vector<SpecialToken> all;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto id = static_cast<llama_token>(i);
      if (!is_special(id)) continue;
      const std::string text = llama_vocab_get_text(vocabulary_, id);
      if (!text.empty()) all.push_back({text, id});
    }
    return all;
  }

  /// The BOS token that the file specifies, or <s> at its fixed id in a SentencePiece vocabulary.
  /// Otherwise nullopt, even though llama.cpp invents a BOS if a BPE model has none or specifies
  /// one outside its vocabulary.
  [[nodiscard]] std::optional<TokenId> bos() const {
    const llama_token token = llama_vocab_bos(vocabulary_);
    return names("tokenizer.ggml.bos_token_id", token) ? std::optional<TokenId>(token)
                                                       : std::nullopt;
  }
  /// Whether llama.cpp begins a text with BOS when it adds special tokens, either because the file
  /// specifies it (tokenizer.ggml.add_bos_token) or by default for this kind of vocabulary.
  [[nodiscard]] bool adds_bos() const { return bos() && llama_vocab_get_add_bos(vocabulary_); }
  /// Whether the token ends generation. As with BOS, tokens that llama.cpp invents are ignored.
  [[nodiscard]] bool ends(TokenId token) const {
    if (!llama_vocab_is_eog(vocabulary_, token)) return false;
    return token != llama_vocab_eos(vocabulary_) || names("tokenizer.ggml.eos_token_id", token);
  }
  /// The tokens that llama.cpp puts around a text when it adds special tokens: BOS, and the
  /// end-of-sequence token if the file specifies it (tokenizer.ggml.add_eos_token).
  [[nodiscard]] TextFrame own_frame() const {
    TextFrame made;
    if (adds_bos()) made.before.push_back(*bos());
    const llama_token end = llama_vocab_eos(vocabulary_);
    if (llama_vocab_get_add_eos(vocabulary_) && names("tokenizer.ggml.eos_token_id", end)) {
      made.after.push_back(end);
    }
    return made;
  }
  /// The file's chat template, whose text is empty if there is none, with the texts of its special
  /// tokens.
  [[nodiscard]] ChatTemplate chat_template() const {
    const char* const text = llama_model_chat_template(model_, nullptr);
    ChatTemplate made{text == nullptr ? "" : text};
    const auto add = [&](const char* name, const char* key, llama_token token) {
      if (names(key, token)) made.tokens[name] = llama_vocab_get_text(vocabulary_, token);
    };
    add("bos_token", "tokenizer.ggml.bos_token_id", llama_vocab_bos(vocabulary_));
    add("eos_token", "tokenizer.ggml.eos_token_id", llama_vocab_eos(vocabulary_));
    add("pad_token", "tokenizer.ggml.padding_token_id", llama_vocab_pad(vocabulary_));
    return made;
  }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(llama_vocab_n_tokens(vocabulary_));
  }

  /// Warnings that apply to every tokenised text. A warning is returned if a byte-level BPE
  /// vocabulary does not specify how texts are first split into words, because llama.cpp then has
  /// to guess.
  [[nodiscard]] std::vector<std::string> warnings() const {
    const std::string pre = pre_tokenizer();
    const bool splits_words = llama_vocab_type(vocabulary_) == LLAMA_VOCAB_TYPE_BPE;
    // For this vocabulary, llama.cpp derives the word-splitting rules from the vocabulary's name.
    const bool is_known = metadata("tokenizer.ggml.model") == "gemma4";
    if (!splits_words || is_known || (!pre.empty() && pre != "default")) return {};
    return {std::string("Warning: the model's file ") +
            (pre.empty() ? "specifies no pre-tokenizer (tokenizer.ggml.pre)"
                         : "calls its pre-tokenizer \"default\" (tokenizer.ggml.pre)") +
            ", so llama.cpp guesses where words end. Texts may be tokenized differently than in "
            "training, which changes scores. Convert the model again with a current llama.cpp."};
  }

  /// Whether the model's published tokenizer normalises text to NFC before splitting it, which
  /// llama.cpp never does. The name of the pre-tokenizer determines this: the list contains the
  /// names of the pre-tokenizers whose tokenizer.json has an NFC normalizer (Qwen 2 to 3.5, Megrez,
  /// StableLM 2, OLMo, MPT, Command R).
  [[nodiscard]] bool skips_composing() const {
    constexpr std::array<std::string_view, 7> composing{"qwen2", "qwen35", "megrez",   "stablelm2",
                                                        "olmo",  "mpt",    "command-r"};
    return llama_vocab_type(vocabulary_) == LLAMA_VOCAB_TYPE_BPE &&
           std::find(composing.begin(), composing.end(), pre_tokenizer()) != composing.end();
  }

  /// One of the file's metadata values as text; empty if the value is absent.
  [[nodiscard]] std::string metadata(const char* key) const {
    std::array<char, 512> value{};
    const auto length = llama_model_meta_val_str(model_, key, value.data(), value.size());
    return length < 0 ? std::string() : std::string(value.data());
  }

 private:
  [[nodiscard]] std::string pre_tokenizer() const { return metadata("tokenizer.ggml.pre"); }

  /// Whether the file specifies this token under `key`. Also true if the file omits the key and the
  /// token is one that every SentencePiece vocabulary has (<s> at 1 and </s> at 2), because
  /// llama.cpp then uses it. llama.cpp ignores an id that is negative or outside the vocabulary.
  [[nodiscard]] bool names(const char* key, llama_token token) const {
    if (token < 0 || static_cast<std::size_t>(token) >= size()) return false;
    const std::string stated = metadata(key);
    if (!stated.empty()) return stated == std::to_string(token);
    return llama_vocab_type(vocabulary_) == LLAMA_VOCAB_TYPE_SPM && is_special(token);
  }

  [[nodiscard]] bool is_special(llama_token id) const {
    const int attributes = llama_vocab_get_attr(vocabulary_, id);
    if ((attributes & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN)) != 0) return true;
    if ((attributes & LLAMA_TOKEN_ATTR_USER_DEFINED) == 0) return false;
    const std::string_view text = llama_vocab_get_text(vocabulary_, id);
    return (text.starts_with('<') && text.size() > 2 && text.ends_with('>')) ||
           (text.starts_with('[') && text.size() > 2 && text.ends_with(']'));
  }

  /// SentencePiece adds a space after a special token, as it does before the text. If the text has
  /// no space there, the added space covers no byte.
  [[nodiscard]] Tokenization aligned(Tokenization made, std::string_view spelt,
                                     std::string_view text) const {
    made.spells_text = true;
    std::size_t at = 0;  // in the text
    for (auto first = made.tokens.begin(), last = first; first != made.tokens.end(); first = last) {
      do ++last;
      while (last != made.tokens.end() && !is_special(first->id) && !is_special(last->id));
      const std::size_t begin = first->bytes.begin;
      std::string_view part = spelt.substr(begin, std::prev(last)->bytes.end - begin);
      const std::string_view rest = text.substr((std::min)(at, text.size()));
      const std::size_t extra = !rest.starts_with(part) && part.starts_with(' ') ? 1 : 0;
      part.remove_prefix(extra);
      made.spells_text = made.spells_text && rest.starts_with(part);
      for (auto token = first; token != last; ++token) {
        const auto place = [&](std::size_t byte) {
          return at + (std::max)(byte - begin, extra) - extra;
        };
        token->bytes = {place(token->bytes.begin), place(token->bytes.end)};
      }
      at += part.size();
    }
    made.spells_text = made.spells_text && at == text.size();
    return made;
  }

  void append_piece(llama_token id, std::string& text) const {
    std::array<char, 256> piece{};
    const auto size = static_cast<std::int32_t>(piece.size());
    const std::int32_t length =
        llama_token_to_piece(vocabulary_, id, piece.data(), size, 0, parses_);
    if (length >= 0) {
      text.append(piece.data(), static_cast<std::size_t>(length));
    } else {
      std::string large(static_cast<std::size_t>(-length), '\0');
      llama_token_to_piece(vocabulary_, id, large.data(), -length, 0, parses_);
      text += large;
    }
  }

  const llama_model* model_ = nullptr;
  const llama_vocab* vocabulary_ = nullptr;
  bool parses_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
