// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/lpaqa.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(lpaqa)

BOOST_AUTO_TEST_CASE(a_mined_prompt_has_its_weight) {
  test::TemporaryFolder folder;
  const auto file = folder.write("P36.jsonl",
                                 "{\"template\": \"[X] capital [Y] .\", \"weight\": 0.25}\n\n"
                                 "{\"template\": \"[Y] , [X] .\", \"weight\": 0, \"rank\": 2}\n");
  const WeightedTemplates read = read_lpaqa(file);
  BOOST_TEST(read.templates == (std::vector<std::string>{"[X] capital [Y] .", "[Y] , [X] ."}));
  BOOST_TEST(read.weights == (std::vector<double>{0.25, 0}));
  BOOST_CHECK(lpaqa_file(folder.path(), "P36") == file);
  BOOST_CHECK(!lpaqa_file(folder.path(), "P19"));
}

BOOST_AUTO_TEST_CASE(prompts_in_a_text_file_have_equal_weights) {
  test::TemporaryFolder folder;
  const auto file = folder.write("P36.txt", "[X] is [Y].\r\n  \n[X] = [Y].\n[X] is [Y].\n[Y]: [X]");
  const WeightedTemplates read = read_lpaqa(file);
  BOOST_TEST(read.templates ==
             (std::vector<std::string>{"[X] is [Y].", "[X] = [Y].", "[X] is [Y].", "[Y]: [X]"}));
  BOOST_TEST(read.weights == (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
  BOOST_CHECK(lpaqa_file(folder.path(), "P36") == file);
}

BOOST_AUTO_TEST_CASE(malformed_file_is_rejected_with_file_and_line) {
  test::TemporaryFolder folder;
  const auto refuses = [&](const char* name, const std::string& text, const std::string& why) {
    BOOST_CHECK_EXCEPTION((void)read_lpaqa(folder.write(name, text)), Error,
                          says(Fault::user, why));
  };
  const std::string sound = "{\"template\": \"[X] [Y]\", \"weight\": 1}\n";
  refuses("P1.jsonl", sound + "{\"template\": \"[X] [Y]\"}\n",
          "P1.jsonl:2: weight: is not a number of at least 0; give each template such a weight");
  refuses("P1.jsonl", "{\"template\": \"[X] [Y]\", \"weight\": \"1\"}\n", "P1.jsonl:1: weight: is");
  refuses("P1.jsonl", "{\"template\": \"[X] [Y]\", \"weight\": -0.5}\n", "P1.jsonl:1: weight: is");
  refuses("P1.jsonl", sound + "{\"template\": \"[X]\", \"weight\": 1}\n",
          "P1.jsonl:2: template: template '[X]' has no [Y]");
  refuses("P1.jsonl", sound + "{\"weight\": 1}\n", "P1.jsonl:2: template: template '' has no [X]");
  refuses("P1.jsonl", "{\"template\": \"[X] [Y]\", \"weight\": 0}\n",
          "P1.jsonl: has only weights of 0");
  refuses("P1.jsonl", "\n", "P1.jsonl: has no template");
  refuses("P1.txt", "[X] [Y]\n[Y]\n", "P1.txt:2: template: template '[Y]' has no [X]");
  refuses("P1.txt", "[X] [Y]\n[X]\xff [Y]\n", "P1.txt:2: is not UTF-8");
  refuses("P1.txt", "", "P1.txt: has no template");
}

BOOST_AUTO_TEST_CASE(prompt_folder_is_recognized_by_its_layout) {
  const test::TemporaryFolder folder;
  folder.write("a/P36.jsonl", "{\"template\": \"[X] [Y]\", \"weight\": 1}\n");
  folder.write("b/P36.jsonl", "{\"template\": \"[X] [Y]\"}\n");
  folder.write("c/P36.txt", "[X] is [Y].\n");
  BOOST_TEST(is_lpaqa(folder / "a"));
  BOOST_TEST(!is_lpaqa(folder / "a/P36.jsonl"));
  BOOST_TEST(!is_lpaqa(folder / "b"));
  BOOST_TEST(!is_lpaqa(folder / "c"));  // any other folder with text files
  BOOST_TEST(!is_lpaqa(folder.path()));
  folder.write("paraphrase/P36.txt", "");
  BOOST_TEST(is_lpaqa(folder.path()));
}

BOOST_AUTO_TEST_SUITE_END()
