// SPDX-License-Identifier: Apache-2.0
#include "plumb/records/relation_results.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/results_folder.hpp"

using namespace plumb;
using test::row;

BOOST_AUTO_TEST_SUITE(relation_results_suite)

namespace {

const std::vector<std::string> three_options{"Paris", "Rome", "Cairo"};
const std::vector<std::string> two_templates{"[X]: [Y].", "[Y] of [X]."};

std::vector<RelationRanks> ranks_in(const test::ResultsFolder& folder) {
  std::vector<RelationRanks> all;
  for (const RecordedRelation& recorded : recorded_relations(folder.path())) {
    all.push_back(read_relation_results(recorded).ranks);
  }
  return all;
}

/// Of its first relation.
std::optional<RelationRanks> weighted_in(const test::ResultsFolder& folder) {
  return read_relation_results(recorded_relations(folder.path()).front()).weighted;
}

}  // namespace

BOOST_AUTO_TEST_CASE(ranks_are_read_by_instance_then_template) {
  test::ResultsFolder folder;
  // Out of order on purpose: files of other tools need not be sorted.
  folder.add("P36", three_options, two_templates, {{"domains", {"Geography"}}},
             {row("Italy", 1, 1, 1, {-1, -2, -3}), row("France", 0, 1, 0, {-3, -2, -1}),
              row("France", 0, 0, 0, {-1, -2, -3}), row("Italy", 1, 0, 1, {-2, -1, -3})});
  const auto all = ranks_in(folder);
  BOOST_TEST(all.size() == 1U);
  const RelationRanks& ranks = all[0];
  BOOST_TEST(ranks.code == "P36");
  BOOST_TEST(ranks.options == 3U);
  BOOST_TEST(ranks.domains == std::vector<std::string>{"Geography"});
  BOOST_TEST((ranks.templates == std::vector<std::size_t>{0, 1}));
  BOOST_TEST(ranks.ranks.size() == 2U);
  BOOST_TEST(ranks.ranks[0][0].realistic() == 1.0);
  BOOST_TEST(ranks.ranks[0][1].realistic() == 3.0);
  BOOST_TEST(ranks.ranks[1][0].realistic() == 1.0);
  BOOST_TEST(ranks.ranks[1][1].realistic() == 2.0);
}

BOOST_AUTO_TEST_CASE(cardinality_comes_from_the_metadata) {
  test::ResultsFolder folder;
  const std::vector<std::string> rows{row("France", 0, 0, 0, {-1, -2, -3})};
  const std::string one = "single instance per answer", many = "multiple instances per answer";
  folder.add("P36", three_options, two_templates, {{"cardinality", one}}, rows);
  BOOST_TEST(ranks_in(folder)[0].one_to_one);
  folder.add("P36", three_options, two_templates, {{"cardinality", many}}, rows);
  BOOST_TEST(!ranks_in(folder)[0].one_to_one);
}

BOOST_AUTO_TEST_CASE(without_metadata_the_facts_tell_the_cardinality) {
  test::ResultsFolder folder;
  const std::string france = row("France", 0, 0, 0, {-1, -2, -3});
  // The same fact under another template shares nothing with itself.
  folder.add("P36", three_options, two_templates, Json::object(),
             {france, row("France", 0, 1, 0, {-1, -2, -3})});
  BOOST_TEST(ranks_in(folder)[0].one_to_one);
  folder.add("P36", three_options, two_templates, Json::object(),
             {france, row("Île-de-France", 1, 0, 0, {-1, -2, -3})});
  BOOST_TEST(!ranks_in(folder)[0].one_to_one);
}

BOOST_AUTO_TEST_CASE(rows_that_name_neither_instance_nor_template_count_by_line) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, Json::object(),
             {R"({"answer_idx": 2, "pll_scores": [-1, -2, -3]})",
              R"({"answer_idx": 0, "pll_scores": [-1, -2, -3]})"});
  folder.set("P36", "template_index", 1);
  const auto ranks = ranks_in(folder)[0];
  BOOST_TEST((ranks.templates == std::vector<std::size_t>{1}));
  BOOST_TEST(ranks.ranks.size() == 2U);
  BOOST_TEST(ranks.ranks[0][0].realistic() == 3.0);
  BOOST_TEST(ranks.ranks[1][0].realistic() == 1.0);
}

BOOST_AUTO_TEST_CASE(a_fact_that_lacks_a_template_is_refused) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, Json::object(),
             {row("France", 0, 0, 0, {-1, -2, -3}), row("France", 0, 1, 0, {-1, -2, -3}),
              row("Italy", 1, 0, 1, {-1, -2, -3})});
  BOOST_CHECK_EXCEPTION((void)ranks_in(folder), Error,
                        test::says(Fault::user, "instance 1 has no row for template 1"));
}

BOOST_AUTO_TEST_CASE(a_damaged_row_is_named_by_its_line) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, Json::object(),
             {row("France", 0, 0, 0, {-1, -2, -3}), row("Italy", 1, 0, 1, {-1, -2})});
  BOOST_CHECK_EXCEPTION((void)ranks_in(folder), Error,
                        test::says(Fault::user, "P36_results.jsonl:2: pll_scores"));
}

BOOST_AUTO_TEST_CASE(a_folder_without_results_is_refused) {
  const test::ResultsFolder folder;
  BOOST_CHECK_EXCEPTION((void)ranks_in(folder), Error,
                        test::says(Fault::user, "holds no finished results"));
}

BOOST_AUTO_TEST_CASE(scored_templates_are_those_of_any_relation_in_order) {
  RelationRanks one, other;
  one.templates = {2, 7};
  other.templates = {0, 2};
  BOOST_TEST((scored_templates({one, other}) == std::vector<std::size_t>{0, 2, 7}));
  BOOST_TEST(scored_templates({}).empty());
}

BOOST_AUTO_TEST_CASE(weighted_templates_are_ranked_together) {
  test::ResultsFolder folder;
  folder.add("P36", three_options, two_templates, {{"domains", {"Geography"}}},
             {row("Italy", 1, 1, 1, {-9, -2, -5}), row("France", 0, 1, 0, {-3, -2, -1}),
              row("France", 0, 0, 0, {-1, -2, -3}), row("Italy", 1, 0, 1, {-2, -1, -3})});
  BOOST_TEST(!weighted_in(folder));
  folder.set("P36", "template_weights", {0.25, 0.75});
  const RelationRanks weighted = weighted_in(folder).value();
  BOOST_TEST(weighted.code == "P36");
  BOOST_TEST(weighted.options == 3U);
  BOOST_TEST(weighted.domains == std::vector<std::string>{"Geography"});
  BOOST_TEST(weighted.templates.empty());
  BOOST_REQUIRE(weighted.ranks.size() == 2U);
  // France: (−1·¼ − 3·¾, −2, −3·¼ − 1·¾) = (−2.5, −2, −1.5); Italy: (−7.25, −1.75, −4.5).
  BOOST_TEST(weighted.ranks[0].at(0).realistic() == 3.0);
  BOOST_TEST(weighted.ranks[0][0].prediction == 2U);
  BOOST_TEST(weighted.ranks[1].at(0).realistic() == 1.0);
  folder.set("P36", "template_weights", {1});  // the second weighs nothing
  BOOST_TEST(weighted_in(folder)->ranks[0][0].realistic() == 1.0);
  folder.set("P36", "template_weights", {0, 0});
  BOOST_TEST(weighted_in(folder)->ranks.empty());
  folder.set("P36", "template_weights", {0.5, "1"});
  BOOST_CHECK_EXCEPTION((void)weighted_in(folder), Error,
                        test::says(Fault::user, "P36.template_weights: is not a list of weights"));
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
  BOOST_TEST((made.ranks.answers == std::vector<std::size_t>{1, 2, 0}));
  BOOST_TEST(made.ranks.one_to_one);
  BOOST_TEST(made.weighted.value().one_to_one);
  BOOST_TEST(made.several_right.code == "P36");
  BOOST_REQUIRE(made.several_right.facts.size() == 1U);  // Italy's, of Rome and Cairo
  BOOST_TEST(made.several_right.facts[0].at(0).precision == 0.5);
  BOOST_TEST(made.several_right.facts[0].at(1).all_above);
}

BOOST_AUTO_TEST_SUITE_END()
