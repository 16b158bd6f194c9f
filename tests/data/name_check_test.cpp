// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/name_check.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(name_check)

namespace {

/// The problems reported for a single name, with the start and the remedy of each message removed.
std::vector<std::string> said_of(const std::string& name, bool is_name = true) {
  std::vector<std::string> said;
  NameCheck check("name", is_name);
  check.add(name, {.file = "f"});
  check.report([&](const Error& error) { said.emplace_back(error.what()); });
  return said;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_kind_of_oddity_is_reported) {
  const std::vector<std::pair<std::string, std::string>> odd{
      {"\"Paris\"", "is in quotes"},
      {"'Paris'", "is in quotes"},
      {"Paris ", "begins or ends with white space"},
      {" Paris", "begins or ends with white space"},
      {"La  Paz", "has two consecutive white-space characters"},
      {"La\u00A0Paz", "contains a no-break or other special space"},
      {"10\u202F000", "contains a no-break or other special space"},
      {"Pa\u200Bris", "contains an invisible character"},
      {"\uFEFFParis", "contains an invisible character"},
      {"Pa\u00ADris", "contains an invisible character"},
      {"Zu\u0308rich", "is not in Unicode's composed form, NFC"},
      {"\u212Bngstr\u00F6m", "is not in Unicode's composed form, NFC"},
      {"\uFF30aris", "contains full-width Latin letters or digits"},
      {"Z\uFFFDrich", "contains the replacement character U+FFFD"}};
  for (const auto& [name, words] : odd) {
    BOOST_TEST_CONTEXT(name) {
      const auto said = said_of(name);
      BOOST_REQUIRE(said.size() == 1U);
      BOOST_TEST(said[0].find("name '" + name + "' " + words) != std::string::npos, said[0]);
    }
  }
  // A trailing no-break space causes both problems.
  BOOST_TEST(said_of("Paris\u00A0").size() == 2U);
}

BOOST_AUTO_TEST_CASE(usual_names_are_passed_over) {
  for (const std::string name :
       {"Paris", "N'Djamena", "'s-Hertogenbosch", "Côte d'Ivoire", "the \"Horn\"", "北京",
        "東京　都", "（株）", "می\u200Cخواهم", "Łódź", "\"Heroes", "a", "\"", "", " "}) {
    BOOST_TEST(said_of(name).empty(), name);
  }
}

BOOST_AUTO_TEST_CASE(one_quoted_name_among_plain_ones_is_reported) {
  for (const std::string quoted :
       {"\"Paris\"", "'Paris'", "`Paris`", "\u201CParis\u201D", "\u201EParis\u201C",
        "\u2018Paris\u2019", "\u201AParis\u2018", "\u00ABParis\u00BB", "\u00BBParis\u00AB",
        "\u2039Paris\u203A", "\u300CParis\u300D", "\uFF02Paris\uFF02"}) {
    std::vector<std::string> said;
    NameCheck check("name");
    for (const std::string& name : {std::string("Rome"), quoted, std::string("Bern")}) {
      check.add(name, {.file = "f"});
    }
    check.report([&](const Error& error) { said.emplace_back(error.what()); });
    BOOST_REQUIRE_MESSAGE(said.size() == 1U, quoted);
    BOOST_TEST(said[0] == "f: name '" + quoted +
                              "' is in quotes; remove them unless they belong to the name; plumb "
                              "treats them as part of it");
  }
  // One name in quotes is reported among 20 names, but not among 21.
  for (const std::size_t others : {19U, 20U}) {
    std::size_t said = 0;
    NameCheck check("name");
    check.add("\"Heroes\"", {.file = "f"});
    for (std::size_t i = 0; i < others; ++i) check.add("song " + std::to_string(i), {.file = "f"});
    check.report([&](const Error&) { ++said; });
    BOOST_TEST(said == (others == 19U ? 1U : 0U));
  }
  for (const std::string plain : {"\u201CHeroes", "rock 'n'", "\u00AB", "O\u2019", "a\"b"}) {
    BOOST_TEST(said_of(plain).empty(), plain);
  }
}

BOOST_AUTO_TEST_CASE(templates_may_end_in_a_space_or_a_quote) {
  BOOST_TEST(said_of("[X] is [Y] ", false).empty());
  BOOST_TEST(said_of("\"[X]\" and \"[Y]\"", false).empty());
  BOOST_TEST(said_of("[X]  is [Y]", false).size() == 1U);
  BOOST_TEST(said_of("[X]\u00A0is [Y]", false).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_kind_is_reported_once_with_how_many_names_have_it) {
  std::vector<std::string> said;
  NameCheck check("subject");
  for (const char* name : {"A", "B ", "C ", "B ", "D"}) check.add(name, {"f.tsv", 7});
  check.report([&](const Error& error) { said.emplace_back(error.what()); });
  BOOST_REQUIRE(said.size() == 1U);
  BOOST_TEST(
      said[0] ==
      "f.tsv:7: subject 'B ' begins or ends with white space (and 1 subject more); remove it");
}

BOOST_AUTO_TEST_CASE(texts_that_look_alike_have_the_same_key) {
  using plumb::detail::appearance_key;
  BOOST_TEST(appearance_key("N\u2019Djamena") == "n'djamena");
  BOOST_TEST(appearance_key("\u201CX\u201D \u2013 y") == "\"x\" - y");
  BOOST_TEST(appearance_key("Zu\u0308rich") == "z\u00FCrich");
  BOOST_TEST(appearance_key("\uFF30\uFF41\uFF52\uFF49\uFF53") == "paris");
  BOOST_TEST(appearance_key("\uFEFFPa\u200Bris\u200E") == "paris");
  BOOST_TEST(appearance_key("M\u00FCnchen") != appearance_key("Munchen"));
}

BOOST_AUTO_TEST_SUITE_END()
