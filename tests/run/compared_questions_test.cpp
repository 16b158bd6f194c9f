// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/compared_questions.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::row;

BOOST_AUTO_TEST_SUITE(compared_questions)

namespace {

/// Results of relations P1 and P2, without the settings of a run.
void write(test::ResultsFolder& into, const std::vector<std::string>& options,
           const std::vector<std::string>& templates) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < options.size(); ++i) scores.push_back(-1.0 - static_cast<double>(i));
  for (const char* code : {"P1", "P2"}) {
    into.add(code, options, templates, Json::object(), {row("a", 0, 0, 0, scores)});
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(other_options_and_templates_are_reported) {
  test::ResultsFolder first, same, more, injected;
  write(first, {"Paris", "Rome"}, {"[X]: [Y].", "[Y] of [X]."});
  write(same, {"Rome", "Paris"}, {"[X]: [Y]."});  // another order, and no second template
  write(more, {"Paris", "Rome", "Oslo"}, {"[X]: [Y].", "[Y] of [X]."});
  write(injected, {"Paris", "Rome"}, {"[X]: [Y].", "[Y] may be of [X]."});
  const auto remarks = [&](const test::ResultsFolder& other) {
    return question_remarks({{"one", first.path()}, {"two", other.path()}});
  };
  BOOST_TEST(remarks(first).empty());
  BOOST_TEST(remarks(same).empty());
  BOOST_TEST(remarks(more) ==
                 std::vector<std::string>{"two has other answer options than one in P1, P2, so "
                                          "their numbers may not be comparable."},
             boost::test_tools::per_element());
  BOOST_TEST(remarks(injected) ==
                 std::vector<std::string>{"two has other template texts than one in P1, P2, so "
                                          "their numbers may not be comparable."},
             boost::test_tools::per_element());
  BOOST_TEST(compares_scores({{"one", first.path()}, {"two", injected.path()}}));
  BOOST_TEST(!compares_scores({{"one", first.path()}, {"two", more.path()}}));
}

BOOST_AUTO_TEST_CASE(long_lists_of_relations_are_shortened) {
  BOOST_TEST(list_of_relations({"P1"}) == "P1");
  BOOST_TEST(list_of_relations({"P1", "P2", "P3", "P4", "P5"}) ==
             "P1, P2, P3 and 2 other relations");
}

BOOST_AUTO_TEST_SUITE_END()
