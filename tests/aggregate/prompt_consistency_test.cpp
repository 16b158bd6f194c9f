// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/prompt_consistency.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/small_prompts.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;
using test::near;
using test::random_prompts;
using test::same;

BOOST_AUTO_TEST_SUITE(prompt_consistency_suite)

namespace {

/// Numbers that differ by 1 match: 1 matches 2 and 2 matches 3, but 1 does not match 3.
struct Neighbours {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a + 1 == b || b + 1 == a; }
};

/// Counts how often each pair is compared.
struct Asked {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int>* times;
  std::mutex* guard;
  bool operator()(std::uint32_t a, std::uint32_t b) const {
    const std::lock_guard lock(*guard);
    ++(*times)[std::minmax(a, b)];
    return false;
  }
};

/// The kinds of pairs, and the condition under which each kind counts a pair of prompts.
using Counts = bool (*)(const test::PromptRow&, const test::PromptRow&);
const std::vector<std::pair<MatchingShare PromptConsistency::*, Counts>> kinds{
    {&PromptConsistency::all, [](const auto&, const auto&) { return true; }},
    {&PromptConsistency::inner_group,
     [](const auto& a, const auto& b) { return a.of.group == b.of.group; }},
    {&PromptConsistency::inter_group,
     [](const auto& a, const auto& b) { return a.of.group != b.of.group; }},
    {&PromptConsistency::only_subject,
     [](const auto& a, const auto& b) { return a.of.text == b.of.text; }},
    {&PromptConsistency::only_template,
     [](const auto& a, const auto& b) { return a.outcome.expression == b.outcome.expression; }}};

/// The fraction of matching pairs for each fact, computed pair by pair, with one list per relation.
template <class Match>
std::vector<std::vector<std::optional<double>>> pair_by_pair(const PromptOutcomes& table,
                                                             Counts counts, const Match& match) {
  const auto rows = test::rows_of(table);
  std::vector<std::vector<std::optional<double>>> shares;
  for (const PromptRelation& relation : table.relations()) {
    auto& facts = shares.emplace_back();
    for (std::size_t f = 0; f < relation.facts; ++f) {
      double pairs = 0, matching = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = i + 1; j < rows.size(); ++j) {
          const auto of_fact = [&](const test::PromptRow& row) {
            return row.relation == relation.code && row.fact == table.key(relation.first_fact + f);
          };
          if (!of_fact(rows[i]) || !of_fact(rows[j]) || !counts(rows[i], rows[j])) continue;
          const std::uint32_t a = rows[i].outcome.answer, b = rows[j].outcome.answer;
          pairs += 1;
          matching += a == b || match(a, b) ? 1 : 0;
        }
      }
      facts.push_back(pairs > 0 ? std::optional(matching / pairs) : std::nullopt);
    }
  }
  return shares;
}

void check(const MatchingShare& made, const std::vector<std::vector<std::optional<double>>>& slow) {
  double sum = 0;
  std::size_t facts = 0, excluded = 0;
  for (const auto& relation : slow) {
    for (const auto& share : relation) {
      if (!share) {
        ++excluded;
        continue;
      }
      sum += *share;
      ++facts;
    }
  }
  BOOST_TEST(made.excluded == excluded);
  BOOST_TEST(made.share.count == facts);
  if (facts > 0) BOOST_TEST(near(made.share.value, sum / static_cast<double>(facts)));
  // Each relation is a stratum that contains the facts with at least one counted pair.
  std::vector<Stratum> strata;
  for (const auto& relation : slow) {
    Stratum stratum;
    for (const auto& share : relation) {
      if (share) stratum.values.push_back(*share);
    }
    if (stratum.values.empty()) continue;
    stratum.weight = static_cast<double>(stratum.values.size()) / static_cast<double>(facts);
    strata.push_back(std::move(stratum));
  }
  const Estimate expected = clustered_share(strata);
  BOOST_TEST(made.share.exists() == expected.exists());
  if (!expected.exists()) return;
  BOOST_TEST(near(made.share.low, expected.low));
  BOOST_TEST(near(made.share.high, expected.high));
}

template <class Match>
void check_all(const PromptOutcomes& table, const ConsistencyTable& made, const Match& match) {
  for (const auto& [kind, counts] : kinds) {
    const auto slow = pair_by_pair(table, counts, match);
    check(made.overall.*kind, slow);
    std::size_t place = 0;
    for (std::size_t r = 0; r < slow.size(); ++r) {
      if (slow[r].empty()) continue;
      BOOST_REQUIRE(place < made.relations.size());
      BOOST_TEST(made.relations[place].first == table.relations()[r].code);
      check(made.relations[place].second.*kind, {slow[r]});
      ++place;
    }
    BOOST_TEST(made.relations.size() == place);
  }
}

/// A fact under two templates in group "a" and one in group "b"; its subject has only a label.
PromptOutcomes three_answers(std::uint32_t one, std::uint32_t two, std::uint32_t three) {
  PromptOutcomes table;
  table.add_relation("P1", {{"t0", "a"}, {"t1", "a"}, {"t2", "b"}});
  table.add_fact("f", std::vector<PromptOutcome>{{one, 0}, {two, 1}, {three, 2}});
  return table;
}

}  // namespace

BOOST_AUTO_TEST_CASE(equal_answers_are_counted_as_pair_by_pair) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const std::size_t missing : {0U, 6U}) {
      const auto table = random_prompts(seed, {.missing = missing});
      check_all(table, prompt_consistency(table), SameAnswer{});
    }
  }
}

BOOST_AUTO_TEST_CASE(matching_answers_are_counted_as_pair_by_pair) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const std::size_t missing : {0U, 6U}) {
      const auto table = random_prompts(seed, {.answers = 6, .missing = missing});
      check_all(table, prompt_consistency(table, Neighbours{}), Neighbours{});
    }
  }
}

// "a guitar" (1) and "bass guitar" (3) both match "guitar" (2).
BOOST_AUTO_TEST_CASE(a_match_need_not_be_transitive) {
  const auto made = prompt_consistency(three_answers(1, 2, 3), Neighbours{}).overall;
  BOOST_TEST(near(made.all.share.value, 2.0 / 3));
  BOOST_TEST(made.inner_group.share.value == 1.0);
  BOOST_TEST(made.inter_group.share.value == 0.5);
  BOOST_TEST(made.only_template.share.value == made.all.share.value);
  BOOST_TEST(made.only_subject.share.count == 0U);
  BOOST_TEST(made.only_subject.excluded == 1U);
  BOOST_TEST(prompt_consistency(three_answers(1, 2, 3)).overall.all.share.value == 0.0);
}

BOOST_AUTO_TEST_CASE(consistency_by_group_matches_values_computed_by_hand) {
  PromptOutcomes table;
  table.add_relation("P1", {{"t0", "a"}, {"t1", "b"}});
  // Under t0, both expressions get answer 5; under t1, they get 5 and 6.
  table.add_fact("f", std::vector<PromptOutcome>{{5, 0, 0}, {5, 0, 1}, {5, 1, 0}, {6, 1, 1}});
  const auto made = prompt_consistency(table).overall;
  BOOST_TEST(made.all.share.value == 0.5);  // 3 of 6 pairs
  // The pair under t0 matches; the pair under t1 does not.
  BOOST_TEST(made.inner_group.share.value == 0.5);
  BOOST_TEST(made.inter_group.share.value == 0.5);  // 2 of 4 pairs
  // These are the same pairs, because each group has one template.
  BOOST_TEST(made.only_subject.share.value == 0.5);
  // The label's pair matches; the alias's does not.
  BOOST_TEST(made.only_template.share.value == 0.5);
}

BOOST_AUTO_TEST_CASE(facts_with_one_prompt_are_left_out_and_counted) {
  const auto table = test::one_relation({{"1", "1"}, {"1", ""}, {"", ""}, {"1", "0"}});
  const auto made = prompt_consistency(table);
  BOOST_TEST(made.overall.all.share.value == 0.5);
  BOOST_TEST(made.overall.all.share.count == 2U);
  BOOST_TEST(made.overall.all.excluded == 2U);
  BOOST_TEST(made.overall.inter_group.share.count == 0U);  // t0 and t1 belong to the same group
  BOOST_TEST(made.overall.inter_group.excluded == 4U);
}

BOOST_AUTO_TEST_CASE(a_match_is_asked_once_for_each_pair_of_a_facts_distinct_answers) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> times;
  std::mutex guard;
  const auto table = random_prompts(3, {.relations = 1, .facts = 1, .templates = 40, .answers = 5});
  const auto made = prompt_consistency(table, Asked{&times, &guard});
  BOOST_TEST(times.size() == 15U);  // every pair among 6 answers
  for (const auto& [pair, count] : times) {
    BOOST_TEST(pair.first != pair.second);
    BOOST_TEST(count == 1);
  }
  BOOST_CHECK(same(made.overall.all.share, prompt_consistency(table).overall.all.share));
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_means_nothing) {
  const auto table = random_prompts(6, {.relations = 2, .facts = 150, .missing = 2});
  const auto made = [&](int threads) {
    const test::Threads with(threads);
    return prompt_consistency(table, Neighbours{});
  };
  const auto once = made(1);
  const auto again = made(4);
  for (const auto& [kind, counts] : kinds) {
    BOOST_CHECK(same((once.overall.*kind).share, (again.overall.*kind).share));
    BOOST_TEST((once.overall.*kind).excluded == (again.overall.*kind).excluded);
  }
}

BOOST_AUTO_TEST_CASE(an_empty_table_has_no_consistency) {
  const auto made = prompt_consistency({});
  BOOST_TEST(made.overall.all.share.count == 0U);
  BOOST_TEST(made.overall.all.excluded == 0U);
  BOOST_TEST(made.relations.empty());
}

BOOST_AUTO_TEST_SUITE_END()
