// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/arguments.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(arguments)

namespace {

struct Words {
  /// Parses the words as those of `plumb look --depth N FOLDER`.
  bool parse(std::vector<std::string> words) {
    console.arguments = std::move(words);
    detail::options::options_description list;
    list.add_options()("depth", detail::options::value(&depth)->required(), "how far down")(
        "folder", detail::options::value(&folder)->default_value("."), "where");
    detail::options::positional_options_description positional;
    positional.add("folder", 1);
    return detail::parse_arguments(console, "plumb look --depth N FOLDER [options]", list,
                                   positional)
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

BOOST_FIXTURE_TEST_CASE(what_is_not_understood_is_refused_by_name, Words) {
  const char* remedy = "; `plumb look --help` lists what there is";
  BOOST_CHECK_EXCEPTION(parse({"--depht", "3"}), Error,
                        says(Fault::user, std::string("--depht: unknown option") + remedy));
  BOOST_CHECK_EXCEPTION(parse({"--dep", "3"}), Error, says(Fault::user, "--dep: unknown option"));
  BOOST_CHECK_EXCEPTION(parse({"-d", "3"}), Error, says(Fault::user, "-d: unknown option"));
}

BOOST_FIXTURE_TEST_CASE(what_is_missing_or_too_much_is_refused_with_a_remedy, Words) {
  const std::string remedy = "; `plumb look --help` tells more";
  BOOST_CHECK_EXCEPTION(parse({}), Error,
                        says(Fault::user, "'--depth' is required but missing" + remedy));
  BOOST_CHECK_EXCEPTION(parse({"--depth"}), Error, says(Fault::user, "'--depth' is missing"));
  BOOST_CHECK_EXCEPTION(parse({"--depth", "1", "--depth", "2"}), Error,
                        says(Fault::user, "'--depth' cannot be specified more than once"));
  BOOST_CHECK_EXCEPTION(parse({"--depth", "1", "here", "there"}), Error,
                        says(Fault::user, "too many positional options"));
}

BOOST_AUTO_TEST_CASE(a_list_is_split_at_commas) {
  using List = std::vector<std::string>;
  BOOST_TEST((detail::parse_list("P36,P30", "--relations") == List{"P36", "P30"}));
  BOOST_TEST((detail::parse_list("P36", "--relations") == List{"P36"}));
  BOOST_TEST(detail::parse_list("", "--relations").empty());
  for (const char* wrong : {",", "P36,", ",P36", "P36,,P30"}) {
    BOOST_CHECK_EXCEPTION(
        (void)detail::parse_list(wrong, "--relations"), Error,
        says(Fault::user, "--relations: '" + std::string(wrong) + "' has an empty"));
  }
}

BOOST_AUTO_TEST_CASE(a_count_is_a_whole_number_from_zero) {
  BOOST_TEST(detail::parse_count("0", "--limit") == 0U);
  BOOST_TEST(detail::parse_count("007", "--limit") == 7U);
  BOOST_TEST(detail::parse_count("18446744073709551615", "--seed") == UINT64_MAX);
  for (const char* wrong :
       {"", "-1", "+1", "1.5", "1e3", "0x10", " 1", "1 ", "ten", "18446744073709551616"}) {
    BOOST_CHECK_EXCEPTION(
        (void)detail::parse_count(wrong, "--limit"), Error,
        says(Fault::user, "--limit: '" + std::string(wrong) + "' is not a whole number from 0"));
  }
}

BOOST_AUTO_TEST_CASE(indices_are_single_ones_and_ranges) {
  using Indices = std::vector<std::size_t>;
  BOOST_TEST((detail::parse_indices("0-4,7", "--paraphrases") == Indices{0, 1, 2, 3, 4, 7}));
  BOOST_TEST((detail::parse_indices("7,0-2,1,7", "--paraphrases") == Indices{0, 1, 2, 7}));
  BOOST_TEST((detail::parse_indices("3-3", "--paraphrases") == Indices{3}));
  BOOST_TEST(detail::parse_indices("", "--paraphrases").empty());
  BOOST_TEST(detail::parse_indices("5-10004", "--paraphrases").size() == 10000U);
  for (const char* wrong : {"4-0", "5-10005", "0-18446744073709551615"}) {
    BOOST_CHECK_EXCEPTION(
        (void)detail::parse_indices(wrong, "--paraphrases"), Error,
        says(Fault::user, "--paraphrases: '" + std::string(wrong) + "' is not a range; write 0-4"));
  }
  for (const char* wrong : {"-1", "1-", "1-2-3", "a", "1 - 2"}) {
    BOOST_CHECK_EXCEPTION((void)detail::parse_indices(wrong, "--paraphrases"), Error,
                          says(Fault::user, "' is not a whole number from 0"));
  }
  BOOST_CHECK_EXCEPTION((void)detail::parse_indices("0,,1", "--paraphrases"), Error,
                        says(Fault::user, "--paraphrases: '0,,1' has an empty item"));
}

BOOST_AUTO_TEST_SUITE_END()
