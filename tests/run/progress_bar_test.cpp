// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/progress_bar.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(progress_bar)

namespace {

/// A progress bar for a hundred statements, with a clock, in seconds, that the test sets.
struct Fixture {
  explicit Fixture(bool on_terminal)
      : progress(out, 100, "statements", on_terminal, [this] { return now; }) {}

  /// The output of one update.
  std::string update(double at, std::size_t done, std::size_t fresh) {
    now = at;
    out.str("");
    progress.update(done, fresh, "P36");
    return out.str();
  }

  double now = 1000;
  std::ostringstream out;
  ProgressBar progress;
};

struct OnTerminal : Fixture {
  OnTerminal() : Fixture(true) {}
};
struct InLog : Fixture {
  InLog() : Fixture(false) {}
};

std::string blocks(int full, int empty) {
  std::string text;
  for (int i = 0; i < full; ++i) text += "█";
  for (int i = 0; i < empty; ++i) text += "░";
  return text;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_terminal_shows_a_bar_that_redraws_itself, OnTerminal) {
  BOOST_TEST(update(1000, 0, 0) == "\r  0% " + blocks(0, 24) + " 0/100 statements  P36\x1b[K");
  BOOST_TEST(update(1010, 50, 50) ==
             "\r 50% " + blocks(12, 12) + " 50/100 statements  5.0/s  10 s left  P36\x1b[K");
  BOOST_TEST(update(1020, 100, 100) ==
             "\r100% " + blocks(24, 0) + " 100/100 statements  5.0/s  P36\x1b[K\n");
}

BOOST_FIXTURE_TEST_CASE(a_log_gets_plain_lines, InLog) {
  BOOST_TEST(update(1000, 0, 0) == "  0% 0/100 statements  P36\n");
  BOOST_TEST(update(1010, 25, 25) == " 25% 25/100 statements  2.5/s  30 s left  P36\n");
  BOOST_TEST(update(1040, 100, 100) == "100% 100/100 statements  2.5/s  P36\n");
}

// Of the 50 finished statements, 40 were in the journal, and 10 took 10 seconds, so the remaining
// 50 will take 50 seconds.
BOOST_FIXTURE_TEST_CASE(journaled_work_does_not_affect_the_rate, InLog) {
  BOOST_TEST(update(1010, 50, 10) == " 50% 50/100 statements  1.0/s  50 s left  P36\n");
}

BOOST_FIXTURE_TEST_CASE(rate_is_omitted_in_the_first_two_seconds, OnTerminal) {
  BOOST_TEST(update(1001.75, 10, 10).find("/s") == std::string::npos);
  BOOST_TEST(update(1002, 10, 10).find("10/100 statements  5.0/s  18 s left") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(rate_is_omitted_before_anything_is_scored, InLog) {
  BOOST_TEST(update(1010, 40, 0) == " 40% 40/100 statements  P36\n");
}

// 29 / 100 · 100 is 28.999… in doubles.
BOOST_FIXTURE_TEST_CASE(percents_are_of_whole_numbers, InLog) {
  for (std::size_t done = 0; done < 100; ++done) {
    const std::string line = update(1010 + 10 * static_cast<double>(done), done, 0);
    BOOST_TEST(line.substr(0, 4) == (done < 10 ? "  " : " ") + std::to_string(done) + "%");
  }
}

// Steps of 1/64 s are exact in doubles; every seventh step is the first one at least 0.1 s after
// the last redraw.
BOOST_FIXTURE_TEST_CASE(a_terminal_is_redrawn_ten_times_a_second_at_most, OnTerminal) {
  std::size_t redrawn = 0;
  for (int step = 0; step <= 640; ++step) {
    redrawn += update(1000 + step / 64.0, 1, 1).empty() ? 0U : 1U;
  }
  BOOST_TEST(redrawn == 92U);
}

BOOST_FIXTURE_TEST_CASE(a_log_gets_a_line_every_five_seconds_at_most, InLog) {
  std::size_t lines = 0;
  for (int step = 0; step <= 4 * 60; ++step) {
    lines += update(1000 + step / 4.0, 1, 1).empty() ? 0U : 1U;
  }
  BOOST_TEST(lines == 13U);  // at 0, 5, …, 60 seconds
}

BOOST_FIXTURE_TEST_CASE(completion_is_always_shown, InLog) {
  BOOST_TEST(!update(1000, 99, 99).empty());
  BOOST_TEST(update(1000.25, 99, 99).empty());
  BOOST_TEST(update(1000.5, 100, 100) == "100% 100/100 statements  200/s  P36\n");
}

BOOST_AUTO_TEST_CASE(a_job_of_nothing_is_done) {
  std::ostringstream out;
  ProgressBar(out, 0, "statements", false, [] { return 0.0; }).update(0, 0, "-");
  BOOST_TEST(out.str() == "100% 0/0 statements  -\n");
}

// The error message after a failed job must not appear on the bar's line.
BOOST_AUTO_TEST_CASE(a_bar_that_is_left_unfinished_ends_its_line) {
  for (const bool on_terminal : {true, false}) {
    std::ostringstream out;
    {
      ProgressBar(out, 2, "facts", on_terminal, [] { return 0.0; }).update(1, 1, "P36");
    }
    BOOST_TEST(std::ranges::count(out.str(), '\n') == 1);
    BOOST_TEST(out.str().back() == '\n');
  }
  std::ostringstream out;
  {
    ProgressBar(out, 2, "facts", true, [] { return 0.0; });
  }
  BOOST_TEST(out.str().empty());
}

BOOST_AUTO_TEST_CASE(rates_below_ten_have_a_decimal) {
  BOOST_TEST(ProgressBar::per_second(1234.5) == "1235/s");
  BOOST_TEST(ProgressBar::per_second(10) == "10/s");
  BOOST_TEST(ProgressBar::per_second(9.96) == "10/s");
  BOOST_TEST(ProgressBar::per_second(9.94) == "9.9/s");
  BOOST_TEST(ProgressBar::per_second(135.0 / 461) == "0.3/s");
  BOOST_TEST(ProgressBar::per_second(0.1) == "0.1/s");
  BOOST_TEST(ProgressBar::per_second(0.05) == "3.0/min");
  BOOST_TEST(ProgressBar::per_second(1.0 / 120) == "30.0/h");
}

// 135 texts in 461 seconds.
BOOST_FIXTURE_TEST_CASE(rate_of_a_slow_job_is_not_rounded_to_zero, InLog) {
  BOOST_TEST(update(1010, 3, 3) == "  3% 3/100 statements  0.3/s  5 min 23 s left  P36\n");
}

BOOST_AUTO_TEST_CASE(durations_are_shown_in_their_two_largest_units) {
  BOOST_TEST(ProgressBar::duration(-1) == "0 s");
  BOOST_TEST(ProgressBar::duration(4.4) == "4 s");
  BOOST_TEST(ProgressBar::duration(59.4) == "59 s");
  BOOST_TEST(ProgressBar::duration(59.6) == "1 min 0 s");
  BOOST_TEST(ProgressBar::duration(200) == "3 min 20 s");
  BOOST_TEST(ProgressBar::duration(3599.7) == "1 h 0 min");
  BOOST_TEST(ProgressBar::duration(2 * 3600 + 5 * 60 + 59) == "2 h 5 min");
  BOOST_TEST(ProgressBar::duration(30 * 3600) == "30 h 0 min");
}

BOOST_AUTO_TEST_SUITE_END()
