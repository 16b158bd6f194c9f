// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/alias_ranks.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/small_prompts.hpp"

using namespace plumb::detail;
using test::near;
using test::same;

BOOST_AUTO_TEST_SUITE(alias_ranks_suite)

namespace {

using Rows = std::vector<NameLikelihood>;

/// The row for a name: its nats, its token count, then its indices.
NameLikelihood row(double nats, std::uint32_t tokens, int index, int expression, int object,
                   int name) {
  const auto place = [](int value) { return static_cast<std::uint16_t>(value); };
  return {nats, tokens, place(index), place(expression), place(object), place(name)};
}

NameLikelihoods one_relation(const std::vector<Rows>& facts) {
  NameLikelihoods table;
  table.begin_relation();
  for (const Rows& fact : facts) table.add_fact(fact);
  return table;
}

/// Each fact has one to three subject expressions, one or two objects, and one to three names for
/// each object; some rows are missing.
std::vector<std::vector<Rows>> random_relations(std::uint64_t seed) {
  RandomStream random(seed, "alias ranks test");
  std::vector<std::vector<Rows>> relations(3);
  for (auto& relation : relations) {
    for (int f = 0; f < 6; ++f) {
      Rows& fact = relation.emplace_back();
      const int expressions = 1 + static_cast<int>(random.below(3));
      const int objects = 1 + static_cast<int>(random.below(2));
      const int names = 1 + static_cast<int>(random.below(3));
      for (int t = 0; t < 3; ++t) {
        for (int e = 0; e < expressions; ++e) {
          for (int o = 0; o < objects; ++o) {
            for (int n = 0; n < names; ++n) {
              if (random.below(8) == 0) continue;
              const double nats = -static_cast<double>(random.below(6));
              fact.push_back(
                  row(nats, 1 + static_cast<std::uint32_t>(random.below(3)), t, e, o, n));
            }
          }
        }
      }
      random.shuffle(fact);
    }
  }
  return relations;
}

/// Counts the pairs in a fact and compares the two rows of each pair.
struct SlowCount {
  double pairs = 0, above = 0, equal = 0;
};
SlowCount slow_count(const Rows& fact, bool subjects, bool by_mean) {
  SlowCount count;
  for (const NameLikelihood& alias : fact) {
    for (const NameLikelihood& label : fact) {
      if (alias.template_index != label.template_index || alias.object != label.object) continue;
      const bool pair =
          subjects
              ? alias.name == 0 && label.name == 0 && alias.expression > 0 && label.expression == 0
              : alias.expression == label.expression && alias.name > 0 && label.name == 0;
      if (!pair) continue;
      const double a = alias.log_likelihood / (by_mean ? alias.tokens : 1);
      const double l = label.log_likelihood / (by_mean ? label.tokens : 1);
      count.pairs += 1;
      count.above += a > l ? 1 : 0;
      count.equal += a == l ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

// The label's prompt scores −2. One alias scores higher, one the same and one lower.
BOOST_AUTO_TEST_CASE(a_subjects_alias_is_compared_by_what_follows_it) {
  const auto made = alias_ranks(one_relation({{row(-2, 1, 0, 0, 0, 0), row(-1, 1, 0, 1, 0, 0),
                                               row(-2, 1, 0, 2, 0, 0), row(-3, 1, 0, 3, 0, 0)}}));
  const OutrankingRate& rate = made.subjects.by_sum;
  BOOST_TEST(rate.pairs == 3U);
  BOOST_TEST(rate.above == 1U);
  BOOST_TEST(rate.equal == 1U);
  BOOST_TEST(near(rate.rate.value, 1.0 / 3));
  BOOST_TEST(near(rate.pooled(), 1.0 / 3));
  BOOST_TEST(rate.rate.count == 1U);
  BOOST_TEST(rate.excluded == 0U);
  // The object has no alias.
  BOOST_TEST(made.objects.by_sum.pairs == 0U);
  BOOST_TEST(made.objects.by_sum.excluded == 1U);
  BOOST_TEST(made.objects.by_sum.rate.count == 0U);
  BOOST_TEST(std::isnan(made.objects.by_sum.pooled()));
}

// −3 over 3 tokens is higher per token than −2 over 1 token, but lower in total.
BOOST_AUTO_TEST_CASE(a_long_alias_gains_by_the_mean_over_its_tokens) {
  const auto made = alias_ranks(one_relation({{row(-2, 1, 0, 0, 0, 0), row(-3, 3, 0, 0, 0, 1),
                                               row(-4, 2, 0, 0, 0, 2), row(-1, 1, 0, 0, 0, 3)}}));
  BOOST_TEST(made.objects.by_sum.above == 1U);
  BOOST_TEST(made.objects.by_sum.equal == 0U);
  BOOST_TEST(made.objects.by_mean.above == 2U);
  BOOST_TEST(made.objects.by_mean.equal == 1U);
  BOOST_TEST(made.objects.by_mean.pairs == 3U);
  BOOST_TEST(made.subjects.by_sum.pairs == 0U);
}

BOOST_AUTO_TEST_CASE(alias_pairs_require_equal_template_and_object_and_a_label) {
  const auto made = alias_ranks(
      one_relation({{row(-9, 1, 0, 0, 0, 0), row(-1, 1, 1, 1, 0, 0),      // another template
                     row(-1, 1, 0, 1, 1, 0),                              // another object
                     row(-1, 1, 0, 1, 0, 1), row(-1, 1, 2, 0, 0, 1)}}));  // no label
  BOOST_TEST(made.subjects.by_sum.pairs == 0U);
  BOOST_TEST(made.objects.by_sum.pairs == 0U);
  BOOST_TEST(made.subjects.by_sum.excluded == 1U);
}

// One fact has one pair; the other has four. Averaged over facts, the rates are 1 and 0; pooled
// over pairs, the rate is 1 of 5.
BOOST_AUTO_TEST_CASE(facts_weigh_the_same_whatever_their_aliases) {
  const auto made = alias_ranks(
      one_relation({{row(-2, 1, 0, 0, 0, 0), row(-1, 1, 0, 0, 0, 1)},
                    {row(-2, 1, 0, 0, 0, 0), row(-3, 1, 0, 0, 0, 1), row(-4, 1, 0, 0, 0, 2),
                     row(-5, 1, 0, 0, 0, 3), row(-6, 1, 0, 0, 0, 4)},
                    {row(-2, 1, 0, 0, 0, 0)},
                    {}}));
  BOOST_TEST(made.objects.by_sum.rate.value == 0.5);
  BOOST_TEST(made.objects.by_sum.rate.count == 2U);
  BOOST_TEST(made.objects.by_sum.rate.method == "clustered wilson");
  BOOST_TEST(made.objects.by_sum.pooled() == 0.2);
  BOOST_TEST(made.objects.by_sum.excluded == 2U);
}

BOOST_AUTO_TEST_CASE(objects_are_compared_behind_aliases_of_the_subject_too) {
  const auto made = alias_ranks(one_relation({{row(-2, 1, 0, 0, 0, 0), row(-1, 1, 0, 0, 0, 1),
                                               row(-2, 1, 0, 1, 0, 0), row(-3, 1, 0, 1, 0, 1)}}));
  BOOST_TEST(made.objects.by_sum.pairs == 2U);
  BOOST_TEST(made.objects.by_sum.above == 1U);
  BOOST_TEST(made.subjects.by_sum.pairs == 1U);  // only the pair that has the object's label
  BOOST_TEST(made.subjects.by_sum.equal == 1U);
}

BOOST_AUTO_TEST_CASE(rates_are_those_of_all_pairs_looked_up_one_by_one) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto relations = random_relations(seed);
    NameLikelihoods table;
    for (const auto& relation : relations) {
      table.begin_relation();
      for (const Rows& fact : relation) table.add_fact(fact);
    }
    BOOST_TEST(table.facts() == 18U);
    const AliasRanks made = alias_ranks(table);
    for (const bool subjects : {true, false}) {
      for (const bool by_mean : {true, false}) {
        const NameRates& names = subjects ? made.subjects : made.objects;
        const OutrankingRate& rate = by_mean ? names.by_mean : names.by_sum;
        SlowCount all;
        FactValues shares;
        std::size_t excluded = 0;
        for (const auto& relation : relations) {
          shares.begin_relation();
          for (const Rows& fact : relation) {
            const SlowCount count = slow_count(fact, subjects, by_mean);
            all.pairs += count.pairs;
            all.above += count.above;
            all.equal += count.equal;
            if (count.pairs > 0) {
              shares.add(count.above / count.pairs);
            } else {
              ++excluded;
            }
          }
        }
        BOOST_TEST(static_cast<double>(rate.pairs) == all.pairs);
        BOOST_TEST(static_cast<double>(rate.above) == all.above);
        BOOST_TEST(static_cast<double>(rate.equal) == all.equal);
        BOOST_TEST(rate.equal > 0U);
        BOOST_TEST(rate.excluded == excluded);
        BOOST_TEST(near(rate.pooled(), all.above / all.pairs));
        BOOST_CHECK(same(rate.rate, share_of(shares)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(impossible_names_may_be_compared) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  const auto made = alias_ranks(one_relation(
      {{row(never, 2, 0, 0, 0, 0), row(never, 1, 0, 0, 0, 1), row(-700, 1, 0, 0, 0, 2)}}));
  BOOST_TEST(made.objects.by_mean.above == 1U);
  BOOST_TEST(made.objects.by_mean.equal == 1U);
}

BOOST_AUTO_TEST_CASE(a_name_has_one_log_likelihood_over_its_tokens) {
  NameLikelihoods table;
  table.begin_relation();
  table.add_fact(Rows{row(-1, 1, 0, 0, 0, 0)});
  const auto add = [&](const Rows& rows) { table.add_fact(rows); };
  BOOST_CHECK_EXCEPTION(
      add({row(-1, 1, 2, 1, 0, 3), row(-1, 1, 0, 0, 0, 0), row(-2, 1, 2, 1, 0, 3)}), Error,
      test::says(Fault::user,
                 "fact 1, template 2, subject expression 1, object 0, name 3: two likelihoods; "));
  BOOST_CHECK_EXCEPTION(add({row(-1, 0, 0, 0, 0, 0)}), Error, test::says(Fault::user, "no token"));
  for (const double wrong : {0.5, std::numeric_limits<double>::quiet_NaN()}) {
    BOOST_CHECK_EXCEPTION(add({row(wrong, 1, 0, 0, 0, 0)}), Error,
                          test::says(Fault::user, "name 0: not a log-likelihood; "));
  }
  // The rejected fact was not added.
  BOOST_TEST(table.facts() == 1U);
  BOOST_TEST(table.strata() == (std::vector<std::size_t>{1}));
  BOOST_TEST(table.rows(0).size() == 1U);
}

BOOST_AUTO_TEST_CASE(there_is_no_rate_without_facts) {
  const auto made = alias_ranks({});
  BOOST_TEST(made.subjects.by_sum.rate.count == 0U);
  BOOST_TEST(made.objects.by_mean.excluded == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
