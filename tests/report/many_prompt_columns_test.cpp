// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_many_prompts.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(many_prompt_columns_suite)

namespace {

using Words = std::vector<std::string>;

Words headings(const ManyPromptResults& made, ColumnPlace besides) {
  Words all;
  for (const auto& column : many_prompt_columns(made)) {
    if (column.place == ColumnPlace::everywhere || column.place == besides) {
      all.push_back(column.heading);
    }
  }
  return all;
}

/// The results for answers that a model generated and for answers from a closed set.
ManyPromptResults both() {
  return many_prompt_results({test::small_zero_shot(), test::small_closed_set()},
                             test::small_options());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_terminal_and_a_page_have_columns_in_common) {
  const ManyPromptResults made = both();
  BOOST_TEST((headings(made, ColumnPlace::terminal) == Words{"setting", "facts", "prompts", "Acc@1",
                                                             "range", "SD", "Consist", "Overconf",
                                                             "max", "oracle", "ties"}));
  BOOST_TEST((headings(made, ColumnPlace::page) == Words{"Setting", "facts", "prompts", "Acc@1",
                                                         "range", "SD", "SD, closed form",
                                                         "Consist", "Overconf", "ties"}));
  const std::string words = meanings(many_prompt_columns(made));
  BOOST_TEST(test::in_order(
      words, {"Acc@1: ", "Range and SD: ", "Closed form: ", "Consist: ", "Overconf: ", "Ties: "}));
  BOOST_TEST(
      test::in_order(meanings(written_answer_columns()), {"One word: ", "Empty: ", "Cut: "}));
}

// Three of zero-shot's answers were cut off. For the other generated answers, this is unknown;
// options are not generated texts.
BOOST_AUTO_TEST_CASE(empty_and_cut_answers_are_counted_where_texts_were_written) {
  ManyPromptResults made = many_prompt_results(
      {test::small_zero_shot(), test::small_few_shot(), test::small_closed_set()},
      test::small_options());
  made.ways[1].empty = 7;
  const auto ways = written_ways(made);
  BOOST_TEST((ways == std::vector<const ManyPromptResult*>{&made.ways[0], &made.ways[1]}));
  const auto cells = [&](std::size_t way) {
    const Json row = json_of(written_answer_columns(), ways[way]);
    return std::vector<Json>{row.at("empty"), row.at("cut")};
  };
  BOOST_TEST((cells(0) == std::vector<Json>{0, 3}));
  BOOST_TEST((cells(1) == std::vector<Json>{7, nullptr}));
}

BOOST_AUTO_TEST_CASE(bias_columns_are_named_by_scoring_rule) {
  MeanBias mean;
  mean.single = 0.5;
  mean.multi = 0.25;
  mean.per_token.single = 0.125;
  mean.relations = 3;
  mean.excluded = 2;
  BOOST_TEST((json_of(mean_bias_columns(), mean) == Json{{"single", 0.5},
                                                         {"multi", 0.25},
                                                         {"single_per_token", 0.125},
                                                         {"multi_per_token", nullptr},
                                                         {"relations", 3},
                                                         {"relations_left_out", 2}}));
  RelationBias relation;
  relation.per_token.multi = 0.75;
  relation.templates = 4;
  relation.candidates = 9;
  BOOST_TEST((json_of(relation_bias_columns(), relation) == Json{{"templates", 4},
                                                                 {"candidates", 9},
                                                                 {"single", nullptr},
                                                                 {"multi", nullptr},
                                                                 {"single_per_token", nullptr},
                                                                 {"multi_per_token", 0.75}}));
}

BOOST_AUTO_TEST_CASE(what_no_way_of_asking_has_is_no_column) {
  BOOST_TEST(
      (headings(test::nothing_asked(), ColumnPlace::terminal) ==
       Words{"setting", "facts", "prompts", "Acc@1", "range", "SD", "Consist", "max", "oracle"}));
}

// A column added in this header appears in both tables, because the columns are not listed anywhere
// else.
BOOST_AUTO_TEST_CASE(a_column_that_is_added_is_on_the_terminal_and_on_the_page) {
  const ManyPromptResults made = test::small_many_prompts();
  auto columns = many_prompt_columns(made);
  columns.push_back({"samples", "samples", "Samples: of a prompt.",
                     [](const ManyPromptResult& way) { return way.samples; }});
  BOOST_TEST(test::holds(text_table(columns, made.ways), "  samples\n"));
  BOOST_TEST(test::holds(html_table(columns, made.ways), ">Samples<"));
  BOOST_TEST(meanings(columns).ends_with("Samples: of a prompt."));
}

BOOST_AUTO_TEST_CASE(ranks_of_the_true_token_have_a_row_for_each_vocabulary) {
  ManyPromptResults made = test::small_many_prompts();
  BOOST_TEST(way_ranks(made).empty());
  made.ways[0].ranks = TokenRankMetrics{{}, {}, 5, 1};
  made.ways[0].common_ranks = TokenRankMetrics{{}, {}, 3, 3};
  const auto rows = way_ranks(made);
  BOOST_REQUIRE(rows.size() == 2U);
  BOOST_TEST((rows[0].vocabulary == "whole" && rows[1].vocabulary == "common"));
  const std::string table = text_table(token_rank_columns(), rows);
  for (const char* heading : {"vocabulary", "left out", "Hit@1 ", "Hit@10", "Hit@100", "MRR"}) {
    BOOST_TEST(table.find(heading) != std::string::npos, heading);
  }
}

BOOST_AUTO_TEST_SUITE_END()
