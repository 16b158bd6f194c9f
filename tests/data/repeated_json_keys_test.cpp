// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/repeated_json_keys.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(repeated_json_keys)

using namespace plumb::detail;

BOOST_AUTO_TEST_CASE(repeated_keys_are_found_with_their_path) {
  BOOST_TEST(
      repeated_json_key(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 2}]})").has_value() ==
      false);
  BOOST_TEST(*repeated_json_key(R"({"a": 1, "b": 2, "a": 3})") == "a");
  BOOST_TEST(*repeated_json_key(R"({"P36": {"templates": [], "x": 1, "templates": [1]}})") ==
             "P36.templates");
  BOOST_TEST(*repeated_json_key("{\"a\": 1, \"\\u0061\": 2}") == "a");
  BOOST_TEST(!repeated_json_key("{\"a\": 1, ").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
