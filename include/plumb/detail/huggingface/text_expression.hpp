// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does a regular expression from a tokenizer file match?
//
// The expression is parsed by expression_parser.hpp. As in Oniguruma, the first alternative that
// matches is chosen, repetitions are greedy, and a search that takes too many steps fails.
// Expressions that can match the empty string are rejected.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/expression_parser.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

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

  /// The end of the match that begins at `at`, or nullopt. Throws a user error if the search takes
  /// too many steps, as Oniguruma does, or if too many groups and repeats are open at once.
  [[nodiscard]] std::optional<std::size_t> match(std::string_view text, std::size_t at) const {
    return Matcher(text).any_of(alternatives_, at, nullptr);
  }

 private:
  using Steps = detail::ExpressionSteps;
  using Kind = detail::ExpressionStep::Kind;

  TextExpression() = default;

  static bool may_be_empty(const std::vector<Steps>& alternatives) {
    return std::any_of(alternatives.begin(), alternatives.end(), [](const Steps& steps) {
      return std::all_of(steps.begin(), steps.end(), [](const detail::ExpressionStep& step) {
        return !step.is_repeatable() || step.least == 0 ||
               (step.kind == Kind::group && may_be_empty(step.alternatives));
      });
    });
  }

  /// One search in one text. Each step calls the function that matches the steps after it.
  class Matcher {
   public:
    /// What must match after an alternative of a group: further repeats of the group, and then the
    /// steps after it.
    struct Rest {
      const Steps& steps;
      std::size_t group;    // index in `steps`
      std::size_t repeats;  // including the current one
      std::size_t began;    // where the current one began
      const Rest* rest;
    };

    explicit Matcher(std::string_view text) : text_(text) {}

    std::optional<std::size_t> any_of(const std::vector<Steps>& alternatives, std::size_t at,
                                      const Rest* rest) {
      for (const Steps& steps : alternatives) {
        if (const auto end = from(steps, 0, at, rest)) return end;
      }
      return std::nullopt;
    }

   private:
    // A step takes up to a kilobyte of the stack in code that is not optimised.
    static constexpr std::size_t most_depth = 4000, most_calls = 10'000'000;

    std::optional<std::size_t> from(const Steps& steps, std::size_t i, std::size_t at,
                                    const Rest* rest) {
      if (++calls_ > most_calls || depth_ == most_depth) {
        throw user_error({.field = "tokenizer.json"},
                         "the text at byte " + std::to_string(at) + " of '" +
                             shortened(std::string(text_)) +
                             "' takes too many steps of an expression that repeats a group",
                         "shorten the text");
      }
      ++depth_;
      const auto end = i == steps.size() ? after_steps(at, rest) : step(steps, i, at, rest);
      --depth_;
      return end;
    }

    std::optional<std::size_t> after_steps(std::size_t at, const Rest* rest) {
      if (rest == nullptr) return at;
      // A repeat that matches nothing is the last one.
      return at == rest->began ? from(rest->steps, rest->group + 1, at, rest->rest)
                               : repeated(rest->steps, rest->group, rest->repeats, at, rest->rest);
    }

    std::optional<std::size_t> step(const Steps& steps, std::size_t i, std::size_t at,
                                    const Rest* rest) {
      const detail::ExpressionStep& step = steps[i];
      if (step.kind == Kind::group) return repeated(steps, i, 0, at, rest);
      if (!step.is_repeatable()) {
        return is_at(step, at) == step.inverted ? std::nullopt : from(steps, i + 1, at, rest);
      }
      std::size_t end = at, length = 0;
      while (end < text_.size() && length < step.most) {
        const CodePoint c = first_code_point(text_.substr(end));
        if (c.size == 0 || !step.matches(c.value)) break;
        end += c.size;
        ++length;
      }
      for (;; --length) {
        if (length < step.least) return std::nullopt;
        if (const auto found = from(steps, i + 1, end, rest)) return found;
        if (step.possessive || length == 0) return std::nullopt;
        end = before(end);
      }
    }

    /// Matches further repeats of a group and then the steps after it. `repeats` is the number so
    /// far.
    std::optional<std::size_t> repeated(const Steps& steps, std::size_t i, std::size_t repeats,
                                        std::size_t at, const Rest* rest) {
      const detail::ExpressionStep& group = steps[i];
      if (repeats < group.most) {
        const Rest further{steps, i, repeats + 1, at, rest};
        if (const auto end = any_of(group.alternatives, at, &further)) return end;
      }
      return repeats < group.least ? std::nullopt : from(steps, i + 1, at, rest);
    }

    /// Whether a look-ahead matches at a place, or the place is a position of the step's kind. A
    /// line break at the end of the text begins no further line.
    bool is_at(const detail::ExpressionStep& step, std::size_t at) {
      switch (step.kind) {
        case Kind::ahead:
          return any_of(step.alternatives, at, nullptr).has_value();
        case Kind::line_start:
          return at == 0 || (at < text_.size() && text_[at - 1] == '\n');
        case Kind::line_end:
          return at == text_.size() || text_[at] == '\n';
        default:
          break;
      }
      return (at > 0 && is_word_at(before(at))) != is_word_at(at);
    }

    [[nodiscard]] bool is_word_at(std::size_t at) const {
      return at < text_.size() &&
             detail::is_expression_word(first_code_point(text_.substr(at)).value);
    }

    /// The start of the character before `at`; `at` must not be 0.
    [[nodiscard]] std::size_t before(std::size_t at) const {
      do --at;
      while (at > 0 && (static_cast<unsigned char>(text_[at]) & 0xC0U) == 0x80U);
      return at;
    }

    std::string_view text_;
    std::size_t calls_ = 0, depth_ = 0;
  };

  std::vector<Steps> alternatives_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
