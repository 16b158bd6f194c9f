// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/several_models.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/console_run.hpp"
#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(several_models)

namespace {

using Words = std::vector<std::string>;

/// Two files used as models: "one" was trained on the small texts; "two" assigns the same
/// probability to all tokens.
struct TwoModels : ConsoleFiles {
  TwoModels() {
    folder.write("one.gguf", "1");
    folder.write("two.gguf", "2");
  }

  static HookedModel make(const ModelOptions& options) {
    if (options.model.filename() == "broken.gguf") {
      throw user_error({.file = options.model}, "is damaged", "fetch it again");
    }
    return options.model.filename() == "two.gguf" ? level_model() : HookedModel(small_model());
  }
  [[nodiscard]] ConsoleRun run(const Words& more, const std::string& command = "probe") const {
    Words words{command, "--data", at("data"), "--out", at("out")};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words, make);
  }
  [[nodiscard]] Words both(Words more = {}) const {
    more.insert(more.begin(), {"--model", "first=" + at("one.gguf"), "--model", at("two.gguf")});
    return more;
  }
  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(folder / name);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_row_may_turn_a_switch_off) {
  AskedModel model{.name = "a", .word = "/m/a"};
  model.options = {{"chat", false}, {"shots", "3"}};
  JobTarget target;
  target.dry_run = true;
  BOOST_TEST((words_for(model, {{"chat", true}, {"shots", "1"}, {"model", "b"}}, target) ==
              Words{"--shots", "3", "--model", "/m/a"}));
}

BOOST_AUTO_TEST_CASE(a_row_with_a_shot_seed_has_no_further_draws) {
  AskedModel model{.name = "a", .word = "/m/a"};
  model.options = {{"shot-seed", "7"}};
  BOOST_CHECK_EXCEPTION((void)with_draws({model}, 1, 2), Error,
                        says(Fault::user, "has a shot-seed, which --shot-seeds would replace"));
  BOOST_TEST(with_draws({model}, 1, 1).size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(each_model_has_a_run_and_all_a_comparison, TwoModels) {
  const ConsoleRun said = run(both());
  BOOST_TEST_REQUIRE(said.code == 0, said);
  BOOST_TEST(said.says("model 1 of 2: first\n"));
  BOOST_TEST(said.says("\nmodel 2 of 2: two\n"));
  BOOST_TEST(said.says("\ncomparison of 2 models\n"));
  BOOST_TEST(said.out.ends_with("report: " + at("out/comparison/report.html") + "\n"));
  const Json compared = json("out/comparison/metrics.json");
  BOOST_TEST(compared.at("models").contains("first"));
  BOOST_TEST(compared.at("models").contains("two"));
  // Each run matches a separate run of the same model.
  const ConsoleRun alone = run_words(
      {"probe", "--data", at("data"), "--out", at("alone"), "--model", at("two.gguf")}, make);
  BOOST_TEST_REQUIRE(alone.code == 0, alone);
  BOOST_TEST(comparable("out/two") == comparable("alone"));
}

// The name given to a model appears in everything that its run writes, even if the run is later
// resumed without the other models.
BOOST_FIXTURE_TEST_CASE(a_given_name_is_the_models, TwoModels) {
  BOOST_TEST_REQUIRE(run(both()).code == 0);
  BOOST_TEST(json("out/first/run.json").at("settings").at("model") == "first");
  BOOST_TEST(json("out/two/run.json").at("settings").at("model") == "two.gguf");
  BOOST_TEST(slurp(folder / "out/first/report.html").find("first") != std::string::npos);
  BOOST_TEST(slurp(folder / "out/first/report.html").find("one.gguf</title>") == std::string::npos);
  const auto before = comparable("out/first");
  const ConsoleRun again = run_words({"probe", "--data", at("data"), "--out", at("out/first"),
                                      "--model", at("one.gguf"), "--resume"},
                                     make);
  BOOST_TEST_REQUIRE(again.code == 0, again);
  BOOST_TEST(comparable("out/first") == before);
  BOOST_TEST((json("out/first/run.json").at("model_known") == Json{{"name", "first"}}));
}

// Options that the comparison also supports apply to it as well: its intervals use the same seed as
// each model's.
BOOST_FIXTURE_TEST_CASE(options_that_the_comparison_has_are_its_own_too, TwoModels) {
  BOOST_TEST_REQUIRE(run(both({"--seed", "9", "--group-by", "domain"})).code == 0);
  BOOST_TEST(json("out/first/metrics.json").at("bootstrap").at("seed") == 9);
  const Json compared = json("out/comparison/metrics.json");
  BOOST_TEST(compared.at("bootstrap").at("seed") == 9);
  BOOST_TEST(compared.at("groups").at("column") == "domain");
}

BOOST_FIXTURE_TEST_CASE(a_table_gives_options_of_a_models_own, TwoModels) {
  folder.write("m.csv",
               "name,path,family,size,bos\n"
               "a,one.gguf,F,135M,no\n"
               "b,one.gguf,G,1.7B,\n");
  const ConsoleRun said = run({"--models", at("m.csv")});
  BOOST_TEST_REQUIRE(said.code == 0, said);
  const Json a = json("out/a/run.json"), b = json("out/b/run.json");
  BOOST_TEST((a.at("model_known") == Json{{"name", "a"}, {"family", "F"}, {"parameters", 135e6}}));
  BOOST_TEST(a.at("options").at("bos") == "no");
  BOOST_TEST(!b.at("options").contains("bos"));
  BOOST_TEST(!b.at("options").contains("models"));
}

BOOST_FIXTURE_TEST_CASE(a_model_that_fails_is_reported_and_the_others_are_asked, TwoModels) {
  folder.write("broken.gguf", "3");
  const ConsoleRun said = run(both({"--model", at("broken.gguf")}));
  BOOST_TEST(said.code == 2);
  BOOST_TEST(said.err.find("plumb: broken: ") != said.err.npos, said);
  BOOST_TEST(
      said.err.find("1 of 3 models failed; fix the errors, or remove these models, and run it "
                    "again with --resume\n") != said.err.npos);
  BOOST_TEST(is_there("out/comparison/report.html"));
  BOOST_TEST(!is_there("out/broken"));
}

BOOST_FIXTURE_TEST_CASE(resuming_reads_what_is_complete_and_adds_the_rest, TwoModels) {
  BOOST_TEST(run({"--model", "first=" + at("one.gguf")}).code == 0);
  BOOST_TEST(!is_there("out/comparison"));
  const auto before = comparable("out/first");
  BOOST_TEST(run(both()).refused("is not empty"));
  const ConsoleRun said = run(both({"--resume"}));
  BOOST_TEST_REQUIRE(said.code == 0, said);
  BOOST_TEST(said.says("13 already finished"));
  BOOST_TEST(comparable("out/first") == before);
  BOOST_TEST(is_there("out/two/report.html"));
  BOOST_TEST(is_there("out/comparison/report.html"));
  // The comparison of three models replaces the earlier one.
  const ConsoleRun third = run(both({"--resume", "--model", "third=" + at("two.gguf")}));
  BOOST_TEST_REQUIRE(third.code == 0, third);
  BOOST_TEST(json("out/comparison/metrics.json").at("models").size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(shards_deal_models, TwoModels) {
  BOOST_TEST(run(both({"--shard", "2/2"})).code == 0);
  BOOST_TEST(!is_there("out/first"));
  BOOST_TEST(is_there("out/two/report.html"));
  BOOST_TEST(run(both({"--shard", "1/2", "--resume"})).code == 0);
  BOOST_TEST(is_there("out/first/report.html"));
  BOOST_TEST(!is_there("out/comparison"));
}

BOOST_FIXTURE_TEST_CASE(dry_run_prints_the_plan_of_every_model_and_writes_nothing, TwoModels) {
  const ConsoleRun said = run(both({"--dry-run"}));
  BOOST_TEST(said.code == 0, said);
  BOOST_TEST(said.says("model 1 of 2: first\nplanned: "));
  BOOST_TEST(said.says("model 2 of 2: two\nplanned: "));
  BOOST_TEST(!is_there("out"));
}

BOOST_FIXTURE_TEST_CASE(calibrations_are_compared_as_calibrations, TwoModels) {
  const ConsoleRun said = run(both({"--templates", "all"}), "calibrate");
  BOOST_TEST_REQUIRE(said.code == 0, said);
  BOOST_TEST(is_there("out/first/probe/report.html"));
  const Json run_json = json("out/comparison/run.json");
  BOOST_TEST(run_json.at("settings").at("command") == "calibrate");
}

BOOST_FIXTURE_TEST_CASE(words_that_do_not_fit_are_refused, TwoModels) {
  folder.write("m.csv", "path\none.gguf\n");
  BOOST_TEST(run(both({"--models", at("m.csv")})).refused("--models: conflicts with --model"));
  BOOST_TEST(
      run(both({"--server", "http://host"})).refused("--server: conflicts with several models"));
  BOOST_TEST(
      run(both({"--model", "first=" + at("two.gguf")})).refused("two models are named 'first'"));
  BOOST_TEST(run({"--models", at("none.csv")}).refused("none.csv"));
}

BOOST_AUTO_TEST_SUITE_END()
