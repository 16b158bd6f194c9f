// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/run_folder.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;

BOOST_AUTO_TEST_SUITE(run_folder)

namespace {

const Json settings = {{"model", "tiny"}, {"bos", "yes"}, {"templates", {0, 1}}};

}  // namespace

BOOST_AUTO_TEST_CASE(new_run_folder_immediately_has_status_and_settings) {
  const test::TemporaryFolder folder;
  const RunFolder run(folder / "deep/run", settings, RunFolder::Claim::fresh);
  BOOST_TEST(run.path() == folder / "deep/run");
  BOOST_TEST(run.file("x.json") == folder / "deep/run/x.json");
  const Json json = read_json_object(run.file("run.json"));
  BOOST_TEST(json.at("status") == "running");
  BOOST_TEST(json.at("settings") == settings);
  BOOST_TEST(!std::filesystem::exists(run.file("run.json.part")));
}

BOOST_AUTO_TEST_CASE(write_run_keeps_the_settings_and_adds_the_rest) {
  const test::TemporaryFolder folder;
  const RunFolder run(folder / "run", settings, RunFolder::Claim::fresh);
  run.write_run({{"statements", 12}}, "complete");
  const Json json = read_json_object(run.file("run.json"));
  BOOST_TEST(json.at("status") == "complete");
  BOOST_TEST(json.at("settings") == settings);
  BOOST_TEST(json.at("statements") == 12);
}

BOOST_AUTO_TEST_CASE(resuming_an_absent_folder_starts_the_run) {
  const test::TemporaryFolder folder;
  const RunFolder run(folder / "run", settings, RunFolder::Claim::resume);
  BOOST_TEST(std::filesystem::exists(run.file("run.json")));
}

BOOST_AUTO_TEST_CASE(what_a_killed_run_left_before_its_run_json_counts_as_empty) {
  const test::TemporaryFolder folder;
  folder.write("run/run.json.part", "{\"stat");
  const RunFolder run(folder / "run", settings, RunFolder::Claim::fresh);
  BOOST_TEST(read_json_object(run.file("run.json")).at("status") == "running");
  BOOST_TEST(!std::filesystem::exists(run.file("run.json.part")));
}

BOOST_AUTO_TEST_CASE(a_folder_that_holds_anything_is_refused_without_resume) {
  const test::TemporaryFolder folder;
  folder.write("run/notes.txt", "mine");
  BOOST_CHECK_EXCEPTION(
      RunFolder(folder / "run", settings, RunFolder::Claim::fresh), Error,
      says(Fault::user, "is not empty; choose another folder (`out`), or set `resume`"));
  BOOST_TEST(slurp(folder / "run/notes.txt") == "mine");
  BOOST_TEST(!std::filesystem::exists(folder / "run/run.json"));
}

BOOST_AUTO_TEST_CASE(a_folder_of_something_else_is_refused_with_resume_too) {
  const test::TemporaryFolder folder;
  folder.write("run/notes.txt", "mine");
  BOOST_CHECK_EXCEPTION(RunFolder(folder / "run", settings, RunFolder::Claim::resume), Error,
                        says(Fault::user, "is not a run folder (no run.json)"));
}

BOOST_AUTO_TEST_CASE(the_same_settings_take_the_run_up_again) {
  const test::TemporaryFolder folder;
  { const RunFolder run(folder / "run", settings, RunFolder::Claim::fresh); }
  BOOST_CHECK_EXCEPTION(RunFolder(folder / "run", settings, RunFolder::Claim::fresh), Error,
                        says(Fault::user, "is not empty"));
  const std::string before = slurp(folder / "run/run.json");
  const RunFolder again(folder / "run", settings, RunFolder::Claim::resume);
  BOOST_TEST(slurp(folder / "run/run.json") == before);
}

BOOST_AUTO_TEST_CASE(other_settings_are_refused_by_the_name_of_the_first) {
  const test::TemporaryFolder folder;
  { const RunFolder run(folder / "run", settings, RunFolder::Claim::fresh); }
  Json other = settings;
  other["bos"] = "no";
  BOOST_CHECK_EXCEPTION(
      RunFolder(folder / "run", other, RunFolder::Claim::resume), Error,
      says(Fault::user, "run.json: bos: the run was started with \"yes\", not \"no\""));
  Json more = settings;
  more["limit"] = 3;
  BOOST_CHECK_EXCEPTION(RunFolder(folder / "run", more, RunFolder::Claim::resume), Error,
                        says(Fault::user, "limit: the run was started with null, not 3"));
  const RunFolder still_free(folder / "run", settings,
                             RunFolder::Claim::resume);  // a refusal releases the lock
}

BOOST_AUTO_TEST_CASE(malformed_run_json_is_rejected_with_its_line) {
  const test::TemporaryFolder folder;
  folder.write("run/run.json", "{\n\"status\": \"running\",\n");
  BOOST_CHECK_EXCEPTION(RunFolder(folder / "run", settings, RunFolder::Claim::resume), Error,
                        says(Fault::user, "run.json:3: not JSON"));
}

BOOST_AUTO_TEST_CASE(a_file_in_the_folders_place_is_refused) {
  const test::TemporaryFolder folder;
  folder.write("run", "a file");
  BOOST_CHECK_EXCEPTION(RunFolder(folder / "run", settings, RunFolder::Claim::fresh), Error,
                        says(Fault::user, "choose another folder (`out`)"));
}

BOOST_AUTO_TEST_CASE(a_folder_has_one_owner_at_a_time) {
  const test::TemporaryFolder folder;
  {
    const RunFolder run(folder / "run", settings, RunFolder::Claim::fresh);
    BOOST_CHECK_EXCEPTION(RunFolder(folder / "run", settings, RunFolder::Claim::resume), Error,
                          says(Fault::user, "another plumb process is writing here"));
  }
  const RunFolder next(folder / "run", settings, RunFolder::Claim::resume);
  BOOST_TEST(next.path() == folder / "run");
}

// The lock must not outlive its process; otherwise no process could resume the run after kill -9.
BOOST_AUTO_TEST_CASE(another_process_is_kept_out_until_the_first_is_killed) {
  const test::TemporaryFolder folder;
  std::array<int, 2> ready{};
  BOOST_REQUIRE(pipe(ready.data()) == 0);
  const pid_t child = fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    // no exception may leave this block; otherwise, two processes would run the remaining tests
    try {
      const RunFolder run(folder / "run", settings, RunFolder::Claim::fresh);
      if (write(ready[1], "x", 1) == 1) pause();
    } catch (...) {
    }
    _exit(1);
  }
  close(ready[1]);
  char byte = 0;
  const bool owned = read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  BOOST_CHECK(owned);
  BOOST_CHECK_EXCEPTION(RunFolder(folder / "run", settings, RunFolder::Claim::resume), Error,
                        says(Fault::user, "another plumb process is writing here"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const RunFolder after(folder / "run", settings, RunFolder::Claim::resume);
  BOOST_TEST(read_json_object(after.file("run.json")).at("status") == "running");
}

BOOST_AUTO_TEST_SUITE_END()
