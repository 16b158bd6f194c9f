// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/terminal_width.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <optional>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(terminal_width_suite)

BOOST_AUTO_TEST_CASE(columns_variable_overrides_the_terminal_width) {
  BOOST_TEST(table_width("100", 132) == 100U);
  BOOST_TEST(table_width("100", std::nullopt) == 100U);
  BOOST_TEST(table_width("1", 132) == 1U);
}

BOOST_AUTO_TEST_CASE(without_them_it_is_the_terminals_and_of_a_file_any) {
  BOOST_TEST(table_width(nullptr, 132) == 132U);
  BOOST_TEST(table_width(nullptr, std::nullopt) == 0U);
}

BOOST_AUTO_TEST_CASE(invalid_columns_variable_is_ignored) {
  for (const char* text : {"", "0", "-80", "80x", " 80", "99999999999999999999999"}) {
    BOOST_TEST(table_width(text, 132) == 132U, text);
    BOOST_TEST(table_width(text, std::nullopt) == 0U, text);
  }
}

BOOST_AUTO_TEST_CASE(terminal_has_a_width_but_a_file_does_not) {
  const int file = open("/dev/null", O_RDWR);
  BOOST_TEST(!terminal_width(file).has_value());
  close(file);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    BOOST_TEST_MESSAGE("no pseudo-terminal can be opened here");
    return;
  }
  const int screen = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  BOOST_REQUIRE(screen >= 0);
  BOOST_TEST(terminal_width(screen).value_or(0) == 80U);  // a new terminal has no size
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 61;
  BOOST_REQUIRE(ioctl(screen, TIOCSWINSZ, &size) == 0);
  BOOST_TEST(terminal_width(screen).value_or(0) == 61U);
  close(screen);
  close(terminal);
}

BOOST_AUTO_TEST_SUITE_END()
