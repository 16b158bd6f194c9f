// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/run_record.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(run_record)

BOOST_AUTO_TEST_CASE(settings_are_kept_in_run_json) {
  const test::TemporaryFolder folder;
  BOOST_TEST(kept_settings(folder.path()) == Json::object());
  for (const char* odd : {"{}", R"({"settings":[1]})", R"({"settings":null})"}) {
    folder.write("run.json", odd);
    BOOST_TEST(kept_settings(folder.path()) == Json::object());
    BOOST_CHECK_EXCEPTION(
        (void)read_run_record(folder.path()), Error,
        test::says(Fault::user, "run.json: settings: is not an object; the file was changed"));
  }
  folder.write("run.json", R"({"settings":{"model":"m","seed":3}})");
  BOOST_TEST(kept_settings(folder.path()).at("seed") == 3);
  folder.write("run.json", "[]");
  BOOST_CHECK_THROW((void)kept_settings(folder.path()), Error);
}

BOOST_AUTO_TEST_CASE(a_run_is_titled_by_its_model_and_its_dataset) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "gpt2");
  BOOST_TEST(read_run_record(folder / "gpt2").title() == "gpt2");
  BOOST_TEST(read_run_record((folder / "gpt2").string() + "/").title() == "gpt2");
  folder.write("gpt2/run.json", R"({"settings":{"model":"m.gguf","dataset":"BEAR"}})");
  BOOST_TEST(read_run_record(folder / "gpt2").title() == "m.gguf on BEAR");
}

BOOST_AUTO_TEST_CASE(quantised_weights_are_warned_of_before_all_notes) {
  RunRecord run;
  BOOST_TEST((run.with_warnings({"one"}) == std::vector<std::string>{"one"}));
  run.settings = {{"quantized", true}, {"weights", "Q4_1"}};
  const auto notes = run.with_warnings({"one"});
  BOOST_REQUIRE(notes.size() == 2U);
  BOOST_TEST(notes[0].starts_with("Quantised weights (Q4_1) that run natively"));
  BOOST_TEST(notes[1] == "one");
}

BOOST_AUTO_TEST_CASE(warnings_of_the_model_come_after_quantised_weights_and_before_notes) {
  RunRecord run;
  run.settings = {{"quantized", true}, {"weights", "Q4_1"}, {"warnings", {"no BOS", "no pre"}}};
  const auto notes = run.with_warnings({"one"});
  BOOST_REQUIRE(notes.size() == 4U);
  BOOST_TEST(notes[1] == "no BOS");
  BOOST_TEST(notes[2] == "no pre");
  BOOST_TEST(notes[3] == "one");
  run.settings = {{"warnings", "not a list"}};
  BOOST_TEST(run.with_warnings({}).empty());
}

BOOST_AUTO_TEST_CASE(omissions_of_a_reader_are_listed_after_all_notes) {
  RunRecord run;
  run.settings = {{"quantized", true}, {"left_out", {"dev.jsonl", "P47"}}};
  const auto notes = run.with_warnings({"one"});
  BOOST_REQUIRE(notes.size() == 4U);
  BOOST_TEST(notes[1] == "one");
  BOOST_TEST(notes[2] == "Left out: dev.jsonl.");
  BOOST_TEST(notes[3] == "Left out: P47.");
  run.settings = {{"left_out", "no list"}};
  BOOST_TEST(run.with_warnings({}).empty());
}

// These values could occur in a run.json that somebody has edited.
BOOST_AUTO_TEST_CASE(a_mark_of_quantised_weights_that_is_no_mark_is_none) {
  for (const char* json : {"1", "\"yes\"", "null", "[true]"}) {
    BOOST_TEST(model_warnings({{"quantized", Json::parse(json)}}).empty());
  }
}

BOOST_AUTO_TEST_CASE(quantisation_warnings_name_the_model_among_several_folders) {
  const test::TemporaryFolder folder;
  folder.write("a/run.json", R"({"settings":{"quantized":false}})");
  folder.write("b/run.json", R"({"settings":{"quantized":true,"weights":"Q8_0"}})");
  const std::vector<std::pair<std::string, std::filesystem::path>> named{
      {"small", folder / "a"}, {"large", folder / "b"}, {"", folder / "b"}, {"c", folder / "c"}};
  const auto notes = model_warnings_of(named);
  BOOST_REQUIRE(notes.size() == 2U);
  BOOST_TEST(notes[0].starts_with("large: Quantised weights (Q8_0)"));
  BOOST_TEST(notes[1].starts_with("Quantised weights (Q8_0)"));
}

BOOST_AUTO_TEST_CASE(facts_left_out_by_a_run_produce_a_warning) {
  const test::TemporaryFolder folder;
  folder.write("a/run.json", R"({"settings":{},"unreported_facts":3})");
  folder.write("b/run.json", R"({"settings":{},"unreported_facts":0})");
  const std::vector<std::pair<std::string, std::filesystem::path>> named{{"a", folder / "a"},
                                                                         {"b", folder / "b"}};
  const auto notes = model_warnings_of(named);
  BOOST_REQUIRE(notes.size() == 1U);
  BOOST_TEST(notes[0].starts_with("a: Warning: 3 facts left out: the engine did not report"));
  BOOST_TEST(unreported_warning(1, "P36: 1").starts_with("Warning: 1 fact left out (P36: 1): "));
}

BOOST_AUTO_TEST_SUITE_END()
