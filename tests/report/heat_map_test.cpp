// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/heat_map.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/report/page.hpp"
#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::count_of;
using test::holds;
using test::in_order;

BOOST_AUTO_TEST_SUITE(heat_map_suite)

namespace {

HeatMap two_by_two() {
  return {"Accuracy", "Relation", {"P1", "P2"}, {"a", "b"}, {{0.25, 1.0}, {std::nullopt, 0.0}}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_cell_has_its_number_and_tint) {
  const std::string html = heat_map(two_by_two());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(
      in_order(html, {"aria-label=\"Accuracy\"", "Relation", "<bdi>a</bdi>", "<bdi>b</bdi>",
                      "<th scope=\"row\"><bdi>P1</bdi></th>", "<td style=\"--v:25%\">0.25</td>",
                      "<td style=\"--v:100%\">1.00</td>", "<th scope=\"row\"><bdi>P2</bdi></th>",
                      "<td>–</td>", "<td style=\"--v:0%\">0.00</td>"}));
  BOOST_TEST(count_of(html, "<td") == 4U);
}

BOOST_AUTO_TEST_CASE(numbers_below_zero_have_another_colour) {
  HeatMap map = two_by_two();
  map.values = {{-0.5, -0.001}, {-1.5, 0.5}};
  map.decimals = 1;
  const std::string html = heat_map(map);
  BOOST_TEST(holds(html, "<td class=\"minus\" style=\"--v:50%\">-0.5</td>"));
  BOOST_TEST(holds(html, "<td style=\"--v:0%\">0.0</td>"));  // as shown
  BOOST_TEST(holds(html, "<td class=\"minus\" style=\"--v:100%\">-1.5</td>"));
  BOOST_TEST(count_of(html, "minus") == 2U);
}

BOOST_AUTO_TEST_CASE(names_of_columns_stand_upright_when_there_is_no_room) {
  BOOST_TEST(!holds(heat_map(two_by_two()), "upright"));
  HeatMap map{"", "", {"P1"}, {}, {{}}};
  for (int i = 0; i < 19; ++i) {
    map.columns.push_back("m");
    map.values[0].push_back(0.5);
  }
  BOOST_TEST(!holds(heat_map(map), "upright"));  // 19 · 6 + 2 = 116 characters
  map.columns.push_back("m");
  map.values[0].push_back(0.5);
  BOOST_TEST(holds(heat_map(map), "class=\"heat upright\""));
  HeatMap wide = two_by_two();
  wide.columns = {std::string(60, 'x'), std::string(60, 'x')};
  BOOST_TEST(holds(heat_map(wide), "upright"));
}

BOOST_AUTO_TEST_CASE(columns_of_a_group_stand_under_its_name) {
  HeatMap map{"", "", {"P1"}, {"a", "b", "c", "d"}, {{0.1, 0.2, std::nullopt, 0.4}}};
  map.groups = {"F", "F", "", "G"};
  const std::string html = heat_map(map);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(html, {"colspan=\"2\"><bdi>F</bdi>", "colspan=\"1\"><bdi></bdi>",
                             "colspan=\"1\"><bdi>G</bdi>"}));
  BOOST_TEST(holds(html, "<td class=\"edge\" style=\"--v:10%\">"));
  BOOST_TEST(holds(html, "<td style=\"--v:20%\">"));
  BOOST_TEST(holds(html, "<td class=\"edge\">–</td>"));
}

BOOST_AUTO_TEST_CASE(names_may_hold_anything) {
  HeatMap map = two_by_two();
  map.title = "\"<b>\"";
  map.rows[0] = "<i> & 'x'";
  map.columns[1] = "قاهرة <b>";
  map.groups = {"<u>", "&"};
  const std::string html = heat_map(map);
  BOOST_TEST(test::markup_fault(html) == "");
  for (const char* tag : {"<i>", "<b>", "<u>"}) BOOST_TEST(!holds(html, tag));
}

BOOST_AUTO_TEST_CASE(an_empty_map_is_well_formed) {
  BOOST_TEST(test::markup_fault(heat_map({"", "", {}, {}, {}})) == "");
}

BOOST_AUTO_TEST_CASE(the_pages_style_knows_the_classes) {
  const std::string page = page_begin("x");
  for (const char* rule :
       {".heat ", ".heat td.minus", ".heat.upright", ".heat .edge", "var(--v,"}) {
    BOOST_TEST(holds(page, rule), rule << " is not in the style");
  }
}

BOOST_AUTO_TEST_SUITE_END()
