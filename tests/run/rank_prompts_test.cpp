// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/rank_prompts.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::elements;

BOOST_AUTO_TEST_SUITE(rank_prompts_suite)

namespace {

using Listed = std::map<std::string, std::vector<Json>>;

using enum RankMethod;

Listed listed(const RankOptions& options, std::vector<RankMethod> methods,
              const WantedFact& wanted = {}, const std::string& entities = "") {
  const KnowledgeGraph graph = elements();
  const NgramTreeModel model = test::reader_of_elements<NgramTreeModel>();
  RankSettings settings{.methods = std::move(methods), .ranking = options, .entities = entities};
  const RankParts parts = rank_parts(graph, options, settings.ranks_by(lm_head), model);
  Listed all;
  for_each_rank_prompt(parts, settings, false, wanted, [&](const std::string& kind, auto make) {
    all[kind].push_back(to_json(make()));
  });
  return all;
}

RankOptions two_shots() {
  RankOptions options;
  options.shots = 2;
  options.limit = 5;
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(queries_and_entities_that_are_embedded) {
  RankOptions options = two_shots();
  options.entity_prompts = {EntityPrompt::eol, EntityPrompt::b};
  options.heads = true;
  const Listed all = listed(options, {deer});
  BOOST_REQUIRE(all.size() == 4U);
  const KnowledgeGraph graph = elements();
  const std::vector<Triple> shots = drawn_shots(graph, 2, 0);
  const Json& tail = all.at("deer queries, tails").at(0);
  BOOST_TEST(all.at("deer queries, tails").size() == 5U);
  BOOST_TEST(all.at("deer queries, heads").size() == 5U);
  const auto name = [&](std::uint32_t e) { return graph.entities[e].name; };
  std::string text;
  for (const Triple& shot : shots) {
    text += "(" + name(shot.head) + ", " + graph.relations[shot.relation].name + ", " +
            name(shot.tail) + ")\n";
  }
  const Triple& asked = graph.test[0];
  const std::string relation = graph.relations[asked.relation].name;
  BOOST_TEST(tail.at("prompt") == text + "\n(" + name(asked.head) + ", " + relation + ", ");
  BOOST_TEST(tail.at("asks") == "tail");
  BOOST_TEST(tail.at("triple")[2] == graph.entities[asked.tail].id);
  BOOST_TEST(tail.at("shots")[1][0] == graph.entities[shots[1].head].id);
  const std::string head = all.at("deer queries, heads").at(0).at("prompt");
  BOOST_TEST(head.ends_with("\n(" + name(asked.tail) + ", inverse of " + relation + ", "));
  BOOST_TEST(all.at("deer entities").size() == graph.entities.size());
  BOOST_TEST(all.at("deer entities")[3].at("prompt") ==
             entity_text(EntityPrompt::eol, graph.entities[3]));
  BOOST_TEST(all.at("deer-b entities")[3].at("prompt") ==
             entity_text(EntityPrompt::b, graph.entities[3]));
  // Vectors loaded from a file have no prompts in this run.
  BOOST_TEST(listed(options, {deer}, {}, "given.npy").size() == 2U);
}

BOOST_AUTO_TEST_CASE(candidates_are_listed_once) {
  const Listed all = listed(two_shots(), {likelihood, lm_head});
  BOOST_REQUIRE(all.size() == 4U);
  const KnowledgeGraph graph = elements();
  BOOST_TEST(all.at("likelihood, tails").size() == 5U);
  BOOST_TEST(all.at("likelihood, tails")[0].at("prompt").get<std::string>().back() == ',');
  const Json& names = all.at("likelihood candidates").at(0);
  BOOST_TEST(names.at("candidate_count") == graph.entities.size());
  BOOST_TEST(names.at("candidates")[3].at("entity") == graph.entities[3].id);
  BOOST_TEST(names.at("candidates")[3].at("text") == " " + graph.entities[3].name + ")");
  // A prompt in the reference form ends with the space that begins each candidate in the paper's
  // form.
  const Json& letters = all.at("lm-head candidates").at(0);
  for (const Json& one : letters.at("candidates")) {
    BOOST_TEST(one.at("text").get<std::string>().size() == 1U);
  }
  RankOptions paper = two_shots();
  paper.form = QueryForm::paper;
  paper.candidates = CandidateSet::of_relation;
  const Listed by_relation = listed(paper, {likelihood});
  const auto& lists = by_relation.at("likelihood candidates");
  BOOST_TEST(lists.at(0).at("relation") == graph.relations[graph.test[0].relation].id);
  BOOST_TEST(lists.at(0).at("candidate_count") < graph.entities.size());
}

BOOST_AUTO_TEST_CASE(prompts_can_be_limited_to_one_entity) {
  const KnowledgeGraph graph = elements();
  const Entity& asked = graph.entities[graph.test[0].head];
  for (const std::string& named : {asked.id, asked.name}) {
    const Listed all = listed(two_shots(), {deer, likelihood}, {named});
    BOOST_TEST(!all.contains("likelihood candidates"));
    BOOST_TEST(all.at("deer entities").size() == 1U);
    for (const Json& row : all.at("likelihood, tails")) {
      BOOST_TEST(row.at("triple")[0] == asked.id);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
