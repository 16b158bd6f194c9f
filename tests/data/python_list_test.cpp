// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/python_list.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;
using plumb::detail::read_written_list;

BOOST_AUTO_TEST_SUITE(python_list)

namespace {

using Texts = std::vector<std::string>;

}  // namespace

// The expected lists come from ast.literal_eval in Python 3.11. That function cannot read arrays or
// JSON's own syntax, so the expected lists for these were worked out by hand.
BOOST_AUTO_TEST_CASE(lists_are_read_as_python_reads_them) {
  const std::vector<std::pair<std::string, Texts>> lists{
      {"['19 July 1947', '1 May 1950']", {"19 July 1947", "1 May 1950"}},
      {R"(["O'Brien", 'a "b"'])", {"O'Brien", "a \"b\""}},
      {R"(['it\'s "x"', "say \"hi\", it's"])", {"it's \"x\"", "say \"hi\", it's"}},
      {R"(['a, b', 'c] d', '[e'])", {"a, b", "c] d", "[e"}},
      {R"(['\xe9t\xe9', '\u0141\xf3d\u017a', '\U0001f600', '\101\0712'])",
       {"été", "Łódź", "\U0001F600", "A92"}},
      {R"(['a\\b', 'tab\tend', 'line\nend', 'odd\d'])",
       {"a\\b", "tab\tend", "line\nend", "odd\\d"}},
      {"['Łódź', '北京']", {"Łódź", "北京"}},
      {"('a', 'b')", {"a", "b"}},
      {"('a',)", {"a"}},
      {"[ 'a' , 'b' , ]", {"a", "b"}},
      {"  ['a',\n 'b']\n", {"a", "b"}},
      {"[u'a', u\"b\"]", {"a", "b"}},
      {"['', ' ']", {"", " "}},
      {"[]", {}},
      // arrays as numpy prints them
      {"['a' 'b']", {"a", "b"}},
      {"['19 July 1947' \"O'Brien\"\n 'a, b']", {"19 July 1947", "O'Brien", "a, b"}},
      {"['a']", {"a"}},
      // JSON's own syntax
      {R"(["a\/b", "\ud83d\ude00", "\u00e9"])", {"a/b", "\U0001F600", "é"}}};
  for (const auto& [text, expected] : lists) {
    const auto made = read_written_list(text);
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(made.wrong == "");
      BOOST_TEST(made.texts == expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(invalid_lists_are_refused_with_the_reason) {
  const std::vector<std::pair<std::string, std::string>> broken{
      {"a, b", "does not begin with a bracket"},
      {"", "does not begin with a bracket"},
      {"['a', 'b'", "has no closing bracket"},
      {"['a', 'b", "has no closing quote"},
      {"['a', None]", "contains None, which is not a string"},
      {"[None]", "contains None, which is not a string"},
      {"['a', nan]", "contains nan, which is not a string"},
      {"['a', 1947]", "contains 1947, which is not a string"},
      {"[\"a\", 1947]", "contains 1947, which is not a string"},
      {"[\"a\", null]", "contains null, which is not a string"},
      {"[['a'], ['b']]", "which is not a string"},
      {"['a' 'b' ... 'y' 'z']", "was shortened with '...'"},
      {"['a', 'b' 'c']", "has a comma between some strings and none between others"},
      {"['a''b']", "has no comma between two strings"},
      {"['a',, 'b']", "has a comma without a string before it"},
      {"['a'] ['b']", "continues after its closing bracket"},
      {R"(['\ud83d'])", "without a valid code point"},
      {R"(['\x4'])", "without a valid code point"},
      {R"(['\N{BULLET}'])", "contains the escape \\N"},
      {"['a\\", "ends inside an escape"}};
  for (const auto& [text, words] : broken) {
    const auto made = read_written_list(text);
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(made.texts.empty());
      BOOST_TEST(made.wrong.find(words) != std::string::npos, made.wrong);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
