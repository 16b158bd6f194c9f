// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/any_report.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(any_report)

namespace {

/// Keeps where it was written, and gives its notes as a reference, as some reports do.
struct Noted {
  std::string& written;
  std::vector<std::string> all{"one", "two"};
  void write(const std::filesystem::path& folder) const { written = folder.string(); }
  [[nodiscard]] const std::vector<std::string>& notes() const { return all; }
  [[nodiscard]] std::string table() const { return "a table\n"; }
};

/// Has a table of 13 characters.
struct Tabled {
  void write(const std::filesystem::path&) const {}
  [[nodiscard]] std::vector<std::string> notes() const { return {}; }
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    TextTable made({"one", "two", "six"});
    return made.text(width);
  }
};

/// Tells how many notes its report has.
struct CountedNotes : AnyReport {
  explicit CountedNotes(std::string& written)
      : AnyReport(std::make_shared<const Noted>(Noted{written})) {}
  [[nodiscard]] std::size_t count() const { return held<Noted>().all.size(); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_report_of_its_own_sees_what_it_holds) {
  std::string written;
  const CountedNotes report(written);
  BOOST_TEST(CountedNotes(report).count() == 2U);
  BOOST_TEST((AnyReport(report).notes() == std::vector<std::string>{"one", "two"}));
}

BOOST_AUTO_TEST_CASE(what_is_asked_of_it_is_asked_of_the_report_it_holds) {
  std::string written;
  const AnyReport report(Noted{written});
  const AnyReport copy = report;
  copy.write("some/where");
  BOOST_TEST(written == "some/where");
  BOOST_TEST((report.notes() == std::vector<std::string>{"one", "two"}));
  BOOST_TEST(report.table() == "a table\n");
  BOOST_TEST(report.table({3, ""}) == "a table\n");
}

BOOST_AUTO_TEST_CASE(a_table_that_can_be_narrow_is_told_how_wide_it_may_be) {
  const AnyReport report{Tabled()};
  BOOST_TEST(report.table() == "one  two  six\n");
  BOOST_TEST(report.table({9, "see it"}) ==
             "one  two\nLeft out to fit 9 of 13 characters: six;\nsee it.\n");
}

BOOST_AUTO_TEST_SUITE_END()
