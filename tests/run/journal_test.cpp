// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/journal.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::slurp;

BOOST_AUTO_TEST_SUITE(journal)

namespace {

using Scores = std::vector<StatementScore>;

bool same(const Scores& a, const Scores& b) {
  return std::ranges::equal(a, b, [](const StatementScore& x, const StatementScore& y) {
    return x.log_likelihood == y.log_likelihood && x.tokens == y.tokens &&
           x.answer_log_likelihood == y.answer_log_likelihood &&
           x.answer_tokens == y.answer_tokens &&
           x.continuation_log_likelihood == y.continuation_log_likelihood &&
           x.continuation_tokens == y.continuation_tokens;
  });
}

Scores one_score(double nats) {
  return {{nats, nats / 2, 7, 2, nats / 4, 3}};
}

/// A folder with a journal of three packs of P36.
struct ThreePacks {
  ThreePacks() {
    Journal journal(file);
    for (std::size_t pack = 0; pack < 3; ++pack) {
      Scores scores = one_score(-1.0 - static_cast<double>(pack));
      journal.append("P36", 0, pack, scores);
    }
  }
  test::TemporaryFolder folder;
  std::filesystem::path file = folder / "journal.jsonl";
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_appended_is_found_now_and_after_opening_again) {
  const test::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  Scores first{{-12.5, -3.25, 9, 2, -4.5, 3}, {-0.0625, 0, 4, 0, -0.5, 1}};
  Scores second{{-1000.125, -1, 300, 1}};
  {
    Journal journal(file);
    BOOST_TEST(!journal.find("P36", 0, 0).has_value());
    journal.append("P36", 0, 0, first);
    BOOST_TEST(same(journal.find("P36", 0, 0).value(), first));
    journal.append("P36", 1, 0, second);  // writing goes on at the end after reading in the middle
    BOOST_TEST(same(journal.find("P36", 0, 0).value(), first));
    BOOST_TEST(same(journal.find("P36", 1, 0).value(), second));
  }
  Journal again(file);
  BOOST_TEST(same(again.find("P36", 0, 0).value(), first));
  BOOST_TEST(same(again.find("P36", 1, 0).value(), second));
  BOOST_TEST(!again.find("P36", 0, 1).has_value());
  BOOST_TEST(!again.find("P19", 0, 0).has_value());
}

BOOST_AUTO_TEST_CASE(a_line_is_what_the_header_promises) {
  const test::TemporaryFolder folder;
  Journal journal(folder / "journal.jsonl");
  Scores scores{{-1.5, -0.25, 5, 1, -0.75, 2}};
  journal.append("P36", 2, 7, scores);
  BOOST_TEST(slurp(folder / "journal.jsonl") ==
             R"({"relation":"P36","block":2,"pack":7,)"
             R"("scores":[[-1.5000000000,-0.2500000000,5,1,-0.7500000000,2]]})"
             "\n");
}

BOOST_AUTO_TEST_CASE(appending_rounds_to_the_numbers_that_find_returns) {
  const test::TemporaryFolder folder;
  Journal journal(folder / "journal.jsonl");
  Scores scores{{-1.0 / 3, -2.0 / 7, 3, 1}, {-1e-12, -123456.123456789012, 2, 2}};
  const Scores exact = scores;
  journal.append("P36", 0, 0, scores);
  BOOST_TEST(scores[0].log_likelihood == -0.3333333333);
  BOOST_TEST(scores[0].answer_log_likelihood == -0.2857142857);
  BOOST_TEST(scores[1].log_likelihood == 0.0);
  BOOST_TEST(!same(scores, exact));
  BOOST_TEST(same(journal.find("P36", 0, 0).value(), scores));
  Journal again(folder / "journal.jsonl");
  BOOST_TEST(same(again.find("P36", 0, 0).value(), scores));
}

BOOST_AUTO_TEST_CASE(relations_may_have_any_name) {
  const test::TemporaryFolder folder;
  for (const char* name : {"\"quoted\\", "столица", "a b,{c}"}) {
    Scores scores = one_score(-2);
    Journal(folder / "journal.jsonl").append(name, 0, 0, scores);
  }
  Journal again(folder / "journal.jsonl");
  for (const char* name : {"\"quoted\\", "столица", "a b,{c}"}) {
    BOOST_TEST(again.find(name, 0, 0).has_value());
  }
}

BOOST_AUTO_TEST_CASE(finished_relations_keep_their_cost) {
  const test::TemporaryFolder folder;
  const std::uint64_t large = (std::uint64_t{1} << 40) + 1;
  {
    Journal journal(folder / "journal.jsonl");
    BOOST_TEST(!journal.done("P36").has_value());
    journal.mark_done("P36", {1, large, 3, 4});
    BOOST_TEST(journal.done("P36")->tree_nodes == 3U);
  }
  const auto cost = Journal(folder / "journal.jsonl").done("P36");
  BOOST_TEST(cost.has_value());
  BOOST_TEST(cost->statements == 1U);
  BOOST_TEST(cost->tokens_one_by_one == large);
  BOOST_TEST(cost->tree_nodes == 3U);
  BOOST_TEST(cost->tokens_fed == 4U);
}

// A process may die at any byte of a line.
BOOST_FIXTURE_TEST_CASE(a_torn_last_line_is_cut_off_wherever_it_broke, ThreePacks) {
  const std::string whole = slurp(file);
  const std::size_t two_lines = whole.find('\n', whole.find('\n') + 1) + 1;
  for (std::size_t size = two_lines; size < whole.size(); ++size) {
    folder.write("journal.jsonl", whole.substr(0, size));
    {
      Journal journal(file);
      BOOST_TEST(slurp(file).size() == two_lines);
      BOOST_TEST(journal.find("P36", 0, 1).has_value());
      BOOST_TEST(!journal.find("P36", 0, 2).has_value());
      Scores scores = one_score(-3);
      journal.append("P36", 0, 2, scores);
    }
    BOOST_TEST(slurp(file) == whole);
  }
}

BOOST_AUTO_TEST_CASE(a_journal_that_is_only_a_torn_line_becomes_empty) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("journal.jsonl", R"({"relation":"P3)");
  Journal journal(file);
  BOOST_TEST(slurp(file).empty());
}

BOOST_FIXTURE_TEST_CASE(a_damaged_earlier_line_is_refused_by_file_and_line, ThreePacks) {
  const std::string whole = slurp(file);
  const std::size_t begin = whole.find('\n') + 1;
  const std::size_t end = whole.find('\n', begin);
  for (const char* damage : {"", "not json", "[]", "{}", "null", R"({"relation":"P36"})",
                             R"({"relation":"P36","block":0,"pack":1})",
                             R"({"relation":"P36","block":0,"pack":1,"scores":[[-1,-1,2]]})",
                             R"({"relation":"P36","block":0,"pack":1,"scores":[[null,-1,2,1]]})",
                             R"({"relation":"P36","done":{"statements":1}})", "\xff\xfe"}) {
    folder.write("journal.jsonl", whole.substr(0, begin) + damage + whole.substr(end));
    BOOST_CHECK_EXCEPTION(Journal{file}, Error,
                          test::says(Fault::user, file.string() + ":2: is not a journal line"));
  }
}

BOOST_AUTO_TEST_CASE(scores_that_are_not_finite_are_refused_and_not_written) {
  const test::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  Journal journal(file);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), infinity, -infinity}) {
    Scores scores{{-1, -1, 2, 1}, {bad, -1, 2, 1}};
    BOOST_CHECK_EXCEPTION(journal.append("P36", 0, 0, scores), Error,
                          test::says(Fault::internal, "P36: the model gave a score"));
    Scores in_answer{{-1, bad, 2, 1}};
    BOOST_CHECK_EXCEPTION(journal.append("P36", 0, 0, in_answer), Error,
                          test::says(Fault::internal, "not finite"));
  }
  BOOST_TEST(slurp(file).empty());
  BOOST_TEST(!journal.find("P36", 0, 0).has_value());
  Scores sound = one_score(-1);
  journal.append("P36", 0, 0, sound);
  BOOST_TEST(same(journal.find("P36", 0, 0).value(), sound));
}

BOOST_AUTO_TEST_CASE(a_journal_that_cannot_be_opened_is_the_users_to_mend) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(Journal{folder / "absent/journal.jsonl"}, Error,
                        test::says(Fault::user, "cannot be written"));
}

BOOST_AUTO_TEST_SUITE_END()
