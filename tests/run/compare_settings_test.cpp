// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/compare_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(compare_settings)

BOOST_AUTO_TEST_CASE(a_pair_is_read_where_only_one_reading_names_two_models) {
  const std::vector<std::string> models{"a", "b", "b:c", "c"};
  using Pair = std::pair<std::string, std::string>;
  BOOST_TEST((parse_pair("a:b", models) == Pair{"a", "b"}));
  BOOST_TEST((parse_pair("a:b:c", models) == Pair{"a", "b:c"}));
  for (const char* wrong : {"a", "a:", "a:d", "a:a", "b:c:c:c"}) {
    BOOST_CHECK_EXCEPTION(
        (void)parse_pair(wrong, models), Error,
        test::says(Fault::user, "'" + std::string(wrong) + "' does not name two of the models"));
  }
  const std::vector<std::string> both{"a", "a:b", "b:c", "c"};  // a:b:c can be read in two ways
  BOOST_CHECK_EXCEPTION((void)parse_pair("a:b:c", both), Error,
                        test::says(Fault::user, "does not name two of the models"));
}

BOOST_AUTO_TEST_SUITE_END()
