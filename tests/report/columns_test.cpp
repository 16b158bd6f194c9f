// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"

using namespace plumb::detail;
using test::holds;

BOOST_AUTO_TEST_SUITE(columns)

namespace {

struct Plum {
  std::string name;
  std::size_t stones = 0;
  Estimate weight{};
};

std::vector<Column<Plum>> plum_columns() {
  return {{"name", "plum & <co>", "", [](const Plum& p) { return p.name; }},
          {"stones", "stones", "Stones: one, mostly.", [](const Plum& p) { return p.stones; },
           ColumnPlace::files},
          {"weight", "weight", "Weight: in grams < 100.", [](const Plum& p) { return p.weight; },
           ColumnPlace::everywhere, 1, true,
           [](const Estimate& e) { return e.value > 40 ? "h0" : ""; }},
          {"seen", "Seen", "", [](const Plum& p) { return p.stones + 1; }, ColumnPlace::page}};
}

const std::vector<Plum> plums{{"Mirabelle", 1, {10.25, 9, 11.5, 4, "bootstrap"}},
                              {"<Victoria>", 2, {60, 50, 70, 3, "bootstrap"}},
                              {"Sloe", 0, {}}};

}  // namespace

BOOST_AUTO_TEST_CASE(a_terminal_shows_columns_that_are_everywhere) {
  BOOST_TEST(text_table(plum_columns(), plums) ==
             "plum & <co>       weight [95%]\n"
             "──────────────────────────────\n"
             "Mirabelle     10.2 [9.0, 11.5]\n"
             "<Victoria>   60.0 [50.0, 70.0]\n"
             "Sloe                         –\n");
}

BOOST_AUTO_TEST_CASE(a_narrow_terminal_shows_the_columns_of_most_weight) {
  std::vector<Column<Plum>> columns = plum_columns();
  for (Column<Plum>& column : columns) column.place = ColumnPlace::everywhere;
  weigh(columns, {"seen"}, ColumnWeight::major);
  weigh(columns, {"weight"}, ColumnWeight::minor);
  // The full table takes 11 + 2 + 6 + 2 + 17 + 2 + 4 = 44 characters: 33 without the weights'
  // intervals, 25 without the weights, and 17 without the weights and the stones.
  const std::vector<Plum> one{plums[1]};
  BOOST_TEST(text_table(columns, one, {43, ""}) ==
             "plum & <co>  stones  weight  Seen\n"
             "─────────────────────────────────\n"
             "<Victoria>        2    60.0     3\n"
             "Left out to fit 43 of 44 characters:\nintervals of weight.\n");
  BOOST_TEST(text_table(columns, one, {32, ""}).starts_with("plum & <co>  stones  Seen\n"));
  BOOST_TEST(text_table(columns, one, {24, ""}).starts_with("plum & <co>  Seen\n"));
}

BOOST_AUTO_TEST_CASE(a_page_shows_more_and_escapes_it) {
  const std::string html = html_table(plum_columns(), plums);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(test::in_order(html, {">Plum &amp; &lt;co&gt;<", ">Weight<", ">Seen<"}));
  BOOST_TEST(!holds(html, "tones"));
  BOOST_TEST(holds(html,
                   "<bdi>&lt;Victoria&gt;</bdi></td><td data-v=\"60.000000\" "
                   "class=\"h0\">60.0<small>50.0–70.0</small></td><td data-v=\"3\">3</td>"));
  BOOST_TEST(holds(html, "<bdi>Sloe</bdi></td><td data-v=\"-1\">–</td>"));
  BOOST_TEST(meanings(plum_columns()) == "Weight: in grams &lt; 100.");
}

BOOST_AUTO_TEST_CASE(files_have_all) {
  EstimateCsv csv({"plum", "metric"});
  for (const Plum& plum : plums) add_numbers(csv, {plum.name}, plum_columns(), plum);
  BOOST_TEST(
      csv.text().starts_with("plum,metric,value,low,high,count\n"
                             "Mirabelle,stones,1,,,\n"
                             "Mirabelle,weight,10.25000000,9.00000000,11.50000000,4\n"
                             "Mirabelle,seen,2,,,\n"));
  BOOST_TEST(csv.text().ends_with("Sloe,weight,,,,0\nSloe,seen,1,,,\n"));
  BOOST_TEST(json_of(plum_columns(), plums[2]).dump() ==
             R"({"name":"Sloe","stones":0,"weight":null,"seen":1})");
}

BOOST_AUTO_TEST_CASE(a_number_without_an_interval_is_in_the_csv_too) {
  const std::vector<Column<Plum>> columns{
      {"sugar", "sugar", "", [](const Plum& p) {
         return p.stones > 0 ? PlainNumber{0.25 * static_cast<double>(p.stones)} : PlainNumber{};
       }}};
  EstimateCsv csv({"plum", "metric"});
  add_numbers(csv, {"a"}, columns, plums[1]);
  add_numbers(csv, {"b"}, columns, plums[2]);
  BOOST_TEST(csv.text().ends_with("a,sugar,0.50000000,,,\nb,sugar,,,,\n"));
}

BOOST_AUTO_TEST_CASE(columns_of_a_part_are_those_of_the_whole) {
  struct Basket {
    Plum first;
  };
  const auto columns =
      columns_of<Basket>(plum_columns(), [](const Basket& b) -> const Plum& { return b.first; });
  const std::vector<Basket> baskets{{plums[0]}, {plums[1]}, {plums[2]}};
  BOOST_TEST(text_table(columns, baskets) == text_table(plum_columns(), plums));
  BOOST_TEST(html_table(columns, baskets) == html_table(plum_columns(), plums));
}

BOOST_AUTO_TEST_CASE(rows_may_be_parted_by_rules) {
  NumberTable table = table_of(plum_columns(), plums);
  table.rows[1].begins_section = true;
  const std::string rule = "\n───";
  const std::string text = text_table(table);
  BOOST_TEST(text.find(rule, text.find(rule) + 1) > text.find("Mirabelle"));
}

BOOST_AUTO_TEST_SUITE_END()
