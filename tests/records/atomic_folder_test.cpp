// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/atomic_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;

BOOST_AUTO_TEST_SUITE(atomic_folder_suite)

namespace {

struct Place : test::TemporaryFolder {
  [[nodiscard]] DiskPath out() const { return path() / "out"; }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(path() / name);
  }
  void make() const {
    AtomicFolder made(out(), ".jsonl");
    write_atomically(made.path() / "a.jsonl", "new");
    made.finish();
  }
  void refused(const std::string& words) const {
    BOOST_CHECK_EXCEPTION(AtomicFolder(out(), ".jsonl"), Error, says(Fault::user, words));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_folder_has_its_name_when_it_is_finished, Place) {
  for (const bool is_there : {false, true}) {  // an empty folder counts as absent
    if (is_there) std::filesystem::create_directory(*this / "out");
    AtomicFolder made(out(), ".jsonl");
    write_atomically(made.path() / "a.jsonl", "new");
    BOOST_TEST(!has("out/a.jsonl"));
    made.finish();
    BOOST_TEST(slurp(*this / "out/a.jsonl") == "new");
    BOOST_TEST(!has("out.part"));
    std::filesystem::remove_all(*this / "out");
  }
  AtomicFolder(path() / "deep/er/", ".jsonl").finish();
  BOOST_TEST(has("deep/er"));
}

BOOST_FIXTURE_TEST_CASE(leftovers_of_a_killed_process_are_discarded, Place) {
  { AtomicFolder left(out(), ".jsonl"); }  // destroyed without finish
  BOOST_TEST(has("out.part"));
  write("out.part/old.jsonl", "old");
  write("out.part/a.jsonl.part", "half");
  make();
  BOOST_TEST(slurp(*this / "out/a.jsonl") == "new");
  BOOST_TEST(!has("out/old.jsonl"));
  BOOST_TEST(!has("out/a.jsonl.part"));
}

BOOST_FIXTURE_TEST_CASE(what_is_someones_is_left_alone, Place) {
  write("out/x.txt", "mine");
  refused("out: is not empty; choose another folder (`out`)");
  std::filesystem::remove_all(*this / "out");
  write("out", "mine");
  refused("out: is not a folder; choose another folder (`out`)");
  std::filesystem::remove(*this / "out");
  write("out.part/thesis.txt", "mine");
  refused(
      "out.part: exists and is not an unfinished plumb folder; move it elsewhere, or choose "
      "another folder (`out`)");
  BOOST_TEST(slurp(*this / "out.part/thesis.txt") == "mine");
  std::filesystem::remove_all(*this / "out.part");
  write("out.part", "mine");
  refused("out.part: exists and is not an unfinished plumb folder");
}

BOOST_FIXTURE_TEST_CASE(one_process_makes_it_at_a_time, Place) {
  const AtomicFolder first(out(), ".jsonl");
  refused("out.part: another plumb process is writing here");
}

BOOST_FIXTURE_TEST_CASE(removing_a_folder_does_not_follow_links, Place) {
  write("kept/x.txt", "kept");
  write("gone/deep/y.txt", "gone");
  std::filesystem::create_directory_symlink(*this / "kept", *this / "gone/link");
  remove_folder(path() / "gone");
  BOOST_TEST(!has("gone"));
  BOOST_TEST(slurp(*this / "kept/x.txt") == "kept");
}

BOOST_AUTO_TEST_SUITE_END()
