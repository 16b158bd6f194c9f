// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/mapped_file.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(mapped_file)

BOOST_AUTO_TEST_CASE(a_file_is_read_as_memory) {
  const test::TemporaryFolder folder;
  MappedFile first(folder.write("some", "bytes"));
  const MappedFile map = std::move(first);
  BOOST_TEST(std::string_view(map.data(), map.size()) == "bytes");
}

BOOST_AUTO_TEST_CASE(a_file_of_a_given_size_is_written) {
  const test::TemporaryFolder folder;
  {
    const MappedFile map(folder / "new", 4);
    std::memcpy(map.data(), "four", 4);
  }
  BOOST_TEST(test::slurp(folder / "new") == "four");
}

BOOST_AUTO_TEST_CASE(what_a_link_leads_to_is_read_and_not_written) {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink(folder.write("victim", "mine"), folder / "link");
  const MappedFile map(folder / "link");
  BOOST_TEST(std::string_view(map.data(), map.size()) == "mine");
  BOOST_CHECK_EXCEPTION(MappedFile(folder / "link", 100), Error,
                        says(Fault::user, "cannot be created"));
  BOOST_TEST(test::slurp(folder / "victim") == "mine");
}

BOOST_AUTO_TEST_CASE(absent_and_empty_files_are_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(MappedFile(folder / "none"), Error, says(Fault::user, "cannot be read"));
  BOOST_CHECK_EXCEPTION(MappedFile(folder.write("empty", "")), Error,
                        says(Fault::user, "is empty or cannot be mapped"));
  BOOST_CHECK_EXCEPTION(MappedFile(folder / "none/new", 4), Error,
                        says(Fault::user, "cannot be created"));
}

BOOST_AUTO_TEST_SUITE_END()
