// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/explorer.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::row;

BOOST_AUTO_TEST_SUITE(explorer)

namespace {

const std::vector<std::string> templates{"[X] is [Y].", "[Y]: [X]"};

std::string section(const test::ResultsFolder& folder, std::size_t max_cells = 1000,
                    std::size_t max_bytes = 1'000'000) {
  Explorer explorer(max_cells, max_bytes);
  for (const RecordedRelation& recorded : recorded_relations(folder.path())) {
    explorer.begin(recorded.relation);
    for_each_recorded_row(recorded, [&](const RecordedRow& row) { explorer.add(row); });
  }
  std::ostringstream out;
  explorer.write(out);
  return out.str();
}

Json data_of(const std::string& html) {
  return Json::parse(
      test::between(html, "<script type=\"application/json\" id=\"scores\">", "</script>"));
}

/// Decodes −ln p of each candidate, in nats, as a browser does.
std::vector<double> decode(const std::string& text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : text) {
    for (int bit = 5; bit >= 0 && c != '='; --bit) bits += (digits.find(c) >> bit & 1U) ? '1' : '0';
  }
  const auto byte = [&](std::size_t at) { return std::stoi(bits.substr(8 * at, 8), nullptr, 2); };
  std::vector<double> nats;
  for (std::size_t at = 0; 8 * (at + 2) <= bits.size(); at += 2) {
    nats.push_back((byte(at) + 256 * byte(at + 1)) / 1000.0);
  }
  return nats;
}

}  // namespace

// The scores are −1, −2 and −100: the first candidate's ln p is −ln(1 + e^−1) = −0.313, and the
// last one's is clamped to −65.535.
BOOST_AUTO_TEST_CASE(probabilities_are_the_softmax_of_the_scores) {
  test::ResultsFolder folder;
  folder.add("P36", {"a", "b", "c"}, templates, Json::object(),
             {row("s", 0, 0, 1, {-1, -2, -100})});
  const Json data = data_of(section(folder));
  const auto nats = decode(data.at("relations").at(0).at("p").get<std::string>());
  BOOST_TEST(nats.size() == 3U);
  BOOST_TEST(std::abs(nats[0] - std::log(1 + std::exp(-1.0))) <= 0.0005);
  BOOST_TEST(std::abs(nats[1] - std::log(1 + std::exp(-1.0)) - 1) <= 0.0005);
  BOOST_TEST(nats[2] == 65.535);
}

// ln 2 = 0.693 nats is stored as step 0x02B5, in the bytes B5 02.
BOOST_AUTO_TEST_CASE(equal_candidates_share_the_probability) {
  test::ResultsFolder folder;
  folder.add("P36", {"a", "b"}, templates, Json::object(), {row("s", 0, 0, 1, {-7, -7})});
  BOOST_TEST(data_of(section(folder)).at("relations").at(0).at("p") == "tQK1Ag==");
}

BOOST_AUTO_TEST_CASE(a_row_carries_subject_template_answer_aliases_and_prediction) {
  test::ResultsFolder folder;
  Json second = Json::parse(row("Korea", 4, 1, 0, {-1, -1}));
  second["sub_aliases"] = {"Hanguk", "ROK"};
  folder.add("P36", {"a", "b"}, templates, Json::object(),
             {row("France", 2, 0, 0, {-2, -1}), second.dump()});
  folder.add("P19", {"c", "d"}, templates, Json::object(), {});
  const Json data = data_of(section(folder));
  BOOST_TEST(data.at("omitted") == 0);
  BOOST_TEST(data.at("relations").size() == 2U);
  const Json& relation = data.at("relations").at(0);
  BOOST_TEST(relation.at("code") == "P36");
  BOOST_TEST((relation.at("options") == Json{"a", "b"}));
  BOOST_TEST((relation.at("templates") == Json(templates)));
  BOOST_TEST((relation.at("rows").at(0) == Json{"France", 0, 0, "", 1}));
  // If options are tied, no option is predicted, so the fact is marked as a tie rather than as
  // right.
  BOOST_TEST((relation.at("rows").at(1) == Json{"Korea", 1, 0, "Hanguk ROK ", -1}));
  BOOST_TEST(section(folder).find("predicted(row) < 0 ? '='") != std::string::npos);
  BOOST_TEST(data.at("relations").at(1).at("rows").empty());
}

BOOST_AUTO_TEST_CASE(a_facts_own_choices_travel_with_its_row) {
  test::ResultsFolder folder;
  Json own = Json::parse(row("France", 0, 0, 1, {-2, -1}));
  own["choices"] = {"wine & <b>", "bread"};
  folder.add("P36", {"A", "B"}, templates, Json::object(),
             {own.dump(), row("Korea", 1, 0, 0, {-1, -2})});
  const std::string html = section(folder);
  BOOST_TEST(test::markup_fault(html) == "");
  const Json relation = data_of(html).at("relations").at(0);
  BOOST_TEST((relation.at("options") == Json{"A", "B"}));
  const Json& rows = relation.at("rows");
  BOOST_TEST((rows.at(0) == Json{"France", 0, 1, "", 1, Json{"wine & <b>", "bread"}}));
  BOOST_TEST((rows.at(1) == Json{"Korea", 0, 0, "", 0}));
  // The script shows these texts instead of the relation's options.
  BOOST_TEST(html.find("(relation.rows[row][5] ?? relation.options)[c]") != std::string::npos);
}

// The text "France" is already in row 0.
BOOST_AUTO_TEST_CASE(a_subject_under_a_second_template_is_the_place_of_its_first_row) {
  test::ResultsFolder folder;
  folder.add("P36", {"A", "B"}, templates, Json::object(),
             {row("France", 0, 0, 1, {-2, -1}), row("France", 0, 1, 1, {-1, -2})});
  const Json rows = data_of(section(folder)).at("relations").at(0).at("rows");
  BOOST_TEST((rows.at(0) == Json{"France", 0, 1, "", 1}));
  BOOST_TEST((rows.at(1) == Json{0, 1, 1, "", 0}));
}

BOOST_AUTO_TEST_CASE(rows_past_the_limit_are_left_out_and_counted) {
  test::ResultsFolder folder;
  folder.add(
      "P36", {"a", "b"}, templates, Json::object(),
      {row("0", 0, 0, 0, {-1, -2}), row("1", 1, 0, 0, {-1, -2}), row("2", 2, 0, 0, {-1, -2})});
  const Json data = data_of(section(folder, 5));
  BOOST_TEST(data.at("omitted") == 1);
  BOOST_TEST(data.at("relations").at(0).at("rows").size() == 2U);
  BOOST_TEST(decode(data.at("relations").at(0).at("p").get<std::string>()).size() == 4U);
}

// A link to a fact has its line in the results file, so no row may take the place of an omitted one.
BOOST_AUTO_TEST_CASE(rows_after_an_omitted_row_are_omitted_too) {
  test::ResultsFolder folder;
  folder.add("P36", {"a", "b"}, templates, Json::object(),
             {row("0", 0, 0, 0, {-1, -2}), row(std::string(1000, 'x'), 1, 0, 0, {-1, -2}),
              row("2", 2, 0, 0, {-1, -2})});
  folder.add("P37", {"a", "b"}, templates, Json::object(), {row("3", 0, 0, 0, {-1, -2})});
  const Json data = data_of(section(folder, 1000, 100));
  BOOST_TEST(data.at("omitted") == 2);
  BOOST_TEST(data.at("relations").at(0).at("rows").size() == 1U);
  BOOST_TEST(data.at("relations").at(1).at("rows").size() == 1U);
}

// If a fact has two options, its texts take more space than its probabilities.
BOOST_AUTO_TEST_CASE(a_page_of_long_texts_is_kept_small_too) {
  test::ResultsFolder folder;
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < 100; ++i) {
    rows.push_back(row(std::string(1000, 'x') + std::to_string(i), i, 0, 0, {-1, -2}));
  }
  folder.add("P36", {"a", "b"}, templates, Json::object(), rows);
  const std::string html = section(folder, 1000, 50'000);
  const std::size_t around = section(folder, 0).size();  // the size of the page without rows
  BOOST_TEST(html.size() - around < 50'000U);
  const Json data = data_of(html);
  const std::size_t shown = data.at("relations").at(0).at("rows").size();
  BOOST_TEST(shown > 40U);
  BOOST_TEST(shown + data.at("omitted").get<std::size_t>() == 100U);
  BOOST_TEST(data_of(section(folder)).at("omitted") == 0);
}

BOOST_AUTO_TEST_CASE(labels_cannot_break_the_section) {
  test::ResultsFolder folder;
  folder.add("P36", {"</script><script>alert(1)</script>", "\"quoted\" \\"}, {"<[X]> & '[Y]'"},
             Json::object(), {row("القاهرة 🇪🇬 <!-- ", 0, 0, 0, {-1, -2})});
  const std::string html = section(folder);
  BOOST_TEST(test::markup_fault(html) == "");
  const Json relation = data_of(html).at("relations").at(0);
  BOOST_TEST(relation.at("options").at(0) == "</script><script>alert(1)</script>");
  BOOST_TEST(relation.at("rows").at(0).at(0) == "القاهرة 🇪🇬 <!-- ");
}

BOOST_AUTO_TEST_CASE(no_relations_make_an_empty_section) {
  std::ostringstream out;
  Explorer().write(out);
  BOOST_TEST((data_of(out.str()) == Json{{"relations", Json::array()}, {"omitted", 0}}));
}

BOOST_AUTO_TEST_SUITE_END()
