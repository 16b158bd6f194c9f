// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/rank.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/decay_embedder.hpp"
#include "support/markup.hpp"
#include "support/plain_embedder.hpp"
#include "support/rank_console.hpp"

using namespace plumb::detail;
using test::between;
using test::ConsoleRun;
using test::in_order;
using test::names_in;
using test::RankFiles;
using test::reader_of_elements;
using test::run_words;
using test::slurp;

BOOST_AUTO_TEST_SUITE(rank_replay)

namespace {

using Words = std::vector<std::string>;
using Names = std::set<std::string>;

/// Runs `plumb rank --fixed` with a file from the folder.
struct Replay : RankFiles {
  template <class Make>
  [[nodiscard]] ConsoleRun replay_over(const Make& make_model, const std::string& file,
                                       const std::string& run, const Words& more = {}) const {
    Words words{"rank",  "--data", at("elements"), "--model", at("model.gguf"),
                "--out", at(run),  "--fixed",      at(file)};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words, make_model);
  }
  [[nodiscard]] ConsoleRun replay(const std::string& file, const std::string& run,
                                  const Words& more = {}) const {
    return replay_over([](const ModelOptions&) { return reader_of_elements(); }, file, run, more);
  }
};

/// Two queries among three entities.
Json small() {
  return {{"shots", {{"e8", "symbol", "s8"}}},
          {"entities", {"e2", "s10", "p2"}},
          {"queries", {{"e10", "in", "p2"}, {"e10", "symbol", "s10"}}}};
}

}  // namespace

// Oracle: cosines of the texts' vectors, in double precision.
BOOST_FIXTURE_TEST_CASE(fixed_rankings_are_replayed_in_their_own_shape, Replay) {
  const Json fixed{{"shots", {{"e8", "symbol", "s8"}}},
                   {"entities", {"e2", "s10", "p2"}},
                   {"queries", {{"e10", "in", "p2"}, {"e10", "symbol", "s10"}}}};
  folder.write("f.json", fixed.dump());
  const ConsoleRun run = replay("f.json", "run");
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.out.ends_with("\nranks: " + at("run/fixed.json") + "\n"), run);
  BOOST_TEST((names_in(folder / "run") == Names{"fixed.json", "journal.jsonl", "run.json"}));
  const Json made = json("run/fixed.json");
  BOOST_TEST(made.at("shots") == fixed.at("shots"));
  const Words entities{
      "helium - element\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n"
      "This sentence: \"helium\" means in one word: \"",
      "Ne - symbol\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n"
      "This sentence: \"Ne\" means in one word: \"",
      "period 2 - row of the table\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n"
      "This sentence: \"period 2\" means in one word: \""};
  const Words queries{"(oxygen, is written as, O)\n\n(neon, stands in, ",
                      "(oxygen, is written as, O)\n\n(neon, is written as, "};
  const auto e =
      DecayEmbedder().embed(entities, false).cast<double>().rowwise().normalized().eval();
  const auto q = DecayEmbedder().embed(queries, false).cast<double>().rowwise().normalized().eval();
  for (const auto& [row, gold] : {std::pair{0, 2}, {1, 1}}) {
    std::size_t above = 0;
    for (int column = 0; column < 3; ++column) {
      const double cosine = q.row(row).dot(e.row(column));
      const double found =
          made.at("cosine").at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column));
      BOOST_TEST(std::abs(found - cosine) < 1e-12);
      above += cosine > q.row(row).dot(e.row(gold)) ? 1U : 0U;
    }
    BOOST_TEST(made.at("rank").at(static_cast<std::size_t>(row)) ==
               1.0 + static_cast<double>(above));
  }
  // The run's own cosines are reproduced.
  const ConsoleRun again = replay("run/fixed.json", "again");
  BOOST_TEST(again.says("0.0000000"), again);
  BOOST_TEST(slurp(folder / "again/fixed.json") == slurp(folder / "run/fixed.json"));
  BOOST_TEST(replay("f.json", "run").refused("is not empty"));
  BOOST_TEST(replay("f.json", "run", {"--resume"}).code == 0);
  BOOST_TEST(replay("f.json", "run", {"--resume", "--query-form", "paper"})
                 .refused("query_form: the run was started with"));
  BOOST_TEST(run_words({"report", at("run")})
                 .refused("is from plumb rank --fixed, which stores no scores"));
}

BOOST_FIXTURE_TEST_CASE(a_list_comes_back_as_a_list_with_a_row_for_each, Replay) {
  Json other = small();
  other["entities"] = {"s10", "p2"};
  other["kept"] = "as it was";
  folder.write("f.json", Json::array({small(), other}).dump());
  const ConsoleRun run = replay("f.json", "run");
  BOOST_TEST(run.code == 0, run);
  const Json made = json("run/fixed.json");
  BOOST_REQUIRE(made.is_array());
  BOOST_REQUIRE(made.size() == 2U);
  BOOST_TEST(made.at(1).at("kept") == "as it was");
  BOOST_TEST(made.at(0).at("cosine").at(0).size() == 3U);
  BOOST_TEST(made.at(1).at("cosine").at(0).size() == 2U);
  BOOST_TEST(made.at(0).at("cosine").at(0).at(2) == made.at(1).at("cosine").at(0).at(1));
  // The columns are ranking, queries, entities and MRR; the file had no cosines to compare with.
  BOOST_TEST(in_order(run.out, {"ranking", "queries", "entities", "MRR", "largest difference",
                                "different ranks", "within 1e-4"}));
  for (const auto& [row, entities] : {std::pair{"0", "3"}, {"1", "2"}}) {
    double reciprocal = 0;
    for (const Json& rank : made.at(std::stoul(row)).at("rank")) {
      reciprocal += 0.5 / rank.get<double>();
    }
    const std::string cells = between(run.out, std::string("\n") + row + " ", "\n");
    BOOST_TEST(in_order(cells, {" 2 ", entities, with_decimals(reciprocal, 3), "–", "–", "–"}),
               run);
  }
  // A list with a single ranking is still a list.
  folder.write("one.json", Json::array({small()}).dump());
  BOOST_TEST(replay("one.json", "one").code == 0);
  BOOST_TEST(json("one/fixed.json").is_array());
}

// The altered cosine moves the true entity of the first query to last place if it was first, and to
// first place otherwise, so its rank is always wrong.
BOOST_FIXTURE_TEST_CASE(cosines_of_the_file_are_compared_and_not_used, Replay) {
  folder.write("f.json", small().dump());
  BOOST_TEST(replay("f.json", "run").code == 0);
  const Json sound = json("run/fixed.json");
  Json other = sound;
  Json& row = other["cosine"][0];
  const double low = std::min(row[0].get<double>(), row[1].get<double>());
  const double high = std::max(row[0].get<double>(), row[1].get<double>());
  const double known = row[2];
  row[2] = known > high ? low - 0.125 : high + 0.125;
  folder.write("other.json", other.dump());
  const ConsoleRun run = replay("other.json", "again");
  BOOST_TEST(run.code == 0, run);
  // For the second query, the first two entities have the same cosine up to rounding.
  BOOST_TEST(std::abs(other["cosine"][1][0].get<double>() - other["cosine"][1][1].get<double>()) <
             1e-5);
  const std::string difference = with_decimals(std::abs(row[2].get<double>() - known), 7);
  BOOST_TEST(in_order(between(run.out, "\n0 ", "\n"), {" 2 ", " 3 ", difference, " 1 ", " 2"}),
             run);
  BOOST_TEST((json("again/fixed.json") == sound));
}

BOOST_FIXTURE_TEST_CASE(replay_records_its_settings, Replay) {
  folder.write("f.json", small().dump());
  BOOST_TEST(replay("f.json", "run", {"--bos", "yes", "--query-form", "paper"}).code == 0);
  const Json run = json("run/run.json");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST(run.at("command_line").at(1) == "rank");
  const Json& settings = run.at("settings");
  BOOST_TEST(settings.at("command") == "rank --fixed");
  BOOST_TEST(settings.at("dataset") == "f.json");
  BOOST_TEST(settings.at("bos") == "yes");
  BOOST_TEST(settings.at("query_form") == "paper");
  BOOST_TEST(replay("f.json", "reference", {"--bos", "yes"}).code == 0);
  const std::string cosines = slurp(folder / "run/fixed.json");
  BOOST_TEST(slurp(folder / "reference/fixed.json") != cosines);
  BOOST_TEST(json("reference/run.json").at("settings").at("query_form") == "reference");
  // The hashes cover the graph and the file.
  const Words again{"--bos", "yes", "--query-form", "paper", "--resume"};
  Json other = small();
  other["entities"] = {"s10", "p2"};
  folder.write("f.json", other.dump());
  BOOST_TEST(replay("f.json", "run", again).refused("dataset_sha256: the run was started with"));
  folder.write("f.json", small().dump());
  BOOST_TEST(replay("f.json", "run", again).code == 0);
  BOOST_TEST(slurp(folder / "run/fixed.json") == cosines);
}

BOOST_FIXTURE_TEST_CASE(a_file_that_cannot_be_replayed_leaves_nothing, Replay) {
  BOOST_TEST(replay("none.json", "run").refused("none.json: cannot be read"));
  folder.write("f.json", "[]");
  BOOST_TEST(replay("f.json", "run").refused("f.json: contains no ranking; add one"));
  Json other = small();
  other["entities"][0] = "gold";
  folder.write("f.json", other.dump());
  BOOST_TEST(replay("f.json", "run").refused("f.json: entities[0]: \"gold\" is not an entity of"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

// The paper's vectors are computed without BOS.
BOOST_FIXTURE_TEST_CASE(bos_is_added_before_embedding_only_if_requested, Replay) {
  folder.write("f.json", small().dump());
  const auto make_model = [](const ModelOptions&) {
    test::HookedModel model(reader_of_elements());
    model.without_bos = true;
    return model;
  };
  BOOST_TEST(replay_over(make_model, "f.json", "run").code == 0);
  BOOST_TEST(json("run/run.json").at("settings").at("bos") == "no");
  const ConsoleRun run = replay_over(make_model, "f.json", "bos", {"--bos", "yes"});
  BOOST_TEST(run.code == 2, run);
  BOOST_TEST(run.err ==
                 "plumb: --bos: the model has no BOS token; set --bos to no, or choose a token to "
                 "use instead\n",
             run);
  BOOST_TEST(!std::filesystem::exists(folder / "bos"));
}

constexpr auto plain_embedder = [](const ModelOptions&) {
  return reader_of_elements<test::PlainEmbedder>();
};

// Replays share prefixes, so an embedder of whole texts cannot be used.
BOOST_FIXTURE_TEST_CASE(a_backend_without_trees_is_refused, Replay) {
  folder.write("f.json", small().dump());
  BOOST_TEST(
      replay_over(plain_embedder, "f.json", "run").refused("which this backend does not provide"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
}

BOOST_FIXTURE_TEST_CASE(replay_rejects_an_embedder_of_whole_texts, Replay) {
  folder.write("f.json", small().dump());
  const ConsoleRun run = replay_over(plain_embedder, "f.json", "run");
  BOOST_TEST(run.code == 2, run);
  BOOST_TEST(run.err.starts_with("plumb: --fixed: "), run);
  BOOST_TEST(run.err.find("set --method") == std::string::npos, run);
}

BOOST_AUTO_TEST_SUITE_END()
