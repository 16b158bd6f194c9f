// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/answers_json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/compare.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(answers_json)

namespace {

/// Two facts under one template, with the probabilities of "no" and "yes". The first fact's right
/// answer is "no".
Answers answers(const std::vector<std::vector<double>>& probabilities) {
  Answers made;
  Answers::Table& table = made.tables.emplace_back();
  table.relation.code = "P1";
  table.relation.templates = {"[X] [Y]"};
  table.relation.options = {"no", "yes"};
  table.relation.facts = {{.subject = "a", .answer = 0, .instance = 0},
                          {.subject = "b", .answer = 1, .instance = 1}};
  table.settings = {template_setting(0)};
  for (const auto& fact : probabilities) {
    for (const double p : fact) table.add({std::log(p), 1, 1});
  }
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_comparison_has_its_flips_and_where_it_is_worst) {
  const Answers first = answers({{0.9, 0.1}, {0.4, 0.6}}),
                second = answers({{0.8, 0.2}, {0.7, 0.3}});
  const Json json = to_json(compare(first, second, {0, 50}));
  BOOST_TEST(json.at("facts") == 2);
  BOOST_TEST(json.at("statements") == 4);
  BOOST_TEST(std::abs(json.at("worst_nats").get<double>() - std::log(2.0)) < 1e-12);
  BOOST_TEST(json.at("worst_at").at("relation") == "P1");
  BOOST_REQUIRE(json.at("flips").size() == 1U);
  const Json& flip = json.at("flips")[0];
  BOOST_TEST(flip.at("subject") == "b");
  BOOST_TEST(flip.at("first") == "yes");
  BOOST_TEST(flip.at("second") == "no");
  BOOST_TEST(flip.at("first_is_right") == true);
  BOOST_TEST(flip.at("second_is_right") == false);
  BOOST_TEST(json.at("lost").size() == 1U);
  BOOST_TEST(json.at("gained").empty());
  BOOST_TEST(json.at("accuracy_first").at("value") == 1.0);
  BOOST_TEST(json.at("accuracy_second").at("value") == 0.5);
  BOOST_TEST(to_json(compare(first, first, {0, 50})).at("worst_at").is_null());
}

BOOST_AUTO_TEST_CASE(a_calibration_has_each_facts_confidence) {
  const Answers made = answers({{0.9, 0.1}, {0.6, 0.4}});
  const Json json = calibration_json(made, {"base"}, 2, 0, {0, 50});
  BOOST_TEST(json.at("bins") == 2);
  const Json& base = json.at("estimators").at("base");
  BOOST_TEST(json.at("estimators").size() == 1U);
  BOOST_TEST(std::abs(base.at("confidence")[0].get<double>() - 0.9) < 1e-12);
  BOOST_TEST(base.at("correct") == (Json{true, false}));
  const double brier = (0.1 * 0.1 + 0.6 * 0.6) / 2;
  BOOST_TEST(std::abs(base.at("metrics").at("brier").at("value").get<double>() - brier) < 1e-12);
  // With one template, there are no pairs of answers that could agree.
  BOOST_TEST(calibration_json(made, {}, 2, 0, {0, 50}).at("estimators").size() == 2U);
  BOOST_CHECK_EXCEPTION((void)calibration_json(made, {"vote"}, 2, 0, {}), Error,
                        says(Fault::user, "'vote' is not an estimator of these results"));
}

BOOST_AUTO_TEST_SUITE_END()
