// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/generation_lists.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "plumb/detail/records/results_kind.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(generation_lists_suite)

namespace {

/// A run with one relation and two facts; the second fact's answer is seven tokens long.
struct Lists : test::TemporaryFolder {
  Lists() {
    write("asked/facts.jsonl",
          "{\"relation\": \"P190\", \"sub_id\": \"test-1\", \"sub_label\": \"Elek\", \"objects\": "
          "[{\"obj_id\": \"Q1\", \"obj_label\": \"Sebiș\", \"obj_aliases\": [\"Sebis\"]}, "
          "{\"obj_id\": \"Q2\", \"obj_label\": \"Kiel\"}]}\n"
          "{\"relation\": \"P190\", \"sub_id\": \"test-2\", \"sub_label\": \"Elek\", \"objects\": "
          "[{\"obj_id\": \"Q2\", \"obj_label\": \"Kiel\"}]}\n");
    write(
        "asked/templates.jsonl",
        "{\"relation\": \"P190\", \"template\": \"Twins of [X]? [Y]\", \"style\": \"question\"}\n");
    write("0-kamel_answers.jsonl", row(0, " sebis; Kiel ", 4) + row(1, " ; ", 7));
    metadata("lists");
  }
  [[nodiscard]] static std::string row(std::uint32_t fact, const std::string& text,
                                       std::uint32_t tokens) {
    return row_line(RecordedAnswer{"P190", {fact, 0, 0}, "Elek", text, tokens, -1, 0});
  }
  void metadata(const std::string& answers) const {
    write("metadata_generate.json", Json{{"settings", {"0-kamel"}},
                                         {"answers", answers},
                                         {"max_new_tokens", 7},
                                         {"rows", {{"0-kamel_answers.jsonl", 2}}},
                                         {"remarks", {"said"}}}
                                        .dump());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(each_row_is_scored_with_its_own_facts_names, Lists) {
  BOOST_TEST((results_kind(path()) == ResultsKind::lists));
  const ListRun run = read_list_run(path());
  BOOST_TEST(run.setting == "0-kamel");
  BOOST_TEST(run.remarks == std::vector<std::string>{"said"});
  BOOST_REQUIRE(run.relations.size() == 1U);
  BOOST_REQUIRE(run.relations[0].size() == 2U);
  const RecordedList& first = run.relations[0][0];
  BOOST_TEST(first.with_aliases.f1 == 1.0);
  BOOST_TEST(first.main_label.f1 == 0.5);
  BOOST_TEST(first.script.precision == 0.5);  // {"sebis", " kiel "}
  BOOST_TEST(!first.cut);
  BOOST_TEST(!first.empty);
  const RecordedList& second = run.relations[0][1];
  BOOST_TEST(second.cut);
  BOOST_TEST(second.empty);
  BOOST_TEST(second.with_aliases.recall == 0.0);
}

// The published scripts keep the trailing space of " Kiel " if a "%" follows it, and remove it if
// the answer was cut off.
BOOST_AUTO_TEST_CASE(the_scripts_trim_an_answer_that_was_cut) {
  const ObjectNames kiel{{"Kiel"}};
  BOOST_TEST(recorded_list(0, " Kiel ", kiel, false).script.recall == 0.0);
  BOOST_TEST(recorded_list(0, " Kiel ", kiel, true).script.recall == 1.0);
}

BOOST_FIXTURE_TEST_CASE(other_and_damaged_folders_are_refused, Lists) {
  BOOST_CHECK_EXCEPTION((void)read_generation(path(), SameWord{}), Error,
                        says(Fault::user, "is a run with `form` kamel, whose answers are lists"));
  write("0-kamel_answers.jsonl", row(0, "Kiel", 1) + row(2, "Kiel", 1));
  BOOST_CHECK_EXCEPTION(
      (void)read_list_run(path()), Error,
      says(Fault::user, "answers.jsonl:2: fact: is not among the facts that were asked"));
  write("0-kamel_answers.jsonl", row(0, "Kiel", 1));
  BOOST_CHECK_EXCEPTION((void)read_list_run(path()), Error,
                        says(Fault::user, "has 1 of its 2 rows"));
  write("0-kamel_answers.jsonl", row(0, "Kiel", 1) + row(1, "Kiel", 1));
  metadata("texts");
  BOOST_TEST((results_kind(path()) == ResultsKind::generation));
  BOOST_CHECK_EXCEPTION(
      (void)read_list_run(path()), Error,
      says(Fault::user, "contains no lists of answers; generate with `form` kamel"));
}

BOOST_AUTO_TEST_SUITE_END()
