// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/models.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(models)

namespace {

/// Creates models without inspecting them first.
const ModelMaker unseen = [](const ModelOptions& options) {
  return AnyModel::made_by([&] { return NgramModel(options.model.string()); });
};

/// Treats a path that contains "bert" as a masked model, and refuses one that contains "odd".
struct Inspecting {
  AnyModel operator()(const ModelOptions& options) const { return unseen(options); }
  [[nodiscard]] ModelKind inspect(const ModelOptions& options) const {
    const std::string path = options.model.string();
    if (path.find("odd") != path.npos) {
      throw user_error({.file = options.model}, "is odd", "give `server` http://localhost:8000");
    }
    return path.find("bert") != path.npos ? ModelKind::masked : ModelKind::causal;
  }
};

/// The output of `plumb models` when PLUMB_CACHE is this folder and no other cache exists.
std::string listed(const test::TemporaryFolder& folder, std::vector<std::string> words = {},
                   const std::string& model = "", const ModelMaker& maker = unseen) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  console.environment = [&](const char* name) {
    const std::string of = name;
    return of == "PLUMB_CACHE" ? folder.path().string() : of == "PLUMB_MODEL" ? model : "";
  };
  BOOST_TEST(run_models_command(console, maker) == 0);
  return out.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(bytes_have_a_unit_that_keeps_them_short) {
  BOOST_TEST(bytes_in_words(0) == "0.0 kB");
  BOOST_TEST(bytes_in_words(999'949) == "999.9 kB");
  BOOST_TEST(bytes_in_words(999'950) == "1.0 MB");
  BOOST_TEST(bytes_in_words(270'885'888) == "270.9 MB");
  BOOST_TEST(bytes_in_words(13'476'000'000) == "13.5 GB");
  BOOST_TEST(bytes_in_words(1'500'000'000'000) == "1500.0 GB");
}

BOOST_AUTO_TEST_CASE(models_are_listed_with_the_places_that_were_looked_in) {
  const test::TemporaryFolder folder;
  const std::string place = (folder / "models").string();
  const std::string none = listed(folder);
  BOOST_TEST(none.starts_with("no models in "));
  BOOST_TEST(none.find(place + "; `hf download OWNER/NAME` downloads one") != none.npos);
  folder.write("models/o/n/weights.gguf", std::string(1500, 'w'));
  const std::string some = listed(folder);
  BOOST_TEST(some.starts_with("--model"));
  BOOST_TEST(some.find("\nhf:o/n/weights.gguf  1.5 kB  GGUF\n") != some.npos, some);
  BOOST_TEST(some.ends_with(" and " + place + " and below " + folder.path().string() + "\n"), some);
}

BOOST_AUTO_TEST_CASE(
    other_files_of_the_cache_are_listed_by_path_and_the_variable_by_what_it_names) {
  const test::TemporaryFolder folder;
  folder.write("quick-1/small.gguf", std::string(2500, 'w'));
  folder.write("vocabularies/ggml-vocab-bert.gguf", "w");
  const std::string some = listed(folder);
  BOOST_TEST(
      some.find("\n" + (folder / "quick-1/small.gguf").string() + "  2.5 kB  GGUF\n") != some.npos,
      some);
  BOOST_TEST(some.find("vocab-bert") == some.npos);
  BOOST_TEST(some.find("PLUMB_MODEL") == some.npos);
  const std::string with = listed(folder, {}, "my.gguf");
  BOOST_TEST(with == "PLUMB_MODEL is my.gguf, used if --model is not given\n" + some);
}

BOOST_AUTO_TEST_CASE(each_is_listed_with_what_can_ask_it_or_with_the_reason_and_the_way_on) {
  const test::TemporaryFolder folder;
  for (const char* name : {"bert", "good", "odd"}) {
    folder.write("models/o/" + std::string(name) + "/config.json", "{}");
    folder.write("models/o/" + std::string(name) + "/model.safetensors", "12");
  }
  const std::string some = listed(folder, {}, "", Inspecting{});
  const auto holds = [&](const std::string& part) {
    BOOST_TEST(some.find(part) != some.npos, part << " is not in\n" << some);
  };
  holds("usable by\n");
  holds("\nhf:o/bert  0.0 kB  folder  probe, calibrate, generate\n");
  holds("\nhf:o/good  0.0 kB  folder                all commands\n");
  holds("none: see below\n");
  const std::string path = (folder / "models/o/odd").string();
  // The message refers to settings by their command-line options.
  holds("\nhf:o/odd cannot be used: " + path + ": is odd; give --server http://localhost:8000\n");
}

BOOST_AUTO_TEST_CASE(given_folders_are_searched_instead_of_the_caches) {
  const test::TemporaryFolder folder;
  folder.write("models/o/n/weights.gguf", "w");
  folder.write("mine/a/config.json", "{}");
  const std::string mine = (folder / "mine").string();
  const std::string some = listed(folder, {mine}, "my.gguf");
  BOOST_TEST(some.find("\n" + mine + "/a  0.0 kB  folder") != some.npos, some);
  BOOST_TEST(some.find("hf:o/n") == some.npos);
  BOOST_TEST(some.find("PLUMB_MODEL") == some.npos);
  BOOST_TEST(some.ends_with("\nsearched " + mine + "\n"), some);
  const std::string two = listed(folder, {mine, (folder / "models/o").string()});
  BOOST_TEST(two.find("/o/n/weights.gguf") != two.npos, two);
}

BOOST_AUTO_TEST_CASE(it_has_help_and_refuses_what_is_no_folder) {
  const test::TemporaryFolder folder;
  BOOST_TEST(listed(folder, {"--help"}).starts_with("Example: plumb models "));
  BOOST_CHECK_EXCEPTION(
      (void)listed(folder, {"mine"}), Error,
      test::shows(Fault::user, "mine: is not a folder; pass folders that contain models"));
}

BOOST_AUTO_TEST_SUITE_END()
