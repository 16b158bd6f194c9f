// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/command_line.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/console_run.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;
using test::ConsoleRun;
using test::run_words;

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(help_lists_the_commands) {
  for (const char* word : {"--help", "-h", "help"}) {
    const ConsoleRun run = run_words({word});
    BOOST_TEST(run.code == 0);
    for (const char* command : {"plumb probe ", "plumb many-shot ", "plumb calibrate ",
                                "plumb compare ", "plumb data ", "plumb report "}) {
      BOOST_TEST(run.says(command));
    }
    BOOST_TEST(run.err.empty());
  }
}

BOOST_AUTO_TEST_CASE(every_command_has_its_own_help) {
  for (const char* command :
       {"probe", "many-shot", "calibrate", "compare", "data", "report", "models"}) {
    const ConsoleRun run = run_words({command, "--help"});
    BOOST_TEST(run.code == 0);
    BOOST_TEST(run.out.starts_with(std::string("Example: plumb ") + command));
    BOOST_TEST(run.says(std::string("\nUsage: plumb ") + command));
    BOOST_TEST(run.says("--help"));
    BOOST_TEST(run.err.empty());
  }
  const ConsoleRun probe = run_words({"probe", "--help", "all"});
  for (const char* option :
       {"--data", "--model", "--out", "--relations", "--templates", "--limit", "--bos",
        "--reduction", "--span", "--precision", "--threads", "--seed", "--resume", "--dry-run"}) {
    BOOST_TEST(probe.says(option));
  }
  const ConsoleRun many_shot = run_words({"many-shot", "--help", "all"});
  for (const char* option :
       {"--data",           "--model",          "--out",           "--relations",
        "--shots",          "--seeds",          "--choices",       "--choice-seed",
        "--split-seed",     "--train",          "--min-facts",     "--min-objects",
        "--pair-separator", "--item-separator", "--separators",    "--eic",
        "--eic-first",      "--eic-step",       "--eic-questions", "--join",
        "--baselines",      "--generate",       "--injection",     "--injected",
        "--fixed",          "--limit",          "--bos",           "--precision",
        "--threads",        "--seed",           "--resume"}) {
    BOOST_TEST(many_shot.says(option), option);
  }
}

BOOST_AUTO_TEST_CASE(help_of_a_command_is_its_help) {
  for (const char* command : {"probe", "compare", "data"}) {
    BOOST_TEST(run_words({"help", command}).out == run_words({command, "--help"}).out);
    BOOST_TEST(run_words({"help", command, "all"}).out ==
               run_words({command, "--help", "all"}).out);
  }
  const ConsoleRun prompts = run_words({"help", "data", "prompts"});
  BOOST_TEST(prompts.code == 0);
  BOOST_TEST(prompts.says("\nUsage: plumb data prompts RUN"));
  for (const char* command : {"help", "manual", "completion"}) {
    BOOST_TEST(run_words({"help", command}).out == run_words({"help"}).out);
  }
  BOOST_TEST(run_words({"help", "porbe"})
                 .refused("unknown command 'porbe'; did you mean probe? `plumb --help`"));
}

BOOST_AUTO_TEST_CASE(the_version_is_printed) {
  const ConsoleRun run = run_words({"--version"});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.out == "plumb " PLUMB_VERSION "\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_command_is_refused_in_one_line) {
  const std::string remedy = "`plumb --help` lists the commands";
  const ConsoleRun run = run_words({"prob"});
  BOOST_TEST(run.refused("unknown command 'prob'; did you mean probe? " + remedy), run);
  BOOST_TEST(run_words({"ask"}).refused("unknown command 'ask'; " + remedy));
  BOOST_TEST(run_words({}).refused("no command given; " + remedy));
  BOOST_TEST(run_words({"two\nlines"}).refused("unknown command 'two lines'"));
}

BOOST_AUTO_TEST_CASE(an_internal_failure_is_code_one_and_a_user_error_is_two) {
  const test::ConsoleFiles files;
  const auto words = files.probe_words();
  const auto failing_with = [&](const auto& error) {
    return run_words(words, [&](const ModelOptions&) -> NgramTreeModel { throw error; });
  };
  BOOST_TEST(failing_with(user_error({.file = "m.gguf"}, "is truncated", "get it anew"))
                 .refused("plumb: m.gguf: is truncated; get it anew", 2));
  BOOST_TEST(failing_with(internal_error({}, "the engine broke")).refused("the engine broke", 1));
  BOOST_TEST(failing_with(std::bad_alloc()).refused("plumb: ", 1));
  BOOST_TEST(!std::filesystem::exists(files.folder / "run"));
}

// Two commands that write into the same folder would overwrite each other's files.
BOOST_AUTO_TEST_CASE(several_processes_of_a_program_without_mpi_are_refused) {
  for (const std::string processes : {"", "1", "2"}) {
    std::ostringstream out, err;
    Console console{{"--help"}, out, err};
    console.environment = [&](const char* name) {
      return std::string(name) == "OMPI_COMM_WORLD_SIZE" ? processes : "";
    };
    const int code =
        run_command_line("rank", console, [](const ModelOptions&) { return test::small_model(); });
    BOOST_TEST(code == (processes == "2" ? 2 : 0));
    const bool says =
        err.str().find("mpirun started plumb 2 times, but plumb is built without MPI; ") !=
        std::string::npos;
    BOOST_TEST(says == (processes == "2"), err.str());
  }
}

// A program with its own engine does not offer the options for plumb's GPU layers or servers unless
// the engine declares them.
BOOST_AUTO_TEST_CASE(options_of_an_engine_are_there_where_it_takes_them) {
  struct Plain {
    test::HookedModel operator()(const ModelOptions&) const { return test::small_model(); }
  };
  struct OnGpu : Plain {
    static bool takes(std::string_view option) { return option == "gpu-layers"; }
  };
  const auto run = [](auto make, std::vector<std::string> words) {
    std::ostringstream out, err;
    Console console{std::move(words), out, err};
    const int code = run_command_line("probe", console, make);
    return test::ConsoleRun{code, out.str(), err.str()};
  };
  const auto plain = run(Plain{}, {"--help", "all"});
  const auto on_gpu = run(OnGpu{}, {"--help", "all"});
  for (const char* option : {"--server", "--precision", "--gpu-layers", "--lora", "--pack"}) {
    BOOST_TEST(!plain.says(option), option);
    BOOST_TEST(on_gpu.says(option) == (std::string(option) == "--gpu-layers"), option);
  }
  for (const char* option : {"--model", "--threads", "--resume", "--special-tokens"}) {
    BOOST_TEST(plain.says(option), option);
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--server", "http://h"},
                                                {"--precision", "fast"},
                                                {"--pack", "64"}}) {
    BOOST_TEST(run(Plain{}, words).refused(words.front()));
    BOOST_TEST(run(OnGpu{}, words).refused(words.front()));
  }
}

BOOST_AUTO_TEST_CASE(results_that_nobody_receives_are_a_failure) {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);  // a full disk or a closed pipe
  Console console{{}, out, err};
  const int code = run_command_line("--version", console,
                                    [](const ModelOptions&) { return test::small_model(); });
  BOOST_TEST(code == 1);
  BOOST_TEST(err.str() == "plumb: the results could not be written to stdout\n");
}

BOOST_AUTO_TEST_CASE(a_whole_program_hands_its_words_over) {
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  std::string name = "plumb", command = "data", option = "--help";
  char* words[] = {name.data(), command.data(), option.data(), nullptr};
  const auto make_model = [](const ModelOptions&) { return test::small_model(); };
  const int code = run_command_line(3, words, make_model);
  std::cout.rdbuf(before);
  BOOST_TEST(code == 0);
  BOOST_TEST(out.str().starts_with("Example: plumb data"));
}

// The dataset contains only France. Its capital is the first of three options with five letters
// each, so all options tie. If the first option won ties, the model would seem certain of the
// answer.
BOOST_FIXTURE_TEST_CASE(a_model_with_equal_logits_knows_nothing_in_any_job, ConsoleFiles) {
  const auto run = [](std::vector<std::string> words, auto model) {
    const ConsoleRun made =
        run_words(std::move(words), [&](const ModelOptions&) { return model(); });
    BOOST_TEST(made.code == 0, made);
    return made;
  };
  const auto metrics = [&](const std::string& folder_name) {
    return Json::parse(test::slurp(folder / folder_name / "metrics.json"));
  };
  const auto value = [](const Json& estimate) { return estimate.at("value").get<double>(); };
  const auto level = [] { return test::level_model(); };
  const std::vector<std::string> france{"--relations", "capital",     "--limit",
                                        "1",           "--templates", "all"};
  const ConsoleRun probed = run(probe_words(france, "level"), level);
  BOOST_TEST(probed.says("Warning: 2 of 2 answers (100.0%) are ties"));
  BOOST_TEST(probed.says("accuracy (first wins)"));
  BOOST_TEST(probed.says("1.000 [0.207, 1.000]"));  // Wilson's interval for 1 of 1; first wins
  const Json all = metrics("level").at("all_templates").at("overall");
  BOOST_TEST(value(all.at("accuracy")) == 1.0 / 3);
  BOOST_TEST(value(all.at("hits_at_1")) == 1.0 / 3);
  BOOST_TEST(value(all.at("hits_at_3")) == 1.0);
  BOOST_TEST(value(all.at("accuracy_first_wins")) == 1.0);
  BOOST_TEST(all.at("ties_for_best") == 2);
  BOOST_TEST(all.at("answers") == 2);

  const ConsoleRun calibrated =
      run({"calibrate", at("level"), "--out", at("calibrated"), "--bins", "2"}, level);
  BOOST_TEST(calibrated.says("2 ties among 2 answers"));
  BOOST_TEST(calibrated.says("Warning: 2 of 2 answers"));
  const Json model = metrics("calibrated").at("models").at("model.gguf");
  BOOST_TEST(std::abs(value(model.at("accuracy")) - 1.0 / 3) < 1e-12);
  BOOST_TEST(value(model.at("accuracy_first_wins")) == 1.0);
  const Json& base = model.at("estimators").at("base").at("metrics");
  BOOST_TEST(value(base.at("accuracy")) == 0.0);
  BOOST_TEST(std::abs(value(base.at("ece")) - 1.0 / 3) < 1e-12);
  BOOST_TEST(model.at("estimators").at("consistency_vote2").at("failures") == 1);

  run(probe_words(france, "reader"), [] { return test::HookedModel(test::small_model()); });
  const ConsoleRun compared = run({"compare", "level=" + at("level"), "reader=" + at("reader"),
                                   "--out", at("compared"), "--pairs", "level:reader"},
                                  level);
  BOOST_TEST(compared.says("level: Warning: 2 of 2 answers (100.0%) are ties"));
  const Json both = metrics("compared");
  BOOST_TEST(std::abs(value(both.at("models").at("level").at("accuracy")) - 1.0 / 3) < 1e-12);
  BOOST_TEST(value(both.at("models").at("level").at("accuracy_first_wins")) == 1.0);
  BOOST_TEST(both.at("models").at("level").at("ties") == 2);
  BOOST_TEST(value(both.at("base_and_tuned").at(0).at("base_accuracy")) == 0.0);
  for (const Json& rate : both.at("subsumption")) {
    if (rate.at("of") == "level") BOOST_TEST(rate.at("rate").is_null());
    if (rate.at("of") == "reader") BOOST_TEST(value(rate.at("rate")) == 0.0);
  }

  const ConsoleRun prompts =
      run({"compare", "level=" + at("level"), "--prompts", "--out", at("prompts")}, level);
  BOOST_TEST(prompts.says("level: Warning: 2 of 2 answers"));
  const Json way = metrics("prompts").at("settings").at("level");
  BOOST_TEST(std::abs(value(way.at("coverage").at("average")) - 1.0 / 3) < 1e-12);
  BOOST_TEST(value(way.at("coverage").at("average_first_wins")) == 1.0);
  BOOST_TEST(value(way.at("coverage").at("oracle")) == 0.0);
  BOOST_TEST(value(way.at("consistency").at("all").at("share")) == 0.0);
  BOOST_TEST(way.at("ties") == 2);
}

BOOST_AUTO_TEST_SUITE_END()
