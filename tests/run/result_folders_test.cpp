// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/result_folders.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(result_folders)

namespace {

/// Folders of several kinds, whose contents are not read.
struct Folders {
  Folders() {
    for (const char* name : {"theirs", "run", "a=b", "calibrated/probe"}) {
      folder.write(std::string(name) + "/metadata_results.json", "{}");
    }
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
  /// The result of parsing `word` as NAME=folder, with the folder's path relative to this one.
  [[nodiscard]] std::string made(const std::string& word) const {
    const ResultFolder one = result_folder(word);
    return one.name + "=" + one.path.path().lexically_relative(folder.path()).string();
  }

  test::TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(result_folders_can_be_given_names, Folders) {
  BOOST_TEST(made(at("run")) == "=run");
  BOOST_TEST(made("gpt=" + at("theirs")) == "gpt=theirs");
  BOOST_TEST(made(at("a=b")) == "=a=b");  // it exists
  BOOST_TEST(made("x=" + at("a=b")) == "x=a=b");
}

BOOST_FIXTURE_TEST_CASE(a_calibration_of_a_model_stands_for_its_probe, Folders) {
  BOOST_TEST(made(at("calibrated")) == "=calibrated/probe");
}

BOOST_FIXTURE_TEST_CASE(what_is_no_folder_is_refused, Folders) {
  BOOST_CHECK_EXCEPTION((void)result_folder(at("nowhere")), Error,
                        test::says(Fault::user, "nowhere: is not a folder; use a run folder"));
  BOOST_CHECK_EXCEPTION((void)result_folder(""), Error,
                        test::says(Fault::user, "DIR: is not a folder"));
}

BOOST_FIXTURE_TEST_CASE(paths_are_kept_whole, Folders) {
  ResultFolders folders;
  folders.read({at("run"), "b=" + at("a=b") + "/../run/"});
  BOOST_TEST(folders.list[1].name == "b");
  const std::string whole = std::filesystem::weakly_canonical(folder / "run").string();
  BOOST_TEST((folders.json() == Json{whole, whole + "/"} || folders.json() == Json{whole, whole}));
}

BOOST_FIXTURE_TEST_CASE(the_last_part_of_a_path_is_its_name, Folders) {
  BOOST_TEST(folder_name(folder / "run") == "run");
  BOOST_TEST(folder_name(at("run") + "/") == "run");
  BOOST_TEST(folder_name(folder / "run/..") == folder.path().filename().string());
  BOOST_TEST(folder_name(folder / "calibrated/probe") == "probe");
  folder.write("calibrated/run.json", R"({"settings": {"command": "calibrate"}})");
  BOOST_TEST(folder_name(folder / "calibrated/probe/") == "calibrated");
}

BOOST_AUTO_TEST_SUITE_END()
