// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/verified_batches.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(verified_batches_suite)

namespace {

/// Embeds each text as its length; in a call with several texts, the last vector is wrong by `off`.
struct Lengths : NgramModel {
  Lengths() : NgramModel("") {}
  [[nodiscard]] std::size_t dimension() const { return 1; }
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts, bool) const {
    EmbeddingMatrix made(static_cast<Eigen::Index>(texts.size()), 1);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      made(static_cast<Eigen::Index>(i), 0) = static_cast<float>(texts[i].size());
    }
    if (texts.size() > 1) made(made.rows() - 1, 0) += off;
    return made;
  }
  float off = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(texts_without_a_token_are_left_out_and_numbers_are_the_texts_own) {
  const std::vector<VerifiedSequence> none;
  const std::vector<std::string> texts{"ab", "", "abcd"};
  for (const float off : {0.0F, 1.0F}) {
    DifferenceLog log(none, false, 1e-3);
    Lengths model;
    model.off = off;
    compare_text_vectors(log, model, texts, false);
    BOOST_TEST(log.made().agrees() == (off == 0));
    if (off == 0) continue;
    BOOST_TEST(log.made().first->text == 2U);
    // The difference is 1, and the vector has length 5.
    BOOST_TEST(std::abs(log.made().first->nats - 0.2) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(continuations_of_an_archetype_agree) {
  NgramBatchModel model("abcabcabd", 3);
  const auto sequences = verified_sequences(
      std::vector<std::vector<TokenId>>{{'a', 'b'}, {'b', 'c'}}, std::nullopt, 100, 100);
  DifferenceLog log(sequences, false, 1e-9);
  compare_continuations(log, model, sequences, false);
  BOOST_TEST(log.made().agrees());
  BOOST_TEST(log.made().worst->nats == 0);
}

BOOST_AUTO_TEST_SUITE_END()
