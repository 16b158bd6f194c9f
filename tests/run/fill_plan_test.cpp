// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/fill_plan.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::says;
using test::WordMaskModel;

BOOST_AUTO_TEST_SUITE(fill_plan_suite)

namespace {

using Named = LeftOutOfFilling::Named;

FillPlan plan_of(const std::vector<std::string>& codes = {}, std::size_t limit = 0,
                 std::size_t masks = 1, const MultiPromptDataset& dataset = elements_many()) {
  const WordMaskModel model(elements_many());
  GapWords words(model);
  return fill_plan(words, dataset, codes, limit, masks);
}

}  // namespace

// "noble gas", "inert gas" and "rare gas" consist of two words each, so neon and argon have no
// prompts.
BOOST_AUTO_TEST_CASE(facts_objects_and_names_of_several_tokens_are_left_out_and_listed) {
  const FillPlan plan = plan_of();
  BOOST_TEST(plan.dataset.relations.size() == 3U);
  BOOST_TEST(plan.dataset.relations[2].facts.size() == 1U);
  BOOST_TEST(plan.dataset.relations[2].facts[0].subject.names[0] == "gold");
  BOOST_TEST((plan.left_out.facts == Named{{"family", "neon"}, {"family", "argon"}}));
  BOOST_TEST((plan.left_out.objects == Named{{"family", "noble gas"}}));
  BOOST_TEST((plan.left_out.names ==
              Named{{"family", "noble gas"}, {"family", "inert gas"}, {"family", "rare gas"}}));
  BOOST_TEST(plan.left_out.prompts == 0U);
  // There are 6 facts and an alias under 4 templates, 4 facts and an alias under 3 templates, and
  // one fact under 2.
  BOOST_TEST(plan.prompts.prompts.size() == 28U + 15U + 2U);
  BOOST_TEST(plan.prompts.ends.size() == 3U);
  BOOST_TEST(plan.prompts.prompts.back().relation == 2U);
}

BOOST_AUTO_TEST_CASE(more_masks_leave_less_out) {
  const FillPlan plan = plan_of({}, 0, 2);
  BOOST_TEST(plan.left_out.facts.empty());
  BOOST_TEST(plan.left_out.names.empty());
  BOOST_TEST(plan.dataset.relations[2].facts.size() == 3U);
}

BOOST_AUTO_TEST_CASE(an_object_keeps_the_names_that_fit_nowhere) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[2].facts[0].objects = {{"Q1", {"noble gas", "metal"}}, {"Q2", {"rare gas"}}};
  const FillPlan plan = plan_of({"family"}, 0, 1, dataset);
  const ManyNamedFact& neon = plan.dataset.relations[0].facts[0];
  BOOST_REQUIRE(neon.objects.size() == 1U);
  BOOST_TEST((neon.objects[0].names == std::vector<std::string>{"noble gas", "metal"}));
  BOOST_TEST((plan.left_out.objects == Named{{"family", "rare gas"}, {"family", "noble gas"}}));
}

BOOST_AUTO_TEST_CASE(the_limit_counts_facts_that_are_asked) {
  BOOST_TEST(plan_of({"family"}, 1).dataset.relations[0].facts[0].subject.names[0] == "gold");
  const FillPlan one = plan_of({"contains", "symbol"}, 1);
  BOOST_TEST(one.dataset.relations[0].code == "symbol");  // in the dataset's order
  BOOST_TEST(one.dataset.relations[1].facts.size() == 1U);
  BOOST_TEST((one.asked.relations[1].facts == std::vector<std::size_t>{0}));
}

// If a tokenizer merges words with a following full stop, it has no separate tokens for an object
// before a full stop.
BOOST_AUTO_TEST_CASE(prompts_in_whose_gap_no_name_fits_are_left_out) {
  struct Joins : WordMaskModel {
    using WordMaskModel::WordMaskModel;
    [[nodiscard]] Tokenization tokenize(std::string_view text) const {
      Tokenization made = WordMaskModel::tokenize(text);
      for (Token& token : made.tokens) {
        if (token.bytes.end < text.size() && text[token.bytes.end] == '.') ++token.bytes.end;
      }
      return made;
    }
  };
  const Joins model(elements_many());
  GapWords<Joins> words(model);
  const FillPlan plan = fill_plan(words, elements_many(), {"symbol"}, 0, 1);
  // Two of the four templates end in "[Y]."; each has prompts for seven subject names.
  BOOST_TEST(plan.left_out.prompts == 14U);
  BOOST_TEST(plan.prompts.prompts.size() == 14U);
  for (const PlannedPrompt& one : plan.prompts.prompts) {
    BOOST_TEST(one.prompt.template_index % 2 == 1U);
  }
}

BOOST_AUTO_TEST_CASE(nothing_to_ask_is_refused) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[2].facts.pop_back();
  BOOST_CHECK_EXCEPTION((void)plan_of({"family"}, 0, 1, dataset), Error,
                        says(Fault::user, "facts.jsonl: no fact has an object of 1 token of this"));
  BOOST_CHECK_EXCEPTION((void)plan_of({"none"}), Error, says(Fault::user, "is not a relation"));
}

BOOST_AUTO_TEST_CASE(a_vocabulary_is_a_word_a_line) {
  const test::TemporaryFolder folder;
  folder.write("words.txt", "red\r\nblue \n\nnoble gas\nred\nlast");
  BOOST_TEST((read_vocabulary(folder / "words.txt") ==
              std::vector<std::string>{"red", "blue", "noble gas", "last"}));
  folder.write("empty.txt", "\n \n");
  folder.write("bytes.txt", "red\n\xff\n");
  const auto refused = [&](const char* name, const char* words) {
    BOOST_CHECK_EXCEPTION((void)read_vocabulary(folder / name), Error, says(Fault::user, words));
  };
  refused("empty.txt", "has no word");
  refused("bytes.txt", "bytes.txt:2: is not UTF-8");
  refused("none.txt", "cannot be read");
  refused(".", "cannot be read");
}

BOOST_AUTO_TEST_SUITE_END()
