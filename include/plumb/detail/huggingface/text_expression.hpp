// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does a regular expression from a tokenizer file match?
//
// Supports the subset of Oniguruma's syntax that published tokenizers use to split words:
// alternatives, groups, (?i:…), (?=…), (?!…), characters, \s \d \w \p{L} and their complements,
// […], and ? * + {n,m} after a character or a class, including the possessive forms (?+ *+ ++). The
// first alternative that matches is chosen, and repetitions are greedy. Other syntax, and
// expressions that can match the empty string, are rejected.
// Non-goals: captures, anchors, look-behind, properties other than general categories.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/unicode_class.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Oniguruma's \w: it excludes the joiners and includes the numbers of Latin-1.
[[nodiscard]] inline bool is_expression_word(char32_t c) noexcept {
  if (c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0xBC && c <= 0xBE)) return true;
  return is_regex_word(c) && c != 0x200C && c != 0x200D;
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

/// A test for characters of one kind.
struct CharacterTest {
  enum class Kind { range, categories, space, word };
  Kind kind = Kind::range;
  char32_t first = 0, last = 0;
  std::uint32_t categories = 0;
  bool inverted = false;

  [[nodiscard]] bool operator()(char32_t c) const noexcept {
    switch (kind) {
      case Kind::range:
        return (c >= first && c <= last) != inverted;
      case Kind::categories:
        return has_category(c, categories) != inverted;
      case Kind::space:
        return is_white_space(c) != inverted;
      case Kind::word:
        break;
    }
    return is_expression_word(c) != inverted;
  }
};

/// A step in an expression: a character set (possibly repeated), a group, or a look-ahead.
struct ExpressionStep {
  enum class Kind { set, group, ahead };
  Kind kind = Kind::set;
  std::vector<CharacterTest> tests{};
  bool inverted = false;
  bool ignores_case = false;
  bool possessive = false;
  std::size_t least = 1, most = 1;
  std::vector<std::vector<ExpressionStep>> alternatives{};

  [[nodiscard]] bool matches(char32_t c) const noexcept {
    bool found = false;
    for (const CharacterTest& test : tests) {
      found = found || test(c);
      if (!ignores_case || test.kind != CharacterTest::Kind::range) continue;
      const auto code = static_cast<utf8proc_int32_t>(c);
      found = found || test(static_cast<char32_t>(utf8proc_tolower(code))) ||
              test(static_cast<char32_t>(utf8proc_toupper(code)));
    }
    return found != inverted;
  }
};

using ExpressionSteps = std::vector<ExpressionStep>;

/// Parses an expression; `steps` is empty if the expression is not supported.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

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
      if (step.kind != ExpressionStep::Kind::ahead) quantify(step);
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
      step.inverted = take("^");
      read_class(step);
    } else if (take(".")) {
      step.inverted = true;
      step.tests.push_back({CharacterTest::Kind::range, U'\n', U'\n'});
    } else {
      step.tests.push_back(character("^$?*+{}[])|"));
    }
    step.ignores_case = ignores_case_;
    return step;
  }

  /// One character, or a class after a backslash. The characters in `signs` have special meanings
  /// and are refused.
  CharacterTest character(std::string_view signs) {
    CharacterTest test;
    if (take("\\")) return escaped();
    if (at_end() || signs.find(text_[at_]) != std::string_view::npos) {
      refuse();
      return test;
    }
    const CodePoint c = first_code_point(text_.substr(at_));
    at_ += std::max<std::size_t>(1, c.size);
    test.first = test.last = c.value;
    return test;
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
      test.first = test.last = c == 'n' ? U'\n' : c == 't' ? U'\t' : U'\r';
      return test;
    } else if (is_letter || is_ascii_digit(static_cast<unsigned char>(c)) ||
               static_cast<unsigned char>(c) >= 0x80) {
      refuse();
    } else {
      test.first = test.last = static_cast<unsigned char>(c);
      return test;
    }
    if (c >= 'A' && c <= 'Z') test.inverted = !test.inverted;
    return test;
  }

  void read_class(ExpressionStep& step) {
    do {
      if (next_is("&&")) refuse();
      CharacterTest test = character("[]");
      const bool is_range = next_is("-") && !next_is("-]");
      if (understood_ && is_range) {
        take("-");
        const CharacterTest end = character("[]-");
        const bool are_characters = test.kind == CharacterTest::Kind::range &&
                                    end.kind == CharacterTest::Kind::range &&
                                    test.first <= end.first;
        if (!are_characters) refuse();
        test.last = end.first;
      }
      step.tests.push_back(test);
    } while (understood_ && !next_is("]"));
    if (!take("]")) refuse();
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
    const bool is_simple = step.kind == ExpressionStep::Kind::set;
    if (!is_simple && (step.most > 1 || step.possessive)) refuse();
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

/// Any number of threads may use the same object.
class TextExpression {
 public:
  /// Returns nullopt for an expression that uses unsupported syntax or can match the empty string.
  static std::optional<TextExpression> parse(std::string_view text) {
    auto alternatives = detail::ExpressionParser(text).parse();
    if (!alternatives || may_be_empty(*alternatives)) return std::nullopt;
    TextExpression expression;
    expression.alternatives_ = *std::move(alternatives);
    return expression;
  }

  /// The end of the match that begins at `at`, or nullopt.
  [[nodiscard]] std::optional<std::size_t> match(std::string_view text, std::size_t at) const {
    return any_of(alternatives_, text, at, nullptr);
  }

 private:
  using Steps = detail::ExpressionSteps;
  using Kind = detail::ExpressionStep::Kind;
  /// What must match after a group.
  struct Rest {
    const Steps& steps;
    std::size_t next;
    const Rest* rest;
  };

  TextExpression() = default;

  static bool may_be_empty(const std::vector<Steps>& alternatives) {
    return std::any_of(alternatives.begin(), alternatives.end(), [](const Steps& steps) {
      return std::all_of(steps.begin(), steps.end(), [](const detail::ExpressionStep& step) {
        return step.kind == Kind::ahead || step.least == 0 ||
               (step.kind == Kind::group && may_be_empty(step.alternatives));
      });
    });
  }

  static std::optional<std::size_t> any_of(const std::vector<Steps>& alternatives,
                                           std::string_view text, std::size_t at,
                                           const Rest* rest) {
    for (const Steps& steps : alternatives) {
      if (const auto end = from(steps, 0, text, at, rest)) return end;
    }
    return std::nullopt;
  }

  static std::optional<std::size_t> from(const Steps& steps, std::size_t i, std::string_view text,
                                         std::size_t at, const Rest* rest) {
    if (i == steps.size()) {
      return rest == nullptr ? std::optional(at)
                             : from(rest->steps, rest->next, text, at, rest->rest);
    }
    const detail::ExpressionStep& step = steps[i];
    if (step.kind == Kind::ahead) {
      const bool is_ahead = any_of(step.alternatives, text, at, nullptr).has_value();
      return is_ahead == step.inverted ? std::nullopt : from(steps, i + 1, text, at, rest);
    }
    if (step.kind == Kind::group) {
      const Rest behind{steps, i + 1, rest};
      if (const auto end = any_of(step.alternatives, text, at, &behind)) return end;
      return step.least == 0 ? from(steps, i + 1, text, at, rest) : std::nullopt;
    }
    std::size_t end = at, length = 0;
    while (end < text.size() && length < step.most) {
      const CodePoint c = first_code_point(text.substr(end));
      if (c.size == 0 || !step.matches(c.value)) break;
      end += c.size;
      ++length;
    }
    for (;; --length) {
      if (length < step.least) return std::nullopt;
      if (const auto found = from(steps, i + 1, text, end, rest)) return found;
      if (step.possessive || length == 0) return std::nullopt;
      do --end;
      while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U);
    }
  }

  std::vector<Steps> alternatives_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
