// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/many_shot_rows.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(many_shot_rows_suite)

namespace {

using Texts = std::vector<std::string>;
using Options = std::vector<std::uint32_t>;

Fact fact(const std::string& subject, std::size_t instance) {
  Fact made;
  made.subject_id = "Q" + std::to_string(instance);
  made.subject = subject;
  made.instance = instance;
  made.answer = 99;  // not written: the index of the answer is derived from the choices
  return made;
}

const Setting setting{"ic", 50, " ", "choice", 3};
const std::vector<StatementScore> scores{{{-7, 9}, {-1, 1}, {-12.5, 2}},
                                         {{-8, 8}, {-2, 3}, {-1.0 / 3, 1}},
                                         {{-9, 7}, {-3, 4}, {-1e-12, 11}}};

std::string line() {
  return recorded_choice_line(setting, fact("Côte d'Ivoire", 7), {{2, 5, 6}, 1}, scores);
}

RecordedChoiceRelation relation(const std::filesystem::path& folder) {
  RecordedChoiceRelation made;
  made.code = "P36";
  made.options = {"o0", "o1", "o2", "o3", "o4", "o5", "o6"};
  made.rows = folder / "P36_choices.jsonl";
  made.generated = folder / "P36_generated.jsonl";
  return made;
}

/// A run folder into which each test writes its own files.
struct Run : test::TemporaryFolder {
  std::vector<RecordedChoice> choices(const std::string& rows) const {
    write("P36_choices.jsonl", rows);
    std::vector<RecordedChoice> read;
    for_each_recorded_choice(relation(path()),
                             [&](const RecordedChoice& row) { read.push_back(row); });
    return read;
  }
  std::vector<RecordedGeneration> generations() const {
    std::vector<RecordedGeneration> read;
    for_each_recorded_generation(relation(path()),
                                 [&](const RecordedGeneration& row) { read.push_back(row); });
    return read;
  }
  std::vector<RecordedChoiceRelation> relations(const std::string& metadata) const {
    write("metadata_many_shot.json", metadata);
    return recorded_choice_relations(path());
  }
};

/// Returns `text` with `what` replaced by `by`.
std::string with(const std::string& what, const std::string& by, std::string text = line()) {
  const std::size_t at = text.find(what);
  BOOST_REQUIRE(at != text.npos);
  return text.replace(at, what.size(), by);
}

const std::string entry =
    R"({"options": ["a", "b"], "option_ids": ["Q1", "Q2"], "facts": 9, "training": 5, "test": 4, )"
    R"("choices": 8, "choices_beginning_another": 1, "notes": [{"what": "few", "detail": "2"}], )"
    R"("skipped": null})";

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_holds_the_setting_the_fact_and_a_score_for_each_choice) {
  BOOST_TEST(line() ==
             R"({"method":"ic","shots":50,"separator":" ","variant":3,"instance_index":7,)"
             R"("sub_id":"Q7","sub_label":"Côte d'Ivoire","answer":1,"choices":[2,5,6],)"
             R"("answer_scores":[-12.5000000000,-0.3333333333,-0.0000000000],)"
             R"("answer_token_counts":[2,1,11]})"
             "\n");
}

BOOST_FIXTURE_TEST_CASE(what_is_written_is_read_again, Run) {
  const auto second = recorded_choice_line({"eic", 0, "\"\t\n", "choice", 0}, fact("\\", 0),
                                           {{0}, 0}, std::span(scores).first(1));
  const auto rows = choices(line() + second);
  BOOST_REQUIRE(rows.size() == 2U);
  BOOST_TEST((rows[0].setting.group() == setting.group()));
  BOOST_TEST(rows[0].setting.variant == 3U);
  BOOST_TEST(rows[0].fact.subject == "Côte d'Ivoire");
  BOOST_TEST(rows[0].fact.subject_id == "Q7");
  BOOST_TEST(rows[0].fact.instance == 7U);
  BOOST_TEST(rows[0].fact.line == 1U);
  BOOST_TEST(rows[0].fact.answer == 5U);  // the option's index, not the choice's
  BOOST_TEST(rows[0].choices == (Options{2, 5, 6}));
  BOOST_TEST(rows[0].answer == 1U);
  BOOST_REQUIRE(rows[0].scores.size() == 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(std::abs(rows[0].scores[i] - scores[i].continuation.log_likelihood) <= 5e-11);
  }
  BOOST_TEST(rows[1].setting.separator == "\"\t\n");
  BOOST_TEST(rows[1].setting.method == "eic");
  BOOST_TEST(rows[1].fact.subject == "\\");
  BOOST_TEST(rows[1].fact.line == 2U);
}

// Rows of IC-LKE and rows of earlier versions do not have these columns.
BOOST_FIXTURE_TEST_CASE(what_stands_before_a_question_is_written_and_read, Run) {
  const auto row = [](const std::optional<PrecedingTexts>& before) {
    return recorded_choice_line({"eic", 50, " ", "choice", 0}, fact("A", 7), {{2, 5, 6}, 1}, scores,
                                before);
  };
  const PrecedingTexts first{50, {}, {2, 0, 1}}, second{55, {7}, {1, 0, 2}}, isolated{60, {}, {}};
  BOOST_TEST(
      row(first).ends_with(",\"pairs_before\":50,\"asked_before\":[],\"choice_order\":[2,0,1]}\n"));
  BOOST_TEST(row(second).ends_with(
      ",\"pairs_before\":55,\"asked_before\":[7],\"choice_order\":[1,0,2]}\n"));
  BOOST_TEST(row(isolated).ends_with("[2,1,11],\"pairs_before\":60}\n"));
  const auto rows = choices(row(first) + row(second) + row(isolated) + row({}) + line());
  BOOST_REQUIRE(rows.size() == 5U);
  BOOST_TEST((rows[0].before == first));
  BOOST_TEST((rows[1].before == second));
  BOOST_TEST((rows[2].before == isolated));
  BOOST_TEST(!rows[3].before.has_value());
  BOOST_TEST(!rows[4].before.has_value());
  BOOST_CHECK_EXCEPTION((void)choices(with("\"asked_before\":[7],", "", row(second))), Error,
                        says(Fault::user, "P36_choices.jsonl:1: is not a row of a many-shot run"));
}

BOOST_FIXTURE_TEST_CASE(invalid_row_is_rejected_with_file_and_line, Run) {
  const std::string not_a_row =
      "P36_choices.jsonl:2: is not a row of a many-shot run; the file was changed; recreate it "
      "with `plumb many-shot`";
  const std::string apart =
      "P36_choices.jsonl:2: choices: answer, choices and answer_scores do not match; the "
      "file was changed; recreate it with `plumb many-shot`";
  const std::vector<std::pair<std::string, std::string>> cases{
      {with("\"method\":\"ic\",", ""), not_a_row},
      {with("\"method\":\"ic\"", "\"method\":1"), not_a_row},
      {with("\"shots\":50", "\"shots\":\"50\""), not_a_row},
      {with("\"separator\":\" \",", ""), not_a_row},
      {with("\"variant\":3", "\"variant\":null"), not_a_row},
      {with("\"sub_label\":\"Côte d'Ivoire\"", "\"sub_label\":[]"), not_a_row},
      {with("\"instance_index\":7,", ""), not_a_row},
      {with("\"choices\":[2,5,6]", "\"choices\":5"), not_a_row},
      {with("-12.5000000000", "null"), not_a_row},  // a score that was not a number
      {with(",\"answer_scores\"", ",\"scores\""), not_a_row},
      {with("[2,5,6]", "[2,5]"), apart},
      {with("[2,5,6]", "[2,5,7]"), apart},  // an option that does not exist
      {with("[2,5,6]", "[2,5,-1]"), not_a_row},
      {with("\"answer\":1", "\"answer\":3"), apart},
      {with("\"answer\":1", "\"answer\":-1"), not_a_row},
      {with("[2,5,6]", "[]", with("[-12.5000000000,-0.3333333333,-0.0000000000]", "[]")), apart},
      {with("-12.5000000000", "12.5000000000"),
       "P36_choices.jsonl:2: answer_scores: contains a log-likelihood above 0; the file was "
       "changed; recreate it with `plumb many-shot`"},
      {"{\"method\":\n", "P36_choices.jsonl:2: not JSON"},
      {"[1]\n", "P36_choices.jsonl:2: is JSON but not an object"},
  };
  for (const auto& [damaged, words] : cases) {
    BOOST_CHECK_EXCEPTION((void)choices(line() + damaged + line()), Error,
                          says(Fault::user, words));
  }
  BOOST_CHECK_EXCEPTION(
      for_each_recorded_choice(relation(*this / "gone"), [](const RecordedChoice&) {}), Error,
      says(Fault::user, "gone/P36_choices.jsonl: cannot be read"));
}

BOOST_AUTO_TEST_CASE(a_score_that_is_no_number_is_written_as_none) {
  std::vector<StatementScore> odd(2);
  odd[0].continuation.log_likelihood = std::nan("");
  odd[1].continuation = {-std::numeric_limits<double>::infinity(), 1};
  BOOST_TEST(recorded_choice_line(setting, fact("a", 0), {{0, 1}, 0}, odd)
                 .find("\"answer_scores\":[null,null]") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(generated_texts_are_written_and_read_again, Run) {
  BOOST_TEST(generations().empty());  // if nothing was generated, the file does not exist
  const std::vector<RecordedGeneration> made{
      {setting, fact("Italy", 4), " Rome,\n\"the\" city", true, true},
      {{"hgp", 0, "", "choice", 2}, fact("Côte d'Ivoire", 5), "", false, true}};
  const std::string first = row_line(made[0]);
  BOOST_TEST(first ==
             R"({"method":"ic","shots":50,"separator":" ","variant":3,"instance_index":4,)"
             R"("sub_id":"Q4","sub_label":"Italy","text":" Rome,\n\"the\" city","correct":true,)"
             R"("correct_with_aliases":true})"
             "\n");
  write("P36_generated.jsonl", first + row_line(made[1]));
  const auto rows = generations();
  BOOST_REQUIRE(rows.size() == 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST((rows[i].setting.group() == made[i].setting.group()));
    BOOST_TEST(rows[i].setting.variant == made[i].setting.variant);
    BOOST_TEST(rows[i].fact.subject == made[i].fact.subject);
    BOOST_TEST(rows[i].fact.instance == made[i].fact.instance);
    BOOST_TEST(rows[i].fact.line == i + 1);
    BOOST_TEST(rows[i].text == made[i].text);
    BOOST_TEST(rows[i].correct == made[i].correct);
    BOOST_TEST(rows[i].correct_with_aliases == made[i].correct_with_aliases);
  }
  for (const std::string& damaged :
       {with("\"correct\":true,", "", first), with("\"correct\":true", "\"correct\":1", first),
        with("\"text\":\"", "\"test\":\"", first)}) {
    write("P36_generated.jsonl", first + damaged);
    BOOST_CHECK_EXCEPTION(
        (void)generations(), Error,
        says(Fault::user, "P36_generated.jsonl:2: is not a row of a many-shot run"));
  }
}

BOOST_FIXTURE_TEST_CASE(the_relations_of_a_run_are_read_in_order, Run) {
  const auto read =
      relations("{\"model\": \"m\", \"relations\": {\"P37\": " + entry +
                ", \"P36\": " + with("null", R"({"what": "too few", "detail": ""})", entry) + "}}");
  BOOST_REQUIRE(read.size() == 2U);
  BOOST_TEST(read[0].code == "P37");
  BOOST_TEST(read[0].options == (Texts{"a", "b"}));
  BOOST_TEST(read[0].choices == 8U);
  BOOST_TEST(read[0].choices_beginning_another == 1U);
  BOOST_REQUIRE(read[0].notes.size() == 1U);
  BOOST_TEST(read[0].notes[0].what == "few");
  BOOST_TEST(read[0].notes[0].detail == "2");
  BOOST_TEST(!read[0].skipped.has_value());
  BOOST_TEST(read[0].rows == *this / "P37_choices.jsonl");
  BOOST_TEST(read[0].generated == *this / "P37_generated.jsonl");
  BOOST_REQUIRE(read[1].skipped.has_value());
  BOOST_TEST(read[1].skipped->what == "too few");
  BOOST_TEST(relations(R"({"relations": {}})").empty());
  BOOST_CHECK_EXCEPTION(
      (void)relations("{\"relations\": {\"../x/P37\": " + entry + "}}"), Error,
      says(Fault::user, "metadata_many_shot.json: \"../x/P37\": is not a valid file name in"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_no_finished_run_is_refused, Run) {
  BOOST_CHECK_EXCEPTION(
      (void)recorded_choice_relations(path()), Error,
      says(Fault::user, path().string() + ": contains no finished many-shot run (no "
                                          "metadata_many_shot.json); specify a finished run "
                                          "folder, or finish its run first (plumb many-shot, "
                                          "`resume`)"));
  for (const std::string& metadata :
       {std::string("{}"), std::string(R"({"relations": [1]})"),
        "{\"relations\": {\"P36\": " + with("\"choices\": 8, ", "", entry) + "}}",
        "{\"relations\": {\"P36\": " + with("\"skipped\": null", "\"skipped\": 1", entry) + "}}",
        "{\"relations\": {\"P36\": " + with("\"what\": \"few\", ", "", entry) + "}}"}) {
    BOOST_CHECK_EXCEPTION(
        (void)relations(metadata), Error,
        says(Fault::user,
             "metadata_many_shot.json: is not in the format of `plumb many-shot`; run "
             "it again"));
  }
  BOOST_CHECK_EXCEPTION((void)relations("{"), Error,
                        says(Fault::user, "metadata_many_shot.json:1: not JSON"));
}

BOOST_AUTO_TEST_SUITE_END()
