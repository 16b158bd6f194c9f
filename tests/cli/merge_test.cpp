// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/merge.hpp"

// Every job is run in shards and merged, and the result is compared with an undivided run.

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/console_run.hpp"
#include "support/generate_console.hpp"
#include "support/many_shot_console.hpp"
#include "support/rank_console.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(merge)

namespace {

/// Checks that a job run in `count` shards and then merged equals `whole`, except for run.json.
/// `words(options, run)` returns the arguments for the call.
template <class Words, class Make>
void check_shards(const TemporaryFolder& folder, std::size_t count, Words words, Make make,
                  const std::vector<std::string>& options = {}) {
  const ConsoleRun whole = run_words(words(options, "whole"), make);
  BOOST_TEST_REQUIRE(whole.code == 0, whole);
  std::vector<std::string> merging{"merge"};
  for (std::size_t i = 1; i <= count; ++i) {
    std::vector<std::string> of = options;
    const std::string name = "shard" + std::to_string(i);
    of.insert(of.end(), {"--shard", std::to_string(i) + "/" + std::to_string(count)});
    const ConsoleRun shard = run_words(words(of, name), make);
    BOOST_TEST_REQUIRE(shard.code == 0, shard);
    BOOST_TEST(shard.says("shard " + std::to_string(i) + "/" + std::to_string(count) + ": "));
    for (const auto& [file, _] : all_contents(folder / name)) {
      BOOST_TEST((file == "run.json" || file == "journal.jsonl" || file.ends_with(".npy.part")),
                 file);
    }
    merging.push_back((folder / name).string());
  }
  merging.insert(merging.end(), {"--out", (folder / "merged").string()});
  const ConsoleRun merged = run_words(merging, make);
  BOOST_TEST_REQUIRE(merged.code == 0, merged);
  // The output must be the same except for the folder's name.
  std::string said = merged.out;
  const auto at = said.find("/merged/");
  BOOST_TEST_REQUIRE(at != said.npos);
  for (auto found = at; found != said.npos; found = said.find("/merged/")) {
    said.replace(found, 8, "/whole/");
  }
  BOOST_TEST(said == whole.out);
  auto expected = all_contents(folder / "whole"), found = all_contents(folder / "merged");
  const Json alone = Json::parse(expected.at("run.json")), run = Json::parse(found.at("run.json"));
  BOOST_TEST(run.at("settings") == alone.at("settings"));
  BOOST_TEST(run.at("options") == alone.at("options"));
  BOOST_TEST(run.at("statements") == alone.at("statements"));
  BOOST_TEST(run.at("tokens_fed") == alone.at("tokens_fed"));
  for (auto* files : {&expected, &found}) files->erase("run.json");
  for (const auto& [name, text] : expected) {
    BOOST_TEST((found.contains(name) && found.at(name) == text), name);
  }
  BOOST_TEST(found.size() == expected.size());
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_probe_in_shards_is_the_probe, ConsoleFiles) {
  check_shards(
      folder, 3, [&](const auto& options, const auto& run) { return probe_words(options, run); },
      [](const ModelOptions&) { return small_model(); }, {"--templates", "all"});
}

BOOST_FIXTURE_TEST_CASE(a_many_shot_study_in_shards_is_the_study, ManyShotFiles) {
  check_shards(
      folder, 4, [&](const auto& options, const auto& run) { return words(options, run); },
      [](const ModelOptions&) { return reader_of_births(); },
      {"--injection", "6", "--generate", "4"});
}

BOOST_FIXTURE_TEST_CASE(a_ranking_in_shards_is_the_ranking, RankFiles) {
  check_shards(
      folder, 2, [&](const auto& options, const auto& run) { return words(options, run); },
      [](const ModelOptions&) { return reader_of_elements<NgramTreeModel>(); },
      {"--method", "deer,likelihood,lm-head", "--nearest", "3"});
}

BOOST_FIXTURE_TEST_CASE(answers_to_many_prompts_in_shards_are_the_answers, GenerateFiles) {
  check_shards(
      folder, 3, [&](const auto& options, const auto& run) { return words(options, run); },
      [](const ModelOptions&) { return reader_of_prompts<NgramTreeModel>(); });
}

BOOST_FIXTURE_TEST_CASE(the_model_may_lie_elsewhere_when_shards_are_merged, ConsoleFiles) {
  for (const std::string i : {"1", "2"}) {
    BOOST_TEST_REQUIRE(probe({"--shard", i + "/2"}, "shard" + i).code == 0);
  }
  std::filesystem::rename(folder / "model.gguf", folder / "model.moved");
  std::filesystem::create_directory(folder / "there");
  std::filesystem::rename(folder / "model.moved", folder / "there/model.gguf");
  const std::vector<std::string> words{"merge",      at("shard1"), at("shard2"),          "--out",
                                       at("merged"), "--model",    at("there/model.gguf")};
  const ConsoleRun merged = run_words(words);
  BOOST_TEST(merged.code == 0, merged);
  for (const std::string option : {"--server", "--tokenizer"}) {
    BOOST_TEST(
        run_words({"merge", at("shard1"), at("shard2"), "--out", at("x"), option, "x"})
            .refused(option + ": the shards used a local model, not a server; pass the model's"),
        option);
  }
  // Another model's tokenizer could split the job into different packs.
  folder.write("there/model.gguf", "another model");
  std::filesystem::remove_all(folder / "merged");
  BOOST_TEST(run_words(words).refused("run.json: model_sha256: the run was started with"));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_merged_or_parted_is_refused, ConsoleFiles) {
  BOOST_TEST(run_words({"merge", "--out", at("x")}).refused("RUN: is required but missing"));
  BOOST_TEST(probe({}, "whole").code == 0);
  BOOST_TEST(run_words({"merge", at("whole")}).refused("--out: is required but missing"));
  BOOST_TEST(run_words({"merge", at("whole"), "--out", at("x")})
                 .refused("whole: is a whole run, not a shard; there is nothing to merge"));
  BOOST_TEST(probe({"--shard", "3/2"}, "x").refused("--shard: '3/2' is not a shard"));
  BOOST_TEST(probe({"--shard", "1/2", "--overwrite"}, "x")
                 .refused("--shard: has no effect with --overwrite; choose another folder"));
  BOOST_TEST(probe({"--shard", "1/2"}, "part").code == 0);
  for (const std::string command : {"report", "compare", "calibrate"}) {
    BOOST_TEST(run_words({command, at("part"), "--out", at("x")})
                   .refused("part: is one shard of a run and contains no results; join all shards "
                            "with plumb merge"),
               command);
  }
  BOOST_TEST(run_words({"calibrate", "--data", at("data"), "--model", at("model.gguf"), "--out",
                        at("x"), "--shard", "1/2"})
                 .refused("--shard: splits a probe, not its calibration; use plumb probe"));
  BOOST_TEST(!std::filesystem::exists(folder / "x"));
}

BOOST_FIXTURE_TEST_CASE(rankings_by_a_cache_or_by_fixed_prompts_are_not_parted, RankFiles) {
  BOOST_TEST(rank({"--shard", "1/2", "--cache-vectors"})
                 .refused("--cache-vectors: does not work with --shard"));
  BOOST_TEST(run_words({"rank", "--fixed", at("f.json"), "--data", at("elements"), "--model",
                        at("model.gguf"), "--out", at("x"), "--shard", "1/2"})
                 .refused("--shard: cannot split rankings that use --fixed"));
}

BOOST_AUTO_TEST_SUITE_END()
