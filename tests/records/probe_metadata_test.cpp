// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/probe_metadata.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_metadata_suite)

namespace {

Relation two_capitals() {
  Relation relation;
  relation.code = "P36";
  relation.templates = {"The capital of [X] is [Y].", "[Y] is the capital of [X]."};
  relation.options = {"Paris", "Rome"};
  relation.option_ids = {"Q90", "Q220"};
  relation.facts.resize(2);
  return relation;
}

/// A folder with the metadata of one relation.
struct Metadata : test::TemporaryFolder {
  Metadata() { metadata(two_capitals(), {0}); }
  void metadata(const Relation& relation, const std::vector<std::size_t>& templates) const {
    Json all = Json::object();
    all[relation.code] = recorded_metadata(relation, templates, {"tiny", "capitals", {}, true});
    write("metadata_results.json", all.dump());
  }
  void refused(const Json& all, const std::string& words) const {
    write("metadata_results.json", all.dump());
    BOOST_CHECK_EXCEPTION(recorded_relations(path()), Error,
                          says(Fault::user, "metadata_results.json: " + words));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(metadata_comes_back_as_it_was_written, Metadata) {
  Relation relation = two_capitals();
  relation.cardinality = Cardinality::one_to_one;
  relation.domains = {"Geography"};
  relation.template_weights = {0.1, 8.510376210324466e-05};
  metadata(relation, {0, 1});
  const auto all = recorded_relations(path());
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(all[0].relation.code == "P36");
  BOOST_TEST(all[0].relation.templates == relation.templates);
  BOOST_TEST(all[0].relation.template_weights == relation.template_weights);
  BOOST_TEST(all[0].relation.options == relation.options);
  BOOST_TEST(all[0].relation.option_ids == relation.option_ids);
  BOOST_TEST(all[0].relation.domains == relation.domains);
  BOOST_TEST((all[0].relation.cardinality == Cardinality::one_to_one));
  BOOST_TEST(all[0].reduction == "sum");
  BOOST_TEST(all[0].span == "statement");
  BOOST_TEST(all[0].model == "tiny");
  BOOST_TEST(all[0].dataset == "capitals");
  BOOST_TEST(all[0].facts == 2U);
  BOOST_TEST(all[0].default_template == 0U);
  BOOST_TEST(all[0].rows == *this / "P36_results.jsonl");
  const Json entry =
      recorded_metadata(relation, {1}, {"m", "d", {Reduction::mean, Span::answer}, false});
  BOOST_TEST(entry["template_index"] == 1);
  BOOST_TEST(entry["span"] == "answer");
  BOOST_TEST(entry["ensure_bos_token_added"] == false);
  BOOST_TEST(entry["num_original_instances"] == 2);
}

BOOST_FIXTURE_TEST_CASE(a_note_stays_with_its_relation, Metadata) {
  BOOST_TEST(recorded_relations(path()).at(0).relation.note == "");
  BOOST_TEST(!recorded_metadata(two_capitals(), {0}, {})["relation_info"].contains("note"));
  Relation relation = two_capitals();
  relation.note = "Not the paper's \"facts\".";
  metadata(relation, {0});
  BOOST_TEST(recorded_relations(path()).at(0).relation.note == relation.note);
}

BOOST_FIXTURE_TEST_CASE(names_may_be_missing, Metadata) {
  write("metadata_results.json",
        R"({"P36": {"templates": ["[X] [Y]"], "answer_space_labels": ["a"],
            "model_name_or_path": null, "num_original_instances": 7}})");
  const RecordedRelation recorded = recorded_relations(path()).at(0);
  BOOST_TEST(recorded.model == "");
  BOOST_TEST(recorded.dataset == "");
  BOOST_TEST(recorded.facts == 0U);  // the count comes from another tool
}

BOOST_FIXTURE_TEST_CASE(a_cardinality_may_be_missing, Metadata) {
  for (const std::string info : {R"({"cardinality": null})", R"({"domains": []})", "null"}) {
    write("metadata_results.json",
          R"({"P36": {"templates": ["[X] [Y]"], "answer_space_labels": ["a"],
                                       "relation_info": )" +
              info + "}}");
    BOOST_TEST((recorded_relations(path()).at(0).relation.cardinality == Cardinality::by_facts));
  }
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_no_results_folder_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(
      recorded_relations(folder.path()), Error,
      says(Fault::user,
           ": contains no finished results (no metadata_results.json); specify a finished run "
           "folder, or finish its run first (plumb probe, `resume`)"));
  BOOST_CHECK_EXCEPTION(recorded_relations(folder.path() / "nowhere"), Error,
                        says(Fault::user, "nowhere: is not a folder; specify a run folder or an"));
  folder.write("generated/metadata_generate.json", "{}");
  BOOST_CHECK_EXCEPTION(
      recorded_relations(folder.path() / "generated"), Error,
      says(Fault::user, "generated: is a run of plumb generate, whose answers do"));
  folder.write("ranked/metadata_rank.json", "{}");
  BOOST_CHECK_EXCEPTION(recorded_relations(folder.path() / "ranked"), Error,
                        says(Fault::user, "ranked: is a run of plumb rank, but a closed-set run"));
  folder.write("shots/metadata_many_shot.json", "{}");
  BOOST_CHECK_EXCEPTION(recorded_relations(folder.path() / "shots"), Error,
                        says(Fault::user, "shots: is a run of plumb many-shot, but a closed-set"));
  folder.write("metadata_results.json", R"({"P36": {"templates": []}})");
  BOOST_CHECK_EXCEPTION(recorded_relations(folder.path()), Error,
                        says(Fault::user,
                             "metadata_results.json: P36: lacks answer_space_labels or "
                             "templates; it is not a results folder of plumb or"));
}

BOOST_FIXTURE_TEST_CASE(metadata_without_a_relation_is_refused, Metadata) {
  refused(Json::object(), "names no relation; the file was changed; restore it, or probe again");
}

// The rows of such a relation would be read from another folder.
BOOST_FIXTURE_TEST_CASE(a_relation_that_leads_out_of_the_folder_is_refused, Metadata) {
  const Json entry = recorded_metadata(two_capitals(), {0}, {});
  for (const std::string code : {"../other/P30", "/tmp/P30", "a/b", "..", ""}) {
    refused({{code, entry}}, Json(code).dump() + ": is not a valid file name in this folder");
  }
}

BOOST_FIXTURE_TEST_CASE(a_reduction_or_span_that_plumb_does_not_write_is_refused, Metadata) {
  const Json entry = recorded_metadata(two_capitals(), {0}, {});
  for (const auto& [field, standard] :
       {std::pair("reduction", ""), std::pair("span", "statement")}) {
    for (const Json& word : {Json("median"), Json("Sum"), Json(nullptr), Json(3)}) {
      Json other = entry;
      other[field] = word;
      // these are treated like a missing field
      if (!word.is_string() && *standard != '\0') continue;
      refused({{"P36", other}}, std::string("P36.") + field + ": '" +
                                    (word.is_string() ? word.get<std::string>() : "") +
                                    "' is not a value that plumb writes");
    }
    // lm-pub-quiz writes values that plumb does not.
    Json theirs = entry;
    theirs.erase("plumb_version");
    theirs[field] = "tyq";
    write("metadata_results.json", Json{{"P36", theirs}}.dump());
    BOOST_TEST(recorded_relations(path()).size() == 1U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
