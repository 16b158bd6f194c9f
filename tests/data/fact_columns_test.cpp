// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/fact_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(fact_columns_suite)

namespace {

using Header = std::vector<std::string>;

/// The indices of subject, relation and object, such as "012"; "" if the header does not belong to
/// a table of facts.
std::string places(const Header& header) {
  const auto columns = fact_columns(header);
  if (!columns) return "";
  return std::to_string(columns->subject) + std::to_string(columns->relation) +
         std::to_string(columns->object);
}

}  // namespace

BOOST_AUTO_TEST_CASE(columns_are_known_in_any_order_and_case_among_others) {
  BOOST_TEST(places({"subject", "relation", "object"}) == "012");
  BOOST_TEST(places({"Year", "OBJECT", "note", "Subject ", "\"Relation\""}) == "341");
  BOOST_TEST(places({"subj", "prop", "obj"}) == "012");
  BOOST_TEST(places({"tail", "head", "relation"}) == "120");
  // A column with the plain name takes precedence over all others.
  BOOST_TEST(places({"type", "relation", "subject", "s", "object", "label", "source"}) == "214");
  // Identifiers are used only if there are no columns with names.
  BOOST_TEST(places({"head_id", "head", "relation", "tail_id", "tail"}) == "124");
  BOOST_TEST(places({"subject_id", "relation_id", "object_id"}) == "012");
  BOOST_TEST(places({"subject", "relation", "objects"}) == "012");
}

BOOST_AUTO_TEST_CASE(a_header_that_does_not_tell_is_none) {
  BOOST_TEST(places({"subject", "object"}) == "");
  BOOST_TEST(places({"source", "head", "relation", "object"}) == "");
  BOOST_TEST(places({"subject", "subject", "relation", "object"}) == "");
  BOOST_TEST(places({"France", "capital", "Paris"}) == "");
  BOOST_TEST(places({}) == "");
}

// The header is copied unchanged from the published table.
BOOST_AUTO_TEST_CASE(popqa_is_read_as_it_is) {
  const Header header{
      "id",           "subj",      "prop",      "obj",      "subj_id",         "prop_id",
      "obj_id",       "s_aliases", "o_aliases", "s_uri",    "o_uri",           "s_wiki_title",
      "o_wiki_title", "s_pop",     "o_pop",     "question", "possible_answers"};
  const auto columns = fact_columns(header);
  BOOST_REQUIRE(columns.has_value());
  BOOST_TEST(places(header) == "123");
  BOOST_TEST(columns->subject_id.value() == 4U);
  BOOST_TEST(columns->object_id.value() == 6U);
  BOOST_TEST(columns->subject_aliases == (std::vector<std::size_t>{7}));
  BOOST_TEST(columns->object_aliases == (std::vector<std::size_t>{8, 16}));
  BOOST_TEST(!columns->several);
  BOOST_TEST(!columns->has(13));
}

BOOST_AUTO_TEST_CASE(several_objects_have_a_column_of_their_own_name) {
  for (const char* const name : {"objects", "Answers", "tails"}) {
    const auto columns = fact_columns({"subject", "relation", name});
    BOOST_REQUIRE(columns.has_value());
    BOOST_TEST(columns->several);
  }
  BOOST_TEST(!fact_columns({"subject", "relation", "object", "answers"})->several);
}

BOOST_AUTO_TEST_CASE(message_shows_the_header_and_the_missing_columns) {
  BOOST_TEST(lacking_columns({"country", "capital"}) ==
             "the header 'country', 'capital' names no subject, no relation and no object");
  BOOST_TEST(lacking_columns({"Subject", "Object"}) ==
             "the header 'Subject', 'Object' names no relation");
  BOOST_TEST(lacking_columns({"source", "head", "relation", "tail"}) ==
             "the header 'source', 'head', 'relation', 'tail' names more than one subject");
}

BOOST_AUTO_TEST_SUITE_END()
