// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "support/small_many_prompts.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(many_prompt_json)

namespace {

const Json& made() {
  static const Json json = to_json(test::small_many_prompts());
  return json;
}

const Json& zero_shot() {
  return made().at("settings").at("zero-shot");
}

double value(const Json& estimate) {
  return estimate.at("value").get<double>();
}

}  // namespace

BOOST_AUTO_TEST_CASE(settings_stand_by_name_in_their_order) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : made().at("settings").items()) names.push_back(name);
  BOOST_TEST((names == std::vector<std::string>{"zero-shot", "4-template", "zero-shot-question"}));
  BOOST_TEST(zero_shot().at("generated") == true);
  BOOST_TEST(zero_shot().at("facts") == 5);
  BOOST_TEST(zero_shot().at("prompts") == 19);
}

BOOST_AUTO_TEST_CASE(estimates_have_their_counts_and_intervals) {
  const ManyPromptResults results = test::small_many_prompts();
  BOOST_TEST(zero_shot().at("coverage").at("average") == to_json(results.ways[0].coverage.average));
  BOOST_TEST(near(value(zero_shot().at("coverage").at("average")), 53.0 / 120));
  BOOST_TEST(zero_shot().at("coverage").at("average").at("count") == 5);
  BOOST_TEST(value(zero_shot().at("coverage").at("maximum")) == 0.8);
  BOOST_TEST(value(zero_shot().at("coverage").at("minimum")) == 0.2);
  BOOST_TEST(value(zero_shot().at("coverage").at("oracle")) == 0.8);
  const Json& points = zero_shot().at("coverage").at("by_prompts");
  BOOST_REQUIRE(points.size() == results.ways[0].curve.size());
  BOOST_TEST(points.front().at("prompts") == 1);
  BOOST_TEST(points.back().at("prompts") == 8);
  BOOST_TEST(points.back().at("facts_with_fewer") == 4);
  BOOST_TEST(value(points.back().at("share")) == 0.8);
}

// Over facts, Σ p (1 − p) is 0.234375 + 0.25 + 2/9; for the variance over relations, see
// prompt_sampling.hpp.
BOOST_AUTO_TEST_CASE(samplings_have_closed_forms_and_histograms) {
  const Json& by_fact = zero_shot().at("samplings").at("by_fact");
  BOOST_TEST(by_fact.at("samplings") == 400);
  BOOST_TEST(near(by_fact.at("closed_form").at("sd").get<double>(),
                  std::sqrt(0.234375 + 0.25 + 2.0 / 9) / 5));
  const Json& by_relation = zero_shot().at("samplings").at("by_relation");
  BOOST_TEST(by_relation.at("pairs_without_prompt") == 1);
  BOOST_TEST(near(by_relation.at("closed_form").at("mean").get<double>(), 53.0 / 120));
  std::size_t drawn = 0;
  for (const Json& bar : by_relation.at("histogram")) {
    drawn += bar.at("samplings").get<std::size_t>();
    BOOST_TEST(bar.at("from").get<double>() < bar.at("to").get<double>());
  }
  BOOST_TEST(drawn == 400U);
  BOOST_TEST(by_relation.at("range").get<double>() ==
                 by_relation.at("highest").get<double>() - by_relation.at("lowest").get<double>(),
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(by_relation.at("percentile_2_5") >= by_relation.at("lowest"));
  BOOST_TEST(by_relation.at("percentile_97_5") <= by_relation.at("highest"));
}

BOOST_AUTO_TEST_CASE(without_a_sampling_the_closed_forms_stand_alone) {
  ManyPromptOptions options = test::small_options();
  options.samplings = 0;
  const Json json = to_json(many_prompt_results({test::small_zero_shot()}, options));
  const Json& by_fact = json.at("settings").at("zero-shot").at("samplings").at("by_fact");
  BOOST_TEST(by_fact.at("samplings") == 0);
  BOOST_TEST(by_fact.contains("closed_form"));
  BOOST_TEST(!by_fact.contains("mean"));
  BOOST_TEST(!by_fact.contains("histogram"));
}

BOOST_AUTO_TEST_CASE(consistency_has_all_kinds_of_pairs_and_what_they_leave_out) {
  const Json& pairs = zero_shot().at("consistency");
  BOOST_TEST(near(value(pairs.at("all").at("share")), (13.0 / 28 + 2.0 / 3 + 2) / 5));
  BOOST_TEST(value(pairs.at("only_subject").at("share")) == 0.75);
  BOOST_TEST(pairs.at("only_subject").at("facts_left_out") == 4);
  BOOST_TEST(pairs.at("inner_group").at("facts_left_out") == 2);
  for (const char* kind : {"inter_group", "only_template"}) BOOST_TEST(pairs.contains(kind));
  // In the capitals relation, each entity has one name, and the relation has its own templates.
  const Json& capital = zero_shot().at("relations").at("P<36>").at("consistency");
  BOOST_TEST(capital.at("only_subject").at("share").is_null());
  BOOST_TEST(value(capital.at("inter_group").at("share")) == 1);
}

BOOST_AUTO_TEST_CASE(extents_and_manual_templates_are_kept) {
  BOOST_TEST(near(value(zero_shot().at("only_subject_varies").at("lowest")),
                  (0.25 + 0.5 + 1.0 / 3 + 1) / 5));
  BOOST_TEST(near(value(zero_shot().at("only_subject_varies").at("highest")),
                  (0.5 + 0.5 + 1.0 / 3 + 1) / 5));
  BOOST_TEST(value(zero_shot().at("only_template_varies").at("highest")) == 0.8);
  const Json& manual = zero_shot().at("manual_templates");
  BOOST_TEST(value(manual.at("mean_rank")) == 1.5);
  BOOST_TEST(manual.at("mean_rank").at("count") == 4);
  BOOST_TEST(manual.at("by_chance") == 2.0);
  BOOST_TEST(manual.at("generated_templates") == 2);
}

BOOST_AUTO_TEST_CASE(confidences_have_their_bins) {
  const Json& over = zero_shot().at("overconfidence");
  BOOST_TEST(near(value(over.at("overconf")), 0.65 - 1.0 / 3));
  BOOST_TEST(over.at("prompts") == 3);
  BOOST_TEST(over.at("samples_of_a_prompt") == 20);
  BOOST_REQUIRE(over.at("bins").size() == 3U);
  BOOST_TEST(over.at("bins")[0].at("mean_confidence") == 0.9);
  BOOST_TEST(value(over.at("bins")[0].at("accuracy")) == 1);
  BOOST_TEST(over.at("bins")[2].at("highest") == 0.25);
  BOOST_TEST(!made().at("settings").at("4-template").contains("overconfidence"));
}

BOOST_AUTO_TEST_CASE(answers_stand_by_their_length) {
  const Json& by_length = zero_shot().at("overconfidence_by_length");
  BOOST_TEST(near(value(by_length.at("tokens").at("1").at("overconf")), 0));
  BOOST_TEST(near(value(by_length.at("tokens").at("2").at("overconf")), 0.25 - 1.0 / 6));
  BOOST_TEST(near(value(by_length.at("tokens").at("4").at("overconf")), 0.0625));
  BOOST_TEST(by_length.at("tokens").at("4").at("prompts") == 3);
  BOOST_TEST(by_length.at("tokens").at("5").at("overconf").is_null());
  BOOST_TEST(by_length.at("longer") == 0);
  BOOST_TEST(by_length.at("empty") == 0);
  BOOST_TEST(by_length.at("share_within") == 1.0);
}

BOOST_AUTO_TEST_CASE(aliases_and_bias_stand_where_they_were_taken) {
  const Json& aliases = zero_shot().at("aliases_above_labels");
  BOOST_TEST(value(aliases.at("subjects").at("by_sum").at("rate")) == 1);
  BOOST_TEST(aliases.at("subjects").at("by_sum").at("pairs") == 1);
  BOOST_TEST(aliases.at("subjects").at("by_sum").at("facts_without_pair") == 1);
  BOOST_TEST(value(aliases.at("objects").at("by_sum").at("rate")) == 0);
  BOOST_TEST(aliases.at("objects").at("by_mean").at("pooled") == 0.5);
  const Json& bias = zero_shot().at("relations").at("P<36>").at("bias");
  BOOST_TEST(bias.at("favoured").at("candidate") == "<Paris>");
  BOOST_TEST(near(bias.at("favoured").at("mean_probability").get<double>(), 0.625));
  BOOST_TEST(near(bias.at("favoured").at("probability").get<double>(), 0.75));
  BOOST_TEST(bias.at("favoured").at("template") == "[Y] is the capital of [X].");
  BOOST_TEST(zero_shot().at("bias").at("single") == bias.at("single"));
  BOOST_TEST(near(bias.at("multi_per_token").get<double>(), 0.09658748054955302));
  BOOST_TEST(
      near(bias.at("favoured_per_token").at("mean_probability").get<double>(), 0.6808885999435546));
  BOOST_TEST(bias.at("templates") == 2);
  BOOST_TEST(bias.at("candidates") == 2);
  BOOST_TEST(near(zero_shot().at("bias").at("single").get<double>(), 0.09436093777043358));
  BOOST_TEST(near(zero_shot().at("bias").at("multi").get<double>(), 0.04556599707503495));
  BOOST_TEST(near(zero_shot().at("bias").at("single_per_token").get<double>(), 0.1269594701181811));
  BOOST_TEST(zero_shot().at("bias").at("multi_per_token") == bias.at("multi_per_token"));
  BOOST_TEST(zero_shot().at("bias").at("relations") == 1);
  BOOST_TEST(zero_shot().at("bias").at("relations_left_out") == 0);
  const Json& few = made().at("settings").at("4-template");
  BOOST_TEST(!few.contains("aliases_above_labels"));
  BOOST_TEST(!few.contains("bias"));
}

BOOST_AUTO_TEST_CASE(words_are_counted_where_answers_were_generated) {
  BOOST_TEST(value(zero_shot().at("one_word").at("mean_over_facts")) == 1);
  BOOST_TEST(zero_shot().at("one_word").at("share_of_prompts") == 1.0);
  BOOST_TEST(zero_shot().at("one_word").at("answers_of_one_word") == 19);
  ManyPromptResults results = test::small_many_prompts();
  results.ways[0].one_word_answers = 4;  // of 19
  const Json some = to_json(results).at("settings").at("zero-shot").at("one_word");
  BOOST_TEST(near(some.at("share_of_prompts").get<double>(), 4.0 / 19));
  BOOST_TEST(zero_shot().at("answers_without_word") == 1);
  BOOST_TEST(zero_shot().at("answers_empty") == 0);
  BOOST_TEST(zero_shot().at("answers_cut") == 3);
  BOOST_TEST(made().at("settings").at("4-template").at("answers_cut").is_null());
  BOOST_TEST(zero_shot().at("answers_of_several_objects") == 2);
  const Json closed = to_json(test::one_closed_set());
  const Json& one = closed.at("settings").at("model <m> & \"q\"");
  BOOST_TEST(one.at("generated") == false);
  for (const char* name : {"one_word", "overconfidence_by_length", "bias", "answers_cut"}) {
    BOOST_TEST(!one.contains(name));
  }
  BOOST_TEST(one.at("overconfidence").at("samples_of_a_prompt") == 0);
  BOOST_TEST(closed.at("sharing").empty());
  BOOST_TEST(closed.at("forms").empty());
}

BOOST_AUTO_TEST_CASE(relations_have_their_best_and_worst_template) {
  const Json& born = zero_shot().at("relations").at("P19");
  BOOST_TEST(born.at("facts") == 3);
  BOOST_TEST(born.at("prompts") == 15);
  BOOST_TEST(born.at("best_template").at("text") == "Where was [X] born? [Y].");
  BOOST_TEST(value(born.at("best_template").at("accuracy")) == 1);
  BOOST_TEST(born.at("worst_template").at("text") == "[X], a <b>child</b> of [Y].");
  BOOST_TEST(value(born.at("worst_template").at("with_best_expression")) == 0);
  BOOST_TEST(!born.contains("bias"));
}

// Under each template, 4-template knows everything that zero-shot knows; in the other direction,
// the fractions are 2/3, 0, 1, 0, 1/2 and 1.
BOOST_AUTO_TEST_CASE(sharing_is_a_list_of_ordered_pairs) {
  const Json& pairs = made().at("sharing");
  BOOST_REQUIRE(pairs.size() == 6U);
  BOOST_TEST(pairs[0].at("left") == "zero-shot");
  BOOST_TEST(pairs[0].at("top") == "4-template");
  BOOST_TEST(value(pairs[0].at("by_template").at("rate")) == 1);
  BOOST_TEST(pairs[0].at("by_template").at("cells") == 4);
  BOOST_TEST(pairs[0].at("by_template").at("cells_without_knowledge") == 2);
  BOOST_TEST(pairs[2].at("left") == "4-template");
  BOOST_TEST(near(value(pairs[2].at("by_template").at("rate")), (2.0 / 3 + 1 + 0.5 + 1) / 6));
  BOOST_TEST(value(pairs[2].at("oracle").at("rate")) == 0.8);
  BOOST_TEST(pairs[1].at("oracle").at("not_shared").at("relations") == 1);
  BOOST_TEST(pairs[1].at("by_template").at("not_shared").at("templates") == 2);
}

BOOST_AUTO_TEST_CASE(forms_and_styles_are_paired) {
  const Json& form = made().at("forms").at(0);
  BOOST_TEST(form.at("mask") == "zero-shot");
  BOOST_TEST(near(value(form.at("accuracy").at("mask")), 2.0 / 3));
  BOOST_TEST(near(value(form.at("accuracy").at("question")), 1.75 / 3));
  BOOST_TEST(near(value(form.at("accuracy").at("difference")), 0.25 / 3));
  BOOST_TEST(form.at("not_shared").at("templates") == 2);
  const Json& styles = zero_shot().at("styles");
  BOOST_TEST(near(value(styles.at("cloze")), 0.25));
  BOOST_TEST(near(value(styles.at("question")), 2.0 / 3));
  BOOST_TEST(styles.at("facts_of_one_style") == 2);
}

BOOST_AUTO_TEST_CASE(prompts_are_described) {
  const Json& prompts = made().at("prompts");
  BOOST_TEST(prompts.at("facts") == 5);
  BOOST_TEST(prompts.at("prompts") == 19);
  BOOST_TEST(near(prompts.at("prompts_per_fact").get<double>(), 3.8));
  BOOST_TEST(near(prompts.at("names_per_subject").get<double>(), 1.2));
  BOOST_TEST(prompts.at("templates") == 6);
  BOOST_TEST(prompts.at("relations_with_distance") == 2);
}

BOOST_AUTO_TEST_CASE(numbers_that_do_not_exist_are_null) {
  const Json json = to_json(test::nothing_asked());
  const Json& one = json.at("settings").at("nothing");
  BOOST_TEST(one.at("coverage").at("average").is_null());
  BOOST_TEST(one.at("coverage").at("by_prompts").empty());
  BOOST_TEST(one.at("manual_templates").at("by_chance").is_null());
  BOOST_TEST(!one.at("samplings").at("by_fact").contains("closed_form"));
  BOOST_TEST(one.at("relations").empty());
  BOOST_TEST(json.at("prompts").at("lexical_distance").is_null());
}

BOOST_AUTO_TEST_SUITE_END()
