// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/factor.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/prompt/statement.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(factor)

namespace {

using Texts = std::vector<std::string>;

// As in the published file, the first column has no name, some columns are not read, and the
// context is in the last one.
const std::string header =
    ",full_prefix,completion,contradiction_0,contradiction_1,contradiction_2,turncated_prefixes\n";

struct Factor : test::TemporaryFolder {
  Dataset load(const std::string& records, const ProblemSink& sink = throw_problem) const {
    return load_factor(write("wiki_factor.csv", header + records), sink);
  }
  Fact fact(const std::string& record) const { return load(record).relations.at(0).facts.at(0); }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(all_records_make_one_relation_of_the_four_roles, Factor) {
  const Dataset dataset = load("0,p,Yes,No,Not,Never,\"One\ntwo.\"\n1,p,on,off,up,down,It is\n");
  BOOST_TEST(dataset.name == "wiki_factor");
  BOOST_CHECK(dataset.files == std::vector{*this / "wiki_factor.csv"});
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  const Relation& relation = dataset.relations[0];
  const Texts roles{"completion", "contradiction_0", "contradiction_1", "contradiction_2"};
  BOOST_TEST(relation.code == "wiki_factor");
  BOOST_TEST(relation.options == roles);
  BOOST_TEST(relation.option_ids == roles);
  BOOST_TEST(relation.templates == Texts{"[X][Y]"});
  BOOST_TEST(relation.verbatim);
  BOOST_TEST(!is_one_to_one(relation));
  BOOST_TEST(relation.file == *this / "wiki_factor.csv");
  BOOST_REQUIRE(relation.facts.size() == 2U);
  BOOST_TEST(relation.facts[0].choices == (Texts{"Yes", "No", "Not", "Never"}));
  BOOST_TEST(relation.facts[1].choices == (Texts{"on", "off", "up", "down"}));
  BOOST_TEST(relation.facts[1].subject == "It is ");
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST(relation.facts[i].answer == 0U);
    BOOST_TEST(relation.facts[i].instance == i);
    BOOST_TEST(relation.facts[i].subject_id == std::to_string(i));
    BOOST_TEST(relation.facts[i].line == (i == 0 ? 2U : 4U));
  }
}

BOOST_FIXTURE_TEST_CASE(a_space_parts_context_and_completion_where_none_stands, Factor) {
  BOOST_TEST(fact("0,p,a,b,c,d,It was\n").subject == "It was ");
  BOOST_TEST(fact("0,p,a,b,c,d,It was \n").subject == "It was ");
  BOOST_TEST(fact("0,p,a,b,c,d,\"It was\n\"\n").subject == "It was\n");
  BOOST_TEST(fact("0,p,a,b,c,d,It was\t\n").subject == "It was\t");
  BOOST_TEST(fact("0,p,a,b,c,d,Città\n").subject == "Città ");
}

BOOST_FIXTURE_TEST_CASE(a_statement_is_scored_byte_for_byte, Factor) {
  const Dataset dataset = load("0,p,it [X] rains .,b,c,d,as the [Y] says: Asnwer:\n");
  const Relation& relation = dataset.relations.at(0);
  const Prompt prompt = Statement().build(relation, relation.facts.at(0), 0, 0);
  BOOST_TEST(prompt.text == "as the [Y] says: Asnwer: it [X] rains .");
  BOOST_CHECK((prompt.answer == std::vector<ByteSpan>{{25, 39}}));
}

BOOST_FIXTURE_TEST_CASE(only_expert_factor_has_its_note, Factor) {
  const std::string record = "0,p,a,b,c,d,It was\n";
  BOOST_TEST(load(record).relations.at(0).note == "");
  const Dataset expert = load_factor(write("expert_factor.csv", header + record));
  BOOST_TEST(expert.relations.at(0).note.starts_with(
      "Expert-FACTOR: not the calibration paper's Wiki-FACTOR"));
}

BOOST_FIXTURE_TEST_CASE(a_record_that_is_not_sound_is_reported_and_left_out, Factor) {
  Texts problems;
  const Dataset dataset =
      load("0,p,a,b,c,d,\n1,p,a,b,b,d,It\n2,p,a,b,c,a,It\n3,p,a,,c,d,It\n4,p,a,b,c,d,It\n",
           [&](const Error& error) { problems.emplace_back(error.what()); });
  const std::string file = (path() / "wiki_factor.csv").string();
  const std::string same = "has the same text as another completion; remove the record";
  BOOST_TEST(problems == (Texts{file + ":2: turncated_prefixes: is empty; add the context",
                                file + ":3: contradiction_1: " + same,
                                file + ":4: contradiction_2: " + same,
                                file + ":5: contradiction_0: is empty; add the completion"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE(dataset.relations.at(0).facts.size() == 1U);
  // The instance is the index of the record in the file.
  BOOST_TEST(dataset.relations[0].facts[0].instance == 4U);
  BOOST_CHECK_EXCEPTION(load("0,p,a,b,c,a,It\n"), Error,
                        says(Fault::user, "wiki_factor.csv:2: contradiction_2: has the same text"));
}

BOOST_FIXTURE_TEST_CASE(a_file_of_which_nothing_is_usable_has_no_relation, Factor) {
  BOOST_TEST(load("").relations.empty());
  BOOST_TEST(load("0,p,a,a,a,a,It\n", [](const Error&) {}).relations.empty());
}

BOOST_FIXTURE_TEST_CASE(a_file_without_a_role_or_that_is_missing_is_refused, Factor) {
  BOOST_CHECK_EXCEPTION(
      load_factor(write("a.csv",
                        "turncated_prefixes,completion,contradiction_0,contradiction_1\n"
                        "It,a,b,c\n")),
      Error,
      says(Fault::user, "a.csv:1: contradiction_2: is not among the header's fields; add the"));
  BOOST_CHECK_EXCEPTION(load_factor(*this / "none.csv"), Error,
                        says(Fault::user, "none.csv: cannot be read"));
}

BOOST_FIXTURE_TEST_CASE(a_path_names_the_file_or_a_folder_with_just_that_csv, Factor) {
  const auto file = write("one/f.csv", header);
  write("one/README.md", "about");
  write("one/facts.tsv", header);
  BOOST_CHECK(factor_file(file) == file);
  BOOST_CHECK(factor_file(*this / "one") == file);
  BOOST_CHECK(!factor_file(*this / "one/facts.tsv"));
  BOOST_CHECK(!factor_file(*this / "one/README.md"));
  write("two/f.csv", header);
  write("two/g.csv", header);
  BOOST_CHECK(!factor_file(*this / "two"));
  BOOST_CHECK(factor_file(*this / "two/g.csv") == *this / "two/g.csv");
  write("none/f.txt", header);
  BOOST_CHECK(!factor_file(*this / "none"));
  // Only the header determines the format, not the rows after it.
  BOOST_CHECK(!factor_file(write("other/f.csv", "a,b\nturncated_prefixes,1\n")));
  BOOST_CHECK(!factor_file(*this / "other"));
  BOOST_CHECK(!factor_file(write("empty.csv", "")));
  BOOST_CHECK(factor_file(write("bom.csv", "\xEF\xBB\xBF\"turncated_prefixes\",completion\n")));
}

BOOST_AUTO_TEST_SUITE_END()
