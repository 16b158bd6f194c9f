// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/many_prompt_words.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/generate_console.hpp"

using namespace plumb;
using test::LittleWordNet;
using test::says;

BOOST_AUTO_TEST_SUITE(many_prompt_words)

namespace {

using Words = std::vector<std::string>;

/// The options as a command has them, and what was given of them.
struct Given {
  explicit Given(Words given) {
    std::ostringstream out, err;
    Console console{std::move(given), out, err};
    values = detail::parse_settings(console, "plumb look [options]", measuring).value();
  }

  MeasuringSettings measuring;
  detail::options::variables_map values;
};

/// The settings, completed from a run.json.
MeasuringSettings recorded(Words words, const Json& run) {
  const test::TemporaryFolder folder;
  Given given(std::move(words));
  detail::take_recorded(given.values, folder.write("run.json", run.dump()), given.measuring);
  return given.measuring;
}

const Json finished{{"settings", {{"lemmas", "wordnet"}, {"samplings", 70}, {"sample_by", "fact"}}},
                    {"wordnet", "/else/where"}};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_not_given_has_its_default) {
  const Given given({});
  BOOST_TEST(given.measuring.wordnet == "/usr/share/wordnet");
  const ManyPromptOptions parsed = given.measuring.options(9);
  BOOST_TEST(parsed.samplings == 50000U);
  BOOST_TEST((parsed.by == SampleBy::relation));
  BOOST_TEST(parsed.seed == 9U);
  BOOST_TEST(parsed.bootstrap.seed == 9U);
  BOOST_TEST(parsed.bootstrap.resamples == Bootstrap{}.resamples);
}

BOOST_AUTO_TEST_CASE(what_is_given_is_taken) {
  const Given given({"--wordnet", "none", "--samplings", "10000000", "--sample-by", "fact"});
  BOOST_TEST(given.measuring.wordnet == "none");
  BOOST_TEST(given.measuring.options(0).samplings == 10'000'000U);
  BOOST_TEST((given.measuring.options(0).by == SampleBy::fact));
}

BOOST_AUTO_TEST_CASE(words_that_are_not_understood_are_refused) {
  const auto refused = [](Words words, const std::string& message) {
    BOOST_CHECK_EXCEPTION((void)Given(std::move(words)).measuring.options(0), Error,
                          says(Fault::user, message));
  };
  refused({"--samplings", "0"}, "--samplings: is not between 1 and 10,000,000; say 50000");
  refused({"--samplings", "10000001"}, "--samplings: is not between 1 and 10,000,000");
  refused({"--samplings", "many"}, "--samplings: 'many' is not a whole number from 0");
  refused({"--sample-by", "prompt"}, "--sample-by: 'prompt' is not a choice; say fact or relation");
}

BOOST_AUTO_TEST_CASE(lemmas_come_from_a_folder_or_words_stay_as_they_are) {
  const LittleWordNet wordnet;
  const AnswerLemmas known = Given({"--wordnet", wordnet.path()}).measuring.lemmas();
  BOOST_TEST(known.known());
  BOOST_TEST(known("gases") == "gas");
  BOOST_TEST(detail::lemmas_word(known) == "wordnet");
  const AnswerLemmas none = Given({"--wordnet", "none"}).measuring.lemmas();
  BOOST_TEST(!none.known());
  BOOST_TEST(none("gases") == "gases");
  BOOST_TEST(detail::lemmas_word(none) == "none");
  const test::TemporaryFolder empty;
  BOOST_CHECK_EXCEPTION(
      (void)Given({"--wordnet", empty.path().string()}).measuring.lemmas(), Error,
      says(Fault::user, "index.noun: cannot be read; install wordnet-base or name a folder with"));
}

BOOST_AUTO_TEST_CASE(a_run_keeps_what_it_was_measured_with) {
  const auto kept = recorded({}, finished);
  BOOST_TEST(kept.wordnet == "/else/where");
  BOOST_TEST(kept.samplings == 70U);
  BOOST_TEST((kept.sample_by == SampleBy::fact));
}

BOOST_AUTO_TEST_CASE(what_is_said_anew_is_taken_even_where_it_is_the_default) {
  const auto anew =
      recorded({"--wordnet", "none", "--samplings", "50000", "--sample-by", "relation"}, finished);
  BOOST_TEST(anew.wordnet == "none");
  BOOST_TEST(anew.samplings == 50000U);
  BOOST_TEST((anew.sample_by == SampleBy::relation));
  const auto some = recorded({"--samplings", "8"}, finished);
  BOOST_TEST(some.wordnet == "/else/where");
  BOOST_TEST(some.samplings == 8U);
  BOOST_TEST((some.sample_by == SampleBy::fact));
}

// A run that is stopped knows its settings alone.
BOOST_AUTO_TEST_CASE(a_run_without_lemmas_needs_no_wordnet_even_if_it_is_not_complete) {
  BOOST_TEST(recorded({}, {{"settings", {{"lemmas", "none"}}}}).wordnet == "none");
  BOOST_TEST(recorded({}, {{"settings", {{"lemmas", "wordnet"}}}}).wordnet == "/usr/share/wordnet");
  BOOST_TEST(recorded({"--wordnet", "/here"}, {{"settings", {{"lemmas", "none"}}}}).wordnet ==
             "/here");
}

BOOST_AUTO_TEST_CASE(what_a_run_does_not_say_stays) {
  for (const Json& run :
       {Json::object(), Json{{"settings", nullptr}}, Json{{"settings", "of old"}},
        Json{{"settings", {{"samplings", "many"}, {"sample_by", 3}, {"lemmas", 1}}},
             {"wordnet", 4}}}) {
    const auto kept = recorded({}, run);
    BOOST_TEST(kept.wordnet == "/usr/share/wordnet");
    BOOST_TEST(kept.samplings == 50000U);
    BOOST_TEST((kept.sample_by == SampleBy::relation));
  }
  Given given({});
  detail::take_recorded(given.values, "/there/is/no/run.json", given.measuring);
  BOOST_TEST(given.measuring.samplings == 50000U);
}

BOOST_AUTO_TEST_SUITE_END()
