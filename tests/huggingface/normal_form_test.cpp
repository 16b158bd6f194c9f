// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/normal_form.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

BOOST_AUTO_TEST_SUITE(normal_form_suite)

namespace {

std::string in(plumb::detail::NormalForm form, std::string_view text) {
  plumb::detail::AlignedText made(text);
  plumb::detail::normalize(made, form);
  return std::string(made.text());
}

}  // namespace

// The texts are the examples from UAX #15, figures 3 to 6 and section 1.1.
BOOST_AUTO_TEST_CASE(forms_of_the_standards_examples) {
  using enum plumb::detail::NormalForm;
  BOOST_TEST(in(nfd, "\u00C5") == "A\u030A");
  BOOST_TEST(in(nfc, "\u212B") == "\u00C5");
  BOOST_TEST(in(nfc, "\u2126") == "\u03A9");
  BOOST_TEST(in(nfd, "\u1E69") == "s\u0323\u0307");
  BOOST_TEST(in(nfd, "\u1E0B\u0323") == "d\u0323\u0307");
  BOOST_TEST(in(nfc, "\u1E0B\u0323") == "\u1E0D\u0307");
  BOOST_TEST(in(nfc, "q\u0307\u0323") == "q\u0323\u0307");
  BOOST_TEST(in(nfd, "\uFB01") == "\uFB01");
  BOOST_TEST(in(nfkd, "\uFB01") == "fi");
  BOOST_TEST(in(nfkc, "2\u2075") == "25");
  BOOST_TEST(in(nfkd, "\u1E9B\u0323") == "s\u0323\u0307");
  BOOST_TEST(in(nfkc, "\u1E9B\u0323") == "\u1E69");
}

BOOST_AUTO_TEST_CASE(hangul_and_excluded_characters) {
  using enum plumb::detail::NormalForm;
  BOOST_TEST(in(nfd, "\uAC01") == "\u1100\u1161\u11A8");
  BOOST_TEST(in(nfc, "\u1100\u1161\u11A8") == "\uAC01");
  BOOST_TEST(in(nfc, "\u0958") == "\u0915\u093C");  // a character that is excluded from composition
  BOOST_TEST(in(nfc, "\u0344") == "\u0308\u0301");
}

BOOST_AUTO_TEST_CASE(ascii_and_lone_marks_stay) {
  using enum plumb::detail::NormalForm;
  BOOST_TEST(in(nfkc, "plain text") == "plain text");
  BOOST_TEST(in(nfc, "\u0301a") == "\u0301a");
  BOOST_TEST(in(nfd, "") == "");
}

BOOST_AUTO_TEST_CASE(parts_of_a_character_come_from_it_and_a_composed_one_from_its_first) {
  plumb::detail::AlignedText apart("x\u00E9");
  plumb::detail::normalize(apart, plumb::detail::NormalForm::nfd);
  BOOST_TEST((apart.origin(1) == plumb::detail::ByteSpan{1, 3} &&
              apart.origin(2) == plumb::detail::ByteSpan{1, 3}));
  plumb::detail::AlignedText together("e\u0301x");
  plumb::detail::normalize(together, plumb::detail::NormalForm::nfc);
  BOOST_TEST((together.origin(0) == plumb::detail::ByteSpan{0, 1}));
  BOOST_TEST((together.origin(2) == plumb::detail::ByteSpan{3, 4}));
}

BOOST_AUTO_TEST_SUITE_END()
