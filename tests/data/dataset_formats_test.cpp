// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/dataset_formats.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/relation_builder.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(dataset_formats_suite)

BOOST_AUTO_TEST_CASE(published_layouts_are_recognized_by_their_structure) {
  const test::TemporaryFolder folder;
  const auto named = [&](const std::string& name) {
    for (const DatasetFormat& format : dataset_formats) {
      if (format.matches(folder.path() / name)) return std::string(format.name);
    }
    return std::string("none");
  };
  folder.write("kamel/question-templates.csv", "P36, What is the capital of [S]?\n");
  folder.write("kamel/P36/train.jsonl",
               "{\"sub_label\": \"Chad\", \"obj_label\": [\"N'Djamena\"]}\n");
  folder.write("kamel/P36/test.jsonl", "{\"sub_label\": \"Peru\", \"obj_label\": [\"Lima\"]}\n");
  BOOST_TEST(named("kamel") == "KAMEL");
  BOOST_TEST(load_dataset(folder.path() / "kamel").relations.size() == 1U);
  folder.write("trex/train.jsonl",
               "{\"head\": \"a\", \"tail\": \"b\", \"relation\": \"r\"}\n"
               "{\"head\": \"c\", \"tail\": \"d\", \"relation\": \"r\"}\n");
  BOOST_TEST(named("trex") == "T-REx");
  BOOST_TEST(named("trex/train.jsonl") == "T-REx");
  BOOST_TEST(load_dataset(folder.path() / "trex").relations.size() == 1U);
  folder.write("nobel/nobel.csv", "Name,Birth Year\nA,1\nB,2\n");
  BOOST_TEST(named("nobel") == "laureates");
  BOOST_TEST(load_dataset(folder.path() / "nobel/nobel.csv").relations.size() == 1U);
  folder.write("lama/Squad/test.jsonl",
               "{\"obj_label\": \"2\", \"masked_sentences\": [\"There are [MASK].\"]}\n"
               "{\"obj_label\": \"3\", \"masked_sentences\": [\"There are [MASK].\"]}\n");
  BOOST_TEST(named("lama/Squad") == "LAMA");
  BOOST_TEST(named("lama") == "LAMA");  // its only part needs no list of templates
  folder.write("myriad/test.jsonl",
               "{\"uuid\": \"u\", \"rel_uri\": \"P36\", \"sub_ent\": \"Chad\", \"obj_ents\": "
               "[\"N'Djamena\"], \"template\": \"[X]: [Y]\"}\n");
  BOOST_TEST(named("myriad") == "none");
  BOOST_CHECK_EXCEPTION(
      (void)load_dataset(folder.path() / "myriad"), Error,
      says(Fault::user,
           "is a dataset of many prompts, which has no closed sets; use plumb generate"));
}

// Adding a format takes a header that recognises and reads its files, and one more line in the
// table.
BOOST_AUTO_TEST_CASE(custom_dataset_format_is_recognized_and_read) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("capitals.txt", "Chad: N'Djamena\nPeru: Lima\n");
  std::vector<DatasetFormat> formats(dataset_formats.begin(), dataset_formats.end());
  formats.push_back(
      {"capitals", "a .txt whose lines are COUNTRY: CAPITAL",
       [](const DiskPath& path) { return path.extension() == ".txt"; },
       [](const DiskPath& path, const ProblemSink& report) {
         Dataset dataset{path.stem(), {}, {path}};
         RelationBuilder builder("P36", report);
         builder.add_template("The capital of [X] is [Y].", {.file = path});
         for_each_line(path, [&](const std::string& text, std::size_t line) {
           const std::size_t colon = text.find(": ");
           builder.add_fact(text.substr(0, colon), text.substr(colon + 2), {path, line});
         });
         if (auto relation = std::move(builder).finish({.file = path})) {
           dataset.relations.push_back(std::move(*relation));
         }
         return dataset;
       }});
  BOOST_CHECK_EXCEPTION((void)load_dataset(file), Error,
                        says(Fault::user, "is not a dataset that plumb recognises"));
  const Dataset read = load_dataset(file, formats, throw_problem);
  BOOST_REQUIRE(read.relations.size() == 1U);
  BOOST_TEST(read.relations[0].facts[1].subject == "Peru");
  BOOST_TEST(read.relations[0].options[read.relations[0].facts[1].answer] == "Lima");
  BOOST_CHECK_EXCEPTION((void)load_dataset(folder.write("x.bin", ""), formats, throw_problem),
                        Error,
                        says(Fault::user, "a .txt whose lines are COUNTRY: CAPITAL (capitals)"));
}

BOOST_AUTO_TEST_SUITE_END()
