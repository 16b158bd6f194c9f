// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/compare_measurement.hpp"

// Runs a comparison from C++, without the command. cli/compare_test.cpp tests the command.

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::row;

BOOST_AUTO_TEST_SUITE(compare_measurement)

static_assert(Measurement<CompareMeasurement>);

BOOST_AUTO_TEST_CASE(runs_with_other_settings_are_reported) {
  const test::TemporaryFolder folder;
  std::vector<ResultFolder> runs;
  const auto run = [&](const std::string& name, const Json& settings) {
    folder.write(name + "/run.json", Json{{"settings", settings}}.dump());
    runs.push_back({name, folder / name});
  };
  run("a", {{"model", "x"}, {"choices", 100}, {"bos", "yes"}});
  run("b", {{"model", "y"}, {"choices", 100}, {"bos", "yes"}});
  BOOST_TEST(run_differences(runs, false).empty());
  run("c", {{"model", "z"}, {"choices", 3}, {"bos", "no"}});
  const auto remarks = run_differences(runs, false);
  BOOST_REQUIRE(remarks.size() == 1U);
  BOOST_TEST(
      remarks[0] ==
      "c was asked differently from a, so their numbers may not be comparable: bos \"no\" instead "
      "of \"yes\", choices 3 instead of 100");
  run("d", {{"model", "u"}, {"choices", 100}, {"bos", "yes"}, {"dataset_sha256", "01"}});
  run("e", {{"model", "v"}, {"choices", 100}, {"bos", "yes"}, {"dataset_sha256", "02"}});
  const std::vector<ResultFolder> last(runs.end() - 2, runs.end());
  BOOST_TEST(run_differences(last, false) ==
                 std::vector<std::string>{"e was asked differently from d, so their numbers may "
                                          "not be comparable: another dataset or template file (by "
                                          "SHA-256)"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(runs_of_another_kind_are_refused) {
  const test::TemporaryFolder folder;
  folder.write("r/run.json", R"({"settings": {"command": "rank"}})");
  BOOST_CHECK_EXCEPTION((void)read_answers({"r", folder / "r"}), Error,
                        test::says(Fault::user,
                                   "r: is a run of plumb rank, but the other runs are "
                                   "not"));
}

namespace {

/// Two folders with one relation and two templates. In the first folder, all answers are right; in
/// the second, half of them.
struct Two {
  Two() {
    for (test::ResultsFolder* into : {&first, &second}) {
      const std::vector<double> other{into == &first ? -1.0 : -3.0, -2};
      into->add("P36", {"Paris", "Rome"}, {"[X]: [Y].", "[Y] of [X]."}, Json::object(),
                {row("a", 0, 0, 0, {-1, -2}), row("a", 0, 1, 0, {-1, -2}), row("b", 1, 0, 0, other),
                 row("b", 1, 1, 0, other)});
    }
  }
  [[nodiscard]] CompareSettings settings() const {
    return {.runs = {{{"one", first.path()}, {"two", second.path()}}}};
  }
  test::ResultsFolder first, second;
  test::TemporaryFolder out;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_comparison_needs_no_command, Two) {
  const CompareMeasurement measurement(settings());
  run_measurement(measurement, out / "one-setting");
  const Json metrics = read_json_object(out / "one-setting/metrics.json");
  BOOST_TEST(metrics.at("models").at("one").at("accuracy").at("value") == 1);
  BOOST_TEST(metrics.at("models").at("two").at("accuracy").at("value") == 0.5);
  CompareSettings over_prompts = settings();
  over_prompts.prompts = true;
  over_prompts.measuring.samplings = 10;
  run_measurement(CompareMeasurement(over_prompts), out / "prompts");
  const Json run = read_json_object(out / "prompts/run.json");
  BOOST_TEST(run.at("settings").at("over") == "prompts");
  BOOST_TEST((run.at("settings").at("models") == Json{"one", "two"}));
  // A comparison does not overwrite a comparison of a different kind.
  BOOST_CHECK_EXCEPTION(run_measurement(measurement, out / "prompts"), Error,
                        test::says(Fault::user, "contains something other"));
}

BOOST_FIXTURE_TEST_CASE(unnamed_models_take_their_names_from_their_runs, Two) {
  first.files().write("run.json", Json{{"settings", {{"model", "large"}}}}.dump());
  CompareSettings settings = this->settings();
  for (ResultFolder& run : settings.runs.list) run.name.clear();
  const Measured made = CompareMeasurement(settings).measure();
  BOOST_TEST((made.settings.at("models") == Json{"large", second.path().filename().string()}));
}

BOOST_FIXTURE_TEST_CASE(runs_of_one_model_are_named_after_their_folders, Two) {
  const auto names = [](std::vector<ResultFolder> runs, bool apart = true) {
    name_runs(runs, apart);
    std::vector<std::string> all;
    for (const ResultFolder& run : runs) all.push_back(run.name);
    return all;
  };
  using Names = std::vector<std::string>;
  for (const char* name : {"a/run", "b/run", "c/other"}) {
    out.write(std::string(name) + "/run.json", R"({"settings": {"model": "m"}})");
  }
  const ResultFolder a{"", out / "a/run"}, b{"", out / "b/run"}, c{"", out / "c/other"};
  BOOST_TEST((names({a, c}) == Names{"run", "other"}));
  BOOST_TEST((names({a}) == Names{"m"}));
  BOOST_TEST((names({{"m", out / "a/run"}, c}) == Names{"m", "other"}));
  BOOST_TEST((names({a, c}, false) == Names{"m", "m"}));  // published numbers join
  BOOST_TEST((names({a, b}) == Names{"run", "run"}));
  // Results of lm-pub-quiz have no run.json.
  for (const char* name : {"d", "e"}) {
    const Json relation = {{"model_name_or_path", "model " + std::string(name)},
                           {"answer_space_labels", {"Paris", "Rome"}},
                           {"templates", {"[X]: [Y]"}}};
    out.write(std::string(name) + "/results/metadata_results.json", Json{{"P36", relation}}.dump());
    out.write(std::string(name) + "/results/P36_results.jsonl", "");
  }
  const ResultFolder d{"", out / "d/results"}, e{"", out / "e/results"};
  BOOST_TEST((names({d, e}) == Names{"model d", "model e"}));
  BOOST_TEST((names({d, c}) == Names{"results", "m"}));
  BOOST_CHECK_EXCEPTION(CompareMeasurement({.runs = {{a, b}}}), Error,
                        test::says(Fault::user, "has the name 'run', which is also the name of "));
}

namespace {

/// Two results folders of the same model, one with the number "x" and one with "y", and published
/// numbers for both.
struct Published {
  Published() {
    write("first", {{"x", 0.5}, {"ties", 0}});
    write("second",
          {{"y", {{"value", 0.25}, {"low", 0.125}, {"high", 0.5}, {"count", 8}}}, {"ties", 1}});
  }
  void write(const std::string& name, const Json& metrics) const {
    folder.write(name + "/metrics.json", metrics.dump());
    folder.write(name + "/run.json",
                 Json{{"settings", {{"model", "m.gguf"}, {"dataset", "bear"}}}}.dump());
  }
  [[nodiscard]] CompareSettings settings(const std::string& table) const {
    CompareSettings made{.runs = {{{"", folder / "first"}, {"", folder / "second"}}}};
    made.published = folder.write("t.csv", "model,dataset,metric,value\n" + table);
    return made;
  }
  test::TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(published_numbers_are_compared_with_all_runs_of_a_model, Published) {
  const CompareMeasurement measurement(settings("M,BEAR,x,0.5\nM,BEAR,y,0.10\nM,BEAR,z,1\n"));
  run_measurement(measurement, folder / "out");
  const Json metrics = read_json_object(folder / "out/metrics.json");
  BOOST_TEST((metrics.at("runs") == Json{"m.gguf"}));
  BOOST_REQUIRE(metrics.at("numbers").size() == 2U);
  BOOST_TEST(metrics.at("numbers").at(0).at("difference") == 0);
  BOOST_TEST(metrics.at("numbers").at(1).at("in_interval") == false);
  BOOST_TEST(metrics.at("without_counterpart").at(0).at("number") == "z");
  BOOST_TEST(metrics.at("remarks").empty());
  const Json run = read_json_object(folder / "out/run.json");
  BOOST_TEST(run.at("settings").at("over") == "published");
  // The comparison does not overwrite a comparison of a different kind.
  folder.write("other/run.json",
               Json{{"settings", {{"command", "compare"}, {"over", nullptr}}}}.dump());
  BOOST_CHECK_EXCEPTION(run_measurement(measurement, folder / "other"), Error,
                        test::says(Fault::user, "contains something other"));
}

BOOST_FIXTURE_TEST_CASE(a_number_that_two_runs_of_a_model_have_is_refused, Published) {
  write("second", {{"x", 0.75}});
  BOOST_CHECK_EXCEPTION((void)CompareMeasurement(settings("M,,x,0.5\n")).measure(), Error,
                        test::says(Fault::user,
                                   "has x of 'm.gguf', and so does another run; give each its own "
                                   "name"));
  BOOST_TEST((CompareMeasurement(settings("M,,y,0.5\n")).measure().settings.at("models") ==
              Json{"m.gguf"}));
}

// The folder contains the calibration of two models, in the format that `plumb calibrate` writes.
BOOST_FIXTURE_TEST_CASE(run_of_several_models_is_listed_by_model, Published) {
  folder.write(
      "both/metrics.json",
      Json{{"bins", 20}, {"models", {{"m.gguf", {{"ace", 0.25}}}, {"n", {{"ace", 0.5}}}}}}.dump());
  folder.write("both/run.json", Json{{"settings", {{"command", "calibrate"}}}}.dump());
  CompareSettings made{.runs = {{{"", folder / "both"}}}};
  made.published = folder.write("t.csv", "model,metric,value\nM,ace,0.3\n");
  run_measurement(CompareMeasurement(made), folder / "out");
  const Json metrics = read_json_object(folder / "out/metrics.json");
  // n is omitted because it has no published numbers; m is not omitted.
  BOOST_TEST((metrics.at("runs") == Json{"m.gguf"}));
  BOOST_TEST(metrics.at("numbers").size() == 1U);
  for (const Json& remark : metrics.at("remarks")) {
    BOOST_TEST(remark.get<std::string>().find("none of the published") == std::string::npos);
  }
}

BOOST_FIXTURE_TEST_CASE(ranking_with_different_candidates_is_reported, Published) {
  const auto words = [&](Json settings, const std::string& name) {
    settings["model"] = "m";
    folder.write("rank/run.json", Json{{"settings", settings}}.dump());
    folder.write(
        "rank/metrics.json",
        Json{{"methods", {{name, {{"value", 0.25}, {"low", 0.125}, {"high", 0.5}}}}}}.dump());
    CompareSettings made{.runs = {{{"", folder / "rank"}}}};
    made.published = folder.write("t.csv",
                                  "table,model,candidates,queries,metric,value\n"
                                  "4,M,single-token,test,methods." +
                                      name + ",0.25\n");
    run_measurement(CompareMeasurement(made), folder / "out");
    const Json metrics = read_json_object(folder / "out/metrics.json");
    return metrics.at("numbers").at(0).at("same_question").get<std::string>() + "; " +
           metrics.at("numbers").at(0).at("run_queries").get<std::string>();
  };
  const Json asked = {{"command", "rank"},    {"split", "test"}, {"candidates", "single-token"},
                      {"sample", 0},          {"limit", 0},      {"relations", nullptr},
                      {"head_queries", false}};
  const auto with = [&](std::initializer_list<std::pair<const char*, Json>> changed) {
    Json made = asked;
    for (const auto& [field, value] : changed) made[field] = value;
    return made;
  };
  BOOST_TEST(words(asked, "deer") == "yes; test");
  BOOST_TEST(words(with({{"candidates", "of-queries"}, {"sample", 500}}), "deer") ==
             "other candidates and queries; 500 of test");
  BOOST_TEST(words(with({{"candidates", "all"}}), "deer") == "other candidates; test");
  // The LM head ranks only one-token names, and `deer-single-token` ranks among the same names.
  BOOST_TEST(words(with({{"candidates", "all"}}), "lm-head") == "yes; test");
  BOOST_TEST(words(with({{"candidates", "all"}}), "deer-single-token") == "yes; test");
  BOOST_TEST(words(with({{"candidates", "of-queries"}}), "lm-head") == "other candidates; test");
  BOOST_TEST(words(with({{"limit", 7}, {"head_queries", true}}), "deer") ==
             "other queries; first 7 of test, and their heads");
  BOOST_TEST(words(with({{"relations", {"r", "s"}}}), "deer") == "other queries; test, of r, s");
  BOOST_TEST(words({{"command", "probe"}}, "deer") == "unknown; ");
}

BOOST_FIXTURE_TEST_CASE(published_numbers_need_a_run, Published) {
  CompareSettings none = settings("M,,x,0.5\n");
  none.runs.list.clear();
  BOOST_CHECK_EXCEPTION(CompareMeasurement{none}, Error,
                        test::says(Fault::user, "RUN: no run to compare"));
}

BOOST_AUTO_TEST_SUITE_END()
