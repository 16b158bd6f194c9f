// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/rank_page.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/report/rank_json.hpp"
#include "support/markup.hpp"
#include "support/measured_folders.hpp"
#include "support/page_around.hpp"
#include "support/small_calibration.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::all_methods;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::ranked;
using test::RankFolder;
using test::results;
using test::row_of;
using test::section;
using test::SmallRanking;

BOOST_AUTO_TEST_SUITE(rank_page_html)

namespace {

using Words = std::vector<std::string>;

std::string page_of(const RankResults& made, const Json& settings = Json::object()) {
  const std::string html = test::page_around(rank_sections(made), settings, made.remarks);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "nan"));
  return html;
}

std::string page(const RankFolder& folder, const Json& settings = Json::object()) {
  return page_of(results(folder), settings);
}

/// The page for one method that assigns these ranks to the true entities among `candidates`.
std::string page_of_ranks(const std::vector<std::size_t>& ranks, std::size_t candidates) {
  RankFolder folder;
  std::vector<EntityRank> lines;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    lines.push_back(ranked(i + 1, "next", ranks[i] - 1, i + 1, candidates));
  }
  folder.method("deer", lines);
  return page_of(results(folder, {"deer"}));
}

/// All the strings between these two markers.
std::set<std::string> texts(const std::string& html, const std::string& begin,
                            const std::string& end) {
  std::set<std::string> found;
  for (std::size_t at = html.find(begin); at != std::string::npos; at = html.find(begin, at)) {
    at += begin.size();
    found.insert(html.substr(at, html.find(end, at) - at));
  }
  return found;
}

/// The numbers at the ends of the bars.
std::set<std::string> values(const std::string& html) {
  std::set<std::string> found;
  for (const std::string& text : texts(html, "<text class=\"value\"", "</text>")) {
    found.insert(text.substr(text.find('>') + 1));
  }
  return found;
}

void collect_numbers(const Json& json, std::vector<double>& numbers) {
  if (json.is_number()) numbers.push_back(json.get<double>());
  if (json.is_structured()) {
    for (const Json& part : json) collect_numbers(part, numbers);
  }
}

/// Returns whether the text is one of the numbers in metrics.json, rounded to the same number of
/// decimals.
bool is_in(const std::vector<double>& numbers, const std::string& text) {
  const std::size_t point = text.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
  return std::ranges::any_of(numbers, [&](double n) { return with_decimals(n, decimals) == text; });
}

/// Checks that every number in these texts is in `numbers`.
void check_numbers(const std::set<std::string>& shown, const std::vector<double>& numbers) {
  BOOST_TEST(!shown.empty());
  for (const std::string& text : shown) {
    for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string::npos;) {
      const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
      const std::size_t begin = at > 0 && text[at - 1] == '-' ? at - 1 : at;
      const std::string number = text.substr(begin, end - begin);
      BOOST_TEST(is_in(numbers, number), text << " has " << number);
      at = end;
    }
  }
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_page_fetches_nothing_and_has_its_sections_in_order, SmallRanking) {
  const std::string html =
      page(*this, {{"model", "m.gguf"}, {"dataset", "wn18rr"}, {"shots", 8}, {"hits", nullptr}});
  for (const char* word : {"http", "src=", "url(", "@import"}) BOOST_TEST(!holds(html, word));
  BOOST_TEST(between(html, "<title>", "</title>") == "m.gguf on wn18rr");
  BOOST_TEST(in_order(
      html, {"<h1>", "class=\"cards\"", "<h2>Ranks of the true entities</h2>",
             "<h2>Hit@k side by side</h2>", "<h2>Ranks</h2>", "<h2>Do the methods agree?</h2>",
             "<h2>Do the methods agree within a relation?</h2>",
             "<h2>Do long names rank lower?</h2>", "<h2>By relation</h2>", "<h2>Settings</h2>"}));
  BOOST_TEST(holds(html, "<tr><td>shots</td><td><bdi>8</bdi></td></tr>"));
  BOOST_TEST(!holds(html, "<td>hits</td>"));
  BOOST_TEST(between(page(*this, {{"model", "m.gguf"}}), "<title>", "</title>") == "m.gguf");
  BOOST_TEST(!holds(page(*this), "<h2>Settings"));
}

BOOST_FIXTURE_TEST_CASE(cards_have_the_headline_numbers, SmallRanking) {
  const std::string cards = between(page(*this), "<div class=\"cards\">", "<h2>");
  BOOST_TEST(in_order(
      cards, {"MRR, deer", "<b>0.350</b>", "95%: ", "MRR, likelihood", "<b>0.492</b>",
              "MRR, deer-single-token", "<b>0.611</b>", "MRR, lm-head", "<b>0.567</b>", "Queries",
              "<b>6</b>", "2 relations", "Candidates", "<b>20</b>", "entities"}));
}

BOOST_FIXTURE_TEST_CASE(every_method_has_a_row_raw_and_filtered, SmallRanking) {
  const std::string part = section(page(*this), "Ranks of the true entities");
  BOOST_TEST(in_order(part, {">Method<", ">Queries<", ">MR<", ">MRR<", ">AMRI<", ">Hit@1<",
                             ">Hit@3<", ">Hit@10<", ">Hit@100<", ">Ties<"}));
  BOOST_TEST(in_order(part, {"<bdi>deer</bdi>", "<bdi>deer, filtered</bdi>",
                             "<bdi>likelihood</bdi>", "<bdi>likelihood, filtered</bdi>",
                             "<bdi>lm-head</bdi>", "<bdi>lm-head, filtered</bdi>"}));
  const std::string raw = row_of(part, "deer");
  BOOST_TEST(in_order(raw, {"data-v=\"6\"", "data-v=\"7.000000\">7.0<small>", "data-v=\"0.350000\"",
                            "data-v=\"0.368421\"", "data-v=\"0.166667\"", "data-v=\"0.333333\"",
                            "data-v=\"0.833333\"", "data-v=\"-1\">–<", "data-v=\"0\">0<"}));
  BOOST_TEST(in_order(row_of(part, "deer, filtered"), {"data-v=\"6.333333\">6.3", "0.361111"}));
  BOOST_TEST(row_of(part, "likelihood").ends_with("<td data-v=\"1\">1</td>"));
}

BOOST_FIXTURE_TEST_CASE(hits_stand_side_by_side_at_each_level, SmallRanking) {
  const std::string part = section(page(*this), "Hit@k side by side");
  BOOST_TEST(count_of(part, "<svg") == 3U);  // with 20 candidates there is no Hit@100
  BOOST_TEST(
      in_order(part, {"<h3>Hit@1</h3>", ">deer (6)</text>", ">0.167 [", ">likelihood (6)</text>",
                      ">0.333 [", ">lm-head (3)</text>", "<h3>Hit@3</h3>", "<h3>Hit@10</h3>",
                      ">lm-head (3)</text>", ">–</text>"}));
}

BOOST_FIXTURE_TEST_CASE(histograms_have_a_bar_for_each_third_of_a_power_of_ten, SmallRanking) {
  const std::string part = section(page(*this), "Ranks");
  BOOST_TEST(count_of(part, "<h3>") == 4U);
  const std::string deer = between(part, "<h3><bdi>deer</bdi></h3>", "<h3>");
  // The ranks fall into these groups: 1 | 2 | 4, 5, 10 | 20.
  BOOST_TEST(in_order(deer, {">1</text>", ">0.167 [", ">2–3</text>", ">0.167 [", ">4–10</text>",
                             ">0.500 [", ">11–20</text>", ">0.167 ["}));
  BOOST_TEST(count_of(deer, "class=\"bar\"") == 4U);
  // A tie for ranks 2 and 3 is counted between them.
  const std::string likelihood = between(part, "<h3><bdi>likelihood</bdi></h3>", "<h3>");
  BOOST_TEST(in_order(likelihood, {">1</text>", ">0.333 [", ">2–3</text>", ">0.167 ["}));
  const std::string wide =
      section(page_of_ranks({1, 3, 4, 11, 30, 31, 100, 101, 300, 301, 1000, 1001}, 2000), "Ranks");
  BOOST_TEST(in_order(
      wide, {">1</text>", ">0.083 [", ">2–3</text>", ">0.083 [", ">4–10</text>", ">0.083 [",
             ">11–30</text>", ">0.167 [", ">31–100</text>", ">0.167 [", ">101–300</text>",
             ">0.167 [", ">301–1000</text>", ">0.167 [", ">1001–2000</text>", ">0.083 ["}));
}

BOOST_AUTO_TEST_CASE(bin_with_a_single_rank_is_labelled_with_that_rank) {
  const std::string part = section(page_of_ranks({1, 4, 2}, 4), "Ranks");
  BOOST_TEST(in_order(part, {">1</text>", ">2–3</text>", ">4</text>"}));
  BOOST_TEST(!holds(part, "4–4"));
}

BOOST_FIXTURE_TEST_CASE(agreement_has_a_row_and_a_plot_for_each_pair, SmallRanking) {
  const RankResults made = results(*this);
  const std::string part = section(page_of(made), "Do the methods agree?");
  BOOST_TEST(count_of(part, "<tr><td><bdi>") == 2U);
  BOOST_TEST(in_order(row_of(part, "deer"),
                      {"<bdi>likelihood</bdi>", "data-v=\"6\"", "0.969<small>", "<td>0.001</td>"}));
  BOOST_TEST(in_order(row_of(part, "deer-single-token"), {"<bdi>lm-head</bdi>", "data-v=\"3\""}));
  BOOST_TEST(count_of(part, "<svg class=\"chart xy\"") == 2U);
  const std::string plot = between(part, "deer against likelihood", "</figure>");
  BOOST_TEST(in_order(plot, {">rank, deer<", ">rank, likelihood<", "class=\"diagonal\"", "rank 10",
                             "1 token<", "2 tokens<", "3 tokens<", "4 or more<"}));
  // Two names have one token, one has two, one has three, and two have more than three.
  const std::string drawn = between(plot, "class=\"series s0\">", "figcaption");
  BOOST_TEST(count_of(between(drawn, "", "</g>"), "<circle") == 2U);
  // There are few candidates, so the chart does not mark rank 10.
  BOOST_TEST(!holds(between(part, "deer-single-token against lm-head", "</figure>"), "rank 10"));
}

// The ranks from DEER and from the likelihood are 1, 2, 4 and 1, 1, 2.5 in one relation, and 5, 10,
// 20 and 4, 5, 10 in the other. The second pair of methods has one relation in common, for which
// the agreement is already shown.
BOOST_FIXTURE_TEST_CASE(agreement_within_relations_has_a_row_for_each, SmallRanking) {
  const RankResults made = results(*this);
  const std::string part = section(page_of(made), "Do the methods agree within a relation?");
  BOOST_TEST(
      in_order(part, {">Relation<", ">Method<", ">Other<", ">Queries<", ">r of ranks<", ">p<"}));
  BOOST_TEST(count_of(part, "<tr><td>") == 2U);
  const std::string of_symbols = row_of(part, "&lt;symbol&gt;");
  BOOST_TEST(in_order(of_symbols, {"<bdi>deer</bdi>", "<bdi>likelihood</bdi>", "data-v=\"3\"",
                                   "0.984<small>–</small>"}));
  BOOST_TEST(in_order(row_of(part, "next"), {"data-v=\"3\"", "0.945<small>"}));
  BOOST_TEST(
      row_of(part, "next")
          .ends_with("<td>" + p_text(made.agreements[0].by_relation.at("next").p) + "</td>"));
  BOOST_TEST(
      !holds(page_of(results(*this, {"deer-single-token", "lm-head"})), "within a relation"));
}

BOOST_AUTO_TEST_CASE(a_relation_too_small_for_a_correlation_has_a_dash) {
  RankFolder folder;
  std::vector<EntityRank> one, other;
  for (std::size_t line = 1; line <= 5; ++line) {
    one.push_back(ranked(line, line < 3 ? "few" : "some", line, 1));
    other.push_back(ranked(line, line < 3 ? "few" : "some", 2 * line % 5, 1));
  }
  folder.method("a", one);
  folder.method("b", other);
  const std::string part =
      section(page_of(results(folder, {"a", "b"})), "Do the methods agree within a relation?");
  BOOST_TEST(count_of(row_of(part, "few"), "–") == 2U);  // neither r nor p
  BOOST_TEST(holds(row_of(part, "some"), "<small>"));
}

BOOST_FIXTURE_TEST_CASE(page_explains_missing_correlations, SmallRanking) {
  const std::string part = section(page(*this), "Do the methods agree within a relation?");
  BOOST_TEST(holds(row_of(part, "next"), "data-v=\"3\""));
  BOOST_TEST(holds(row_of(part, "next"), "0.945<small>"));
  BOOST_TEST(
      holds(part, "not shown (–) if there are fewer than three queries or all ranks are equal"));
}

// The ranks are 1, 2, 4, 5, 10, 20 with one prompt and 1, 5, 1, 5, 20, 20 with the other.
BOOST_FIXTURE_TEST_CASE(entity_prompts_stand_side_by_side_with_their_differences, SmallRanking) {
  const std::vector<std::size_t> ranks{1, 5, 1, 5, 20, 20};
  std::vector<EntityRank> lines;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    lines.push_back(ranked(i + 1, "next", ranks[i] - 1, 1));
  }
  method("deer-a", lines);
  const std::string html = page_of(results(*this, {"deer", "deer-a", "likelihood"}));
  const std::string part = section(html, "Does the wording of entities matter?");
  BOOST_TEST(in_order(html, {"<h2>Hit@k side by side</h2>", "<h2>Does the wording", "<h2>Ranks"}));
  BOOST_TEST(
      holds(part, "Largest differences: Hit@1 0.167, Hit@10 0.167, Hit@3 0.000, MRR 0.067."));
  BOOST_TEST(in_order(part, {">Entity prompt<", ">Queries<", ">MRR<"}));
  BOOST_TEST(count_of(part, "<tr><td>") == 2U);
  BOOST_TEST(holds(row_of(part, "deer"), "data-v=\"0.350000\""));
  BOOST_TEST(holds(row_of(part, "deer-a"), "data-v=\"0.416667\""));
  for (const Words& names :
       {Words{"deer", "likelihood", "deer-single-token"}, Words{"deer-a"}, Words{"likelihood"}}) {
    BOOST_TEST(!holds(page_of(results(*this, names)), "Does the wording"));
  }
}

BOOST_FIXTURE_TEST_CASE(length_has_a_correlation_and_boxes_for_each_method, SmallRanking) {
  const std::string part = section(page(*this), "Do long names rank lower?");
  BOOST_TEST(count_of(part, "<tr><td><bdi>") == 4U);
  BOOST_TEST(holds(row_of(part, "deer"), "<small>"));
  const std::string boxes = between(part, "aria-label=\"Rank by length, deer\"", "</svg>");
  BOOST_TEST(in_order(boxes, {"1: median 1.5, n 2<", "2: median 4.0, n 1<", "3: median 5.0, n 1<",
                              "5: median 10.0, n 1<", "8+: median 20.0, n 1<"}));
  BOOST_TEST(in_order(boxes, {">tokens of the name<", ">rank, deer<"}));
}

// The two methods agree on ranks 1, 10 and 100 and differ on a fourth query; all names have the
// same length, so one series has four circles.
BOOST_AUTO_TEST_CASE(many_candidates_are_drawn_by_the_logarithm_of_the_rank) {
  const auto plot = [](std::size_t candidates) {
    RankFolder folder;
    for (const char* name : {"a", "b"}) {
      folder.method(name, {ranked(1, "next", 0, 1, candidates), ranked(2, "next", 9, 1, candidates),
                           ranked(3, "next", 99, 1, candidates),
                           ranked(4, "next", *name == 'a' ? 49 : 9, 1, candidates)});
    }
    const std::string html = page_of(results(folder, {"a", "b"}));
    return between(section(html, "Do the methods agree?"), "a against b", "</figure>");
  };
  const auto across = [](const std::string& drawn) {
    std::vector<double> places;
    for (std::size_t at = drawn.find("cx=\""); at != std::string::npos;
         at = drawn.find("cx=\"", at + 1)) {
      places.push_back(std::stod(drawn.substr(at + 4)));
    }
    return places;
  };
  const std::string wide = plot(1000);
  BOOST_TEST(in_order(wide, {">100<", ">1000<", ">rank, a<", ">rank, b<", "rank 10"}));
  const std::vector<double> at = across(between(wide, "class=\"series s0\">", "</g>"));
  BOOST_REQUIRE(at.size() == 4U);
  BOOST_TEST(std::abs((at[2] - at[1]) - (at[1] - at[0])) < 0.2);  // equal steps from 1 to 10 to 100
  const std::string narrow = plot(100);
  BOOST_TEST(in_order(narrow, {">40<", ">60<", ">rank, a<", ">rank, b<", "rank 10"}));
  const std::vector<double> places = across(between(narrow, "class=\"series s0\">", "</g>"));
  BOOST_REQUIRE(places.size() == 4U);
  BOOST_TEST(std::abs((places[2] - places[1]) - 10 * (places[1] - places[0])) < 1.2);  // 90 and 9
  BOOST_TEST(!holds(plot(101), ">40<"));
}

BOOST_AUTO_TEST_CASE(a_probability_that_is_too_small_is_escaped) {
  RankFolder folder;
  // Two of eighty queries are swapped, so r is 0.99995.
  for (const std::size_t first : {0U, 1U}) {
    std::vector<EntityRank> ranks;
    for (std::size_t line = 1; line <= 80; ++line) {
      const std::size_t above = line > 2 ? line - 1 : (line - 1 + first) % 2;
      ranks.push_back(ranked(line, line % 2 == 0 ? "next" : "in", above, line / 20, 100));
    }
    folder.method(first == 0 ? "a" : "b", ranks);
  }
  const std::string html = page_of(results(folder, {"a", "b"}));
  for (const char* heading : {"Do the methods agree?", "Do the methods agree within a relation?",
                              "Do long names rank lower?"}) {
    BOOST_TEST(holds(html, heading), heading);
    BOOST_TEST(!holds(section(html, heading), "<td>< 1e"), heading);
  }
  BOOST_TEST(holds(section(html, "Do the methods agree?"), "<td>&lt; 1e-15</td>"));
}

// Eleven queries have the same ranks under both methods, so there is no way to estimate how much
// other queries would differ.
BOOST_AUTO_TEST_CASE(methods_that_agree_wholly_have_no_interval_and_no_p) {
  RankFolder folder;
  for (const char* name : {"a", "b"}) {
    std::vector<EntityRank> ranks;
    for (std::size_t line = 1; line <= 11; ++line) {
      ranks.push_back(ranked(line, "next", line * line % 17, 1));
    }
    folder.method(name, ranks);
  }
  const RankResults made = results(folder, {"a", "b"});
  for (const TestedCorrelation* one : {&made.agreements[0].rank, &made.agreements[0].log_rank}) {
    BOOST_TEST(one->r.value == 1.0, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(!one->r.has_interval());
    BOOST_TEST(!one->p.has_value());
  }
  const std::string html = section(page_of(made), "Do the methods agree?");
  BOOST_TEST(holds(html, ">1.000<small>–</small></td><td>–</td>"));
  BOOST_TEST(!holds(html, "1e-"));
}

BOOST_AUTO_TEST_CASE(names_of_one_length_have_no_boxes) {
  RankFolder folder;
  folder.method("deer", {ranked(1, "a", 0, 2), ranked(2, "a", 1, 2), ranked(3, "a", 5, 2)});
  const std::string part = section(page_of(results(folder, {"deer"})), "Do long names rank lower?");
  BOOST_TEST(!holds(part, "<svg"));
  BOOST_TEST(count_of(row_of(part, "deer"), "–") == 2U);  // neither r nor p
}

BOOST_FIXTURE_TEST_CASE(relations_have_a_table_for_each_method, SmallRanking) {
  const std::string part = section(page(*this), "By relation");
  BOOST_TEST(count_of(part, "<h3>") == 4U);
  const std::string deer = between(part, "<h3><bdi>deer</bdi></h3>", "<h3>");
  BOOST_TEST(in_order(row_of(deer, "&lt;symbol&gt;"), {"data-v=\"3\"", "data-v=\"11.666667\""}));
  BOOST_TEST(in_order(row_of(deer, "next"), {"data-v=\"3\"", "data-v=\"2.333333\">2.3<small>"}));
}

BOOST_FIXTURE_TEST_CASE(a_search_that_ended_early_shows_its_hits_alone, SmallRanking) {
  auto cut = ranked(2, "next", 5, 1);
  cut.undecided = 9;
  method("cut", {ranked(1, "next", 0, 1), cut, ranked(3, "next", 2, 2)});
  const std::string html = page_of(results(*this, {"cut", "deer"}));
  BOOST_TEST(holds(html, "<p class=\"note\">cut: 1 of 3 searches ended before"));
  BOOST_TEST(
      holds(between(html, "<div class=\"cards\">", "<h2>"), "Hit@3, cut"));  // Hit@10 is uncertain
  BOOST_TEST(holds(row_of(section(html, "Ranks of the true entities"), "cut"), ">–<"));
  for (const char* heading : {"Ranks", "Do long names rank lower?"}) {
    BOOST_TEST(!holds(section(html, heading), "cut"), heading);
    BOOST_TEST(holds(section(html, heading), "deer"), heading);
  }
  BOOST_TEST(!holds(html, "Do the methods agree?"));
  const std::string alone = page_of(results(*this, {"cut"}));
  for (const char* heading : {"<h2>Ranks</h2>", "Do long names"})
    BOOST_TEST(!holds(alone, heading));
}

BOOST_FIXTURE_TEST_CASE(remarks_stand_once_and_are_escaped, SmallRanking) {
  RankResults made = results(*this);
  made.remarks = {"a remark on <some>", "another"};
  const std::string html = page_of(made);
  BOOST_TEST(count_of(html, "class=\"note\"") == 2U);
  BOOST_TEST(holds(html, "a remark on &lt;some&gt;"));
}

BOOST_AUTO_TEST_CASE(names_may_hold_anything) {
  RankFolder folder;
  folder.method("deer", {ranked(1, "<i>\"&", 0, 1), ranked(2, "<i>\"&", 1, 2)});
  const std::string html =
      page_of(results(folder, {"deer"}), {{"model", "<m>"}, {"dataset", "\"d\" & co"}});
  BOOST_TEST(!holds(html, "<i>"));
  BOOST_TEST(!holds(html, "<m>"));
}

BOOST_AUTO_TEST_CASE(small_probabilities_are_written_by_their_power) {
  BOOST_TEST(p_text(std::nullopt) == "–");
  BOOST_TEST(p_text(1) == "1.000");
  BOOST_TEST(p_text(0.05) == "0.050");
  BOOST_TEST(p_text(0.001) == "0.001");
  BOOST_TEST(p_text(0.00012) == "1.2e-4");
  BOOST_TEST(p_text(3.46e-15) == "3.5e-15");
  for (const double p : {9.9e-16, 3.46e-57, 1e-305, 0.0}) BOOST_TEST(p_text(p) == "< 1e-15");
}

BOOST_AUTO_TEST_CASE(a_probability_that_rounds_up_to_ten_has_the_next_power) {
  BOOST_TEST(p_text(9.97e-5) == "1.0e-4");
  BOOST_TEST(p_text(9.94e-5) == "9.9e-5");
}

BOOST_FIXTURE_TEST_CASE(every_number_on_the_page_is_in_the_metrics, SmallRanking) {
  method("deer-b", {ranked(1, "next", 0, 1), ranked(2, "next", 3, 1), ranked(3, "next", 11, 1)});
  Words names = all_methods;
  names.push_back("deer-b");
  const RankResults made = results(*this, names);
  const std::string html = page_of(made);
  std::vector<double> numbers;
  collect_numbers(to_json(made), numbers);
  check_numbers(texts(html, "</span><b>", "</b>"), numbers);  // cards
  check_numbers(texts(html, "<small>", "</small>"), numbers);
  check_numbers(values(section(html, "Hit@k side by side")), numbers);
  check_numbers(values(section(html, "Ranks")), numbers);
  std::set<std::string> medians;
  for (const std::string& title : texts(html, "<title>", "</title>")) {
    if (holds(title, "median")) medians.insert(title.substr(title.find("median")));
  }
  check_numbers(medians, numbers);
  const std::string wording = section(html, "Does the wording of entities matter?");
  for (const char* metric : {"Hit@1 ", "Hit@3 ", "Hit@10 ", "MRR "}) {
    const std::string words = between(wording, "Largest differences: ", "</p>");
    check_numbers({words.substr(words.find(metric) + std::string(metric).size(), 5)}, numbers);
  }
  numbers.push_back(-1);  // the sort value of a cell without a number
  check_numbers(texts(html, "data-v=\"", "\""), numbers);
}

BOOST_AUTO_TEST_SUITE_END()
