// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_templates.hpp"

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

BOOST_AUTO_TEST_SUITE(many_prompt_templates)

namespace {

const ManyPromptResults& made() {
  static const ManyPromptResults results = test::small_many_prompts();
  return results;
}

}  // namespace

BOOST_AUTO_TEST_CASE(prompts_are_counted_and_compared) {
  const std::string html = prompts_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(
      html, {"over 2 relations", ">Prompts per fact<", ">Names per subject<", ">Lexical distance<",
             "data-v=\"5\"", "data-v=\"19\"", ">3.80<", ">1.20<", "data-v=\"6\"",
             ">" + with_decimals(*made().diversity.lexical_distance, 4) + "<"}));
}

BOOST_AUTO_TEST_CASE(styles_are_compared_within_a_way_of_asking) {
  const std::string table = styles_table(made());
  BOOST_TEST(in_order(row_of(table, "zero-shot"), {"0.250<small>", "0.667<small>", "-0.417<small>",
                                                   "data-v=\"3\"", "data-v=\"2\""}));
  BOOST_TEST(count_of(table, "<tr><td>") == 2U);  // the question setting has no sentences
  BOOST_TEST(styles_table(test::one_closed_set()).empty());
}

BOOST_AUTO_TEST_CASE(forms_are_compared_on_what_both_asked) {
  const std::string html = forms_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  const std::string table = forms_table(made());
  BOOST_TEST(in_order(row_of(table, "zero-shot"),
                      {"<bdi>zero-shot-question</bdi>", "0.667<small>", "0.583<small>",
                       "0.083<small>", "data-v=\"3\"", "1.000<small>", "1.000<small>"}));
  BOOST_TEST(holds(table, "Left out of <bdi>zero-shot</bdi>: 1 relation and 2 templates."));
  const ManyPromptResults alone =
      many_prompt_results({test::small_zero_shot()}, test::small_options());
  BOOST_TEST(forms_table(alone).empty());
  BOOST_TEST(holds(forms_section(alone), "Sentence templates and question templates"));
}

BOOST_AUTO_TEST_CASE(aliases_stand_against_labels) {
  const std::string html = aliases_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(count_of(html, "<tr><td>") == 2U);
  const std::string subjects = row_of(html, "zero-shot");
  BOOST_TEST(in_order(subjects, {"<td>subjects</td>", "1.000<small>", "<small>1 left out</small>",
                                 ">1.000<", "1.000<small>", ">1.000<", "data-v=\"1\"",
                                 "data-v=\"1\"", "data-v=\"0\"", "data-v=\"0\""}));
  const std::string objects = between(html, "<td>objects</td>", "</tr>");
  BOOST_TEST(in_order(objects, {"0.000<small>", ">0.000<", "0.500<small>", ">0.500<",
                                "data-v=\"1\"", "data-v=\"2\""}));
}

// The bias levels of the two templates are 0.1887 and 0, and that of their mean is 0.0456. Per
// token, the second candidate's weight is √(3/4) versus 1/4 under the first template and √(1/2)
// versus 1/2 under the second, so its probabilities are 0.776 and 0.586, and the levels are 0.2324
// and 0.0215.
BOOST_AUTO_TEST_CASE(bias_has_its_favoured_candidate) {
  const std::string html = bias_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(in_order(
      html, {">Single, sum<", ">Multi, sum<", ">Single, per token<", ">Multi, per token<",
             "Single: ", "Sum: ", "Per token (added by plumb): ", "<h3>By relation</h3>",
             ">Single, sum<", ">Multi, per token<", ">Favoured, sum<", ">Favoured, per token<"}));
  BOOST_TEST(in_order(row_of(html, "zero-shot"), {">0.094<", ">0.046<", ">0.127<", ">0.097<",
                                                  "data-v=\"1\"", "data-v=\"0\""}));
  BOOST_TEST(in_order(
      row_of(html, "P&lt;36&gt;"),
      {"<bdi>zero-shot</bdi>", "data-v=\"2\"", "data-v=\"2\"", ">0.094<", ">0.046<", ">0.127<",
       ">0.097<", "<bdi>&lt;Paris&gt;</bdi><small>mean probability 0.625</small>",
       "<bdi>[Y] is the capital of [X].</bdi><small>probability 0.750</small>",
       "<bdi>&lt;Paris&gt;</bdi><small>mean probability 0.681</small>",
       "<bdi>[Y] is the capital of [X].</bdi><small>probability 0.776</small>"}));
  BOOST_TEST(!holds(html, "4-template"));
}

BOOST_AUTO_TEST_CASE(a_relation_without_a_bias_has_dashes) {
  ManyPromptStudy study = test::small_zero_shot();
  study.content_free["P<36>"] = {};
  const std::string html = bias_section(many_prompt_results({study}, test::small_options()));
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(count_of(row_of(html, "P&lt;36&gt;"), "–") == 8U);
  BOOST_TEST(row_of(html, "zero-shot").ends_with("<td data-v=\"1\">1</td>"));  // left out
}

BOOST_AUTO_TEST_CASE(relations_have_their_best_and_worst_template) {
  const std::string html = prompted_relations_section(made());
  BOOST_TEST(test::markup_fault(html) == "");
  const std::string table = between(html, "<h3>Best and worst templates</h3>", "</table>");
  BOOST_TEST(count_of(table, "<tr><td>") == 5U);
  BOOST_TEST(in_order(row_of(table, "P19"),
                      {"<bdi>zero-shot</bdi>", "data-v=\"3\"", "data-v=\"15\"", "0.403<small>",
                       "1.000<small>", "data-v=\"1.00000000\"",
                       "<bdi>Where was [X] born? [Y].</bdi><small>1.000 [", "data-v=\"0.00000000\"",
                       "<bdi>[X], a &lt;b&gt;child&lt;/b&gt; of [Y].</bdi><small>0.000 ["}));
}

// P19 is less well known than the capitals: 0.403, 0.764 and 0.583, compared with 0.5 and 0.75.
BOOST_AUTO_TEST_CASE(relations_are_mapped_from_best_known_to_least) {
  const std::string map = relations_map(made());
  BOOST_TEST(in_order(
      map, {">zero-shot<", ">4-template<", ">zero-shot-question<", "<bdi>P&lt;36&gt;</bdi>",
            ">0.50<", ">0.75<", "<td>–</td>", "<bdi>P19</bdi>", ">0.40<", ">0.76<", ">0.58<"}));
  BOOST_TEST(relations_map(test::one_closed_set()).empty());
  BOOST_TEST(
      holds(prompted_relations_section(test::one_closed_set()), "<bdi>[X]&#39;s home: [Y].</bdi>"));
}

BOOST_AUTO_TEST_CASE(sections_without_anything_to_show_are_empty) {
  const ManyPromptResults closed = test::one_closed_set();
  BOOST_TEST(forms_section(closed).empty());
  BOOST_TEST(aliases_section(closed).empty());
  BOOST_TEST(bias_section(closed).empty());
  for (const ManyPromptResults& nothing : {test::nothing_asked(), ManyPromptResults{}}) {
    BOOST_TEST(prompts_section(nothing).empty());
    BOOST_TEST(forms_section(nothing).empty());
    BOOST_TEST(aliases_section(nothing).empty());
    BOOST_TEST(bias_section(nothing).empty());
    BOOST_TEST(prompted_relations_section(nothing).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
