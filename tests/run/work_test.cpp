// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/work.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(work)

namespace {

using State = std::tuple<std::string, std::size_t, std::size_t, std::size_t, std::string>;

struct Seen {
  ProgressCallback look() {
    return [this](const WorkState& s) {
      states.emplace_back(s.counted, s.done, s.fresh, s.total, s.at);
    };
  }
  std::vector<State> states;
};

const std::vector<PackCost> three_packs{{2, 20}, {3, 30}, {1, 10}};

/// The packs of one part; each row is its pack's number. Counts the evaluated packs and stores the
/// rows it receives.
struct Numbers {
  void go(Part& part, const std::vector<PackCost>& packs = three_packs) {
    part.generate_rows(
        packs,
        [&](std::size_t p) {
          ++evaluated;
          return "[" + std::to_string(p) + "]";
        },
        [&](std::size_t p, const Json& rows) {
          taken.push_back(10 * p + rows.at(0).get<std::size_t>());
        });
  }
  std::size_t evaluated = 0;
  std::vector<std::size_t> taken;
};

}  // namespace

BOOST_AUTO_TEST_CASE(packs_run_in_order_and_progress_is_reported_after_each) {
  const TemporaryFolder folder;
  Seen seen;
  Work work(folder / "journal.jsonl", {seen.look(), {}});
  work.begin("items", 6);
  Part part(work, "P36", "of P36");
  Numbers numbers;
  numbers.go(part);
  BOOST_TEST(numbers.evaluated == 3U);
  BOOST_TEST((numbers.taken == std::vector<std::size_t>{0, 11, 22}));
  BOOST_CHECK((seen.states == std::vector<State>{{"items", 0, 0, 6, ""},
                                                 {"items", 2, 2, 6, "of P36"},
                                                 {"items", 5, 5, 6, "of P36"},
                                                 {"items", 6, 6, 6, "of P36"}}));
  BOOST_TEST(work.summary().fresh_statements == 60U);
}

BOOST_AUTO_TEST_CASE(a_pack_that_is_no_json_on_one_line_is_refused_and_not_written) {
  const TemporaryFolder folder;
  Work work(folder / "journal.jsonl");
  Part part(work, "P36");
  for (const char* text : {"no JSON", "[1", "[1]\n", "[1,\n2]", ""}) {
    BOOST_CHECK_EXCEPTION(part.generate_rows(
                              three_packs, [&](std::size_t) { return std::string(text); },
                              [](std::size_t, const Json&) {}),
                          Error,
                          says(Fault::internal,
                               "P36: pack 0 is not JSON on one line; fix the function that "
                               "evaluates"));
  }
  BOOST_TEST(slurp(folder / "journal.jsonl").empty());
}

// The journal is cut after each of its lines in turn; the rows are the same, and only the remaining
// packs are evaluated.
BOOST_AUTO_TEST_CASE(packs_in_the_journal_are_not_evaluated_again) {
  const TemporaryFolder folder;
  const auto journal = folder / "journal.jsonl";
  {
    Work work(journal);
    Part part(work, "P36");
    Numbers().go(part);
  }
  const std::string text = slurp(journal);
  std::size_t end = 0;
  for (std::size_t packs = 0; packs <= 3; ++packs) {
    folder.write("journal.jsonl", text.substr(0, end));
    Seen seen;
    Work work(journal, {seen.look(), {}});
    work.begin("items", 6);
    Part part(work, "P36");
    Numbers numbers;
    numbers.go(part);
    BOOST_TEST(numbers.evaluated == 3 - packs);
    BOOST_TEST((numbers.taken == std::vector<std::size_t>{0, 11, 22}));
    const std::vector<std::size_t> statements{60, 40, 10, 0}, items{6, 4, 1, 0};
    BOOST_TEST(work.summary().fresh_statements == statements[packs]);
    BOOST_CHECK((seen.states.back() == State("items", 6, items[packs], 6, "")));
    BOOST_TEST(slurp(journal) == text);
    end = text.find('\n', end) + 1;
  }
}

BOOST_AUTO_TEST_CASE(a_parts_packs_are_numbered_through_all_its_calls) {
  const TemporaryFolder folder;
  for (const std::size_t evaluated : {6U, 0U}) {
    Work work(folder / "journal.jsonl");
    Numbers numbers;
    Part first(work, "P36"), second(work, "P30");
    numbers.go(first, {{1, 1}, {1, 1}});
    numbers.go(second, {{1, 1}});
    numbers.go(first, three_packs);
    BOOST_TEST(numbers.evaluated == evaluated);
    BOOST_TEST((numbers.taken == std::vector<std::size_t>{0, 11, 0, 0, 11, 22}));
  }
  Journal journal(folder / "journal.jsonl");
  BOOST_TEST(journal.find("P36", 4).has_value());
  BOOST_TEST(!journal.find("P36", 5).has_value());
  BOOST_TEST(!journal.find("P30", 1).has_value());
}

BOOST_AUTO_TEST_CASE(a_part_may_be_restarted) {
  const TemporaryFolder folder;
  const auto evaluated = [&](bool anew, std::vector<PackCost> packs = three_packs) {
    Work work(folder / "journal.jsonl");
    Part part(work, "entities");
    if (anew) part.restart_part();
    Numbers numbers;
    numbers.go(part, packs);
    return numbers.evaluated;
  };
  BOOST_TEST(evaluated(false) == 3U);
  BOOST_TEST(evaluated(true, {{1, 1}}) == 1U);
  // Packs finished before the restart count as unfinished.
  BOOST_TEST(evaluated(false) == 2U);
  BOOST_TEST(evaluated(false) == 0U);
}

// Items counted while a pack is being evaluated are not counted again afterwards.
BOOST_AUTO_TEST_CASE(items_may_be_counted_while_a_pack_is_evaluated) {
  const TemporaryFolder folder;
  Seen seen;
  Work work(folder / "journal.jsonl", {seen.look(), {}});
  work.begin("queries", 3);
  Part part(work, "likelihood");
  const std::vector<PackCost> packs{{3, 3}};
  part.generate_rows(
      packs,
      [&](std::size_t) {
        part.step();
        part.step();
        return "[]";
      },
      [](std::size_t, const Json&) {});
  BOOST_CHECK((seen.states == std::vector<State>{{"queries", 0, 0, 3, ""},
                                                 {"queries", 1, 1, 3, ""},
                                                 {"queries", 2, 2, 3, ""},
                                                 {"queries", 3, 3, 3, ""}}));
}

BOOST_AUTO_TEST_CASE(a_request_to_stop_is_heard_between_packs_and_nothing_is_lost) {
  const TemporaryFolder folder;
  {
    std::size_t asked = 0;
    Work work(folder / "journal.jsonl", {{}, [&] { return ++asked == 3; }});
    Part part(work, "P36");
    Numbers numbers;
    BOOST_CHECK_THROW(numbers.go(part), Stopped);
    BOOST_TEST(numbers.evaluated == 2U);
  }
  Work work(folder / "journal.jsonl");
  Part part(work, "P36");
  Numbers numbers;
  numbers.go(part);
  BOOST_TEST(numbers.evaluated == 1U);
}

BOOST_AUTO_TEST_CASE(what_breaks_in_a_pack_is_not_written_down) {
  const TemporaryFolder folder;
  Work work(folder / "journal.jsonl");
  Part part(work, "P36");
  BOOST_CHECK_THROW(
      part.generate_rows(
          three_packs, [](std::size_t) -> std::string { throw std::runtime_error("of the model"); },
          [](std::size_t, const Json&) {}),
      std::runtime_error);
  BOOST_TEST(slurp(folder / "journal.jsonl").empty());
}

BOOST_AUTO_TEST_CASE(time_is_that_of_evaluating_by_part) {
  const auto wait_for_a_tick = [](std::size_t) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() == start) {
    }
    return "[]";
  };
  const TemporaryFolder folder;
  Work work(folder / "journal.jsonl");
  BOOST_TEST(work.summary().seconds_model == 0.0);
  BOOST_TEST(work.summary().seconds_by_part.empty());
  const auto go = [&](const char* name) {
    Part part(work, name);
    part.generate_rows(three_packs, wait_for_a_tick, [](std::size_t, const Json&) {});
  };
  go("queries");
  const double once = work.summary().seconds_by_part.at("queries");
  BOOST_TEST(once > 0.0);
  BOOST_TEST(work.summary().seconds_model == once);
  go("entities");
  BOOST_TEST(work.summary().seconds_by_part.size() == 2U);
  const double sum = once + work.summary().seconds_by_part.at("entities");
  BOOST_TEST(std::abs(work.summary().seconds_model - sum) < 1e-12);
  go("queries");  // from the journal
  BOOST_TEST(work.summary().seconds_by_part.at("queries") == once);
}

BOOST_AUTO_TEST_CASE(costs_add_up_and_what_is_done_is_known_afterwards) {
  const TemporaryFolder folder;
  {
    Work work(folder / "journal.jsonl");
    Part part(work, "P36");
    BOOST_TEST(!part.done());
    part.finish({8, 90, 40, 50});
    BOOST_TEST(work.summary().cost.tokens_fed == 50U);
  }
  Seen seen;
  Work work(folder / "journal.jsonl", {seen.look(), {}});
  work.begin("statements", 9);
  Part part(work, "P36", "P36");
  BOOST_REQUIRE(part.done().has_value());
  BOOST_TEST(part.done()->tokens_one_by_one == 90U);
  BOOST_TEST(!Part(work, "P30").done());
  part.skip(*part.done());
  BOOST_CHECK((seen.states.back() == State("statements", 8, 0, 9, "P36")));
  Part(work, "P30").finish({1, 2, 3, 4});
  BOOST_TEST(work.summary().cost.statements == 9U);
  BOOST_TEST(work.summary().cost.tokens_one_by_one == 92U);
  BOOST_TEST(work.summary().cost.tree_nodes == 43U);
  BOOST_TEST(work.summary().cost.tokens_fed == 54U);
  BOOST_TEST(work.summary().fresh_statements == 0U);
}

BOOST_AUTO_TEST_CASE(progress_counter_restarts_for_each_kind_of_item) {
  const TemporaryFolder folder;
  Seen seen;
  Work work(folder / "journal.jsonl", {seen.look(), {}});
  work.begin("queries", 2);
  work.advance(2, 1);
  work.begin("entities", 5);
  work.advance(1, 0, "P36");
  BOOST_CHECK((seen.states == std::vector<State>{{"queries", 0, 0, 2, ""},
                                                 {"queries", 2, 1, 2, ""},
                                                 {"entities", 0, 0, 5, ""},
                                                 {"entities", 1, 0, 5, "P36"}}));
  Work alone(folder / "other.jsonl");  // no observer
  alone.begin("queries", 2);
  alone.advance(2, 1);
}

BOOST_AUTO_TEST_CASE(rows_that_are_another_jobs_are_refused_by_file_part_and_pack) {
  const TemporaryFolder folder;
  Work work(folder / "journal.jsonl");
  Part part(work, "P36");
  const auto refuse_second = [&](std::size_t p, const Json&) {
    if (p == 1) throw part.other_job();
  };
  BOOST_CHECK_EXCEPTION(
      part.generate_rows(
          three_packs, [](std::size_t) { return "[]"; }, refuse_second),
      Error,
      says(Fault::user,
           "journal.jsonl: P36: the journal's pack 1 does not belong to this job; it was "
           "written by another build; start again in another folder"));
}

// The weights 4, 1, 1, 4, 1 are divided between two shards: 4 goes to the first, 1 and 1 to the
// second, then 4 to the second and 1 to the first.
BOOST_AUTO_TEST_CASE(a_shard_evaluates_and_takes_its_packs_alone) {
  const TemporaryFolder folder;
  const std::vector<PackCost> packs{{1, 1, 4}, {1, 1, 1}, {1, 1, 1}, {1, 1, 4}, {1, 1, 1}};
  const std::vector<std::vector<std::size_t>> hands{{0, 44}, {11, 22, 33}};
  std::vector<DiskPath> folders;
  for (const std::size_t index : {0U, 1U}) {
    folders.push_back(folder / std::to_string(index));
    std::filesystem::create_directory(folders.back().path());
    Seen seen;
    WorkOptions options{seen.look()};
    options.shard = {index, 2};
    Work work(folders.back() / "journal.jsonl", options);
    Part part(work, "P36");
    Numbers numbers;
    numbers.go(part, packs);
    BOOST_TEST(numbers.taken == hands[index], boost::test_tools::per_element());
    BOOST_TEST(numbers.evaluated == hands[index].size());
    BOOST_TEST(!part.is_whole());
    // other shards' packs count as done, but not as fresh
    BOOST_TEST(std::get<1>(seen.states.back()) == 5U);
    BOOST_TEST(std::get<2>(seen.states.back()) == hands[index].size());
    Part other(work, "P30");  // has no packs, so nothing is missing
    Numbers().go(other, {});
    BOOST_TEST(other.is_whole());
  }
  WorkOptions merging;
  merging.shards = folders;
  merging.before.seconds_model = 2.5;
  Work work(folder / "journal.jsonl", merging);
  Part part(work, "P36");
  Numbers numbers;
  numbers.go(part, packs);
  BOOST_TEST(numbers.evaluated == 0U);
  BOOST_TEST(numbers.taken == (std::vector<std::size_t>{0, 11, 22, 33, 44}),
             boost::test_tools::per_element());
  BOOST_TEST(part.is_whole());
  BOOST_TEST(work.summary().seconds_model == 2.5);
  BOOST_CHECK_EXCEPTION(
      numbers.go(part, {{1, 1, 1}}), Error,
      says(Fault::user,
           "/journal.jsonl: P36: has no pack 5, which was assigned to this shard; "
           "resume the shard"));
}

// The checksums are correct, but the lines were written by another build.
BOOST_AUTO_TEST_CASE(rows_of_another_shape_are_refused_as_another_jobs) {
  const TemporaryFolder folder;
  const auto journal = folder / "journal.jsonl";
  {
    Journal made(journal);
    made.append("P36", 0, R"({"rows": []})");
    made.append("P30", 0, R"(["text"])");
    made.mark_done("P37", Json{{"statements", "many"}});
    made.mark_done("P38", Json{5});
  }
  Work work(journal);
  for (const char* name : {"P36", "P30"}) {
    Part part(work, name);
    Numbers numbers;
    BOOST_CHECK_EXCEPTION(numbers.go(part), Error,
                          says(Fault::user, std::string(name) + ": the journal's pack 0 does not"));
    BOOST_TEST(numbers.evaluated == 0U);
  }
  for (const char* name : {"P37", "P38"}) {
    const Part part(work, name);
    BOOST_CHECK_EXCEPTION((void)part.done(), Error,
                          says(Fault::user, "does not belong to this job"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
