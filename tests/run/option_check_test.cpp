// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/option_check.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(option_check)

namespace {

/// A model whose tokenizer returns no tokens for one particular text.
struct BlindModel : NgramModel {
  explicit BlindModel(std::string text) : NgramModel(""), blind_to(std::move(text)) {}
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    return text == blind_to ? Tokenization{} : NgramModel::tokenize(text);
  }
  std::string blind_to;
};

}  // namespace

BOOST_AUTO_TEST_CASE(an_option_that_the_model_cannot_see_is_refused_by_name) {
  Dataset dataset = test::small_dataset();
  BOOST_CHECK_NO_THROW(refuse_empty_options(NgramModel(""), dataset));
  BOOST_CHECK_EXCEPTION(refuse_empty_options(BlindModel("Rhine"), dataset), Error,
                        says(Fault::user, "river: option 'Rhine' tokenises to nothing"));
  const BlindModel choice("Seine");
  BOOST_CHECK_NO_THROW(refuse_empty_options(choice, dataset));
  dataset.relations[1].file = "river.jsonl";
  dataset.relations[1].facts[1].line = 7;
  dataset.relations[1].facts[1].choices = {"Nile", "Seine"};
  BOOST_CHECK_EXCEPTION(refuse_empty_options(choice, dataset), Error,
                        says(Fault::user, "river.jsonl:7: river: option 'Seine' tokenises"));
}

BOOST_AUTO_TEST_CASE(an_option_that_nobody_can_see_is_shown_by_its_characters_and_line) {
  Dataset dataset = test::small_dataset();
  Relation& relation = dataset.relations[1];
  relation.file = "river.jsonl";
  relation.facts[1].line = 7;
  const std::string unseen = "\u200B\u00AD\uFEFF";
  relation.options[relation.facts[1].answer] = unseen;
  for (Fact& fact : relation.facts) {
    if (fact.answer == relation.facts[1].answer) fact.line = 7;
  }
  BOOST_CHECK_EXCEPTION(refuse_empty_options(BlindModel(unseen), dataset), Error,
                        says(Fault::user, "(U+200B, U+00AD, U+FEFF) tokenises to nothing"));
  BOOST_CHECK_EXCEPTION(refuse_empty_options(BlindModel(unseen), dataset), Error,
                        says(Fault::user, "river.jsonl:7: river: option '"));
  BOOST_TEST(code_points_of("a\u200B") == "");
  BOOST_TEST(code_points_of("") == "");
  BOOST_TEST(code_points_of("\x01") == " (U+0001)");
  BOOST_TEST(code_points_of("      ") == " (U+0020, U+0020, U+0020, U+0020, …)");
}

BOOST_AUTO_TEST_SUITE_END()
