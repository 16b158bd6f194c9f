// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/many_shot_metadata.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(many_shot_metadata)

namespace {

using Texts = std::vector<std::string>;

RecordedChoiceRelation relation() {
  return {.code = "P36",
          .options = {"Paris", "Rome"},
          .option_ids = {"Q90", "Q220"},
          .facts = 9,
          .training = 7,
          .test = 2,
          .shots = {{3, 1}, {1, 3}},
          .templates = BaselineTemplates{"capital", {"[X] has"}, {}},
          .notes = {{"few", "2"}, {"none"}},
          .choices = 4,
          .choices_beginning_another = 1};
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_report_needs_is_read_back) {
  const test::TemporaryFolder folder;
  RecordedChoiceRelation left_out{.code = "P19", .skipped = RelationRemark{"too few", "1"}};
  write_many_shot_metadata(folder.path(), "m", "d", {relation(), left_out});
  const auto read = recorded_choice_relations(folder.path());
  BOOST_REQUIRE(read.size() == 2U);
  BOOST_TEST(read[0].code == "P36");
  BOOST_TEST(read[0].options == relation().options, boost::test_tools::per_element());
  BOOST_TEST(read[0].choices == 4U);
  BOOST_TEST(read[0].choices_beginning_another == 1U);
  BOOST_REQUIRE(read[0].notes.size() == 2U);
  BOOST_TEST(read[0].notes[0].detail == "2");
  BOOST_TEST(read[0].notes[1].what == "none");
  BOOST_TEST(!read[0].skipped.has_value());
  BOOST_TEST(read[0].rows == folder / "P36_choices.jsonl");
  BOOST_TEST(read[1].code == "P19");
  BOOST_REQUIRE(read[1].skipped.has_value());
  BOOST_TEST(read[1].skipped->detail == "1");
}

BOOST_AUTO_TEST_CASE(all_that_is_known_of_a_relation_stands_there) {
  const Json whole = to_json(relation());
  BOOST_TEST(
      whole.dump() ==
      R"({"options":["Paris","Rome"],"option_ids":["Q90","Q220"],"facts":9,"training":7,"test":2,)"
      R"("shots":[[3,1],[1,3]],"templates":{"hgp":["[X] has"],"mmp":[]},)"
      R"("notes":[{"what":"few","detail":"2"},{"what":"none","detail":""}],"skipped":null,)"
      R"("choices":4,"choices_beginning_another":1})");
  BOOST_TEST(to_json(RecordedChoiceRelation{.code = "P19"}).at("templates").dump() == "{}");
}

BOOST_AUTO_TEST_CASE(remark_shared_by_several_relations_is_listed_once) {
  BOOST_TEST(distinct_remarks({}).empty());
  BOOST_TEST(distinct_remarks({{"P36", {"fewer choices than 100", "80"}},
                               {"P37", {"no templates", ""}},
                               {"P30", {"fewer choices than 100", "6"}},
                               {"P19", {"fewer choices than 100", ""}},
                               {"P36", {"no templates"}}}) ==
                 (Texts{"fewer choices than 100: P36 80, P30 6, P19", "no templates: P37, P36"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_remark_is_kept_as_it_is_read) {
  const Json json = to_json(RelationRemark{"few", "2"});
  BOOST_TEST(json.dump() == R"({"what":"few","detail":"2"})");
}

BOOST_AUTO_TEST_SUITE_END()
