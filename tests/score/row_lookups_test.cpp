// SPDX-License-Identifier: Apache-2.0
#include "plumb/score/row_lookups.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(row_lookups)

// P = 1/6, 2/6, 3/6 whatever is added to all logits.
BOOST_AUTO_TEST_CASE(slots_have_the_log_probabilities_of_their_tokens) {
  const auto row = [](double shift) {
    std::array<float, 3> logits{};
    for (std::size_t v = 0; v < 3; ++v) {
      logits[v] = static_cast<float>(std::log(static_cast<double>(v + 1)) + shift);
    }
    return logits;
  };
  RowLookups lookups;
  lookups.ask(7, 2);
  lookups.ask(3, 0);
  lookups.ask(7, 0);
  lookups.ask(7, 2);
  BOOST_TEST(lookups.size() == 4U);
  BOOST_TEST((lookups.prepare() == std::vector<NodeId>{3, 7}));
  lookups.read(7, row(5));
  BOOST_TEST(lookups[1] == 0.0);  // not read yet
  lookups.read(4, row(1));        // nobody's
  lookups.read(3, row(-2));
  const std::array<double, 4> expected{1.0 / 2, 1.0 / 6, 1.0 / 6, 1.0 / 2};
  for (std::size_t slot = 0; slot < 4; ++slot) {
    BOOST_TEST(std::abs(lookups[slot] - std::log(expected[slot])) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(it_can_be_used_again) {
  RowLookups lookups;
  lookups.ask(1, 0);
  (void)lookups.prepare();
  lookups.clear();
  BOOST_TEST(lookups.prepare().empty());
  lookups.ask(2, 1);
  BOOST_TEST((lookups.prepare() == std::vector<NodeId>{2}));
  lookups.read(2, std::array<float, 2>{0, 0});
  BOOST_TEST(std::abs(lookups[0] + std::log(2.0)) < 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()
