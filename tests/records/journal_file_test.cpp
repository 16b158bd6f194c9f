// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/journal_file.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;

BOOST_AUTO_TEST_SUITE(journal_file)

namespace {

struct Visited {
  std::string text;
  std::uintmax_t begin;
  std::size_t line;

  friend bool operator==(const Visited&, const Visited&) = default;
};

/// The lines visited when the file is opened.
std::vector<Visited> visited(const std::filesystem::path& file) {
  std::vector<Visited> all;
  JournalFile journal(file, [&](const std::string& text, std::uintmax_t begin, std::size_t line) {
    all.push_back({text, begin, line});
  });
  return all;
}

const auto ignore = [](const std::string&, std::uintmax_t, std::size_t) {};

/// While an object of this class exists, no file can grow beyond this number of bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_made) {
  const test::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  BOOST_TEST(visited(file).empty());
  BOOST_TEST(std::filesystem::is_regular_file(file));
  BOOST_TEST(slurp(file).empty());
}

BOOST_AUTO_TEST_CASE(lines_are_visited_with_where_they_begin) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("journal.jsonl", "one\n\nété\r\nfour\n");
  BOOST_CHECK((visited(file) ==
               std::vector<Visited>{{"one", 0, 1}, {"", 4, 2}, {"été\r", 5, 3}, {"four", 12, 4}}));
  BOOST_TEST(slurp(file) == "one\n\nété\r\nfour\n");
}

BOOST_AUTO_TEST_CASE(append_returns_the_offset_of_the_line) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("journal.jsonl", "one\n");
  JournalFile journal(file, ignore);
  BOOST_TEST(journal.append("two\n") == 4U);
  BOOST_TEST(journal.append("\n") == 8U);
  BOOST_TEST(journal.append("three\n") == 9U);
  BOOST_TEST(slurp(file) == "one\ntwo\n\nthree\n");
}

BOOST_AUTO_TEST_CASE(lines_are_read_again_in_any_order_between_writes) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("journal.jsonl", "one\n");
  JournalFile journal(file, ignore);
  const std::string long_line(100000, 'x');  // longer than any buffer
  const auto two = journal.append(long_line + "\n");
  BOOST_TEST((journal.read(two) == long_line));
  BOOST_TEST(journal.read(0) == "one");
  const auto three = journal.append("three\n");  // appends at the end after reading at the start
  BOOST_TEST(journal.read(three) == "three");
  BOOST_TEST((journal.read(two) == long_line));
  // reading still works after the stream has reached the end
  BOOST_TEST(journal.read(three) == "three");
  BOOST_TEST(journal.append("four\n") == 4 + 100001U + 6);
  BOOST_TEST((slurp(file) == "one\n" + long_line + "\nthree\nfour\n"));
}

BOOST_AUTO_TEST_CASE(a_line_is_on_the_disk_as_soon_as_it_is_appended) {
  const test::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  const pid_t child = fork();
  if (child == 0) {
    JournalFile journal(file, ignore);
    journal.append("one\n");
    journal.append("two\n");
    raise(SIGKILL);
  }
  int status = 0;
  BOOST_REQUIRE(waitpid(child, &status, 0) == child);
  BOOST_TEST(WIFSIGNALED(status));
  BOOST_TEST(slurp(file) == "one\ntwo\n");
}

// A process may die while writing any byte of a line.
BOOST_AUTO_TEST_CASE(a_torn_last_line_is_cut_off_wherever_it_broke) {
  const std::string sound = "one\ntwo\n";
  const std::string torn = "{\"three\": 3}";
  for (std::size_t size = 1; size <= torn.size(); ++size) {
    const test::TemporaryFolder folder;
    const auto file = folder.write("journal.jsonl", sound + torn.substr(0, size));
    std::size_t lines = 0;
    JournalFile journal(file, [&](auto&&...) { ++lines; });
    BOOST_TEST(lines == 2U);
    BOOST_TEST(slurp(file) == sound);
    BOOST_TEST(journal.append(torn + "\n") == sound.size());
    BOOST_TEST(journal.read(sound.size()) == torn);
    BOOST_TEST(slurp(file) == sound + torn + "\n");
  }
}

// If three lines were not synced before a power loss, only the last one and half of the first may
// remain.
BOOST_AUTO_TEST_CASE(all_from_a_hole_on_is_cut_off) {
  const std::string hole(20, '\0');
  for (const std::string& torn :
       {hole + "\nfour\n", "thr" + hole + "\nfour\n", hole + "four\nfive\n", "thr" + hole}) {
    const test::TemporaryFolder folder;
    const auto file = folder.write("journal.jsonl", "one\ntwo\n" + torn);
    BOOST_CHECK((visited(file) == std::vector<Visited>{{"one", 0, 1}, {"two", 4, 2}}));
    BOOST_TEST(slurp(file) == "one\ntwo\n");
  }
  // A single zero byte is data corruption, which the code that reads the lines must detect.
  const test::TemporaryFolder folder;
  const std::string changed("one\nt\0o\nthree\n", 14);
  BOOST_TEST(visited(folder.write("journal.jsonl", changed)).size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_only_a_torn_line_becomes_empty) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("journal.jsonl", "{\"on");
  BOOST_TEST(visited(file).empty());
  BOOST_TEST(slurp(file).empty());
}

BOOST_AUTO_TEST_CASE(a_file_whose_lines_are_refused_is_left_as_it_was) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("journal.jsonl", "one\nbad\nthree\nto");
  const auto refuse = [](const std::string& text, std::uintmax_t, std::size_t line) {
    if (text == "bad") throw std::runtime_error("line " + std::to_string(line));
  };
  BOOST_CHECK_EXCEPTION(
      JournalFile(file, refuse), std::runtime_error,
      [](const std::runtime_error& e) { return e.what() == std::string("line 2"); });
  BOOST_TEST(slurp(file) == "one\nbad\nthree\nto");
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_opened_is_a_user_error) {
  const test::TemporaryFolder folder;
  const auto file = folder / "absent/journal.jsonl";
  BOOST_CHECK_EXCEPTION(
      JournalFile(file, ignore), Error,
      says(Fault::user, file.string() + ": cannot be written; check its permissions"));
}

// A read-only file that ends in a torn line causes the same error.
BOOST_AUTO_TEST_CASE(a_folder_in_its_place_is_a_user_error) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(
      JournalFile(folder.path(), ignore), Error,
      says(Fault::user, folder.path().string() + ": cannot be written; check its permissions"));
}

// Lines appended after the folder is removed or moved would be missing from the run folder.
BOOST_AUTO_TEST_CASE(a_folder_that_is_gone_or_moved_is_noticed_when_the_file_is_synced) {
  for (const bool is_moved : {false, true}) {
    const test::TemporaryFolder folder;
    const auto file = folder.write("run/journal.jsonl", "one\n");
    JournalFile journal(file, ignore);
    journal.append("two\n");
    journal.sync();
    if (is_moved) {
      std::filesystem::rename(folder / "run", folder / "elsewhere");
    } else {
      std::filesystem::remove_all(folder / "run");
    }
    BOOST_CHECK_EXCEPTION(
        journal.sync(), Error,
        says(Fault::internal,
             file.string() + ": no longer exists: its folder was removed or moved during the run; "
                             "move it back and continue with `resume`, or start again"));
  }
}

// If the link were followed, the torn last line of its target would be cut off, and new lines would
// be appended there.
BOOST_AUTO_TEST_CASE(a_link_is_not_followed) {
  const test::TemporaryFolder folder;
  const auto victim = folder.write("victim.txt", "without a newline");
  std::filesystem::create_symlink(victim, folder / "journal.jsonl");
  BOOST_CHECK_EXCEPTION(
      JournalFile(folder / "journal.jsonl", ignore), Error,
      says(Fault::user,
           "journal.jsonl: cannot be written; check its permissions, and that it is a "
           "file and not a link"));
  BOOST_TEST(slurp(victim) == "without a newline");
}

// The disk becomes full while the second line is being written.
BOOST_AUTO_TEST_CASE(a_full_disk_is_an_internal_error_and_what_stood_there_stays) {
  const test::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  std::optional<Error> refused;
  {
    const FileSizeLimit limit(6);
    JournalFile journal(file, ignore);
    journal.append("one\n");
    try {
      journal.append("two\n");
    } catch (const Error& error) {
      refused = error;
    }
  }
  BOOST_REQUIRE(refused.has_value());
  BOOST_TEST(says(
      Fault::internal,
      file.string() +
          ": cannot be written: File too large; check the free space, then `resume`")(*refused));
  BOOST_TEST(slurp(file) == "one\ntw");
  BOOST_CHECK((visited(file) == std::vector<Visited>{{"one", 0, 1}}));
}

BOOST_AUTO_TEST_SUITE_END()
