// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/result_lines.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/detail/records/journal_file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(result_lines)

BOOST_FIXTURE_TEST_CASE(each_line_is_an_object, test::TemporaryFolder) {
  write("rows.jsonl", "{\"a\": 1}\n\n{\"a\": 2}\n");
  std::vector<std::size_t> lines;
  for_each_result_line(path() / "rows.jsonl",
                       [&](const Json&, std::size_t line) { lines.push_back(line); });
  BOOST_TEST((lines == std::vector<std::size_t>{1, 3}));
  write("rows.jsonl", "{}\n[]\n");
  BOOST_CHECK_EXCEPTION(
      for_each_result_line(path() / "rows.jsonl", [](const Json&, std::size_t) {}), Error,
      says(Fault::user, "rows.jsonl:2: is JSON but not an object"));
}

// Reading either of these files would never end.
BOOST_FIXTURE_TEST_CASE(what_may_never_end_is_refused, test::TemporaryFolder) {
  const auto pipe = path() / "pipe.jsonl", zeros = path() / "zeros.jsonl";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink("/dev/zero", zeros);
  for (const auto& file : {pipe, zeros}) {
    BOOST_CHECK_EXCEPTION(for_each_result_line(file, [](const Json&, std::size_t) {}), Error,
                          says(Fault::user, "is a pipe or a device, not a results file"));
    BOOST_CHECK_EXCEPTION((void)is_there(file), Error, says(Fault::user, "is a pipe or a device"));
    BOOST_CHECK_EXCEPTION(JournalFile(file, [](const std::string&, std::uintmax_t, std::size_t) {}),
                          Error, says(Fault::user, "is a pipe or a device"));
    BOOST_TEST(DiskPath(file).exists());
    BOOST_TEST(!DiskPath(file).is_file());
  }
  BOOST_TEST(!is_there(path() / "none"));
  BOOST_TEST(is_there(write("rows.jsonl", "")));
  BOOST_TEST(DiskPath(path()).files(".jsonl").size() == 1U);
  BOOST_TEST(DiskPath(pipe).files(".jsonl").size() == 1U);  // like a shell's <(…)
}

BOOST_AUTO_TEST_SUITE_END()
