// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/version.hpp"

#include <boost/test/unit_test.hpp>
#include <regex>
#include <string>

BOOST_AUTO_TEST_SUITE(version_suite)

// The build script extracts the version from the header and needs exactly this format.
BOOST_AUTO_TEST_CASE(is_three_numbers) {
  const std::string version = PLUMB_VERSION;
  BOOST_TEST(std::regex_match(version, std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
}

BOOST_AUTO_TEST_SUITE_END()
