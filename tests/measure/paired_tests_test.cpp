// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/paired_tests.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(paired_tests)

namespace {

/// Returns whether p is correct to a relative error of 1e-9.
bool is_p(double p, double expected) {
  return std::abs(p - expected) <= 1e-9 * expected;
}

}  // namespace

BOOST_AUTO_TEST_CASE(counts_are_a_table_of_two_by_two) {
  PairedCounts counts;
  for (const auto& [first, second] : {std::pair{true, true},
                                      {true, false},
                                      {true, false},
                                      {false, true},
                                      {false, false},
                                      {false, false},
                                      {true, false},
                                      {false, false}}) {
    counts.add(first, second);
  }
  BOOST_TEST((counts == PairedCounts{1, 3, 1, 3}));
  BOOST_TEST(counts.facts() == 8U);
  BOOST_TEST(counts.first_accuracy() == 0.5);
  BOOST_TEST(counts.second_accuracy() == 0.25);
  BOOST_TEST(counts.difference() == 0.25);
  BOOST_TEST(counts.agreement() == 0.5);
  counts += PairedCounts{1, 2, 3, 4};
  BOOST_TEST((counts == PairedCounts{2, 5, 4, 7}));
}

// For 5 and 1, p is 2 (1 + 6) / 64; for 0 and 4, 2 / 16; for 10 and 2, 2 (1 + 12 + 66) / 4096.
BOOST_AUTO_TEST_CASE(p_is_the_binomial_tail_doubled) {
  BOOST_TEST(near(mcnemar_exact_p(5, 1), 14.0 / 64));
  BOOST_TEST(near(mcnemar_exact_p(0, 4), 2.0 / 16));
  BOOST_TEST(near(mcnemar_exact_p(10, 2), 158.0 / 4096));
  BOOST_TEST(mcnemar_exact_p(2, 10) == mcnemar_exact_p(10, 2));
  BOOST_TEST(near(mcnemar_exact_p(3, 5), 2 * (1 + 8 + 28 + 56) / 256.0));
}

BOOST_AUTO_TEST_CASE(equal_counts_and_none_are_no_difference) {
  BOOST_TEST(mcnemar_exact_p(0, 0) == 1.0);
  BOOST_TEST(mcnemar_exact_p(7, 7) == 1.0);
  BOOST_TEST(mcnemar_exact_p(0, 1) == 1.0);
  BOOST_TEST(mcnemar_exact_p(4, 3) == 1.0);
}

// The expected values are from scipy 1.14.1: scipy.stats.binomtest(first, first + second).pvalue.
BOOST_AUTO_TEST_CASE(p_of_many_facts_is_that_of_scipy) {
  BOOST_TEST(is_p(mcnemar_exact_p(60, 40), 0.056887933640980784));
  BOOST_TEST(is_p(mcnemar_exact_p(1040, 960), 0.07728689056266856));
  BOOST_TEST(is_p(mcnemar_exact_p(50500, 49500), 0.001582359878851376));
  BOOST_TEST(is_p(mcnemar_exact_p(49900, 50100), 0.5291572940801981));
  BOOST_TEST(is_p(mcnemar_exact_p(30000, 28000), 1.0306000431364153e-16));
  BOOST_TEST(is_p(mcnemar_exact_p(52000, 48000), 1.1530938666727834e-36));
  BOOST_TEST(is_p(mcnemar_exact_p(55000, 45000), 8.600341645725016e-220));
  BOOST_TEST(is_p(mcnemar_exact_p(499, 1), 3.061046236226604e-148));
  BOOST_TEST(is_p(mcnemar_exact_p(9000, 8000), 1.800189848714473e-14));
  BOOST_TEST(is_p(mcnemar_exact_p(33, 12), 0.002458900322096724));
}

BOOST_AUTO_TEST_CASE(what_is_too_small_for_a_double_is_0) {
  BOOST_TEST(mcnemar_exact_p(100000, 0) == 0.0);
  BOOST_TEST(near(mcnemar_exact_p(1000, 0) / std::ldexp(1.0, -999), 1));
}

// The sorted values 0.01, 0.02, 0.03 and 0.9, multiplied by 4, 3, 2 and 1, become 0.04, 0.06, 0.06
// and 0.9.
BOOST_AUTO_TEST_CASE(holm_multiplies_by_the_tests_that_are_left) {
  const auto adjusted = holm({0.9, 0.01, 0.03, 0.02});
  BOOST_TEST(near(adjusted[0], 0.9));
  BOOST_TEST(near(adjusted[1], 0.04));
  BOOST_TEST(near(adjusted[2], 0.06));
  BOOST_TEST(near(adjusted[3], 0.06));
}

BOOST_AUTO_TEST_CASE(holm_keeps_the_order_stays_below_1_and_counts_no_missing_test) {
  const auto equal = holm({0.4, 0.4, 0.4});
  BOOST_TEST((equal == std::vector<double>{1, 1, 1}));
  const auto missing = holm({no_number, 0.02, 0.04});
  BOOST_TEST(std::isnan(missing[0]));
  BOOST_TEST(near(missing[1], 0.04));
  BOOST_TEST(near(missing[2], 0.04));
  BOOST_TEST(holm({}).empty());
  BOOST_TEST(holm({0.5})[0] == 0.5);
}

BOOST_AUTO_TEST_CASE(g_is_the_distance_from_a_half) {
  BOOST_TEST(cohens_g({4, 3, 1, 9}) == 0.25);
  BOOST_TEST(cohens_g({4, 0, 6, 9}) == -0.5);
  BOOST_TEST(cohens_g({4, 2, 2, 9}) == 0.0);
  BOOST_TEST(std::isnan(cohens_g({4, 0, 0, 9})));
}

// Of 50 facts, 20 are known to both models, 5 and 10 to only one, and 15 to neither. The observed
// agreement is 0.7; the agreement expected by chance is 0.5 · 0.6 + 0.5 · 0.4 = 0.5.
BOOST_AUTO_TEST_CASE(kappa_is_agreement_beyond_chance) {
  BOOST_TEST(near(cohens_kappa({20, 5, 10, 15}), 0.4));
  BOOST_TEST(near(cohens_kappa({3, 0, 0, 2}), 1));
  BOOST_TEST(near(cohens_kappa({0, 2, 2, 0}), -1));
  BOOST_TEST(cohens_kappa({0, 3, 0, 2}) == 0.0);  // the second model knows nothing
  BOOST_TEST(std::isnan(cohens_kappa({5, 0, 0, 0})));
  BOOST_TEST(std::isnan(cohens_kappa({0, 0, 0, 5})));
}

BOOST_AUTO_TEST_CASE(without_facts_there_is_no_number) {
  const PairedCounts none;
  BOOST_TEST(std::isnan(none.first_accuracy()));
  BOOST_TEST(std::isnan(none.difference()));
  BOOST_TEST(std::isnan(none.agreement()));
  BOOST_TEST(std::isnan(cohens_g(none)));
  BOOST_TEST(std::isnan(cohens_kappa(none)));
}

BOOST_AUTO_TEST_SUITE_END()
