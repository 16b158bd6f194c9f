// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/replaced_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(replaced_folder)

namespace {

struct Runs {
  void run(const std::string& name, const std::string& text) const {
    folder.write(name + "/run.json", R"({"settings": {"plumb_version": "0"}})");
    folder.write(name + "/results", text);
  }
  [[nodiscard]] std::string results(const std::string& name) const {
    return test::slurp(folder / (name + "/results"));
  }
  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(folder / name);
  }
  void refused(const std::string& message) const {
    BOOST_CHECK_EXCEPTION(ReplacedFolder(folder / "run"), Error, says(Fault::user, message));
  }
  test::TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_old_run_stands_until_the_new_one_does, Runs) {
  run("run", "old");
  folder.write("run/deep/er/file", "");
  const auto outside = folder.write("outside/thesis", "mine");
  std::filesystem::create_directory_symlink(outside.parent_path(), folder / "run/link");
  ReplacedFolder place(folder / "run/");
  BOOST_TEST(place.path() == folder / "run.new");
  BOOST_TEST(!is_there("run.new"));
  run("run.new", "new");
  BOOST_TEST(results("run") == "old");
  place.finish();
  BOOST_TEST(results("run") == "new");
  BOOST_TEST(!is_there("run/deep"));
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
  run("run.new", "half");  // killed while it worked
  {
    const ReplacedFolder place(folder / "run");
    BOOST_TEST(!is_there("run.new"));
  }
  BOOST_TEST(results("run") == "old");
  std::filesystem::rename(folder / "run", folder / "run.old");  // killed between two names
  const ReplacedFolder place(folder / "run");
  BOOST_TEST(results("run") == "old");
  BOOST_TEST(place.path() == folder / "run.new");
}

BOOST_FIXTURE_TEST_CASE(nothing_but_a_run_is_overwritten, Runs) {
  folder.write("run/thesis", "mine");
  refused("run: holds no run of plumb, and nothing else is overwritten; choose another");
  folder.write("run/run.json", R"({"settings": {}})");
  refused("holds no run of plumb");
  BOOST_TEST(is_there("run/thesis"));
  run("run", "old");
  folder.write("run.new/thesis", "mine");
  refused("run.new: holds no run of plumb");
  BOOST_TEST(is_there("run.new/thesis"));
  std::filesystem::remove_all(folder / "run.new");
  const ReplacedFolder place(folder / "run");
  refused("run: another plumb is writing here");
}

BOOST_AUTO_TEST_SUITE_END()
