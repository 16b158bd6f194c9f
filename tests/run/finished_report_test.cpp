// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/finished_report.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/results_folder.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(finished_report_suite)

namespace {

/// The settings in run.json that specify how the answers were measured.
MeasuringSettings recorded(const Json& run) {
  const test::TemporaryFolder folder;
  folder.write("run.json", run.dump());
  return recorded_measuring(folder.path());
}

/// A folder with a run.json that contains the command.
struct RunOf {
  explicit RunOf(const std::string& command) {
    folder.write("run.json", Json{{"settings", {{"command", command}, {"seed", 4}}}}.dump());
  }
  test::TemporaryFolder folder;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_keeps_what_it_was_measured_with) {
  const auto kept =
      recorded({{"settings", {{"lemmas", "wordnet"}, {"samplings", 70}, {"sample_by", "fact"}}},
                {"wordnet", "/else/where"}});
  BOOST_TEST(kept.wordnet == "/else/where");
  BOOST_TEST(kept.samplings == 70U);
  BOOST_TEST((kept.sample_by == SampleBy::fact));
}

// The run.json of a stopped run contains only its settings.
BOOST_AUTO_TEST_CASE(a_run_without_lemmas_needs_no_wordnet_even_if_it_is_not_complete) {
  BOOST_TEST(recorded({{"settings", {{"lemmas", "none"}}}}).wordnet == "none");
  BOOST_TEST(recorded({{"settings", {{"lemmas", "wordnet"}}}}).wordnet == "/usr/share/wordnet");
}

BOOST_AUTO_TEST_CASE(missing_or_invalid_run_settings_use_defaults) {
  for (const Json& run :
       {Json::object(), Json{{"settings", nullptr}}, Json{{"settings", "of old"}},
        Json{{"settings", {{"samplings", "many"}, {"sample_by", 3}, {"lemmas", 1}}},
             {"wordnet", 4}}}) {
    const auto kept = recorded(run);
    BOOST_TEST(kept.wordnet == "/usr/share/wordnet");
    BOOST_TEST(kept.samplings == 50000U);
    BOOST_TEST((kept.sample_by == SampleBy::relation));
  }
  BOOST_TEST(recorded_measuring("/there/is/no/run").samplings == 50000U);
}

BOOST_AUTO_TEST_CASE(job_kind_is_read_from_command_or_metadata) {
  const auto kind = [](const std::string& command) {
    return run_kind(RunOf(command).folder.path());
  };
  BOOST_TEST((kind("probe") == ResultsKind::closed_set));
  BOOST_TEST((kind("many-shot") == ResultsKind::many_shot));
  BOOST_TEST((kind("rank") == ResultsKind::ranking));
  BOOST_TEST((kind("generate") == ResultsKind::generation));
  test::TemporaryFolder lists;
  lists.write("run.json", R"({"settings": {"command": "generate", "form": "kamel"}})");
  BOOST_TEST((run_kind(lists.path()) == ResultsKind::lists));
  lists.write("run.json", "{}");
  lists.write("metadata_generate.json", R"({"answers": "lists"})");
  BOOST_TEST((run_kind(lists.path()) == ResultsKind::lists));
  const test::TemporaryFolder copied;  // the copy has no run.json
  BOOST_TEST((run_kind(copied.path()) == ResultsKind::closed_set));
  copied.write("metadata_rank.json", "{}");
  BOOST_TEST((run_kind(copied.path()) == ResultsKind::ranking));
  for (const std::string command : {"compare", "calibrate", "many-shot --fixed", "rank --fixed"}) {
    BOOST_CHECK_EXCEPTION((void)kind(command), Error,
                          says(Fault::user, "run.json: is from plumb " + command));
  }
}

BOOST_AUTO_TEST_CASE(a_report_is_written_where_it_changes_nobodys_folder) {
  test::ResultsFolder theirs;
  theirs.add("P36", {"Paris", "Rome"}, {"[X]: [Y]"}, Json::object(),
             {test::row("France", 0, 0, 0, {-1, -2})});
  ReportSettings settings{.run = theirs.path()};
  BOOST_CHECK_EXCEPTION((void)settings.target(), Error, says(Fault::user, "is not plumb's own"));
  settings.out = "page";
  BOOST_TEST(settings.target().path() == "page");
  const RunOf ours("probe");
  settings = {.run = ours.folder.path()};
  BOOST_TEST(settings.target() == ours.folder.path());
}

BOOST_AUTO_TEST_CASE(the_seed_is_the_runs_own_where_none_is_given) {
  test::ResultsFolder run;
  run.add("P36", {"Paris", "Rome"}, {"[X]: [Y]"}, Json::object(),
          {test::row("France", 0, 0, 0, {-1, -2}), test::row("Italy", 1, 0, 1, {-1, -2})});
  const test::TemporaryFolder out;
  const auto seed = [&](std::optional<std::uint64_t> given) {
    finished_report({.run = run.path(), .seed = given}).write(out.path());
    return read_json_object(out / "metrics.json").at("bootstrap").at("seed").get<int>();
  };
  BOOST_TEST(seed({}) == 0);  // a run of another tool has no seed
  run.files().write("run.json", Json{{"settings", {{"seed", 7}}}}.dump());
  BOOST_TEST(seed({}) == 7);
  BOOST_TEST(seed(8) == 8);
  run.files().write("run.json", Json{{"settings", {{"seed", "x"}}}}.dump());
  BOOST_CHECK_EXCEPTION((void)seed({}), Error, says(Fault::user, "settings: has no seed"));
  BOOST_TEST(seed(8) == 8);
}

BOOST_AUTO_TEST_SUITE_END()
