// SPDX-License-Identifier: Apache-2.0
#include "plumb/data/dataset_formats.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "plumb/data/load.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(dataset_formats_suite)

BOOST_AUTO_TEST_CASE(published_layouts_are_told_by_their_shape) {
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
  BOOST_TEST(named("lama") == "none");
  folder.write("myriad/test.jsonl",
               "{\"uuid\": \"u\", \"rel_uri\": \"P36\", \"sub_ent\": \"Chad\", \"obj_ents\": "
               "[\"N'Djamena\"], \"template\": \"[X]: [Y]\"}\n");
  BOOST_TEST(named("myriad") == "none");
  BOOST_CHECK_EXCEPTION(
      (void)load_dataset(folder.path() / "myriad"), Error,
      says(Fault::user, "is a dataset of many prompts, without closed sets; ask it with"));
}

BOOST_AUTO_TEST_SUITE_END()
