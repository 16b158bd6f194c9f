// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_prompts.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/small_many_shot.hpp"

using namespace plumb::detail;
using test::births;

namespace {

using Listed = std::map<std::string, std::vector<Json>>;

Listed listed(const Relation& relation, const ManyShotOptions& options, bool generated,
              const std::vector<InjectionDesign>& designs = {}, const WantedFact& wanted = {}) {
  std::vector<ManyShotRelation> relations;
  const ObjectAliases aliases;
  relations.emplace_back(relation, aliases, options);
  Listed all;
  for_each_many_shot_prompt(
      relations, designs, ManyShot{}, generated, true, wanted,
      [&](const std::string& kind, auto make) { all[kind].push_back(to_json(make())); });
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(many_shot_prompts_suite)

BOOST_AUTO_TEST_CASE(rows_of_choices_and_texts_have_their_prompts) {
  const Relation relation = births(30, 8);
  const ManyShotOptions options = test::several();
  const Listed all = listed(relation, options, true);
  BOOST_TEST(all.at("ic").size() == 2U * 2 * 2 * 6);
  BOOST_TEST(all.at("hgp").size() == 6U);
  BOOST_TEST(all.at("mmp").size() == 6U);
  BOOST_TEST(all.at("ic generated").size() == 2U * 2 * 6);  // only for the highest shot count
  const auto order = shot_order(relation, train_test_split(relation, 12, 0), 1);
  // This row has separator " ", seed 1 and four shots. It comes after the twelve rows of seed 0 and
  // the six one-shot rows of seed 1.
  const Json& row = all.at("ic")[18];
  const std::string subject = row.at("sub_label");
  const std::string pairs = test::pairs_text(relation, std::span(order).first(4));
  BOOST_TEST((row.at("shots") == Json(std::vector(order.begin(), order.begin() + 4))));
  BOOST_TEST(row.at("variant") == 1);
  BOOST_TEST(row.at("separator") == " ");
  // All years start with the same byte, but this byte belongs to the answer.
  BOOST_TEST(row.at("prompt") == pairs + " " + subject);
  BOOST_TEST(row.at("candidate_count") == 5);
  const Json& generated = all.at("ic generated")[6];
  BOOST_TEST(generated.at("prompt") == pairs + " " + subject);
  BOOST_TEST(!generated.contains("candidates"));
  BOOST_TEST(all.at("hgp")[0].at("prompt") == subject + " was born in");
  BOOST_TEST(all.at("hgp generated")[0].at("prompt") == subject + " was born in");
  BOOST_TEST(all.at("hgp")[0].at("shots").empty());
}

BOOST_AUTO_TEST_CASE(rows_of_eic_have_the_sequences_that_end_in_their_choices) {
  const Relation relation = births(125, 10);
  const ManyShotOptions options = test::eic();
  const Listed all = listed(relation, options, false);
  BOOST_TEST(all.size() == 2U);
  BOOST_REQUIRE(all.at("eic").size() == 12U);
  BOOST_REQUIRE(all.at("eic-isolated").size() == 12U);
  const Json& second = all.at("eic")[1];
  BOOST_TEST(second.at("shots").size() == 55U);
  BOOST_TEST((second.at("asked_before") == Json::array({all.at("eic")[0].at("instance_index")})));
  BOOST_TEST(second.at("tokenized") == "by parts");
  // the first question of the second sequence
  BOOST_TEST(all.at("eic")[10].at("asked_before").empty());
  BOOST_TEST(!all.at("eic-isolated")[1].contains("asked_before"));
  const auto order = shot_order(relation, train_test_split(relation, 100, 0), 0);
  BOOST_TEST(all.at("eic-isolated")[1].at("prompt") ==
             test::pairs_text(relation, std::span(order).first(55), " ", ",") + "," +
                 second.at("sub_label").get<std::string>() + " ");
}

BOOST_AUTO_TEST_CASE(a_panels_pairs_stand_each_behind_all_before_it) {
  const Relation relation = births(30, 8);
  const InjectionDesign design = injection_design(relation, {.pairs = 10, .injected = 2});
  ManyShotOptions options = test::several();
  options.shots = {};
  options.baselines = {};
  const Listed all = listed(relation, options, false, {design});
  BOOST_REQUIRE(all.size() == 5U);
  const Json& correct = all.at("injection, correct").at(0);
  const auto text = [](const Json& row, std::size_t pair) {
    return row.at("prompt").get<std::string>() +
           row.at("candidates").at(pair).at("text").get<std::string>();
  };
  BOOST_TEST(correct.at("candidates").size() == 10U);
  for (std::size_t pair = 0; pair < 10; ++pair) {
    BOOST_TEST(text(correct, pair) ==
               test::pairs_text(relation, std::span(design.facts).first(pair + 1)));
    BOOST_TEST(correct.at("candidates").at(pair).at("answer").size() == 1U);
  }
  // in births(), a fact's index equals its instance
  BOOST_TEST((correct.at("instances") == Json(design.facts)));
  BOOST_TEST(text(all.at("injection, unknown, block").at(0), 9) != text(correct, 9));
  BOOST_TEST(listed(relation, options, false, {design}, {"p3"}).empty());
}

BOOST_AUTO_TEST_CASE(prompts_can_be_limited_to_one_fact) {
  const Relation relation = births(30, 8);
  const std::size_t fact = train_test_split(relation, 12, 0).test[2];
  const Listed all =
      listed(relation, test::several(), false, {}, {"birth:" + std::to_string(fact)});
  BOOST_TEST(all.at("ic").size() == 2U * 2 * 2);
  for (const Json& row : all.at("ic")) BOOST_TEST(row.at("instance_index") == fact);
}

BOOST_AUTO_TEST_SUITE_END()
