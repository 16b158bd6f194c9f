// SPDX-License-Identifier: Apache-2.0

#include "plumb/many_prompts.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/dataset.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/records/generation_folder.hpp"
#include "plumb/detail/run/fill_job.hpp"
#include "plumb/detail/run/generate_job.hpp"
#include "plumb/model.hpp"
#include "plumb/probe.hpp"
#include "plumb/prompt_builder.hpp"
#include "plumb/run.hpp"
#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb;
namespace test = plumb::detail::test;
using test::elements_many;
using test::says;

BOOST_AUTO_TEST_SUITE(many_prompts_door_suite)

namespace {

/// A model trained on prompts about chemical symbols.
NgramTreeModel reader_of_symbols() {
  NgramTreeModel model(
      "Q: The symbol of iron is [MASK].\nA: Fe\nQ: What is the symbol of helium?\nA: He\n", 6);
  model.limits = {8192, 256, 256};
  return model;
}

}  // namespace

// The oracle is the model's own greedy continuation of each prompt.
BOOST_AUTO_TEST_CASE(answers_are_the_models_own_continuations) {
  NgramTreeModel model = reader_of_symbols();
  const ManyPromptAnswers answers =
      many_prompts(model, elements_many(), {.relations = {"symbol"}, .max_new_tokens = 4});
  BOOST_REQUIRE(answers.studies.size() == 1U);
  const detail::AnsweredSetting& made = answers.studies[0].answered;
  BOOST_TEST(made.name == "zero-shot");
  const detail::MultiPromptRelation& symbol = answers.asked.relations.at(0);
  std::size_t right = 0, prompts = 0;
  for (const detail::ManyNamedFact& fact : symbol.facts) {
    for (const detail::PromptTemplate& one : symbol.templates) {
      for (const std::string& subject : fact.subject.names) {
        const std::string text = "Predict the [MASK] in each sentence in one word.\nQ: " +
                                 fill_template(one.text, subject, "[MASK]", true).text + "\nA:";
        std::vector<TokenId> ids{*model.bos()};
        for (const detail::Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
        const auto own = model.generate(ids, {.max_new_tokens = 4});
        const detail::NormalisedText said(model.detokenize(own[0].tokens));
        right += said.spaced().find(detail::NormalisedText(fact.objects[0].names[0]).spaced()) !=
                         std::string::npos
                     ? 1U
                     : 0U;
        ++prompts;
      }
    }
  }
  std::size_t found = 0, all = 0;
  for (std::size_t f = 0; f < symbol.facts.size(); ++f) {
    for (const detail::PromptOutcome& prompt : made.outcomes.prompts(f)) {
      found += prompt.right ? 1U : 0U;
      ++all;
    }
  }
  BOOST_TEST(all == prompts);
  BOOST_TEST(found == right);
  BOOST_TEST(right > 0U);
}

// The oracle is a run folder with the same questions, read back from its files.
BOOST_AUTO_TEST_CASE(a_folder_of_the_same_has_the_same_numbers) {
  const test::TemporaryFolder folder;
  folder.write("data/facts.jsonl", facts_jsonl(elements_many()));
  folder.write("data/templates.jsonl", templates_jsonl(elements_many()));
  detail::GenerateSettings settings;
  settings.data = folder / "data";
  settings.sources = {ShotSource::none, ShotSource::relation};
  settings.shots = 2;
  settings.limit = 2;
  settings.samples = 5;
  settings.max_new_tokens = 3;
  settings.measuring = {.wordnet = "none", .samplings = 20};
  const detail::GenerateQuestions questions(settings);
  NgramTreeModel model = reader_of_symbols();
  detail::GenerateJob job(model, questions, {.model = "reader"});
  (void)run_job(job, {folder / "run"});
  const ManyPromptAnswers theirs =
      read_generation(detail::DiskPath(folder / "run"), detail::AnswerLemmas());

  NgramTreeModel again = reader_of_symbols();
  const ManyPromptAnswers ours =
      many_prompts(again, elements_many(),
                   {.limit = 2,
                    .settings = {{}, {.source = ShotSource::relation, .shots = 2}},
                    .max_new_tokens = 3,
                    .samples = 5,
                    .names = true});
  const detail::ManyPromptOptions measuring{.samplings = 20};
  const detail::ManyPromptResults one = metrics_of(theirs, measuring),
                                  other = metrics_of(ours, measuring);
  BOOST_REQUIRE(one.ways.size() == 2U);
  BOOST_REQUIRE(other.ways.size() == 2U);
  for (std::size_t w = 0; w < 2; ++w) {
    BOOST_TEST(one.ways[w].name == other.ways[w].name);
    BOOST_TEST(one.ways[w].prompts == other.ways[w].prompts);
    BOOST_TEST(one.ways[w].samples == other.ways[w].samples);
    BOOST_TEST(one.ways[w].coverage.average.value == other.ways[w].coverage.average.value);
    BOOST_TEST(one.ways[w].coverage.oracle.value == other.ways[w].coverage.oracle.value);
    BOOST_TEST(one.ways[w].overconfidence.has_value() == other.ways[w].overconfidence.has_value());
    BOOST_TEST(one.ways[w].aliases.has_value() == other.ways[w].aliases.has_value());
    BOOST_TEST(one.ways[w].bias.has_value() == other.ways[w].bias.has_value());
  }
  BOOST_TEST(other.ways[0].aliases.has_value());
}

BOOST_AUTO_TEST_CASE(gaps_filled_in_memory_are_those_of_a_folder) {
  const test::TemporaryFolder folder;
  folder.write("data/facts.jsonl", facts_jsonl(elements_many()));
  folder.write("data/templates.jsonl", templates_jsonl(elements_many()));
  detail::GenerateSettings settings;
  settings.data = folder / "data";
  settings.measuring = {.wordnet = "none", .samplings = 20};
  const detail::FillQuestions questions(settings);
  test::WordMaskModel model(elements_many());
  detail::FillJob job(model, questions, {.model = "reader"});
  (void)run_job(job, {folder / "run"});
  const ManyPromptAnswers theirs =
      read_generation(detail::DiskPath(folder / "run"), detail::AnswerLemmas());

  test::WordMaskModel again(elements_many());
  const ManyPromptAnswers ours = many_prompts(again, elements_many(), {.names = true});
  BOOST_TEST((ours.studies[0].kind == detail::AnswerKind::fill));
  const detail::ManyPromptOptions measuring{.samplings = 20};
  const detail::ManyPromptResults one = metrics_of(theirs, measuring),
                                  other = metrics_of(ours, measuring);
  BOOST_TEST(one.ways[0].prompts == other.ways[0].prompts);
  BOOST_TEST(one.ways[0].coverage.average.value == other.ways[0].coverage.average.value);
  BOOST_TEST(one.ways[0].ranks->mean_reciprocal_rank.value ==
             other.ways[0].ranks->mean_reciprocal_rank.value);
  BOOST_TEST(one.ways[0].aliases.has_value() == other.ways[0].aliases.has_value());
  BOOST_TEST(one.ways[0].bias.has_value() == other.ways[0].bias.has_value());
}

BOOST_AUTO_TEST_CASE(a_closed_set_is_asked_in_many_ways_too) {
  NgramTreeModel model = reader_of_symbols();
  Relation symbol{.code = "symbol",
                  .templates = {"The symbol of [X] is [Y].", "What is the symbol of [X]? [Y]"}};
  symbol.options = {"Fe", "He"};
  symbol.facts = {{.subject = "iron", .answer = 0}, {.subject = "helium", .answer = 1}};
  const ManyPromptAnswers answers = many_prompts(model, Dataset{"symbols", {symbol}},
                                                 {.settings = {{.form = PromptForm::question}}});
  // Only the question template is used.
  BOOST_TEST(answers.studies[0].answered.outcomes.prompts(0).size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_asked_is_refused) {
  NgramTreeModel model = reader_of_symbols();
  BOOST_CHECK_EXCEPTION((void)many_prompts(model, elements_many(), {.relations = {"none"}}), Error,
                        says(detail::Fault::user, "'none' is not a relation"));
  BOOST_CHECK_EXCEPTION((void)many_prompts(model, elements_many(), {.max_new_tokens = 9000}), Error,
                        says(detail::Fault::user, "the model's limit"));
}

BOOST_AUTO_TEST_SUITE_END()
