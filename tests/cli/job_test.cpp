// SPDX-License-Identifier: Apache-2.0
#include "plumb/cli/job.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb;
using detail::JobArguments;
using test::says;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(job)

namespace {

/// Sees nothing in one text.
struct BlindModel : NgramModel {
  explicit BlindModel(std::string text) : NgramModel(""), blind_to(std::move(text)) {}
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    return text == blind_to ? Tokenization{} : NgramModel::tokenize(text);
  }
  std::string blind_to;
};

const ModelDescription ours{"own backend", "", false};

}  // namespace

BOOST_AUTO_TEST_CASE(an_option_that_the_model_cannot_see_is_refused_by_name) {
  Dataset dataset = test::small_dataset();
  const auto sound = AnyModel::made_by([] { return NgramModel(""); });
  BOOST_CHECK_NO_THROW(detail::refuse_empty_options(sound, dataset));
  const auto blind = AnyModel::made_by([] { return BlindModel("Rhine"); });
  BOOST_CHECK_EXCEPTION(detail::refuse_empty_options(blind, dataset), Error,
                        says(Fault::user, "river: option 'Rhine' tokenises to nothing"));
  const auto choice = AnyModel::made_by([] { return BlindModel("Seine"); });
  BOOST_CHECK_NO_THROW(detail::refuse_empty_options(choice, dataset));
  dataset.relations[1].file = "river.jsonl";
  dataset.relations[1].facts[1].line = 7;
  dataset.relations[1].facts[1].choices = {"Nile", "Seine"};
  BOOST_CHECK_EXCEPTION(detail::refuse_empty_options(choice, dataset), Error,
                        says(Fault::user, "river.jsonl:7: river: option 'Seine' tokenises"));
}

BOOST_AUTO_TEST_CASE(settings_are_what_decides_the_results) {
  const TemporaryFolder folder;
  JobArguments arguments;
  arguments.model.model = folder.write("dir/m.gguf", "weights");
  Dataset dataset{"bear", {}, {folder.write("a.jsonl", "{}")}};
  const Json settings = detail::job_settings("go", arguments, dataset, {"llama", "F32", false});
  BOOST_TEST(settings.at("command") == "go");
  BOOST_TEST(settings.at("plumb_version") == PLUMB_VERSION);
  BOOST_TEST(settings.at("dataset") == "bear");
  BOOST_TEST(settings.at("dataset_sha256") == hash_files(dataset.files));
  BOOST_TEST(settings.at("model") == "m.gguf");  // wherever it lies
  BOOST_TEST(settings.at("model_sha256") == hash_file(arguments.model.model));
  BOOST_TEST(settings.at("backend") == "llama");
  BOOST_TEST(settings.at("weights") == "F32");
  BOOST_TEST(settings.at("quantized") == false);
  BOOST_TEST(settings.at("precision") == "exact");
  BOOST_TEST(settings.at("bos") == "yes");
  BOOST_TEST(settings.at("special_tokens") == "text");  // as it lists none
  BOOST_TEST(settings.at("special_tokens_known") == false);
  for (const char* fact : {"threads", "model_path", "seconds_total", "command_line"}) {
    BOOST_TEST(!settings.contains(fact));
  }
  arguments.model.exact = arguments.bos = false;
  arguments.model.threads = 7;  // decides nothing
  arguments.model.model = folder / "no file";
  ModelDescription listing = ours;
  listing.lists_special_tokens = true;
  const Json other = detail::job_settings("go", arguments, dataset, listing);
  BOOST_TEST(other.at("special_tokens") == "refuse");
  BOOST_TEST(other.at("special_tokens_known") == true);
  arguments.special_tokens = SpecialTokenReading::parse;
  BOOST_TEST(detail::job_settings("go", arguments, dataset, listing).at("special_tokens") ==
             "parse");
  BOOST_TEST(other.at("precision") == "fast");
  BOOST_TEST(other.at("bos") == "no");
  BOOST_TEST(other.at("model_sha256").is_null());
  BOOST_TEST(other.at("weights").is_null());
}

BOOST_AUTO_TEST_CASE(facts_of_the_run_are_its_words_cost_and_times) {
  std::ostringstream out, err;
  const Console console{{"--data", "d"}, out, err};
  const Json words = detail::command_line_of(console, "go");
  BOOST_TEST((words == Json{"plumb", "go", "--data", "d"}));
  JobArguments arguments;
  arguments.model.threads = 3;
  arguments.data = "d";
  arguments.model.model = "m";
  const RunSummary summary{{10, 400, 90, 100}, 1.5, 4};
  const Json facts = detail::run_facts(words, arguments, summary, 2.5);
  BOOST_TEST(facts.at("command_line") == words);
  BOOST_TEST(facts.at("dataset_path") == std::filesystem::absolute("d").string());
  BOOST_TEST(facts.at("working_directory") == std::filesystem::current_path().string());
  BOOST_TEST(facts.at("threads") == 3);
  BOOST_TEST(facts.at("statements") == 10);
  BOOST_TEST(facts.at("tokens_one_by_one") == 400);
  BOOST_TEST(facts.at("tree_nodes") == 90);
  BOOST_TEST(facts.at("tokens_fed") == 100);
  BOOST_TEST(facts.at("statements_scored_now") == 4);
  BOOST_TEST(facts.at("seconds_model") == 1.5);
  BOOST_TEST(facts.at("seconds_total") == 2.5);
}

BOOST_AUTO_TEST_CASE(the_cost_in_words_says_what_sharing_saved) {
  const RunSummary summary{{10, 400, 90, 160}, 0, 0};
  BOOST_TEST(detail::cost_in_words(summary, ours) ==
             "10 statements, 160 tokens fed (2.50 times fewer than one by one)\n");
  const std::string quantised = detail::cost_in_words(summary, {"llama", "Q4_1", true});
  BOOST_TEST(quantised.find("Quantised weights (Q4_1)") != std::string::npos);
  // A scorer that feeds no tokens divides by nothing.
  BOOST_TEST(detail::cost_in_words({}, ours).starts_with("0 statements, 0 tokens fed (0.00 "));
}

BOOST_AUTO_TEST_SUITE_END()
