// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/triple_rows.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(triple_rows)

namespace {

using Texts = std::vector<std::string>;

std::string row(const std::string& head, const std::string& tail, const std::string& relation) {
  return Json{{"head", head}, {"tail", tail}, {"relation", relation}, {"title", "…"}}.dump() + "\n";
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_distinct_triple_is_a_fact_of_its_relation) {
  test::TemporaryFolder folder;
  folder.write("train.jsonl", row("Brian May", "19 July 1947", "date of birth") +
                                  row("Chelsea Walls", "Jeff Tweedy", "composer") +
                                  row("Brian May", "19 July 1947", "date of birth"));
  folder.write("valid.jsonl", row("Giovanni Bia", "24 October 1968", "date of birth") +
                                  row("Pelé", "forward", "position / speciality") +
                                  row("Yashin", "goalkeeper", "position / speciality"));
  BOOST_TEST(triple_row_files(folder.path()).size() == 2U);
  const Dataset dataset = load_triple_rows(folder.path());
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  const Relation& born = dataset.relations[0];
  BOOST_TEST(born.code == "date of birth");
  BOOST_TEST(born.templates.empty());
  BOOST_TEST(born.options == (Texts{"19 July 1947", "24 October 1968"}));
  BOOST_REQUIRE(born.facts.size() == 2U);
  BOOST_TEST(born.facts[1].subject == "Giovanni Bia");
  BOOST_TEST(born.facts[1].instance == 1U);
  BOOST_TEST(dataset.relations[1].code == "position - speciality");
  // The excluded relation is the one for composers.
  BOOST_TEST(dataset.left_out == Texts{"relations with a single object: 1"});
  BOOST_TEST(dataset.files.size() == 2U);
}

BOOST_AUTO_TEST_CASE(other_lines_are_no_triples) {
  test::TemporaryFolder folder;
  const auto file =
      folder.write("a.jsonl", row("a", "b", "r") + "{\"head\": \"a\", \"tail\": 1}\n");
  BOOST_TEST(triple_row_files(file).size() == 1U);
  BOOST_CHECK_EXCEPTION((void)load_triple_rows(file), Error,
                        says(Fault::user, "a.jsonl:2: relation: is not a string; write head"));
  folder.write("b.jsonl", "{\"subject\": \"a\", \"object\": \"b\"}\n");
  BOOST_TEST(triple_row_files(folder.path()).empty());
}

BOOST_AUTO_TEST_CASE(relations_that_would_share_a_results_file_are_reported) {
  test::TemporaryFolder folder;
  const auto file = folder.write("a.jsonl", row("a", "b", "x/y") + row("c", "d", "x/y") +
                                                row("e", "f", "x-y") + row("g", "h", "x-y"));
  BOOST_CHECK_EXCEPTION(
      (void)load_triple_rows(file), Error,
      says(Fault::user,
           "a.jsonl:3: relation: 'x-y' would have the same results file as the relation 'x/y'; "
           "rename one of them"));
}

BOOST_AUTO_TEST_CASE(a_field_that_looks_like_choices_is_refused) {
  test::TemporaryFolder folder;
  for (const char* field : {"\"options\": [\"b\", \"c\"]", "\"Multiple Choices\": \"['b', 'c']\"",
                            "\"other\": \"['b' 'c']\""}) {
    const auto file = folder.write(
        "a.jsonl", row("a", "b", "r") + "{\"head\": \"c\", \"tail\": \"d\", \"relation\": \"r\", " +
                       field + "}\n");
    BOOST_CHECK_EXCEPTION((void)load_triple_rows(file), Error,
                          says(Fault::user, ": looks like a question's choices, but is not read"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
