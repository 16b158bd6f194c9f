// SPDX-License-Identifier: Apache-2.0
#pragma once

// What text do tokens represent?
//
// This header contains the decoders of `tokenizers`. They are applied one after another to the
// strings of the individual tokens, which are then joined. Byte-level tokens and single-byte tokens
// ("<0x0A>") yield their bytes, even if these end in the middle of a character. WordPiece's
// clean-up, which would remove spaces before "." and "'", is not applied, so a file yields the same
// text whether or not it requests clean-up.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/aligned_text.hpp"
#include "plumb/detail/huggingface/byte_letters.hpp"
#include "plumb/detail/huggingface/byte_pair_encoding.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/normalizer.hpp"
#include "plumb/detail/huggingface/pre_tokenizer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct DecodeBytes {
  void operator()(std::vector<std::string>& texts) const {
    for (std::string& text : texts) text = bytes_of_letters(text).value_or(text);
  }
};

struct DecodeWordPiece {
  std::string prefix = "##";
  void operator()(std::vector<std::string>& texts) const {
    for (std::size_t i = 1; i < texts.size(); ++i) {
      if (texts[i].starts_with(prefix)) {
        texts[i].erase(0, prefix.size());
      } else {
        texts[i].insert(0, 1, ' ');
      }
    }
  }
};

/// Replaces "▁" with a space. If a space was added before the text, the first token's "▁" is
/// removed.
struct DecodeMetaspace {
  MetaspaceWords words;
  void operator()(std::vector<std::string>& texts) const {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool drops = i == 0 && words.scheme != MetaspaceWords::Scheme::never;
      AlignedText text(texts[i]);
      Replace{TextPattern::literal(words.replacement), drops ? "" : " "}(text);
      texts[i] = text.text();
    }
  }
};

struct DecodeReplace {
  Replace replace;
  void operator()(std::vector<std::string>& texts) const {
    for (std::string& each : texts) {
      AlignedText text(each);
      replace(text);
      each = text.text();
    }
  }
};

struct DecodeByteNames {
  void operator()(std::vector<std::string>& texts) const {
    for (std::string& text : texts) {
      for (int byte = 0; text.size() == 6 && text.starts_with("<0x") && byte < 256; ++byte) {
        if (text == byte_name(static_cast<char>(byte))) text.assign(1, static_cast<char>(byte));
      }
    }
  }
};

struct DecodeFuse {
  void operator()(std::vector<std::string>& texts) const {
    std::string whole;
    for (const std::string& text : texts) whole += text;
    texts.assign(1, std::move(whole));
  }
};

/// Removes a given character from each end, up to a given number of times.
struct DecodeStrip {
  std::string character = " ";
  std::size_t start = 0;
  std::size_t stop = 0;
  void operator()(std::vector<std::string>& texts) const {
    for (std::string& text : texts) {
      std::string_view left = text;
      for (std::size_t i = 0; i < start && left.starts_with(character); ++i) {
        left.remove_prefix(character.size());
      }
      for (std::size_t i = 0; i < stop && left.ends_with(character); ++i) {
        left.remove_suffix(character.size());
      }
      text = std::string(left);
    }
  }
};

/// Treats each token as a word.
struct DecodeWords {
  void operator()(std::vector<std::string>& texts) const {
    for (std::size_t i = 1; i < texts.size(); ++i) texts[i].insert(0, 1, ' ');
  }
};

/// Any number of threads may use the same object.
class TokenDecoder {
 public:
  /// Treats tokens as words, and puts spaces between them.
  TokenDecoder() : steps_{detail::DecodeWords{}} {}

  /// Applies WordPiece's decoding rule with the prefix `prefix`.
  static TokenDecoder word_piece(const std::string& prefix) {
    TokenDecoder decoder;
    decoder.steps_ = {detail::DecodeWordPiece{prefix}};
    return decoder;
  }

  /// Throws a user error for an unsupported type and for a missing field.
  static TokenDecoder read(const JsonPart& part) {
    TokenDecoder decoder;
    decoder.steps_.clear();
    for_each_of_sequence(part, "decoders",
                         [&](const JsonPart& step) { decoder.steps_.push_back(step_of(step)); });
    return decoder;
  }

  [[nodiscard]] std::string operator()(std::vector<std::string> texts) const {
    for (const Step& step : steps_) {
      std::visit([&](const auto& decode) { decode(texts); }, step);
    }
    detail::DecodeFuse{}(texts);
    return std::move(texts.front());
  }

 private:
  using Step = std::variant<detail::DecodeBytes, detail::DecodeWordPiece, detail::DecodeMetaspace,
                            detail::DecodeReplace, detail::DecodeByteNames, detail::DecodeFuse,
                            detail::DecodeStrip, detail::DecodeWords>;

  static Step step_of(const JsonPart& part) {
    const std::string& type = part.at("type").text();
    if (type == "ByteLevel") return detail::DecodeBytes{};
    if (type == "WordPiece") return detail::DecodeWordPiece{part.text_or("prefix", "##")};
    if (type == "Metaspace") return detail::DecodeMetaspace{detail::MetaspaceWords::read(part)};
    if (type == "Replace") {
      return detail::DecodeReplace{
          {TextPattern::read(part.at("pattern")), part.at("content").text()}};
    }
    if (type == "ByteFallback") return detail::DecodeByteNames{};
    if (type == "Fuse") return detail::DecodeFuse{};
    if (type == "Strip") {
      constexpr std::size_t most = 1'000'000;
      const std::string& character = part.at("content").text();
      if (character.empty()) throw part.at("content").wrong("is empty");
      return detail::DecodeStrip{character, part.at("start").count(most),
                                 part.at("stop").count(most)};
    }
    throw part.unknown("the decoder", type,
                       "ByteLevel, WordPiece, Metaspace, Replace, ByteFallback, Fuse, Strip and "
                       "Sequence");
  }

  std::vector<Step> steps_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
