// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/calibrate.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using plumb::detail::CalibrateArguments;
using test::shows;

BOOST_AUTO_TEST_SUITE(calibrate_options)

namespace {

using Words = std::vector<std::string>;
using Indices = std::vector<std::size_t>;

std::optional<CalibrateArguments> parse_or_help(
    Words words, std::function<std::string(const char*)> environment = {}) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  console.environment = std::move(environment);
  return parse_calibrate(console);
}

CalibrateArguments parse(Words words) {
  return parse_or_help(std::move(words)).value();
}

void refused(const Words& words, const std::string& message) {
  BOOST_TEST_CONTEXT(message) {
    BOOST_CHECK_EXCEPTION((void)parse_or_help(words), Error, shows(Fault::user, message));
  }
}

/// Folders from several programs. Their contents are not read.
struct Folders {
  Folders() {
    folder.write("theirs/metadata_results.json", "{}");
    folder.write("run/metadata_results.json", "{}");
    folder.write("run/run.json", R"({"settings":{"command":"probe"}})");
    folder.write("a=b/metadata_results.json", "{}");
    folder.write("calibrated/run.json",
                 R"({"settings":{"command":"calibrate"},"folders":["/x/probe"]})");
    folder.write("calibrated/probe/metadata_results.json", "{}");
    folder.write("calibrated/probe/run.json", R"({"settings":{"command":"probe"}})");
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
  /// Adds a run folder and an output folder.
  [[nodiscard]] Words with(Words words) const {
    words.insert(words.begin(), {at("theirs"), "--out", at("out")});
    return words;
  }

  test::TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(omitted_options_have_their_defaults, Folders) {
  const CalibrateArguments parsed = parse(with({}));
  BOOST_REQUIRE(parsed.calibrate.folders.list.size() == 1U);
  BOOST_TEST(parsed.calibrate.folders.list[0].name == "");
  BOOST_TEST(parsed.calibrate.folders.list[0].path == folder / "theirs");
  BOOST_TEST(parsed.target.out == folder / "out");
  BOOST_TEST(parsed.calibrate.data.empty());
  BOOST_TEST(!parsed.probes());
  BOOST_TEST(!parsed.calibrate.masked);
  BOOST_TEST(parsed.calibrate.kinds.base == 0U);
  BOOST_TEST(!parsed.calibrate.kinds.paraphrases);
  BOOST_TEST(parsed.calibrate.kinds.verbalized.empty());
  BOOST_TEST(parsed.calibrate.kinds.numerical.empty());
  BOOST_TEST(!parsed.calibrate.reading().has_scoring());
  BOOST_TEST(parsed.calibrate.relations.empty());
  BOOST_TEST(parsed.calibrate.bins == 20U);
  BOOST_TEST(parsed.calibrate.study().bootstrap.seed == 0U);
  BOOST_TEST(parsed.calibrate.study().bootstrap.resamples == 1000U);
  BOOST_TEST(parsed.calibrate.estimators.empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_given_is_taken, Folders) {
  const CalibrateArguments parsed =
      parse(with({"--data",        "d",       "--bins",       "7",   "--seed",          "9",
                  "--resamples",   "30",      "--estimators", "a,b", "--base-template", "1",
                  "--paraphrases", "0-2",     "--verbalized", "5,4", "--numerical",     "3",
                  "--relations",   "P36,P30", "--masked",     "x,y", "--span",          "answer"}));
  BOOST_TEST(parsed.calibrate.data == "d");
  BOOST_TEST(parsed.calibrate.bins == 7U);
  BOOST_TEST(parsed.calibrate.study().bootstrap.seed == 9U);
  BOOST_TEST(parsed.calibrate.study().bootstrap.resamples == 30U);
  BOOST_TEST((parsed.calibrate.estimators == Words{"a", "b"}));
  BOOST_TEST(parsed.calibrate.kinds.base == 1U);
  BOOST_TEST((parsed.calibrate.kinds.paraphrases == Indices{0, 1, 2}));
  BOOST_TEST((parsed.calibrate.kinds.verbalized == Indices{4, 5}));
  BOOST_TEST((parsed.calibrate.kinds.numerical == Indices{3}));
  BOOST_TEST((parsed.calibrate.relations == Words{"P36", "P30"}));
  BOOST_TEST((parsed.calibrate.masked == Words{"x", "y"}));
  BOOST_TEST((parsed.calibrate.reading().span == Span::answer));
  BOOST_TEST(!parsed.calibrate.reading().reduction);
  const ReadingOptions mean = parse(with({"--reduction", "mean"})).calibrate.reading();
  BOOST_TEST((mean.reduction == Reduction::mean));
  BOOST_TEST(!mean.span);
}

BOOST_AUTO_TEST_CASE(a_model_is_probed_into_a_folder_of_the_calibration) {
  CalibrateArguments parsed =
      parse({"--data", "d", "--model", "m", "--out", "o", "--limit", "4", "--relations", "P36",
             "--paraphrases", "0", "--seed", "3", "--span", "answer"});
  BOOST_TEST(parsed.probes());
  const ProbeArguments probing = take_probe(parsed);
  BOOST_TEST(probing.target.out == "o/probe");
  BOOST_TEST(probing.target.model == "m");
  BOOST_TEST(probing.probe.data == "d");
  BOOST_TEST(probing.probe.limit == 4U);
  BOOST_TEST(probing.probe.templates.indices.empty());  // all of them
  BOOST_TEST((probing.probe.relations == Words{"P36"}));
  BOOST_TEST((probing.probe.scoring == Scoring{Reduction::sum, Span::answer}));
  BOOST_TEST(probing.probe.seed == 3U);
  BOOST_TEST(parsed.target.out == "o");
  BOOST_TEST(parsed.calibrate.seed == 3U);
  BOOST_TEST((parsed.calibrate.kinds.paraphrases == Indices{0}));
  BOOST_TEST(parsed.calibrate.data.empty());  // the metadata is in the probe's folder
  BOOST_TEST(parsed.calibrate.relations.empty());
  BOOST_TEST(!parsed.calibrate.reading().has_scoring());
  BOOST_REQUIRE(parsed.calibrate.folders.list.size() == 1U);
  BOOST_TEST(parsed.calibrate.folders.list[0].name == "");
  BOOST_TEST(parsed.calibrate.folders.list[0].path.path() == "o/probe");
}

BOOST_FIXTURE_TEST_CASE(a_run_folder_has_its_own_place_to_write, Folders) {
  const auto out = [&](const Words& words) { return calibration_out(parse(words)); };
  BOOST_TEST(out({at("run")}) == folder / "run/calibration");
  BOOST_TEST(out({at("calibrated")}) == folder / "calibrated");
  BOOST_TEST(out({at("calibrated/probe")}) == folder / "calibrated");
  BOOST_TEST(out({at("run"), "--out", at("out")}) == folder / "out");
  for (const Words& words : {Words{at("theirs")}, Words{at("run"), "b=" + at("run")}}) {
    BOOST_CHECK_EXCEPTION(
        (void)out(words), Error,
        shows(Fault::user, "--out: is required for several folders and for another tool's"));
  }
}

BOOST_FIXTURE_TEST_CASE(what_is_for_a_probe_is_refused_with_folders, Folders) {
  for (const Words& words :
       {Words{"--templates", "0"}, Words{"--template-file", "t.json"}, Words{"--inject", "all"},
        Words{"--limit", "3"}, Words{"--bos", "no"}, Words{"--precision", "fast"},
        Words{"--threads", "2"}, Words{"--resume"}}) {
    refused(with(words),
            words[0] +
                ": has no effect on folders, which are not scored again; remove it, or "
                "probe with --model");
  }
}

BOOST_FIXTURE_TEST_CASE(model_from_the_environment_is_probed_if_no_folder_is_given, Folders) {
  const auto variables = [](const char* name) {
    return std::string(name) == "PLUMB_MODEL"     ? "m"
           : std::string(name) == "PLUMB_THREADS" ? "x"
                                                  : "";
  };
  const auto folders = parse_or_help(with({}), variables);
  BOOST_TEST(!folders->probes());
  BOOST_TEST(folders->target.threads == 0U);
  const auto described = parse_or_help(with({"--data", "d"}), variables);
  BOOST_TEST(!described->probes());
  const auto model = [](const char* name) {
    return std::string(std::string(name) == "PLUMB_MODEL" ? "m" : "");
  };
  const auto probed = parse_or_help({"--data", "d", "--out", "o", "--limit", "2"}, model);
  BOOST_TEST(probed->probes());
  BOOST_TEST(probed->target.model == "m");
  BOOST_CHECK_EXCEPTION(
      (void)parse_or_help({"--data", "d", "--out", "o"}, variables), Error,
      shows(Fault::user, "PLUMB_THREADS`: 'x' is not a non-negative whole number"));
}

BOOST_FIXTURE_TEST_CASE(values_that_make_no_sense_are_refused, Folders) {
  const auto refuses = [&](const std::string& option, const std::string& word,
                           const std::string& message) {
    refused(with({option, word}), option + ": " + message);
  };
  for (const char* bins : {"0", "1", "1001"})
    refuses("--bins", bins, std::string(bins) + " is not between 2 and 1000; the paper uses 20");
  refuses("--bins", "ten", "'ten' is not a non-negative whole number");
  for (const char* few : {"0", "19"}) {
    refuses("--resamples", few, std::string(few) + " is not between 20 and 100,000");
  }
  refuses("--resamples", "100001", "100,001 is not between 20 and 100,000");
  refuses("--seed", "-1", "'-1' is not a non-negative whole number");
  refuses("--base-template", "0-1", "'0-1' is not a non-negative whole number");
  refuses("--paraphrases", "2-1", "'2-1' is not a range");
  refuses("--estimators", "base,", "'base,' has an empty item");
  refuses("--reduction", "max", "'max' is not a valid choice");
  for (const char* option : {"--verbalized", "--numerical"}) {
    refused(with({option, "2"}),
            "--paraphrases: is missing; list the indices of the plain templates");
  }
}

BOOST_FIXTURE_TEST_CASE(values_at_their_bounds_are_taken, Folders) {
  BOOST_TEST(parse(with({"--bins", "2"})).calibrate.bins == 2U);
  BOOST_TEST(parse(with({"--bins", "1000"})).calibrate.bins == 1000U);
  BOOST_TEST(parse(with({"--resamples", "20"})).calibrate.resamples == 20U);
  BOOST_TEST(parse(with({"--resamples", "100000"})).calibrate.resamples == 100000U);
}

BOOST_FIXTURE_TEST_CASE(words_that_are_not_understood_are_refused, Folders) {
  refused({}, "nothing to calibrate; pass either results folders");
  refused({"--data", "d"}, "nothing to calibrate");
  refused({at("run"), "--model", "m"}, "got both folders and a --model");
  for (const auto& [missing, words] :
       {std::pair<std::string, Words>{"--data", {"--model", "m", "--out", "o"}},
        {"--out", {"--model", "m", "--data", "d"}}}) {
    CalibrateArguments parsed = parse(words);
    BOOST_CHECK_EXCEPTION(
        (void)take_probe(parsed), Error,
        shows(Fault::user,
              missing + ": is required but missing; `plumb calibrate --help` lists the options"));
  }
  refused({at("run"), "--bin", "3"}, "--bin: unknown option");
  refused({at("nowhere"), "--out", at("out")}, "nowhere: is not a folder");
  refused({"", "--out", at("out")}, "DIR: is not a folder; use a run folder");
  BOOST_TEST(!parse_or_help({"--help"}));
}

BOOST_AUTO_TEST_SUITE_END()
