// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/command_line.hpp"

#include <boost/test/unit_test.hpp>
#include <iostream>
#include <new>
#include <sstream>
#include <string>

#include "support/console_run.hpp"

using namespace plumb;
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
  for (const char* command : {"probe", "many-shot", "calibrate", "compare", "data", "report"}) {
    const ConsoleRun run = run_words({command, "--help"});
    BOOST_TEST(run.code == 0);
    BOOST_TEST(run.out.starts_with(std::string("Usage: plumb ") + command));
    BOOST_TEST(run.says("--help"));
    BOOST_TEST(run.err.empty());
  }
  const ConsoleRun probe = run_words({"probe", "--help"});
  for (const char* option :
       {"--data", "--model", "--out", "--relations", "--templates", "--limit", "--bos",
        "--reduction", "--span", "--precision", "--threads", "--seed", "--resume"}) {
    BOOST_TEST(probe.says(option));
  }
  const ConsoleRun many_shot = run_words({"many-shot", "--help"});
  for (const char* option :
       {"--data",           "--model",          "--out",        "--relations",
        "--shots",          "--seeds",          "--choices",    "--choice-seed",
        "--split-seed",     "--train",          "--min-facts",  "--min-objects",
        "--pair-separator", "--item-separator", "--separators", "--eic",
        "--join",           "--baselines",      "--generate",   "--injection",
        "--injected",       "--fixed",          "--limit",      "--bos",
        "--precision",      "--threads",        "--seed",       "--resume"}) {
    BOOST_TEST(many_shot.says(option), option);
  }
}

BOOST_AUTO_TEST_CASE(the_version_is_printed) {
  const ConsoleRun run = run_words({"--version"});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.out == "plumb " PLUMB_VERSION "\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_command_is_refused_in_one_line) {
  const ConsoleRun run = run_words({"prob"});
  BOOST_TEST(
      run.refused(
          "unknown command 'prob'; say probe, many-shot, rank, generate, calibrate, compare, "
          "data or report"),
      run);
  BOOST_TEST(run_words({}).refused("no command given"));
  BOOST_TEST(run_words({"two\nlines"}).refused("unknown command 'two lines'"));
}

BOOST_AUTO_TEST_CASE(what_broke_is_code_one_and_what_the_user_can_mend_is_two) {
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
  BOOST_TEST(out.str().starts_with("Usage: plumb data"));
}

BOOST_AUTO_TEST_SUITE_END()
