// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/neutral_prompts.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/prompt/statement.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(neutral_prompts)

namespace {

std::vector<std::string> texts(const NeutralPrompts<Statement>& prompts, const Relation& relation) {
  std::vector<std::string> all;
  prompts.for_each_query(relation, 0, prompts.facts(relation),
                         [&](const Fact&, std::size_t, const Query& query) {
                           for (const Prompt& one : query.candidates) all.push_back(one.text);
                         });
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_option_has_one_for_each_template) {
  const Dataset dataset = test::small_dataset();
  ProbeSettings settings = test::all_templates();
  const Statement builder;
  const NeutralPrompts prompts(builder, settings);
  BOOST_TEST(prompts.statements(dataset) == 0U);
  settings.scoring.reduction = Reduction::pmi;
  BOOST_TEST(prompts.statements(dataset) == 3U * 2 + 2 * 2);
  const Relation& river = dataset.relations[1];
  BOOST_TEST(
      texts(prompts, river) ==
      (std::vector<std::string>{"Lies on the Nile", "Lies on the Rhine", "The Nile", "The Rhine"}));
  for (const std::size_t fact : {0U, 1U}) {
    BOOST_TEST(prompts.place(river, fact, 0) == 0U);
    BOOST_TEST(prompts.place(river, fact, 1) == 2U);
  }
  settings.templates = {1};
  BOOST_TEST(texts(prompts, river) == (std::vector<std::string>{"The Nile", "The Rhine"}));
}

BOOST_AUTO_TEST_CASE(facts_with_texts_of_their_own_have_their_own) {
  Dataset dataset = test::small_dataset();
  Relation& river = dataset.relations[1];
  river.facts[0].choices = {"white Nile", "old Rhine"};
  river.facts[1].choices = {"blue Nile", "young Rhine"};
  ProbeSettings settings;
  settings.scoring.reduction = Reduction::pmi;
  const Statement builder;
  const NeutralPrompts prompts(builder, settings);
  BOOST_TEST(texts(prompts, river) ==
             (std::vector<std::string>{"Lies on the white Nile", "Lies on the old Rhine",
                                       "Lies on the blue Nile", "Lies on the young Rhine"}));
  BOOST_TEST(prompts.place(river, 1, 0) == 2U);
}

BOOST_AUTO_TEST_CASE(the_answers_span_alone_is_asked_of_its_tokens) {
  ProbeSettings settings;
  const Statement builder;
  const NeutralPrompts prompts(builder, settings);
  BOOST_TEST((prompts.span() == Span::continuation));
  settings.masked = true;
  BOOST_TEST((prompts.span() == Span::answer));
  settings.masked = false;
  settings.scoring.span = Span::answer;
  BOOST_TEST((prompts.span() == Span::answer));
}

BOOST_AUTO_TEST_SUITE_END()
