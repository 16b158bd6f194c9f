// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/knowledge_sharing.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/small_prompts.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;
using test::near;
using test::one_relation;
using test::random_prompts;
using test::same;

BOOST_AUTO_TEST_SUITE(knowledge_sharing_suite)

namespace {

const Bootstrap few{.seed = 2, .resamples = 40};

using Names = std::set<std::string>;

/// The facts known under each template, and those known under any prompt. Only prompts that the
/// table `also` contains are counted.
struct Known {
  std::map<std::string, Names> by_template;
  Names oracle;
};
Known known(const PromptOutcomes& table, const PromptOutcomes& also) {
  Known made;
  for (const auto& row : test::rows_of(table)) {
    for (const auto& other : test::rows_of(also)) {
      if (row.relation != other.relation || row.fact != other.fact ||
          row.of.text != other.of.text || row.outcome.expression != other.outcome.expression) {
        continue;
      }
      Names& facts = made.by_template[row.relation + row.of.text];
      if (!row.outcome.right) continue;
      facts.insert(row.relation + row.fact);
      made.oracle.insert(row.relation + row.fact);
    }
  }
  return made;
}

double shared_share(const Names& left, const Names& top) {
  double shared = 0;
  for (const std::string& name : left) shared += top.contains(name) ? 1 : 0;
  return shared / static_cast<double>(left.size());
}

void check(const KnowledgeSharing& made, const Known& left, const Known& top) {
  double sum = 0;
  std::size_t cells = 0, empty = 0;
  for (const auto& [name, facts] : left.by_template) {
    if (facts.empty()) {
      ++empty;
      continue;
    }
    sum += shared_share(facts, top.by_template.at(name));
    ++cells;
  }
  BOOST_TEST(made.by_template.cells == cells);
  BOOST_TEST(made.by_template.empty == empty);
  BOOST_TEST(near(made.by_template.rate.value, sum / static_cast<double>(cells)));
  BOOST_TEST(made.oracle.cells == 1U);
  BOOST_TEST(made.oracle.rate.count == left.oracle.size());
  BOOST_TEST(near(made.oracle.rate.value, shared_share(left.oracle, top.oracle)));
  for (const Estimate* rate : {&made.by_template.rate, &made.oracle.rate}) {
    BOOST_TEST(rate->low <= rate->value);
    BOOST_TEST(rate->high >= rate->value);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(cells_are_those_of_sets_of_facts) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const auto one = random_prompts(seed, {.relations = 4, .missing = 4});
    const auto other = random_prompts(seed + 50, {.relations = 3, .facts = 8, .missing = 4});
    const auto made = knowledge_sharing(pair_prompts(one, other), few);
    const Known ours = known(one, other), theirs = known(other, one);
    check(made.one_given_other, ours, theirs);
    check(made.other_given_one, theirs, ours);
    BOOST_TEST(made.unshared.relations == 1U);
    BOOST_TEST(made.one_given_other.oracle.left_out.relations == 1U);
    BOOST_TEST(made.one_given_other.by_template.left_out.facts == made.unshared.facts);
    BOOST_TEST(made.one_given_other.by_template.left_out.settings == made.unshared.templates);
  }
}

// `left` knows a and b under t0, and a under t1; `top` knows b and c under t0, and nothing under
// t1.
BOOST_AUTO_TEST_CASE(both_readings_by_hand) {
  const auto left = one_relation({{"01", "1"}, {"1", "0"}, {"0", "0"}});
  const auto top = one_relation({{"00", "0"}, {"1", "0"}, {"1", "0"}});
  const auto made = knowledge_sharing(pair_prompts(left, top), few);
  BOOST_TEST(made.one_given_other.by_template.rate.value == 0.25);  // the mean of 1/2 and 0
  BOOST_TEST(made.one_given_other.oracle.rate.value == 0.5);        // `top` also knows b, but not a
  // `top` knows nothing under t1, so t1 is skipped.
  BOOST_TEST(made.other_given_one.by_template.rate.value == 0.5);
  BOOST_TEST(made.other_given_one.by_template.empty == 1U);
  BOOST_TEST(made.other_given_one.oracle.rate.value == 0.5);
}

// The oracle pools the known facts of all relations: 3 of 4, not the mean of 1/1 and 2/3.
BOOST_AUTO_TEST_CASE(oracle_sets_are_of_all_relations_together) {
  const auto table = [](const char* second) {
    PromptOutcomes made = one_relation({{"1"}});
    made.add_relation("P2", test::templates(1));
    for (const char* mark : {"1", "1", second})
      made.add_fact("f" + std::to_string(made.facts()), test::marks({mark}));
    return made;
  };
  const auto made = knowledge_sharing(pair_prompts(table("1"), table("0")), few);
  BOOST_TEST(made.one_given_other.oracle.rate.value == 0.75);
  BOOST_TEST(near(made.one_given_other.by_template.rate.value, 5.0 / 6));
}

BOOST_AUTO_TEST_CASE(the_matrix_has_left_rows_and_top_columns) {
  const auto a = random_prompts(1, {}), b = random_prompts(2, {}), c = random_prompts(3, {});
  const std::vector<const PromptOutcomes*> tables{&a, &b, &c};
  const auto rates = sharing_matrix(tables, few);
  BOOST_REQUIRE(rates.size() == 3U);
  for (std::size_t l = 0; l < 3; ++l) {
    for (std::size_t t = 0; t < 3; ++t) {
      if (l == t) {
        BOOST_TEST(rates[l][t].oracle.rate.count == 0U);
        continue;
      }
      const auto pair = knowledge_sharing(pair_prompts(*tables[l], *tables[t]), few);
      BOOST_CHECK(same(rates[l][t].oracle.rate, pair.one_given_other.oracle.rate));
      BOOST_CHECK(same(rates[l][t].by_template.rate, pair.one_given_other.by_template.rate));
      check(rates[l][t], known(*tables[l], *tables[t]), known(*tables[t], *tables[l]));
    }
  }
}

BOOST_AUTO_TEST_CASE(table_shares_all_its_knowledge_with_itself) {
  const auto table = random_prompts(4, {});
  const auto made = knowledge_sharing(pair_prompts(table, table), few);
  BOOST_TEST(made.one_given_other.by_template.rate.value == 1.0);
  BOOST_TEST(made.one_given_other.oracle.rate.value == 1.0);
  BOOST_TEST(made.one_given_other.oracle.rate.method == "wilson");
}

BOOST_AUTO_TEST_CASE(who_knows_nothing_has_nothing_to_share) {
  const auto nothing = one_relation({{"0", "0"}, {"0", "0"}});
  const auto something = one_relation({{"0", "1"}, {"0", "0"}});
  const auto made = knowledge_sharing(pair_prompts(nothing, something), few);
  BOOST_TEST(made.one_given_other.by_template.rate.count == 0U);
  BOOST_TEST(made.one_given_other.by_template.empty == 2U);
  BOOST_TEST(made.one_given_other.oracle.rate.count == 0U);
  BOOST_TEST(made.other_given_one.oracle.rate.value == 0.0);
  BOOST_TEST(made.other_given_one.oracle.rate.count == 1U);
  const auto none = knowledge_sharing({}, few);
  BOOST_TEST(none.one_given_other.oracle.rate.count == 0U);
  BOOST_TEST(none.one_given_other.by_template.cells == 0U);
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_means_nothing) {
  const auto a = random_prompts(5, {.facts = 30}), b = random_prompts(6, {.facts = 30});
  const auto made = [&](int threads) {
    const test::Threads with(threads);
    return knowledge_sharing(pair_prompts(a, b), few).one_given_other;
  };
  const auto once = made(1), again = made(4);
  BOOST_CHECK(same(once.by_template.rate, again.by_template.rate));
  BOOST_CHECK(same(once.oracle.rate, again.oracle.rate));
}

BOOST_AUTO_TEST_SUITE_END()
