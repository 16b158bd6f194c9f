// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/relation_remark.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(relation_remark_suite)

BOOST_AUTO_TEST_CASE(remark_is_listed_once_with_all_relations_it_applies_to) {
  const std::vector<std::pair<std::string, RelationRemark>> remarks{
      {"P36", {"skipped, too few facts", "3"}},
      {"P19", {"no templates"}},
      {"P30", {"skipped, too few facts", "4"}}};
  BOOST_TEST(
      distinct_remarks(remarks) ==
          (std::vector<std::string>{"skipped, too few facts: P36 3, P30 4", "no templates: P19"}),
      boost::test_tools::per_element());
  BOOST_TEST(distinct_remarks({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
