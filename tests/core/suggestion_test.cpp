// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/suggestion.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(suggestion)

using plumb::detail::did_you_mean;
using plumb::detail::edit_distance;
using plumb::detail::nearest_word;

// Counted by hand.
BOOST_AUTO_TEST_CASE(a_distance_counts_letters_that_are_wrong) {
  BOOST_TEST(edit_distance("", "") == 0U);
  BOOST_TEST(edit_distance("", "out") == 3U);
  BOOST_TEST(edit_distance("out", "") == 3U);
  BOOST_TEST(edit_distance("probe", "probe") == 0U);
  BOOST_TEST(edit_distance("prob", "probe") == 1U);      // one missing
  BOOST_TEST(edit_distance("proble", "probe") == 1U);    // one too many
  BOOST_TEST(edit_distance("prove", "probe") == 1U);     // one replaced
  BOOST_TEST(edit_distance("porbe", "probe") == 1U);     // two swapped
  BOOST_TEST(edit_distance("rpoeb", "probe") == 2U);     // two swaps
  BOOST_TEST(edit_distance("kitten", "sitting") == 3U);  // the textbook example
  BOOST_TEST(edit_distance("ca", "abc") == 3U);          // 2 if a letter may be edited twice
}

BOOST_AUTO_TEST_CASE(a_near_word_is_offered_and_no_other) {
  const std::vector<std::string> known{"probe",  "rank",      "many-shot",
                                       "report", "templates", "template-file"};
  BOOST_TEST(nearest_word("prob", known).value() == "probe");
  BOOST_TEST(nearest_word("rnak", known).value() == "rank");
  BOOST_TEST(nearest_word("manyshots", known).value() == "many-shot");  // 2 of 9 letters
  BOOST_TEST(nearest_word("template", known).value() == "templates");   // 1, the other is at 5
  BOOST_TEST(nearest_word("rep", known).value() == "report");           // begins with it, at 3
  BOOST_TEST(!nearest_word("re", known));
  BOOST_TEST(!nearest_word("bark", known));  // rank is at 2, and 1 is a third of four
  BOOST_TEST(!nearest_word("delete", known));
  BOOST_TEST(!nearest_word("", known));
  BOOST_TEST(!nearest_word("probe", {}));
  // The first of two that are equally close.
  BOOST_TEST(nearest_word("bot", {"bos", "boa"}).value() == "bos");
}

BOOST_AUTO_TEST_CASE(an_offer_is_a_question) {
  BOOST_TEST(did_you_mean("depht", {"depth"}, "--") == "did you mean --depth? ");
  BOOST_TEST(did_you_mean("depht", {"width"}, "--").empty());
}

BOOST_AUTO_TEST_SUITE_END()
