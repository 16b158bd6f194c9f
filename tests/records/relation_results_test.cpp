// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/relation_results.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::row;

BOOST_AUTO_TEST_SUITE(relation_results_suite)

namespace {

const std::vector<std::string> three_options{"Paris", "Rome", "Cairo"};
const std::vector<std::string> two_templates{"[X]: [Y].", "[Y] of [X]."};

std::vector<RelationAnswers> answers_in(const test::ResultsFolder& folder) {
  std::vector<RelationAnswers> all;
  for (const RecordedRelation& recorded : recorded_relations(folder.path())) {
    all.push_back(read_relation_results(recorded).answers);
  }
  return all;
}

bool one_to_one_in(const test::ResultsFolder& folder) {
  return is_one_to_one(answers_in(folder).at(0).relation);
}

std::vector<std::size_t> templates_of(const RelationAnswers& table) {
  std::vector<std::size_t> indices;
  for (const Setting& setting : table.settings) indices.push_back(setting.variant);
  return indices;
}

/// The ranks of each fact under each template.
std::vector<std::vector<double>> ranks_of(const RelationAnswers& table) {
  std::vector<std::vector<double>> ranks;
  for (std::size_t fact = 0; fact < table.facts(); ++fact) {
    auto& row = ranks.emplace_back();
    for (const Prediction& cell : table.row(fact)) row.push_back(cell.rank.realistic());
  }
  return ranks;
}

using Ranks = std::vector<std::vector<double>>;

}  // namespace

BOOST_AUTO_TEST_CASE(answers_are_read_by_instance_then_template) {
  test::ResultsFolder folder;
  // The rows are unsorted on purpose: other tools need not sort their files.
  folder.add("P36", three_options, two_templates, {{"domains", {"Geography"}}},
             {row("Italy", 1, 1, 1, {-1, -2, -3}), row("France", 0, 1, 0, {-3, -2, -1}),
              row("France", 0, 0, 0, {-1, -2, -3}), row("Italy", 1, 0, 1, {-2, -1, -3})});
  const auto all = answers_in(folder);
  BOOST_REQUIRE(all.size() == 1U);
  const Relation& relation = all[0].relation;
  BOOST_TEST(relation.code == "P36");
  BOOST_TEST(relation.options == three_options);
  BOOST_TEST(relation.domains == std::vector<std::string>{"Geography"});
  BOOST_TEST((templates_of(all[0]) == std::vector<std::size_t>{0, 1}));
  BOOST_CHECK((ranks_of(all[0]) == Ranks{{1, 3}, {1, 2}}));
  BOOST_TEST(all[0].weighted.empty());
}

BOOST_AUTO_TEST_CASE(cardinality_comes_from_the_metadata) {
  test::ResultsFolder folder;
  const std::vector<std::string> rows{row("France", 0, 0, 0, {-1, -2, -3})};
  const std::string one = "single instance per answer", many = "multiple instances per answer";
  folder.add("P36", three_options, two_templates, {{"cardinality", one}}, rows);
  BOOST_TEST(one_to_one_in(folder));
  folder.add("P36", three_options, two_templates, {{"cardinality", many}}, rows);
  BOOST_TEST(!one_to_one_in(folder));
}

BOOST_AUTO_TEST_CASE(without_metadata_the_facts_tell_the_cardinality) {
  test::ResultsFolder folder;
  const std::string france = row("France", 0, 0, 0, {-1, -2, -3});
  // The same fact under another template is not counted as a second fact with the same answer.
  folder.add("P36", three_options, two_templates, Json::object(),
             {france, row("France", 0, 1, 0, {-1, -2, -3})});
  BOOST_TEST(one_to_one_in(folder));
  folder.add("P36", three_options, two_templates, Json::object(),
             {france, row("Île-de-France", 1, 0, 0, {-1, -2, -3})});
  BOOST_TEST(!one_to_one_in(folder));
}

BOOST_AUTO_TEST_CASE(rows_that_name_neither_instance_nor_template_count_by_line) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, Json::object(),
             {R"({"answer_idx": 2, "pll_scores": [-1, -2, -3]})",
              R"({"answer_idx": 0, "pll_scores": [-1, -2, -3]})"});
  folder.set("P36", "template_index", 1);
  const RelationAnswers answers = answers_in(folder)[0];
  BOOST_TEST((templates_of(answers) == std::vector<std::size_t>{1}));
  BOOST_CHECK((ranks_of(answers) == Ranks{{3}, {1}}));
}

BOOST_AUTO_TEST_CASE(fact_without_a_row_for_every_template_is_rejected) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, Json::object(),
             {row("France", 0, 0, 0, {-1, -2, -3}), row("France", 0, 1, 0, {-1, -2, -3}),
              row("Italy", 1, 0, 1, {-1, -2, -3})});
  BOOST_CHECK_EXCEPTION((void)answers_in(folder), Error,
                        test::says(Fault::user, "instance 1 has no row for template 1"));
}

BOOST_AUTO_TEST_CASE(damaged_row_is_rejected_with_its_line) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, Json::object(),
             {row("France", 0, 0, 0, {-1, -2, -3}), row("Italy", 1, 0, 1, {-1, -2})});
  BOOST_CHECK_EXCEPTION((void)answers_in(folder), Error,
                        test::says(Fault::user, "P36_results.jsonl:2: pll_scores"));
}

BOOST_AUTO_TEST_CASE(a_folder_without_results_is_refused) {
  const test::ResultsFolder folder;
  BOOST_CHECK_EXCEPTION((void)answers_in(folder), Error,
                        test::says(Fault::user, "contains no finished results"));
}

BOOST_AUTO_TEST_CASE(weighted_templates_are_ranked_together) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, {{"domains", {"Geography"}}},
             {row("Italy", 1, 1, 1, {-9, -2, -5}), row("France", 0, 1, 0, {-3, -2, -1}),
              row("France", 0, 0, 0, {-1, -2, -3}), row("Italy", 1, 0, 1, {-2, -1, -3})});
  const auto weighted = [&] { return answers_in(folder).at(0).weighted; };
  BOOST_TEST(weighted().empty());
  folder.set("P36", "template_weights", {0.25, 0.75});
  const std::vector<Prediction> made = weighted();
  BOOST_REQUIRE(made.size() == 2U);
  // France's scores are (−1·¼ − 3·¾, −2, −3·¼ − 1·¾) = (−2.5, −2, −1.5), Italy's (−7.25, −1.75,
  // −4.5).
  BOOST_TEST(made[0].rank.realistic() == 3.0);
  BOOST_TEST(made[0].option == 2U);
  BOOST_TEST(made[1].rank.realistic() == 1.0);
  folder.set("P36", "template_weights", {1});  // the second has weight 0
  BOOST_TEST(weighted().at(0).rank.realistic() == 1.0);
  folder.set("P36", "template_weights", {0, 0});
  BOOST_TEST(weighted().empty());
  folder.set("P36", "template_weights", {0.5, "1"});
  BOOST_CHECK_EXCEPTION((void)weighted(), Error,
                        test::says(Fault::user, "P36.template_weights: is not a list of weights"));
}

BOOST_AUTO_TEST_CASE(of_a_facts_own_texts_the_right_one_is_kept) {
  test::ResultsFolder folder;
  Json line = Json::parse(row("story", 0, 0, 1, {-1, -2, -3}));
  line["choices"] = {"one end", "another end", "no end"};
  folder.add("news", three_options, two_templates, Json::object(), {line.dump()});
  const RelationAnswers read = answers_in(folder).at(0);
  BOOST_TEST((read.relation.facts[0].choices == std::vector<std::string>{"", "another end", ""}));
}

BOOST_AUTO_TEST_CASE(every_row_is_seen_once_and_facts_with_several_right_options_are_gathered) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, Json::object(),
             {row("Italy", 0, 0, 1, {-2, -1, -3}), row("Italy", 0, 1, 1, {-9, -2, -5}),
              row("Italy", 1, 0, 2, {-2, -1, -3}), row("Italy", 1, 1, 2, {-9, -2, -5}),
              row("France", 2, 0, 0, {-1, -2, -3}), row("France", 2, 1, 0, {-3, -2, -1})});
  folder.set("P36", "template_weights", {0.25, 0.75});
  std::vector<std::string> seen;
  const RelationResults made =
      read_relation_results(recorded_relations(folder.path()).front(),
                            [&](const RecordedRow& row) { seen.push_back(row.fact.subject); });
  BOOST_TEST(
      (seen == std::vector<std::string>{"Italy", "Italy", "Italy", "Italy", "France", "France"}));
  const std::vector<Fact>& facts = made.answers.relation.facts;
  BOOST_REQUIRE(facts.size() == 3U);
  for (const std::size_t i : {0U, 1U, 2U}) BOOST_TEST(facts[i].answer == (i + 1) % 3);
  BOOST_TEST(is_one_to_one(made.answers.relation));
  BOOST_TEST(made.answers.weighted.size() == 3U);
  BOOST_TEST(made.several_right.code == "P36");
  BOOST_REQUIRE(made.several_right.facts.size() == 1U);  // Italy: Rome and Cairo
  BOOST_TEST(made.several_right.facts[0].at(0).precision == 0.5);
  BOOST_TEST(made.several_right.facts[0].at(1).all_above);
}

BOOST_AUTO_TEST_SUITE_END()
