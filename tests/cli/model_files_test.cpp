// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/model_files.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "plumb/detail/cli/file_hash.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(model_files_suite)

BOOST_AUTO_TEST_CASE(part_number_is_parsed_from_the_file_name) {
  const auto name = part_name("m-q4-00002-of-00013.gguf");
  BOOST_REQUIRE(name.has_value());
  BOOST_TEST(name->lead == "m-q4");
  BOOST_TEST(name->part == 2U);
  BOOST_TEST(name->parts == 13U);
  BOOST_TEST(name->of(11) == "m-q4-00011-of-00013.gguf");
  for (const char* other :
       {"m.gguf", "-00001-of-00002.gguf", "m-00000-of-00002.gguf", "m-00003-of-00002.gguf",
        "m-0001-of-0002.gguf", "m-00001-of-00002.safetensors", "m-0000a-of-00002.gguf",
        "m_00001_of_00002.gguf", ""}) {
    BOOST_TEST(!part_name(other).has_value(), other);
  }
  BOOST_TEST(is_later_part(DiskPath("m-00002-of-00002.gguf")));
  BOOST_TEST(!is_later_part(DiskPath("m-00001-of-00002.gguf")));
  BOOST_TEST(!is_later_part(DiskPath("m.gguf")));
}

// Computed with `printf A | sha256sum` and `printf BB | sha256sum`: the two hexadecimal hashes are
// joined and piped through sha256sum again.
BOOST_AUTO_TEST_CASE(a_model_in_parts_is_all_of_them) {
  const test::TemporaryFolder folder;
  const auto first = folder.write("m-00001-of-00002.gguf", "A");
  const auto second = folder.write("m-00002-of-00002.gguf", "BB");
  BOOST_TEST(hash_model(first) ==
             "f1f05b34eb497a61a827530e2345d4e05ed3a4c2b330af24b398165c3d95ba90");
  // The prefix of the file names, the folder and symbolic links do not affect the hash.
  std::filesystem::create_directory(folder / "other");
  std::filesystem::create_symlink(first, folder / "other/n-00001-of-00002.gguf");
  std::filesystem::create_symlink(second, folder / "other/n-00002-of-00002.gguf");
  BOOST_TEST(hash_model(folder / "other/n-00001-of-00002.gguf") == hash_model(first));
  BOOST_TEST(model_files(first).size() == 2U);

  const std::string both = hash_model(first);
  folder.write("m-00002-of-00002.gguf", "B");
  BOOST_TEST(hash_model(first) != both);
  folder.write("m-00002-of-00002.gguf", "A");
  folder.write("m-00001-of-00002.gguf", "BB");
  BOOST_TEST(hash_model(first) != both);
}

BOOST_AUTO_TEST_CASE(one_file_is_itself_and_a_folder_its_own_files) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("m.gguf", "abc");
  BOOST_TEST(hash_model(file) == hash_file(file));
  const auto alone = folder.write("n-00001-of-00002.gguf", "abc");
  BOOST_TEST(hash_model(alone) == hash_file(file));
  const auto later = folder.write("p-00002-of-00002.gguf", "abc");
  folder.write("p-00001-of-00002.gguf", "d");
  BOOST_TEST(hash_model(later) == hash_file(file));  // llama.cpp refuses it
  BOOST_TEST(hash_model(folder.path()) == hash_path(folder.path()));
}

BOOST_AUTO_TEST_SUITE_END()
