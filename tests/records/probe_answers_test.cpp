// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/probe_answers.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/results_folder.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::ResultsFolder;
using test::row;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_answers_suite)

namespace {

using Cells = std::vector<std::vector<double>>;

const std::vector<std::string> cities{"Paris", "Rome"};
const std::vector<std::string> two_templates{"[X]: [Y].", "[Y] of [X]."};

/// A folder that contains relation P36.
struct Capitals : ResultsFolder {
  explicit Capitals(const std::vector<std::string>& rows, const Json& info = Json::object(),
                    const std::vector<std::string>& templates = two_templates,
                    const std::vector<std::string>& options = cities) {
    add("P36", options, templates, info, rows);
  }
  [[nodiscard]] RecordedRelation read() const { return recorded_relations(path()).at(0); }
};

template <class... Folders>
RelationAnswers gathered(const Folders&... folders) {
  const std::vector<RecordedRelation> parts{folders.read()...};
  return recorded_answers(std::span<const RecordedRelation>(parts), scores_of_row);
}

/// The difference in nats between the scores of the first and the second option. It identifies the
/// row that a cell was computed from.
Cells cells_of(const RelationAnswers& table) {
  Cells cells;
  for (std::size_t fact = 0; fact < table.facts(); ++fact) {
    auto& row = cells.emplace_back();
    for (const Prediction& cell : table.row(fact)) {
      BOOST_TEST(cell.option == 0U);
      row.push_back(std::round(std::log(cell.confidence / (1 - cell.confidence))));
    }
  }
  return cells;
}

const std::vector<std::string> three_options{"Paris", "Rome", "Cairo"};
const std::vector<std::string> three_templates{"[X]: [Y].", "[Y] of [X].", "[X] has [Y]."};
const std::string france_0 = row("France", 3, 0, 0, {-1, -2}),
                  france_1 = row("France", 3, 1, 0, {-1, -3}),
                  italy_0 = row("Italy", 7, 0, 1, {-1, -4}),
                  italy_1 = row("Italy", 7, 1, 1, {-1, -5});
const std::string another = "; join only folders with scores for the same dataset";

}  // namespace

BOOST_AUTO_TEST_CASE(rows_in_any_order_become_facts_by_templates) {
  const auto table = gathered(Capitals({italy_1, france_1, france_0, italy_0}));
  BOOST_TEST((table.settings == std::vector<Setting>{template_setting(0), template_setting(1)}));
  BOOST_CHECK((cells_of(table) == Cells{{1, 2}, {3, 4}}));
  BOOST_TEST(table.relation.code == "P36");
  BOOST_TEST(table.relation.options == cities);
  BOOST_REQUIRE(table.relation.facts.size() == 2U);
  BOOST_TEST(table.relation.facts[0].subject == "France");
  BOOST_TEST(table.relation.facts[0].instance == 3U);
  BOOST_TEST(table.relation.facts[0].answer == 0U);
  BOOST_TEST(table.relation.facts[1].subject == "Italy");
  BOOST_TEST(table.relation.facts[1].instance == 7U);
  BOOST_TEST(table.relation.facts[1].answer == 1U);
}

BOOST_AUTO_TEST_CASE(templates_need_not_begin_at_zero) {
  const auto table = gathered(Capitals({row("France", 0, 9, 0, {-1, -2})}));
  BOOST_TEST((table.settings == std::vector<Setting>{template_setting(9)}));
  BOOST_CHECK((cells_of(table) == Cells{{1}}));
}

BOOST_AUTO_TEST_CASE(a_file_without_rows_has_no_facts) {
  const auto table = gathered(Capitals({}));
  BOOST_TEST(table.settings.empty());
  BOOST_TEST(table.cells.empty());
  BOOST_TEST(table.relation.facts.empty());
  BOOST_TEST(table.relation.options == cities);
}

BOOST_AUTO_TEST_CASE(folders_of_different_templates_join) {
  const Capitals second({france_1, italy_1}, {{"domains", {"Geography"}}});
  const Capitals first({italy_0, france_0}, Json::object(), {"[X]: [Y]."});
  const auto table = gathered(second, first);
  BOOST_TEST((table.settings == std::vector<Setting>{template_setting(0), template_setting(1)}));
  BOOST_CHECK((cells_of(table) == Cells{{1, 2}, {3, 4}}));
  for (const auto& joined : {table, gathered(first, second)}) {
    BOOST_TEST(joined.relation.templates == two_templates);  // the longer list
    BOOST_TEST(joined.relation.domains == std::vector<std::string>{"Geography"});
    BOOST_TEST(joined.relation.facts.size() == 2U);
  }
}

BOOST_AUTO_TEST_CASE(the_metadata_or_else_the_facts_tell_the_cardinality) {
  const Json one{{"cardinality", "single instance per answer"}},
      many{{"cardinality", "multiple instances per answer"}};
  const std::string gaul = row("Gaul", 9, 0, 0, {-1, -2});
  BOOST_TEST(is_one_to_one(gathered(Capitals({france_0, italy_0})).relation));
  BOOST_TEST(is_one_to_one(gathered(Capitals({france_0, france_1})).relation));
  BOOST_TEST(!is_one_to_one(gathered(Capitals({france_0, gaul})).relation));
  BOOST_TEST(is_one_to_one(gathered(Capitals({france_0, gaul}, one)).relation));
  BOOST_TEST(!is_one_to_one(gathered(Capitals({france_0, italy_0}, many)).relation));
  // It is enough if one of several folders specifies this cardinality in its metadata.
  BOOST_TEST(!is_one_to_one(gathered(Capitals({france_0}), Capitals({france_1}, many)).relation));
  BOOST_TEST(!is_one_to_one(gathered(Capitals({france_0}, many), Capitals({france_1})).relation));
  BOOST_TEST(is_one_to_one(gathered(Capitals({france_0, gaul}, one),
                                    Capitals({france_1, row("Gaul", 9, 1, 0, {-1, -2})}))
                               .relation));
  BOOST_TEST(is_one_to_one(gathered(Capitals({france_0, gaul}),
                                    Capitals({france_1, row("Gaul", 9, 1, 0, {-1, -2})}, one))
                               .relation));
}

BOOST_AUTO_TEST_CASE(a_row_stands_once) {
  BOOST_CHECK_EXCEPTION((void)gathered(Capitals({france_0, italy_0, france_0})), Error,
                        says(Fault::user,
                             "P36_results.jsonl:3: instance_index: instance 3 is duplicated for "
                             "template 0; the results file is damaged"));
  // The folders of two models are passed as one model.
  BOOST_CHECK_EXCEPTION((void)gathered(Capitals({france_0, italy_1}), Capitals({italy_1})), Error,
                        says(Fault::user,
                             "P36_results.jsonl:1: instance_index: instance 7 is duplicated for "
                             "template 1; name folders of different models as NAME=DIR"));
}

BOOST_AUTO_TEST_CASE(a_fact_has_every_template_that_another_has) {
  const std::string lacks =
      "P36_results.jsonl: template_index: instance 7 has no row for template 1, ";
  BOOST_CHECK_EXCEPTION((void)gathered(Capitals({france_0, france_1, italy_0})), Error,
                        says(Fault::user, lacks));
  BOOST_CHECK_EXCEPTION((void)gathered(Capitals({france_0, italy_1})), Error,
                        says(Fault::user, "instance 3 has no row for template 1"));
  BOOST_CHECK_EXCEPTION((void)gathered(Capitals({france_0, italy_0}), Capitals({france_1})), Error,
                        says(Fault::user, lacks));
}

BOOST_AUTO_TEST_CASE(a_file_that_plumb_did_not_finish_is_refused) {
  Capitals folder({france_0, france_1, italy_0, italy_1});
  folder.set("P36", "num_original_instances", 3);
  BOOST_TEST(gathered(folder).facts() == 2U);  // counts from other tools have a different meaning
  folder.set("P36", "plumb_version", "1.0.0");
  BOOST_CHECK_EXCEPTION((void)gathered(folder), Error,
                        says(Fault::user,
                             "P36_results.jsonl: 2 of 3 facts; the results file is incomplete; "
                             "probe again"));
  folder.set("P36", "num_original_instances", 1);
  BOOST_CHECK_EXCEPTION((void)gathered(folder), Error,
                        says(Fault::user,
                             "P36_results.jsonl: has 2 facts but its metadata reports 1; the "
                             "results file is from another run; probe again"));
  folder.set("P36", "num_original_instances", 2);
  BOOST_TEST(gathered(folder).facts() == 2U);
  Capitals from_zero({row("Chad", 0, 0, 0, {-1, -2}), row("Peru", 1, 0, 1, {-1, -2})});
  from_zero.set("P36", "plumb_version", "1.0.0");
  from_zero.set("P36", "num_original_instances", 2);
  BOOST_TEST(gathered(from_zero).facts() == 2U);
  // Each folder is checked separately.
  const Capitals half({row("France", 3, 2, 0, {-1, -2})});
  Capitals cut({france_0});
  cut.set("P36", "plumb_version", "1.0.0");
  cut.set("P36", "num_original_instances", 2);
  BOOST_CHECK_EXCEPTION((void)gathered(half, cut), Error, says(Fault::user, ": 1 of 2 facts"));
}

BOOST_AUTO_TEST_CASE(folders_of_other_facts_do_not_join) {
  const Capitals first({italy_0, france_0});
  const std::string was = "instance 3 is a different fact in an earlier row" + another;
  BOOST_CHECK_EXCEPTION(
      (void)gathered(first, Capitals({italy_1, row("France", 3, 1, 1, {-1, -2})})), Error,
      says(Fault::user, "P36_results.jsonl:2: instance_index: " + was));
  BOOST_CHECK_EXCEPTION((void)gathered(first, Capitals({italy_1, row("Gaul", 3, 1, 0, {-1, -2})})),
                        Error, says(Fault::user, "P36_results.jsonl:2: instance_index: " + was));
  // The same error is reported if both rows are in one file.
  BOOST_CHECK_EXCEPTION((void)gathered(Capitals({france_0, row("Gaul", 3, 1, 0, {-1, -2})})), Error,
                        says(Fault::user, "P36_results.jsonl:2: instance_index: " + was));
}

BOOST_AUTO_TEST_CASE(a_row_without_a_subject_fits_any) {
  const auto table = gathered(Capitals({france_0}), Capitals({row("", 3, 1, 0, {-1, -3})}));
  BOOST_CHECK((cells_of(table) == Cells{{1, 2}}));
}

BOOST_AUTO_TEST_CASE(folders_of_other_options_or_scorings_do_not_join) {
  const Capitals first({france_0});
  const auto refused = [&](const Capitals& other, const std::string& why) {
    BOOST_CHECK_EXCEPTION((void)gathered(first, other), Error,
                          says(Fault::user, (other.path() / "P36_results.jsonl").string() + ": " +
                                                why + " " + first.path().string() + another));
  };
  refused(Capitals({france_1}, Json::object(), two_templates, {"Rome", "Paris"}),
          "answer_space_labels: differ from those in");
  Capitals means({france_1});
  means.set("P36", "reduction", "mean");
  refused(means, "reduction: differs from that in");
  Capitals answers({france_1});
  answers.set("P36", "span", "answer");
  refused(answers, "reduction: differs from that in");
}

BOOST_AUTO_TEST_CASE(parts_are_read_when_asked_for) {
  const Capitals folder({R"({"answer_idx": 0, "pll_scores": [-6, -8], "token_counts": [3, 4],)"
                         R"("answer_token_counts": [1, 2], "answer_scores": [-1, -2]})"});
  const std::vector<RecordedRelation> parts{folder.read()};
  const std::span<const RecordedRelation> all(parts);
  std::size_t parts_of_a_row = 9;
  const auto count = [&](const RecordedRow& row, const RecordedRelation&) {
    parts_of_a_row = row.parts.size();
    return row.scores;
  };
  (void)recorded_answers(all, count);
  BOOST_TEST(parts_of_a_row == 0U);
  (void)recorded_answers(all, count, true);
  BOOST_TEST(parts_of_a_row == 2U);
}

BOOST_AUTO_TEST_CASE(templates_are_the_variants_of_one_setting) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, three_templates, Json::object(),
             {row("Italy", 5, 2, 1, {-1, -2, -3}), row("France", 3, 2, 0, {-3, -2, -1}),
              row("France", 3, 0, 0, {std::log(0.5), std::log(0.25), std::log(0.25)}),
              row("Italy", 5, 0, 1, {-2, -1, -3})});
  const ModelAnswers model = probe_answers(folder.path(), "tiny");
  BOOST_TEST(model.name == "tiny");
  BOOST_TEST(model.relations.size() == 1U);
  const RelationAnswers& relation = model.relations[0];
  BOOST_TEST(relation.relation.code == "P36");
  const std::vector<Fact>& facts = relation.relation.facts;
  BOOST_TEST(facts.size() == 2U);
  BOOST_TEST(facts[0].instance == 3U);
  BOOST_TEST(facts[0].subject == "France");
  BOOST_TEST(relation.relation.options[facts[0].answer] == "Paris");
  BOOST_TEST(relation.relation.options[facts[1].answer] == "Rome");
  BOOST_TEST(relation.settings.size() == 2U);
  for (const Setting& made : relation.settings) {
    BOOST_TEST((made.group() == Setting{"template"}.group()));
  }
  BOOST_TEST(relation.settings[0].variant == 0U);
  BOOST_TEST(relation.settings[1].variant == 2U);
  const auto france = relation.row(0), italy = relation.row(1);
  BOOST_TEST(france[0].correct);
  BOOST_TEST(std::abs(france[0].confidence - 0.5) < 1e-12);
  BOOST_TEST(italy[0].correct);
  BOOST_TEST(france[1].option == 2U);
  BOOST_TEST(!france[1].correct);
  BOOST_TEST(!italy[1].correct);
}

// France's scores are (−1·¼ − 3·¾, −2, −3·¼ − 1·¾) = (−2.5, −2, −1.5), whatever the order of rows
// and folders. A template without a weight is ignored.
BOOST_AUTO_TEST_CASE(weighted_templates_of_several_folders_answer_together) {
  const std::string first = row("France", 0, 0, 0, {-1, -2, -3}),
                    second = row("France", 0, 1, 0, {-3, -2, -1}),
                    third = row("France", 0, 2, 0, {-9, -1, -9});
  Capitals one({third, first}, Json::object(), three_templates, three_options);
  Capitals other({second}, Json::object(), three_templates, three_options);
  for (Capitals* folder : {&one, &other}) folder->set("P36", "template_weights", {0.25, 0.75});
  for (const auto& table : {gathered(one, other), gathered(other, one)}) {
    BOOST_REQUIRE(table.weighted.size() == 1U);
    BOOST_TEST(table.weighted[0].option == 2U);
    BOOST_TEST(table.weighted[0].rank.realistic() == 3.0);
    BOOST_TEST(std::abs(table.weighted[0].margin - (softmax(std::vector{-2.5, -2.0, -1.5})[2] -
                                                    softmax(std::vector{-2.5, -2.0, -1.5})[1])) <
               1e-12);
  }
}

// For France, template 0 scores Paris −1 and Rome −2; template 1 scores Rome −1 and Paris −5.
BOOST_AUTO_TEST_CASE(weights_are_the_same_in_all_folders_that_have_any) {
  Capitals one({france_0}), other({row("France", 3, 1, 0, {-5, -1})});
  const auto option = [&] {
    const RelationAnswers first = gathered(one, other), last = gathered(other, one);
    BOOST_REQUIRE(first.weighted.size() == 1U);
    BOOST_REQUIRE(last.weighted.size() == 1U);
    BOOST_TEST(first.weighted[0].confidence == last.weighted[0].confidence);
    return first.weighted[0].option;
  };
  one.set("P36", "template_weights", {0.5, 0.5});
  BOOST_TEST(option() == 0U);                           // the other folder's rows have weight 0
  other.set("P36", "template_weights", {0.5, 0.5, 0});  // the same
  BOOST_TEST(option() == 1U);
  other.set("P36", "template_weights", {0.25, 0.75});
  BOOST_CHECK_EXCEPTION(
      (void)gathered(one, other), Error,
      says(Fault::user, "P36_results.jsonl: template_weights: differ from those in " +
                            one.path().string() + another));
}

BOOST_AUTO_TEST_CASE(relations_keep_their_order_and_empty_ones_are_left_out) {
  test::ResultsFolder folder;
  folder.add("P2", three_options, three_templates, Json::object(),
             {row("a", 0, 0, 0, {-1, -2, -3})});
  folder.add("P3", three_options, three_templates, Json::object(), {});
  folder.add("P1", three_options, three_templates, Json::object(),
             {row("b", 0, 0, 0, {-1, -2, -3})});
  const ModelAnswers model = probe_answers(folder.path(), "tiny");
  BOOST_TEST(model.relations.size() == 2U);
  BOOST_TEST(model.relations[0].relation.code == "P2");
  BOOST_TEST(model.relations[1].relation.code == "P1");
}

BOOST_AUTO_TEST_CASE(fact_with_its_own_choices_uses_them_for_its_answer) {
  test::ResultsFolder folder;
  Json line = Json::parse(row("story", 0, 0, 1, {-1, -2, -3}));
  line["choices"] = {"one end", "another end", "no end"};
  folder.add("news", three_options, three_templates, Json::object(), {line.dump()});
  const RelationAnswers table = probe_answers(folder.path(), "").relations[0];
  const Relation& read = table.relation;
  BOOST_TEST(option_text(read, read.facts[0], read.facts[0].answer) == "another end");
  BOOST_TEST(answer_text(table, 0, 0) == "one end");
  BOOST_TEST(read.facts[0].choices[2].empty());  // the other options are not stored
}

BOOST_AUTO_TEST_CASE(what_is_no_finished_run_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)probe_answers(folder.path(), ""), Error,
                        test::says(Fault::user, "contains no finished results"));
}

BOOST_AUTO_TEST_CASE(equal_scores_for_all_options_are_ties_that_are_not_known) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, three_templates, Json::object(),
             {row("France", 0, 0, 0, {-2, -2, -2}), row("Italy", 1, 0, 1, {-3, -3, -3}),
              row("Egypt", 2, 0, 2, {-4, -4, -5})});
  const ModelAnswers model = probe_answers(folder.path(), "level");
  const std::vector<Prediction>& answers = model.relations[0].cells;
  for (const Prediction& answer : answers) {
    BOOST_TEST(answer.is_tie());
    BOOST_TEST(!answer.correct);
  }
  BOOST_TEST(answers[0].accuracy() == 1.0 / 3);
  BOOST_TEST(answers[0].accuracy_first_wins() == 1.0);
  BOOST_TEST(answers[1].accuracy() == 1.0 / 3);
  BOOST_TEST(answers[1].accuracy_first_wins() == 0.0);
  BOOST_TEST(answers[2].accuracy() == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
