// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_scores.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/run/many_shot_run.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "support/errors.hpp"
#include "support/small_many_shot.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::births;
using test::says;

BOOST_AUTO_TEST_SUITE(many_shot_scores_suite)

// Oracle: the rows written by a job, as read back from its files.
BOOST_AUTO_TEST_CASE(answers_in_memory_are_the_rows_of_a_job) {
  const Relation relation = births(200, 8);
  const ObjectAliases no_aliases;
  for (const ManyShotOptions& options : {test::several(), test::eic()}) {
    const ManyShotRelation asked(relation, no_aliases, options);
    auto model = test::reader_of_births();
    CausalScorer scorer(model);
    const Answers::Table table = answers_of(scorer, asked);

    const test::TemporaryFolder folder;
    auto again = test::reader_of_births();
    const RunFolder run(folder / "run", Json::object(), RunFolder::Claim::resume);
    Work work(run.file("journal.jsonl"), {});
    std::vector<ManyShotRelation> relations;
    relations.emplace_back(relation, no_aliases, options);
    ManyShotRun(again, true, run, work).run(relations);
    RecordedChoiceRelation recorded;
    recorded.options = relation.options;
    recorded.rows = folder / "run/birth_choices.jsonl";
    std::size_t rows = 0;
    for_each_recorded_choice(recorded, [&](const RecordedChoice& row) {
      ++rows;
      const auto place = static_cast<std::size_t>(ranges::find(table.settings, row.setting) -
                                                  table.settings.begin());
      BOOST_REQUIRE(place < table.templates());
      const auto fact = static_cast<std::size_t>(
          ranges::find(table.relation.facts, row.fact.instance, &Fact::instance) -
          table.relation.facts.begin());
      BOOST_REQUIRE(fact < table.facts());
      BOOST_TEST(table.choices[fact] == row.choices, boost::test_tools::per_element());
      BOOST_TEST(table.answer(fact) == row.answer);
      for (std::size_t c = 0; c < row.scores.size(); ++c) {
        BOOST_TEST(table.log_likelihoods[table.place(fact, place) + c] == row.scores[c],
                   boost::test_tools::tolerance(1e-6));
      }
    });
    BOOST_TEST(rows == table.facts() * table.templates());
  }
}

BOOST_AUTO_TEST_CASE(a_sequence_past_the_context_names_its_fact) {
  const Relation relation = births(200, 8);
  const ObjectAliases no_aliases;
  ManyShotOptions options = test::several();
  const ManyShotRelation asked(relation, no_aliases, options);
  struct Short : NgramTreeModel {
    using NgramTreeModel::NgramTreeModel;
    [[nodiscard]] std::size_t context_length() const { return 40; }
  } model("Person Aa 1800", 3);
  model.limits = {400, 8, 32};
  CausalScorer scorer(model);
  BOOST_CHECK_EXCEPTION((void)answers_of(scorer, asked), Error, says(Fault::user, "birth"));
}

BOOST_AUTO_TEST_SUITE_END()
