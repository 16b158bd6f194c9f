// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/setting_options.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/option_errors.hpp"

using namespace plumb::detail;
using test::shows;

BOOST_AUTO_TEST_SUITE(setting_options)

namespace {

using Words = std::vector<std::string>;

enum class Reading { none, text, parse };
/// The default is not among the values that can be set.
[[maybe_unused]] constexpr std::array<Reading, 2> every(Reading) {
  return {Reading::text, Reading::parse};
}
std::string_view name_of(Reading reading) {
  return reading == Reading::text ? "text" : reading == Reading::parse ? "parse" : "none";
}

struct Settings {
  std::string data{}, separator = " ";
  Words relations{};
  std::size_t shots = 4;
  std::uint64_t seeds = 5;
  std::size_t samples = 0, tokens = 16;
  Reading reading = Reading::none;
  bool bos = true, heads = false;
  std::optional<std::size_t> mark{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("data", self.data, SettingInfo{.value = "DIR", .help = "what is asked"});
    visitor("pair-separator", self.separator, SettingInfo{.value = "TEXT"});
    visitor("relations", self.relations, SettingInfo{.value = "A,B"});
    visitor("shots", self.shots,
            SettingInfo{.value = "N",
                        .help = "how many",
                        .least = 1,
                        .most = 1000,
                        .remedy = "for none say otherwise"});
    visitor("seeds", self.seeds, SettingInfo{.value = "N", .least = 1});
    visitor("samples", self.samples, SettingInfo{.value = "N", .most = 1'000'000});
    visitor("tokens", self.tokens,
            SettingInfo{.value = "N", .least = 1, .most = 10'000, .variable = "TOKENS"});
    visitor("reading", self.reading, SettingInfo{.value = "text|parse"});
    visitor("bos", self.bos, SettingInfo{.value = "yes|no"});
    visitor("heads", self.heads, SettingInfo{.help = "also heads"});
    visitor("mark", self.mark,
            SettingInfo{.value = "N", .idle = self.heads ? "" : "without --heads; say --heads"});
  }
};

options::options_description options_of(const Settings& defaults = {}) {
  std::ostringstream out;
  const Console console{{}, out, out};
  options::options_description list;
  describe_settings(list, defaults, console);
  return list;
}

Settings parse(Words words, Settings settings = {},
               std::function<std::string(const char*)> environment = {}) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  console.environment = std::move(environment);
  const auto values = parse_arguments(console, "plumb go", options_of(settings));
  read_settings(values.value(), console, settings);
  return settings;
}

void refused(const Words& words, const std::string& message) {
  BOOST_CHECK_EXCEPTION((void)parse(words), Error, shows(Fault::user, words[0] + ": " + message));
}

}  // namespace

BOOST_AUTO_TEST_CASE(omitted_options_keep_their_current_values) {
  const Settings parsed = parse({});
  BOOST_TEST(parsed.data.empty());
  BOOST_TEST(parsed.separator == " ");
  BOOST_TEST(parsed.shots == 4U);
  BOOST_TEST((parsed.reading == Reading::none));
  BOOST_TEST(parsed.bos);
  BOOST_TEST(!parsed.heads);
  BOOST_TEST(!parsed.mark);
  Settings others;
  others.shots = 7;
  others.relations = {"P36"};
  BOOST_TEST(parse({}, others).shots == 7U);
  BOOST_TEST((parse({}, others).relations == Words{"P36"}));
}

BOOST_AUTO_TEST_CASE(what_is_given_is_taken) {
  const Settings parsed =
      parse({"--data", "d", "--pair-separator", "", "--relations=P36,P30", "--shots", "1000",
             "--reading", "parse", "--bos", "no", "--heads", "--mark", "0"});
  BOOST_TEST(parsed.data == "d");
  BOOST_TEST(parsed.separator.empty());
  BOOST_TEST((parsed.relations == Words{"P36", "P30"}));
  BOOST_TEST(parsed.shots == 1000U);
  BOOST_TEST((parsed.reading == Reading::parse));
  BOOST_TEST(!parsed.bos);
  BOOST_TEST(parsed.heads);
  BOOST_TEST((parsed.mark == std::optional<std::size_t>(0)));
}

BOOST_AUTO_TEST_CASE(help_shows_defaults_and_what_stands_for_a_value) {
  std::ostringstream out;
  out << options_of();
  const std::string help = out.str();
  BOOST_TEST(help.find("--data DIR ") != std::string::npos);
  BOOST_TEST(help.find("what is asked") != std::string::npos);
  BOOST_TEST(help.find("--shots N (=4)") != std::string::npos);
  BOOST_TEST(help.find("--bos yes|no (=yes)") != std::string::npos);
  BOOST_TEST(help.find("--reading text|parse") != std::string::npos);
  BOOST_TEST(help.find("--reading text|parse (=") == std::string::npos);  // without a default
  BOOST_TEST(help.find("--heads ") != std::string::npos);
  BOOST_TEST(help.find("--relations A,B") != std::string::npos);
  BOOST_TEST(help.find("--relations A,B (=") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(words_that_are_none_are_refused_by_the_option) {
  refused({"--shots", "x"}, "'x' is not a non-negative whole number");
  refused({"--shots", "0"}, "0 is not between 1 and 1000; for none say otherwise");
  refused({"--shots", "1001"}, "1001 is not between 1 and 1000");
  refused({"--seeds", "0"}, "0 is less than 1");
  refused({"--samples", "1000001"}, "1,000,001 is more than 1,000,000");
  refused({"--tokens", "0"}, "0 is not between 1 and 10,000");
  refused({"--reading", "none"}, "'none' is not a valid choice; use text or parse");
  refused({"--bos", "maybe"}, "'maybe' is not a valid choice; use yes or no");
  refused({"--data", ""}, "has an empty value; give it a value");
}

BOOST_AUTO_TEST_CASE(options_without_effect_are_refused_with_a_remedy) {
  refused({"--mark", "3"}, "has no effect without --heads; say --heads");
  BOOST_TEST(parse({"--mark", "3", "--heads"}).mark.value() == 3U);
}

BOOST_AUTO_TEST_CASE(a_variable_stands_for_an_option_that_is_not_given) {
  const auto with = [](const std::string& word) {
    return [word](const char* name) { return std::string(name) == "TOKENS" ? word : "7"; };
  };
  BOOST_TEST(parse({}, {}, with("5")).tokens == 5U);
  BOOST_TEST(parse({"--tokens", "6"}, {}, with("5")).tokens == 6U);
  BOOST_TEST(parse({"--tokens", "6"}, {}, with("x")).tokens == 6U);
  BOOST_TEST(parse({}, {}, with("")).tokens == 16U);  // as if it were not set
  BOOST_TEST(parse({}, {}, with("5")).shots == 4U);   // has none
  BOOST_CHECK_EXCEPTION((void)parse({}, {}, with("x")), Error,
                        shows(Fault::user, "TOKENS`: 'x' is not a non-negative whole number"));
  BOOST_CHECK_EXCEPTION((void)parse({}, {}, with("0")), Error,
                        shows(Fault::user, "TOKENS`: 0 is not between 1 and 10,000"));
  std::ostringstream help;
  help << options_of();
  BOOST_TEST(help.str().find("(TOKENS if not given)") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
