// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/decimal_number.hpp"

#include <array>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(decimal_number)

namespace {

constexpr double untouched = 4.25;

struct Read {
  double value = untouched;
  std::size_t length = 0;
  std::errc failed{};
};

Read by_strtod(std::string_view text) {
  Read read;
  const char* const end = text.data() + text.size();
  const auto made = read_number_by_strtod(text.data(), end, read.value);
  read.length = static_cast<std::size_t>(made.ptr - text.data());
  read.failed = made.ec;
  return read;
}

/// Compares the result with std::from_chars, which the standard library used by the tests provides
/// for double.
void agrees_with_from_chars(std::string_view text) {
  Read expected;
  const char* const end = text.data() + text.size();
  const auto made = std::from_chars(text.data(), end, expected.value);
  const Read read = by_strtod(text);
  BOOST_TEST_INFO(text);
  BOOST_TEST(read.length == static_cast<std::size_t>(made.ptr - text.data()));
  BOOST_TEST((read.failed == made.ec));
  BOOST_TEST(std::bit_cast<std::uint64_t>(read.value) ==
             std::bit_cast<std::uint64_t>(expected.value));
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_are_rounded_to_the_nearest_double) {
  // These are halfway cases between two known neighbours: 2^53 + 1 rounds to even, and anything
  // above it rounds up.
  BOOST_TEST(by_strtod("9007199254740993").value == 9007199254740992.0);
  BOOST_TEST(by_strtod("9007199254740993.0000000000000000000000000000001").value ==
             9007199254740994.0);
  BOOST_TEST(by_strtod("0.1").value == 0.1);
  BOOST_TEST(by_strtod("1e23").value == 1e23);
  BOOST_TEST(by_strtod("4.9406564584124654e-324").value ==
             std::numeric_limits<double>::denorm_min());
  // Just above half of the smallest denormal number.
  BOOST_TEST(by_strtod("2.4703282292062328e-324").value ==
             std::numeric_limits<double>::denorm_min());
  BOOST_TEST(by_strtod("1.7976931348623157e308").value == std::numeric_limits<double>::max());
  // The 60th decimal decides the rounding, so a buffer of 40 digits would be too small.
  BOOST_TEST(by_strtod("1.00000000000000011102230246251565404236316680908203125").value == 1.0);
  BOOST_TEST(by_strtod("1.00000000000000011102230246251565404236316680908203126").value ==
             std::nextafter(1.0, 2.0));
}

BOOST_AUTO_TEST_CASE(it_reads_what_from_chars_reads_and_no_more) {
  for (const char* const text : {"",
                                 "-",
                                 "+1",
                                 " 1",
                                 ".",
                                 "-.",
                                 "e5",
                                 ".e5",
                                 "1",
                                 "-1",
                                 "1.",
                                 ".5",
                                 "-.5",
                                 "1.5.2",
                                 "1e5",
                                 "1E+05",
                                 "1e",
                                 "1e+",
                                 "1e-",
                                 "1.e2",
                                 "1ex",
                                 "0x10",
                                 "-0",
                                 "0.0e999999",
                                 "1e400",
                                 "-1e400",
                                 "1e-400",
                                 "1e99999999999999999999",
                                 "1e-99999999999999999999",
                                 "0e-400",
                                 "2e-324",
                                 "5e-324",
                                 "1,5",
                                 "1'000",
                                 "inf",
                                 "-inf",
                                 "Infinity",
                                 "-INFINITY",
                                 "infinit",
                                 "in",
                                 "nan",
                                 "-NaN",
                                 "na",
                                 "1_0",
                                 "12abc",
                                 "--1",
                                 "1.7976931348623159e308",
                                 "00012",
                                 "0.00000000000000000000000000000000000000000000000000001"}) {
    agrees_with_from_chars(text);
  }
  BOOST_TEST(by_strtod("nan(1)").length == 3U);  // from_chars also reads the parentheses
}

BOOST_AUTO_TEST_CASE(random_texts_are_read_as_from_chars_reads_them) {
  std::mt19937_64 random(44);
  const std::string_view letters = "0123456789.-+eE0123456789 infa";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t n = random() % 12; n > 0; --n) text += letters[random() % letters.size()];
    agrees_with_from_chars(text);
  }
  for (int i = 0; i < 20000; ++i) {  // arbitrary doubles, with all their digits and with fewer
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    std::array<char, 2000> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::scientific, static_cast<int>(random() % 30));
    agrees_with_from_chars({text.data(), end.ptr});
    const auto shortest = std::to_chars(text.data(), text.data() + text.size(), value);
    BOOST_TEST(by_strtod({text.data(), shortest.ptr}).value == value);
  }
}

BOOST_AUTO_TEST_CASE(a_finite_number_is_the_whole_text) {
  BOOST_TEST(finite_number("-1.5e3").value() == -1500);
  BOOST_TEST(finite_number("0").value() == 0);
  for (const char* const text : {"", "1 ", " 1", "1e400", "inf", "nan", "0.5x", "+1", "0,5"}) {
    BOOST_TEST_INFO(text);
    BOOST_TEST(!finite_number(text));
  }
}

BOOST_AUTO_TEST_SUITE_END()
