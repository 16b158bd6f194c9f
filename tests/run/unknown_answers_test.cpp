// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/unknown_answers.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/run/probe_job.hpp"
#include "plumb/detail/score/masked_scorer.hpp"
#include "support/small_run.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(unknown_answers_suite)

BOOST_AUTO_TEST_CASE(a_fact_counts_once_and_statements_each) {
  UnknownAnswers counts(2);
  counts.add(0, 1, {true, false});
  counts.add(1, 1, {true, true});
  counts.add(1, 1, {false, true});
  BOOST_TEST(counts.facts() == 1U);
  BOOST_TEST(counts.statements() == 4U);
}

// Counted by hand: Paris and Nile have no token. Paris is the answer to one fact and a candidate
// for three; Nile is a candidate for two. Both occur under two templates. Resuming a run that has
// finished all relations yields the same counts.
BOOST_AUTO_TEST_CASE(a_probe_counts_them_by_relation) {
  const test::TemporaryFolder folder;
  for (const bool again : {false, true}) {
    test::WordMaskModel model(std::vector<std::string>{"Seoul", "Cairo", "Rhine"});
    MaskedScorer scorer(model, PseudoLikelihood::original);
    ProbeSettings settings = test::all_templates();
    settings.masked = true;
    ProbeJob job(scorer, test::small_dataset(), settings);
    (void)run_job(job, {folder / "run", again});
    const Json metadata = read_json_object(folder / "run" / "metadata_results.json");
    BOOST_TEST(metadata.at("capital").at("unknown_facts") == 1);
    BOOST_TEST(metadata.at("capital").at("unknown_statements") == 6);
    BOOST_TEST(metadata.at("river").at("unknown_facts") == 1);
    BOOST_TEST(metadata.at("river").at("unknown_statements") == 4);
  }
}

BOOST_AUTO_TEST_SUITE_END()
