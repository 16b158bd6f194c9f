// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/laureate_table.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(laureate_table)

BOOST_AUTO_TEST_CASE(each_column_is_a_relation) {
  test::TemporaryFolder folder;
  folder.write("nobel.csv",
               "Name,Birth Year,Award Year,Gender\nAlbert Einstein,1879,1921,male\n"
               "Marie Curie,1867,,female\nLouis de Broglie,1892,1929,male\n");
  const auto file = laureate_file(folder.path());
  BOOST_REQUIRE(file.has_value());
  const Dataset dataset = load_laureates(*file);
  BOOST_TEST(dataset.name == "nobel");
  BOOST_REQUIRE(dataset.relations.size() == 3U);
  BOOST_TEST(dataset.relations[0].code == "birth-year");
  BOOST_TEST(dataset.relations[0].options == (std::vector<std::string>{"1879", "1867", "1892"}));
  BOOST_TEST(dataset.relations[0].facts[2].subject == "Louis de Broglie");
  BOOST_TEST(dataset.relations[0].facts[2].line == 4U);
  BOOST_TEST(dataset.relations[1].code == "award-year");
  BOOST_TEST(dataset.relations[1].facts.size() == 2U);  // rows without a year are not facts
  BOOST_TEST(dataset.relations[2].options == (std::vector<std::string>{"male", "female"}));
}

// The paper's excerpt (Table 2) contains only one prize and one sex.
BOOST_AUTO_TEST_CASE(a_column_of_one_value_is_left_out) {
  test::TemporaryFolder folder;
  const auto file =
      folder.write("nobel.csv",
                   "Name,Birth Year,Award Year,Nature of Award,Gender\n"
                   "Polykarp Kusch,1911,1955,Physics,\nMelvin Schwartz,1932,1988,Physics,\n"
                   "Jerome I. Friedman,1930,1990,Physics,\n");
  const Dataset dataset = load_laureates(file);
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].code == "birth-year");
  BOOST_TEST(dataset.relations[1].code == "award-year");
  BOOST_TEST(dataset.left_out == (std::vector<std::string>{"nature-of-award (1 answer in all)",
                                                           "gender (0 answers in all)"}),
             boost::test_tools::per_element());
  // The main column of the table cannot be skipped.
  BOOST_CHECK_EXCEPTION(
      (void)load_laureates(folder.write("one.csv", "Name,Birth Year\nA,1900\nB,1900\n")), Error,
      test::says(Fault::user, "Birth Year: relation birth-year has no usable second option"));
}

BOOST_AUTO_TEST_CASE(other_tables_are_not_of_laureates) {
  test::TemporaryFolder folder;
  const auto other = folder.write("a.csv", "Name,Year\nA,1\n");
  BOOST_TEST(!laureate_file(other).has_value());
  folder.write("b.csv", "Name,Birth Year\nA,1\nB,2\n");
  BOOST_TEST(laureate_file(folder.path() / "b.csv").has_value());
  BOOST_TEST(!laureate_file(folder.path()).has_value());  // two files qualify, so neither is chosen
  const auto spaced = folder.write("c.csv", "Name, Birth Year\nA,1\n");
  BOOST_CHECK_EXCEPTION((void)load_laureates(spaced), Error,
                        test::says(Fault::user, "c.csv:1: Birth Year: is not among the header's"));
}

BOOST_AUTO_TEST_SUITE_END()
