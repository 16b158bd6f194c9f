// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/job_options.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"

using namespace plumb;
using detail::JobArguments;
using test::says;

BOOST_AUTO_TEST_SUITE(job_options)

namespace {

using Words = std::vector<std::string>;

/// Parses the words as those of `plumb go`.
JobArguments parse(Words words, bool with_data = true) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  detail::JobOptions options;
  detail::options::options_description list;
  options.describe_folders(list);
  options.describe_model(list, "first N");
  const auto values = detail::parse_arguments(console, "plumb go [options]", list);
  return options.parse_job(values.value(), "plumb go", with_data);
}

JobArguments with(Words words) {
  words.insert(words.begin(), {"--data", "d", "--model", "m", "--out", "o"});
  return parse(std::move(words));
}

void refused(const Words& words, const std::string& message) {
  BOOST_CHECK_EXCEPTION((void)with(words), Error, says(Fault::user, words[0] + ": " + message));
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_not_given_has_its_default) {
  const JobArguments parsed = with({});
  BOOST_TEST(parsed.data == "d");
  BOOST_TEST(parsed.model.model == "m");
  BOOST_TEST(parsed.out == "o");
  BOOST_TEST(parsed.relations.empty());
  BOOST_TEST(parsed.limit == 0U);
  BOOST_TEST(parsed.bos);
  BOOST_TEST(parsed.model.exact);
  BOOST_TEST(parsed.model.threads >= 1);  // one for each core
  BOOST_TEST(parsed.seed == 0U);
  BOOST_TEST(!parsed.resume);
  BOOST_TEST((parsed.special_tokens == SpecialTokenReading::refuse));
  BOOST_TEST(!parsed.model.parse_special_tokens);
}

BOOST_AUTO_TEST_CASE(what_is_given_is_taken) {
  const JobArguments parsed =
      with({"--relations", "P36,P30", "--limit", "5", "--bos", "no", "--precision", "fast",
            "--threads", "1024", "--seed", "9", "--resume"});
  BOOST_TEST((parsed.relations == Words{"P36", "P30"}));
  BOOST_TEST(parsed.limit == 5U);
  BOOST_TEST(!parsed.bos);
  BOOST_TEST(!parsed.model.exact);
  BOOST_TEST(parsed.model.threads == 1024);
  BOOST_TEST(parsed.seed == 9U);
  BOOST_TEST(parsed.resume);
}

BOOST_AUTO_TEST_CASE(special_tokens_are_text_or_parsed) {
  const JobArguments text = with({"--special-tokens", "text"});
  BOOST_TEST((text.special_tokens == SpecialTokenReading::text));
  BOOST_TEST(!text.model.parse_special_tokens);
  const JobArguments parsed = with({"--special-tokens", "parse"});
  BOOST_TEST((parsed.special_tokens == SpecialTokenReading::parse));
  BOOST_TEST(parsed.model.parse_special_tokens);
}

BOOST_AUTO_TEST_CASE(what_is_required_is_named_when_it_is_missing) {
  const Words all{"--data", "d", "--model", "m", "--out", "o"};
  for (std::size_t left_out = 0; left_out < all.size(); left_out += 2) {
    Words words = all;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(left_out),
                words.begin() + static_cast<std::ptrdiff_t>(left_out) + 2);
    BOOST_CHECK_EXCEPTION((void)parse(words), Error,
                          says(Fault::user, all[left_out] + ": is required but missing; `plumb go "
                                                            "--help` tells more"));
  }
}

BOOST_AUTO_TEST_CASE(a_dataset_may_be_left_out_where_the_command_has_another_source) {
  const JobArguments parsed = parse({"--model", "m", "--out", "o"}, false);
  BOOST_TEST(parsed.data.empty());
  BOOST_CHECK_EXCEPTION((void)parse({"--out", "o"}, false), Error,
                        says(Fault::user, "--model: is required but missing"));
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused_by_name) {
  refused({"--threads", "1025"}, "is more than 1024; 0 takes one for each core");
  refused({"--threads", "two"}, "'two' is not a whole number from 0");
  refused({"--relations", "a,"}, "'a,' has an empty item");
  refused({"--relations", ""}, "names nothing; give it a value, or leave it out");
  refused({"--special-tokens", "yes"}, "'yes' is not a choice; say text or parse");
  refused({"--special-tokens", ""}, "names nothing; give it a value");
  refused({"--precision", "half"}, "'half' is not a choice; say exact or fast");
  refused({"--bos", "maybe"}, "'maybe' is not a choice; say yes or no");
  refused({"--limit", "-"}, "'-' is not a whole number from 0");
  refused({"--seed", "1.5"}, "'1.5' is not a whole number from 0");
}

BOOST_AUTO_TEST_SUITE_END()
