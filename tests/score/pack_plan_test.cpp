// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/pack_plan.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(pack_plan_suite)

namespace {

using Sequence = std::vector<TokenId>;

TokenizedStatements statements_of(const std::vector<Sequence>& sequences,
                                  const Sequence& context = {}) {
  TokenizedStatements statements;
  statements.set_context(context);
  for (const Sequence& sequence : sequences) {
    Tokenization tokenization;
    for (const TokenId id : sequence) tokenization.tokens.push_back({id, {}});
    statements.add({}, tokenization);
  }
  return statements;
}

/// A pack as the oracle counts it: the prefixes that have a successor and are not prefixes of the
/// context, and those among them that are leaves.
struct Pack {
  std::size_t nodes = 0;
  std::size_t leaves = 0;
};

Pack pack_of(const TokenizedStatements& statements, std::span<const std::uint32_t> members) {
  // A prefix is stored as its tokens' bytes, so that two prefixes can be compared in one step.
  constexpr std::size_t width = sizeof(TokenId);
  const auto bytes_of = [](std::span<const TokenId> tokens) {
    return std::string(reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes());
  };
  const std::string context = bytes_of(statements.context());
  std::set<std::string> prefixes;
  for (const std::uint32_t member : members) {
    std::string prefix;
    for (std::size_t t = 0; t + 1 < statements.length(member); ++t) {
      const TokenId token = statements.token(member, t);
      prefix += bytes_of({&token, 1});
      if (!context.starts_with(prefix)) prefixes.insert(prefix);
    }
  }
  std::set<std::string> ends = prefixes;
  for (const std::string& prefix : prefixes) {
    ends.erase(prefix.substr(0, prefix.size() - width));
  }
  return {prefixes.size(), ends.size()};
}

/// The limits that remain while the model holds the context, which uses its own nodes and one
/// branch.
TreeLimits beside_context(const TokenizedStatements& statements, TreeLimits limits) {
  if (statements.context().empty()) return limits;
  limits.nodes -= std::min(limits.nodes, statements.context().size());
  --limits.leaves;
  return limits;
}

double cost_of(const TokenizedStatements& statements, std::size_t nodes, TreeLimits limits) {
  const auto n = static_cast<double>(nodes), block = static_cast<double>(limits.block);
  const double held = static_cast<double>(statements.context().size()) + n;
  const double cells = limits.attends_to_path_only ? 0 : std::ceil(held / block) * block;
  return n * (1 + cells / 2300) + 24 * std::ceil(n / static_cast<double>(limits.batch));
}

/// The lowest cost of any way to cut the sorted list within the limits.
double least_cost(const TokenizedStatements& statements, const PackPlan& plan, TreeLimits limits) {
  limits = beside_context(statements, limits);
  const std::size_t count = plan.order.size();
  std::map<std::pair<std::size_t, std::size_t>, double> cost;  // of each possible pack
  for (std::size_t begin = 0; begin < count; ++begin) {
    for (std::size_t end = begin + 1; end <= count; ++end) {
      const Pack pack = pack_of(statements, std::span(plan.order).subspan(begin, end - begin));
      const bool fits = pack.nodes <= limits.nodes && pack.leaves <= limits.leaves;
      cost[{begin, end}] = fits || end - begin == 1 ? cost_of(statements, pack.nodes, limits)
                                                    : std::numeric_limits<double>::infinity();
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t cuts = 0; cuts < 1U << (count - 1); ++cuts) {
    double total = 0;
    for (std::size_t begin = 0, end = 1; end <= count; ++end) {
      if (end < count && (cuts >> (end - 1) & 1U) == 0) continue;
      total += cost[{begin, end}];
      begin = end;
    }
    least = std::min(least, total);
  }
  return least;
}

std::vector<Sequence> random_sequences(RandomStream& random, std::size_t count,
                                       std::size_t longest) {
  std::vector<Sequence> sequences(count);
  for (Sequence& sequence : sequences) {
    sequence.resize(random.below(longest + 1));
    for (TokenId& token : sequence) token = static_cast<TokenId>(random.below(3));
  }
  return sequences;
}

/// Checks all guarantees of a plan against the set of prefixes and returns the plan's cost.
double check(const TokenizedStatements& statements, const PackPlan& plan, TreeLimits limits) {
  limits = beside_context(statements, limits);
  std::vector<std::uint32_t> all(statements.size());
  std::iota(all.begin(), all.end(), 0U);
  BOOST_REQUIRE(std::ranges::is_permutation(plan.order, all));
  BOOST_REQUIRE(plan.tree_nodes == pack_of(statements, all).nodes);
  std::size_t fed = 0;
  std::size_t placed = 0;
  double cost = 0;
  for (std::size_t p = 0; p < plan.packs(); ++p) {
    const auto members = plan.pack(p);
    const Pack pack = pack_of(statements, members);
    BOOST_REQUIRE(!members.empty());
    BOOST_REQUIRE((members.size() == 1 || pack.nodes <= limits.nodes));
    BOOST_REQUIRE((members.size() == 1 || pack.leaves <= limits.leaves));
    BOOST_REQUIRE(plan.nodes.at(p) == pack.nodes);
    fed += pack.nodes;
    placed += members.size();
    cost += cost_of(statements, pack.nodes, limits);
  }
  BOOST_REQUIRE(placed == statements.size());
  BOOST_REQUIRE(plan.pack_nodes == fed);
  BOOST_REQUIRE(plan.nodes.size() == plan.packs());
  return cost;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_statements_are_no_packs) {
  const PackPlan plan = plan_packs({}, {256, 256, 256});
  BOOST_TEST(plan.packs() == 0U);
  BOOST_TEST(plan.order.empty());
  BOOST_TEST(plan.tree_nodes == 0U);
  BOOST_TEST(plan.pack_nodes == 0U);
}

BOOST_AUTO_TEST_CASE(step_limits_default_to_the_limits_of_all_nodes) {
  const auto statements = statements_of({{5, 6}, {1, 2, 4, 9}, {1, 2, 3, 9}, {1, 2, 3, 8}});
  const auto packs = [&](const TreeLimits& limits) {
    return plan_packs(statements, limits).begins;
  };
  BOOST_TEST(packs({.nodes = 256, .leaves = 256}) == packs({256, 256, 256}),
             boost::test_tools::per_element());
  BOOST_TEST(packs({3, 256, 0, 0}) == packs({3, 256, 3, 1}), boost::test_tools::per_element());
  BOOST_TEST(plan_packs(statements, {}).packs() == 4U);  // no room for two statements
}

// The inner prefixes are 1, 12, 123, 124 and 5; the last token of a statement is never fed.
BOOST_AUTO_TEST_CASE(statements_that_fit_share_one_pack) {
  const auto statements = statements_of({{5, 6}, {1, 2, 4, 9}, {1, 2, 3, 9}, {1, 2, 3, 8}});
  const PackPlan plan = plan_packs(statements, {256, 256, 256});
  BOOST_TEST(plan.packs() == 1U);
  BOOST_TEST(plan.order == (std::vector<std::uint32_t>{3, 2, 1, 0}));
  BOOST_TEST(plan.tree_nodes == 5U);
  BOOST_TEST(plan.pack_nodes == 5U);
}

BOOST_AUTO_TEST_CASE(equal_statements_keep_their_order_and_cost_nothing_more) {
  const PackPlan plan =
      plan_packs(statements_of({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}), {256, 256, 256});
  BOOST_TEST(plan.order == (std::vector<std::uint32_t>{0, 1, 2}));
  BOOST_TEST(plan.pack_nodes == 2U);
}

// If one text is a prefix of another, the shorter text's last token is fed once for both; appending
// one more token to each text would produce the same plan.
BOOST_AUTO_TEST_CASE(where_the_last_token_is_fed_it_is_planned_for) {
  const auto fed = statements_of({{5}, {1, 2, 4}, {1, 2, 3}, {1, 2}});
  const PackPlan plan = plan_packs(fed, {256, 256, 256}, LastToken::is_fed);
  BOOST_TEST(plan.packs() == 1U);
  BOOST_TEST(plan.order == (std::vector<std::uint32_t>{3, 2, 1, 0}));
  BOOST_TEST(plan.tree_nodes == 5U);  // the prefixes 1, 12, 123, 124 and 5
  BOOST_TEST(plan.pack_nodes == 5U);
  RandomStream random(8, "pack_plan");
  for (int round = 0; round < 100; ++round) {
    std::vector<Sequence> sequences = random_sequences(random, 1 + random.below(9), 6);
    for (Sequence& sequence : sequences) sequence.push_back(2);  // none is empty
    std::set<Sequence> distinct(sequences.begin(), sequences.end());
    sequences.assign(distinct.begin(), distinct.end());
    const TreeLimits limits{1 + random.below(14), 1 + random.below(6), 1 + random.below(9),
                            1 + random.below(9)};
    const PackPlan one = plan_packs(statements_of(sequences), limits, LastToken::is_fed);
    for (Sequence& sequence : sequences) sequence.push_back(-1);
    const PackPlan other = plan_packs(statements_of(sequences), limits);
    BOOST_TEST(one.order == other.order);
    BOOST_TEST(one.begins == other.begins);
    BOOST_TEST(one.tree_nodes == other.tree_nodes);
    BOOST_TEST(one.pack_nodes == other.pack_nodes);
  }
}

BOOST_AUTO_TEST_CASE(a_statement_past_the_limit_stands_alone) {
  const auto statements = statements_of({{1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 3}});
  const PackPlan plan = plan_packs(statements, {4, 256, 256});
  check(statements, plan, {4, 256, 256});
  std::vector<std::size_t> alone;
  for (std::size_t p = 0; p < plan.packs(); ++p) {
    if (std::ranges::count(plan.pack(p), 1U) == 1) alone.push_back(plan.pack(p).size());
  }
  BOOST_TEST(alone == std::vector<std::size_t>{1});
}

// The answer "1 4" is continued by "1 4 5", so it opens a branch next to "1 2 3".
BOOST_AUTO_TEST_CASE(answer_that_extends_another_opens_a_branch) {
  const auto statements = statements_of({{1, 2, 3, 9}, {1, 4}, {1, 4, 5}});
  const TreeLimits one_branch{256, 1, 256};
  const PackPlan plan = plan_packs(statements, one_branch);
  check(statements, plan, one_branch);
  BOOST_TEST(plan.packs() == 2U);
  BOOST_TEST(plan_packs(statements, {256, 2, 256}).packs() == 1U);
}

BOOST_AUTO_TEST_CASE(packs_fill_a_step_if_attention_runs_only_over_the_path) {
  std::vector<Sequence> sequences;
  for (TokenId token = 0; token < 5000; ++token) sequences.push_back({9, token, 1});
  const auto largest = [&](const TreeLimits& limits) {
    const PackPlan plan = plan_packs(statements_of(sequences), limits);
    return *std::ranges::max_element(plan.nodes);
  };
  BOOST_TEST(largest({9000, 9000, 2000}) < 500U);
  const std::size_t nodes = largest({9000, 9000, 2000, 1, true});
  BOOST_TEST(nodes > 1600U);
  BOOST_TEST(nodes <= 2002U);
  BOOST_TEST(largest({700, 9000, 2000, 1, true}) == 700U);
}

BOOST_AUTO_TEST_CASE(cuts_are_those_of_least_cost_among_all) {
  RandomStream random(3, "pack_plan");
  for (int round = 0; round < 150; ++round) {
    const auto statements = statements_of(random_sequences(random, 1 + random.below(9), 6));
    const TreeLimits limits{1 + random.below(14), 1 + random.below(6), 1 + random.below(9),
                            1 + random.below(9), round % 3 == 0};
    const PackPlan plan = plan_packs(statements, limits);
    const double least = least_cost(statements, plan, limits);
    BOOST_REQUIRE_CLOSE(check(statements, plan, limits) + 1, least + 1, 1e-9);
  }
}

// The packs have hundreds of nodes, so a cut may save more attention cost than its extra step and
// path add.
BOOST_AUTO_TEST_CASE(cuts_weigh_attention_against_steps_and_paths) {
  RandomStream random(5, "pack_plan");
  std::set<std::size_t> packs;
  for (int round = 0; round < 30; ++round) {
    std::vector<Sequence> sequences(7);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (i > 0) sequences[i].assign(sequences[i - 1].begin(), sequences[i - 1].begin() + 20);
      for (std::size_t more = 40 + random.below(120); more > 0; --more) {
        sequences[i].push_back(static_cast<TokenId>(random.below(3)));
      }
    }
    const auto statements = statements_of(sequences);
    const TreeLimits limits{1024, 256, 16 + random.below(240), 1 + random.below(300)};
    const PackPlan plan = plan_packs(statements, limits);
    const double least = least_cost(statements, plan, limits);
    BOOST_REQUIRE_CLOSE(check(statements, plan, limits), least, 1e-9);
    packs.insert(plan.packs());
  }
  BOOST_TEST(packs.size() > 1U);  // neither always one pack nor always the same cuts
}

BOOST_AUTO_TEST_CASE(large_plans_respect_the_limits_and_count_what_is_fed) {
  RandomStream random(4, "pack_plan");
  for (const TreeLimits limits :
       {TreeLimits{256, 256, 256}, {64, 8, 32}, {4096, 1, 4096}, {20, 3, 7}}) {
    const auto statements = statements_of(random_sequences(random, 1500, 12));
    check(statements, plan_packs(statements, limits), limits);
  }
}

// The model already holds the context 1 2 3, so only 8, 84 and 85 below the context's end and 9
// below 1 are fed.
BOOST_AUTO_TEST_CASE(what_stands_in_the_context_is_not_counted) {
  const auto statements = statements_of(
      {{1, 2, 3, 8, 4, 6}, {1, 2, 3, 8, 5, 6}, {1, 9, 5}, {1, 2, 3, 7}, {1, 2}, {1, 2, 3}, {2}},
      {1, 2, 3});
  const PackPlan plan = plan_packs(statements, {256, 256, 256});
  BOOST_TEST(plan.tree_nodes == 4U);
  BOOST_TEST(plan.pack_nodes == 4U);
  check(statements, plan, {256, 256, 256});
}

// In traversal order, statements that branch off from the context early come before those that
// continue it.
BOOST_AUTO_TEST_CASE(statements_are_sorted_by_where_they_leave_the_context) {
  const auto statements =
      statements_of({{5, 5, 1, 1}, {5, 5, 9}, {5, 9}, {1}, {5, 5, 1, 0}, {5, 0, 0}}, {5, 5});
  const PackPlan plan = plan_packs(statements, {256, 256, 256});
  BOOST_TEST(plan.order == (std::vector<std::uint32_t>{3, 5, 2, 4, 0, 1}));
}

// The token 7 below the context's first token and the token 7 below its end are different nodes.
BOOST_AUTO_TEST_CASE(equal_rests_at_other_places_of_the_context_are_other_nodes) {
  const auto statements = statements_of({{1, 7, 8, 9}, {1, 2, 7, 8, 9}}, {1, 2});
  const PackPlan plan = plan_packs(statements, {256, 256, 256});
  BOOST_TEST(plan.tree_nodes == 4U);
  // There are three branches: one for each statement and one for the context's end.
  BOOST_TEST(plan_packs(statements, {256, 3, 256}).packs() == 1U);
  BOOST_TEST(plan_packs(statements, {256, 2, 256}).packs() == 2U);
}

BOOST_AUTO_TEST_CASE(the_contexts_nodes_take_up_room) {
  const Sequence context(20, 1);
  std::vector<Sequence> sequences;
  for (TokenId branch = 2; branch < 6; ++branch) {
    sequences.push_back(context);
    sequences.back().insert(sequences.back().end(), {branch, branch, branch});  // two nodes
  }
  const auto statements = statements_of(sequences, context);
  BOOST_TEST(plan_packs(statements, {28, 256, 256}).packs() == 1U);
  BOOST_TEST(plan_packs(statements, {27, 256, 256}).packs() == 2U);
  BOOST_TEST(plan_packs(statements, {23, 256, 256}).packs() == 4U);
  // Even with no room at all, every statement is placed in a pack.
  BOOST_TEST(plan_packs(statements, {10, 256, 256}).packs() == 4U);
  BOOST_TEST(plan_packs(statements, {256, 5, 256}).packs() == 1U);
  BOOST_TEST(plan_packs(statements, {256, 4, 256}).packs() == 2U);
}

// A context that no statement shares costs only the room it occupies; an empty context costs
// nothing.
BOOST_AUTO_TEST_CASE(cuts_below_a_context_are_those_of_least_cost_too) {
  RandomStream random(6, "pack_plan");
  for (int round = 0; round < 200; ++round) {
    Sequence context(random.below(6));
    for (TokenId& token : context) token = static_cast<TokenId>(random.below(3));
    auto sequences = random_sequences(random, 1 + random.below(8), 5);
    for (Sequence& sequence : sequences) {  // most share part of the context
      const auto shared = static_cast<std::ptrdiff_t>(random.below(context.size() + 1));
      if (random.below(4) == 0) sequence.clear();
      sequence.insert(sequence.begin(), context.begin(), context.begin() + shared);
    }
    const auto statements = statements_of(sequences, context);
    const TreeLimits limits{1 + context.size() + random.below(12), 2 + random.below(5),
                            1 + random.below(9), 1 + random.below(9)};
    const PackPlan plan = plan_packs(statements, limits);
    const double least = least_cost(statements, plan, limits);
    BOOST_REQUIRE_CLOSE(check(statements, plan, limits) + 1, least + 1, 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(large_plans_below_a_context_respect_the_limits) {
  RandomStream random(7, "pack_plan");
  Sequence context(40);
  for (TokenId& token : context) token = static_cast<TokenId>(random.below(3));
  auto sequences = random_sequences(random, 1000, 9);
  for (Sequence& sequence : sequences) {
    const std::size_t left = random.below(3) == 0 ? random.below(41) : 40;
    sequence.insert(sequence.begin(), context.begin(),
                    context.begin() + static_cast<std::ptrdiff_t>(left));
  }
  for (const TreeLimits limits : {TreeLimits{256, 256, 256}, {64, 8, 32}, {60, 3, 7}}) {
    const auto statements = statements_of(sequences, context);
    const PackPlan plan = plan_packs(statements, limits);
    check(statements, plan, limits);
    BOOST_TEST(plan.packs() > 1U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
