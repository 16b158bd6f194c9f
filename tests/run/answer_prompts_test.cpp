// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/answer_prompts.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;

namespace {

const FewShotSetting zero{}, of_template{ShotSource::same_template, 2};

AnswerOptions options() {
  AnswerOptions asking;
  asking.settings = {zero, of_template};
  asking.confidence_prompts = 2;
  asking.shot_seed = 7;
  return asking;
}

/// The listed prompts by kind, as JSON objects, for the facts about water and rust only.
std::map<std::string, std::vector<Json>> listed(const AnswerOptions& asking,
                                                const std::vector<FewShotSetting>& names,
                                                const WantedFact& wanted = {}) {
  static const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked{{{1, {0, 2}}}, {}, {}};
  std::map<std::string, std::vector<Json>> all;
  for_each_answer_prompt(
      dataset, asked, asking, names, false, wanted,
      [&](const std::string& kind, auto make) { all[kind].push_back(to_json(make())); });
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(answer_prompts_suite)

BOOST_AUTO_TEST_CASE(each_file_of_a_run_has_its_prompts) {
  auto all = listed(options(), {of_template});
  std::map<std::string, std::size_t> counts;
  for (const auto& [kind, rows] : all) counts[kind] = rows.size();
  const std::map<std::string, std::size_t> expected{
      {"zero-shot answers", 6},  // two facts with one name each, under three templates
      {"zero-shot samples", 2},
      {"2-template answers", 6},
      {"2-template samples", 2},
      {"2-template names", 6},  // oxygen has an alias
      {"2-template content_free", 3 * content_free_texts.size()}};
  BOOST_TEST((counts == expected));
  // With this seed, sugar and water are the first two shots; salt replaces water in water's own
  // prompt.
  const Json& water = all.at("2-template answers")[4];
  BOOST_TEST(water.dump() ==
             R"({"part":"2-template answers","relation":"contains","sub_id":"Qwater",)"
             R"("sub_label":"water","fact":0,"subject":"water","template":2,"expression":0,)"
             R"("shots":[{"relation":"contains","sub_id":"Qsugar","sub_label":"sugar",)"
             R"("obj_label":"carbon","template":2},{"relation":"contains","sub_id":"Qsalt",)"
             R"("sub_label":"salt","obj_label":"sodium","template":2}],)"
             R"("prompt":"Predict the [MASK] in each sentence in one word.\n)"
             R"(Q: What does sugar contain? [MASK].\nA: carbon.\n)"
             R"(Q: What does salt contain? [MASK].\nA: sodium.\n)"
             R"(Q: What does water contain? [MASK].\nA:"})");
  const Json& names = all.at("2-template names")[4];
  BOOST_TEST(names.at("prompt").get<std::string>().ends_with("\nA:"));
  BOOST_REQUIRE(names.at("candidates").size() == 3U);
  BOOST_TEST(names.at("candidates")[2].at("text") == " dioxygen");
  const Json& empty = all.at("2-template content_free").back();
  BOOST_TEST(empty.at("shots").size() == 2U);
  BOOST_TEST(empty.at("shots")[1].at("sub_label") == "water");
  BOOST_TEST(empty.at("candidate_count") == 6);
  BOOST_TEST(all.at("zero-shot answers")[0].at("shots").empty());
}

BOOST_AUTO_TEST_CASE(prompts_that_are_not_asked_are_not_listed) {
  AnswerOptions asking = options();
  asking.samples = 0;
  BOOST_TEST(listed(asking, {}).size() == 2U);
  const auto rust = listed(options(), {zero}, {"Qrust"});
  BOOST_TEST(!rust.contains("zero-shot content_free"));
  BOOST_TEST(rust.at("zero-shot answers").size() == 3U);
  BOOST_TEST(rust.at("zero-shot names").size() == 3U);
  for (const auto& [kind, rows] : rust) {
    for (const Json& row : rows) BOOST_TEST(row.at("sub_label") == "rust");
  }
}

BOOST_AUTO_TEST_SUITE_END()
