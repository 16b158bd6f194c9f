// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/many_prompt_study.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/predictions.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::GenerationFolder;
using test::says;

// records/generation_folder_test.cpp tests that incomplete rows of all other kinds are refused.

BOOST_AUTO_TEST_SUITE(many_prompt_study_suite)

namespace {

using Sizes = std::vector<std::size_t>;
using Numbers = std::vector<double>;

const auto each = boost::test_tools::per_element();

}  // namespace

BOOST_AUTO_TEST_CASE(rows_in_memory_need_no_file) {
  const GenerationFolder made;
  ManyPromptStudy study;
  std::vector<RecordedNames> rows{made.names(1, {1, 0, 0}, {{{-1, 1}, {-2, 2}}, {{-3, 1}}})};
  const auto each_row = [&](auto visit) {
    for (const RecordedNames& row : rows) visit(row);
  };
  add_names(study, made.asked(), each_row);
  BOOST_TEST(study.names.strata() == (Sizes{6, 4, 3}), each);
  BOOST_REQUIRE(study.names.rows(7).size() == 3U);
  BOOST_TEST(study.names.rows(7)[1].log_likelihood == -2.0);
  rows.push_back(rows[0]);
  BOOST_CHECK_EXCEPTION(add_names(study, made.asked(), each_row), Error,
                        says(Fault::user, "contains: this prompt already has a row"));

  study.candidates["symbol"] = {"H", "He"};
  std::vector<RecordedContentFree> free;
  for (const auto text : content_free_texts) {
    free.push_back(made.content_free(0, 2, std::string(text), {-1, -2}));
    free.back().candidates[1].tokens = 3;
  }
  const auto each_free = [&](auto visit) {
    for (const RecordedContentFree& row : free) visit(row);
  };
  add_content_free(study, made.asked(), each_free);
  BOOST_TEST(study.content_free.at("symbol").log_likelihoods == (Numbers{-1, -2, -1, -2, -1, -2}),
             each);
  BOOST_TEST(
      (study.content_free.at("symbol").tokens == std::vector<std::uint32_t>{1, 3, 1, 3, 1, 3}));
  BOOST_TEST(study.content_free_templates.at("symbol") == Sizes{2}, each);
}

BOOST_AUTO_TEST_CASE(a_closed_set_is_a_study_without_texts) {
  ModelPredictions model;
  model.name = "bert";
  model.relations.push_back(
      test::answered("P1", {{3, {{3, 0.5}, {1, 0.25}}}, {0, {{2, 1.0}, {0, 0.75}}}}));
  model.relations.push_back(test::answered("P2", {{2, {{2, 0.125}}}}));
  const ManyPromptStudy study = closed_set_study(model);
  BOOST_TEST(study.answered.name == "bert");
  BOOST_TEST((study.kind == AnswerKind::option));
  BOOST_TEST(study.samples == 0U);
  BOOST_TEST(study.answered.outcomes.facts() == 3U);
  BOOST_TEST(study.answered.outcomes.prompts(1)[1].right);
  BOOST_TEST(study.answered.outcomes.prompts(1)[0].answer == 2U);
  BOOST_TEST(study.answered.answers.empty());
  BOOST_TEST(study.answered.likelihoods.prompts.empty());
  BOOST_TEST(study.names.facts() == 0U);
  BOOST_TEST(study.content_free.empty());
  BOOST_TEST(study.confidences.strata == (Sizes{2, 1}), each);
  Numbers confidences;
  for (const Judgement& judgement : study.confidences.prompts) {
    confidences.push_back(judgement.confidence);
  }
  BOOST_TEST(confidences == (Numbers{0.5, 0.25, 1, 0.75, 0.125}), each);
}

BOOST_AUTO_TEST_CASE(what_is_known_of_a_closed_sets_templates_is_taken_over) {
  ModelPredictions model;
  model.relations.push_back(test::answered("P1", {{3, {{3, 0.5}, {1, 0.25}}}}));
  model.relations[0].relation.templates = {"[X] one [Y].", "What is two [X]? [Y]."};
  const KnownTemplates known{{"P1",
                              {{"What is two [X]? [Y].", "g", TemplateStyle::question},
                               {"[X] one [Y].", "h", TemplateStyle::cloze}}}};
  const ManyPromptStudy study = closed_set_study(model, known);
  const auto& templates = study.answered.outcomes.relations()[0].templates;
  BOOST_TEST(templates[0].group == "h");
  BOOST_TEST((templates[1].style == TemplateStyle::question));
}

BOOST_AUTO_TEST_CASE(a_fills_confidence_is_the_probability_of_its_tokens) {
  PromptList<AnswerLikelihood> fills;
  fills.begin_relation();
  fills.begin_fact();
  fills.add({1, std::log(0.25), true});
  fills.add({2, 0, false});
  const PromptList<Judgement> made = fill_confidences(fills);
  BOOST_TEST((made.facts == std::vector<std::size_t>{2}));
  BOOST_TEST(made.prompts[0].confidence == 0.25, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(made.prompts[0].correct);
  BOOST_TEST(made.prompts[1].confidence == 1);
}

BOOST_AUTO_TEST_SUITE_END()
