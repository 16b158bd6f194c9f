// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/help.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/console_run.hpp"

BOOST_AUTO_TEST_SUITE(help_suite)

using namespace plumb;
using namespace plumb::detail;
using test::run_words;

namespace {

const std::vector<std::vector<std::string>> commands{
    {"probe"}, {"many-shot"}, {"rank"},   {"generate"}, {"calibrate"},       {"compare"},
    {"merge"}, {"report"},    {"models"}, {"data"},     {"data", "prompts"}, {"data", "overlap"}};

std::string help_for(std::vector<std::string> words, bool all) {
  words.emplace_back("--help");
  if (all) words.emplace_back("all");
  const test::ConsoleRun run = run_words(std::move(words));
  BOOST_TEST(run.code == 0);
  return run.out;
}

/// The options ("--data", …) at the start of lines that are indented by two spaces.
std::set<std::string> options_in(const std::string& page) {
  std::set<std::string> found;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  --")) continue;
    found.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_page_has_an_example_and_fits_80_columns) {
  for (const auto& words : commands) {
    for (const bool all : {false, true}) {
      const std::string page = help_for(words, all);
      BOOST_TEST(page.starts_with("Example: plumb " + words.front()));
      std::istringstream lines(page);
      for (std::string line; std::getline(lines, line);) {
        BOOST_TEST(count_code_points(line) <= 80, line);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_option_has_a_group) {
  for (const auto& words : commands) {
    BOOST_TEST(help_for(words, true).find("\nOther\n") == std::string::npos, words.back());
  }
}

BOOST_AUTO_TEST_CASE(every_listed_option_exists_once) {
  std::set<std::string> known, listed;
  for (const auto& words : commands) known.merge(options_in(help_for(words, true)));
  for (const HelpGroup& group : help_groups()) {
    for (const auto& names : {group.usual, group.rare}) {
      for (const std::string_view name : names) {
        const std::string option = "--" + std::string(name);
        BOOST_TEST(known.contains(option), option);
        BOOST_TEST(listed.insert(option).second, option);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rare_options_appear_only_in_the_whole_help) {
  const auto usual = options_in(help_for({"probe"}, false)),
             all = options_in(help_for({"probe"}, true));
  BOOST_TEST(!usual.contains("--pack"));
  BOOST_TEST(all.contains("--pack"));
  BOOST_TEST(!usual.contains("--template-file"));
  BOOST_TEST(all.contains("--template-file"));
  const std::string more =
      std::to_string(all.size() - usual.size()) + " more options: plumb probe --help all\n";
  BOOST_TEST(help_for({"probe"}, false).ends_with(more));
  BOOST_TEST(help_for({"probe"}, true).find("more options") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(examples_name_options_that_their_commands_have) {
  for (const auto& words : commands) {
    const std::string page = help_for(words, true);
    const auto known = options_in(page);
    std::istringstream example(page.substr(0, page.find('\n')));
    for (std::string word; example >> word;) {
      if (word.starts_with("--")) BOOST_TEST(known.contains(word), word);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_long_name_has_its_description_below) {
  BOOST_TEST(help_lines({"n", "N", "3", "number"}) ==
             "  --n N                   number [default: 3]\n");
  BOOST_TEST(help_lines({"a-very-long-option", "VALUE", "", "text"}) ==
             "  --a-very-long-option VALUE\n                          text\n");
}

BOOST_AUTO_TEST_CASE(a_command_is_the_words_before_its_arguments) {
  BOOST_TEST(command_of("plumb data prompts RUN [--ids]") == "data prompts");
  BOOST_TEST(command_of("plumb data check|describe DIR") == "data");
  BOOST_TEST(command_of("plumb probe --data DIR") == "probe");
  BOOST_TEST(command_of("plumb") == "");
}

BOOST_AUTO_TEST_SUITE_END()
