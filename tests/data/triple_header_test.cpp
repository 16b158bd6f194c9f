// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/triple_header.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(triple_header_suite)

namespace {

using Fields = std::vector<std::string>;

/// The column order, such as "012" for the usual one, or "" for a line that is not a header.
std::string order_of(const Fields& fields) {
  const auto columns = triple_header(fields);
  if (!columns) return "";
  return std::to_string(columns->head) + std::to_string(columns->relation) +
         std::to_string(columns->tail);
}

}  // namespace

BOOST_AUTO_TEST_CASE(names_of_columns_are_known_however_they_are_written) {
  for (const Fields& header :
       {Fields{"head", "relation", "tail"}, Fields{"Subject", "Predicate", "Object"},
        Fields{"SUBJECT", "RELATION", "OBJECT"}, Fields{"h", "r", "t"}, Fields{"s", "p", "o"},
        Fields{"source", "relation", "target"},
        Fields{"head_entity", "Relation Type", "tail-entity"},
        Fields{"\"head\"", "\"relation\"", "\"tail\""}, Fields{"# head", " relation", "tail "},
        Fields{"subj", "rel", "obj"}, Fields{"Entity 1", "Relation", "Entity 2"},
        Fields{"src", "edge", "dst"}}) {
    BOOST_TEST_CONTEXT(header[0]) {
      BOOST_TEST(order_of(header) == "012");
    }
  }
}

BOOST_AUTO_TEST_CASE(columns_may_stand_in_any_order) {
  BOOST_TEST(order_of({"head", "tail", "relation"}) == "021");
  BOOST_TEST(order_of({"Source", "Target", "Type"}) == "021");
  BOOST_TEST(order_of({"relation", "object", "subject"}) == "201");
}

BOOST_AUTO_TEST_CASE(facts_are_no_header) {
  for (const Fields& row :
       {Fields{"head", "part_of", "body"}, Fields{"France", "capital", "Paris"},
        Fields{"subject", "relation", "verb"}, Fields{"head", "head", "tail"},
        Fields{"subject", "object", "object"}, Fields{"", "", ""}, Fields{"0", "1", "2"},
        Fields{"head", "relation"}, Fields{"head", "relation", "tail", "text"}, Fields{}}) {
    BOOST_TEST(order_of(row) == "");
  }
}

BOOST_AUTO_TEST_CASE(no_name_is_of_two_columns) {
  std::vector<std::string_view> all;
  for (const auto name : head_names) all.push_back(name);
  for (const auto name : relation_names) all.push_back(name);
  for (const auto name : tail_names) all.push_back(name);
  for (const auto name : all) {
    BOOST_TEST(std::count(all.begin(), all.end(), name) == 1);
    BOOST_TEST(bare_name(name) == name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
