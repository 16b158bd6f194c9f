// SPDX-License-Identifier: Apache-2.0
#include "plumb/records/probe_facts.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/results_folder.hpp"

using namespace plumb;
using test::ResultsFolder;
using test::row;
using test::says;

BOOST_AUTO_TEST_SUITE(probe_facts_suite)

namespace {

using Cells = std::vector<std::vector<double>>;

const std::vector<std::string> cities{"Paris", "Rome"};
const std::vector<std::string> two_templates{"[X]: [Y].", "[Y] of [X]."};

/// One folder of relation P36.
struct Capitals : ResultsFolder {
  explicit Capitals(const std::vector<std::string>& rows, const Json& info = Json::object(),
                    const std::vector<std::string>& templates = two_templates,
                    const std::vector<std::string>& options = cities) {
    add("P36", options, templates, info, rows);
  }
  [[nodiscard]] RecordedRelation read() const { return recorded_relations(path()).at(0); }
};

/// The first option's score from each row, so that a cell tells which row it was made from.
template <class... Folders>
RecordedFacts<double> gathered(const Folders&... folders) {
  const std::vector<RecordedRelation> parts{folders.read()...};
  return recorded_facts(
      std::span<const RecordedRelation>(parts),
      [](const RecordedRow& row, const RecordedRelation&) { return row.scores[0]; });
}

const std::string france_0 = row("France", 3, 0, 0, {-1, -9}),
                  france_1 = row("France", 3, 1, 0, {-2, -9}),
                  italy_0 = row("Italy", 7, 0, 1, {-3, -9}),
                  italy_1 = row("Italy", 7, 1, 1, {-4, -9});
const std::string another = "; folders join only when they score the same dataset";

}  // namespace

BOOST_AUTO_TEST_CASE(rows_in_any_order_become_facts_by_templates) {
  const auto table = gathered(Capitals({italy_1, france_1, france_0, italy_0}));
  BOOST_TEST((table.templates == std::vector<std::size_t>{0, 1}));
  BOOST_CHECK((table.cells == Cells{{-1, -2}, {-3, -4}}));
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
  BOOST_TEST((table.templates == std::vector<std::size_t>{9}));
  BOOST_CHECK((table.cells == Cells{{-1}}));
}

BOOST_AUTO_TEST_CASE(a_file_without_rows_has_no_facts) {
  const auto table = gathered(Capitals({}));
  BOOST_TEST(table.templates.empty());
  BOOST_TEST(table.cells.empty());
  BOOST_TEST(table.relation.facts.empty());
  BOOST_TEST(table.relation.options == cities);
}

BOOST_AUTO_TEST_CASE(folders_of_different_templates_join) {
  const Capitals second({france_1, italy_1}, {{"domains", {"Geography"}}});
  const Capitals first({italy_0, france_0}, Json::object(), {"[X]: [Y]."});
  const auto table = gathered(second, first);
  BOOST_TEST((table.templates == std::vector<std::size_t>{0, 1}));
  BOOST_CHECK((table.cells == Cells{{-1, -2}, {-3, -4}}));
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
  // It is enough that one of several folders says so.
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
  // Two models given as one.
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
  BOOST_TEST(gathered(folder).cells.size() == 2U);  // another tool's count means something else
  folder.set("P36", "plumb_version", "1.0.0");
  BOOST_CHECK_EXCEPTION((void)gathered(folder), Error,
                        says(Fault::user,
                             "P36_results.jsonl: 2 of 3 facts; the results file is incomplete; "
                             "probe again"));
  folder.set("P36", "num_original_instances", 1);
  BOOST_CHECK_EXCEPTION((void)gathered(folder), Error,
                        says(Fault::user,
                             "P36_results.jsonl: has 2 facts where its metadata counts 1; the "
                             "results file is of another run; probe again"));
  folder.set("P36", "num_original_instances", 2);
  BOOST_TEST(gathered(folder).cells.size() == 2U);
  Capitals from_zero({row("Chad", 0, 0, 0, {-1, -2}), row("Peru", 1, 0, 1, {-1, -2})});
  from_zero.set("P36", "plumb_version", "1.0.0");
  from_zero.set("P36", "num_original_instances", 2);
  BOOST_TEST(gathered(from_zero).cells.size() == 2U);
  // Each of several folders on its own.
  const Capitals half({row("France", 3, 2, 0, {-1, -2})});
  Capitals cut({france_0});
  cut.set("P36", "plumb_version", "1.0.0");
  cut.set("P36", "num_original_instances", 2);
  BOOST_CHECK_EXCEPTION((void)gathered(half, cut), Error, says(Fault::user, ": 1 of 2 facts"));
}

BOOST_AUTO_TEST_CASE(folders_of_other_facts_do_not_join) {
  const Capitals first({italy_0, france_0});
  const std::string was = "instance 3 was another fact before" + another;
  BOOST_CHECK_EXCEPTION(
      (void)gathered(first, Capitals({italy_1, row("France", 3, 1, 1, {-1, -2})})), Error,
      says(Fault::user, "P36_results.jsonl:2: instance_index: " + was));
  BOOST_CHECK_EXCEPTION((void)gathered(first, Capitals({italy_1, row("Gaul", 3, 1, 0, {-1, -2})})),
                        Error, says(Fault::user, "P36_results.jsonl:2: instance_index: " + was));
  // Within one file just the same.
  BOOST_CHECK_EXCEPTION((void)gathered(Capitals({france_0, row("Gaul", 3, 1, 0, {-1, -2})})), Error,
                        says(Fault::user, "P36_results.jsonl:2: instance_index: " + was));
}

BOOST_AUTO_TEST_CASE(a_row_without_a_subject_fits_any) {
  const auto table = gathered(Capitals({france_0}), Capitals({row("", 3, 1, 0, {-2, -9})}));
  BOOST_CHECK((table.cells == Cells{{-1, -2}}));
}

BOOST_AUTO_TEST_CASE(folders_of_other_options_or_scorings_do_not_join) {
  const Capitals first({france_0});
  const auto refused = [&](const Capitals& other, const std::string& why) {
    BOOST_CHECK_EXCEPTION((void)gathered(first, other), Error,
                          says(Fault::user, (other.path() / "P36_results.jsonl").string() + ": " +
                                                why + " " + first.path().string() + another));
  };
  refused(Capitals({france_1}, Json::object(), two_templates, {"Rome", "Paris"}),
          "answer_space_labels: are not those of");
  Capitals means({france_1});
  means.set("P36", "reduction", "mean");
  refused(means, "reduction: is not that of");
  Capitals answers({france_1});
  answers.set("P36", "span", "answer");
  refused(answers, "reduction: is not that of");
}

BOOST_AUTO_TEST_CASE(parts_are_read_when_asked_for) {
  const Capitals folder({R"({"answer_idx": 0, "pll_scores": [-6, -8], "token_counts": [3, 4],)"
                         R"("answer_token_counts": [1, 2], "answer_scores": [-1, -2]})"});
  const std::vector<RecordedRelation> parts{folder.read()};
  const std::span<const RecordedRelation> all(parts);
  const auto count = [](const RecordedRow& row, const RecordedRelation&) {
    return row.parts.size();
  };
  BOOST_TEST(recorded_facts(all, count).cells.at(0).at(0) == 0U);
  BOOST_TEST(recorded_facts(all, count, true).cells.at(0).at(0) == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
