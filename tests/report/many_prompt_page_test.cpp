// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_page.hpp"

// The contents of the sections are checked in the tests of the sections' headers.

#include <boost/test/unit_test.hpp>
#include <string>

#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/whole_page.hpp"
#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_many_prompts.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;

BOOST_AUTO_TEST_SUITE(many_prompt_page_html)

namespace {

std::string page_of(const ManyPromptResults& made, const Json& settings = Json::object(),
                    const std::string& title = "m.gguf on small") {
  const std::string html =
      whole_page({title, asked_in_words(made),
                  RunRecord{.settings = settings}.with_warnings(made.remarks), settings},
                 many_prompt_sections(made));
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "nan"));
  BOOST_TEST(!holds(html, "inf"));
  return html;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_page_fetches_nothing_and_has_its_sections_in_order) {
  const std::string html = page_of(test::small_many_prompts(), {{"samples", 20}});
  for (const char* word : {"http", "src=", "url(", "@import"}) BOOST_TEST(!holds(html, word));
  BOOST_TEST(between(html, "<title>", "</title>") == "m.gguf on small");
  BOOST_TEST(in_order(
      html,
      {"<h1>", "class=\"note\"", "class=\"cards\"",
       "<h2>Accuracy over all prompts, and what it depends on</h2>",
       "<h2>Accuracy over samplings of prompts</h2>", "<h2>Does confidence match accuracy?</h2>",
       "<h2>Overconf by answer length</h2>", "<h2>Facts known, by number of prompts</h2>",
       "<h2>Shared knowledge</h2>", "<h2>Do a fact's prompts agree?</h2>", "<h2>The prompts</h2>",
       "<h2>Sentences against questions</h2>", "<h2>Aliases against labels</h2>",
       "<h2>Bias of the prompts without a subject</h2>",
       "<h2>Relations with their best and worst templates</h2>",
       "<h2>Answers that name several objects</h2>", "<h2>Settings</h2>"}));
  BOOST_TEST(holds(html, "<tr><td>samples</td><td><bdi>20</bdi></td></tr>"));
}

BOOST_AUTO_TEST_CASE(warnings_come_first) {
  const ManyPromptResults made = test::small_many_prompts();
  const std::string html = page_of(made);
  BOOST_TEST(count_of(html, "class=\"note\"") == made.remarks.size());
  BOOST_TEST(!holds(html, "Quantised"));
  const std::string quantised = page_of(made, {{"quantized", true}, {"weights", "Q4_1"}});
  BOOST_TEST(in_order(quantised, {"Quantised weights (Q4_1)", "class=\"cards\""}));
}

BOOST_AUTO_TEST_CASE(page_explains_when_an_answer_is_right) {
  const std::string generated = page_of(test::small_many_prompts());
  BOOST_TEST(holds(generated, "A generated answer is right if it contains a name of an object"));
  BOOST_TEST(!holds(generated, "An answer to a closed set"));
  const std::string closed = page_of(test::one_closed_set());
  BOOST_TEST(holds(closed,
                   "An answer to a closed set is right if the true option is the single "
                   "likeliest.</p>"));
  BOOST_TEST(!holds(closed, "A generated answer"));
}

BOOST_AUTO_TEST_CASE(a_single_closed_set_has_what_it_can_have) {
  const std::string html = page_of(test::one_closed_set());
  BOOST_TEST(in_order(html, {"class=\"cards\"", "<h2>Accuracy over all", "<h2>Accuracy over sampl",
                             "<h2>Does confidence", "<h2>Facts known", "<h2>Do a fact",
                             "<h2>The prompts", "<h2>Relations"}));
  for (const char* word : {"<h2>Overconf by", "<h2>Shared", "<h2>Sentences", "<h2>Aliases",
                           "<h2>Bias of", "<h2>Answers", "<h2>Settings", "One word"}) {
    BOOST_TEST(!holds(html, word), word);
  }
}

BOOST_AUTO_TEST_CASE(generations_and_closed_sets_stand_side_by_side) {
  const std::string html = page_of(many_prompt_results(
      {test::small_zero_shot(), test::small_closed_set()}, test::small_options()));
  // The two settings have no template in common, so neither relation is shared.
  BOOST_TEST(holds(html, ": 2 relations"));
  BOOST_TEST(holds(html, "<bdi>[X] hails from [Y].</bdi>"));
}

BOOST_AUTO_TEST_CASE(a_page_of_nothing_is_well_formed) {
  const std::string html = page_of(test::nothing_asked());
  BOOST_TEST(count_of(html, "<h2>") == 0U);
  BOOST_TEST(count_of(page_of(ManyPromptResults{}), "<h2>") == 0U);
}

BOOST_AUTO_TEST_CASE(every_label_is_escaped) {
  ManyPromptResults made = test::small_many_prompts();
  const std::string bad = "<u>&\"'";
  const auto spoil = [&](std::string& text) { text = bad + text; };
  for (ManyPromptResult& way : made.ways) {
    spoil(way.name);
    for (PromptedRelation& relation : way.relations) {
      for (PromptTemplate& one : relation.texts) spoil(one.text);
      spoil(relation.code);
    }
    for (AnswerOfSeveral& one : way.of_several) {
      for (std::string* text : {&one.relation, &one.subject, &one.answer}) spoil(*text);
    }
  }
  for (FormPair& pair : made.forms) {
    spoil(pair.mask);
    spoil(pair.question);
  }
  for (std::string& remark : made.remarks) spoil(remark);
  made.candidates[bad + "P<36>"] = {bad, bad};
  const std::string html =
      page_of(made, {{bad, bad}, {"quantized", true}, {"weights", bad}}, bad + "title");
  for (const char* tag : {"<u>", "<b>child", "<Paris>", "<Ann>", "<Lyon>", "P<36>"}) {
    BOOST_TEST(!holds(html, tag), tag);
  }
  BOOST_TEST(holds(html, "&lt;u&gt;&amp;&quot;&#39;zero-shot"));
}

BOOST_AUTO_TEST_SUITE_END()
