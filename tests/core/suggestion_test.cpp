// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/suggestion.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(suggestion)

using plumb::detail::did_you_mean;
using plumb::detail::edit_distance;
using plumb::detail::nearest_word;

// The distances are counted by hand.
BOOST_AUTO_TEST_CASE(a_distance_counts_letters_that_are_wrong) {
  BOOST_TEST(edit_distance("", "") == 0U);
  BOOST_TEST(edit_distance("", "out") == 3U);
  BOOST_TEST(edit_distance("out", "") == 3U);
  BOOST_TEST(edit_distance("probe", "probe") == 0U);
  BOOST_TEST(edit_distance("prob", "probe") == 1U);      // one letter is missing
  BOOST_TEST(edit_distance("proble", "probe") == 1U);    // one letter too many
  BOOST_TEST(edit_distance("prove", "probe") == 1U);     // one letter replaced
  BOOST_TEST(edit_distance("porbe", "probe") == 1U);     // one swap of two letters
  BOOST_TEST(edit_distance("rpoeb", "probe") == 2U);     // two swaps
  BOOST_TEST(edit_distance("kitten", "sitting") == 3U);  // the textbook example
  BOOST_TEST(edit_distance("ca", "abc") == 3U);  // would be 2 if a letter could be edited twice
}

BOOST_AUTO_TEST_CASE(a_near_word_is_offered_and_no_other) {
  const std::vector<std::string> known{"probe",  "rank",      "many-shot",
                                       "report", "templates", "template-file"};
  BOOST_TEST(nearest_word("prob", known).value() == "probe");
  BOOST_TEST(nearest_word("rnak", known).value() == "rank");
  // At distance 2, for 9 letters.
  BOOST_TEST(nearest_word("manyshots", known).value() == "many-shot");
  // At distance 1; `template-file` is at distance 5.
  BOOST_TEST(nearest_word("template", known).value() == "templates");
  // At distance 3, but it begins with the word.
  BOOST_TEST(nearest_word("rep", known).value() == "report");
  BOOST_TEST(!nearest_word("re", known));
  // `rank` is at distance 2, but four letters allow only 1.
  BOOST_TEST(!nearest_word("bark", known));
  BOOST_TEST(!nearest_word("delete", known));
  BOOST_TEST(!nearest_word("", known));
  BOOST_TEST(!nearest_word("probe", {}));
  // Of two words at the same distance, the first is suggested.
  BOOST_TEST(nearest_word("bot", {"bos", "boa"}).value() == "bos");
}

BOOST_AUTO_TEST_CASE(an_offer_is_a_question) {
  BOOST_TEST(did_you_mean("depht", {"depth"}, "--") == "did you mean --depth? ");
  BOOST_TEST(did_you_mean("depht", {"width"}, "--").empty());
}

BOOST_AUTO_TEST_SUITE_END()
