// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/generation_metadata.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(generation_metadata)

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  for (const GenerationMetadata& written : {
           GenerationMetadata{.settings = {"zero-shot", "4-relation"},
          .max_new_tokens = 7,
          .candidates = {{"P36", {"Paris", "Rome"}}, {"P19", {}}},
          .remarks = {"said", "so"}},
           GenerationMetadata{.settings = {"masked"},
           .answers = GeneratedAnswers::fills,
           .candidates = {{"P36", {"Paris"}}}},
           GenerationMetadata{
               .settings = {"0-kamel"}, .answers = GeneratedAnswers::lists, .max_new_tokens = 50},
       }) {
    const test::TemporaryFolder folder;
    folder.write("zero-shot_answers.jsonl", "{}\n{}\n");
    write_generation_metadata(folder.path(), written);
    const GenerationMetadata read = read_generation_metadata(folder.path());
    BOOST_TEST((read.settings == written.settings));
    BOOST_TEST((read.answers == written.answers));
    BOOST_TEST((read.max_new_tokens == written.max_new_tokens));
    BOOST_TEST((read.candidates == written.candidates));
    BOOST_TEST((read.remarks == written.remarks));
  }
}

BOOST_AUTO_TEST_CASE(it_stands_in_one_order_with_its_rows_counted) {
  const test::TemporaryFolder folder;
  folder.write("zero-shot_answers.jsonl", "{}\n{}\n");
  write_generation_metadata(folder.path(), {.model = "m",
                                            .dataset = "d",
                                            .settings = {"zero-shot"},
                                            .max_new_tokens = 7,
                                            .candidates = {{"P36", {"Paris"}}},
                                            .remarks = {"said"}});
  BOOST_TEST(
      read_json_object(folder / "metadata_generate.json").dump() ==
      R"({"model":"m","dataset":"d","settings":["zero-shot"],"max_new_tokens":7,)"
      R"("candidates":{"P36":["Paris"]},"rows":{"zero-shot_answers.jsonl":2},"remarks":["said"]})");
  write_generation_metadata(folder.path(),
                            {.settings = {"0-kamel"}, .answers = GeneratedAnswers::lists});
  const Json lists = read_json_object(folder / "metadata_generate.json");
  BOOST_TEST(lists.at("answers") == "lists");
  BOOST_TEST(!lists.contains("candidates"));
}

// The metadata is in the format of plumb 0.1.
BOOST_AUTO_TEST_CASE(of_an_earlier_version_the_settings_are_enough) {
  const test::TemporaryFolder folder;
  folder.write("metadata_generate.json", R"({"settings": ["zero-shot"]})");
  const GenerationMetadata read = read_generation_metadata(folder.path());
  BOOST_TEST((read.answers == GeneratedAnswers::texts));
  BOOST_TEST(!read.max_new_tokens.has_value());
  BOOST_TEST(read.candidates.empty());
  BOOST_TEST(read.remarks.empty());
}

BOOST_AUTO_TEST_CASE(a_setting_is_the_name_of_a_file) {
  const test::TemporaryFolder folder;
  folder.write("metadata_generate.json", R"({"settings": ["../x"]})");
  BOOST_CHECK_EXCEPTION((void)read_generation_metadata(folder.path()), Error,
                        says(Fault::user, "\"../x\": is not a valid file name"));
}

BOOST_AUTO_TEST_CASE(file_with_lost_rows_is_rejected) {
  const test::TemporaryFolder folder;
  folder.write("a_answers.jsonl", "{}\n{}\n{}\n");
  folder.write("a_samples.jsonl", "{}\n");
  folder.write("other.jsonl", "{}\n");
  const Json rows = recorded_rows(folder.path());
  BOOST_TEST((rows == Json{{"a_answers.jsonl", 3}, {"a_samples.jsonl", 1}}));
  BOOST_CHECK_NO_THROW(refuse_lost_rows(folder.path(), rows));
  folder.write("a_answers.jsonl", "{}\n{}\n");
  BOOST_CHECK_EXCEPTION(refuse_lost_rows(folder.path(), rows), Error,
                        test::says(Fault::user, "a_answers.jsonl: has 2 of its 3 rows"));
  folder.write("a_answers.jsonl", "{}\n{}\n{}\n");
  std::filesystem::remove(folder / "a_samples.jsonl");
  BOOST_CHECK_EXCEPTION(refuse_lost_rows(folder.path(), rows), Error,
                        test::says(Fault::user, "a_samples.jsonl: has 0 of its 1 rows"));
}

BOOST_AUTO_TEST_SUITE_END()
