// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a rewritten text split into words, and how are words written in the vocabulary's form?
//
// This header contains the pre-tokenizers of `tokenizers`, which are applied one after another.
// They split at white space and punctuation (BERT), split by GPT-2's pattern and write each byte as
// a letter (byte-level), or write "▁" for spaces (SentencePiece). It also contains some simpler
// pre-tokenizers.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/byte_letters.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/text_pattern.hpp"
#include "plumb/detail/huggingface/text_pieces.hpp"
#include "plumb/detail/huggingface/unicode_class.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct BertWords {
  void operator()(TextPieces& pieces) const {
    pieces.split_at_characters(is_white_space, MatchBehavior::removed);
    pieces.split_at_characters(is_punctuation_or_ascii_symbol, MatchBehavior::isolated);
  }
};

struct ByteLevelWords {
  bool add_prefix_space = true;
  bool use_regex = true;

  void operator()(TextPieces& pieces) const {
    if (add_prefix_space) {
      pieces.rewrite_each([](AlignedText& text) {
        if (!text.text().starts_with(' ')) text.prepend(" ");
      });
    }
    if (use_regex) PatternWords{}(pieces);
    pieces.rewrite_each(write_byte_letters);
  }

 private:
  struct PatternWords {
    void operator()(TextPieces& pieces) const {
      const TextPattern pattern = TextPattern::gpt2();
      pieces.split([&](std::string_view text, auto visit) { pattern.for_each_match(text, visit); },
                   MatchBehavior::isolated);
    }
  };
};

struct MetaspaceWords {
  enum class Scheme { always, first, never };
  std::string replacement = "▁";
  Scheme scheme = Scheme::always;
  bool cut = true;

  void operator()(TextPieces& pieces) const {
    pieces.rewrite_each([this](AlignedText& text) {
      std::vector<ByteSpan> spaces;
      const std::string_view all = text.text();
      for (std::size_t at = all.find(' '); at != std::string_view::npos;
           at = all.find(' ', at + 1)) {
        spaces.push_back({at, at + 1});
      }
      const bool at_begin = !text.empty() && text.origin(0).begin == 0;
      text.replace(spaces, replacement);
      if (scheme == Scheme::never || text.text().starts_with(replacement)) return;
      if (scheme == Scheme::always || at_begin) text.prepend(replacement);
    });
    if (!cut) return;
    const TextPattern pattern = TextPattern::literal(replacement);
    pieces.split([&](std::string_view text, auto visit) { pattern.for_each_match(text, visit); },
                 MatchBehavior::merged_with_next);
  }

  static MetaspaceWords read(const JsonPart& part) {
    MetaspaceWords words;
    words.replacement = part.at("replacement").text();
    if (count_code_points(words.replacement) != 1) {
      throw part.at("replacement").wrong("is not one character");
    }
    words.cut = part.flag_or("split", true);
    const bool adds = part.flag_or("add_prefix_space", true);  // older files use this field
    const std::string scheme = part.text_or("prepend_scheme", adds ? "always" : "never");
    if (scheme == "first") {
      words.scheme = Scheme::first;
    } else if (scheme == "never") {
      words.scheme = Scheme::never;
    } else if (scheme != "always") {
      throw part.at("prepend_scheme").unknown("the scheme", scheme, "always, first and never");
    }
    if (!adds && words.scheme != Scheme::never) {
      throw part.wrong("has a prepend_scheme and forbids add_prefix_space", "remove one of them");
    }
    return words;
  }
};

/// `\w+|[^\w\s]+`
struct WordsAndSigns {
  void operator()(TextPieces& pieces) const {
    pieces.split_at_characters(is_white_space, MatchBehavior::removed);
    pieces.split_at_characters(is_regex_word, MatchBehavior::contiguous);
  }
};

struct WhitespaceWords {
  void operator()(TextPieces& pieces) const {
    pieces.split_at_characters(is_white_space, MatchBehavior::removed);
  }
};

struct DigitWords {
  bool individual = false;
  void operator()(TextPieces& pieces) const {
    pieces.split_at_characters(is_unicode_number,
                               individual ? MatchBehavior::isolated : MatchBehavior::contiguous);
  }
};

struct PunctuationWords {
  MatchBehavior behavior = MatchBehavior::isolated;
  void operator()(TextPieces& pieces) const {
    pieces.split_at_characters(is_punctuation_or_ascii_symbol, behavior);
  }
};

struct SplitWords {
  TextPattern pattern = TextPattern::literal({});
  MatchBehavior behavior = MatchBehavior::isolated;
  bool invert = false;

  void operator()(TextPieces& pieces) const {
    pieces.split([&](std::string_view text, auto visit) { pattern.for_each_match(text, visit); },
                 behavior, invert);
  }
};

/// The pre-tokenizers of a tokenizer file, in order. Any number of threads may use the same object.
class PreTokenizer {
 public:
  /// Splits nothing.
  PreTokenizer() = default;

  /// Throws a user error for an unsupported type and for a missing field.
  static PreTokenizer read(const JsonPart& part) {
    PreTokenizer result;
    for_each_of_sequence(part, "pretokenizers",
                         [&](const JsonPart& step) { result.steps_.push_back(step_of(step)); });
    return result;
  }

  void operator()(TextPieces& pieces) const {
    for (const Step& step : steps_) {
      std::visit([&](const auto& cut) { cut(pieces); }, step);
    }
  }

 private:
  using Step = std::variant<detail::BertWords, detail::ByteLevelWords, detail::MetaspaceWords,
                            detail::WordsAndSigns, detail::WhitespaceWords, detail::DigitWords,
                            detail::PunctuationWords, detail::SplitWords>;

  static Step step_of(const JsonPart& part) {
    const std::string& type = part.at("type").text();
    if (type == "BertPreTokenizer") return detail::BertWords{};
    if (type == "ByteLevel") {
      return detail::ByteLevelWords{part.at("add_prefix_space").flag(),
                                    part.flag_or("use_regex", true)};
    }
    if (type == "Metaspace") return detail::MetaspaceWords::read(part);
    if (type == "Whitespace") return detail::WordsAndSigns{};
    if (type == "WhitespaceSplit") return detail::WhitespaceWords{};
    if (type == "Digits") return detail::DigitWords{part.flag_or("individual_digits", false)};
    if (type == "Punctuation") {
      return detail::PunctuationWords{part.has("behavior")
                                          ? read_match_behavior(part.at("behavior"))
                                          : MatchBehavior::isolated};
    }
    if (type == "Split") {
      return detail::SplitWords{TextPattern::read(part.at("pattern")),
                                read_match_behavior(part.at("behavior")),
                                part.flag_or("invert", false)};
    }
    if (type == "CharDelimiterSplit") {
      return detail::SplitWords{TextPattern::literal(part.at("delimiter").text()),
                                MatchBehavior::removed};
    }
    throw part.unknown("the pre-tokenizer", type,
                       "BertPreTokenizer, ByteLevel, Metaspace, Whitespace, WhitespaceSplit, "
                       "Digits, Punctuation, Split, CharDelimiterSplit and Sequence");
  }

  std::vector<Step> steps_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
