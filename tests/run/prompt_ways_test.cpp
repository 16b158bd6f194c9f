// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/prompt_ways.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/generate_console.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::row;

BOOST_AUTO_TEST_SUITE(prompt_ways)

BOOST_AUTO_TEST_CASE(what_is_known_covers_all_paraphrases_of_a_relation_or_none) {
  ModelPredictions model;
  for (const char* code : {"P1", "P2", "P3"}) {
    RelationPredictions& made = model.relations.emplace_back();
    made.relation.code = code;
    made.relation.templates = {"[X] one [Y]", "[X] two [Y]", "surely [X] [Y]"};
    for (const std::size_t index : {0U, 1U}) made.add_template(index);
    made.add_template(2, {TemplateKind::verbalized, "surely"});
    made.paraphrases = 2;
  }
  const KnownTemplates known{{"P1", {{"[X] two [Y]", "g"}, {"[X] one [Y]", "g"}}},
                             {"P2", {{"[X] one [Y]", "g"}, {"[X] three [Y]", "g"}}}};
  const KnownTemplates made = known_of(model, known);
  BOOST_TEST(made.size() == 1U);
  BOOST_TEST(made.at("P1").size() == 2U);
  model.relations[0].settings[1].variant = 7;  // there is no text for this template
  BOOST_TEST(known_of(model, known).empty());
}

// The answer for neon is right under one template, and the answer for argon is wrong. A generation
// comes first, wherever it is listed.
BOOST_AUTO_TEST_CASE(each_setting_of_a_generation_and_each_closed_set_is_a_way_of_asking) {
  test::GenerationFolder generated;
  generated.setting("zero-shot", {generated.answer(2, {0, 0, 0}, "noble gas")});
  generated.setting("2-relation", {generated.answer(2, {0, 0, 0}, "metal")});
  generated.remark("Something was left out.");
  test::ResultsFolder chosen;
  chosen.add("family", {"noble gas", "metal"}, {"[X] is a [Y].", "[Y]: [X] is one."},
             Json::object(), {row("Qneon", 0, 1, 0, {-1, -2}), row("Qargon", 1, 1, 0, {-2, -1})});
  const PromptWays ways = read_prompt_ways(
      {{"set", chosen.path()}, {"model.gguf", generated.path()}}, {}, AnswerLemmas());
  std::vector<std::string> names;
  for (const ManyPromptStudy& study : ways.studies) names.push_back(study.answered.name);
  BOOST_TEST((names == std::vector<std::string>{"model zero-shot", "model 2-relation", "set"}));
  BOOST_TEST((ways.remarks == std::vector<std::string>{"model.gguf: Something was left out."}));
}

BOOST_AUTO_TEST_SUITE_END()
