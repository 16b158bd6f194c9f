// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/model_places.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using plumb::detail::HubName;
using test::shows;

BOOST_AUTO_TEST_SUITE(model_places_suite)

namespace {

/// A console whose environment is a map.
struct Surroundings {
  explicit Surroundings(std::map<std::string, std::string> values) : variables(std::move(values)) {
    console.environment = [this](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? "" : found->second;
    };
  }
  std::map<std::string, std::string> variables;
  std::ostringstream out, err;
  Console console{{}, out, err};
};

/// A cache laid out as by `hf download`, in which the snapshot's files are links to blobs, and
/// plumb's own cache.
struct Caches {
  Caches() {
    hub("o", "bert", "c0ffee",
        {{"config.json", R"({"model_type":"bert"})"}, {"model.safetensors", "12345"}});
    hub("o", "one", "abc", {{"config.json", "{}"}, {"one.gguf", "1234"}});
    hub("o", "two--b", "abc", {{"a.gguf", "1"}, {"b.gguf", "12"}, {"deep/c.gguf", "123"}});
    hub("o", "empty", "abc", {{"README.md", "nothing"}});
    folder.write("hub/models--o--bert/snapshots/older/config.json", "{}");
    folder.write("hub/datasets--o--facts/refs/main", "abc");
    folder.write("hub/models--gpt2/refs/main", "abc");  // without an owner
    folder.write("hub/models--o--half/refs/main", "gone");
    folder.write("hub/models--distil/refs/main", "abc");
    folder.write("hub/models--distil/snapshots/abc/config.json", "{}");
    folder.write("hub/models--distil/snapshots/abc/model.safetensors", "12");
    folder.write("own/models/o/bert/config.json", "{}");  // searched after the hub cache
    folder.write("own/models/p/mine/m.gguf", "123456");
  }
  void hub(const std::string& owner, const std::string& name, const std::string& commit,
           const std::map<std::string, std::string>& files) const {
    const std::string at = "hub/models--" + owner + "--" + name;
    folder.write(at + "/refs/main", commit + "\n");
    for (const auto& [file, text] : files) {
      const auto blob =
          folder.write(at + "/blobs/" + std::to_string(std::hash<std::string>{}(file)), text);
      const auto link = folder / (at + "/snapshots/" + commit + "/" + file);
      std::filesystem::create_directories(link.parent_path());
      std::filesystem::create_symlink(blob, link);
    }
  }

  test::TemporaryFolder folder;
  Surroundings around{
      {{"HF_HUB_CACHE", (folder / "hub").string()}, {"PLUMB_CACHE", (folder / "own").string()}}};
};

}  // namespace

BOOST_AUTO_TEST_CASE(environment_variables_determine_the_cache_folders) {
  const auto places = [](std::map<std::string, std::string> variables) {
    const Surroundings around(std::move(variables));
    const auto made = model_places(around.console);
    return std::vector<std::string>{made.hub.string(), made.own.string()};
  };
  using Two = std::vector<std::string>;
  BOOST_TEST(
      (places({{"HOME", "/h"}}) == Two{"/h/.cache/huggingface/hub", "/h/.cache/plumb/models"}));
  BOOST_TEST((places({{"HOME", "/h"}, {"HF_HOME", "/f"}, {"PLUMB_CACHE", "/p"}}) ==
              Two{"/f/hub", "/p/models"}));
  BOOST_TEST(places({{"HF_HOME", "/f"}, {"HF_HUB_CACHE", "/c"}})[0] == "/c");
  BOOST_TEST(places({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}})[0] == "/x/huggingface/hub");
}

BOOST_AUTO_TEST_CASE(a_name_has_an_owner_and_may_have_a_file) {
  BOOST_TEST(is_hub_name("hf:o/n"));
  BOOST_TEST(!is_hub_name("./hf:o/n"));
  const HubName whole = parse_hub_name("hf:o/n", "model");
  BOOST_TEST(whole.owner == "o");
  BOOST_TEST(whole.name == "n");
  BOOST_TEST(whole.file.empty());
  const HubName old = parse_hub_name("hf:n", "model");
  BOOST_TEST(old.owner.empty());
  BOOST_TEST(old.word() == "hf:n");
  BOOST_TEST(parse_hub_name("hf:o/n/deep/f.gguf", "model").file == "deep/f.gguf");
  for (const char* word : {"hf:", "hf:o/", "hf:/n", "hf:o/n/", "hf:o/../n", "hf:o/n/../f"}) {
    BOOST_CHECK_EXCEPTION((void)parse_hub_name(word, "model"), Error,
                          shows(Fault::user, "--model: '" + std::string(word) +
                                                 "' is not hf:OWNER/NAME or hf:OWNER/NAME/FILE"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_model_is_found_in_the_snapshot_that_main_names, Caches) {
  const auto find = [&](const std::string& word) {
    const auto [path, name] = found_model(word, around.console);
    return std::vector<std::string>{path.string(), name};
  };
  using Two = std::vector<std::string>;
  const std::string hub = (folder / "hub").string();
  BOOST_TEST((find("hf:o/bert") == Two{hub + "/models--o--bert/snapshots/c0ffee", "bert"}));
  const Two one{hub + "/models--o--one/snapshots/abc/one.gguf", "one.gguf"};
  BOOST_TEST((find("hf:o/one") == one));  // the config.json belongs to a model without weights
  BOOST_TEST((find("hf:o/one/one.gguf") == one));
  const std::string two = hub + "/models--o--two--b/snapshots/abc/";
  BOOST_TEST((find("hf:o/two--b/b.gguf") == Two{two + "b.gguf", "b.gguf"}));
  BOOST_TEST((find("hf:o/two--b/deep/c.gguf") == Two{two + "deep/c.gguf", "c.gguf"}));
  BOOST_TEST((find("hf:p/mine") == Two{(folder / "own/models/p/mine/m.gguf").string(), "m.gguf"}));
  BOOST_TEST((find("hf:distil") == Two{hub + "/models--distil/snapshots/abc", "distil"}));
  BOOST_TEST((find("any/path.gguf") == Two{"any/path.gguf", ""}));
  BOOST_TEST((find("") == Two{"", ""}));
}

BOOST_FIXTURE_TEST_CASE(error_for_a_missing_model_explains_how_to_download_it, Caches) {
  const auto refused = [&](const std::string& word, const std::string& message) {
    BOOST_CHECK_EXCEPTION((void)found_model(word, around.console), Error,
                          shows(Fault::user, message));
  };
  const std::string hub = (folder / "hub").string(), own = (folder / "own/models").string();
  refused("hf:q/none", "--model: hf:q/none is neither in " + hub + "/models--q--none nor in " +
                           own + "/q/none; download it with `hf download q/none`");
  refused("hf:o/two--b/d.gguf", "; download it with `hf download o/two--b d.gguf`");
  refused("hf:o/empty", "hf:o/empty is neither in ");
  refused("hf:o/half", "hf:o/half is neither in ");
  refused("hf:bert", "hf:bert is neither in " + hub + "/models--bert nor in " + own +
                         "/bert; did you mean hf:o/bert? download it with `hf download bert`");
  refused("q/distil", "--model: q/distil is not a file or folder; did you mean hf:distil?");
  refused("o/bert", "--model: o/bert is not a file or folder; did you mean hf:o/bert?");
  refused("distil", "--model: distil is not a file or folder; did you mean hf:distil?");
  refused("hf:o/two--b",
          "contains several models: a.gguf, b.gguf; choose one, such as hf:o/two--b/a.gguf");
}

// The byte counts match the texts above.
BOOST_FIXTURE_TEST_CASE(local_models_are_listed_by_name, Caches) {
  std::string all;
  for (const auto& [word, bytes, kind, path] : local_models(model_places(around.console))) {
    all += word + " " + std::to_string(bytes) + " " + kind + "\n";
  }
  BOOST_TEST(all ==
             "hf:distil 2 folder\n"
             "hf:o/bert 5 folder, bert\n"
             "hf:o/one/one.gguf 4 GGUF\n"
             "hf:o/two--b/a.gguf 1 GGUF\n"
             "hf:o/two--b/b.gguf 2 GGUF\n"
             "hf:o/two--b/deep/c.gguf 3 GGUF\n"
             "hf:p/mine/m.gguf 6 GGUF\n");
  hub("o", "large", "abc",
      {{"m-00001-of-00003.gguf", "1"},
       {"m-00002-of-00003.gguf", "12"},
       {"m-00003-of-00003.gguf", "123"}});
  const auto large = HubName{"o", "large"}.folders(model_places(around.console)).at(0);
  const auto parts = models_in(large, "hf:o/large", true);
  BOOST_REQUIRE(parts.size() == 1U);
  BOOST_TEST(parts[0].word == "hf:o/large/m-00001-of-00003.gguf");
  BOOST_TEST(parts[0].bytes == 6U);
  BOOST_TEST(parts[0].kind == "GGUF, 3 parts");
  BOOST_TEST(found_model("hf:o/large", around.console).name == "m-00001-of-00003.gguf");
  folder.write("own/models/o/bad/config.json", "{");
  const auto of_bad = models_in(folder / "own/models/o/bad", "hf:o/bad", true);
  BOOST_REQUIRE(of_bad.size() == 1U);
  BOOST_TEST(of_bad[0].kind == "folder, config.json cannot be read, without .safetensors");
  const Surroundings nowhere({{"HOME", (folder / "nobody").string()}});
  BOOST_TEST(local_models(model_places(nowhere.console)).empty());
}

BOOST_AUTO_TEST_CASE(models_in_given_folders_are_listed) {
  const test::TemporaryFolder folder;
  folder.write("all/a/config.json", R"({"model_type": "llama"})");
  folder.write("all/a/model.safetensors", "12345");
  folder.write("all/part/model-00001-of-00002.safetensors", "123");
  folder.write("all/old/pytorch_model.bin", "1");
  folder.write("all/texts/readme.md", "no model");
  folder.write("all/m.gguf", "1234");
  folder.write("all/ggufs/n.gguf", "12");
  const std::string all = (folder / "all").string();
  std::string listed;
  for (const auto& one : models_in_folder({all + "/"})) {
    BOOST_TEST(one.path.exists());
    listed += one.word.substr(all.size()) + " " + std::to_string(one.bytes) + " " + one.kind + "\n";
  }
  BOOST_TEST(listed ==
             "/a 5 folder, llama\n"
             "/ggufs/n.gguf 2 GGUF\n"
             "/m.gguf 4 GGUF\n"
             "/old 0 folder, config.json cannot be read, without .safetensors\n"
             "/part 3 folder, config.json cannot be read\n");
  const auto itself = models_in_folder({all + "/a"});
  BOOST_REQUIRE(itself.size() == 1U);
  BOOST_TEST(itself[0].word == all + "/a");
  BOOST_CHECK_EXCEPTION((void)models_in_folder({all + "/m.gguf"}), Error, [](const Error& error) {
    return std::string(error.what()).find("is not a folder") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
