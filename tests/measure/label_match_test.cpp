// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/label_match.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(label_match)

// The expected values were computed in Python: `label in text`, and `label.lower().replace(':',
// '').replace(',', '').replace('.', '') in text.lower()`.
BOOST_AUTO_TEST_CASE(a_label_is_in_a_text_by_the_letters_or_by_the_authors_program) {
  struct {
    const char* text;
    const char* label;
    bool letters, program;
  } const cases[] = {
      {"It is Paris, France.", "Paris", true, true},
      {"it is paris", "Paris", false, true},
      {"IT IS PARIS", "Paris", false, true},
      {"The comparison", "Paris", false, true},  // whole words are not required
      {"comparison", "paris", true, true},
      {"Los Angeles, California", "Los Angeles, California", true, false},
      {"los angeles california", "Los Angeles, California", false, true},
      {"St. Louis", "St. Louis", true, false},
      {"St Louis", "St. Louis", false, true},
      {"at 12:30", "12:30", true, false},
      {"at 1230", "12:30", false, true},
      {"ÉCOLE", "école", false, true},
      {"", "Oslo", false, false},
      {"", "", true, true},
      {"Oslo", "...", false, true},
      {"a-b;c", "A-B;C", false, true},  // other symbols are not removed
  };
  for (const auto& one : cases) {
    BOOST_TEST_CONTEXT(one.text << " / " << one.label) {
      BOOST_TEST(holds_label(one.text, one.label, LabelMatch::letters) == one.letters);
      BOOST_TEST(holds_label(one.text, one.label, LabelMatch::program) == one.program);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_rule_has_a_name) {
  for (const LabelMatch match : every(LabelMatch{})) BOOST_TEST(!name_of(match).empty());
  BOOST_TEST(name_of(LabelMatch::program) == "program");
}

BOOST_AUTO_TEST_SUITE_END()
