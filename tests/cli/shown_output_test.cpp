// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/shown_output.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "plumb/detail/cli/arguments.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(shown_output)

namespace {

/// The option values and the stream for messages to the user.
struct Read {
  explicit Read(std::vector<std::string> words) : console{std::move(words), out, err} {
    options::options_description list;
    add_config(list);
    (void)parse_arguments(console, "plumb test", list);
  }

  std::ostringstream out, err;
  Console console;
};

}  // namespace

BOOST_AUTO_TEST_CASE(without_options_all_is_for_people) {
  Read read({});
  BOOST_TEST(read.console.shown.is_for_people());
  for_people(read.console) << "words";
  BOOST_TEST(read.out.str() == "words");
}

BOOST_AUTO_TEST_CASE(a_format_leaves_stdout_to_the_table) {
  for (const std::string format : {"csv", "json", "latex", "markdown"}) {
    Read read({"--format", format});
    BOOST_TEST(!read.console.shown.is_for_people(), format);
    for_people(read.console) << "words";
    BOOST_TEST(read.out.str().empty());
    BOOST_TEST(read.err.str() == "words");
  }
  BOOST_TEST(Read({"--format", "terminal"}).console.shown.is_for_people());
  BOOST_TEST(Read({"--json"}).console.shown.json);
}

BOOST_AUTO_TEST_CASE(quiet_prints_words_nowhere) {
  Read read({"--quiet"});
  for_people(read.console) << "words";
  BOOST_TEST(read.out.str().empty());
  BOOST_TEST(read.err.str().empty());
}

BOOST_AUTO_TEST_CASE(what_contradicts_itself_is_refused) {
  BOOST_CHECK_EXCEPTION(Read({"--format", "pdf"}), Error,
                        says(Fault::user, "'pdf' is not a format; use csv, json, latex"));
  BOOST_CHECK_EXCEPTION(Read({"--quiet", "--format", "csv"}), Error,
                        says(Fault::user, "conflicts with `format`; use only one of them"));
}

BOOST_AUTO_TEST_SUITE_END()
