// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/mapped_file.hpp"

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
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
                        says(Fault::user, "is empty; create it again"));
  BOOST_CHECK_EXCEPTION(MappedFile("/dev/null"), Error, says(Fault::user, "is empty"));
  BOOST_CHECK_EXCEPTION(MappedFile(folder / "none/new", 4), Error,
                        says(Fault::user, "cannot be created"));
}

// This test limits the address space to less than AddressSanitizer needs.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_HAS_ADDRESS_SANITIZER
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(TEST_HAS_ADDRESS_SANITIZER)
BOOST_AUTO_TEST_CASE(lack_of_memory_is_not_reported_as_an_empty_file) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("large", "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40U);
  rlimit before{};
  BOOST_REQUIRE_EQUAL(getrlimit(RLIMIT_AS, &before), 0);
  rlimit less = before;
  less.rlim_cur = std::uintmax_t{1} << 39U;
  BOOST_REQUIRE_EQUAL(setrlimit(RLIMIT_AS, &less), 0);
  BOOST_CHECK_EXCEPTION(MappedFile{file}, Error,
                        says(Fault::internal, "not enough memory to map its"));
  BOOST_REQUIRE_EQUAL(setrlimit(RLIMIT_AS, &before), 0);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
