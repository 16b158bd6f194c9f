// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/ranking_rows.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/any_text.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(ranking_rows_suite)

namespace {

/// A row in which all numbers are different.
EntityRank moose() {
  return {.part = "test",
          .line = 12,
          .asks_head = false,
          .head = "02",
          .relation = "_hypernym",
          .tail = "01",
          .score = 0.8125,
          .candidates = 40943,
          .filtered_candidates = 40941,
          .raw = {6, 1},
          .filtered = {5, 2},
          .undecided = 7,
          .tokens = 3};
}

const std::string line =
    R"({"part":"test","line":12,"asks":"tail","head":"02","relation":"_hypernym","tail":"01",)"
    R"("score":0.8125,"candidates":40943,"above":6,"equal":1,"filtered_candidates":40941,)"
    R"("filtered_above":5,"filtered_equal":2,"undecided":7,"tokens":3})"
    "\n";

struct Ranks : test::TemporaryFolder {
  [[nodiscard]] std::vector<EntityRank> read(const std::string& text) const {
    return read_entity_ranks(write("deer_ranks.jsonl", text));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_is_what_the_header_promises) {
  BOOST_TEST(row_line(moose()) == line);
  EntityRank head = moose();
  head.asks_head = true;
  std::string expected = line;
  BOOST_TEST(row_line(head) == expected.replace(line.find("\"tail\""), 6, "\"head\""));
}

BOOST_FIXTURE_TEST_CASE(a_line_is_read_as_it_was_written, Ranks) {
  const std::vector<EntityRank> ranks = read(line);
  BOOST_REQUIRE(ranks.size() == 1U);
  const EntityRank& rank = ranks[0];
  BOOST_TEST(rank.part == "test");
  BOOST_TEST(rank.line == 12U);
  BOOST_TEST(!rank.asks_head);
  BOOST_TEST(rank.head == "02");
  BOOST_TEST(rank.relation == "_hypernym");
  BOOST_TEST(rank.tail == "01");
  BOOST_TEST(rank.score == 0.8125);
  BOOST_TEST(rank.candidates == 40943U);
  BOOST_TEST(rank.filtered_candidates == 40941U);
  BOOST_CHECK((rank.raw == Rank{6, 1}));
  BOOST_CHECK((rank.filtered == Rank{5, 2}));
  BOOST_TEST(rank.undecided == 7U);
  BOOST_TEST(rank.tokens == 3U);
}

BOOST_FIXTURE_TEST_CASE(lines_keep_their_order_and_side, Ranks) {
  std::string text;
  for (const std::size_t at : {3U, 1U, 1U, 2U}) {
    EntityRank rank = moose();
    rank.line = at;
    rank.asks_head = at == 1;
    text += row_line(rank);
  }
  const std::vector<EntityRank> ranks = read("\n" + text + "  \r\n");
  BOOST_REQUIRE(ranks.size() == 4U);
  BOOST_TEST(
      (ranks[0].line == 3 && ranks[1].line == 1 && ranks[2].line == 1 && ranks[3].line == 2));
  BOOST_TEST((!ranks[0].asks_head && ranks[1].asks_head && ranks[2].asks_head));
  BOOST_TEST(!ranks[3].asks_head);
  BOOST_TEST(read("").empty());
}

BOOST_FIXTURE_TEST_CASE(scores_come_back_to_the_last_bit, Ranks) {
  for (const double score :
       {-1.0 / 3, 0.0, 5e-324, -1234.5678901234567, 1.0, std::numeric_limits<double>::lowest()}) {
    EntityRank rank = moose();
    rank.score = score;
    BOOST_TEST(read(row_line(rank)).at(0).score == score);
  }
}

BOOST_FIXTURE_TEST_CASE(identifiers_may_be_any_text, Ranks) {
  EntityRank rank = moose();
  rank.head = "\"Łódź\"\\";
  rank.relation = "";
  rank.tail = "a\nb\tc";
  const EntityRank again = read(row_line(rank)).at(0);
  BOOST_TEST(again.head == rank.head);
  BOOST_TEST(again.relation == rank.relation);
  BOOST_TEST(again.tail == rank.tail);
}

BOOST_FIXTURE_TEST_CASE(keys_may_stand_in_any_order_among_others, Ranks) {
  Json turned = {{"note", "more"}};
  const Json row = Json::parse(line);
  for (auto at = row.end(); at != row.begin();) {
    --at;
    turned[at.key()] = at.value();
  }
  BOOST_TEST(row_line(read(turned.dump() + "\n").at(0)) == line);
}

BOOST_FIXTURE_TEST_CASE(line_with_a_missing_key_is_rejected, Ranks) {
  const Json row = Json::parse(line);
  BOOST_TEST(row.size() == 15U);
  for (const auto& [key, value] : row.items()) {
    Json lacking = row;
    lacking.erase(key);
    BOOST_CHECK_EXCEPTION((void)read(line + "\n" + lacking.dump() + "\n"), Error,
                          says(Fault::user, (*this / "deer_ranks.jsonl").string() +
                                                ":3: is not a rank; the file was changed; "
                                                "restore it, or rank again"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_value_of_another_kind_is_refused, Ranks) {
  const Json row = Json::parse(line);
  for (const auto& [key, value] : row.items()) {
    if (key == "asks") continue;
    Json other = row;
    other[key] = value.is_string() ? Json(7) : Json("7");
    BOOST_CHECK_EXCEPTION((void)read(other.dump() + "\n"), Error,
                          says(Fault::user, "deer_ranks.jsonl:1: is not a rank"));
    other[key] = nullptr;
    BOOST_CHECK_EXCEPTION((void)read(other.dump() + "\n"), Error,
                          says(Fault::user, "deer_ranks.jsonl:1: is not a rank"));
  }
}

// With the largest possible number of candidates, a page would have an astronomical number of bins.
BOOST_FIXTURE_TEST_CASE(counts_that_no_rank_has_are_refused, Ranks) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, std::uint64_t>>{{"candidates", most},
                                                          {"candidates", 4'294'967'296},
                                                          {"candidates", 0},
                                                          {"candidates", 7},
                                                          {"above", 40943},
                                                          {"above", most},
                                                          {"equal", 40937},
                                                          {"equal", most},
                                                          {"filtered_candidates", 0},
                                                          {"filtered_above", 40941},
                                                          {"filtered_equal", most},
                                                          {"undecided", 40944},
                                                          {"tokens", most},
                                                          {"line", most}}) {
    Json row = Json::parse(line);
    row[field] = value;
    BOOST_CHECK_EXCEPTION(
        (void)read(line + row.dump() + "\n"), Error,
        says(Fault::user, "deer_ranks.jsonl:2: has impossible counts; the file was changed"));
  }
  for (const char* field : {"line", "above", "undecided"}) {
    Json row = Json::parse(line);
    row[field] = -1;
    BOOST_CHECK_EXCEPTION((void)read(row.dump() + "\n"), Error,
                          says(Fault::user, "deer_ranks.jsonl:1: is not a rank"));
  }
  // The last rank among all candidates is valid.
  Json row = Json::parse(line);
  for (const char* kind : {"", "filtered_"}) {
    row[std::string(kind) + "above"] = 39'999;
    row[std::string(kind) + "equal"] = 0;
    row[std::string(kind) + "candidates"] = 40'000;
  }
  BOOST_TEST(read(row.dump() + "\n").at(0).raw.above == 39'999U);
}

BOOST_FIXTURE_TEST_CASE(a_query_asks_for_the_head_or_the_tail, Ranks) {
  for (const Json& side : {Json("both"), Json(""), Json(1), Json(nullptr)}) {
    Json row = Json::parse(line);
    row["asks"] = side;
    BOOST_CHECK_EXCEPTION((void)read(row.dump() + "\n"), Error,
                          says(Fault::user, "deer_ranks.jsonl:1: asks: is neither head nor tail"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_line_that_is_no_object_is_refused, Ranks) {
  BOOST_CHECK_EXCEPTION((void)read(line + line.substr(0, 40)), Error,
                        says(Fault::user, "deer_ranks.jsonl:2: not JSON"));
  BOOST_CHECK_EXCEPTION((void)read("[]\n"), Error,
                        says(Fault::user, "deer_ranks.jsonl:1: is JSON but not an object"));
  BOOST_CHECK_EXCEPTION((void)read("{\"part\":\"\xff\"}\n"), Error,
                        says(Fault::user, "deer_ranks.jsonl:1: not UTF-8"));
}

BOOST_FIXTURE_TEST_CASE(error_names_the_missing_file, Ranks) {
  BOOST_CHECK_EXCEPTION((void)read_entity_ranks(*this / "lm_ranks.jsonl"), Error,
                        says(Fault::user, "lm_ranks.jsonl: cannot be read; check that it exists"));
}

BOOST_FIXTURE_TEST_CASE(random_ranks_are_read_as_they_were_written, Ranks) {
  RandomStream random(71, "ranks");
  std::string lines;
  std::vector<EntityRank> written;
  for (int i = 0; i < 100; ++i) {
    EntityRank one = moose();
    one.line = random.below(100'000);
    one.asks_head = random.below(2) == 0;
    for (std::string* text : {&one.part, &one.head, &one.relation, &one.tail}) {
      *text = test::any_text(random);
    }
    one.score = 100 * random.uniform() - 50;
    one.raw = {random.below(1000), random.below(1000)};
    lines += row_line(one);
    written.push_back(one);
  }
  const std::vector<EntityRank> read_again = read(lines);
  BOOST_REQUIRE(read_again.size() == written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    BOOST_TEST(row_line(read_again[i]) == row_line(written[i]));
    BOOST_TEST(read_again[i].head == written[i].head);
    BOOST_TEST(read_again[i].score == written[i].score);
    BOOST_CHECK(read_again[i].raw == written[i].raw);
  }
}

BOOST_AUTO_TEST_SUITE_END()
