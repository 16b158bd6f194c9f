// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens come before and after a sequence, and do the sequence's tokens cover the spaces at
// their ends?
//
// This class implements the post-processors of `tokenizers` for one sequence: BERT's [CLS] … [SEP],
// RoBERTa's <s> … </s>, and templates. Byte-level post-processors may also trim the ranges of
// tokens: the token " Paris" then covers only "Paris", and a token consisting only of spaces covers
// nothing.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/unicode_class.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class SequenceFrame {
 public:
  /// Adds no tokens and trims nothing.
  SequenceFrame() = default;

  /// Throws a user error for an unsupported type, for a template that does not contain its
  /// sequence, or for an id that is not below `ids`.
  static SequenceFrame read(const JsonPart& part, std::size_t ids) {
    SequenceFrame frame;
    for_each_of_sequence(part, "processors", [&](const JsonPart& step) { frame.add(step, ids); });
    return frame;
  }

  [[nodiscard]] const std::vector<TokenId>& before() const noexcept { return before_; }
  [[nodiscard]] const std::vector<TokenId>& after() const noexcept { return after_; }
  [[nodiscard]] bool trims() const noexcept { return !trims_.empty(); }

  /// Trims the byte range of a token of the text. `spelling` is the token as written in the
  /// vocabulary; `is_first` specifies whether it is the first token of the text.
  void trim(Token& token, std::string_view spelling, bool is_first, std::string_view text) const {
    for (const bool space_was_added : trims_) {
      std::size_t leading = leading_spaces(spelling);
      const std::size_t trailing = trailing_spaces(spelling);
      // A single space at the start may be the added space, which covers no byte that could be
      // trimmed.
      if ((is_first || token.bytes.begin == 0) && space_was_added && leading == 1) leading = 0;
      while (leading-- > 0 && token.bytes.begin < token.bytes.end) {
        token.bytes.begin = (std::min)(token.bytes.end, next(text, token.bytes.begin));
      }
      for (std::size_t i = 0; i < trailing && token.bytes.end > token.bytes.begin; ++i) {
        token.bytes.end = (std::max)(token.bytes.begin, previous(text, token.bytes.end));
      }
    }
  }

 private:
  static bool is_space(char32_t c) { return c == 0x120 || is_white_space(c); }

  static std::size_t next(std::string_view text, std::size_t at) {
    return at + std::max<std::size_t>(1, first_code_point(text.substr(at)).size);
  }
  static std::size_t previous(std::string_view text, std::size_t at) {
    const std::size_t end = at;
    do --at;
    while (at > 0 && end - at < 4 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    return first_code_point(text.substr(at)).size == end - at ? at : end - 1;
  }
  static std::size_t leading_spaces(std::string_view spelling) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < spelling.size(); at = next(spelling, at), ++count) {
      if (!is_space(first_code_point(spelling.substr(at)).value)) break;
    }
    return count;
  }
  static std::size_t trailing_spaces(std::string_view spelling) {
    std::size_t count = 0;
    for (std::size_t at = spelling.size(); at > 0; ++count) {
      at = previous(spelling, at);
      if (!is_space(first_code_point(spelling.substr(at)).value)) break;
    }
    return count;
  }

  static TokenId id_of(const JsonPart& part, std::size_t ids) {
    const std::size_t id = part.count(static_cast<std::size_t>(-1) / 2);
    if (id >= ids) throw part.wrong("is not the id of a token");
    return static_cast<TokenId>(id);
  }

  /// The id of a [text, id] pair.
  static TokenId id_of_pair(const JsonPart& part, std::size_t ids) {
    if (part.items() != 2) throw part.wrong("is not [text, id]");
    return id_of(part.item(1), ids);
  }

  void add(const JsonPart& part, std::size_t ids) {
    const std::string& type = part.at("type").text();
    if (type == "TemplateProcessing") {
      add_template(part, ids);
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
      before_.insert(before_.begin(), id_of_pair(part.at("cls"), ids));
      after_.push_back(id_of_pair(part.at("sep"), ids));
      if (type == "RobertaProcessing" && part.flag_or("trim_offsets", true)) {
        trims_.push_back(part.flag_or("add_prefix_space", true));
      }
    } else if (type == "ByteLevel") {
      if (part.flag_or("trim_offsets", true))
        trims_.push_back(part.flag_or("add_prefix_space", true));
    } else {
      throw part.unknown("the post-processor", type,
                         "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel and "
                         "Sequence");
    }
  }

  void add_template(const JsonPart& part, std::size_t ids) {
    const JsonPart pieces = part.at("single");
    std::vector<TokenId> before;
    bool has_sequence = false;
    for (std::size_t i = 0; i < pieces.items(); ++i) {
      const JsonPart piece = pieces.item(i);
      if (piece.has("Sequence")) {
        if (has_sequence || piece.at("Sequence").at("id").text() != "A") {
          throw piece.wrong("a template of one sequence must contain \"A\" once and no other");
        }
        has_sequence = true;
        continue;
      }
      const std::string& name = piece.at("SpecialToken").at("id").text();
      const JsonPart tokens = part.at("special_tokens").at(name).at("ids");
      for (std::size_t t = 0; t < tokens.items(); ++t) {
        (has_sequence ? after_ : before).push_back(id_of(tokens.item(t), ids));
      }
    }
    if (!has_sequence) throw pieces.wrong("the template has no sequence \"A\"");
    before_.insert(before_.begin(), before.begin(), before.end());
  }

  std::vector<TokenId> before_;
  std::vector<TokenId> after_;
  std::vector<bool> trims_;  // for each trimming step: whether a space was added first
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
