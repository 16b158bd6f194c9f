// SPDX-License-Identifier: Apache-2.0
#include "plumb/records/results_kind.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "support/temporary_folder.hpp"

using namespace plumb;

BOOST_AUTO_TEST_SUITE(results_kind_suite)

BOOST_AUTO_TEST_CASE(metadata_tells_whose_results_a_folder_holds) {
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

BOOST_AUTO_TEST_CASE(a_calibration_of_a_model_stands_for_the_probe_in_it) {
  const test::TemporaryFolder folder;
  const DiskPath path = folder.path();
  BOOST_TEST(probed_folder(path) == path);
  folder.write("probe/run.json", R"({"settings": {"command": "many-shot"}})");
  BOOST_TEST(probed_folder(path) == path);  // a folder of runs
  folder.write("run.json", R"({"settings": {"command": "calibrate"}})");
  BOOST_TEST(probed_folder(path) == path / "probe");
  folder.write("run.json", R"({"settings": {"command": "rank"}})");
  BOOST_TEST(probed_folder(path) == path);
  folder.write("probe/metadata_results.json", "{}");
  BOOST_TEST(probed_folder(path) == path);
  std::filesystem::remove(path.path() / "run.json");
  BOOST_TEST(probed_folder(path) == path / "probe");
  folder.write("metadata_results.json", "{}");  // a probe's own, beside another folder of that name
  BOOST_TEST(probed_folder(path) == path);
}

BOOST_AUTO_TEST_SUITE_END()
