// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/config_file.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/cli/arguments.hpp"
#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::shows;

BOOST_AUTO_TEST_SUITE(config_file)

namespace {

using Words = std::vector<std::string>;

/// The arguments of `plumb look`, with and without a configuration file.
struct Look {
  options::variables_map parse(Words words) {
    console.arguments = std::move(words);
    console.asked = {};
    options::options_description list;
    list.add_options()("limit", options::value<std::string>()->default_value("0"), "")(
        "min-facts", options::value<std::string>(), "")("relations", options::value<std::string>(),
                                                        "")("stop", options::value<Words>(), "")(
        "heads", "");
    add_config(list);
    return *parse_arguments(console, "plumb look [options]", list);
  }
  options::variables_map from(const std::string& text, Words words = {}) {
    words.insert(words.end(), {"--config", folder.write("c.json", text).string()});
    return parse(std::move(words));
  }
  void refused(const std::string& text, const std::string& message) {
    BOOST_CHECK_EXCEPTION((void)from(text), Error, shows(Fault::user, message));
  }

  test::TemporaryFolder folder;
  std::ostringstream out, err;
  Console console{{}, out, err};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(keys_are_options_and_values_their_words, Look) {
  const auto values = from(R"({"limit": 20, "min_facts": "7", "relations": ["P36", "P30"],
                               "stop": ["a", "\n"], "heads": true})");
  BOOST_TEST(values["limit"].as<std::string>() == "20");
  BOOST_TEST(values["min-facts"].as<std::string>() == "7");
  BOOST_TEST(values["relations"].as<std::string>() == "P36,P30");
  BOOST_TEST((values["stop"].as<Words>() == Words{"a", "\n"}));
  BOOST_TEST(values.contains("heads"));
  const auto others = from(R"({"min-facts": false, "stop": "one", "heads": false, "limit": null})");
  BOOST_TEST(others["min-facts"].as<std::string>() == "no");
  BOOST_TEST((others["stop"].as<Words>() == Words{"one"}));
  BOOST_TEST(!others.contains("heads"));
  BOOST_TEST(others["limit"].as<std::string>() == "0");
  BOOST_TEST(others["limit"].defaulted());
  BOOST_TEST(console.asked.record.empty());
}

BOOST_FIXTURE_TEST_CASE(what_the_command_line_gives_wins, Look) {
  const auto values =
      from(R"({"limit": 20, "stop": ["a", "b"], "min-facts": 3})", {"--limit", "5", "--stop", "c"});
  BOOST_TEST(values["limit"].as<std::string>() == "5");
  BOOST_TEST((values["stop"].as<Words>() == Words{"c"}));
  BOOST_TEST(values["min-facts"].as<std::string>() == "3");
}

BOOST_FIXTURE_TEST_CASE(invalid_entries_are_refused_with_file_and_key, Look) {
  const std::string file = (folder / "c.json").string();
  refused(
      R"({"limt": 1})",
      file + ": limt: unknown option; did you mean limit? `plumb look --help` lists the options");
  refused(R"({"config": "other.json"})", file + ": config: unknown option");
  refused(R"({"help": true})", file + ": help: unknown option");
  refused(R"({"limit": {"a": 1}})", file + ": limit: is not a string, a number or a list of these");
  refused(R"({"stop": [["a"]]})", file + ": stop: is not a string, a number or a list of these");
  refused(R"({"heads": 3})", file + ": heads: is a switch; write true or false");
  refused(R"([1])", file + ":1: is JSON but not an object");
  refused(R"({"limit": )", file + ":1: not JSON");
  refused(R"({"relations": ""})", "--relations: has an empty value");
  BOOST_CHECK_EXCEPTION((void)parse({"--config", file + "x"}), Error,
                        shows(Fault::user, "c.jsonx"));
}

BOOST_FIXTURE_TEST_CASE(a_run_json_gives_the_options_of_its_run, Look) {
  const auto run = [](const std::string& command) {
    return R"({"status": "complete", "settings": {}, "command_line": ["plumb", ")" + command +
           R"(", "--limit", "9"], "options": {"limit": "9", "heads": true}})";
  };
  const auto values = from(run("look"), {"--limit", "4"});
  BOOST_TEST(values["limit"].as<std::string>() == "4");
  BOOST_TEST(values.contains("heads"));
  BOOST_TEST(console.asked.record == (folder / "c.json").string());
  BOOST_TEST((console.asked.of_config == Words{"heads"}));
  refused(run("see"),
          "c.json: command_line: the run was made by plumb see; use it with that command");
  refused(R"({"status": "complete", "settings": {}, "command_line": ["plumb", "look"]})",
          "c.json: options: is missing: an earlier version of plumb");
}

BOOST_AUTO_TEST_SUITE_END()
