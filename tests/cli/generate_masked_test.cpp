// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/generate.hpp"

// plumb generate with a masked model, which fills in the gaps.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "support/generate_console.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;
using test::ConsoleRun;
using test::elements_many;
using test::JobFiles;
using test::run_words;
using test::WordMaskModel;

BOOST_AUTO_TEST_SUITE(generate_masked)

namespace {

using Words = std::vector<std::string>;

struct Files : JobFiles {
  Files() {
    folder.write("elements/facts.jsonl", facts_jsonl(elements_many()));
    folder.write("elements/templates.jsonl", templates_jsonl(elements_many()));
  }
  [[nodiscard]] Words words(const Words& options, const std::string& run) const {
    Words all = words_of("generate", "elements", run, {"--samplings", "300"});
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
  [[nodiscard]] ConsoleRun fill(const Words& options = {}, const std::string& run = "run") const {
    return run_words(words(options, run),
                     [](const ModelOptions&) { return WordMaskModel(elements_many()); });
  }
  [[nodiscard]] std::map<std::string, std::string> comparable(const std::string& run) const {
    return JobFiles::comparable(run, {"run.json", "journal.jsonl"});
  }
};

}  // namespace

// The reported numbers equal those recomputed from the rows.
BOOST_FIXTURE_TEST_CASE(from_one_command_to_one_page, Files) {
  const ConsoleRun run = fill();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("masked inputs, "));
  BOOST_TEST(run.says("true token  vocabulary  prompts  left out  Hit@1  Hit@10  Hit@100"));
  BOOST_TEST(run.says("2 facts left out, because no object name is one token"));
  std::map<std::pair<std::string, std::uint32_t>, std::vector<bool>> right;
  double sure = 0, prompts = 0;
  for_each_row<RecordedAnswer>(folder / "run/masked_answers.jsonl", [&](const RecordedAnswer& row) {
    right[{row.relation, row.prompt.fact}].push_back(row.fill->right);
    sure += std::exp(row.log_probability);
    prompts += 1;
  });
  double accuracy = 0, all_right = 0;
  for (const auto& [fact, marks] : right) {
    const double count = static_cast<double>(std::ranges::count(marks, true));
    accuracy += count / static_cast<double>(marks.size()) / static_cast<double>(right.size());
    all_right += count;
  }
  const auto close = boost::test_tools::tolerance(1e-8);
  const Json way = json("run/metrics.json").at("settings").at("masked");
  BOOST_TEST(way.at("coverage").at("average").at("value").get<double>() == accuracy, close);
  BOOST_TEST(accuracy > 0);
  BOOST_TEST(way.at("overconfidence").at("overconf").at("value").get<double>() ==
                 (sure - all_right) / prompts,
             close);
  BOOST_TEST(
      way.at("true_token_ranks").at("whole").at("hit_at_1").at("value").get<double>() == accuracy,
      close);
  BOOST_TEST(!way.at("generated").get<bool>());
  BOOST_TEST(!way.contains("one_word"));
  const std::string page = test::slurp(folder / "run/report.html");
  for (const char* words : {"Rank of the true token", "exactly matches a name of an object",
                            "the probability of the tokens that fill the gap",
                            "match if they consist of the same tokens"}) {
    BOOST_TEST(page.find(words) != std::string::npos, words);
  }
}

BOOST_FIXTURE_TEST_CASE(dry_run_prints_the_number_of_masked_prompts, Files) {
  const ConsoleRun dry = fill({"--dry-run"}, "dry");
  BOOST_TEST(dry.code == 0, dry);
  BOOST_TEST(!std::filesystem::exists(folder / "dry"));
  BOOST_TEST(fill().err.starts_with(dry.out));
  const auto rows = [&](const char* file) {
    const std::string text = test::slurp(folder / "run" / file);
    return std::to_string(std::ranges::count(text, '\n'));
  };
  BOOST_TEST(dry.says("planned: masked: " + rows("masked_answers.jsonl") + " prompts, "), dry);
  BOOST_TEST(
      dry.says("planned: masked content-free: " + rows("masked_content_free.jsonl") + " prompts, "),
      dry);
}

BOOST_FIXTURE_TEST_CASE(a_run_is_resumed_and_reported_again_without_a_wordnet, Files) {
  BOOST_TEST(fill().code == 0);
  const auto whole = comparable("run");
  for (const auto& [name, text] : whole) std::filesystem::remove(folder / "run" / name);
  const auto journal = folder / "run/journal.jsonl";
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) / 2);
  BOOST_TEST(fill({"--resume"}).code == 0);
  BOOST_TEST((comparable("run") == whole));
  BOOST_TEST(fill({"--resume", "--masks", "2"})
                 .refused("masks: the run was started with 1, not "
                          "2"));
  BOOST_TEST(run_words({"report", at("run")}).code == 0);
  BOOST_TEST((comparable("run") == whole));
  BOOST_TEST(run_words({"report", at("run"), "--wordnet", "none"})
                 .refused("--wordnet: has no effect on this run of a masked model"));
}

BOOST_FIXTURE_TEST_CASE(what_a_masked_model_is_not_asked_is_refused_before_it_is_made, Files) {
  const auto masked = [](const ModelOptions&) -> WordMaskModel {
    throw internal_error({}, "the model was made", "");
  };
  for (const auto& [option, value] :
       {std::pair{"--settings", "random"}, std::pair{"--shots", "2"}, std::pair{"--form", "both"},
        std::pair{"--max-new-tokens", "3"}, std::pair{"--samples", "3"},
        std::pair{"--confidence-prompts", "3"}, std::pair{"--shot-seed", "1"},
        std::pair{"--sample-seed", "1"}, std::pair{"--wordnet", "none"},
        std::pair{"--bos", "no"}}) {
    BOOST_TEST(run_words(words({option, value}, "none"), masked)
                   .refused(std::string(option) + ": has no effect on a masked model"),
               option);
  }
  BOOST_TEST(run_words(words({"--names", "random"}, "none"), masked)
                 .refused("--names: a masked model has only one setting"));
  BOOST_TEST(
      run_words(words({"--masks", "6"}, "none"), masked).refused("--masks: 6 is not between"));
  BOOST_TEST(run_words(words({"--masks", "2", "--vocabulary", at("none.txt")}, "none"), masked)
                 .refused("--vocabulary: has no effect with --masks above 1"));
  BOOST_TEST(run_words(words({"--vocabulary", at("none.txt")}, "none"), masked)
                 .refused("none.txt: cannot be read"));
  for (const char* option : {"--masks", "--vocabulary"}) {
    BOOST_TEST(run_words(words({option, "2"}, "none"))
                   .refused(std::string(option) + ": has no effect on a causal model"),
               option);
  }
  BOOST_TEST(!std::filesystem::exists(folder / "none"));
}

BOOST_FIXTURE_TEST_CASE(a_model_of_either_kind_is_asked_by_what_it_is, Files) {
  const auto make = [](const ModelOptions&) {
    return AnyModel::made_by([] { return WordMaskModel(elements_many()); });
  };
  BOOST_TEST(run_words(words({}, "any"), make).code == 0);
  BOOST_TEST(fill({}, "run").code == 0);
  BOOST_TEST((comparable("any") == comparable("run")));
}

BOOST_FIXTURE_TEST_CASE(prompts_are_printed_with_their_masks_tokens, Files) {
  BOOST_TEST(fill().code == 0);
  const ConsoleRun listed =
      run_words({"data", "prompts", at("run"), "--ids", "--fact", "Qiron"},
                [](const ModelOptions&) { return WordMaskModel(elements_many()); });
  BOOST_TEST(listed.code == 0, listed);
  const Json row = Json::parse(listed.out.substr(0, listed.out.find('\n')));
  BOOST_TEST(row.at("prompt") == "The symbol of iron is [MASK].");
  const WordMaskModel model(elements_many());
  BOOST_TEST(row.at("ids").size() == 9U);
  BOOST_TEST(row.at("ids").at(6) == model.mask());
}

BOOST_FIXTURE_TEST_CASE(runs_of_two_models_are_compared_and_share_knowledge, Files) {
  folder.write("words.txt", "H\nHe\nC\nO\n");
  BOOST_TEST(fill({"--vocabulary", at("words.txt")}, "one").code == 0);
  BOOST_TEST(fill({"--masks", "2"}, "two").code == 0);
  const ConsoleRun both = run_words(
      {"compare", "a=" + at("one"), "b=" + at("two"), "--samplings", "300", "--out", at("both")});
  BOOST_TEST(both.code == 0, both);
  BOOST_TEST(both.says("a masked"));
  BOOST_TEST(both.says("common"));
  BOOST_TEST(json("both/metrics.json").at("sharing").size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
