// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/atomic_file.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;

BOOST_AUTO_TEST_SUITE(atomic_file_suite)

namespace {

/// A disk without space for new data.
struct FullDisk : RealDisk {
  std::unique_ptr<OutputFile> write(const Path&, Opening) override {
    return RealDisk::write("/dev/full", Opening::append);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(atomic_write_leaves_no_temporary_file) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "a.txt", "first");
  write_atomically(folder / "a.txt", std::string("b\0c", 3));
  BOOST_TEST(slurp(folder / "a.txt") == std::string("b\0c", 3));
  BOOST_TEST(!std::filesystem::exists(folder / "a.txt.part"));
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_leaves_the_old_one) {
  const test::TemporaryFolder folder;
  folder.write("a.txt", "old");
  std::filesystem::create_directory(folder / "a.txt.part");  // blocks the temporary file
  BOOST_CHECK_EXCEPTION(write_atomically(folder / "a.txt", "new"), Error,
                        says(Fault::user, "a.txt.part: cannot be created"));
  BOOST_TEST(slurp(folder / "a.txt") == "old");
}

BOOST_AUTO_TEST_CASE(unfinished_file_is_renamed_on_completion) {
  const test::TemporaryFolder folder;
  {
    AtomicFile file(folder / "a.jsonl");
    file << "first\n" << std::string("b\0c", 3);
    BOOST_TEST(!std::filesystem::exists(folder / "a.jsonl"));
    BOOST_TEST(std::filesystem::exists(folder / "a.jsonl.part"));
    file << "" << std::string(100'000, 'x');
    file.finish();
    BOOST_TEST(slurp(folder / "a.jsonl") ==
               "first\n" + std::string("b\0c", 3) + std::string(100'000, 'x'));
    BOOST_TEST(!std::filesystem::exists(folder / "a.jsonl.part"));
  }
  BOOST_TEST(std::filesystem::file_size(folder / "a.jsonl") == 100'009U);
}

BOOST_AUTO_TEST_CASE(checksum_is_computed_while_the_file_is_written) {
  const test::TemporaryFolder folder;
  const std::string large(200'000, 'x');
  AtomicFile file(folder / "a.jsonl");
  file << "one\n" << large << "\ntwo\n";
  const FileSum sum = file.finish();
  BOOST_TEST(sum.lines == 3U);
  BOOST_TEST(sum.bytes == 200'009U);
  BOOST_TEST(sum.hash == fnv1a("one\n" + large + "\ntwo\n"));
  BOOST_CHECK(sum == sum_of(folder / "a.jsonl"));
  const FileSum small = write_atomically(folder / "b.txt", "b");
  BOOST_CHECK(small == sum_of(folder / "b.txt"));
}

BOOST_AUTO_TEST_CASE(what_a_link_in_its_place_leads_to_is_left_alone) {
  const test::TemporaryFolder folder;
  folder.write("victim.txt", "mine");
  for (const char* name : {"a.json.part", "a.json"}) {
    std::filesystem::create_symlink(folder / "victim.txt", folder / name);
    write_atomically(folder / "a.json", "new");
    BOOST_TEST(slurp(folder / "a.json") == "new");
    BOOST_TEST(slurp(folder / "victim.txt") == "mine");
    std::filesystem::remove(folder / "a.json");
  }
}

BOOST_AUTO_TEST_CASE(a_file_of_nothing_is_a_file_too) {
  const test::TemporaryFolder folder;
  AtomicFile(folder / "none.jsonl").finish();
  BOOST_TEST(std::filesystem::file_size(folder / "none.jsonl") == 0U);
}

// This is the state after an interrupted run: the old file remains, and the next run starts the new
// one from scratch.
BOOST_AUTO_TEST_CASE(a_file_that_is_not_finished_leaves_the_old_one) {
  const test::TemporaryFolder folder;
  folder.write("a.jsonl", "old");
  { AtomicFile(folder / "a.jsonl") << "half of the n"; }
  BOOST_TEST(slurp(folder / "a.jsonl") == "old");
  AtomicFile file(folder / "a.jsonl");
  file << "new";
  BOOST_TEST(slurp(folder / "a.jsonl") == "old");
  file.finish();
  BOOST_TEST(slurp(folder / "a.jsonl") == "new");
}

BOOST_AUTO_TEST_CASE(temporary_file_that_cannot_be_created_is_a_user_error) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(AtomicFile(folder / "gone/a.jsonl"), Error,
                        says(Fault::user,
                             "gone/a.jsonl.part: cannot be created; check its "
                             "folder's permissions, or choose another"));
  std::filesystem::create_directory(folder / "b.jsonl.part");  // blocks the temporary file
  BOOST_CHECK_THROW(AtomicFile(folder / "b.jsonl"), Error);
}

BOOST_AUTO_TEST_CASE(a_full_disk_gives_no_file_its_name) {
  const test::TemporaryFolder folder;
  FullDisk disk;
  folder.write("a.jsonl", "old");
  for (const std::size_t size : {1U, 100'000U}) {  // the write fails during finish or before it
    AtomicFile file(DiskPath(folder / "a.jsonl", disk));
    const auto write = [&] {
      file << std::string(size, 'x');
      BOOST_TEST(size == 1U);
      file.finish();
    };
    BOOST_CHECK_EXCEPTION(write(), Error,
                          says(Fault::internal,
                               "a.jsonl.part: cannot be written: No space left on device; check "
                               "the free space, then run it again"));
    BOOST_TEST(slurp(folder / "a.jsonl") == "old");
  }
}

BOOST_AUTO_TEST_CASE(error_names_the_folder_that_blocks_a_finished_file) {
  const test::TemporaryFolder folder;
  folder.write("a.jsonl/inside", "x");
  AtomicFile file(folder / "a.jsonl");
  BOOST_CHECK_EXCEPTION(file.finish(), Error,
                        says(Fault::internal, "a.jsonl: cannot be replaced: "));
}

BOOST_AUTO_TEST_SUITE_END()
