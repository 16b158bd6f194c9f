// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/overlap_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(overlap_columns_suite)

namespace {

const std::vector<NamedFact> facts{
    {"capital", 0, {"Q142", {"France", "Gaul"}}, {"Q90", {"Paris"}}},
    {"river", 0, {"Q85", {"Cairo"}}, {"Q3392", {"Nile"}}},
    {"capital", 4, {"Q79", {"Egypt"}}, {"Q85", {"Cairo"}}},
};
const std::vector<FactMeetings> met{{3, 1, 7}, {0, 0, 0}, {1, 0, 2}};

}  // namespace

BOOST_AUTO_TEST_CASE(facts_are_counted_by_relation) {
  const auto relations = met_relations(facts, met);
  BOOST_REQUIRE(relations.size() == 2U);
  BOOST_TEST(relations[0].relation == "capital");
  BOOST_TEST(relations[0].facts == 2U);
  BOOST_TEST(relations[0].met == 2U);
  BOOST_TEST(relations[0].meetings == 4U);
  BOOST_TEST(relations[1].relation == "river");
  BOOST_TEST(relations[1].met == 0U);
}

// Wilson's interval for 0 out of 1 ends at 0.793.
BOOST_AUTO_TEST_CASE(a_share_has_its_interval) {
  const Json json = json_of(overlap_columns(), met_relations(facts, met)[1]);
  BOOST_TEST(json["facts"] == 1);
  BOOST_TEST(json["meetings"] == 0);
  BOOST_TEST(json["share"]["value"] == 0.0);
  BOOST_TEST(json["share"]["high"].get<double>() == 0.7934506856,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_fact_is_a_json_object_with_its_first_meeting) {
  const std::vector<std::string> files{"a.txt", "b.jsonl"};
  BOOST_TEST(overlap_json(facts[0], met[0], files).dump() ==
             R"({"relation":"capital","instance_index":0,"sub_id":"Q142","sub_label":"France",)"
             R"("obj_id":"Q90","obj_label":"Paris","meetings":3,"first_file":"b.jsonl",)"
             R"("first_line":7})");
  const Json none = overlap_json(facts[1], met[1], files);
  BOOST_TEST(none["meetings"] == 0);
  BOOST_TEST(none["first_file"].is_null());
  BOOST_TEST(none["first_line"].is_null());
}

BOOST_AUTO_TEST_CASE(counting_rule_is_described_in_words) {
  using Unit = Within::Unit;
  BOOST_TEST(meaning_of({Unit::words, 50}) ==
             "subject and object within 50 words, counted without overlap");
  BOOST_TEST(meaning_of({Unit::words, 1}) ==
             "subject and object within 1 word, counted without overlap");
  BOOST_TEST(meaning_of({Unit::line}) == "subject and object in one line, counted by line");
  BOOST_TEST(meaning_of({Unit::paragraph}) ==
             "subject and object in one paragraph, counted by paragraph");
  BOOST_TEST(meaning_of({Unit::document}) ==
             "subject and object in one document, counted by document");
}

BOOST_AUTO_TEST_SUITE_END()
