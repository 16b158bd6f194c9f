// SPDX-License-Identifier: Apache-2.0
#pragma once

// What number does a decimal string represent?
//
// std::from_chars parses a double with correct rounding and independently of the program's locale.
// libc++ provides this only since version 20. If it is missing, this file locates the number using
// the same grammar, replaces "." with the locale's decimal point, and parses the result with
// std::strtod.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The locale's decimal point; usually one byte.
inline std::string decimal_point() {
  std::array<char, 32> half{};
  std::snprintf(half.data(), half.size(), "%.1f", 0.5);
  const std::string text = half.data();
  return text.substr(1, text.size() - 2);
}

/// The position after `word` if the text begins with it, ignoring case; else `first`. `word` must
/// be in lower case.
inline const char* past_word(const char* first, const char* last, std::string_view word) {
  const char* at = first;
  for (const char letter : word) {
    if (at == last || (*at != letter && *at != letter - 'a' + 'A')) return first;
    ++at;
  }
  return at;
}

/// std::from_chars(first, last, value), implemented with strtod. It reads the longest prefix that
/// consists of an optional "-" followed by either digits with at most one point and an optional
/// exponent, or "inf", "infinity" or "nan". "nan(…)" is read only up to the opening parenthesis.
/// `value` is unchanged if the result has an error.
inline std::from_chars_result read_number_by_strtod(const char* first, const char* last,
                                                    double& value) {
  const char* at = first;
  if (at != last && *at == '-') ++at;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (const char* const end = past_word(at, last, word); end != at) {
      const double read = word == "nan" ? std::nan("") : HUGE_VAL;
      value = *first == '-' ? -read : read;
      return {end, std::errc()};
    }
  }
  bool is_zero = true;
  const auto skip_digits = [&] {
    const char* const begin = at;
    for (; at != last && *at >= '0' && *at <= '9'; ++at) is_zero = is_zero && *at == '0';
    return at != begin;
  };
  std::string text(first, at);
  const char* const whole = at;
  bool has_digits = skip_digits();
  text.append(whole, at);
  if (at != last && *at == '.') {
    const char* const fraction = ++at;
    has_digits = skip_digits() || has_digits;
    text.append(decimal_point()).append(fraction, at);
  }
  if (!has_digits) return {first, std::errc::invalid_argument};
  if (at != last && (*at == 'e' || *at == 'E')) {
    const char* const mantissa = at;
    const bool was_zero = is_zero;
    ++at;
    if (at != last && (*at == '+' || *at == '-')) ++at;
    if (!skip_digits()) at = mantissa;
    is_zero = was_zero;
    text.append(mantissa, at);
  }
  const double read = std::strtod(text.c_str(), nullptr);
  // The number is greater than the largest double, or closer to 0 than half the smallest positive
  // double.
  if (std::isinf(read) || (read == 0 && !is_zero)) return {at, std::errc::result_out_of_range};
  value = read;
  return {at, std::errc()};
}

/// std::from_chars(first, last, value) for a double, with any standard library.
template <class Number>
std::from_chars_result read_number(const char* first, const char* last, Number& value) {
  static_assert(sizeof(Number) == sizeof(double));
  if constexpr (requires { std::from_chars(first, last, value); }) {
    return std::from_chars(first, last, value);
  } else {
    return read_number_by_strtod(first, last, value);
  }
}

/// The finite number that the whole text denotes, such as "-1.5e3". Returns nullopt if the text is
/// not a number or does not fit in a double.
inline std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, failed] = read_number(text.data(), end, value);
  if (failed != std::errc() || at != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A number rounded to ten significant digits, so that writing it and reading it back yields the
/// same number.
inline double ten_digits(double value) {
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 10);
  double read = value;
  read_number(text.data(), end.ptr, read);
  return read;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
