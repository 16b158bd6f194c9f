// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/disk_path.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/memory_disk.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(disk_path)

namespace {

std::vector<std::string> strings(const std::vector<DiskPath>& paths) {
  std::vector<std::string> all;
  for (const DiskPath& path : paths) all.push_back(path.string());
  return all;
}

using Strings = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_plain_path_is_on_the_real_disk_and_stands_for_one) {
  const DiskPath path = "/";
  BOOST_TEST(&path.disk() == &real_disk());
  BOOST_TEST(path.is_folder());
  const std::filesystem::path plain = path / "usr";
  BOOST_TEST(plain == "/usr");
  BOOST_TEST(DiskPath().empty());
}

BOOST_AUTO_TEST_CASE(whatever_comes_of_a_path_is_on_its_disk) {
  test::MemoryDisk disk;
  const DiskPath file = disk.put("run/rows.jsonl", "{}\n");
  const DiskPath folder = file.parent();
  for (const DiskPath& one :
       {file, folder, folder / "x", folder + ".part", folder.with("/y"), folder.canonical(),
        folder.list().front(), folder.files(".jsonl").front()}) {
    BOOST_TEST(&one.disk() == &disk);
  }
  BOOST_TEST((folder + ".part").string() == "/run.part");
  BOOST_TEST(file.exists());
  BOOST_TEST(file.is_file());
  BOOST_TEST(!file.is_folder());
  BOOST_TEST(folder.is_folder());
  BOOST_TEST(!folder.is_file());
  BOOST_TEST(!(folder / "none").exists());
  std::string line;
  std::getline(*file.read(), line);
  BOOST_TEST(line == "{}");
}

BOOST_AUTO_TEST_CASE(names_are_the_last_part_with_and_without_a_slash) {
  for (const char* word : {"a/b.tar.gz", "a/b.tar.gz/"}) {
    const DiskPath path = word;
    BOOST_TEST(path.name() == "b.tar.gz");
    BOOST_TEST(path.stem() == "b.tar");
    BOOST_TEST(path.extension() == ".gz");
    BOOST_TEST(path.parent().string() == "a");
  }
}

BOOST_AUTO_TEST_CASE(files_of_an_extension_are_the_path_itself_or_those_in_it) {
  test::MemoryDisk disk;
  disk.put("a/2.csv", "");
  disk.put("a/1.csv", "");
  disk.put("a/3.tsv", "");
  disk.put("a/b/4.csv", "");
  BOOST_TEST((strings((disk / "a").files(".csv")) == Strings{"/a/1.csv", "/a/2.csv"}));
  BOOST_TEST((strings((disk / "a/3.tsv").files(".tsv")) == Strings{"/a/3.tsv"}));
  BOOST_TEST((disk / "a/3.tsv").files(".csv").empty());
  BOOST_TEST((disk / "none.csv").files(".csv").empty());
  BOOST_TEST((strings((disk / "a").list()) == Strings{"/a/1.csv", "/a/2.csv", "/a/3.tsv", "/a/b"}));
}

BOOST_AUTO_TEST_SUITE_END()
