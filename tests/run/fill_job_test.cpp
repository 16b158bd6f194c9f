// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/fill_job.hpp"

// Runs the job from C++, without the command. cli/generate_masked_test.cpp tests the command.

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::says;
using test::slurp;
using test::WordMaskModel;

BOOST_AUTO_TEST_SUITE(fill_job)

namespace {

struct Files {
  Files() {
    folder.write("data/facts.jsonl", facts_jsonl(elements_many()));
    folder.write("data/templates.jsonl", templates_jsonl(elements_many()));
  }
  [[nodiscard]] GenerateSettings settings() const {
    GenerateSettings settings;
    settings.data = folder / "data";
    settings.measuring = {.wordnet = "none", .samplings = 20};
    return settings;
  }
  test::TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(gaps_are_filled_into_a_run_folder_and_resumed, Files) {
  folder.write("words.txt", "H\nHe\nnoble gas\n");
  GenerateSettings settings = this->settings();
  settings.vocabulary = folder / "words.txt";
  const FillQuestions questions(settings);
  WordMaskModel model(elements_many());
  FillJob job(model, questions, {.model = "words"});
  const auto finished = run_job(job, {folder / "run"});
  const ManyPromptResult& way = finished.report.results().ways.at(0);
  BOOST_TEST(way.name == "masked");
  BOOST_TEST(way.is(AnswerKind::fill));
  BOOST_TEST(way.prompts == job.planned_gaps().prompts.prompts.size());
  BOOST_TEST(way.overconfidence->prompts == way.prompts);
  BOOST_TEST(way.samples == 0U);
  BOOST_TEST(way.ranks->prompts == way.prompts);
  BOOST_TEST(way.common_ranks->prompts == 8U);  // hydrogen, helium
  BOOST_TEST(way.bias->relations == 2U);        // family has one candidate
  BOOST_TEST(way.aliases->objects.by_sum.pairs > 0U);
  BOOST_TEST(slurp(folder / "run/left_out.csv") ==
             "relation,what,name\nfamily,fact,neon\nfamily,fact,argon\nfamily,object,noble gas\n"
             "family,name of an object,noble gas\nfamily,name of an object,inert gas\n"
             "family,name of an object,rare gas\n,word of the vocabulary,noble gas\n");
  const std::string answers = slurp(folder / "run/masked_answers.jsonl");
  const std::string metadata = slurp(folder / "run/metadata_generate.json");
  const std::size_t rows = model.rows_given;
  FillJob again(model, questions, {.model = "words"});
  BOOST_TEST(run_job(again, {folder / "run", true}).summary.fresh_statements == 0U);
  BOOST_TEST(model.rows_given == rows);
  BOOST_TEST(slurp(folder / "run/masked_answers.jsonl") == answers);
  BOOST_TEST(slurp(folder / "run/metadata_generate.json") == metadata);
}

BOOST_FIXTURE_TEST_CASE(excluded_facts_objects_and_names_are_reported, Files) {
  GenerateSettings settings = this->settings();
  settings.relations = {"family"};
  const FillQuestions questions(settings);
  WordMaskModel model(elements_many());
  FillJob job(model, questions);
  const auto finished = run_job(job, {folder / "run"});
  const std::vector<std::string> notes = finished.report.notes();
  const auto said = [&](const std::string& words) {
    return ranges::any_of(notes, [&](const std::string& note) { return note == words; });
  };
  BOOST_TEST(
      said("2 facts left out, because no object name is one token: family 'neon', family "
           "'argon'."));
  BOOST_TEST(said("1 object left out, because no name is one token: family 'noble gas'."));
  BOOST_TEST(
      said("3 names of objects that no answer can match, because they are not one token "
           "(left_out.csv)."));
  BOOST_TEST(
      said("1 label of objects left out of the candidates for bias level, because they are not one "
           "token in each gap."));
}

BOOST_FIXTURE_TEST_CASE(multiple_masks_are_reported_as_an_extension, Files) {
  GenerateSettings settings = this->settings();
  settings.masks = 2;
  settings.names = "none";
  const FillQuestions questions(settings);
  WordMaskModel model(elements_many());
  FillJob job(model, questions);
  const auto finished = run_job(job, {folder / "run"});
  BOOST_TEST(finished.report.notes().at(0).starts_with("Up to 2 masks are filled left to right"));
  const ManyPromptResult& way = finished.report.results().ways.at(0);
  BOOST_TEST(way.facts == 13U);
  BOOST_TEST(!way.ranks);
  BOOST_TEST(!way.bias);
  BOOST_TEST(way.by_length.has_value());
  BOOST_TEST(!std::filesystem::exists(folder / "run/masked_content_free.jsonl"));
}

BOOST_FIXTURE_TEST_CASE(prompts_are_listed_as_sentences, Files) {
  const FillQuestions questions(settings());
  WordMaskModel model(elements_many());
  const FillJob job(model, questions);
  std::vector<ListedPrompt> all;
  for_each_fill_prompt(job.planned_gaps(), true, {},
                       [&](const std::string&, auto make) { all.push_back(make()); });
  BOOST_TEST(all.size() == job.planned_gaps().prompts.prompts.size() + 3 * (4 + 3 + 2));
  BOOST_TEST(all.at(0).texts.at(0).text == "The symbol of hydrogen is [MASK].");
  BOOST_TEST(all.at(0).about.at("part") == "masked answers");
  BOOST_TEST(all.back().texts.at(0).text == "[MASK]: ? is one.");
  std::size_t iron = 0;
  for_each_fill_prompt(job.planned_gaps(), true, {"ferrum"},
                       [&](const std::string&, auto) { ++iron; });
  BOOST_TEST(iron == 8U);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_asked_is_refused, Files) {
  GenerateSettings settings = this->settings();
  settings.names = "zero-shot";
  BOOST_CHECK_EXCEPTION(FillQuestions{settings}, Error,
                        says(Fault::user, "`names`: a masked model has only one setting"));
  settings = this->settings();
  settings.relations = {"nothing"};
  BOOST_CHECK_EXCEPTION(FillQuestions{settings}, Error, says(Fault::user, "is not a relation"));
}

BOOST_AUTO_TEST_SUITE_END()
