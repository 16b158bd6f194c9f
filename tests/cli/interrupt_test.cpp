// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/interrupt.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/console_run.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;

BOOST_AUTO_TEST_SUITE(interrupt)

namespace {

volatile std::sig_atomic_t heard = 0;

/// Sets up the signal handlers of a program that installs its own.
struct OwnHandler {
  OwnHandler() : before(std::signal(SIGINT, [](int) { heard = heard + 1; })) { heard = 0; }
  ~OwnHandler() { std::signal(SIGINT, before); }
  void (*before)(int);
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_second_signal_goes_to_the_handler_from_before, OwnHandler) {
  {
    const InterruptCatcher catcher;
    BOOST_TEST(catcher.noted() == 0);
    std::raise(SIGINT);
    BOOST_TEST(catcher.noted() == SIGINT);
    BOOST_TEST(heard == 0);
    struct sigaction terminating {};
    sigaction(SIGTERM, nullptr, &terminating);
    BOOST_TEST((terminating.sa_handler == SIG_DFL));  // either signal restores both handlers
    std::raise(SIGINT);
    BOOST_TEST(heard == 1);
  }
  std::raise(SIGINT);
  BOOST_TEST(heard == 2);
  BOOST_TEST(InterruptCatcher().noted() == 0);  // each catcher starts with no signal recorded
}

BOOST_AUTO_TEST_CASE(sigterm_is_noted_too_and_is_as_before_afterwards) {
  struct sigaction before {
  }, after{};
  sigaction(SIGTERM, nullptr, &before);
  {
    const InterruptCatcher catcher;
    std::raise(SIGTERM);
    BOOST_TEST(catcher.noted() == SIGTERM);
  }
  sigaction(SIGTERM, nullptr, &after);
  BOOST_TEST((after.sa_handler == before.sa_handler));
}

BOOST_FIXTURE_TEST_CASE(ignored_sigint_stays_ignored, OwnHandler) {
  std::signal(SIGINT, SIG_IGN);
  const InterruptCatcher catcher;
  std::raise(SIGINT);
  BOOST_TEST(catcher.noted() == 0);
  std::raise(SIGTERM);
  BOOST_TEST(catcher.noted() == SIGTERM);
  struct sigaction now {};
  sigaction(SIGINT, nullptr, &now);
  BOOST_TEST((now.sa_handler == SIG_IGN));
}

BOOST_AUTO_TEST_CASE(words_are_quoted_where_a_shell_would_change_them) {
  BOOST_TEST(quoted_for_shell("--bos=no") == "--bos=no");
  BOOST_TEST(quoted_for_shell("") == "''");
  BOOST_TEST(quoted_for_shell("a b") == "'a b'");
  BOOST_TEST(quoted_for_shell("it's") == "'it'\\''s'");
  BOOST_TEST(quoted_for_shell("$HOME") == "'$HOME'");
  BOOST_TEST(resume_command("plumb", "probe", {"--data", "my facts"}) ==
             "plumb probe --data 'my facts' --resume");
  BOOST_TEST(resume_command("./my build/plumb", "rank", {"--resume", "--out", "r"}) ==
             "'./my build/plumb' rank --resume --out r");
}

BOOST_FIXTURE_TEST_CASE(stopped_job_prints_the_resume_command, ConsoleFiles) {
  const OwnHandler handler;
  const auto stopped = [&](std::vector<std::string> words, int signal = SIGINT) {
    std::ostringstream out, err;
    Console console{{words.begin() + 1, words.end()}, out, err};
    console.catches_interrupt = true;
    console.takes = [](std::string_view) { return true; };  // as run_words does
    std::size_t asked = 0;
    const int code = run_command_line(words[0], console, [&](const ModelOptions&) {
      test::HookedModel model(test::small_model());
      model.on_work = [&] {
        if (++asked == 1) std::raise(signal);
      };
      return model;
    });
    return test::ConsoleRun{code, out.str(), err.str()};
  };
  const test::ConsoleRun run = stopped(probe_words());
  BOOST_TEST(run.code == 130, run);
  BOOST_TEST(run.err.ends_with("plumb: stopped; finished work is saved; continue with: plumb probe "
                               "--data " +
                               at("data") + " --model " + at("model.gguf") + " --out " + at("run") +
                               " --resume\n"),
             run);
  BOOST_TEST(!std::filesystem::exists(folder / "run/report.html"));
  BOOST_TEST(probe({"--resume"}).code == 0);
  BOOST_TEST(probe({}, "whole").code == 0);
  BOOST_TEST((test::contents(folder / "run", "_results.jsonl") ==
              test::contents(folder / "whole", "_results.jsonl")));
  // If an environment variable specifies the model, the printed command includes the model, because
  // the variable may not be set in another shell.
  {
    std::ostringstream out, err;
    Console console{{"--data", at("data"), "--out", at("named")}, out, err};
    console.catches_interrupt = true;
    console.environment = [&](const char* name) {
      return name == std::string("PLUMB_MODEL") ? at("model.gguf") : std::string();
    };
    std::size_t asked = 0;
    const int code = run_command_line("probe", console, [&](const ModelOptions&) {
      test::HookedModel model(test::small_model());
      model.on_work = [&] {
        if (++asked == 1) std::raise(SIGTERM);
      };
      return model;
    });
    BOOST_TEST(code == 143, err.str());
    BOOST_TEST(err.str().ends_with("--out " + at("named") + " --model " + at("model.gguf") +
                                   " --resume\n"),
               err.str());
  }
  const test::ConsoleRun over = stopped(probe_words({"--overwrite"}, "whole"));
  BOOST_TEST(over.code == 130, over);
  BOOST_TEST(
      over.err.ends_with("plumb: stopped; nothing was replaced; run it again to start over\n"),
      over);
  BOOST_TEST(std::filesystem::exists(folder / "whole/report.html"));
  const test::ConsoleRun terminated = stopped(probe_words({}, "terminated"), SIGTERM);
  BOOST_TEST(terminated.code == 143, terminated);
  BOOST_TEST(terminated.err.ends_with(at("terminated") + " --resume\n"), terminated);
}

BOOST_AUTO_TEST_SUITE_END()
