// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/rank_work.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/small_graph.hpp"

using namespace plumb;
using test::elements;
using test::TemporaryFolder;

namespace {

/// The clock's next tick, however coarse it is.
void wait_for_a_tick() {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() == start) {
  }
}

RankPlan plan_of(const KnowledgeGraph& graph, std::vector<std::uint32_t> candidates) {
  RankPlan plan{graph, {}, {}, {}, 0};
  plan.candidates = Candidates(std::move(candidates), graph.entities.size());
  return plan;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rank_work)

BOOST_AUTO_TEST_CASE(time_is_that_of_the_models_work_by_part) {
  const TemporaryFolder folder;
  RankWork work(folder / "journal.jsonl", {});
  BOOST_TEST(work.summary.seconds_model == 0.0);
  BOOST_TEST(work.seconds.empty());
  int done = 0;
  const auto tick = [&] {
    wait_for_a_tick();
    ++done;
  };
  work.time("queries", tick);
  const double once = work.seconds.at("queries");
  BOOST_TEST(once > 0.0);
  BOOST_TEST(work.summary.seconds_model == once);
  work.time("queries", tick);
  BOOST_TEST(work.seconds.at("queries") > once);
  work.time("entities", tick);
  BOOST_TEST(done == 3);
  BOOST_TEST(work.seconds.size() == 2U);
  const double sum = work.seconds.at("queries") + work.seconds.at("entities");
  BOOST_TEST(std::abs(work.summary.seconds_model - sum) < 1e-12);
  BOOST_CHECK_THROW(work.time("queries", [] { throw std::runtime_error("of the model"); }),
                    std::runtime_error);
}

BOOST_AUTO_TEST_CASE(progress_is_passed_on_where_somebody_looks) {
  const TemporaryFolder folder;
  std::vector<std::tuple<std::string, std::size_t, std::size_t, std::size_t>> seen;
  {
    RankWork work(folder / "journal.jsonl",
                  [&](const std::string& part, std::size_t done, std::size_t fresh,
                      std::size_t total) { seen.emplace_back(part, done, fresh, total); });
    work.advance("entities", 3, 2, 10);
  }
  RankWork alone(folder / "journal.jsonl", {});
  alone.advance("entities", 4, 3, 10);
  BOOST_REQUIRE(seen.size() == 1U);
  BOOST_TEST((seen[0] == std::tuple(std::string("entities"), 3U, 2U, 10U)));
}

BOOST_AUTO_TEST_CASE(the_journal_is_the_one_of_the_file) {
  const TemporaryFolder folder;
  {
    RankWork work(folder / "journal.jsonl", {});
    BOOST_TEST(!work.journal.find("likelihood", 0).has_value());
    work.journal.append("likelihood", 0, Json::array({1, 2}));
  }
  RankWork again(folder / "journal.jsonl", {});
  BOOST_TEST((again.journal.find("likelihood", 0).value() == Json::array({1, 2})));
}

// Nitrogen's entry of the test part; 77 entities of which three are candidates.
BOOST_AUTO_TEST_CASE(a_line_says_what_was_asked_before_anything_is_ranked) {
  const KnowledgeGraph graph = elements();
  const NgramModel model("");
  const RankPlan plan = plan_of(graph, {12, 13, 20});
  const Triple triple{12, 0, 13, 7};
  const EntityRank tail = unranked(model, plan, {{triple, false}, "valid"});
  BOOST_TEST(tail.part == "valid");
  BOOST_TEST(tail.line == 7U);
  BOOST_TEST(!tail.asks_head);
  BOOST_TEST(tail.head == "e7");
  BOOST_TEST(tail.relation == "symbol");
  BOOST_TEST(tail.tail == "s7");
  BOOST_TEST(tail.candidates == 3U);
  BOOST_TEST(tail.filtered_candidates == 3U);
  BOOST_TEST(tail.score == 0.0);
  BOOST_TEST((tail.raw == Rank{}));
  BOOST_TEST((tail.filtered == Rank{}));
  BOOST_TEST(tail.undecided == 0U);
  BOOST_TEST(tail.tokens == 2U);  // " N"
  const EntityRank head = unranked(model, plan, {{triple, true}, "test"});
  BOOST_TEST(head.asks_head);
  BOOST_TEST(head.head == "e7");
  BOOST_TEST(head.tail == "s7");
  BOOST_TEST(head.tokens == 9U);  // " nitrogen"
}

BOOST_AUTO_TEST_CASE(a_name_is_as_long_as_it_is_behind_a_space) {
  const KnowledgeGraph graph = elements();
  const NgramModel pieces("", 3, {" nitro", "nitrogen"});
  const EntityRank head = unranked(pieces, plan_of(graph, {12, 13}), {{{12, 0, 13, 7}, true}, ""});
  BOOST_TEST(head.tokens == 4U);  // " nitro", "g", "e", "n"
}

BOOST_AUTO_TEST_SUITE_END()
