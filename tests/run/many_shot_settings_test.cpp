// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(many_shot_settings)

BOOST_AUTO_TEST_CASE(templates_are_found_by_property_or_by_name) {
  const test::TemporaryFolder folder;
  const Dataset dataset = test::small_dataset();  // of the relations capital and river
  ManyShotSettings settings;
  settings.baseline_file = settings.separators = folder.write("t.json", R"({
    "Capital": {"property": "P36", "mmp": ["the capital of {subject}", "{subject} has"]},
    "Flows through": {"property": "river", "hgp": ["{subject} flows"]},
    "River": {"property": "P1", "hgp": ["{subject} is wet"]}})");
  const ReadStudy study = read_many_shot_files(settings, dataset);
  BOOST_TEST(study.options.baselines.at("capital").relation == "Capital");
  BOOST_TEST(study.options.baselines.at("river").relation == "Flows through");
  BOOST_TEST(study.options.baselines.at("P1").relation == "River");
  using Texts = std::vector<std::string>;
  BOOST_TEST((study.options.relation_separators.at("capital") == Texts{" has "}));
  BOOST_TEST((study.options.relation_separators.at("river") == Texts{" flows "}));
  BOOST_TEST(study.without_separator.at("capital") == 1U);
}

BOOST_AUTO_TEST_CASE(the_record_is_what_decides_the_study) {
  const test::TemporaryFolder folder;
  const Dataset dataset = test::small_dataset();
  ManyShotSettings settings;
  const Json plain = many_shot_record(settings, read_many_shot_files(settings), dataset, {});
  BOOST_TEST(plain.at("command") == "many-shot");
  BOOST_TEST((plain.at("shots") == Json{50}));
  BOOST_TEST(plain.at("train") == 100);
  BOOST_TEST(plain.at("min_facts") == 0);
  BOOST_TEST((plain.at("pair_separators") == Json{" "}));
  BOOST_TEST(plain.at("item_separator") == " ");
  BOOST_TEST(plain.at("separators_sha256").is_null());
  BOOST_TEST(plain.at("eic_paper") == false);
  BOOST_TEST(plain.at("eic_isolated") == false);
  BOOST_TEST(plain.at("eic_first") == 50);
  BOOST_TEST(plain.at("eic_step") == 5);
  BOOST_TEST(plain.at("eic_questions") == 10);
  BOOST_TEST(plain.at("join") == "ids");
  BOOST_TEST((plain.at("stop") == Json::array()));
  BOOST_TEST(plain.at("answer_match") == "letters");
  BOOST_TEST(plain.at("injection") == 0);
  BOOST_TEST(plain.at("highlight").is_null());
  BOOST_TEST((plain.at("relations") == Json{"capital", "river"}));
  BOOST_TEST(!plain.contains("left_out"));
  Dataset partial = dataset;
  partial.left_out = {"dev.jsonl"};
  BOOST_TEST(
      (many_shot_record(settings, read_many_shot_files(settings), partial, {}).at("left_out") ==
       Json{"dev.jsonl"}));
  settings.separators = folder.write("s.txt", "is\n");
  settings.item_separator = "";
  settings.shots = {};
  settings.eic = EicForms::both;
  settings.eic_geometry = {.first = 20, .step = 4, .questions = 6};
  settings.join = Join::text;
  settings.generate = 5;
  settings.stop.read({"\\n", ","});
  settings.answer_match = LabelMatch::program;
  settings.injection = 60;
  settings.highlight = 3;
  const Provenance from{
      .hash_file = [](const auto& file) { return Json(file.filename().string()); }};
  const Json other = many_shot_record(settings, read_many_shot_files(settings), dataset, from);
  BOOST_TEST((other.at("shots") == Json::array()));
  BOOST_TEST((other.at("pair_separators") == Json{" ", " is "}));
  BOOST_TEST(other.at("item_separator") == "");
  BOOST_TEST(other.at("separators_sha256") == "s.txt");
  BOOST_TEST(other.at("eic_paper") == true);
  BOOST_TEST(other.at("eic_isolated") == true);
  BOOST_TEST(other.at("eic_first") == 20);
  BOOST_TEST(other.at("eic_step") == 4);
  BOOST_TEST(other.at("eic_questions") == 6);
  BOOST_TEST(other.at("join") == "text");
  BOOST_TEST((other.at("stop") == Json{"\n", ","}));
  BOOST_TEST(other.at("answer_match") == "program");
  BOOST_TEST(other.at("injected") == 12);
  BOOST_TEST(other.at("highlight") == 3);
}

BOOST_AUTO_TEST_CASE(no_shots_are_written_as_a_dash) {
  ShotNumbers shots{{5}};
  BOOST_TEST(shots.word() == "5");
  shots.read("-", "shots");
  BOOST_TEST(shots.numbers.empty());
  BOOST_TEST(shots.word() == "-");
  shots.read("10,1", "shots");
  BOOST_TEST(shots.word() == "1,10");
}

BOOST_AUTO_TEST_CASE(something_must_be_asked) {
  ManyShotSettings settings;
  BOOST_CHECK_NO_THROW(settings.check());
  settings.shots = {};
  BOOST_CHECK_EXCEPTION(settings.check(), Error, says(Fault::user, "nothing to run"));
  settings.eic = EicForms::isolated;
  BOOST_CHECK_NO_THROW(settings.check());
}

BOOST_AUTO_TEST_SUITE_END()
