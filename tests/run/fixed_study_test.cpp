// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/fixed_study.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_many_shot.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::continuation_by_hand;
using test::ending_in;
using test::reader_of_births;
using test::says;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(fixed_study)

namespace {

/// A study with two shots, three choices and two facts. Aa and Ab appear in the model's training
/// text.
Json sound() {
  return Json::parse(R"({"relation": "birth", "separator": " ",
    "shots": [["Person Ae", "1804"], ["Person Af", "1805"]],
    "choices": ["1800", "1801", "1899"],
    "test": [{"subject": "Person Aa", "answer": "1800"},
             {"subject": "Person Ab", "answer": "1899"}],
    "kept": [1, 2, 3]})");
}

struct FixedFiles {
  FixedFile read(const Json& json) const {
    return read_fixed_file(folder.write("fixed.json", json.dump()));
  }
  FixedResult run(const FixedStudy& study, std::size_t index = 0,
                  NgramTreeModel model = reader_of_births()) const {
    CausalScorer scorer(model, Bos(), Span::continuation);
    Work work(folder / "journal.jsonl");
    return run_fixed_study(study, "m.gguf", index, scorer, work).value();
  }
  void refused(const Json& json, const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)read(json), Error, says(Fault::user, "fixed.json: " + words));
  }
  TemporaryFolder folder;
};

Json with(const std::string& pointer, const Json& value) {
  Json json = sound();
  json[Json::json_pointer(pointer)] = value;
  return json;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_study_is_read_as_it_stands, FixedFiles) {
  const FixedFile file = read(sound());
  BOOST_TEST(!file.is_list);
  BOOST_REQUIRE(file.studies.size() == 1U);
  const FixedStudy& study = file.studies[0];
  BOOST_TEST(study.form.pair_separator == " ");
  BOOST_TEST(study.form.item_separator == " ");
  BOOST_TEST((study.form.join == Join::text));
  BOOST_REQUIRE(study.shots.size() == 2U);
  BOOST_TEST(study.shots[1].subject == "Person Af");
  BOOST_TEST(study.shots[1].object == "1805");
  BOOST_TEST((study.choices == std::vector<std::string>{"1800", "1801", "1899"}));
  BOOST_REQUIRE(study.tests.size() == 2U);
  BOOST_TEST(study.tests[1].subject == "Person Ab");
  BOOST_TEST(study.tests[1].answer == "1899");
  BOOST_TEST(study.tests[1].scores.empty());
  BOOST_TEST(study.source == sound());
}

// Oracle: the model's own probabilities of texts constructed here.
BOOST_FIXTURE_TEST_CASE(scores_are_the_models_and_come_back_in_the_same_shape, FixedFiles) {
  const NgramTreeModel model = reader_of_births();
  for (const std::string separator : {" ", ", "}) {
    const FixedStudy study = read(with("/separator", separator)).studies[0];
    const FixedResult result = run(study, separator.size());
    Json expected = study.source;
    expected["model"] = "m.gguf";
    const std::string shots =
        "Person Ae" + separator + "1804" + separator + "Person Af" + separator + "1805" + separator;
    double right = 0;  // an n-way tie counts as 1/n
    for (std::size_t t = 0; t < 2; ++t) {
      const Json& scores = result.study.at("test").at(t).at("scores");
      BOOST_REQUIRE(scores.size() == 3U);
      std::vector<double> by_hand;
      for (std::size_t c = 0; c < 3; ++c) {
        by_hand.push_back(continuation_by_hand(
            model, ending_in(shots + study.tests[t].subject, separator + study.choices[c])));
        BOOST_TEST(std::abs(scores.at(c).get<double>() - by_hand[c]) < 1e-5);
      }
      const std::vector<double> found = scores;
      const double best = std::ranges::max(found);
      const auto answer = std::ranges::find(study.choices, study.tests[t].answer);
      if (found[static_cast<std::size_t>(answer - study.choices.begin())] == best) {
        right += 1.0 / static_cast<double>(std::ranges::count(found, best));
      }
      expected["test"][t]["scores"] = scores;
    }
    expected["accuracy"] = right / 2;
    BOOST_TEST(result.accuracy == right / 2);
    BOOST_TEST(result.study == expected);
    BOOST_TEST(!result.worst_difference);
  }
}

// The model has no training text, so all bytes are equally likely, and each of the three years has
// four bytes.
BOOST_FIXTURE_TEST_CASE(level_choices_are_a_guess_and_ties, FixedFiles) {
  const FixedStudy study = read(sound()).studies[0];
  const FixedResult level = run(study, 0, NgramTreeModel("", 2));
  BOOST_TEST(std::abs(level.accuracy - 1.0 / 3) < 1e-12);
  BOOST_CHECK((level.ties == TieCount{2, 2}));
  BOOST_TEST(level.study.at("accuracy") == level.accuracy);
  BOOST_CHECK((run(study, 1).ties.answers == 2U));
}

BOOST_FIXTURE_TEST_CASE(what_comes_out_can_be_put_in_and_differs_by_nothing, FixedFiles) {
  const FixedResult first = run(read(sound()).studies[0]);
  const FixedFile again = read(first.study);
  const FixedResult second = run(again.studies[0], 1);
  BOOST_TEST(second.study == first.study);
  BOOST_REQUIRE(second.worst_difference.has_value());
  BOOST_TEST(*second.worst_difference == 0.0);
}

BOOST_FIXTURE_TEST_CASE(scores_in_the_file_are_compared_and_not_used, FixedFiles) {
  const FixedResult plain = run(read(sound()).studies[0]);
  Json json = plain.study;
  json["accuracy"] = 0.123;
  json["model"] = "another";
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      Json& score = json["test"][t]["scores"][c];
      score = score.get<double>() + (t == 1 && c == 1 ? 0.75 : t == 0 && c == 2 ? -0.25 : 0);
    }
  }
  const FixedResult result = run(read(json).studies[0], 1);
  BOOST_TEST(result.study == plain.study);
  BOOST_TEST(std::abs(result.worst_difference.value() - 0.75) < 1e-9);
}

BOOST_FIXTURE_TEST_CASE(a_list_holds_several_studies, FixedFiles) {
  Json other = sound();
  other["relation"] = "other";
  other["shots"] = Json::array();  // not one
  const FixedFile file = read(Json::array({sound(), other}));
  BOOST_TEST(file.is_list);
  BOOST_REQUIRE(file.studies.size() == 2U);
  BOOST_TEST(file.studies[1].source.at("relation") == "other");
  const FixedResult result = run(file.studies[1], 1);
  const double expected = continuation_by_hand(reader_of_births(), ending_in("Person Aa", " 1800"));
  const double score = result.study.at("test").at(0).at("scores").at(0);
  BOOST_TEST(std::abs(score - expected) < 1e-5);
  BOOST_TEST(read(Json::array({sound()})).is_list);
}

BOOST_FIXTURE_TEST_CASE(a_study_taken_up_again_is_not_scored_again, FixedFiles) {
  const FixedStudy study = read(sound()).studies[0];
  const FixedResult first = run(study);
  NgramTreeModel model = reader_of_births();
  CausalScorer scorer(model, Bos(), Span::continuation);
  Work work(folder / "journal.jsonl");
  const FixedResult again = run_fixed_study(study, "m.gguf", 0, scorer, work).value();
  BOOST_TEST(again.study == first.study);
  BOOST_TEST(work.summary().fresh_statements == 0U);
  BOOST_TEST(work.summary().cost.statements == 6U);
  BOOST_TEST(model.tokens_fed == 0U);
}

BOOST_FIXTURE_TEST_CASE(bad_input_names_its_field, FixedFiles) {
  Json json = sound();
  json.erase("separator");
  refused(json, "separator: is not a string; write \" \"");
  refused(with("/separator", 1), "separator: is not a string");
  json = sound();
  json.erase("shots");
  refused(json, "shots: is not a list; write");
  refused(with("/shots/1", Json::array({"Person Af"})),
          "shots: contains an entry that is not a "
          "pair");
  refused(with("/shots/1", Json::array({"Person Af", "1805", "x"})),
          "shots: contains an entry that is not a pair");
  refused(with("/shots/1", Json::array({"Person Af", 1805})),
          "shots: contains an entry that is "
          "not a pair");
  refused(with("/shots/0", "Person Af 1805"), "shots: contains an entry that is not a pair");
  json = sound();
  json.erase("choices");
  refused(json, "choices: is not a list of at least two strings");
  refused(with("/choices", Json::array({"1800"})),
          "choices: is not a list of at least two "
          "strings");
  refused(with("/choices/2", 1899), "choices: is not a list of at least two strings");
  refused(with("/choices/1", "1800"), "choices: contains '1800' twice; remove one");
  json = sound();
  json.erase("test");
  refused(json, "test: is not a list of facts");
  refused(with("/test", Json::array()), "test: is not a list of facts");
  refused(with("/test/1", "Person Ab"), "test[1]: has no subject or no answer");
  refused(with("/test/1", {{"subject", "Person Ab"}}), "test[1]: has no subject or no answer");
  refused(with("/test/0", {{"answer", "1800"}}), "test[0]: has no subject or no answer");
  refused(with("/test/0/subject", 7), "test[0]: has no subject or no answer");
  refused(with("/test/1/answer", "1866"), "test[1].answer: is not among the choices; add it");
  refused(with("/test/1/subject", "Person Ae"),
          "test[1].subject: is also a subject of the shots; remove it from one of the two");
  refused(with("/test/0/scores", Json::array({-1, -2})),
          "test[0].scores: needs one number per choice");
  refused(with("/test/0/scores", Json::array({-1, -2, "x"})),
          "test[0].scores: needs one number per choice");
  refused(with("/test/0/scores", 1), "test[0].scores: needs one number per choice");
  refused(7, "is not an object");
}

BOOST_FIXTURE_TEST_CASE(bad_input_in_a_list_names_its_place, FixedFiles) {
  Json bad = sound();
  bad["choices"] = "1800";
  refused(Json::array({sound(), bad}), "[1].choices: is not a list of at least two strings");
  refused(Json::array({"text"}), "[0]");
  refused(Json::array(), "contains no study; add one");
}

BOOST_FIXTURE_TEST_CASE(files_that_are_missing_or_no_json_are_refused_with_the_line, FixedFiles) {
  BOOST_CHECK_EXCEPTION((void)read_fixed_file(folder / "none.json"), Error,
                        says(Fault::user, "none.json: cannot be read"));
  const auto file = folder.write("fixed.json", "{\n \"shots\": [,]\n}");
  BOOST_CHECK_EXCEPTION((void)read_fixed_file(file), Error,
                        says(Fault::user, "fixed.json:2: not JSON"));
}

BOOST_AUTO_TEST_SUITE_END()
