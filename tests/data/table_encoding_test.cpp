// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/table_encoding.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <filesystem>
#include <string>

#include "plumb/detail/data/graph_folder.hpp"
#include "plumb/detail/data/load.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(table_encoding)

namespace {

/// ASCII text in code units of `size` bytes.
std::string widened(const std::string& text, std::size_t size, bool big_end) {
  std::string made;
  for (const char c : text) {
    std::string unit(size, '\0');
    unit[big_end ? size - 1 : 0] = c;
    made += unit;
  }
  return made;
}

const std::string csv = "subject,relation,object\nPeru,capital,Lima\nChad,capital,Rome\n";

std::string with_line_ends(std::string text, const std::string& end) {
  std::string made;
  for (const char c : text) made += c == '\n' ? end : std::string(1, c);
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(unsupported_encodings_are_named_for_every_table_format) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& words) {
    for (const char* name : {"a.csv", "a.tsv", "a.jsonl", "a.CSV"}) {
      BOOST_CHECK_EXCEPTION((void)load_dataset(folder.write(name, text)), Error,
                            says(Fault::user, std::string(name) + ": " + words));
      std::filesystem::remove(folder / name);
    }
  };
  refused("\xFF\xFE" + widened(csv, 2, false), "is UTF-16; save it as UTF-8");
  refused("\xFE\xFF" + widened(csv, 2, true), "is UTF-16; save it as UTF-8");
  refused(widened(csv, 2, false), "is UTF-16");
  refused(widened(csv, 2, true), "is UTF-16");
  refused(std::string("\xFF\xFE\0\0", 4) + widened(csv, 4, false), "is UTF-32");
  refused(widened(csv, 4, true), "is UTF-32");
  refused(with_line_ends(csv, "\r"), "ends its lines with only a carriage return, as on old Macs");
}

BOOST_AUTO_TEST_CASE(utf_8_with_either_line_end_is_read) {
  const test::TemporaryFolder folder;
  const std::string bom = "\xEF\xBB\xBF";
  for (const std::string& text :
       {std::string(csv), bom + csv, with_line_ends(csv, "\r\n"),
        std::string("subject,relation,object\nP\xC3\xA9rou,c,Lima\nChad,c,Rome\r")}) {
    BOOST_TEST(load_dataset(folder.write("a.csv", text)).relations.size() == 1U);
  }
  refuse_other_encoding(folder.write("empty.csv", ""));
  refuse_other_encoding(folder.write("one.csv", "a,b\r"));
}

BOOST_AUTO_TEST_CASE(a_graphs_parts_are_looked_at_too) {
  const test::TemporaryFolder folder;
  folder.write("train.tsv", "a\tr\tb\n");
  folder.write("test.tsv", "\xFF\xFE" + widened("b\tr\ta\n", 2, false));
  BOOST_CHECK_EXCEPTION((void)load_graph(folder.path()), Error,
                        says(Fault::user, "test.tsv: is UTF-16; save it as UTF-8"));
  folder.write("test.tsv", "b\tr\ta\ra\tr\ta\r");
  BOOST_CHECK_EXCEPTION((void)load_graph(folder.path()), Error,
                        says(Fault::user, "test.tsv: ends its lines"));
}

BOOST_AUTO_TEST_SUITE_END()
