// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/generation_report.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/little_wordnet.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::GenerationFolder;
using test::LittleWordNet;
using test::says;
using test::slurp;

BOOST_AUTO_TEST_SUITE(generation_report_suite)

namespace {

/// The answers for neon's two names are "inert gases" and "metals", the answer for argon is
/// "metals", and the answer for gold is "a metal".
struct Gases : GenerationFolder {
  Gases() {
    setting("zero-shot", {answer(2, {0, 0, 0}, "inert gases", 2), answer(2, {0, 0, 1}, "metals"),
                          answer(2, {1, 0, 0}, "metals"), answer(2, {2, 0, 0}, "a metal", 2)});
    remark("Said by the run.");
  }
  [[nodiscard]] ManyPromptReport report(const AnswerLemmas& lemmas = {},
                                        const ManyPromptOptions& options = few()) const {
    return generation_report(path(), lemmas, options);
  }
  static ManyPromptOptions few() {
    return {.bootstrap = {.seed = 7, .resamples = 20}, .samplings = 50, .seed = 7};
  }
};

}  // namespace

// Computed by hand: with exact words, one of the three facts with an answer is right (gold); with
// lemmas, neon is also right under its first name.
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
  BOOST_CHECK_EXCEPTION((void)generation_report(folder.path(), {}, Gases::few()), Error,
                        says(Fault::user, "contains no finished generation"));
}

BOOST_AUTO_TEST_SUITE_END()
