// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/multi_prompt.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(multi_prompt)

namespace {

/// A relation with `templates` templates and one fact per entry in `names`; each entry is the
/// number of names of the fact's subject.
MultiPromptRelation relation_of(const std::string& code, const std::vector<std::size_t>& names,
                                std::size_t templates) {
  MultiPromptRelation relation{code, std::vector<PromptTemplate>(templates), {}};
  for (const std::size_t count : names) {
    relation.facts.push_back({{"s", std::vector<std::string>(count, "name")}, {}});
  }
  return relation;
}

MultiPromptDataset three_relations() {
  return {"many",
          {relation_of("P1", {1}, 1), relation_of("P2", {2}, 1), relation_of("P3", {3}, 1)},
          {"facts.jsonl"}};
}

using Codes = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_prompt_is_a_template_with_a_name_of_the_subject) {
  const MultiPromptRelation relation = relation_of("P1", {1, 3, 2}, 5);
  BOOST_TEST(relation.prompts() == 30U);
  BOOST_TEST(relation.prompts(1) == 5U);
  BOOST_TEST(relation.prompts(2) == 20U);
  BOOST_TEST(relation.prompts(3) == 30U);
  BOOST_TEST(relation.prompts(99) == 30U);
  BOOST_TEST(relation_of("P1", {}, 5).prompts() == 0U);
  BOOST_TEST(relation_of("P1", {4}, 0).prompts() == 0U);
}

BOOST_AUTO_TEST_CASE(relations_are_found_in_the_datasets_order) {
  BOOST_TEST(relation_places(three_relations(), {"P3", "P1"}) == (std::vector<std::size_t>{0, 2}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(no_codes_name_all) {
  BOOST_TEST(relation_places(three_relations(), {}) == (std::vector<std::size_t>{0, 1, 2}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unknown_or_duplicate_relation_code_is_rejected) {
  for (const Codes& wrong : {Codes{"P9"}, Codes{""}, Codes{"P1", ""}}) {
    BOOST_CHECK_EXCEPTION((void)relation_places(three_relations(), wrong), Error,
                          says(Fault::user, "`relations`: '" + wrong.back() +
                                                "' is not a relation of many with many prompts; "
                                                "name some of P"));
  }
  BOOST_CHECK_EXCEPTION((void)relation_places(three_relations(), {"P1", "P1"}), Error,
                        says(Fault::user, "`relations`: 'P1' is listed twice; name it once"));
}

BOOST_AUTO_TEST_CASE(templates_of_one_origin_can_be_kept) {
  const PromptTemplate by_hand{"[X] [Y]"};
  const PromptTemplate made{"[X]: [Y]", "", TemplateStyle::cloze, TemplateOrigin::generated};
  MultiPromptDataset dataset;
  dataset.name = "many";
  dataset.relations = {{"a", {by_hand, made}, {}}, {"b", {made}, {}}};
  MultiPromptDataset all = dataset;
  keep_origins(all, KeptOrigins::all);
  BOOST_TEST(all.relations.at(0).templates.size() == 2U);
  BOOST_CHECK_EXCEPTION(keep_origins(all, KeptOrigins::manual), Error,
                        says(Fault::user, "many does not mark which of its templates are manual"));
  dataset.knows_origins = true;
  MultiPromptDataset manual = dataset;
  keep_origins(manual, KeptOrigins::manual);
  BOOST_TEST(manual.left_out == std::vector<std::string>{"relations without a manual template: b"});
  BOOST_REQUIRE(manual.relations.size() == 1U);
  BOOST_TEST(manual.relations[0].code == "a");
  BOOST_REQUIRE(manual.relations[0].templates.size() == 1U);
  BOOST_TEST(manual.relations[0].templates[0].text == "[X] [Y]");
  BOOST_CHECK_EXCEPTION(keep_origins(manual, KeptOrigins::generated), Error,
                        says(Fault::user, "`origin`: leaves no templates of many; set all"));
  keep_origins(dataset, KeptOrigins::generated);
  BOOST_TEST(dataset.left_out.empty());
  BOOST_TEST(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].templates.at(0).text == "[X]: [Y]");
}

BOOST_AUTO_TEST_SUITE_END()
