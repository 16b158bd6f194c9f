// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/data/written_numbers.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(written_numbers_suite)

BOOST_AUTO_TEST_CASE(floats_keep_their_spelling_and_other_values_do_not_change) {
  const auto kept = [](const std::string& text) {
    Json value = Json::parse(text);
    keep_spellings_of_floats(value, text);
    return value.dump();
  };
  BOOST_TEST(kept(R"({"a": 2.50, "b": [1e3, 7, {"c": -0.0}], "d": "0.10"})") ==
             R"({"a":"2.50","b":["1e3",7,{"c":"-0.0"}],"d":"0.10"})");
  BOOST_TEST(kept(R"([123456789012345678901234567890])") ==
             R"(["123456789012345678901234567890"])");
  BOOST_TEST(kept(R"({"a": 1, "b": null})") == R"({"a":1,"b":null})");
  BOOST_TEST(kept(R"({"a": 1.50, "a": 2})") == R"({"a":2})");
  BOOST_TEST(kept(R"({"a": 1.50, "a": 2.50})") == R"({"a":2.5})");
}

BOOST_AUTO_TEST_SUITE_END()
