// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/error.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <type_traits>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(error_suite)

namespace {

std::string text_of(const Error& error) {
  return error.what();
}

}  // namespace

BOOST_AUTO_TEST_CASE(names_file_line_field_message_and_remedy) {
  const Error error =
      user_error({"facts/P36.jsonl", 7, "sub_label"}, "is empty", "give it a label");
  BOOST_TEST(text_of(error) == "facts/P36.jsonl:7: sub_label: is empty; give it a label");
  BOOST_TEST(error.remedy() == "give it a label");
}

BOOST_AUTO_TEST_CASE(message_omits_unknown_parts_of_the_site) {
  BOOST_TEST(text_of(user_error({}, "broke")) == "broke");
  BOOST_TEST(user_error({}, "broke").remedy() == "");
  BOOST_TEST(text_of(user_error({}, "broke", "fix it")) == "broke; fix it");
  BOOST_TEST(text_of(user_error({.file = "a.json"}, "broke")) == "a.json: broke");
  BOOST_TEST(text_of(user_error({"a.json", 3}, "broke")) == "a.json:3: broke");
  BOOST_TEST(text_of(user_error({.setting = "bos"}, "broke")) == "`bos`: broke");
  BOOST_TEST(text_of(user_error({.file = "a.json", .field = "P36"}, "broke")) ==
             "a.json: P36: broke");
}

BOOST_AUTO_TEST_CASE(a_line_without_a_file_is_not_shown) {
  BOOST_TEST(text_of(user_error({.line = 3}, "broke")) == "broke");
}

BOOST_AUTO_TEST_CASE(is_one_line_whatever_the_data_held) {
  const Error error = user_error({"a\nb.tsv", 1, "x\ry"}, "one\r\ntwo", "three\nfour");
  BOOST_TEST(text_of(error) == "a b.tsv:1: x y: one  two; three four");
}

BOOST_AUTO_TEST_CASE(error_records_fault_and_site) {
  const Error mine = user_error({"a.json", 3, "P36"}, "broke");
  BOOST_TEST((mine.fault() == Fault::user));
  BOOST_TEST(mine.site().file == "a.json");
  BOOST_TEST(mine.site().line == 3U);
  BOOST_TEST(mine.site().field == "P36");
  BOOST_TEST((internal_error({}, "broke").fault() == Fault::internal));
}

BOOST_AUTO_TEST_CASE(is_caught_as_a_standard_exception) {
  static_assert(std::is_base_of_v<std::runtime_error, Error>);
  BOOST_CHECK_EXCEPTION(throw internal_error({.file = "a.json"}, "broke", "try again"),
                        std::exception, [](const std::exception& error) {
                          return std::string(error.what()) == "a.json: broke; try again";
                        });
}

BOOST_AUTO_TEST_CASE(a_message_shows_what_a_terminal_would_obey) {
  const Error error = user_error({.field = "P\x1b[31m"}, "'a\u009B\u202E' is odd", "rename\x07 it");
  BOOST_TEST(error.what() ==
             std::string("P\\u001b[31m: 'a\\u009b\\u202e' is odd; rename\\u0007 it"));
}

BOOST_AUTO_TEST_SUITE_END()
