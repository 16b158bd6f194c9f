// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/replaced_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/memory_disk.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(replaced_folder)

namespace {

struct Runs {
  void run(const std::string& name, const std::string& text) const {
    folder.write(name + "/run.json", R"({"settings": {"plumb_version": "0"}})");
    folder.write(name + "/results.jsonl", text);
  }
  [[nodiscard]] std::string results(const std::string& name) const {
    return test::slurp(folder / (name + "/results.jsonl"));
  }
  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(folder / name);
  }
  void refused(const std::string& message) const {
    BOOST_CHECK_EXCEPTION(ReplacedFolder(folder / "run"), Error, says(Fault::user, message));
  }
  test::TemporaryFolder folder;
};

/// Records the removed files and the synced folders, in order.
class ToldDisk : public test::MemoryDisk {
 public:
  std::vector<std::string> told;

  std::error_code remove(const Path& file) override {
    const std::error_code failed = MemoryDisk::remove(file);
    if (!failed) told.push_back("remove " + file.filename().string());
    return failed;
  }
  std::error_code sync_folder(const Path& path) override {
    told.push_back("sync " + path.filename().string());
    return MemoryDisk::sync_folder(path);
  }
};

}  // namespace

// Whichever removals survive a power loss, a non-empty folder still contains its run.json.
BOOST_AUTO_TEST_CASE(a_run_is_removed_with_its_run_json_last) {
  ToldDisk disk;
  for (const char* file : {"run.json", "zz.csv", "P36_results.jsonl"}) {
    disk.put("run.old/" + std::string(file), "");
  }
  remove_run(disk / "run.old");
  const std::vector<std::string> expected{"remove P36_results.jsonl", "remove zz.csv",
                                          "sync run.old", "remove run.json", "remove run.old"};
  BOOST_TEST(disk.told == expected, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(the_old_run_stands_until_the_new_one_does, Runs) {
  run("run", "old");
  folder.write("run/figures/er/file", "");
  const auto outside = folder.write("outside/thesis", "mine");
  std::filesystem::create_directory_symlink(outside.parent_path(), folder / "run/figures/link");
  ReplacedFolder place(folder / "run/");
  BOOST_TEST(place.path() == folder / "run.new");
  BOOST_TEST(!is_there("run.new"));
  run("run.new", "new");
  BOOST_TEST(results("run") == "old");
  place.finish();
  BOOST_TEST(results("run") == "new");
  BOOST_TEST(!is_there("run/figures"));
  BOOST_TEST(!is_there("run.new"));
  BOOST_TEST(!is_there("run.old"));
  BOOST_TEST(test::slurp(outside) == "mine");  // links are not followed
}

BOOST_FIXTURE_TEST_CASE(without_an_old_run_the_place_is_its_own, Runs) {
  ReplacedFolder absent(folder / "run");
  BOOST_TEST(absent.path() == folder / "run");
  run("run", "first");
  absent.finish();
  BOOST_TEST(results("run") == "first");
  std::filesystem::create_directory(folder / "empty");
  BOOST_TEST(ReplacedFolder(folder / "empty").path() == folder / "empty");
}

BOOST_FIXTURE_TEST_CASE(what_a_killed_process_left_is_put_right, Runs) {
  run("run", "old");
  run("run.new", "half");  // killed while working
  {
    const ReplacedFolder place(folder / "run");
    BOOST_TEST(!is_there("run.new"));
  }
  BOOST_TEST(results("run") == "old");
  std::filesystem::rename(folder / "run", folder / "run.old");  // killed between the two renames
  const ReplacedFolder place(folder / "run");
  BOOST_TEST(results("run") == "old");
  BOOST_TEST(place.path() == folder / "run.new");
}

BOOST_FIXTURE_TEST_CASE(nothing_but_a_run_is_overwritten, Runs) {
  folder.write("run/thesis", "mine");
  refused("run: does not contain a run of plumb, and only runs are overwritten; choose another");
  folder.write("run/run.json", R"({"settings": {}})");
  refused("does not contain a run of plumb");
  BOOST_TEST(is_there("run/thesis"));
  std::filesystem::remove(folder / "run/thesis");
  run("run", "old");
  folder.write("run.new/thesis", "mine");
  refused("run.new: does not contain a run of plumb");
  BOOST_TEST(is_there("run.new/thesis"));
  std::filesystem::remove_all(folder / "run.new");
  for (const char* const own :
       {"run/entities-a.txt", "run/entities-a.npy", "run/calibration/run.json",
        "run/asked/facts.jsonl", "run/figures/a.svg", "run/x.csv.part"}) {
    folder.write(own, "");
    refuse_other_than_run(folder / "run");
  }
  for (const auto& [mine, entry] : {std::pair{"run/analysis.ipynb", "run/analysis.ipynb"},
                                    {"run/second/run.json", "run/second"}}) {
    folder.write(mine, "mine");
    refused(std::string(entry) + ": is not part of plumb's run, and would be deleted with it");
    BOOST_TEST(is_there(mine));
    std::filesystem::remove_all(folder / entry);
  }
  const ReplacedFolder place(folder / "run");
  refused("run: another plumb process is writing here");
}

BOOST_FIXTURE_TEST_CASE(a_folder_behind_a_link_or_dots_is_replaced_where_it_is, Runs) {
  run("disk/run", "old");
  std::filesystem::create_directory_symlink(folder / "disk/run", folder / "link");
  const auto replace = [&](const std::string& by, const std::string& text) {
    ReplacedFolder place(folder / by);
    BOOST_TEST(place.path() == folder / "disk/run.new");
    run("disk/run.new", text);
    place.finish();
    BOOST_TEST(results("disk/run") == text);
  };
  replace("link", "first");
  BOOST_TEST(std::filesystem::is_symlink(folder / "link"));
  BOOST_TEST(results("link") == "first");
  replace("disk/run/../run", "second");
  replace("disk/run/.", "third");
}

BOOST_AUTO_TEST_SUITE_END()
