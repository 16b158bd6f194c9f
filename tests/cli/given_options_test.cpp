// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/given_options.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "plumb/detail/cli/setting_options.hpp"
#include "plumb/detail/run/engine_settings.hpp"
#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::shows;

BOOST_AUTO_TEST_SUITE(given_options)

namespace {

using Words = std::vector<std::string>;

struct Settings {
  std::filesystem::path data{}, out{}, wordnet = "w";
  ResultFolders folders{};
  LoraSetting lora{};
  std::size_t limit = 0, threads = 0;
  bool heads = false, bos = true, resume = false;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("folders", self.folders, SettingInfo{.value = "DIR"});
    visitor("data", self.data, SettingInfo{.value = "DIR"});
    visitor("lora", self.lora, SettingInfo{.value = "FILE"});
    visitor("wordnet", self.wordnet, SettingInfo{.value = "DIR"});
    visitor("limit", self.limit, SettingInfo{.value = "N"});
    visitor("threads", self.threads, SettingInfo{.value = "N", .variable = "THREADS"});
    visitor("heads", self.heads, SettingInfo{});
    visitor("bos", self.bos, SettingInfo{.value = "yes|no"});
    visitor("out", self.out, SettingInfo{.value = "RUN"});
    visitor("resume", self.resume, SettingInfo{});
  }
};

/// The settings that run.json would record for these options.
Json given(const Words& words, const std::string& threads = "") {
  std::ostringstream out, err;
  Console console{words, out, err};
  console.environment = [&](const char* name) {
    return std::string(name) == "THREADS" ? threads : std::string();
  };
  Settings settings;
  BOOST_REQUIRE(parse_settings(console, "plumb go [options]", settings, {{"folders", -1}}));
  return given_json(console);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_given_is_kept_with_whole_paths) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "run");
  const std::string run = (folder / "run").string();
  BOOST_TEST(given({}) == Json::object());
  BOOST_TEST((given({"--limit", "3", "--heads", "--bos", "yes", "--out", "o", "--resume"}) ==
              Json{{"limit", "3"}, {"heads", true}, {"bos", "yes"}}));
  BOOST_TEST((given({"--data", run + "/../run", "--wordnet", "none"}) ==
              Json{{"data", run}, {"wordnet", "none"}}));
  BOOST_TEST((given({"--data", "hf:o/n"}) == Json{{"data", "hf:o/n"}}));
  BOOST_TEST((given({run, "mine=" + run}) == Json{{"folders", {run, "mine=" + run}}}));
  BOOST_TEST(
      (given({"--lora", run + "/../run:0.5,none.gguf"}) == Json{{"lora", run + ":0.5,none.gguf"}}));
  const std::string here = std::filesystem::current_path().filename().string();
  BOOST_TEST((given({"--data", "../" + here}) ==
              Json{{"data", std::filesystem::current_path().string()}}));
}

BOOST_AUTO_TEST_CASE(a_variable_counts_as_given) {
  BOOST_TEST((given({}, "2") == Json{{"threads", "2"}}));
  BOOST_TEST((given({"--threads", "4"}, "2") == Json{{"threads", "4"}}));
}

BOOST_AUTO_TEST_CASE(what_is_kept_are_words_again) {
  const Json kept = {{"limit", "3"}, {"heads", true}, {"stop", {"a", ""}}, {"sep", ""}};
  BOOST_TEST((words_of_given(kept) ==
              Words{"--limit", "3", "--heads", "--stop", "a", "--stop", "", "--sep", ""}));
}

BOOST_AUTO_TEST_CASE(files_of_an_earlier_run_must_be_what_they_were) {
  const test::TemporaryFolder folder;
  const auto record = folder.write("old/run.json", R"({"settings": {"model_sha256": "aa",
      "dataset_sha256": "bb", "template_file_sha256": null}})");
  std::ostringstream out, err;
  Console console{{}, out, err};
  const Json same = {{"model_sha256", "aa"}, {"dataset_sha256", "bb"}};
  const Json model = {{"model_sha256", "a2"}, {"dataset_sha256", "bb"}};
  const Json data = {{"model_sha256", "aa"}, {"dataset_sha256", "b2"}};
  BOOST_CHECK_NO_THROW(refuse_changed_files(console, model));  // no earlier run
  console.asked = {
      {{"model", {"m"}}, {"data", {"d"}}}, record.string(), {"model", "data"}, record.string()};
  BOOST_CHECK_NO_THROW(refuse_changed_files(console, same));
  BOOST_CHECK_EXCEPTION(refuse_changed_files(console, model), Error,
                        shows(Fault::user, "m: has changed since the run of " + record.string() +
                                               ": its SHA-256 was \"aa\" and is \"a2\"; restore "
                                               "the file, or pass another with --model"));
  BOOST_CHECK_EXCEPTION(refuse_changed_files(console, data), Error,
                        shows(Fault::user, "d: has changed since the run of "));
  // A file named on the command line may differ from the recorded one. A file named in run.json may
  // also differ if its content depends on a template file named on the command line.
  console.asked.of_config = {"data"};
  BOOST_CHECK_NO_THROW(refuse_changed_files(console, model));
  console.asked.given.push_back({"template-file", {"t"}});
  BOOST_CHECK_NO_THROW(refuse_changed_files(console, data));
  BOOST_TEST(err.str().empty());
  // A run by a different program version causes a warning, not an error.
  folder.write("else/run.json", R"({"settings": {"plumb_version": "0.0.1", "backend": "b 1"}})");
  console.asked.record = (folder / "else/run.json").string();
  refuse_changed_files(console, {{"plumb_version", "0.0.2"}, {"backend", "b 1"}});
  BOOST_TEST(err.str() == console.asked.record +
                              ": the run was made by plumb 0.0.1; this is 0.0.2, so numbers may "
                              "differ\n");
  console.asked.record = record.string();
  // A calibration's probe records the hashes of the files that the calibration read.
  folder.write("old/run.json", R"({"settings": {"command": "calibrate", "dataset_sha256": "bb"}})");
  folder.write("old/probe/run.json", R"({"settings": {"dataset_sha256": "cc"}})");
  console.asked.given.pop_back();
  BOOST_CHECK_EXCEPTION(refuse_changed_files(console, same), Error,
                        shows(Fault::user, "its SHA-256 was \"cc\" and is \"bb\""));
}

// run.json has the texts of these files, not their hashes.
BOOST_AUTO_TEST_CASE(texts_of_an_earlier_run_must_be_what_they_were) {
  const test::TemporaryFolder folder;
  const auto record = folder.write(
      "old/run.json",
      R"({"settings": {"prefix": "Say: ", "system": null, "chat_template": "{{ a }}"}})");
  std::ostringstream out, err;
  Console console{{}, out, err};
  console.asked = {{{"prefix", {"p.txt"}}, {"chat-template", {"t.jinja"}}},
                   record.string(),
                   {"prefix", "chat-template"},
                   record.string()};
  Json settings = {{"prefix", "Say: "}, {"chat_template", "{{ a }}"}};
  BOOST_CHECK_NO_THROW(refuse_changed_files(console, settings));
  settings["chat_template"] = "{{ b }}";
  BOOST_CHECK_EXCEPTION(refuse_changed_files(console, settings), Error,
                        shows(Fault::user, "t.jinja: has changed since the run of "));
  settings["prefix"] = "Tell: ";
  BOOST_CHECK_EXCEPTION(refuse_changed_files(console, settings), Error,
                        shows(Fault::user, "p.txt: has changed since the run of "));
  console.asked.of_config = {};  // given on the command line
  BOOST_CHECK_NO_THROW(refuse_changed_files(console, settings));
}

BOOST_AUTO_TEST_SUITE_END()
