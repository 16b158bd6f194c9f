// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/arguments.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "support/option_errors.hpp"

using namespace plumb::detail;
using test::shows;

BOOST_AUTO_TEST_SUITE(arguments)

namespace {

struct Words {
  /// Parses the words as the arguments of `plumb look --depth N FOLDER`.
  bool parse(std::vector<std::string> words) {
    console.arguments = std::move(words);
    options::options_description list;
    list.add_options()("depth", options::value(&depth)->required(), "how far down")(
        "folder", options::value(&folder)->default_value("."), "where");
    return parse_arguments(console, "plumb look --depth N FOLDER [options]", list, {{"folder", 1}})
        .has_value();
  }

  std::string depth, folder;
  std::ostringstream out, err;
  Console console{{}, out, err};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(options_and_positional_words_get_their_values, Words) {
  BOOST_TEST(parse({"--depth", "3", "here"}));
  BOOST_TEST(depth == "3");
  BOOST_TEST(folder == "here");
  BOOST_TEST(parse({"--depth=4"}));
  BOOST_TEST(depth == "4");
  BOOST_TEST(folder == ".");
  BOOST_TEST(out.str().empty());
}

BOOST_FIXTURE_TEST_CASE(help_is_printed_even_when_an_option_is_missing, Words) {
  BOOST_TEST(!parse({"--help"}));
  BOOST_TEST(out.str().starts_with("Usage: plumb look --depth N FOLDER [options]\n"));
  BOOST_TEST(out.str().find("how far down") != std::string::npos);
  BOOST_TEST(!parse({"-h"}));
}

BOOST_FIXTURE_TEST_CASE(unknown_options_are_refused_by_name, Words) {
  const char* remedy = " `plumb look --help` lists the options";
  BOOST_CHECK_EXCEPTION(parse({"--depht", "3"}), Error,
                        shows(Fault::user, std::string("--depht: unknown option; did you mean "
                                                       "--depth?") +
                                               remedy));
  BOOST_CHECK_EXCEPTION(parse({"--dep", "3"}), Error,
                        shows(Fault::user, "--dep: unknown option; did you mean --depth? `plumb"));
  BOOST_CHECK_EXCEPTION(parse({"--width", "3"}), Error,
                        shows(Fault::user, "--width: unknown option; `plumb look"));
  BOOST_CHECK_EXCEPTION(parse({"-d", "3"}), Error,
                        shows(Fault::user, "-d: unknown option; `plumb look"));
}

BOOST_FIXTURE_TEST_CASE(what_is_missing_or_too_much_is_refused_with_a_remedy, Words) {
  const std::string remedy = "; `plumb look --help` lists the options";
  BOOST_CHECK_EXCEPTION(parse({}), Error,
                        shows(Fault::user, "'--depth' is required but missing" + remedy));
  BOOST_CHECK_EXCEPTION(parse({"--depth"}), Error, shows(Fault::user, "'--depth' is missing"));
  BOOST_CHECK_EXCEPTION(parse({"--depth", "1", "--depth", "2"}), Error,
                        shows(Fault::user, "'--depth' cannot be specified more than once"));
  BOOST_CHECK_EXCEPTION(parse({"--depth", "1", "here", "there"}), Error,
                        shows(Fault::user, "unexpected argument 'there'; give each option"));
}

// Found by fuzzing: Boost's message replaces "%value%" with the argument, finds "%value%" in the
// result, and replaces it again, endlessly.
BOOST_FIXTURE_TEST_CASE(words_that_boosts_messages_would_repeat_without_end_are_refused, Words) {
  std::size_t width = 0;
  console.arguments = {"--width", "%value%"};
  options::options_description list;
  list.add_options()("width", options::value(&width), "how far across");
  BOOST_CHECK_EXCEPTION(
      (void)parse_arguments(console, "plumb look [options]", list), Error,
      shows(Fault::user,
            "an option is invalid; because of the word '%value%', Boost cannot report which one; "
            "`plumb look --help` lists the options"));
  BOOST_CHECK_EXCEPTION(parse({"--%value%", "1"}), Error,
                        shows(Fault::user, "--%value%: unknown option"));
  BOOST_CHECK_EXCEPTION(parse({"--depth", "1", "here", "%value%"}), Error,
                        shows(Fault::user, "unexpected argument '%value%'"));
  BOOST_CHECK_EXCEPTION(parse({"--depth%original_token%="}), Error,
                        shows(Fault::user, "an option is invalid; because of the word '--depth%"));
}

BOOST_AUTO_TEST_SUITE_END()
