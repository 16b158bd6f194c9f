// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/job_setting.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/setting_words.hpp"

using namespace plumb::detail;
using test::read;
using test::refused;

BOOST_AUTO_TEST_SUITE(setting_)

namespace {

enum class Fruit { apple, pear, fig };
[[maybe_unused]] constexpr std::array<Fruit, 3> every(Fruit) {
  return {Fruit::apple, Fruit::pear, Fruit::fig};
}
std::string_view name_of(Fruit fruit) {
  return fruit == Fruit::apple ? "apple" : fruit == Fruit::pear ? "pear" : "fig";
}

using Words = std::vector<std::string>;
using Indices = std::vector<std::size_t>;
using Fruits = std::vector<Fruit>;

struct Settings {
  std::size_t least = 3;
  std::string data = "d";
  Fruit fruit = Fruit::fig;
  std::optional<std::size_t> mark{};
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("min-facts", self.least, SettingInfo{.value = "N"});
    visitor("data", self.data, SettingInfo{.value = "DIR", .recorded = "-"});
    visitor("fruit", self.fruit, SettingInfo{.value = "F", .recorded = "kind"});
    visitor("mark", self.mark, SettingInfo{.value = "N"});
  }
};

/// Checks that each value is written as this text and that the text is read back as the value.
template <class Value>
void check(const Value& value, const std::string& word, const Json& json) {
  BOOST_TEST(setting::to_word(value) == word);
  BOOST_TEST((read<Value>(word) == value));
  BOOST_TEST(setting::to_json(value) == json);
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_convert_to_words_and_json_and_back) {
  check(true, "yes", "yes");
  check(false, "no", "no");
  check<std::size_t>(0, "0", 0);
  check<std::uint64_t>(18446744073709551615U, "18446744073709551615", 18446744073709551615U);
  check<std::string>("a b", "a b", "a b");
  check<std::string>("", "", nullptr);
  check(Fruit::pear, "pear", "pear");
  check(Words{"a", "b"}, "a,b", {"a", "b"});
  check(Words{}, "", Json::array());
  check(Indices{0, 3}, "0,3", {0, 3});
  check(Fruits{Fruit::fig, Fruit::apple}, "fig,apple", {"fig", "apple"});
  check(std::optional<std::size_t>(), "", nullptr);
  check(std::optional<std::size_t>(5), "5", 5);
  BOOST_TEST(read<std::filesystem::path>("dir/t.json") == "dir/t.json");
  BOOST_TEST(setting::to_word(std::filesystem::path("dir/t.json")) == "dir/t.json");
  BOOST_TEST(setting::to_json(std::filesystem::path("dir/t.json")) == "t.json");
  BOOST_TEST(setting::to_json(std::filesystem::path()).is_null());
}

BOOST_AUTO_TEST_CASE(ranges_of_indices_are_sorted_and_each_counts_once) {
  BOOST_TEST((read<Indices>("7,0-2,1") == Indices{0, 1, 2, 7}));
  refused<Indices>("3-1", "'3-1' is not a range; write 0-4");
  for (const std::string odd : {"-1", "1-", "-", "-1-3"}) {
    refused<Indices>(odd, "'" + odd + "' is neither an index (from 0) nor a range; write 0-4,7");
    refused<Indices>("0," + odd, "'" + odd + "' is neither an index (from 0) nor a range");
  }
  BOOST_TEST((read<Indices>("3-3") == Indices{3}));
  BOOST_TEST(read<Indices>("5-10004").size() == 10000U);
  const auto most = std::numeric_limits<std::size_t>::max();
  BOOST_TEST(
      (read<Indices>("18446744073709551614-18446744073709551615") == Indices{most - 1, most}));
  refused<Indices>("0-10000", "'0-10000' is not a range");
  refused<Indices>("0-18446744073709551615", "'0-18446744073709551615' is not a range");
  refused<Indices>("1-2-3", "'2-3' is not a non-negative whole number");
  refused<Indices>("1 - 2", "'1 ' is not a non-negative whole number");
  refused<Indices>("a", "'a' is not a non-negative whole number");
  refused<Indices>("1,,2", "'1,,2' has an empty item");
}

BOOST_AUTO_TEST_CASE(words_that_are_none_are_refused_with_those_that_are) {
  refused<bool>("maybe", "'maybe' is not a valid choice; use yes or no");
  refused<Fruit>("plum", "'plum' is not a valid choice; use apple, pear or fig");
  refused<Fruits>(
      "fig,plum",
      "'plum' is not a valid choice; use apple, pear, fig or several separated by commas");
  refused<Fruits>("fig,fig", "lists 'fig' twice; list it once");
  for (const std::string word : {"a,", ",a", ",", "a,,b"}) {
    refused<Words>(word, "'" + word + "' has an empty item; write a,b,c");
  }
  for (const char* word :
       {"", "-1", "+1", "0x10", "ten", "1.5", "1e3", " 1", "1 ", "18446744073709551616x"}) {
    refused<std::uint64_t>(word, "'" + std::string(word) + "' is not a non-negative whole number");
  }
  refused<std::uint64_t>("18446744073709551616",
                         "18446744073709551616 is too large; use at most 18446744073709551615");
  refused<std::optional<std::size_t>>("x", "'x' is not a non-negative whole number");
}

BOOST_AUTO_TEST_CASE(what_decides_the_results_is_recorded_under_its_name) {
  BOOST_TEST((recorded_settings(Settings{}) ==
              Json{{"min_facts", 3}, {"kind", "fig"}, {"mark", nullptr}}));
}

BOOST_AUTO_TEST_CASE(first_matching_rule_explains_why_a_setting_has_no_effect) {
  IdleRules rules;
  rules.when(false, "never", {"bos"});
  rules.when(true, "without shots", {"seed", "seeds"});
  rules.when(true, "later", {"seed", "limit"});
  BOOST_TEST(rules.reason("seed") == "without shots");
  BOOST_TEST(rules.reason("limit") == "later");
  BOOST_TEST(rules.reason("bos") == "");
  std::vector<std::string> heard;
  const auto receive = [&](const char* name, auto&, const SettingInfo& info) {
    heard.push_back(std::string(name) + ": " + info.idle);
  };
  const auto setting = rules.around(receive);
  std::size_t value = 0;
  setting("seeds", value, {});
  setting("seed", value, {.idle = "its own"});
  BOOST_TEST(heard == (std::vector<std::string>{"seeds: without shots", "seed: its own"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
