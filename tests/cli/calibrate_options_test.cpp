// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/calibrate_options.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using detail::CalibrateArguments;
using test::says;

BOOST_AUTO_TEST_SUITE(calibrate_options)

namespace {

using Words = std::vector<std::string>;
using Indices = std::vector<std::size_t>;

std::optional<CalibrateArguments> parse_or_help(Words words) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  return detail::parse_calibrate(console);
}

CalibrateArguments parse(Words words) {
  return parse_or_help(std::move(words)).value();
}

void refused(const Words& words, const std::string& message) {
  BOOST_TEST_CONTEXT(message) {
    BOOST_CHECK_EXCEPTION((void)parse_or_help(words), Error, says(Fault::user, message));
  }
}

/// Folders of several origins; what is in them is not read.
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
  /// With a folder and a place to write.
  [[nodiscard]] Words with(Words words) const {
    words.insert(words.begin(), {at("theirs"), "--out", at("out")});
    return words;
  }

  test::TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(what_is_not_given_has_its_default, Folders) {
  const CalibrateArguments parsed = parse(with({}));
  BOOST_REQUIRE(parsed.folders.size() == 1U);
  BOOST_TEST(parsed.folders[0].first == "");
  BOOST_TEST(parsed.folders[0].second == folder / "theirs");
  BOOST_TEST(parsed.out == folder / "out");
  BOOST_TEST(parsed.data.empty());
  BOOST_TEST(!parsed.probe);
  BOOST_TEST(!parsed.masked);
  BOOST_TEST(parsed.reading.kinds.base == 0U);
  BOOST_TEST(!parsed.reading.kinds.paraphrases);
  BOOST_TEST(parsed.reading.kinds.verbalized.empty());
  BOOST_TEST(parsed.reading.kinds.numerical.empty());
  BOOST_TEST(!parsed.reading.scoring);
  BOOST_TEST(parsed.reading.relations.empty());
  BOOST_TEST(parsed.study.bins == 20U);
  BOOST_TEST(parsed.study.bootstrap.seed == 0U);
  BOOST_TEST(parsed.study.bootstrap.resamples == 1000U);
  BOOST_TEST(parsed.study.estimators.empty());
}

BOOST_FIXTURE_TEST_CASE(what_is_given_is_taken, Folders) {
  const CalibrateArguments parsed =
      parse(with({"--data",        "d",       "--bins",       "7",   "--seed",          "9",
                  "--resamples",   "30",      "--estimators", "a,b", "--base-template", "1",
                  "--paraphrases", "0-2",     "--verbalized", "5,4", "--numerical",     "3",
                  "--relations",   "P36,P30", "--masked",     "x,y", "--span",          "answer"}));
  BOOST_TEST(parsed.data == "d");
  BOOST_TEST(parsed.study.bins == 7U);
  BOOST_TEST(parsed.study.bootstrap.seed == 9U);
  BOOST_TEST(parsed.study.bootstrap.resamples == 30U);
  BOOST_TEST((parsed.study.estimators == Words{"a", "b"}));
  BOOST_TEST(parsed.reading.kinds.base == 1U);
  BOOST_TEST((parsed.reading.kinds.paraphrases == Indices{0, 1, 2}));
  BOOST_TEST((parsed.reading.kinds.verbalized == Indices{4, 5}));
  BOOST_TEST((parsed.reading.kinds.numerical == Indices{3}));
  BOOST_TEST((parsed.reading.relations == Words{"P36", "P30"}));
  BOOST_TEST((parsed.masked == Words{"x", "y"}));
  BOOST_REQUIRE(parsed.reading.scoring.has_value());
  BOOST_TEST((parsed.reading.scoring->span == Span::answer));
  BOOST_TEST((parsed.reading.scoring->reduction == Reduction::sum));
  const auto mean = parse(with({"--reduction", "mean"})).reading.scoring;
  BOOST_REQUIRE(mean.has_value());
  BOOST_TEST((mean->reduction == Reduction::mean));
  BOOST_TEST((mean->span == Span::statement));
}

BOOST_AUTO_TEST_CASE(a_model_is_probed_into_a_folder_of_the_calibration) {
  const CalibrateArguments parsed =
      parse({"--data", "d", "--model", "m", "--out", "o", "--limit", "4", "--relations", "P36",
             "--paraphrases", "0", "--seed", "3"});
  BOOST_TEST(parsed.out == "o");
  BOOST_REQUIRE(parsed.probe.has_value());
  BOOST_TEST(parsed.probe->target.out == "o/probe");
  BOOST_TEST(parsed.probe->probe.data == "d");
  BOOST_TEST(parsed.probe->target.model == "m");
  BOOST_TEST(parsed.probe->probe.limit == 4U);
  BOOST_TEST(parsed.probe->probe.templates.indices.empty());  // all of them
  BOOST_TEST((parsed.probe->probe.relations == Words{"P36"}));
  BOOST_TEST(parsed.probe->probe.seed == 3U);
  BOOST_TEST(parsed.study.bootstrap.seed == 3U);
  BOOST_TEST((parsed.reading.kinds.paraphrases == Indices{0}));
  BOOST_REQUIRE(parsed.folders.size() == 1U);
  BOOST_TEST(parsed.folders[0].first == "");
  BOOST_TEST(parsed.folders[0].second == "o/probe");
}

BOOST_FIXTURE_TEST_CASE(folders_may_be_named, Folders) {
  const auto named = detail::parse_folder("gpt=" + at("theirs"));
  BOOST_TEST(named.first == "gpt");
  BOOST_TEST(named.second == folder / "theirs");
  BOOST_TEST(detail::parse_folder(at("a=b")).first == "");  // it exists
  BOOST_TEST(detail::parse_folder(at("a=b")).second == folder / "a=b");
  BOOST_TEST(detail::parse_folder("x=" + at("a=b")).first == "x");
  BOOST_TEST(detail::parse_folder("x=" + at("a=b")).second == folder / "a=b");
  const auto probe = detail::parse_folder(at("calibrated"));  // stands for its probe
  BOOST_TEST(probe.second == folder / "calibrated/probe");
}

BOOST_FIXTURE_TEST_CASE(a_run_folder_has_its_own_place_to_write, Folders) {
  BOOST_TEST(parse({at("run")}).out == folder / "run/calibration");
  BOOST_TEST(parse({at("calibrated")}).out == folder / "calibrated");
  BOOST_TEST(parse({at("calibrated/probe")}).out == folder / "calibrated");
  BOOST_TEST(parse({at("run"), "--out", at("out")}).out == folder / "out");
  const std::string words = "--out: is required for several folders and for another tool's";
  refused({at("theirs")}, words);
  refused({at("run"), "b=" + at("run")}, words);
}

BOOST_FIXTURE_TEST_CASE(the_folders_of_an_earlier_calibration_are_known, Folders) {
  BOOST_TEST(detail::calibrated_folders(folder / "calibrated").value().dump() == R"(["/x/probe"])");
  BOOST_TEST(!detail::calibrated_folders(folder / "run"));
  BOOST_TEST(!detail::calibrated_folders(folder / "theirs"));
  const auto parsed = parse({at("run"), at("a=b") + "/../run", "--out", "o"});
  const std::string whole = std::filesystem::weakly_canonical(folder / "run").string();
  BOOST_TEST((detail::folder_names(parsed) == Json{whole, whole}));
}

BOOST_FIXTURE_TEST_CASE(what_is_for_a_probe_is_refused_with_folders, Folders) {
  for (const Words& words :
       {Words{"--templates", "0"}, Words{"--template-file", "t.json"}, Words{"--inject", "all"},
        Words{"--limit", "3"}, Words{"--bos", "no"}, Words{"--precision", "fast"},
        Words{"--threads", "2"}, Words{"--resume"}}) {
    refused(with(words), words[0] + ": is for --model; folders are read as they are");
  }
}

BOOST_FIXTURE_TEST_CASE(values_that_make_no_sense_are_refused, Folders) {
  const auto refuses = [&](const std::string& option, const std::string& word,
                           const std::string& message) {
    refused(with({option, word}), option + ": " + message);
  };
  for (const char* bins : {"0", "1", "1001"}) refuses("--bins", bins, "is not from 2 to 1000");
  refuses("--bins", "ten", "'ten' is not a whole number");
  for (const char* few : {"0", "19", "100001"}) {
    refuses("--resamples", few, "is not from 20 to 100000");
  }
  refuses("--seed", "-1", "'-1' is not a whole number");
  refuses("--base-template", "0-1", "'0-1' is not a whole number");
  refuses("--paraphrases", "2-1", "'2-1' is not a range");
  refuses("--estimators", "base,", "'base,' has an empty item");
  refuses("--reduction", "max", "'max' is not a choice");
  for (const char* option : {"--verbalized", "--numerical"}) {
    refused(with({option, "2"}), "--paraphrases: is missing; say which templates are plain ones");
  }
}

BOOST_FIXTURE_TEST_CASE(values_at_their_bounds_are_taken, Folders) {
  BOOST_TEST(parse(with({"--bins", "2"})).study.bins == 2U);
  BOOST_TEST(parse(with({"--bins", "1000"})).study.bins == 1000U);
  BOOST_TEST(parse(with({"--resamples", "20"})).study.bootstrap.resamples == 20U);
  BOOST_TEST(parse(with({"--resamples", "100000"})).study.bootstrap.resamples == 100000U);
}

BOOST_FIXTURE_TEST_CASE(words_that_are_not_understood_are_refused, Folders) {
  refused({}, "plumb calibrate: nothing to calibrate; name results folders");
  refused({"--data", "d"}, "nothing to calibrate");
  refused({at("run"), "--model", "m"}, "got folders and a --model");
  refused({"--model", "m", "--out", "o"}, "--data: is required but missing");
  refused({"--model", "m", "--data", "d"},
          "--out: is required but missing; `plumb calibrate --help` tells more");
  refused({at("run"), "--bin", "3"}, "--bin: unknown option");
  refused({at("nowhere"), "--out", at("out")}, "nowhere: is no folder");
  refused({"", "--out", at("out")}, "DIR: is no folder; name a run folder");
  BOOST_TEST(!parse_or_help({"--help"}));
}

BOOST_AUTO_TEST_SUITE_END()
