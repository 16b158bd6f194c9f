// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/prompt_rows.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::GenerationFolder;
using test::says;

BOOST_AUTO_TEST_SUITE(prompt_rows)

BOOST_AUTO_TEST_CASE(rows_come_relation_by_relation_about_what_was_asked) {
  const GenerationFolder made;
  const auto check_all = [&](std::initializer_list<RecordedAnswer> rows) {
    PromptRowCheck check("rows", made.asked());
    std::size_t place = 0, line = 0;
    for (RecordedAnswer row : rows) {
      row.line = ++line;
      place = check(row);
    }
    return place;
  };
  const RecordedAnswer first = made.answer(0, {0, 0, 0}, "H");
  const RecordedAnswer last = made.answer(2, {0, 0, 0}, "gas");
  BOOST_TEST(check_all({first}) == 0U);
  BOOST_TEST(check_all({first, last}) == 2U);
  const auto refused = [&](std::initializer_list<RecordedAnswer> rows, const std::string& words) {
    BOOST_CHECK_EXCEPTION((void)check_all(rows), Error, says(Fault::user, words));
  };
  refused({first, first}, "rows:2: symbol: this prompt already has a row");
  refused({last, first},
          "rows:2: symbol: is not one of the relations that were queried, or its rows are not "
          "contiguous");
  RecordedAnswer other = first;
  other.subject = "nobody";
  refused({other}, "rows:1: symbol: the row belongs to a prompt that was not used");
  other = first;
  other.prompt.template_index = 100;
  refused({other}, "rows:1: symbol: the row belongs to a prompt that was not used");
}

BOOST_AUTO_TEST_SUITE_END()
