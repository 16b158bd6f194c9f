// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/disk.hpp"

#include <boost/test/unit_test.hpp>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "support/memory_disk.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::MemoryDisk;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(disk)

namespace {

using Path = std::filesystem::path;

std::string text_of(const Disk& disk, const Path& file) {
  const auto stream = disk.read(file);
  if (!stream) return "unreadable";
  return {std::istreambuf_iterator<char>(*stream), {}};
}

void write(Disk& disk, const Path& file, const std::string& text,
           Disk::Opening how = Disk::Opening::create) {
  const auto output = disk.write(file, how);
  BOOST_REQUIRE(output);
  BOOST_TEST(!output->write(text));
  BOOST_TEST(!output->sync());
}

/// Checks what every disk must do; `root` is an empty folder on it.
void check_disk(Disk& disk, const Path& root) {
  BOOST_CHECK(disk.kind(root / std::string(300, 'x')) == Disk::Kind::nothing);
  BOOST_CHECK(disk.kind(root) == Disk::Kind::folder);
  BOOST_CHECK(disk.kind(root / "none") == Disk::Kind::nothing);
  BOOST_TEST(!disk.make_folders(root / "a/b"));
  BOOST_TEST(!disk.make_folders(root / "a/b"));
  BOOST_TEST(!disk.sync_folder(root / "a/b"));
  BOOST_TEST(bool(disk.sync_folder(root / "none")));

  const Path file = root / "a/x.txt";
  write(disk, file, std::string("on\0e", 4));
  write(disk, file, "two", Disk::Opening::append);
  BOOST_TEST(text_of(disk, file) == std::string("on\0etwo", 7));
  BOOST_CHECK(disk.kind(file) == Disk::Kind::file);
  BOOST_TEST(bool(disk.make_folders(file)));
  BOOST_TEST(!disk.cut(file, 2));
  BOOST_TEST(text_of(disk, file) == "on");
  BOOST_TEST(bool(disk.cut(root / "none", 0)));
  write(disk, file, "new");
  BOOST_TEST(text_of(disk, file) == "new");

  BOOST_TEST(!disk.read(root / "none"));
  BOOST_TEST(!disk.read(root / "a"));  // a folder cannot be read
  BOOST_TEST(!disk.write(root / "a", Disk::Opening::create));
  BOOST_TEST(!disk.write(root / "none/x.txt", Disk::Opening::append));

  write(disk, root / "a/old.txt", "old");
  BOOST_CHECK((disk.list(root / "a") ==
               std::vector<Path>{root / "a/b", root / "a/old.txt", root / "a/x.txt"}));
  BOOST_TEST(!disk.rename(file, root / "a/old.txt"));
  BOOST_TEST(text_of(disk, root / "a/old.txt") == "new");
  BOOST_CHECK(disk.kind(file) == Disk::Kind::nothing);
  BOOST_TEST(bool(disk.rename(file, root / "a/y.txt")));
  // A file cannot replace a folder.
  BOOST_TEST(bool(disk.rename(root / "a/old.txt", root / "a/b")));
  BOOST_TEST(!disk.remove(root / "a/old.txt"));
  BOOST_TEST(!disk.remove(root / "a/old.txt"));
  BOOST_CHECK((disk.list(root / "a") == std::vector<Path>{root / "a/b"}));
  BOOST_CHECK_THROW(static_cast<void>(disk.list(root / "none")), std::filesystem::filesystem_error);
  BOOST_TEST(disk.canonical(root / "a/./b/../none") == root / "a/none");

  std::unique_ptr<FolderLock> first, second;
  BOOST_TEST(!disk.lock(root / "a", first));
  BOOST_CHECK(disk.lock(root / "a", second) == std::errc::resource_unavailable_try_again);
  BOOST_TEST(!second);
  BOOST_CHECK(disk.lock(root / "none", second) != std::errc::resource_unavailable_try_again);
  first.reset();
  BOOST_TEST(!disk.lock(root / "a", second));
}

}  // namespace

BOOST_AUTO_TEST_CASE(real_disk_conforms_to_the_disk_interface) {
  const TemporaryFolder folder;
  check_disk(real_disk(), std::filesystem::canonical(folder.path()));
}

BOOST_AUTO_TEST_CASE(the_disk_in_memory_does_the_same) {
  MemoryDisk disk;
  check_disk(disk, "/");
}

// Anyone with write access to a folder could create a link there to another user's file.
BOOST_AUTO_TEST_CASE(what_a_link_leads_to_is_not_written) {
  const TemporaryFolder folder;
  RealDisk disk;
  for (const char* target : {"victim.txt", "absent.txt"}) {
    folder.write("victim.txt", "mine");
    const Path link = folder / "link";
    std::filesystem::create_symlink(folder / target, link);
    BOOST_TEST(!disk.write(link, Disk::Opening::append));
    BOOST_TEST(bool(disk.cut(link, 0)));
    BOOST_TEST(std::filesystem::is_symlink(link));
    write(disk, link, "new");  // replaces the link
    BOOST_TEST(!std::filesystem::is_symlink(link));
    BOOST_TEST(text_of(disk, link) == "new");
    BOOST_TEST(text_of(disk, folder / "victim.txt") == "mine");
    BOOST_TEST(!std::filesystem::exists(folder / "absent.txt"));
    std::filesystem::remove(link);
  }
  // A second hard link to the same file is not emptied either.
  std::filesystem::create_hard_link(folder / "victim.txt", folder / "other");
  write(disk, folder / "other", "new");
  BOOST_TEST(text_of(disk, folder / "victim.txt") == "mine");
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_an_error_of_the_write) {
  const auto full = real_disk().write("/dev/full", Disk::Opening::append);
  BOOST_REQUIRE(full);
  BOOST_CHECK(full->write("x") == std::errc::no_space_on_device);
}

// The disk counts four calls: kind, write (which opens the file), write (of the bytes) and sync.
BOOST_AUTO_TEST_CASE(the_nth_call_of_a_failing_disk_fails_once) {
  for (std::size_t n = 0; n < 5; ++n) {
    MemoryDisk memory;
    test::FailingDisk disk(memory, n);
    bool threw = false;
    try {
      static_cast<void>(disk.kind("/"));
    } catch (const std::filesystem::filesystem_error&) {
      threw = true;
    }
    BOOST_TEST(threw == (n == 0));
    const auto output = disk.write("/x", Disk::Opening::create);
    BOOST_TEST(!output == (n == 1));
    if (output) {
      BOOST_TEST(bool(output->write("four")) == (n == 2));
      BOOST_TEST(bool(output->sync()) == (n == 3));
      BOOST_TEST(memory.text("/x") == (n == 2 ? "fo" : "four"));
    }
    BOOST_TEST(disk.has_failed() == (n < 4));
  }
}

BOOST_AUTO_TEST_SUITE_END()
