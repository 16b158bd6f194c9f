// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/statement_prompts.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/prompt/statement.hpp"
#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::small_dataset;

namespace {

/// The kinds of the prompts and their JSON objects, in the order visited.
std::vector<std::pair<std::string, Json>> listed(const std::vector<std::size_t>& templates,
                                                 const WantedFact& wanted = {}) {
  std::vector<std::pair<std::string, Json>> all;
  const Dataset dataset = small_dataset();
  for_each_statement_prompt(dataset, Statement{}, templates, true, wanted,
                            [&](const std::string& kind, auto make) {
                              BOOST_TEST(make().with_bos.wanted);
                              all.emplace_back(kind, to_json(make()));
                            });
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(statement_prompts_suite)

BOOST_AUTO_TEST_CASE(each_fact_stands_once_for_each_template) {
  const auto all = listed({});
  BOOST_REQUIRE(all.size() == 5U * 2);
  BOOST_TEST(all[2].first == "template 0");
  BOOST_TEST(
      all[2].second.dump() ==
      R"({"part":"statements","relation":"capital","sub_id":"Q884","sub_label":"Korea",)"
      R"("instance_index":2,"template":0,"prompt":"The capital of Korea is",)"
      R"("candidate_count":3,"candidates":[{"text":" Paris.","answer":[[24,29]],"given":23},)"
      R"({"text":" Seoul.","answer":[[24,29]],"given":23},)"
      R"({"text":" Cairo.","answer":[[24,29]],"given":23}]})");
  BOOST_TEST(all[3].first == "template 1");
  BOOST_TEST(all[3].second.at("prompt") == "");
  BOOST_TEST(all[3].second.at("candidates")[1].at("text") == "Seoul is the capital of Korea.");
}

BOOST_AUTO_TEST_CASE(facts_and_templates_may_be_chosen) {
  BOOST_TEST(listed({1}).size() == 5U);
  BOOST_TEST(listed({}, {"Bonn"}).size() == 2U);
  BOOST_TEST(listed({0}, {"capital:3"}).at(0).second.at("sub_label") == "Egypt");
  BOOST_TEST(listed({}, {"capital:1"}).empty());
  BOOST_CHECK_EXCEPTION((void)listed({7}), Error,
                        test::says(Fault::user, "`templates`: relation capital has 2 templates"));
}

BOOST_AUTO_TEST_SUITE_END()
