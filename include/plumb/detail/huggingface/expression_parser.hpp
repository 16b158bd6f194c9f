// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a regular expression from a tokenizer file mean?
//
// Parses the subset of Oniguruma's syntax that published tokenizers use to split words:
// alternatives, groups, (?i:…), (?=…), (?!…), characters, \s \d \w \p{L} and their complements,
// […] with classes inside and with &&, ^ and $ at lines' ends, \b, and ? * + {n,m}, including the
// possessive forms (?+ *+ ++) after a character or a class. Other syntax is rejected.
// Non-goals: captures, look-behind, properties other than general categories, and case-insensitive
// matches of several characters (ß and ss).

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/unicode_class.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Oniguruma's \w within brackets: it excludes the joiners.
[[nodiscard]] inline bool is_word_in_class(char32_t c) noexcept {
  return is_regex_word(c) && c != 0x200C && c != 0x200D;
}

/// Oniguruma's \w outside brackets: it also includes the numbers of Latin-1.
[[nodiscard]] inline bool is_expression_word(char32_t c) noexcept {
  if (c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0xBC && c <= 0xBE)) return true;
  return is_word_in_class(c);
}

/// The bits of a general category ("Lu") or of a group of them ("L"); 0 for an unknown name.
[[nodiscard]] inline std::uint32_t categories_named(std::string_view name) noexcept {
  constexpr std::array<std::pair<std::string_view, int>, 30> all{
      {{"Cn", UTF8PROC_CATEGORY_CN}, {"Lu", UTF8PROC_CATEGORY_LU}, {"Ll", UTF8PROC_CATEGORY_LL},
       {"Lt", UTF8PROC_CATEGORY_LT}, {"Lm", UTF8PROC_CATEGORY_LM}, {"Lo", UTF8PROC_CATEGORY_LO},
       {"Mn", UTF8PROC_CATEGORY_MN}, {"Mc", UTF8PROC_CATEGORY_MC}, {"Me", UTF8PROC_CATEGORY_ME},
       {"Nd", UTF8PROC_CATEGORY_ND}, {"Nl", UTF8PROC_CATEGORY_NL}, {"No", UTF8PROC_CATEGORY_NO},
       {"Pc", UTF8PROC_CATEGORY_PC}, {"Pd", UTF8PROC_CATEGORY_PD}, {"Ps", UTF8PROC_CATEGORY_PS},
       {"Pe", UTF8PROC_CATEGORY_PE}, {"Pi", UTF8PROC_CATEGORY_PI}, {"Pf", UTF8PROC_CATEGORY_PF},
       {"Po", UTF8PROC_CATEGORY_PO}, {"Sm", UTF8PROC_CATEGORY_SM}, {"Sc", UTF8PROC_CATEGORY_SC},
       {"Sk", UTF8PROC_CATEGORY_SK}, {"So", UTF8PROC_CATEGORY_SO}, {"Zs", UTF8PROC_CATEGORY_ZS},
       {"Zl", UTF8PROC_CATEGORY_ZL}, {"Zp", UTF8PROC_CATEGORY_ZP}, {"Cc", UTF8PROC_CATEGORY_CC},
       {"Cf", UTF8PROC_CATEGORY_CF}, {"Cs", UTF8PROC_CATEGORY_CS}, {"Co", UTF8PROC_CATEGORY_CO}}};
  std::uint32_t bits = 0;
  for (const auto& [category, bit] : all) {
    if (name == category || (name.size() == 1 && name[0] == category[0])) bits |= category_bit(bit);
  }
  return bits;
}

struct CharacterTest;

/// A set of characters: those for which a test of every operand succeeds.
struct CharacterSet {
  std::vector<std::vector<CharacterTest>> operands{};
  bool inverted = false;

  [[nodiscard]] bool matches(char32_t c, bool ignores_case) const noexcept;
};

/// A test for characters of one kind.
struct CharacterTest {
  enum class Kind { range, categories, space, word, word_in_class, set };
  Kind kind = Kind::range;
  char32_t first = 0, last = 0;
  std::uint32_t categories = 0;
  bool inverted = false;
  CharacterSet set{};

  [[nodiscard]] bool operator()(char32_t c, bool ignores_case = false) const noexcept {
    switch (kind) {
      case Kind::range:
        return is_in_range(c, ignores_case) != inverted;
      case Kind::categories:
        return has_category(c, categories) != inverted;
      case Kind::space:
        return is_white_space(c) != inverted;
      case Kind::word:
        return is_expression_word(c) != inverted;
      case Kind::word_in_class:
        return is_word_in_class(c) != inverted;
      case Kind::set:
        break;
    }
    return set.matches(c, ignores_case);
  }

 private:
  [[nodiscard]] bool is_in_range(char32_t c, bool ignores_case) const noexcept {
    const auto is_in = [this](char32_t one) { return one >= first && one <= last; };
    if (is_in(c)) return true;
    if (!ignores_case) return false;
    const auto code = static_cast<utf8proc_int32_t>(c);
    const utf8proc_int32_t lower = utf8proc_tolower(code), upper = utf8proc_toupper(code);
    for (const utf8proc_int32_t one :
         {lower, upper, utf8proc_tolower(upper), utf8proc_toupper(lower)}) {
      if (is_in(static_cast<char32_t>(one))) return true;
    }
    return false;
  }
};

inline bool CharacterSet::matches(char32_t c, bool ignores_case) const noexcept {
  const bool found = std::all_of(operands.begin(), operands.end(), [&](const auto& tests) {
    return std::any_of(tests.begin(), tests.end(),
                       [&](const CharacterTest& test) { return test(c, ignores_case); });
  });
  return found != inverted;
}

/// A step in an expression: a character set or a group, each possibly repeated, a look-ahead, or a
/// position.
struct ExpressionStep {
  enum class Kind { set, group, ahead, line_start, line_end, word_boundary };
  Kind kind = Kind::set;
  CharacterSet set{};
  /// Of a look-ahead or a word boundary: whether it must not be there.
  bool inverted = false;
  bool ignores_case = false;
  bool possessive = false;
  std::size_t least = 1, most = 1;
  std::vector<std::vector<ExpressionStep>> alternatives{};

  /// Which ASCII characters a set contains.
  std::array<bool, 128> ascii{};

  [[nodiscard]] bool is_repeatable() const noexcept {
    return kind == Kind::set || kind == Kind::group;
  }
  /// Whether a set contains a character.
  [[nodiscard]] bool matches(char32_t c) const noexcept {
    return c < ascii.size() ? ascii[c] : set.matches(c, ignores_case);
  }
};

using ExpressionSteps = std::vector<ExpressionStep>;

/// Parses an expression.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  /// The alternatives; nullopt if the expression is not supported.
  [[nodiscard]] std::optional<std::vector<ExpressionSteps>> parse() {
    auto all = alternatives(0);
    if (!understood_ || at_ < text_.size()) return std::nullopt;
    return all;
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] bool next_is(std::string_view words) const {
    return text_.substr(at_).starts_with(words);
  }
  bool take(std::string_view words) {
    if (!next_is(words)) return false;
    at_ += words.size();
    return true;
  }
  void refuse() { understood_ = false; }

  std::vector<ExpressionSteps> alternatives(std::size_t depth) {
    std::vector<ExpressionSteps> all(1);
    while (understood_ && !at_end() && !next_is(")")) {
      if (take("|")) {
        all.emplace_back();
        continue;
      }
      ExpressionStep step = one_step(depth);
      if (step.is_repeatable()) quantify(step);
      all.back().push_back(std::move(step));
    }
    return all;
  }

  ExpressionStep one_step(std::size_t depth) {
    ExpressionStep step;
    if (take("(")) {
      const bool before = ignores_case_;
      step.kind = ExpressionStep::Kind::group;
      if (take("?i:")) {
        ignores_case_ = true;
      } else if (take("?!") || take("?=")) {
        step.kind = ExpressionStep::Kind::ahead;
        step.inverted = text_[at_ - 1] == '!';
      } else if (!take("?:") && next_is("?")) {
        refuse();
      }
      if (depth == 8) {
        refuse();
      } else {
        step.alternatives = alternatives(depth + 1);
      }
      if (!take(")")) refuse();
      ignores_case_ = before;
    } else if (take("[")) {
      step.set = character_class(depth);
    } else if (take(".")) {
      step.set = {{{one_character(U'\n')}}, true};
    } else if (take("^")) {
      step.kind = ExpressionStep::Kind::line_start;
    } else if (take("$")) {
      step.kind = ExpressionStep::Kind::line_end;
    } else if (take("\\b") || take("\\B")) {
      step.kind = ExpressionStep::Kind::word_boundary;
      step.inverted = text_[at_ - 1] == 'B';
    } else {
      step.set = {{{character("?*+{}[])|")}}};
    }
    step.ignores_case = ignores_case_;
    for (char32_t c = 0; c < step.ascii.size(); ++c) {
      step.ascii[c] = step.set.matches(c, step.ignores_case);
    }
    return step;
  }

  /// One character, or a class after a backslash. The characters in `signs` have special meanings
  /// and are refused.
  CharacterTest character(std::string_view signs) {
    if (take("\\")) return escaped();
    if (at_end() || signs.find(text_[at_]) != std::string_view::npos) {
      refuse();
      return {};
    }
    const CodePoint c = first_code_point(text_.substr(at_));
    at_ += std::max<std::size_t>(1, c.size);
    return one_character(c.value);
  }

  static CharacterTest one_character(char32_t c) {
    CharacterTest test;
    test.first = test.last = c;
    return test;
  }

  /// The character with a hexadecimal code.
  CharacterTest coded(std::string_view digits) {
    std::uint32_t code = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, code, 16);
    if (error != std::errc() || stop != end || code > 0x10FFFF) refuse();
    return one_character(code);
  }

  CharacterTest escaped() {
    using Kind = CharacterTest::Kind;
    CharacterTest test;
    const char c = at_end() ? 'b' : text_[at_++];
    const bool is_letter = is_ascii_letter(static_cast<unsigned char>(c));
    if (c == 's' || c == 'S') {
      test.kind = Kind::space;
    } else if (c == 'w' || c == 'W') {
      test.kind = Kind::word;
    } else if (c == 'd' || c == 'D') {
      test.kind = Kind::categories;
      test.categories = category_bit(UTF8PROC_CATEGORY_ND);
    } else if ((c == 'p' || c == 'P') && take("{")) {
      const bool other = take("^");
      const std::size_t end = text_.find('}', at_);
      const std::size_t size = end == std::string_view::npos ? 0 : end - at_;
      test.kind = Kind::categories;
      test.categories = categories_named(text_.substr(at_, size));
      if (test.categories == 0) refuse();
      at_ = (std::min)(text_.size(), at_ + size + 1);
      test.inverted = other;
    } else if (c == 'n' || c == 't' || c == 'r') {
      return one_character(c == 'n' ? U'\n' : c == 't' ? U'\t' : U'\r');
    } else if (c == 'u') {
      const std::string_view digits = text_.substr(at_, 4);
      at_ += digits.size();
      if (digits.size() < 4) refuse();
      return coded(digits);
    } else if (c == 'x' && take("{")) {
      const std::size_t size = (std::min)(text_.find('}', at_), text_.size()) - at_;
      const std::string_view digits = text_.substr(at_, size);
      at_ += size;
      if (!take("}")) refuse();
      return coded(digits);
    } else if (is_letter || is_ascii_digit(static_cast<unsigned char>(c)) ||
               static_cast<unsigned char>(c) >= 0x80) {
      refuse();
    } else {
      return one_character(static_cast<unsigned char>(c));
    }
    if (c >= 'A' && c <= 'Z') test.inverted = !test.inverted;
    return test;
  }

  /// The class after its opening bracket.
  CharacterSet character_class(std::size_t depth) {
    CharacterSet made;
    made.inverted = take("^");
    made.operands.emplace_back();
    do {
      if (take("&&")) {
        if (made.operands.back().empty() || next_is("]") || next_is("&&")) refuse();
        if (ignores_case_) refuse();  // Oniguruma intersects before it folds case
        made.operands.emplace_back();
      }
      if (next_is("[:")) refuse();  // POSIX names
      if (take("[")) {
        CharacterTest nested;
        nested.kind = CharacterTest::Kind::set;
        if (depth == 8) {
          refuse();
        } else {
          nested.set = character_class(depth + 1);
        }
        if (ignores_case_ && nested.set.inverted) refuse();  // as above
        if (next_is("-") && !next_is("-]")) refuse();
        made.operands.back().push_back(std::move(nested));
        continue;
      }
      CharacterTest test = character("[]");
      if (test.kind == CharacterTest::Kind::word) test.kind = CharacterTest::Kind::word_in_class;
      const bool is_range = next_is("-") && !next_is("-]");
      if (next_is("-&&")) refuse();
      if (understood_ && is_range) {
        take("-");
        const CharacterTest end = character("[]-");
        const bool are_characters = test.kind == CharacterTest::Kind::range &&
                                    end.kind == CharacterTest::Kind::range &&
                                    test.first <= end.first;
        if (!are_characters) refuse();
        test.last = end.first;
      }
      made.operands.back().push_back(std::move(test));
    } while (understood_ && !next_is("]"));
    if (!take("]")) refuse();
    return made;
  }

  void quantify(ExpressionStep& step) {
    constexpr auto any = static_cast<std::size_t>(-1);
    bool may_be_possessive = true;
    if (take("?")) {
      step.least = 0;
    } else if (take("*")) {
      step.least = 0;
      step.most = any;
    } else if (take("+")) {
      step.most = any;
    } else if (take("{")) {
      step.least = count();
      step.most = step.least;
      if (take(",")) step.most = next_is("}") ? any : count();
      if (!take("}") || step.most < step.least || step.most == 0) refuse();
      may_be_possessive = false;
    } else {
      return;
    }
    step.possessive = may_be_possessive && take("+");
    if (step.kind == ExpressionStep::Kind::group && step.possessive) refuse();
    if (next_is("?") || next_is("*") || next_is("+") || next_is("{")) refuse();
  }

  std::size_t count() {
    std::size_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [stop, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (code != std::errc()) refuse();
    at_ += static_cast<std::size_t>(stop - begin);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool ignores_case_ = false;
  bool understood_ = true;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
