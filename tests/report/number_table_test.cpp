// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/number_table.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(number_table_suite)

namespace {

/// One row with a cell of each kind.
NumberTable every_kind() {
  const Estimate estimate{0.25, 0.125, 0.5, 8, "by hand"};
  NumberTable table;
  NumberRow row;
  const auto add = [&](const char* key, const CellValue& value) {
    table.columns.push_back({.key = key, .heading = key, .meaning = ""});
    row.cells.push_back(value);
    row.classes.emplace_back();
  };
  add("text", std::string("a < b"));
  add("deep.count", std::size_t{7});
  add("deep.estimate", estimate);
  add("deep.number", PlainNumber{0.5, 2});
  add("none", PlainNumber{});
  add("remarked", RemarkedEstimate{estimate, "of 9"});
  add("shown", ShownNumber{3, "three"});
  add("word", OwnWord{"yes"});
  add("dashed", DashedCount{4});
  add("absent", NoCell{});
  table.rows.push_back(row);
  return table;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_key_with_dots_is_a_path_in_json) {
  const NumberTable table = every_kind();
  const Json json = json_of(table.columns, table.rows[0]);
  BOOST_TEST(json.at("text") == "a < b");
  BOOST_TEST(json.at("deep").at("count") == 7);
  BOOST_TEST(json.at("deep").at("estimate").at("value") == 0.25);
  BOOST_TEST(json.at("deep").at("estimate").at("count") == 8);
  BOOST_TEST(json.at("deep").at("number") == 0.5);
  BOOST_TEST(json.at("none").is_null());
  BOOST_TEST(json.at("remarked").at("high") == 0.5);
  BOOST_TEST(json.at("shown") == 3);
  BOOST_TEST(json.at("word") == "yes");
  BOOST_TEST(json.at("dashed") == 4);
  BOOST_TEST(!json.contains("absent"));
}

BOOST_AUTO_TEST_CASE(csv_has_every_number_and_no_text) {
  const NumberTable table = every_kind();
  EstimateCsv csv({"of", "metric"});
  add_numbers(csv, {"x"}, table.columns, table.rows[0]);
  BOOST_TEST(csv.text() ==
             "of,metric,value,low,high,count\n"
             "x,deep.count,7,,,\n"
             "x,deep.estimate,0.25000000,0.12500000,0.50000000,8\n"
             "x,deep.number,0.50000000,,,\n"
             "x,none,,,,\n"
             "x,remarked,0.25000000,0.12500000,0.50000000,8\n"
             "x,shown,3.00000000,,,\n"
             "x,dashed,4,,,\n");
}

BOOST_AUTO_TEST_CASE(a_terminal_and_a_page_show_the_same_cells) {
  NumberTable table = every_kind();
  table.columns[2].interval = true;
  table.columns[1].place = ColumnPlace::files;
  table.columns[7].place = ColumnPlace::terminal;
  table.rows[0].classes[2] = "h1";
  const std::string text = text_table(table), html = html_table(table);
  BOOST_TEST(holds(text, "0.250 [0.125, 0.500]"));
  BOOST_TEST(holds(text, "three"));
  BOOST_TEST(holds(text, "yes"));
  BOOST_TEST(!holds(text, "deep.count"));
  BOOST_TEST(holds(html, "a &lt; b"));
  BOOST_TEST(holds(html, "class=\"h1\""));
  BOOST_TEST(holds(html, "<small>of 9</small>"));
  BOOST_TEST(!holds(html, "yes"));
  BOOST_TEST(holds(html, "Deep.estimate"));  // headings begin with a capital
}

BOOST_AUTO_TEST_CASE(csv_of_rows_has_a_column_for_each_key_and_all_digits) {
  NumberTable table = every_kind();
  table.columns[0].place = ColumnPlace::terminal;
  table.columns[2].interval = true;
  table.rows[0].cells[3] = PlainNumber{1.0 / 3};
  BOOST_TEST(csv_file(table) ==
             "deep.count,deep.estimate,deep.estimate_low,deep.estimate_high,deep.number,none,"
             "remarked,shown,word,dashed,absent\n"
             "7,0.25,0.125,0.5,0.3333333333333333,,0.250,3,yes,4,\n");
  table.rows[0].cells[2] = without_interval(1e-300, 3);
  BOOST_TEST(holds(csv_file(table), "\n7,1e-300,,,"));
  table.rows[0].cells[2] = Estimate{};
  BOOST_TEST(holds(csv_file(table), "\n7,,,,"));
}

BOOST_AUTO_TEST_CASE(a_section_of_rows_begins_with_a_rule) {
  NumberTable table{{{.key = "name", .heading = "name", .meaning = ""}}};
  for (const bool begins : {true, false, true}) {
    table.rows.push_back({{std::string("row")}, {""}, begins});
  }
  BOOST_TEST(text_table(table) == "name\n────\nrow\nrow\n────\nrow\n");
}

BOOST_AUTO_TEST_CASE(csv_of_the_shown_rows_has_all_digits_and_both_ends_of_an_interval) {
  NumberTable table = every_kind();
  table.columns[1].place = ColumnPlace::files;
  table.columns[7].place = ColumnPlace::page;
  table.rows.push_back(table.rows[0]);
  table.rows[1].cells[0] = std::string("=1+1");
  table.rows[1].cells[2] = Estimate{};
  table.rows[1].cells[5] = ShownNumber{2, "two"};
  BOOST_TEST(csv_table(table) ==
             "text,deep.estimate,deep.estimate_low,deep.estimate_high,deep.number,none,remarked,"
             "remarked_low,remarked_high,shown,dashed,absent\n"
             "a < b,0.25000000,0.12500000,0.50000000,0.50000000,,0.25000000,0.12500000,0.50000000,"
             "3.00000000,4,\n"
             "'=1+1,,,,0.50000000,,2.00000000,,,3.00000000,4,\n");
  table.rows.clear();
  BOOST_TEST(csv_table(table).starts_with("text,deep.estimate,deep.number,"));
}

BOOST_AUTO_TEST_CASE(json_of_the_shown_rows_is_a_list_of_objects) {
  NumberTable table = every_kind();
  table.columns[1].place = ColumnPlace::files;
  const Json rows = json_table(table);
  BOOST_TEST(rows.size() == 1U);
  BOOST_TEST(rows[0].at("text") == "a < b");
  BOOST_TEST(rows[0].at("deep").at("estimate").at("low") == 0.125);
  BOOST_TEST(!rows[0].at("deep").contains("count"));
  BOOST_TEST(json_table({}).dump() == "[]");
}

// A backslash or another special character in a name must not become a command; "[" after "\\\\"
// would be read as its argument.
BOOST_AUTO_TEST_CASE(latex_escapes_texts_and_sets_numbers_in_math) {
  BOOST_TEST(latex_text("a_b & 50% of $x^2 #1 {~}\\") ==
             "a\\_b \\& 50\\% of \\$x\\textasciicircum{}2 \\#1 "
             "\\{\\textasciitilde{}\\}\\textbackslash{}");
  BOOST_TEST(latex_text("<i>|\"q\"") ==
             "\\textless{}i\\textgreater{}\\textbar{}\\textquotedbl{}q\\textquotedbl{}");
  BOOST_TEST(latex_text("[95%] tuned − base → η – é …") ==
             "{[}95\\%] tuned $-$ base $\\to$ $\\eta$ -- é \\ldots{}");
  NumberTable table{
      {{"name", "name", ""}, {"n", "n", ""}, {"acc", "accuracy", ""}, {"x", "x", ""}}};
  table.columns[2].interval = true;
  table.rows = {{{std::string("a_b"), std::size_t{7}, Estimate{0.51, 0.45, 0.57, 9, ""},
                  PlainNumber{-0.5, 2}},
                 {}},
                {{std::string("c"), NoCell{}, Estimate{}, OwnWord{"< 0.01"}}, {}, true}};
  table.columns[2].decimals = 2;
  BOOST_TEST(latex_table(table) ==
             "\\begin{tabular}{lrrr}\n\\toprule\nname & n & accuracy {[}95\\%] & x \\\\\n"
             "\\midrule\na\\_b & $7$ & $0.51\\,[0.45, 0.57]$ & $-0.50$ \\\\\n"
             "\\midrule\nc & -- & -- & \\textless{} 0.01 \\\\\n\\bottomrule\n\\end{tabular}\n");
}

BOOST_AUTO_TEST_CASE(latex_leaves_out_an_interval_that_is_not_there_or_not_shown) {
  ColumnHead column{"a", "a", ""};
  const Estimate whole{0.25, 0.125, 0.5, 8, ""};
  BOOST_TEST(latex_cell(column, whole) == "$0.250$");
  column.interval = true;
  Estimate alone = whole;
  alone.low = alone.high = Estimate{}.low;
  BOOST_TEST(latex_cell(column, alone) == "$0.250$");
  BOOST_TEST(latex_cell(column, RemarkedEstimate{whole, "x"}) == "$0.250\\,[0.125, 0.500]$");
}

BOOST_AUTO_TEST_CASE(markdown_has_a_rule_and_no_markup_from_names) {
  NumberTable table{{{"name", "name", ""}, {"acc", "accuracy", ""}, {"d", "domain", ""}}};
  table.columns[1].interval = true;
  table.rows = {
      {{std::string("a|b *c* <i>\n[d](e)"), Estimate{0.25, 0.125, 0.5, 8, ""}, std::string("x_y")},
       {}}};
  const std::string text = markdown_table(table);
  BOOST_TEST(text.starts_with("| name | accuracy \\[95%\\] | domain |\n| :-- | --: | :-- |\n"));
  BOOST_TEST(holds(text, "| a\\|b \\*c\\* \\<i\\>"));
  BOOST_TEST(holds(text, "\\[d\\](e) | 0.250 [0.125, 0.500] | x\\_y |\n"));
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 3);
}

BOOST_AUTO_TEST_CASE(html_table_marks_the_column_of_model_names) {
  NumberTable table{{{"model", "model", ""}, {"n", "n", ""}}};
  table.columns[0].names_model = true;
  table.rows = {{{std::string("a"), std::size_t{1}}, {"", ""}}};
  const std::string html = html_table(table);
  BOOST_TEST(holds(html, "<th scope=\"col\" data-names=\"model\"><button type=\"button\">Model<"));
  BOOST_TEST(holds(html, "<th scope=\"col\"><button type=\"button\">n<"));
}

BOOST_AUTO_TEST_CASE(meanings_are_of_the_columns_of_a_page) {
  std::vector<ColumnHead> columns{
      {"a", "a", "A: one."}, {"b", "b", "B: two & three."}, {"c", "c", "C."}};
  columns[2].place = ColumnPlace::files;
  BOOST_TEST(meanings(columns) == "A: one. B: two &amp; three.");
}

BOOST_AUTO_TEST_SUITE_END()
