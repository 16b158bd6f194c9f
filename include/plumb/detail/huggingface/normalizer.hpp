// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a text rewritten before it is split into words?
//
// This header contains the `tokenizers` normalizers that published models such as BERT, RoBERTa,
// ALBERT and OPT use. They are applied one after another. BERT's normalizer follows Devlin et al.
// 2019 (tokenization.py): it removes control characters, puts spaces around CJK characters, strips
// accents and converts to lower case.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/detail/huggingface/aligned_text.hpp"
#include "plumb/detail/huggingface/byte_letters.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/normal_form.hpp"
#include "plumb/detail/huggingface/precompiled_map.hpp"
#include "plumb/detail/huggingface/text_pattern.hpp"
#include "plumb/detail/huggingface/unicode_class.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct StripAccents {
  void operator()(AlignedText& text) const {
    text.rewrite([](char32_t c, auto put) {
      if (!is_unicode_mark(c)) put(c);
    });
  }
};

struct Lowercase {
  void operator()(AlignedText& text) const {
    text.rewrite([](char32_t c, auto put) { lower_case_of(c, put); });
  }
};

struct ToNormalForm {
  NormalForm form = NormalForm::nfc;
  void operator()(AlignedText& text) const { normalize(text, form); }
};

struct BertNormalizer {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;

  /// The CJK blocks in BERT's definition.
  static bool is_chinese(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
  }

  void operator()(AlignedText& text) const {
    text.rewrite([this](char32_t c, auto put) {
      const bool is_line = c == '\t' || c == '\n' || c == '\r';
      if (clean_text && !is_line && (c == 0 || c == 0xFFFD || is_unicode_other(c))) return;
      if (clean_text && is_white_space(c)) {
        put(U' ');
      } else if (handle_chinese_chars && is_chinese(c)) {
        put(U' ');
        put(c);
        put(U' ');
      } else {
        put(c);
      }
    });
    if (strip_accents) {
      normalize(text, NormalForm::nfd);
      text.rewrite([](char32_t c, auto put) {
        if (!is_nonspacing_mark(c)) put(c);
      });
    }
    if (lowercase) Lowercase{}(text);
  }
};

struct Replace {
  TextPattern pattern = TextPattern::literal({});
  std::string content;

  void operator()(AlignedText& text) const {
    std::vector<ByteSpan> parts;
    pattern.for_each_match(text.text(), [&](ByteSpan part) { parts.push_back(part); });
    text.replace(parts, content);
  }
};

/// Removes white space at the ends.
struct Strip {
  bool left = true;
  bool right = true;

  void operator()(AlignedText& text) const {
    const std::string_view all = text.text();
    const std::size_t begin = left ? end_of_run(all, 0, is_white_space) : 0;
    std::size_t end = begin;  // after the last character that is not white space
    for (std::size_t at = begin; at < all.size();) {
      const CodePoint c = first_code_point(all.substr(at));
      at += c.size;
      if (!right || !is_white_space(c.value)) end = at;
    }
    text = text.slice({begin, end});
  }
};

struct Prepend {
  std::string characters;
  void operator()(AlignedText& text) const { text.prepend(characters); }
};

/// SentencePiece's rule "nmt", without its character map.
struct Nmt {
  void operator()(AlignedText& text) const {
    text.rewrite([](char32_t c, auto put) {
      if ((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F ||
          c == 0x8F || c == 0x9F) {
        return;
      }
      const bool is_space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                            (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                            c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
      put(is_space ? U' ' : c);
    });
  }
};

struct Precompiled {
  PrecompiledMap map;
  void operator()(AlignedText& text) const { map.normalize(text); }
};

struct ByteLetters {
  void operator()(AlignedText& text) const { write_byte_letters(text); }
};

/// The normalizers of a tokenizer file, in order. Any number of threads may use the same object.
class Normalizer {
 public:
  /// Changes nothing.
  Normalizer() = default;

  /// Throws a user error for an unsupported type and for a missing field.
  static Normalizer read(const JsonPart& part) {
    Normalizer normalizer;
    for_each_of_sequence(part, "normalizers",
                         [&](const JsonPart& step) { normalizer.steps_.push_back(step_of(step)); });
    return normalizer;
  }

  void operator()(AlignedText& text) const {
    for (const Step& step : steps_) {
      std::visit([&](const auto& rewrite) { rewrite(text); }, step);
    }
  }

 private:
  using Step = std::variant<detail::BertNormalizer, detail::ToNormalForm, detail::StripAccents,
                            detail::Lowercase, detail::Replace, detail::Strip, detail::Prepend,
                            detail::Nmt, detail::Precompiled, detail::ByteLetters>;

  static Step step_of(const JsonPart& part) {
    const std::string& type = part.at("type").text();
    if (type == "BertNormalizer") {
      const bool lowercase = part.flag_or("lowercase", true);
      return detail::BertNormalizer{part.flag_or("clean_text", true),
                                    part.flag_or("handle_chinese_chars", true),
                                    part.flag_or("strip_accents", lowercase), lowercase};
    }
    if (type == "NFC") return detail::ToNormalForm{NormalForm::nfc};
    if (type == "NFD") return detail::ToNormalForm{NormalForm::nfd};
    if (type == "NFKC") return detail::ToNormalForm{NormalForm::nfkc};
    if (type == "NFKD") return detail::ToNormalForm{NormalForm::nfkd};
    if (type == "StripAccents") return detail::StripAccents{};
    if (type == "Lowercase") return detail::Lowercase{};
    if (type == "Replace") {
      return detail::Replace{TextPattern::read(part.at("pattern")), part.at("content").text()};
    }
    if (type == "Strip") {
      return detail::Strip{part.at("strip_left").flag(), part.at("strip_right").flag()};
    }
    if (type == "Prepend") return detail::Prepend{part.at("prepend").text()};
    if (type == "Nmt") return detail::Nmt{};
    if (type == "Precompiled") {
      return detail::Precompiled{PrecompiledMap::read(part.at("precompiled_charsmap"))};
    }
    if (type == "ByteLevel") return detail::ByteLetters{};
    throw part.unknown("the normalizer", type,
                       "BertNormalizer, NFC, NFD, NFKC, NFKD, StripAccents, Lowercase, Replace, "
                       "Strip, Prepend, Nmt, Precompiled, ByteLevel and Sequence");
  }

  std::vector<Step> steps_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
