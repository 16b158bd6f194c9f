// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_pairs.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::around;
using test::between;
using test::count_of;
using test::holds;
using test::row_of;
using test::section;
using test::small_results;

BOOST_AUTO_TEST_SUITE(calibration_pairs)

namespace {

/// Two models in one pair; the second is masked, and its accuracies are 0.1 higher.
CalibrationResults one_pair(const std::string& domain) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.masked = {false, true};
  results.models[1].paraphrase_accuracy = around(0.552);
  results.comparison.pairs = {{0, 1, domain}};
  return results;
}

std::string html_of(const CalibrationResults& results) {
  return PairSections(results).html();
}

/// A line of the terminal's table, with a single space between cells.
std::string line_of(const std::string& text, const std::string& begin) {
  std::string line = text.substr(text.find(begin));
  line.resize(line.find('\n'));
  for (std::size_t at = line.find("  "); at != std::string::npos; at = line.find("  ")) {
    line.erase(at, 1);
  }
  return line;
}

constexpr const char* pairs_heading = "Causal and masked models of similar accuracy";

}  // namespace

BOOST_AUTO_TEST_CASE(without_pairs_there_is_nothing) {
  const CalibrationResults results = small_results({"gpt", "bert"});
  BOOST_TEST(html_of(results).empty());
  BOOST_TEST(PairSections(results).text().empty());
}

BOOST_AUTO_TEST_CASE(pairs_have_a_row_for_each_model_with_the_domain_they_are_closest_in) {
  const std::string html = html_of(one_pair("Water"));
  BOOST_TEST(test::markup_fault(html) == "");
  const std::string table = between(section(html, pairs_heading), "<table", "</table>");
  BOOST_TEST(count_of(table, "<tr><td>") == 2U);
  BOOST_TEST(row_of(table, "gpt").starts_with("<td>causal</td>"));
  const std::string row = row_of(table, "bert");
  BOOST_TEST(row.starts_with("<td>masked</td>"));
  // The cells are the accuracy and the Brier scores of margin and average_min, then the domain, its
  // number of facts, and the same three numbers in the domain.
  std::size_t at = 0;
  for (const char* next : {"0.552000", "0.350000", "0.750000", "<bdi>Water</bdi>", "\"15\">15<",
                           "0.454000", "0.551000", "0.951000"}) {
    at = row.find(next, at);
    BOOST_TEST(at != std::string::npos, next << " is not in its place");
  }
  BOOST_TEST(count_of(table, "<th ") == count_of(row, "<td") + 1);
}

BOOST_AUTO_TEST_CASE(pairs_without_a_domain_or_an_estimator_have_dashes) {
  CalibrationResults results = one_pair("");
  for (ModelCalibration& model : results.models) model.estimators.resize(2);
  const std::string html = html_of(results);
  const std::string row = row_of(section(html, pairs_heading), "gpt");
  BOOST_TEST(test::markup_fault(html) == "");
  // The dashes are in the column "Average, min" and in the domain's columns: its name, number of
  // facts, accuracy, "Margin" and "Average, min".
  BOOST_TEST(count_of(row, "–</td>") == 6U);
  BOOST_TEST(count_of(row, "<td") == 9U);
}

// The estimators are base, margin, average_vote2, average_min, average_max and one Consistency
// estimator. Their ACEs are 0.12, 0.32 …, their Brier scores 0.15, 0.35 …, and the numbers in the
// domain are 0.201 higher.
BOOST_AUTO_TEST_CASE(each_pair_has_all_its_numbers_side_by_side) {
  CalibrationResults results = one_pair("Water");
  results.models[1].estimators[1].metrics = test::numbered(0.6);
  const std::string html = html_of(results);
  const std::string pair = html.substr(html.find("<h3><bdi>gpt</bdi> (causal) and "));
  BOOST_TEST(count_of(pair, "<figure") == 3U);  // base, margin and average_min
  for (const char* kind : {"causal", "masked"}) {
    BOOST_TEST(holds(between(pair, "<figure", "</figure>"), kind));
  }
  const std::string table = between(pair, "<table", "</table>");
  BOOST_TEST(count_of(table, "<th ") == 5U);
  BOOST_TEST(count_of(table, "<tr><td>") == 1U + 5U + 6U);
  const auto numbers = [&](const std::string& row, std::initializer_list<const char*> expected) {
    const std::string cells = row_of(table, row);
    std::size_t at = 0;
    for (const char* next : expected) {
      at = cells.find(next, at);
      BOOST_TEST(at != std::string::npos, row << ": " << next << " is not in its place");
    }
    BOOST_TEST(count_of(cells, "<td") == expected.size());
  };
  numbers("Accuracy", {"0.452000", "0.552000", "0.454000", "0.454000"});
  numbers("ACE, Margin", {"0.320000", "0.620000", "0.521000", "0.521000"});
  numbers("Brier, Margin", {"0.350000", "0.650000", "0.551000", "0.551000"});
  results.models[1].estimators.resize(1);
  // the only estimator that both models have
  BOOST_TEST(count_of(html_of(results), "<figure") == 1U);
}

BOOST_AUTO_TEST_CASE(the_terminal_has_a_line_for_each_model) {
  const std::string text = PairSections(one_pair("Water")).text();
  BOOST_TEST(line_of(text, "pair") ==
             "pair kind accuracy Brier Margin Brier Average, min closest in facts accuracy there "
             "Brier Margin there Brier Average, min there");
  BOOST_TEST(line_of(text, "gpt") == "gpt causal 0.452 0.350 0.750 Water 15 0.454 0.551 0.951");
  BOOST_TEST(line_of(text, "bert") == "bert masked 0.552 0.350 0.750 Water 15 0.454 0.551 0.951");
  BOOST_TEST(line_of(PairSections(one_pair("")).text(), "bert") ==
             "bert masked 0.552 0.350 0.750 – – – – –");
}

BOOST_AUTO_TEST_CASE(names_may_hold_anything) {
  CalibrationResults results = small_results({"<a> & \"b\"", "قاهرة"});
  results.comparison.pairs = {{0, 1, "Water"}};
  const std::string html = html_of(results);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "<a>"));
}

BOOST_AUTO_TEST_SUITE_END()
