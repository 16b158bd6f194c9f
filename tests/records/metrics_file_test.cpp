// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/metrics_file.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(metrics_file_suite)

namespace {

Json estimate(double value, double low, double high, std::size_t count) {
  return {{"value", value}, {"low", low}, {"high", high}, {"count", count}, {"interval", "wilson"}};
}

std::vector<std::string> names(const std::map<std::string, RunNumber>& numbers) {
  std::vector<std::string> all;
  for (const auto& [name, number] : numbers) all.push_back(name);
  return all;
}

using Names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_name_is_the_keys_joined_by_dots) {
  const auto made = named_numbers(
      {{"interval", 0.95},
       {"settings", {{"ic/50", {{"accuracy", estimate(0.25, 0.2, 0.3, 7)}, {"sd", nullptr}}}}},
       {"remarks", {"x", "y"}},
       {"masked", false},
       {"histogram", {1, 2, 3}}});
  BOOST_TEST(names(made) == (Names{"interval", "settings.ic/50.accuracy"}),
             boost::test_tools::per_element());
  const RunNumber& accuracy = made.at("settings.ic/50.accuracy");
  BOOST_TEST(accuracy.value == 0.25);
  BOOST_TEST(accuracy.low.value() == 0.2);
  BOOST_TEST(accuracy.high.value() == 0.3);
  BOOST_TEST(accuracy.count == 7U);
  BOOST_TEST(!made.at("interval").low.has_value());
}

BOOST_AUTO_TEST_CASE(an_element_of_a_list_is_called_by_its_texts_or_its_first_number) {
  const auto made = named_numbers(
      {{"agreement", {{{"methods", {"deer", "lm-head"}}, {"r", 0.5}}}},
       {"subsumption",
        {{{"of", "A"}, {"given", "B"}, {"rate", estimate(0.5, 0, 1, 2)}},
         {{"of", "B"}, {"given", "A"}, {"rate", nullptr}}}},
       {"option_counts", {{{"options", 5}, {"ace", 0.25}}, {{"options", 10}, {"ace", 0.125}}}},
       {"at_k", {{{"k", 0.05}, {"share", 1}}}},
       {"twice", {{{"a", "x"}, {"n", 1}}, {{"a", "x"}, {"n", 2}}}}});
  BOOST_TEST(names(made) == (Names{"agreement.deer+lm-head.r", "at_k.0.05.k", "at_k.0.05.share",
                                   "option_counts.10.ace", "option_counts.10.options",
                                   "option_counts.5.ace", "option_counts.5.options",
                                   "subsumption.A+B.rate", "twice.x#2.n", "twice.x.n"}),
             boost::test_tools::per_element());
  BOOST_TEST(made.at("option_counts.10.ace").value == 0.125);
  BOOST_TEST(made.at("twice.x#2.n").value == 2);
}

BOOST_AUTO_TEST_CASE(several_models_of_a_file_have_their_own_numbers_one_is_the_folders) {
  const test::TemporaryFolder folder;
  folder.write("one/metrics.json",
               Json{{"bins", 20}, {"models", {{"m", {{"accuracy", 0.5}}}}}}.dump());
  const auto one = read_run_numbers(folder / "one", "mine", "bear");
  BOOST_REQUIRE(one.size() == 1U);
  BOOST_TEST(one[0].model == "mine");
  BOOST_TEST(one[0].dataset == "bear");
  BOOST_TEST(names(one[0].numbers) == (Names{"accuracy", "bins"}),
             boost::test_tools::per_element());
  folder.write(
      "two/metrics.json",
      Json{{"relations", {{"P1", {{"accuracy", 1}}}}},
           {"models",
            {{"m", {{"accuracy", 0.5}, {"dataset", "BEAR"}}}, {"n", {{"accuracy", 0.25}}}}}}
          .dump());
  const auto two = read_run_numbers(folder / "two", "both", "");
  BOOST_REQUIRE(two.size() == 3U);
  BOOST_TEST(two[0].model == "both");
  BOOST_TEST(names(two[0].numbers) == (Names{"relations.P1.accuracy"}),
             boost::test_tools::per_element());
  BOOST_TEST(two[0].of_run == "");
  BOOST_TEST(two[1].of_run == "both");
  BOOST_TEST(two[1].model == "m");
  BOOST_TEST(two[1].dataset == "BEAR");
  BOOST_TEST(two[2].model == "n");
  BOOST_TEST(two[2].numbers.at("accuracy").value == 0.25);
}

BOOST_AUTO_TEST_CASE(a_calibration_of_the_run_belongs_to_it) {
  const test::TemporaryFolder folder;
  const std::string calibrated = Json{{"models", {{"m", {{"ace", 0.125}}}}}}.dump();
  const std::string probed = Json{{"all_templates", {{"accuracy", 0.5}}}}.dump();
  folder.write("run/metrics.json", probed);
  folder.write("run/calibration/metrics.json", calibrated);
  folder.write("whole/metrics.json", calibrated);
  folder.write("whole/probe/metrics.json", probed);
  for (const char* name : {"run", "whole/probe"}) {
    const auto made = read_run_numbers(folder / name, "m", "");
    BOOST_REQUIRE(made.size() == 1U);
    BOOST_TEST(names(made[0].numbers) == (Names{"ace", "all_templates.accuracy"}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_folder_without_numbers_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)read_run_numbers(folder.path(), "m", ""), Error,
                        test::says(Fault::user, "has no metrics.json; finish the run"));
  folder.write("metrics.json", "[1]");
  BOOST_CHECK_EXCEPTION((void)read_run_numbers(folder.path(), "m", ""), Error,
                        test::says(Fault::user, "metrics.json:1: is JSON but not an object"));
}

BOOST_AUTO_TEST_CASE(a_count_that_is_none_is_passed_over) {
  Json metrics = {{"accuracy", estimate(0.5, 0.25, 0.75, 7)}};
  metrics["accuracy"]["count"] = "7";
  const auto made = named_numbers(metrics);
  BOOST_TEST(made.at("accuracy").value == 0.5);
  BOOST_TEST(made.at("accuracy").count == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
