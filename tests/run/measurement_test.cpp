// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/measurement.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/memory_disk.hpp"
#include "support/small_report.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(measurement)

namespace {

Report counted_report(std::size_t folders) {
  return test::small_report(std::to_string(folders), {"counted"}, [folders] {
    if (folders == 3) throw internal_error({}, "the disk is full");
    return std::vector<ReportFile>{{"count.txt", std::to_string(folders)}};
  });
}

/// A measurement that counts its folders and rejects an empty list.
struct Count {
  ResultFolders read{};
  std::string by = "one";

  [[nodiscard]] Json identity() const { return {{"command", "count"}, {"by", by}}; }
  [[nodiscard]] const ResultFolders& folders() const { return read; }
  [[nodiscard]] Measured measure() const {
    if (read.list.empty()) throw user_error({.field = "DIR"}, "there is none");
    return {counted_report(read.list.size()),
            {{"command", "count"}, {"by", by}, {"counted", read.list.size()}}};
  }
};

struct Files {
  [[nodiscard]] Json run() const { return read_json_object(out() / "run.json"); }
  [[nodiscard]] std::filesystem::path out() const { return folder / "out"; }
  void check_refused(const Count& other, const std::string& words) const {
    const std::string before = test::slurp(out() / "run.json");
    BOOST_CHECK_EXCEPTION(run_measurement(other, out()), Error, says(Fault::user, words));
    BOOST_TEST(test::slurp(out() / "run.json") == before);
    BOOST_TEST(test::slurp(out() / "count.txt") == "2");
  }

  test::TemporaryFolder folder;
  Count two{{{{"a", "x"}, {"b", "y"}}}};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(measurement_writes_its_files_and_records_its_inputs, Files) {
  const Report report = run_measurement(two, out(), {{"command_line", "plumb count"}});
  BOOST_TEST(report.table() == "2\n");
  BOOST_TEST(test::slurp(out() / "count.txt") == "2");
  const Json made = run();
  BOOST_TEST(made.at("status") == "complete");
  BOOST_TEST((made.at("settings") == Json{{"command", "count"}, {"by", "one"}, {"counted", 2}}));
  BOOST_TEST((made.at("folders") == two.read.json()));
  BOOST_TEST(made.at("command_line") == "plumb count");
  BOOST_TEST(made.at("seconds_total").get<double>() >= 0);
}

BOOST_FIXTURE_TEST_CASE(the_same_folders_may_be_measured_again_and_nothing_else, Files) {
  run_measurement(two, out());
  std::ofstream(out() / "count.txt") << "old";
  run_measurement(two, out());
  BOOST_TEST(test::slurp(out() / "count.txt") == "2");
  const std::string words =
      "contains something other than what plumb count produced from the same folders";
  Count other = two;
  other.by = "two";
  check_refused(other, words);
  other = two;
  other.read.list[1].path = "z";
  check_refused(other, words);
  std::filesystem::remove(out() / "run.json");
  BOOST_CHECK_EXCEPTION(run_measurement(two, out()), Error, says(Fault::user, words));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_measured_leaves_no_folder, Files) {
  BOOST_CHECK_EXCEPTION(run_measurement(Count{}, out()), Error, says(Fault::user, "there is none"));
  BOOST_TEST(!std::filesystem::exists(out()));
}

// The user may repeat a measurement that was interrupted.
BOOST_FIXTURE_TEST_CASE(interrupted_measurement_is_marked_as_running_and_can_be_repeated, Files) {
  two.read.list.push_back({"c", "z"});
  BOOST_CHECK_EXCEPTION(run_measurement(two, out()), Error, says(Fault::internal, "disk is full"));
  BOOST_TEST(run().at("status") == "running");
  BOOST_CHECK_EXCEPTION(run_measurement(two, out()), Error, says(Fault::internal, "disk is full"));
}

// Whichever disk call is the last one before a kill or a full disk, repeating the same command
// succeeds without any cleanup. In one case, the probe that the command reads is inside the output
// folder.
BOOST_AUTO_TEST_CASE(whichever_call_fails_the_same_measurement_is_made_again) {
  for (const bool around_a_probe : {false, true}) {
    std::size_t failures = 0;
    for (;; ++failures) {
      test::MemoryDisk memory;
      Count two{{{{"a", memory / "x"}, {"b", memory / "y"}}}};
      if (around_a_probe) {
        memory.put("out/probe/metadata_results.json", "{}");
        two.read.list = {{"", memory / "out/probe"}};
      }
      test::FailingDisk failing(memory, failures);
      Count on_failing = two;
      for (ResultFolder& one : on_failing.read.list) one.path = failing(one.path);
      bool refused = false;
      try {
        run_measurement(on_failing, failing(memory / "out"));
      } catch (const std::exception&) {
        refused = true;
      }
      if (!failing.has_failed()) break;
      BOOST_TEST(refused);
      run_measurement(two, memory / "out");
      BOOST_TEST(memory.text("/out/count.txt") == (around_a_probe ? "1" : "2"));
      BOOST_TEST(Json::parse(memory.text("/out/run.json")).at("status") == "complete");
    }
    BOOST_TEST(failures > 20U);
  }
}

BOOST_FIXTURE_TEST_CASE(results_that_were_changed_are_refused_before_they_are_read, Files) {
  for (const char* run : {"x", "y"}) {
    folder.write(std::string(run) + "/P1_results.jsonl", "1\n");
    const DiskPath path = folder / run;
    folder.write(std::string(run) + "/run.json", Json{{"files", result_sums(path)}}.dump());
  }
  two.read.list = {{"a", folder / "x"}, {"b", folder / "y"}};
  run_measurement(two, out());
  folder.write("y/P1_results.jsonl", "2\n");
  BOOST_CHECK_EXCEPTION(run_measurement(two, out()), Error,
                        says(Fault::user, "y/P1_results.jsonl: differs from what its run wrote"));
}

BOOST_AUTO_TEST_SUITE_END()
