// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_accuracy.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_many_prompts.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::row_of;

BOOST_AUTO_TEST_SUITE(many_prompt_accuracy)

namespace {

const ManyPromptResults& made() {
  static const ManyPromptResults results = test::small_many_prompts();
  return results;
}

/// One relation; each template is right about one of its two facts.
ManyPromptResults with_templates(std::size_t count) {
  PromptOutcomes table;
  table.add_relation("P1", test::templates(count));
  table.add_fact("a", test::marks(test::Marks(count, "1")));
  table.add_fact("b", test::marks(test::Marks(count, "0")));
  ManyPromptStudy study;
  study.answered.name = "x";
  study.answered.outcomes = table;
  study.kind = AnswerKind::option;
  return many_prompt_results({study}, test::small_options());
}

}  // namespace

BOOST_AUTO_TEST_CASE(cards_have_the_numbers_of_the_best_way_of_asking) {
  const std::string html = many_prompt_cards(made());
  BOOST_TEST(test::markup_fault(html) == "");
  const ManyPromptResult& best = made().ways[1];
  BOOST_TEST(in_order(html, {"Acc@1, 4-template", "<b>0.758</b>", "95%: ", "Range over samplings",
                             "<b>" + with_decimals(best.by_relation.range(), 3) + "</b>",
                             "SD " + with_decimals(*best.by_relation.sd, 4), "Consist", "Oracle",
                             "<b>1.000</b>", "Facts", "<b>5</b>", "19 prompts"}));
  BOOST_TEST(!holds(html, "Overconf"));  // no confidences were recorded
  BOOST_TEST(in_order(many_prompt_cards(test::one_closed_set()),
                      {"<b>0.500</b>", "Overconf", "<b>0.100</b>"}));
}

BOOST_AUTO_TEST_CASE(the_overview_has_a_row_for_each_way_of_asking) {
  const std::string html = overview_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(html, {">Setting<", ">Facts<", ">Prompts<", ">Acc@1<", ">Range<", ">SD<",
                             ">SD, closed form<", ">Consist<", ">Overconf<"}));
  const SampledAccuracy& sampled = made().ways[0].by_relation;
  BOOST_TEST(in_order(row_of(html, "zero-shot"), {"data-v=\"5\"", "data-v=\"19\"", "0.442<small>",
                                                  ">" + with_decimals(sampled.range(), 3) + "<",
                                                  ">" + with_decimals(*sampled.sd, 4) + "<",
                                                  ">0.2448<", "0.626<small>", "0.317<small>"}));
  BOOST_TEST(in_order(row_of(html, "4-template"), {"0.758<small>", "<td data-v=\"-1\">–</td>"}));
  BOOST_TEST(in_order(
      html, {"over 400 samplings", "one template is drawn for every relation", "Overconf: mean"}));
}

// One of zero-shot's answers contains no word, and three were cut off; for 4-template's answers,
// this is unknown.
BOOST_AUTO_TEST_CASE(written_answers_have_a_table_of_their_own) {
  const ManyPromptResults results = made();
  const std::string html = written_answers_section(results);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(
      in_order(html, {">Setting<", ">One word, facts<", ">One word, prompts<", ">Without a word<",
                      ">Empty<", ">Cut<", "One word: the share of answers that are one word",
                      "share of all prompts", "Empty: ", "Cut: "}));
  BOOST_TEST(in_order(row_of(html, "zero-shot"), {"1.000<small>", ">1.000<", ">1<", ">0<", ">3<"}));
  BOOST_TEST(in_order(row_of(html, "4-template"), {">0<", "<td data-v=\"-1\">–</td>"}));
  BOOST_TEST(written_answers_section(test::one_closed_set()) == "");
}

BOOST_AUTO_TEST_CASE(the_overview_goes_by_the_headlines_way_of_sampling) {
  ManyPromptResults results = test::small_many_prompts();
  results.options.by = SampleBy::fact;
  const std::string html = overview_section(results);
  BOOST_TEST(holds(row_of(html, "zero-shot"), ">0.1681<"));
  BOOST_TEST(holds(html, "one prompt is drawn for every fact"));
}

BOOST_AUTO_TEST_CASE(columns_that_no_way_of_asking_has_are_not_there) {
  const std::string closed = overview_section(test::one_closed_set());
  BOOST_TEST(holds(closed, ">Overconf<"));
  const std::string few =
      overview_section(many_prompt_results({test::small_few_shot()}, test::small_options()));
  BOOST_TEST(!holds(few, "Overconf"));
}

BOOST_AUTO_TEST_CASE(samplings_are_drawn_and_written_both_ways) {
  const std::string html = samplings_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(count_of(html, "class=\"box\"") == 6U);
  BOOST_TEST(count_of(html, "<tr><td>") == 6U);
  BOOST_TEST(in_order(html, {">zero-shot</text>", ">by relation</text>", ">0.442 ± 0.2448</text>",
                             ">zero-shot</text>", ">by fact</text>", ">0.442 ± 0.1681</text>",
                             ">zero-shot-question</text>"}));
  const SampledAccuracy& sampled = made().ways[0].by_relation;
  BOOST_TEST(in_order(row_of(html, "zero-shot"),
                      {"<td>relation</td>", ">" + with_decimals(sampled.mean, 4) + "<", ">0.4417<",
                       ">" + with_decimals(*sampled.sd, 4) + "<", ">0.2448<",
                       ">" + with_decimals(sampled.low(), 3) + "<",
                       ">" + with_decimals(sampled.quantile(0.025), 3) + "<",
                       ">" + with_decimals(sampled.quantile(0.975), 3) + "<",
                       ">" + with_decimals(sampled.high(), 3) + "<",
                       ">" + with_decimals(sampled.range(), 3) + "<"}));
}

BOOST_AUTO_TEST_CASE(the_line_of_a_sampling_stays_within_zero_and_one) {
  const HistogramRow row = sampling_row(made().ways[1], made().ways[1].by_relation);
  BOOST_TEST(row.span.first > 0);
  BOOST_TEST(row.span.second == 1);
  double drawn = 0;
  for (const HistogramBar& bar : row.bars) drawn += bar.height;
  BOOST_TEST(drawn == 400);
}

BOOST_AUTO_TEST_CASE(without_samplings_there_are_closed_forms_alone) {
  ManyPromptOptions options = test::small_options();
  options.samplings = 0;
  const ManyPromptResults results = many_prompt_results({test::small_zero_shot()}, options);
  BOOST_TEST(samplings_section(results).empty());
  BOOST_TEST(!holds(many_prompt_cards(results), "Range"));
  BOOST_TEST(in_order(row_of(overview_section(results), "zero-shot"),
                      {"0.442<small>", ">–<", ">–<", ">0.2448<"}));
}

BOOST_AUTO_TEST_CASE(coverage_has_a_curve_and_a_row_for_each_way_of_asking) {
  const std::string html = coverage_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(html, {">prompts</text>", "1 prompt: 0.442", "8 prompts: 0.800", ">Minimum<",
                             ">Average<", ">Maximum<", ">Oracle<"}));
  BOOST_TEST(in_order(row_of(html, "zero-shot"), {"0.200<small>", "0.442<small>", "0.800<small>",
                                                  "0.800<small>", "data-v=\"0\""}));
  // This setting has no prompts about capitals.
  BOOST_TEST(row_of(html, "zero-shot-question").ends_with("<td data-v=\"2\">2</td>"));
}

BOOST_AUTO_TEST_CASE(many_prompts_are_drawn_by_their_logarithm) {
  BOOST_TEST(holds(coverage_chart(with_templates(20)), ">prompts</text>"));
  const std::string wide = coverage_chart(with_templates(21));
  BOOST_TEST(in_order(wide, {">1</text>", ">2</text>", ">5</text>", ">10</text>", ">20</text>",
                             ">prompts, on a logarithmic scale</text>"}));
  BOOST_TEST(holds(wide, "<title>10 prompts: 0.500</title>"));
  BOOST_TEST(holds(wide, "<title>21 prompts: 0.500</title>"));
  BOOST_TEST(!holds(wide, "nan"));
  BOOST_TEST(coverage_chart(with_templates(1)).empty());  // a single point is not a curve
  BOOST_TEST(holds(coverage_section(with_templates(1)), ">Oracle<"));
}

BOOST_AUTO_TEST_CASE(sections_without_anything_to_show_are_empty) {
  for (const ManyPromptResults& nothing : {test::nothing_asked(), ManyPromptResults{}}) {
    BOOST_TEST(many_prompt_cards(nothing).empty());
    BOOST_TEST(overview_section(nothing).empty());
    BOOST_TEST(samplings_section(nothing).empty());
    BOOST_TEST(coverage_section(nothing).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
