// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/generation_files.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(generation_files_suite)

BOOST_AUTO_TEST_CASE(the_first_twelve_are_listed_in_words) {
  NamedInRelations named{{"capital", "x"}};
  BOOST_TEST(listed_text("fact", "left out", named) == "1 fact left out: capital 'x'.");
  for (int i = 0; i < 12; ++i) named.emplace_back("author", std::to_string(i));
  const std::string text = listed_text("fact", "left out", named);
  BOOST_TEST(text.starts_with("13 facts left out: capital 'x', author '0', "));
  BOOST_TEST(text.ends_with("author '10' …"));
  named.pop_back();
  BOOST_TEST(listed_text("fact", "left out", named).ends_with("author '10'."));
}

BOOST_AUTO_TEST_CASE(what_was_left_out_is_a_table_of_all_lists) {
  const TemporaryFolder files;
  const RunFolder folder(files / "run", Json::object(), RunFolder::Claim::fresh);
  const NamedInRelations none, facts{{"capital", "a, b"}}, names{{"capital", "x"}, {"", "y"}};
  write_left_out(folder, {{"fact", &none}});
  BOOST_TEST(!std::filesystem::exists(files / "run/left_out.csv"));
  write_left_out(folder, {{"fact", &facts}, {"object", &none}, {"name", &names}});
  BOOST_TEST(slurp(files / "run/left_out.csv") ==
             "relation,what,name\ncapital,fact,\"a, b\"\ncapital,name,x\n,name,y\n");
}

BOOST_AUTO_TEST_CASE(what_was_asked_is_a_dataset) {
  const TemporaryFolder files;
  const RunFolder folder(files / "run", Json::object(), RunFolder::Claim::fresh);
  write_asked(folder, test::elements_many());
  BOOST_TEST(load_multi_prompt(files / "run/asked").relations.size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
