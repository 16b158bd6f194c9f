// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/sequence_batches.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/check_model.hpp"
#include "plumb/detail/backend/verify_model.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(sequence_batches_suite)

namespace {

/// The n-gram model with a batch interface.
struct BatchNgram : NgramModel {
  using NgramModel::NgramModel;
  void evaluate(std::span<const std::vector<TokenId>> sequences, const BatchVisitor& visit) {
    calls.push_back(sequences.size());
    for (std::size_t i = sequences.size(); i-- > 0;) {  // a batch may be visited in any order
      NgramModel::evaluate(std::span<const TokenId>(sequences[i]),
                           [&](std::uint32_t position, std::span<const float> row) {
                             if (last_alone && position + 1 < sequences[i].size()) return;
                             if (silent) return;
                             visit(static_cast<std::uint32_t>(i), position + shift, row);
                           });
    }
  }
  bool last_alone = false, silent = false;
  std::uint32_t shift = 0;
  std::vector<std::size_t> calls;
};

const std::string read_batches = "Oslo is in Norway. Lima is in Peru. ";

Query query_of_cities() {
  Query query;
  for (const char* country : {"Norway", "Peru", "Norwegia"}) {
    query.candidates.push_back(fill_template("[X] is in [Y].", "Oslo", country));
  }
  return query;
}

}  // namespace

static_assert(TreeCausalLm<SequenceBatches<BatchNgram>>);
static_assert(!BatchCausalLm<NgramModel>);

// The oracle is the same model, evaluated sequence by sequence.
BOOST_AUTO_TEST_CASE(scores_are_those_of_sequences_one_by_one) {
  NgramModel plain(read_batches, 4);
  CausalScorer one_by_one(plain);
  const auto expected = one_by_one.score(query_of_cities());
  for (const bool last_alone : {false, true}) {
    for (const std::size_t most : {1U, 2U, 64U}) {
      BatchNgram engine(read_batches, 4);
      engine.last_alone = last_alone;
      SequenceBatches model(std::move(engine), most);
      CausalScorer scorer(model);
      const auto scores = scorer.score(query_of_cities());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        BOOST_TEST(scores[i].statement.log_likelihood == expected[i].statement.log_likelihood,
                   boost::test_tools::tolerance(1e-6));
        BOOST_TEST(scores[i].statement.tokens == expected[i].statement.tokens);
      }
      for (const std::size_t size : model.model().calls) BOOST_TEST(size <= most);
    }
  }
}

BOOST_AUTO_TEST_CASE(its_forms_agree_and_rows_of_a_sequence_come_in_order) {
  BatchNgram engine(read_batches, 3);
  engine.last_alone = true;
  SequenceBatches model(std::move(engine));
  const std::vector<std::string> texts{"Oslo is in Norway.", "Oslo is a town", "Lima"};
  BOOST_TEST(verify_model(model, texts, 1e-6).agrees());
  std::vector<TokenId> ids(40, 'a');
  std::uint32_t next = 0;
  model.evaluate(
      std::span<const TokenId>(ids),
      [&](std::uint32_t position, std::span<const float>) { BOOST_TEST(position == next++); });
  BOOST_TEST(next == 40U);
}

BOOST_AUTO_TEST_CASE(missing_or_unrequested_engine_rows_are_rejected) {
  BatchNgram quiet(read_batches, 3);
  quiet.silent = true;
  SequenceBatches silent(std::move(quiet));
  CausalScorer scorer(silent);
  BOOST_CHECK_EXCEPTION((void)scorer.score(query_of_cities()), Error,
                        says(Fault::user, "returned no row for the last token of sequence 0"));
  BatchNgram off(read_batches, 3);
  off.shift = 1;
  SequenceBatches shifted(std::move(off));
  CausalScorer other(shifted);
  BOOST_CHECK_EXCEPTION((void)other.score(query_of_cities()), Error,
                        says(Fault::user, "which was not requested; both count from 0"));
}

BOOST_AUTO_TEST_SUITE_END()
