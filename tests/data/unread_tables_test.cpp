// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/unread_tables.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/data/load.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(unread_tables)

namespace {

using Names = std::vector<std::string>;

const std::string rows =
    "{\"subject\": \"Peru\", \"object\": \"Lima\"}\n{\"subject\": \"Chad\", \"object\": "
    "\"Rome\"}\n";
const std::string csv = "subject,object\nPeru,Lima\nChad,Rome\n";
const std::string tsv = "Peru\tcapital\tLima\nChad\tcapital\tRome\n";

struct Folder : test::TemporaryFolder {
  /// The files that `load_dataset` reports as unread in a folder with these files.
  Names unread(const std::vector<std::pair<std::string, std::string>>& files) {
    const std::string folder = "f" + std::to_string(made_++);
    for (const auto& [name, text] : files) write(folder + "/" + name, text);
    Names names;
    (void)load_dataset(*this / folder, [&](const Error& error) {
      if (std::string(error.what()).find("is not read, because") == std::string::npos) throw error;
      names.push_back(error.site().file.filename().string());
    });
    return names;
  }

 private:
  int made_ = 0;
};

}  // namespace

// Otherwise, a part in a different format would be silently ignored, and shots would be drawn from
// the test facts.
BOOST_FIXTURE_TEST_CASE(a_part_in_another_format_is_reported, Folder) {
  BOOST_TEST(unread({{"test.jsonl", rows}, {"train.csv", csv}}) == Names{"train.csv"});
  BOOST_TEST(unread({{"train.jsonl", rows}, {"test.json", rows}}) == Names{"test.json"});
  BOOST_TEST(unread({{"train.jsonl", rows}, {"test.json", "[]"}}) == Names{"test.json"});
  BOOST_TEST(unread({{"train.csv", csv}, {"test.CSV", csv}}) == Names{"test.CSV"});
  BOOST_TEST(unread({{"train.csv", csv}, {"test.csv.gz", "x"}}) == Names{"test.csv.gz"});
  BOOST_TEST(unread({{"test.jsonl", rows}, {"train.parquet", "PAR1"}}) == Names{"train.parquet"});
  BOOST_TEST(unread({{"facts.tsv", tsv}, {"train.json.xz", "x"}}) == Names{"train.json.xz"});
}

BOOST_FIXTURE_TEST_CASE(any_table_of_another_kind_is_reported, Folder) {
  BOOST_TEST(unread({{"a.jsonl", rows}, {"b.csv", csv}, {"c.tsv", tsv}}) ==
             (Names{"b.csv", "c.tsv"}));
  BOOST_TEST(unread({{"facts.csv", csv}, {"facts.tsv", tsv}}) == Names{"facts.tsv"});
  BOOST_TEST(unread({{"a.csv", csv}, {"b.ndjson", rows}}) == Names{"b.ndjson"});
  BOOST_TEST(unread({{"facts.csv", "Name,Birth Year\nA,1900\nB,1901\n"}, {"more.xlsx", "x"}}) ==
             Names{"more.xlsx"});
  const std::string triples =
      "{\"head\": \"Peru\", \"tail\": \"Lima\", \"relation\": \"c\"}\n"
      "{\"head\": \"Chad\", \"tail\": \"Rome\", \"relation\": \"c\"}\n";
  BOOST_TEST(unread({{"a.jsonl", triples}, {"b.tsv", tsv}}) == Names{"b.tsv"});
}

// A JSON file is a table if it contains rows of facts: as a single value, line by line or column by
// column.
BOOST_FIXTURE_TEST_CASE(json_tables_are_recognized_by_their_content, Folder) {
  for (const char* text :
       {R"([{"Subject": "Peru", "Object": "Lima"}])",
        R"({"data": [{"subject": "a", "object": "b"}]})",
        R"({"subject": {"0": "Peru"}, "object": {"0": "Lima"}})", R"([{"head": "a", "tail": "b"}])",
        "{\"subject\": \"a\", \"object\": \"b\"}\n{\"subject\": \"c\", \"object\": \"d\"}"}) {
    BOOST_TEST(unread({{"a.jsonl", rows}, {"more.json", text}}) == Names{"more.json"}, text);
  }
  for (const char* text : {R"({"capital": ["The capital of [X] is [Y]."]})",
                           R"({"license": "CC0"})", "{}", "no JSON", ""}) {
    BOOST_TEST(unread({{"a.jsonl", rows}, {"more.json", text}}).empty(), text);
  }
}

BOOST_FIXTURE_TEST_CASE(what_is_no_table_or_is_left_out_is_passed_over, Folder) {
  BOOST_TEST(unread({{"facts.tsv", tsv},
                     {"facts.json", R"({"capital": ["[X]: [Y]"]})"},
                     {"templates.jsonl", R"({"relation": "capital", "template": "[X]: [Y]"})"},
                     {"README.md", "x"},
                     {"LICENSE.txt", "x"},
                     {"run/predictions.jsonl", rows}})
                 .empty());
  BOOST_TEST(unread({{"train.csv", csv},
                     {"test.csv", "subject,object\nCuba,Lima\n"},
                     {"validation.csv", csv}})
                 .empty());
}

BOOST_FIXTURE_TEST_CASE(folder_with_unread_tables_is_rejected_but_a_single_file_is_read, Folder) {
  write("d/test.jsonl", rows);
  write("d/train.csv", csv);
  BOOST_CHECK_EXCEPTION((void)load_dataset(*this / "d"), Error,
                        says(Fault::user,
                             "train.csv: is not read, because the dataset is read from test.jsonl; "
                             "convert all tables to one format, pass only the file to read, or "
                             "move this one elsewhere"));
  BOOST_TEST(load_dataset(*this / "d/train.csv").relations.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
