// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/injection_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_injection.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::small_injection_design;
using test::small_injection_scores;
using test::small_injections;

BOOST_AUTO_TEST_SUITE(injection_columns)

BOOST_AUTO_TEST_CASE(a_terminal_has_the_means_of_the_page) {
  const std::string table = "\n" + injection_table(small_injections());
  BOOST_TEST(table.starts_with("\nprobability, birth "));
  BOOST_TEST(count_of(table, "\n") == 9U);  // headings, a rule, five panels, the note
  const std::string first = between(table, "\ncorrect ", "\n");
  BOOST_TEST(test::in_order(first, {" 0.500 [", "] ", "–", "–", "–", "–", "0.850"}));
  const std::string spread = between(table, "\nunknown, spread ", "\n");
  BOOST_TEST(test::in_order(
      spread, {" 0.410 [", " -0.060 [", " 0.325 [", " -0.325 [", " 0.010 [", " 0.425"}));
  const std::string block = between(table, "\nincorrect, block ", "\n");
  BOOST_TEST(test::in_order(block, {" 0.375 ", " -0.375 "}));  // one pair: no interval
  BOOST_TEST(count_of(block, " [–]") == 3U);
  const std::string narrow = injection_table(small_injections(), {68, "see it"});
  BOOST_TEST(test::in_order(narrow, {"correct [95%]", "injected [95%]", "\n───",
                                     "Left out to fit 68 of ", "star", "see it.\n"}));
}

BOOST_AUTO_TEST_CASE(the_csv_has_every_point) {
  const std::string csv = injection_csv(small_injections());
  BOOST_TEST(count_of(csv, "\n") == 51U);
  BOOST_TEST(
      csv.starts_with("relation,panel,position,subject,object,kind,log_probability,"
                      "probability,highlighted\n"
                      "birth,correct,0,P<0>,180,correct,-2.99573227,0.05000000,0\n"));
  BOOST_TEST(
      holds(csv, "\nbirth,\"unknown, spread\",2,P<2>,182,injected,-4.60517019,0.01000000,0\n"));
  BOOST_TEST(holds(csv,
                   "\nbirth,\"incorrect, spread\",8,P<8>,188,after injected,-0.85566611,"
                   "0.42500000,1\n"));
  BOOST_TEST(count_of(csv, ",1\n") == 5U);
}

BOOST_AUTO_TEST_CASE(the_json_has_every_number_of_the_table) {
  const Json json = to_json(small_injections());
  BOOST_TEST(json["relation"] == "birth");
  BOOST_TEST(json["pairs"] == 10);
  BOOST_TEST(json["highlight"].dump() == R"({"position":8,"subject":"P<8>","object":"188"})");
  BOOST_TEST(json["panels"].size() == 5U);
  const Json& first = json["panels"]["correct"];
  BOOST_TEST(first["correct"]["count"] == 10);
  BOOST_TEST(first["injected"].is_null());
  BOOST_TEST(first["correct_change"].is_null());
  const Json& spread = json["panels"]["unknown, spread"];
  const auto value = [](const Json& number) { return number["value"].get<double>(); };
  BOOST_TEST(std::abs(value(spread["correct"]) - 0.41) < 1e-12);
  BOOST_TEST(std::abs(value(spread["correct_change"]) + 0.06) < 1e-12);
  BOOST_TEST(std::abs(value(spread["after_injected"]) - 0.325) < 1e-12);
  BOOST_TEST(std::abs(value(spread["after_injected_change"]) + 0.325) < 1e-12);
  BOOST_TEST(std::abs(value(spread["injected"]) - 0.01) < 1e-12);
  BOOST_TEST(std::abs(spread["highlight_probability"].get<double>() - 0.425) < 1e-12);
  BOOST_TEST(spread["correct"]["interval"] == "bootstrap");
  const Json& one = json["panels"]["unknown, block"]["after_injected"];
  BOOST_TEST(one["count"] == 1);
  BOOST_TEST(one["low"].is_null());
  BOOST_TEST(one["interval"] == "none");
}

BOOST_AUTO_TEST_SUITE_END()
