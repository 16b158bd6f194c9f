// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/rank_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(rank_settings)

namespace {

Provenance hashing() {
  return {.model = "m", .hash_files = [](const auto& files) {
            return files.empty() ? Json() : Json(files.back().filename().string());
          }};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_record_is_what_decides_the_ranks) {
  const KnowledgeGraph graph = test::elements();
  RankSettings settings;
  settings.data = "elsewhere";
  const Json plain = rank_record(settings, false, graph, {});
  BOOST_TEST(plain.at("command") == "rank");
  BOOST_TEST(plain.at("dataset") == graph.name);
  BOOST_TEST((plain.at("methods") == Json{"deer"}));
  BOOST_TEST(plain.at("split") == "test");
  BOOST_TEST(plain.at("candidates") == "all");
  BOOST_TEST(plain.at("relations").is_null());
  BOOST_TEST(plain.at("shots") == 8);
  BOOST_TEST(plain.at("query_form") == "reference");
  BOOST_TEST((plain.at("entity_prompts") == Json{"eol"}));
  BOOST_TEST(plain.at("entities_sha256").is_null());
  BOOST_TEST(plain.at("head_queries") == false);
  BOOST_TEST(plain.at("hits") == 0);
  BOOST_TEST(plain.at("reduction") == "sum");
  BOOST_TEST(plain.at("bos") == "no");
  for (const char* none : {"data", "fixed", "method", "entity_prompt"}) {
    BOOST_TEST(!plain.contains(none), none);
  }
  settings.methods = {RankMethod::lm_head, RankMethod::deer};
  settings.ranking.relations = {"next", "symbol"};
  settings.ranking.heads = true;
  settings.hits = {10};
  settings.bos = true;
  settings.entities = "dir/v.npy";
  const Json other = rank_record(settings, Bos::of("<s>"), graph, hashing());
  BOOST_TEST((other.at("methods") == Json{"deer", "lm-head"}));   // in a fixed order
  BOOST_TEST((other.at("relations") == Json{"symbol", "next"}));  // in the graph's
  BOOST_TEST(other.at("head_queries") == true);
  BOOST_TEST(other.at("hits") == 10);
  BOOST_TEST(other.at("bos") == "<s>");
  BOOST_TEST(other.at("entities_sha256") == "v.txt");  // with the identifiers next to them
}

BOOST_AUTO_TEST_CASE(the_largest_of_the_levels_ends_a_search) {
  HitLevels hits;
  hits.read("3,100,1", "hits");
  BOOST_TEST(hits.most == 100U);
  RankSettings settings;
  settings.hits = hits;
  BOOST_TEST(settings.options().search.hits == 100U);
  BOOST_CHECK_EXCEPTION(hits.read("5", "hits"), Error,
                        says(Fault::user, "`hits`: '5' is not a supported k for Hit@k"));
}

BOOST_AUTO_TEST_CASE(heads_are_not_asked_for_among_a_relations_tails) {
  RankSettings settings;
  settings.ranking.candidates = CandidateSet::of_relation;
  BOOST_CHECK_NO_THROW(settings.check());
  settings.ranking.heads = true;
  BOOST_CHECK_EXCEPTION(settings.check(), Error, says(Fault::user, "asks for heads"));
}

BOOST_AUTO_TEST_SUITE_END()
