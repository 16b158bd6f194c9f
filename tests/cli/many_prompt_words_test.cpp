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
using test::GenerationFolder;
using test::LittleWordNet;
using test::says;
using test::slurp;

BOOST_AUTO_TEST_SUITE(many_prompt_words)

namespace {

using Words = std::vector<std::string>;

/// The options as a command has them, and what was given of them.
struct Given {
  explicit Given(Words given) {
    std::ostringstream out, err;
    Console console{std::move(given), out, err};
    detail::options::options_description list;
    words.describe(list);
    values = detail::parse_arguments(console, "plumb look [options]", list).value();
  }

  detail::ManyPromptWords words;
  detail::options::variables_map values;
};

/// The words, completed from a run.json.
detail::ManyPromptWords recorded(Words words, const Json& run) {
  const test::TemporaryFolder folder;
  Given given(std::move(words));
  given.words.take_recorded(given.values, folder.write("run.json", run.dump()));
  return given.words;
}

const Json finished{{"settings", {{"lemmas", "wordnet"}, {"samplings", 70}, {"sample_by", "fact"}}},
                    {"wordnet", "/else/where"}};

/// Neon's two names and argon's: "inert gases" and twice "metals", and gold's "metal".
struct Gases : GenerationFolder {
  Gases() {
    setting("zero-shot", {answer(2, {0, 0, 0}, "inert gases", 2), answer(2, {0, 0, 1}, "metals"),
                          answer(2, {1, 0, 0}, "metals"), answer(2, {2, 0, 0}, "a metal", 2)});
    remark("Said by the run.");
  }
  [[nodiscard]] ManyPromptReport report(const AnswerLemmas& lemmas = {},
                                        const ManyPromptOptions& options = few()) const {
    return detail::generation_report(path(), lemmas, options);
  }
  static ManyPromptOptions few() {
    return {.bootstrap = {.seed = 7, .resamples = 20}, .samplings = 50, .seed = 7};
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_not_given_has_its_default) {
  const Given given({});
  BOOST_TEST(given.words.wordnet == "/usr/share/wordnet");
  const ManyPromptOptions parsed = given.words.parse(9);
  BOOST_TEST(parsed.samplings == 50000U);
  BOOST_TEST((parsed.by == SampleBy::relation));
  BOOST_TEST(parsed.seed == 9U);
  BOOST_TEST(parsed.bootstrap.seed == 9U);
  BOOST_TEST(parsed.bootstrap.resamples == Bootstrap{}.resamples);
}

BOOST_AUTO_TEST_CASE(what_is_given_is_taken) {
  const Given given({"--wordnet", "none", "--samplings", "10000000", "--sample-by", "fact"});
  BOOST_TEST(given.words.wordnet == "none");
  BOOST_TEST(given.words.parse(0).samplings == 10'000'000U);
  BOOST_TEST((given.words.parse(0).by == SampleBy::fact));
}

BOOST_AUTO_TEST_CASE(words_that_are_not_understood_are_refused) {
  const auto refused = [](Words words, const std::string& message) {
    BOOST_CHECK_EXCEPTION((void)Given(std::move(words)).words.parse(0), Error,
                          says(Fault::user, message));
  };
  refused({"--samplings", "0"}, "--samplings: is not between 1 and 10,000,000; say 50000");
  refused({"--samplings", "10000001"}, "--samplings: is not between 1 and 10,000,000");
  refused({"--samplings", "many"}, "--samplings: 'many' is not a whole number from 0");
  refused({"--sample-by", "prompt"}, "--sample-by: 'prompt' is not a choice; say fact or relation");
}

BOOST_AUTO_TEST_CASE(lemmas_come_from_a_folder_or_words_stay_as_they_are) {
  const LittleWordNet wordnet;
  const AnswerLemmas known = Given({"--wordnet", wordnet.path()}).words.lemmas();
  BOOST_TEST(known.known());
  BOOST_TEST(known("gases") == "gas");
  BOOST_TEST(detail::lemmas_word(known) == "wordnet");
  const AnswerLemmas none = Given({"--wordnet", "none"}).words.lemmas();
  BOOST_TEST(!none.known());
  BOOST_TEST(none("gases") == "gases");
  BOOST_TEST(detail::lemmas_word(none) == "none");
  const test::TemporaryFolder empty;
  BOOST_CHECK_EXCEPTION(
      (void)Given({"--wordnet", empty.path().string()}).words.lemmas(), Error,
      says(Fault::user, "index.noun: cannot be read; install wordnet-base or name a folder with"));
}

BOOST_AUTO_TEST_CASE(a_run_keeps_what_it_was_measured_with) {
  const auto kept = recorded({}, finished);
  BOOST_TEST(kept.wordnet == "/else/where");
  BOOST_TEST(kept.samplings == "70");
  BOOST_TEST(kept.by == "fact");
}

BOOST_AUTO_TEST_CASE(what_is_said_anew_is_taken_even_where_it_is_the_default) {
  const auto anew =
      recorded({"--wordnet", "none", "--samplings", "50000", "--sample-by", "relation"}, finished);
  BOOST_TEST(anew.wordnet == "none");
  BOOST_TEST(anew.samplings == "50000");
  BOOST_TEST(anew.by == "relation");
  const auto some = recorded({"--samplings", "8"}, finished);
  BOOST_TEST(some.wordnet == "/else/where");
  BOOST_TEST(some.samplings == "8");
  BOOST_TEST(some.by == "fact");
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
    BOOST_TEST(kept.samplings == "50000");
    BOOST_TEST(kept.by == "relation");
  }
  Given given({});
  given.words.take_recorded(given.values, "/there/is/no/run.json");
  BOOST_TEST(given.words.samplings == "50000");
}

// By hand: a third of the facts with an answer is right word by word, gold; by lemmas neon by its
// first name too.
BOOST_FIXTURE_TEST_CASE(a_run_folder_is_measured_with_these_words, Gases) {
  const ManyPromptReport plain = report();
  BOOST_TEST(plain.results().ways.at(0).coverage.average.value == 1.0 / 3,
             boost::test_tools::tolerance(1e-12));
  const LittleWordNet wordnet;
  const ManyPromptReport by_lemmas = report(AnswerLemmas(wordnet.path()));
  BOOST_TEST(by_lemmas.results().ways.at(0).coverage.average.value == 0.5,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(plain.results().ways.at(0).by_fact.right.size() == 50U);
  BOOST_TEST(plain.results().options.seed == 7U);
  BOOST_TEST(plain.notes().front() == "Said by the run.");
}

BOOST_FIXTURE_TEST_CASE(the_page_shows_the_settings_it_was_measured_with, Gases) {
  files().write("run.json", Json{{"settings",
                                  {{"command", "generate"},
                                   {"model", "tiny.gguf"},
                                   {"dataset", "gases"},
                                   {"lemmas", "wordnet"},
                                   {"samplings", 70},
                                   {"sample_by", "fact"},
                                   {"seed", 1},
                                   {"limit", 0}}}}
                                .dump());
  const test::TemporaryFolder out;
  report().write(out.path());
  const std::string page = slurp(out / "report.html");
  BOOST_TEST(page.find("tiny.gguf on gases") != std::string::npos);
  const auto shows = [&](const std::string& name, const std::string& value) {
    const std::size_t at = page.rfind(name);
    BOOST_REQUIRE(at != std::string::npos);
    BOOST_TEST(page.substr(at, 80).find(value) != std::string::npos, page.substr(at, 80));
  };
  shows("lemmas", "none");
  shows("samplings<", "50");
  shows("sample_by", "relation");
  shows("seed<", "7");
  shows("tiny.gguf", "");
}

BOOST_FIXTURE_TEST_CASE(a_folder_without_run_json_is_measured_all_the_same, Gases) {
  const test::TemporaryFolder out;
  report().write(out.path());
  BOOST_TEST(slurp(out / "report.html").find("model on asked") != std::string::npos);
  BOOST_TEST(Json::parse(slurp(out / "metrics.json")).at("samplings").at("samplings") == 50);
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_finished_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)detail::generation_report(folder.path(), {}, Gases::few()), Error,
                        says(Fault::user, "holds no finished generation"));
}

BOOST_AUTO_TEST_SUITE_END()
