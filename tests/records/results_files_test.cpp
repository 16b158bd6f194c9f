// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/results_files.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(results_files_suite)

namespace {

/// The text of docs/results.md, starting from its first field list.
std::string listed() {
  std::string text;
  std::string command;
  for (const ResultsFile& file : results_files()) {
    if (file.command != command) text += "\n## `" + file.command + "`\n";
    command = file.command;
    text += "\n**`" + file.name + "`**, " + file.row + ".\n\n| field | meaning |\n|---|---|\n";
    for (const ListedField& field : file.fields) {
      text += "| `" + field.name + "` | " + field.meaning +
              (field.is_optional ? " (in some rows)" : "") + " |\n";
    }
  }
  return text;
}

std::filesystem::path page() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "docs" /
         "results.md";
}

}  // namespace

// With PLUMB_WRITE_DOCS=1, this test rewrites the page's lists.
BOOST_AUTO_TEST_CASE(the_documentation_lists_every_field_of_every_file) {
  const std::string text = test::slurp(page()), mark = "\n## `plumb probe`\n";
  BOOST_REQUIRE(text.find(mark) != text.npos);
  const std::string head = text.substr(0, text.find(mark));
  if (std::getenv("PLUMB_WRITE_DOCS") != nullptr) std::ofstream(page()) << head << listed();
  BOOST_TEST(test::slurp(page()) == head + listed());
}

BOOST_AUTO_TEST_CASE(no_file_has_a_field_twice) {
  for (const ResultsFile& file : results_files()) {
    BOOST_TEST(file.fields.size() > 3U, file.name);
    for (const ListedField& field : file.fields) {
      BOOST_TEST(ranges::count(file.fields, field.name, &ListedField::name) == 1, field.name);
      BOOST_TEST(!field.meaning.empty(), field.name);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
