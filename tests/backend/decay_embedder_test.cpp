// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/decay_embedder.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(decay_embedder)

BOOST_AUTO_TEST_CASE(the_embedder_halves_what_came_before) {
  const DecayEmbedder embedder;
  const std::vector<std::string> texts{"ab", "", "aba"};
  const EmbeddingMatrix with = embedder.embed(texts, true);
  const EmbeddingMatrix without = embedder.embed(texts, false);
  BOOST_TEST(with.rows() == 3);
  BOOST_TEST(with.cols() == static_cast<Eigen::Index>(embedder.dimension()));
  const auto check = [](const auto& row, float a, float b, float bos) {
    BOOST_TEST(row('a') == a);
    BOOST_TEST(row('b') == b);
    BOOST_TEST(row(256) == bos);
    BOOST_TEST(row.sum() == a + b + bos);  // the other dimensions are zero
  };
  check(with.row(0), 0.5F, 1.0F, 0.25F);
  check(with.row(1), 0.0F, 0.0F, 1.0F);
  check(with.row(2), 1.25F, 0.5F, 0.125F);
  check(without.row(0), 0.5F, 1.0F, 0.0F);
  check(without.row(1), 0.0F, 0.0F, 0.0F);
}

BOOST_AUTO_TEST_SUITE_END()
