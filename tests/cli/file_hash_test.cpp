// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/file_hash.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(file_hash)

// The examples in FIPS 180-4, and the empty message.
BOOST_AUTO_TEST_CASE(hashes_are_sha256s_published_ones) {
  const test::TemporaryFolder folder;
  BOOST_TEST(hash_file(folder.write("empty", "")) ==
             "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(hash_file(folder.write("abc", "abc")) ==
             "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(
      hash_file(folder.write("56", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  BOOST_TEST(hash_file(folder.write("million", std::string(1'000'000, 'a'))) ==
             "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Files are read in blocks of one mebibyte; a change after the first block must change the hash.
BOOST_AUTO_TEST_CASE(a_large_file_counts_to_its_last_byte) {
  const test::TemporaryFolder folder;
  std::string text(2'100'000, 'x');
  const std::string one = hash_file(folder.write("a", text));
  BOOST_TEST(hash_file(folder.write("b", text)) == one);
  text.back() = 'y';
  BOOST_TEST(hash_file(folder.write("c", text)) != one);
  Sha256 whole;
  whole.add(text);
  BOOST_TEST(hash_file(folder / "c") == whole.hex());
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_is_a_user_error) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)hash_file(folder / "absent"), Error,
                        test::shows(Fault::user, "absent: cannot be read"));
  BOOST_CHECK_EXCEPTION((void)hash_file(folder.path()), Error,
                        test::shows(Fault::user, "cannot be read"));
}

BOOST_AUTO_TEST_CASE(several_files_are_hashed_with_their_names) {
  const test::TemporaryFolder folder;
  const auto a = folder.write("here/a", "1");
  const auto b = folder.write("here/b", "2");
  const auto spelt_out = folder.write("all", std::string("a\0001\0b\0002\0", 8));
  BOOST_TEST(hash_files({a, b}) == hash_file(spelt_out));
  BOOST_TEST(hash_files({b, a}) != hash_files({a, b}));
  BOOST_TEST(hash_files({a}) != hash_files({a, b}));
  BOOST_TEST(hash_files({}) == hash_file(folder.write("empty", "")));
}

BOOST_AUTO_TEST_CASE(the_folder_does_not_count_and_the_name_does) {
  const test::TemporaryFolder folder;
  const std::string here = hash_files({folder.write("here/a", "1")});
  BOOST_TEST(hash_files({folder.write("there/a", "1")}) == here);
  BOOST_TEST(hash_files({folder.write("here/b", "1")}) != here);
}

BOOST_AUTO_TEST_CASE(a_model_is_its_file_or_the_files_of_its_folder) {
  const test::TemporaryFolder folder, copy;
  const auto file = folder.write("config.json", "{}");
  BOOST_TEST(hash_path(file) == hash_file(file));
  const auto weights = folder.write("a.safetensors", "1");
  std::filesystem::create_directory(folder / "inner");
  BOOST_TEST(hash_path(folder.path()) == hash_files({weights, file}));
  copy.write("config.json", "{}");
  copy.write("a.safetensors", "1");
  BOOST_TEST(hash_path(copy.path()) == hash_path(folder.path()));
  copy.write("a.safetensors", "2");
  BOOST_TEST(hash_path(copy.path()) != hash_path(folder.path()));
}

BOOST_AUTO_TEST_CASE(a_folder_of_links_is_the_files_that_they_lead_to) {
  const test::TemporaryFolder folder, plain;
  for (const auto& [name, text] : {std::pair{"config.json", "{}"},
                                   {"model-00001-of-00002.safetensors", "1"},
                                   {"model-00002-of-00002.safetensors", "2"},
                                   {"tokenizer.json", "t"}}) {
    plain.write(name, text);
    const auto blob = folder.write("blobs/" + std::string(text), text);
    std::filesystem::create_directories(folder / "snapshots/abc");
    std::filesystem::create_symlink(blob, folder / ("snapshots/abc/" + std::string(name)));
  }
  const std::string hash = hash_path(folder / "snapshots/abc");
  BOOST_TEST(hash == hash_path(plain.path()));
  // each blob affects the hash, including the tokenizer's
  for (const char* blob : {"{}", "1", "2", "t"}) {
    folder.write("blobs/" + std::string(blob), "other");
    BOOST_TEST(hash_path(folder / "snapshots/abc") != hash);
    folder.write("blobs/" + std::string(blob), blob);
  }
  BOOST_TEST(hash_path(folder / "snapshots/abc") == hash);
}

BOOST_AUTO_TEST_SUITE_END()
