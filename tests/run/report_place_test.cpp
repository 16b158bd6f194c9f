// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/report_place.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/memory_disk.hpp"
#include "support/small_report.hpp"

using namespace plumb::detail;
using test::MemoryDisk;
using test::says;

BOOST_AUTO_TEST_SUITE(report_place)

namespace {

/// Two runs with different settings, in memory.
struct TwoRuns {
  TwoRuns() {
    disk.put("a/run.json", R"({"settings": {"model": "a"}})");
    disk.put("b/run.json", R"({"settings": {"model": "b"}})");
  }
  void write(const std::string& run, const std::string& out, bool overwrite = false,
             const std::string& text = "new") {
    write_report(test::small_report(text), disk / run, disk / out, overwrite);
  }
  void refused(const std::string& run, const std::string& out, const std::string& words,
               bool overwrite = false) {
    const auto before = disk.files;
    BOOST_CHECK_EXCEPTION(write(run, out, overwrite), Error, says(Fault::user, words));
    BOOST_CHECK_EXCEPTION(refuse_other_than_report(disk / run, disk / out, overwrite), Error,
                          says(Fault::user, words));
    BOOST_CHECK(disk.files == before);
  }

  MemoryDisk disk;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_report_goes_into_a_new_folder_and_again_into_the_same, TwoRuns) {
  write("a", "deep/page", false, "first");
  BOOST_TEST(disk.text("/deep/page/report.html") == "first");
  const Json record = Json::parse(disk.text("/deep/page/report.json"));
  BOOST_TEST(record.at("status") == "complete");
  BOOST_TEST(record.at("run") == "/a");
  write("a", "deep/page", false, "second");
  BOOST_TEST(disk.text("/deep/page/numbers.csv") == "second");
}

BOOST_FIXTURE_TEST_CASE(what_is_no_report_of_the_run_is_left_alone, TwoRuns) {
  const std::string remedy =
      "; choose another folder (`out`), or overwrite this one with `overwrite`";
  disk.put("foreign/report.html", "mine");
  refused("a", "foreign", "/foreign: contains something other than a report of /a" + remedy);
  write("b", "page");
  refused("a", "page", "/page: contains something other than a report of /a" + remedy);
  // A new run in the same folder counts as a different run.
  disk.put("b/run.json", R"({"settings": {"model": "c"}})");
  refused("b", "page", "/page: contains something other than a report of /b" + remedy);
  disk.put("file", "mine");
  refused("a", "file", "/file: is not a folder");
  disk.put("odd/report.json", "{");
  refused("a", "odd", "/odd/report.json:1: not JSON");
}

BOOST_FIXTURE_TEST_CASE(it_is_written_over_on_request_and_a_run_never, TwoRuns) {
  disk.put("foreign/report.html", "mine");
  disk.put("foreign/thesis.txt", "mine");
  write("a", "foreign", true);
  BOOST_TEST(disk.text("/foreign/report.html") == "new");
  BOOST_TEST(disk.text("/foreign/thesis.txt") == "mine");
  write("a", "foreign");  // the folder is now run a's report
  for (const bool overwrite : {false, true}) {
    refused("a", "b", "/b: is the folder of another run, and reports never overwrite runs",
            overwrite);
  }
}

BOOST_FIXTURE_TEST_CASE(a_runs_own_folder_gets_the_report_and_no_record_of_it, TwoRuns) {
  write("a", "a");
  BOOST_TEST(disk.text("/a/report.html") == "new");
  BOOST_TEST(!disk.files.contains("/a/report.json"));
  disk.put("theirs/metadata_results.json", "{}");  // another tool's
  refused("theirs", "theirs", "/theirs: contains something other than a report of /theirs");
  write("theirs", "theirs", true);
  BOOST_TEST(disk.text("/theirs/report.html") == "new");
}

// Whichever disk call fails, the same command succeeds afterwards.
BOOST_FIXTURE_TEST_CASE(a_report_that_broke_off_is_written_again, TwoRuns) {
  for (std::size_t n = 0;; ++n) {
    TwoRuns runs;
    test::FailingDisk failing(runs.disk, n);
    bool refused = false;
    try {
      write_report(test::small_report("new"), failing(runs.disk / "a"), failing(runs.disk / "page"),
                   false);
    } catch (const std::exception&) {
      refused = true;
    }
    if (!failing.has_failed()) break;
    BOOST_TEST(refused);
    runs.write("a", "page");
    BOOST_TEST(runs.disk.text("/page/report.html") == "new");
    BOOST_TEST(Json::parse(runs.disk.text("/page/report.json")).at("status") == "complete");
  }
}

BOOST_FIXTURE_TEST_CASE(one_process_writes_into_a_folder_at_a_time, TwoRuns) {
  write("a", "page");
  std::unique_ptr<FolderLock> lock;
  BOOST_TEST(!disk.lock("/page", lock));
  BOOST_CHECK_EXCEPTION(write("a", "page"), Error,
                        says(Fault::user, "/page: another plumb process is writing here"));
}

BOOST_AUTO_TEST_SUITE_END()
