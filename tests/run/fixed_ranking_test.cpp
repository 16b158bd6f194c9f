// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/fixed_ranking.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/decay_embedder.hpp"
#include "support/errors.hpp"
#include "support/small_graph.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::elements;
using test::says;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(fixed_ranking)

namespace {

/// Three entities and two queries from the elements graph.
Json sound() {
  return Json::parse(R"({
    "model": "another", "kept": 1,
    "shots": [["e2", "symbol", "s2"], ["e4", "next", "e5"]],
    "entities": ["s1", "s5", "e7"],
    "queries": [["e1", "symbol", "s1"], ["e6", "next", "e7"]]})");
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

std::vector<float> vector_of(const std::string& text) {
  const EmbeddingMatrix row = DecayEmbedder().embed(std::vector<std::string>{text}, false);
  return {row.data(), row.data() + row.size()};
}

struct FixedFiles {
  FixedRankings read(const Json& json) const {
    return read_fixed_rankings(folder.write("fixed.json", json.dump()), graph);
  }
  void refused(const Json& json, const std::string& words) const {
    BOOST_CHECK_EXCEPTION((void)read(json), Error, says(Fault::user, "fixed.json: " + words));
  }
  FixedRankingResult run(const Json& json) {
    const FixedRanking ranking = read(json).rankings.front();
    const std::string rows = fixed_ranking_rows(ranking, graph, QueryForm::reference, false, model);
    return fixed_ranking_result(ranking, Json::parse(rows), "m.gguf");
  }
  KnowledgeGraph graph = elements();
  NgramTreeModel model = test::reader_of_elements();
  TemporaryFolder folder;
};

Json with(const std::string& pointer, const Json& value) {
  Json json = sound();
  json[Json::json_pointer(pointer)] = value;
  return json;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_ranking_is_read_by_identifiers, FixedFiles) {
  const FixedRankings file = read(sound());
  BOOST_TEST(!file.is_list);
  BOOST_REQUIRE(file.rankings.size() == 1U);
  const FixedRanking& ranking = file.rankings[0];
  BOOST_TEST(ranking.shots.size() == 2U);
  BOOST_TEST(graph.entities[ranking.entities[2]].name == "nitrogen");
  BOOST_TEST(graph.entities[ranking.queries[1].head].name == "carbon");
  BOOST_TEST((ranking.gold == std::vector<std::uint32_t>{0, 2}));
  const FixedRankings list = read(Json::array({sound(), sound()}));
  BOOST_TEST(list.is_list);
  BOOST_TEST(list.rankings.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(cosines_are_those_of_the_written_texts, FixedFiles) {
  const FixedRankingResult result = run(sound());
  const std::string before = "(helium, is written as, He)\n(beryllium, is followed by, boron)\n\n";
  const std::vector<std::string> queries{before + "(hydrogen, is written as, ",
                                         before + "(carbon, is followed by, "};
  const std::vector<std::pair<std::string, std::string>> entities{
      {"H", "symbol"}, {"B", "symbol"}, {"nitrogen", "element"}};
  for (std::size_t q = 0; q < 2; ++q) {
    std::vector<double> expected;
    for (const auto& [name, description] : entities) {
      expected.push_back(
          cosine(vector_of(queries[q]),
                 vector_of(name + " - " + description +
                           "\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n" +
                           "This sentence: \"" + name + "\" means in one word: \"")));
      BOOST_TEST(std::abs(result.ranking["cosine"][q][expected.size() - 1].get<double>() -
                          expected.back()) < 1e-6);
    }
    const std::size_t gold = q == 0 ? 0 : 2;
    // The texts have the same ending, so some cosines are almost indistinguishable in single
    // precision.
    const auto beyond = [&](double least) {
      return static_cast<double>(std::ranges::count_if(
          expected, [&](double other) { return other > expected[gold] + least; }));
    };
    BOOST_TEST(result.ranking["rank"][q].get<double>() >= 1 + beyond(1e-6));
    BOOST_TEST(result.ranking["rank"][q].get<double>() <= beyond(-1e-6));
  }
  BOOST_TEST(result.ranking["model"] == "m.gguf");
  BOOST_TEST(result.ranking["kept"] == 1);
  BOOST_TEST(!result.worst_difference.has_value());
}

BOOST_FIXTURE_TEST_CASE(cosines_of_the_file_are_compared, FixedFiles) {
  Json json = sound();
  json["cosine"] = run(sound()).ranking["cosine"];
  FixedRankingResult result = run(json);
  BOOST_TEST(result.worst_difference.value() == 0.0);
  BOOST_TEST(result.other_ranks == 0U);
  // According to the file's cosines, the true entity is first by a wide margin in one query and
  // last by a wide margin in the other, so the file's rank differs from plumb's unless plumb ranks
  // the entity in the same place.
  json["cosine"] = Json::array({{0.9, 0.1, 0.2}, {0.9, 0.8, 0.1}});
  result = run(json);
  BOOST_TEST(result.worst_difference.value() > 0.01);
  const std::size_t others =
      (result.ranks[0].realistic() == 1 ? 0U : 1U) + (result.ranks[1].realistic() == 3 ? 0U : 1U);
  BOOST_TEST(others > 0U);
  BOOST_TEST(result.other_ranks == others);
  BOOST_TEST(result.nearby == 0U);
  // An entity whose cosine differs from the true entity's by less than 1e-4 may rank above or below
  // it; such entities are counted.
  json["cosine"] = Json::array({{0.5, 0.50005, 0.49995}, {0.5, 0.50005, 0.50009}});
  result = run(json);
  BOOST_TEST(result.other_ranks == 0U);
  BOOST_TEST(result.nearby == 4U);
}

BOOST_FIXTURE_TEST_CASE(ranks_of_a_file_without_cosines_are_compared, FixedFiles) {
  BOOST_TEST(!run(sound()).compared);
  Json json = sound();
  json["rank"] = run(sound()).ranking["rank"];
  FixedRankingResult result = run(json);
  BOOST_TEST(result.compared);
  BOOST_TEST(result.other_ranks == 0U);
  BOOST_TEST(!result.worst_difference.has_value());
  json["rank"][1] = json["rank"][1].get<double>() + 1;
  result = run(json);
  BOOST_TEST(result.other_ranks == 1U);
  // plumb's own ranks are written
  BOOST_TEST((result.ranking["rank"] == run(sound()).ranking["rank"]));
}

BOOST_FIXTURE_TEST_CASE(bad_input_names_its_field, FixedFiles) {
  for (const char* name : {"shots", "entities", "queries"}) {
    Json json = sound();
    json.erase(name);
    refused(json, std::string(name) + ": is not a list");
    json[name] = Json::array();
    refused(json, std::string(name) + ": is not a list");
  }
  refused(with("/shots/1", {"e4", "next"}), "shots[1]: is not a triple");
  refused(with("/shots/1/1", "before"), "shots[1]: \"before\" is not a relation of the graph");
  refused(with("/entities/2", "e99"), "entities[2]: \"e99\" is not an entity of the graph");
  refused(with("/queries/0/0", 7), "queries[0]: 7 is not an entity of the graph");
  refused(with("/queries/0/2", "s9"), "queries[0]: the tail is not among the entities");
  refused(with("/cosine", Json::array({{1, 2, 3}})), "cosine: needs one row per query");
  refused(with("/cosine", Json::array({{1, 2, 3}, {1, 2}})), "cosine: needs one row per query");
  refused(with("/cosine", Json::array({{1, 2, 3}, {1, 2, "x"}})),
          "cosine: needs one row per "
          "query");
  refused(with("/entities/2", "s5"), "entities[2]: \"s5\" is duplicated; list it once");
  refused(with("/rank", Json::array({1})), "rank: needs one number per query; fix or remove it");
  refused(with("/rank", Json::array({1, "2"})),
          "rank: needs one number per query; fix or remove "
          "it");
  refused(7, "shots: is not a list");
  refused(Json::array(), "contains no ranking");
  refused(Json::array({sound(), with("/entities/0", "e99")}), "[1].entities[0]: \"e99\"");
}

BOOST_FIXTURE_TEST_CASE(rows_of_another_ranking_are_refused, FixedFiles) {
  const FixedRanking ranking = read(sound()).rankings.front();
  Json rows = Json::parse(fixed_ranking_rows(ranking, graph, QueryForm::reference, false, model));
  BOOST_CHECK_NO_THROW((void)fixed_ranking_result(ranking, rows, "m"));
  rows["cosine"][0].erase(0);
  BOOST_CHECK_EXCEPTION(
      (void)fixed_ranking_result(ranking, rows, "m"), Error,
      says(Fault::user, "the cosines in the journal do not belong to this ranking"));
}

BOOST_AUTO_TEST_SUITE_END()
