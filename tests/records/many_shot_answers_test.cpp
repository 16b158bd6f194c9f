// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/many_shot_answers.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/many_shot_folder.hpp"
#include "support/small_answers.hpp"

using namespace plumb::detail;
using test::ManyShotFolder;
using test::marks_of;
using test::says;

BOOST_AUTO_TEST_SUITE(many_shot_answers_of_a_folder)

namespace {

/// Checks that reading the folder throws an error with this message.
void refused(const ManyShotFolder& folder, const std::string& words) {
  BOOST_CHECK_EXCEPTION((void)many_shot_answers(folder.path(), "m"), Error,
                        says(Fault::user, words));
}

const Setting one_shot{"ic", 1, " ", "choice", 0};

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_setting_has_the_likeliest_choice_of_every_fact, test::SmallManyShot) {
  const ModelAnswers model = many_shot_answers(path(), "m");
  BOOST_TEST(model.name == "m");
  BOOST_REQUIRE(model.relations.size() == 2U);  // P3 was skipped
  const RelationAnswers& p1 = model.relations[0];
  BOOST_TEST(p1.relation.code == "P1");
  BOOST_REQUIRE(p1.facts() == 4U);
  const std::vector<Fact>& facts = p1.relation.facts;
  BOOST_TEST(facts[3].instance == 3U);
  BOOST_TEST(facts[3].subject == "s3");
  BOOST_TEST(option_text(p1.relation, facts[3], facts[3].answer) == "no");
  BOOST_REQUIRE(p1.settings.size() == 5U + 4U);
  const std::vector<std::string> expected{"1000", "1110", "1100", "1111", "1000"};
  for (std::size_t s = 0; s < expected.size(); ++s) BOOST_TEST(marks_of(p1, s) == expected[s]);
  BOOST_TEST(p1.settings[3].method == "ic");
  BOOST_TEST(p1.settings[3].shots == 5U);
  BOOST_TEST(p1.settings[3].separator == " ");
  BOOST_TEST(p1.settings[3].by == "choice");
  BOOST_TEST(p1.settings[3].variant == 1U);
  BOOST_TEST(p1.settings[4].method == "hgp");
  const Prediction& answer = p1.row(1)[0];  // wrong: the answer is "yes", but "no" is right
  BOOST_TEST(answer.option == 0U);
  BOOST_TEST(std::abs(answer.confidence - 0.82) < 1e-9);
  BOOST_TEST(std::abs(answer.margin - 0.64) < 1e-9);
  BOOST_TEST(model.relations[1].facts() == 2U);
}

// The right choice is the second one, "yes"; the likeliest is the first one, "no".
BOOST_AUTO_TEST_CASE(an_answer_is_an_option_of_the_relation_wherever_it_stands_among_the_choices) {
  ManyShotFolder folder;
  folder.relation("P1");
  std::vector<StatementScore> scores(2);
  scores[0].continuation.log_likelihood = std::log(0.75);
  scores[1].continuation.log_likelihood = std::log(0.25);
  folder.files().write("P1_choices.jsonl",
                       recorded_choice_line(one_shot, test::numbered_fact(0), {{1, 0}, 1}, scores));
  const RelationAnswers p1 = many_shot_answers(folder.path(), "m").relations[0];
  BOOST_TEST(!p1.row(0)[0].correct);
  BOOST_TEST(p1.row(0)[0].option == 1U);
  BOOST_TEST(answer_text(p1, 0, 0) == "no");
  BOOST_TEST(p1.texts.empty());
}

BOOST_FIXTURE_TEST_CASE(continuations_are_settings_of_their_own, test::SmallManyShot) {
  const RelationAnswers p1 = many_shot_answers(path(), "m").relations[0];
  const std::vector<std::pair<std::string, std::string>> expected{{"generation", "1000"},
                                                                  {"generation-aliases", "1011"},
                                                                  {"generation", "1100"},
                                                                  {"generation-aliases", "1101"}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Setting& made = p1.settings[5 + i];
    BOOST_TEST(made.by == expected[i].first);
    BOOST_TEST(made.method == "ic");
    BOOST_TEST(made.shots == 5U);
    BOOST_TEST(made.variant == i / 2);
    BOOST_TEST(marks_of(p1, 5 + i) == expected[i].second);
    BOOST_TEST(answer_text(p1, 0, 5 + i) == "…");
  }
}

BOOST_FIXTURE_TEST_CASE(rows_of_choices_are_shown_in_passing, test::SmallManyShot) {
  std::size_t rows = 0, hgp = 0;
  (void)many_shot_answers(recorded_choice_relations(path()), "m",
                          [&](const std::string& relation, const RecordedChoice& row) {
                            BOOST_TEST(!relation.empty());
                            ++rows;
                            if (row.setting.method == "hgp") ++hgp;
                            BOOST_TEST(row.choices.size() == 2U);
                          });
  BOOST_TEST(rows == 5U * 4U + 4U * 2U);
  BOOST_TEST(hgp == 4U);
}

BOOST_AUTO_TEST_CASE(facts_of_one_setting_may_come_in_several_pieces) {
  ManyShotFolder folder;
  const Setting other{"eic", 50, " ", "choice", 0};
  folder.choose("P1", one_shot, "110");
  const std::string text = test::slurp(folder.files() / "P1_choices.jsonl");
  const std::size_t cut = text.find('\n') + 1;
  folder.choose("P1", other, "011");
  const std::string all = test::slurp(folder.files() / "P1_choices.jsonl");
  // The rows contain the first fact under both settings, followed by the remaining facts.
  const std::string theirs = all.substr(text.size());
  const std::size_t their_cut = theirs.find('\n') + 1;
  folder.files().write("P1_choices.jsonl", text.substr(0, cut) + theirs.substr(0, their_cut) +
                                               text.substr(cut) + theirs.substr(their_cut));
  const RelationAnswers read = many_shot_answers(folder.path(), "m").relations[0];
  BOOST_REQUIRE(read.settings.size() == 2U);
  BOOST_TEST(marks_of(read, 0) == "110");
  BOOST_TEST(marks_of(read, 1) == "011");
}

BOOST_AUTO_TEST_CASE(a_relation_without_rows_has_no_settings) {
  ManyShotFolder folder;
  folder.relation("P1");
  const ModelAnswers model = many_shot_answers(folder.path(), "m");
  BOOST_REQUIRE(model.relations.size() == 1U);
  BOOST_TEST(model.relations[0].settings.empty());
  BOOST_TEST(model.relations[0].relation.facts.empty());
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_no_finished_run_is_refused) {
  const test::TemporaryFolder empty;
  BOOST_CHECK_EXCEPTION((void)many_shot_answers(empty.path(), "m"), Error,
                        says(Fault::user, "contains no finished many-shot run"));
  empty.write("metadata_many_shot.json", R"({"relations": {"P1": {"options": ["a"]}}})");
  BOOST_CHECK_EXCEPTION((void)many_shot_answers(empty.path(), "m"), Error,
                        says(Fault::user, "metadata_many_shot.json: is not in the format"));
}

BOOST_AUTO_TEST_CASE(error_names_the_missing_or_damaged_file) {
  ManyShotFolder folder;
  folder.choose("P1", one_shot, "10");
  folder.generate("P1", one_shot, "10");
  const auto rows = folder.files() / "P1_choices.jsonl";
  const std::string sound = test::slurp(rows);
  const auto with = [&](const std::string& text) {
    folder.files().write("P1_choices.jsonl", text);
  };
  with(sound + "{\"method\":");
  refused(folder, "P1_choices.jsonl:3: not JSON");
  with(sound + "{\"method\":\"ic\"}\n");
  refused(folder, "P1_choices.jsonl:3: is not a row of a many-shot run");
  std::string odd = sound;
  odd.replace(odd.find("\"choices\":[0,1]"), 15, "\"choices\":[0,7]");
  with(odd);
  refused(folder, "P1_choices.jsonl:1: choices: answer, choices and answer_scores do not match");
  std::filesystem::remove(rows);
  refused(folder, "P1_choices.jsonl: cannot be read");
  with(sound);
  folder.files().write("P1_generated.jsonl", "[]\n");
  refused(folder, "P1_generated.jsonl:1: is JSON but not an object");
}

BOOST_AUTO_TEST_CASE(settings_with_other_facts_are_refused_where_they_part) {
  const Setting second{"ic", 5, " ", "choice", 0};
  ManyShotFolder fewer;
  fewer.choose("P1", one_shot, "101");
  fewer.choose("P1", second, "10");
  refused(fewer, "P1_choices.jsonl: does not have the same facts under every setting");
  ManyShotFolder more;
  more.choose("P1", one_shot, "10");
  more.choose("P1", second, "101");
  refused(more,
          "P1_choices.jsonl:5: does not match the fact at this position under other settings");
  ManyShotFolder generated;
  generated.choose("P1", one_shot, "10");
  generated.generate("P1", one_shot, "1");
  refused(generated, "does not have the same facts under every setting");
  ManyShotFolder texts_alone;
  texts_alone.choose("P1", one_shot, "");
  texts_alone.generate("P1", one_shot, "1");
  refused(texts_alone,
          "P1_generated.jsonl:1: is a generated text for a fact that has no row of choices");
  ManyShotFolder others;
  others.choose("P1", one_shot, "10");
  const std::string sound = test::slurp(others.files() / "P1_choices.jsonl");
  others.choose("P1", second, "10");
  std::string text = test::slurp(others.files() / "P1_choices.jsonl");
  const std::size_t at = text.find("\"instance_index\":0", sound.size());
  text.replace(at, 18, "\"instance_index\":9");
  others.files().write("P1_choices.jsonl", text);
  refused(others,
          "P1_choices.jsonl:3: does not match the fact at this position under other settings");
}

BOOST_AUTO_TEST_SUITE_END()
