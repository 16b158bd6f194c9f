// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_shot_page.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/many_shot_folder.hpp"
#include "support/markup.hpp"
#include "support/measured_folders.hpp"
#include "support/page_around.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::ManyShotFolder;
using test::row_of;
using test::SmallManyShot;

BOOST_AUTO_TEST_SUITE(many_shot_page_html)

namespace {

std::string page(const ManyShotFolder& folder, const Json& settings = Json::object()) {
  const ManyShotResults made = test::results(folder);
  const std::string html = test::page_around(many_shot_sections(made), settings, made.remarks);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "nan"));
  return html;
}

/// The content below the first heading that contains these words, up to the next heading.
std::string under(const std::string& html, const std::string& words) {
  const std::size_t at = html.find(words, html.find("<h2>"));
  if (at == std::string::npos) return "";
  const std::size_t begin = html.rfind("<h2>", at);
  return html.substr(begin, html.find("<h2>", begin + 1) - begin);
}

Setting ic(std::size_t shots, std::size_t seed = 0) {
  return {"ic", shots, " ", "choice", seed};
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_page_fetches_nothing_and_has_its_sections_in_order, SmallManyShot) {
  inject("P1");
  const std::string html = page(*this, {{"model", "m.gguf"}, {"dataset", "bear"}, {"seeds", 2}});
  for (const char* word : {"http", "src=", "url(", "@import"}) BOOST_TEST(!holds(html, word));
  BOOST_TEST(between(html, "<title>", "</title>") == "m.gguf on bear");
  BOOST_TEST(
      in_order(html, {"<h1>", "class=\"note\"", "class=\"cards\"", "number of shots</h2>",
                      "side by side", "<h2>Relations", "<h2>Accuracy@K", "contain the answer",
                      "Unknown and incorrect pairs", "<h2>Settings</h2>"}));
  BOOST_TEST(holds(html, "<tr><td>seeds</td><td><bdi>2</bdi></td></tr>"));
}

BOOST_FIXTURE_TEST_CASE(cards_have_the_headline_numbers, SmallManyShot) {
  const std::string cards = between(page(*this), "<div class=\"cards\">", "<h2>");
  // The cells are IC-LKE's accuracy at five shots, its deviation over seeds, the sufficient number
  // of shots, chance, and the numbers of facts and choices.
  BOOST_TEST(in_order(
      cards, {"IC-LKE, 5 shots", "<b>0.938</b>", "SD over seeds", "<b>0.088</b>", "2 seeds",
              "<b>5</b>", "<b>0.500</b>", "<b>6</b>", "2 relations", "<b>12</b>", "1 "}));
}

BOOST_FIXTURE_TEST_CASE(remarks_stand_once_and_are_escaped, SmallManyShot) {
  const std::string html = page(*this);
  BOOST_TEST(count_of(html, "class=\"note\"") == 2U);
  BOOST_TEST(holds(html, "a remark on &lt;some&gt;: P1 here"));
  BOOST_TEST(holds(html, "skipped for having fewer than 9 facts: P3 3"));
  BOOST_TEST(!holds(under(html, "<h2>Relations"), "P3"));
}

BOOST_FIXTURE_TEST_CASE(accuracy_against_shots_has_a_row_for_each_relation, SmallManyShot) {
  const std::string part = under(page(*this), "number of shots</h2>");
  BOOST_TEST(holds(part, "<svg"));
  BOOST_TEST(holds(part, "5: 95%"));
  BOOST_TEST(in_order(part, {">1 shot<", ">5 shots<", "mean of relations", "data-v=\"0.312500\"",
                             "± 0.088", "data-v=\"0.937500\"", "± 0.088"}));
  BOOST_TEST(in_order(row_of(part, "P1"),
                      {"data-v=\"0.375000\"", "± 0.177", "data-v=\"0.875000\"", "± 0.177"}));
  BOOST_TEST(in_order(row_of(part, "P2"),
                      {"data-v=\"0.250000\"", "± 0.354", "data-v=\"1.000000\"", "± 0.000"}));
}

BOOST_FIXTURE_TEST_CASE(methods_are_compared_on_the_relations_that_have_them_all, SmallManyShot) {
  const std::string part = under(page(*this), "side by side");
  BOOST_TEST(holds(part, "1 relation "));
  BOOST_TEST(in_order(part, {"IC-LKE, 1 shot<", "IC-LKE, 5 shots<", "HGP<", "<bdi>P1</bdi>",
                             ">0.38<", ">0.88<", ">0.25<"}));
  BOOST_TEST(in_order(part, {"By relation", "P2", "HGP", ">–<"}));
}

BOOST_FIXTURE_TEST_CASE(relations_stand_from_best_known_to_least, SmallManyShot) {
  const std::string part = under(page(*this), "<h2>Relations");
  BOOST_TEST(in_order(part, {"<bdi>P2</bdi>", "<bdi>P1</bdi>"}));
  BOOST_TEST(in_order(row_of(part, "P1"), {">4<", "0.875", ">0.177<"}));
  BOOST_TEST(in_order(row_of(part, "P2"), {">2<", "1.000", ">0.000<"}));
}

BOOST_FIXTURE_TEST_CASE(accuracy_at_k_shows_what_remains, SmallManyShot) {
  const std::string part = under(page(*this), "<h2>Accuracy@K");
  BOOST_TEST(count_of(part, "<svg class=\"chart") == 2U);
  BOOST_TEST(in_order(part, {">K = 0.0<", ">K = 0.1<", ">K = 0.9<"}));
  const std::string row = row_of(part, "IC-LKE, 5 shots");
  BOOST_TEST(count_of(row, ">0.917<small>12</small>") == 9U);  // K = 0 … 0.8
  BOOST_TEST(count_of(row, ">–<small>0</small>") == 1U);
  BOOST_TEST(count_of(row_of(part, "HGP"), ">0.250<small>4</small>") == 6U);
  BOOST_TEST(!holds(part, "1 shot<"));
}

BOOST_FIXTURE_TEST_CASE(generated_answers_are_shown_alongside_chosen_ones, SmallManyShot) {
  const std::string part = under(page(*this), "contain the answer");
  BOOST_TEST(in_order(row_of(part, "IC-LKE, 5 shots"),
                      {"data-v=\"0.375000\"", "data-v=\"0.750000\"", "data-v=\"0.937500\""}));
}

BOOST_AUTO_TEST_CASE(a_run_without_ic_lke_shows_its_templates) {
  ManyShotFolder folder;
  folder.choose("P1", {"hgp", 0, "", "choice", 0}, "1000");
  folder.choose("P1", {"hgp", 0, "", "choice", 1}, "1100");
  folder.choose("P1", {"mmp", 0, "", "choice", 0}, "0000");
  const std::string html = page(folder);
  const std::string cards = between(html, "<div class=\"cards\">", "<h2>");
  BOOST_TEST(in_order(cards, {"HGP", "<b>0.375</b>", "SD over templates", "<b>0.177</b>",
                              "2 templates", "1 relation<"}));
  BOOST_TEST(!holds(html, "IC-LKE"));
  BOOST_TEST(!holds(html, "number of shots</h2>"));
  BOOST_TEST(in_order(under(html, "side by side"), {">HGP<", ">MMP<"}));
  BOOST_TEST(holds(under(html, "<h2>Relations"), "data-v=\"0.375000\""));
}

BOOST_AUTO_TEST_CASE(a_run_of_eic_alone_names_it) {
  ManyShotFolder folder;
  folder.choose("P1", {"eic-isolated", 50, " ", "choice", 0}, "1110");
  folder.choose("P1", {"eic", 50, " ", "choice", 0}, "1100");
  const std::string html = page(folder);
  BOOST_TEST(in_order(under(html, "side by side"), {"EIC-LKE, isolated<", "EIC-LKE<"}));
  BOOST_TEST(holds(between(html, "<div class=\"cards\">", "<h2>"), "<b>0.750</b>"));
}

BOOST_AUTO_TEST_CASE(a_run_of_one_setting_compares_nothing) {
  ManyShotFolder folder;
  folder.choose("P1", ic(50), "10");
  const std::string html = page(folder);
  for (const char* heading : {"number of shots</h2>", "side by side", "Texts between",
                              "contain the answer", "Unknown and"}) {
    BOOST_TEST(!holds(html, heading));
  }
  BOOST_TEST(holds(between(html, "<div class=\"cards\">", "<h2>"), "<b>–</b>"));  // no deviation
  BOOST_TEST(holds(html, "<h2>Relations"));
  BOOST_TEST(!holds(html, "<h2>Settings"));
}

BOOST_AUTO_TEST_CASE(separators_are_compared_relation_by_relation) {
  ManyShotFolder folder;
  folder.choose("P1", ic(5), "1000");
  folder.choose("P1", {"ic", 5, " <b> in ", "choice", 0}, "1110");
  folder.choose("P2", ic(5), "10");
  const std::string html = page(folder);
  const std::string part = under(html, "Texts between");
  BOOST_TEST(in_order(part, {"P1", "‘ ’", "0.250", "‘ &lt;b&gt; in ’", "0.750"}));
  BOOST_TEST(!holds(part, "P2"));
  // The other sections use the usual separator.
  BOOST_TEST(!holds(under(html, "<h2>Accuracy@K"), "in ’"));
  BOOST_TEST(holds(between(html, "<div class=\"cards\">", "<h2>"), "<b>0.375</b>"));
}

BOOST_AUTO_TEST_CASE(nothing_right_and_nothing_asked_are_shown_as_such) {
  ManyShotFolder wrong;
  wrong.choose("P1", ic(1), "00");
  wrong.choose("P1", ic(5), "00");
  const std::string html = page(wrong);
  BOOST_TEST(!holds(html, "Shots for 95%"));
  BOOST_TEST(!holds(html, ": 95%<"));
  BOOST_TEST(holds(html, "<b>0.000</b>"));
  ManyShotFolder nothing;
  nothing.relation("P1");
  BOOST_TEST(!holds(page(nothing), "<h2>"));
}

BOOST_AUTO_TEST_CASE(an_injection_alone_has_its_section) {
  ManyShotFolder folder;
  folder.inject("P1");
  folder.inject("P2");
  const std::string html = page(folder);
  BOOST_TEST(!holds(html, "class=\"cards\""));
  BOOST_TEST(count_of(html, "Unknown and incorrect pairs among the shots</h2>") == 2U);
  BOOST_TEST(holds(html, "<bdi>incorrect, block</bdi>"));
}

BOOST_FIXTURE_TEST_CASE(quantised_weights_are_spoken_of, SmallManyShot) {
  BOOST_TEST(!holds(page(*this, {{"quantized", false}, {"weights", "F32"}}), "Quantised"));
  BOOST_TEST(holds(page(*this, {{"quantized", true}, {"weights", "Q4_1"}}), "weights (Q4_1)"));
}

BOOST_AUTO_TEST_CASE(names_may_hold_anything) {
  ManyShotFolder folder;
  folder.choose("<i>", ic(1), "10");
  folder.choose("<i>", ic(5), "11");
  const std::string html = page(folder, {{"model", "<m>"}, {"dataset", "\"d\" & co"}});
  BOOST_TEST(!holds(html, "<i>"));
  BOOST_TEST(!holds(html, "<m>"));
}

BOOST_AUTO_TEST_SUITE_END()
