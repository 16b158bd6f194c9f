// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/rank_job.hpp"

// Runs a ranking from C++, without the command. cli/rank_test.cpp tests the command.

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "support/errors.hpp"
#include "support/small_graph.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::contents;
using test::elements;
using test::reader_of_elements;
using test::says;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(rank_job)

namespace {

RankSettings few_shots() {
  RankSettings settings;
  settings.methods = {RankMethod::deer, RankMethod::likelihood};
  settings.ranking.shots = 2;
  settings.ranking.limit = 9;
  return settings;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_ranking_leaves_ranks_metrics_and_a_page) {
  const TemporaryFolder folder;
  const KnowledgeGraph graph = elements();
  auto model = reader_of_elements<NgramTreeModel>();
  model.limits = {8192, 256, 256};
  RankJob job(model, graph, few_shots(), {.model = "reader"});
  const auto finished = run_job(job, {folder / "run"});
  for (const char* name : {"deer_ranks.jsonl", "likelihood_ranks.jsonl", "metadata_rank.json",
                           "metrics.json", "report.html", "example_prompts.jsonl", "queries.npy"}) {
    BOOST_TEST(std::filesystem::exists(folder / "run" / name), name);
  }
  BOOST_TEST(finished.report.table().find("likelihood") != std::string::npos);
  const Json run = read_json_object(folder / "run/run.json");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST(run.at("searches").at("likelihood").at("queries") == 9);
  BOOST_TEST(job.search_cost().at("likelihood").queries == 9U);
  // A repeated run sends no requests to the model and writes the same files.
  const auto before = contents(folder / "run", ".jsonl");
  const std::size_t fed = model.tokens_fed;
  RankJob again(model, graph, few_shots(), {.model = "reader"});
  (void)run_job(again, {folder / "run", true});
  BOOST_TEST(model.tokens_fed == fed);
  BOOST_TEST((contents(folder / "run", ".jsonl") == before));
}

BOOST_AUTO_TEST_CASE(a_model_without_vectors_cannot_be_ranked_by_deer) {
  const KnowledgeGraph graph = elements();
  auto model = reader_of_elements<NgramModel>();
  BOOST_CHECK_EXCEPTION((RankJob(model, graph, few_shots())), Error,
                        says(Fault::user, "DEER needs hidden vectors, which this backend lacks"));
}

BOOST_AUTO_TEST_CASE(a_graph_with_one_entity_is_no_ranking) {
  KnowledgeGraph graph = elements();
  graph.entities.resize(1);
  graph.train = graph.valid = graph.test = {{0, 0, 0, 1}};
  auto model = reader_of_elements<NgramTreeModel>();
  BOOST_CHECK_EXCEPTION((RankJob(model, graph, few_shots())), Error,
                        says(Fault::user, "elements: the graph has only one entity"));
}

namespace {

/// A model whose tokenizer adds these tokens around a text.
struct Framed : NgramTreeModel {
  using NgramTreeModel::NgramTreeModel;
  [[nodiscard]] TextFrame own_frame() const { return frame; }
  TextFrame frame{};
};

}  // namespace

BOOST_AUTO_TEST_CASE(tokens_added_by_the_tokenizer_are_recorded_and_reported) {
  const KnowledgeGraph graph = elements();
  auto model = reader_of_elements<Framed>();
  const TokenId bos = model.bos().value();
  const auto made = [&](TextFrame frame, const std::optional<Bos>& said = std::nullopt) {
    model.frame = std::move(frame);
    RankSettings settings = few_shots();
    settings.bos = said;
    return RankJob(model, graph, settings);
  };
  {
    const auto job = made({{bos}, {'.'}});
    BOOST_TEST(job.settings().at("bos") == "yes");
    BOOST_TEST(job.facts().at("bos_by") == "tokenizer");
    BOOST_TEST(job.facts().at("frame").dump() ==
               Json({{"before", {bos}}, {"after", {'.' + 0}}}).dump());
  }
  BOOST_TEST(made({{'#'}, {}}).settings().at("bos") == "#");  // a token other than BOS
  BOOST_TEST(!made({{bos}, {}}).facts().contains("frame"));
  BOOST_TEST(made({}).settings().at("bos") == "no");
  BOOST_TEST(!made({{bos}, {'.'}}, Bos(true)).facts().contains("frame"));
  model.frame = {{bos}, {'.'}};
  const auto ranking = BosOfRanking::of(model, std::nullopt);
  BOOST_TEST(ranking.remark(model, true)
                 .value()
                 .ends_with(" and ends with .; the last token's vector is used. Likelihood and LM "
                            "head add no token after a query."));
}

BOOST_AUTO_TEST_CASE(test_triples_in_the_training_part_are_reported) {
  const TemporaryFolder folder;
  KnowledgeGraph graph = elements();
  graph.train.push_back(graph.test[1]);
  auto model = reader_of_elements<NgramTreeModel>();
  model.limits = {8192, 256, 256};
  RankJob job(model, graph, few_shots(), {.model = "reader"});
  const auto finished = run_job(job, {folder / "run"});
  const std::string words = "Warning: 1 of " + std::to_string(graph.test.size()) +
                            " test triples are also in the training part";
  const auto notes = finished.report.notes();
  BOOST_TEST(
      std::ranges::any_of(notes, [&](const std::string& note) { return note.starts_with(words); }));
}

BOOST_AUTO_TEST_SUITE_END()
