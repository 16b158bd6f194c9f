// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/rank_json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/measured_folders.hpp"
#include "support/near.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::all_methods;
using test::keys;
using test::near;
using test::ranked;
using test::RankFolder;
using test::results;
using test::SmallRanking;

BOOST_AUTO_TEST_SUITE(rank_json)

namespace {

using Words = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_CASE(metrics_have_every_method_with_its_relations, SmallRanking) {
  const RankResults made = results(*this);
  const Json json = to_json(made);
  BOOST_TEST((keys(json) == Words{"methods", "agreement"}));
  BOOST_TEST((keys(json.at("methods")) == all_methods));
  const Json& method = json.at("methods").at("likelihood");
  BOOST_TEST((keys(method) == Words{"raw", "filtered", "candidates", "rank_against_name_tokens",
                                    "histogram", "rank_by_name_tokens", "relations"}));
  BOOST_TEST((keys(method.at("raw")) == Words{"optimistic", "realistic", "pessimistic"}));
  BOOST_TEST((keys(method.at("raw")) == keys(method.at("filtered"))));
  const Json& raw = method.at("raw").at("realistic");
  BOOST_TEST((keys(raw) == Words{"queries", "mean_rank", "mean_reciprocal_rank",
                                 "adjusted_mean_rank_index", "hits_at_1", "hits_at_3", "hits_at_10",
                                 "hits_at_100", "tied", "undecided"}));
  BOOST_TEST(raw.at("queries") == 6);
  BOOST_TEST(raw.at("tied") == 1);
  BOOST_TEST(raw.at("undecided") == 0);
  BOOST_TEST(near(raw.at("mean_rank").at("value"), 23.5 / 6));
  BOOST_TEST(raw.at("mean_rank").at("count") == 6);
  BOOST_TEST(raw.at("mean_rank").at("interval") == "bootstrap");
  BOOST_TEST(near(raw.at("hits_at_3").at("value"), 3.0 / 6));
  BOOST_TEST(raw.at("hits_at_3").at("interval") == "wilson");
  BOOST_TEST(raw.at("hits_at_100").is_null());
  BOOST_TEST(near(method.at("raw").at("pessimistic").at("hits_at_3").at("value"), 0.5));
  BOOST_TEST(
      near(json.at("methods").at("deer").at("filtered").at("realistic").at("mean_rank").at("value"),
           38.0 / 6));
  BOOST_TEST(method.at("candidates") == 20);
  const Json& histogram = method.at("histogram");
  BOOST_REQUIRE(histogram.size() == 4U);
  BOOST_TEST(histogram.at(2).at("from") == 4);
  BOOST_TEST(histogram.at(2).at("to") == 10);
  BOOST_TEST(near(histogram.at(2).at("share").at("value"), 0.5));
  BOOST_TEST((keys(method.at("relations")) == Words{"<symbol>", "next"}));
  BOOST_TEST(near(method.at("relations").at("next").at("mean_rank").at("value"), 1.5));
  const Json& length = method.at("rank_against_name_tokens");
  BOOST_TEST((keys(length) == Words{"queries", "r", "p"}));
  BOOST_TEST(length.at("queries") == 6);
  BOOST_TEST(length.at("r").at("interval") == "fisher");
  BOOST_REQUIRE(json.at("agreement").size() == 2U);
  const Json& agreement = json.at("agreement").at(0);
  BOOST_TEST((keys(agreement) == Words{"methods", "queries", "log_rank", "rank", "relations"}));
  BOOST_TEST((agreement.at("methods") == Json{"deer", "likelihood"}));
  BOOST_TEST(agreement.at("queries") == 6);
  BOOST_TEST(near(agreement.at("rank").at("r").at("value"), made.agreements[0].rank.r.value));
  BOOST_TEST(agreement.at("rank").at("p").is_number());
}

BOOST_AUTO_TEST_CASE(what_does_not_exist_is_null_in_the_metrics) {
  RankFolder folder;
  folder.method("deer", {ranked(1, "next", 0, 1)});
  const Json json = to_json(results(folder, {"deer"}));
  const Json& method = json.at("methods").at("deer");
  BOOST_TEST(method.at("rank_against_name_tokens").at("r").is_null());
  BOOST_TEST(method.at("rank_against_name_tokens").at("p").is_null());
  BOOST_TEST(json.at("agreement").empty());
}

// By name length, the ranks are grouped as {1, 2}, {4}, {5}, {10} and {20}. Nine-token names are
// counted with the eight-token ones.
BOOST_FIXTURE_TEST_CASE(ranks_by_the_length_of_the_name_are_percentiles, SmallRanking) {
  const Json json = to_json(results(*this)).at("methods").at("deer").at("rank_by_name_tokens");
  BOOST_TEST((keys(json) == Words{"1", "2", "3", "5", "8"}));
  BOOST_TEST(json.at("1").at("queries") == 2);
  BOOST_TEST(near(json.at("1").at("percentile_5"), 1.05));
  BOOST_TEST(near(json.at("1").at("percentile_25"), 1.25));
  BOOST_TEST(near(json.at("1").at("percentile_50"), 1.5));
  BOOST_TEST(near(json.at("1").at("percentile_75"), 1.75));
  BOOST_TEST(near(json.at("1").at("percentile_95"), 1.95));
  BOOST_TEST(near(json.at("8").at("percentile_50"), 20));
}

// For the ranks 1, 2, 4 and 1, 1, 2.5, r is 2.5 / √7; for 5, 10, 20 and 4, 5, 10, it is 435 /
// √(1050 · 186).
BOOST_FIXTURE_TEST_CASE(agreement_is_reported_per_relation, SmallRanking) {
  const Json json = to_json(results(*this)).at("agreement");
  const Json& relations = json.at(0).at("relations");
  BOOST_TEST((keys(relations) == Words{"<symbol>", "next"}));
  for (const auto& [relation, tested] : relations.items()) {
    BOOST_TEST((keys(tested) == Words{"queries", "r", "p"}), relation);
    BOOST_TEST(tested.at("queries") == 3, relation);
    BOOST_TEST(tested.at("r").at("count") == 3, relation);
    BOOST_TEST(tested.at("p").is_number(), relation);
  }
  BOOST_TEST(near(relations.at("next").at("r").at("value"), 2.5 / std::sqrt(7.0)));
  BOOST_TEST(near(relations.at("<symbol>").at("r").at("value"), 435 / std::sqrt(1050.0 * 186)));
  BOOST_TEST((keys(json.at(1).at("relations")) == Words{"next"}));
}

BOOST_AUTO_TEST_CASE(a_relation_with_two_queries_has_no_correlation) {
  RankFolder folder;
  folder.method("deer", {ranked(1, "next", 0, 1), ranked(2, "next", 3, 1)});
  folder.method("likelihood", {ranked(1, "next", 0, 1), ranked(2, "next", 4, 1)});
  const Json relations =
      to_json(results(folder, {"deer", "likelihood"})).at("agreement").at(0).at("relations");
  BOOST_TEST((relations.at("next") == Json{{"queries", 2}, {"r", nullptr}, {"p", nullptr}}));
}

// The reciprocal ranks sum to 2.1 and 2.5. The hits at 1 are 1 and 2 of 6; at 3 they are 2 and 2;
// at 10 they are 5 and 4.
BOOST_FIXTURE_TEST_CASE(several_entity_prompts_have_their_differences, SmallRanking) {
  const std::vector<std::size_t> ranks{1, 1, 5, 5, 20, 20};
  std::vector<EntityRank> lines;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    lines.push_back(ranked(i + 1, "next", ranks[i] - 1, 1));
  }
  method("deer-a", lines);
  const Json json = to_json(results(*this, {"deer", "deer-a", "likelihood"}));
  BOOST_TEST(
      (keys(json) == Words{"methods", "agreement", "largest_difference_between_entity_prompts"}));
  const Json& differences = json.at("largest_difference_between_entity_prompts");
  BOOST_TEST((keys(differences) == Words{"Hit@1", "Hit@10", "Hit@3", "MRR"}));
  BOOST_TEST(near(differences.at("MRR"), 0.4 / 6));
  BOOST_TEST(near(differences.at("Hit@1"), 1.0 / 6));
  BOOST_TEST(near(differences.at("Hit@3"), 0));
  BOOST_TEST(near(differences.at("Hit@10"), 1.0 / 6));
  BOOST_TEST(
      (keys(to_json(results(*this, {"deer-a", "likelihood"}))) == Words{"methods", "agreement"}));
}

BOOST_AUTO_TEST_SUITE_END()
