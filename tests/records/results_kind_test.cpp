// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/results_kind.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(results_kind_suite)

BOOST_AUTO_TEST_CASE(metadata_determines_the_kind_of_results) {
  for (const ResultsKind kind : {ResultsKind::closed_set, ResultsKind::many_shot,
                                 ResultsKind::ranking, ResultsKind::generation}) {
    const test::TemporaryFolder folder;
    BOOST_TEST(!results_kind(folder.path()).has_value());
    folder.write(metadata_name(kind), "{}");
    BOOST_TEST((results_kind(folder.path()) == kind));
    BOOST_TEST(is_generation(folder.path()) == (kind == ResultsKind::generation));
  }
  const test::TemporaryFolder folder;
  folder.write("metadata_generate.json", R"({"answers": "lists"})");
  BOOST_TEST((results_kind(folder.path()) == ResultsKind::lists));
  BOOST_TEST(is_generation(folder.path()));
}

BOOST_AUTO_TEST_CASE(metadata_is_read_where_a_run_is_finished) {
  const test::TemporaryFolder folder;
  for (const auto& [kind, said] : std::vector<std::pair<ResultsKind, std::string>>{
           {ResultsKind::closed_set,
            "contains no finished results (no metadata_results.json); specify a finished run "
            "folder, or finish its run first (plumb probe, `resume`)"},
           {ResultsKind::many_shot,
            "contains no finished many-shot run (no metadata_many_shot.json)"},
           {ResultsKind::ranking, "contains no finished ranking (no metadata_rank.json)"},
           {ResultsKind::lists, "contains no finished generation (no metadata_generate.json)"}}) {
    BOOST_CHECK_EXCEPTION((void)read_metadata(folder.path(), kind), Error,
                          test::says(Fault::user, said));
  }
  folder.write("metadata_rank.json", R"({"methods": ["deer", "lama"]})");
  BOOST_TEST(read_metadata(folder.path(), ResultsKind::ranking)["methods"][1] == "lama");
  folder.write("metadata_rank.json", "[]");
  BOOST_CHECK_EXCEPTION((void)read_metadata(folder.path(), ResultsKind::ranking), Error,
                        test::says(Fault::user, "metadata_rank.json"));
}

BOOST_AUTO_TEST_CASE(what_a_run_lists_is_part_of_names_of_files) {
  const DiskPath folder = "folder";
  const auto names = [&](const char* list, const char* metadata) {
    return listed_names(folder, ResultsKind::ranking, Json::parse(metadata), list);
  };
  BOOST_TEST(names("methods", R"({"methods": ["deer", "lama"]})") ==
                 (std::vector<std::string>{"deer", "lama"}),
             boost::test_tools::per_element());
  for (const char* none : {"{}", R"({"methods": []})", R"({"methods": "deer"})"}) {
    BOOST_CHECK_EXCEPTION((void)names("methods", none), Error,
                          test::says(Fault::user, "methods: is empty; rank again"));
  }
  BOOST_CHECK_EXCEPTION(
      (void)names("methods", R"({"methods": ["../deer"]})"), Error,
      test::says(Fault::user, "metadata_rank.json: \"../deer\": is not a valid file name"));
}

BOOST_AUTO_TEST_CASE(a_calibration_of_a_model_stands_for_the_probe_in_it) {
  const test::TemporaryFolder folder;
  const DiskPath path = folder.path();
  BOOST_TEST(probed_folder(path) == path);
  folder.write("probe/run.json", R"({"settings": {"command": "many-shot"}})");
  BOOST_TEST(probed_folder(path) == path);  // a folder that contains several runs
  folder.write("run.json", R"({"settings": {"command": "calibrate"}})");
  BOOST_TEST(probed_folder(path) == path / "probe");
  folder.write("run.json", R"({"settings": {"command": "rank"}})");
  BOOST_TEST(probed_folder(path) == path);
  folder.write("probe/metadata_results.json", "{}");
  BOOST_TEST(probed_folder(path) == path);
  std::filesystem::remove(path.path() / "run.json");
  BOOST_TEST(probed_folder(path) == path / "probe");
  folder.write("metadata_results.json", "{}");  // results of its own, next to a folder named probe
  BOOST_TEST(probed_folder(path) == path);
}

BOOST_AUTO_TEST_SUITE_END()
