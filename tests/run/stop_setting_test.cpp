// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/stop_setting.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(stop_texts)

namespace {

using Words = std::vector<std::string>;

Words read(const Words& words) {
  StopTexts stop{{"before"}};
  stop.read(words);
  return stop.texts;
}

}  // namespace

BOOST_AUTO_TEST_CASE(texts_stand_as_they_are_or_with_a_backslash) {
  BOOST_TEST((read({"%", "Q:"}) == Words{"%", "Q:"}));
  BOOST_TEST((read({"\\n", "\n"}) == Words{"\n"}));  // the same, once
  BOOST_TEST((read({"a\\n\\tb\\r\\\\n"}) == Words{"a\n\tb\r\\n"}));
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_none_and_stands_alone) {
  BOOST_TEST(read({""}).empty());
  BOOST_CHECK_EXCEPTION((void)read({"\n", ""}), Error,
                        says(Fault::user,
                             "`stop`: combines an empty text with another text; remove "
                             "it"));
}

BOOST_AUTO_TEST_CASE(other_letters_behind_a_backslash_are_refused) {
  for (const char* word : {"\\d", "a\\"}) {
    BOOST_CHECK_EXCEPTION((void)read({word}), Error,
                          says(Fault::user,
                               "contains a backslash that is not followed by n, t or r; "
                               "write \\\\ for a backslash"));
  }
}

BOOST_AUTO_TEST_CASE(run_json_has_the_texts) {
  BOOST_TEST((StopTexts{{"\n", "%"}}.json() == Json{"\n", "%"}));
  BOOST_TEST((StopTexts{}.json() == Json::array()));
}

BOOST_AUTO_TEST_SUITE_END()
