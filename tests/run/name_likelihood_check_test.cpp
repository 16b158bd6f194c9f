// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/name_likelihood_check.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::says;

BOOST_AUTO_TEST_SUITE(name_likelihood_check)

namespace {

const FewShotSetting zero_shot{}, two_random{ShotSource::random, 2},
    two_of_relation{ShotSource::relation, 2}, questions{ShotSource::none, 0, PromptForm::question};

/// A model with the given context length that cannot spell one particular text.
struct Model : NgramModel {
  Model() : NgramModel("", 2) {}
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made = NgramModel::tokenize(text);
    made.spells_text = unspelled.empty() || text.find(unspelled) == std::string_view::npos;
    return made;
  }
  [[nodiscard]] std::size_t context_length() const { return context; }

  std::string unspelled;
  std::size_t context = 4096;
};

struct Elements {
  MultiPromptDataset dataset = elements_many();
  Model model;

  Elements() {
    std::size_t line = 0;
    for (MultiPromptRelation& relation : dataset.relations) {
      for (ManyNamedFact& fact : relation.facts) fact.line = ++line;
    }
  }
  void check(const FewShotSetting& setting, const std::vector<std::string>& relations = {},
             std::size_t limit = 0, bool bos = true) {
    const AskedFacts asked = asked_facts(dataset, relations, limit);
    refuse_unscorable_names(model, bos, AnswerOptions{}, dataset, asked, setting);
  }
  void refused(const FewShotSetting& setting, const std::string& words,
               const std::vector<std::string>& relations = {}, std::size_t limit = 0) {
    BOOST_CHECK_EXCEPTION(check(setting, relations, limit), Error, says(Fault::user, words));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(what_can_be_scored_is_let_through, Elements) {
  for (const FewShotSetting& setting : {zero_shot, two_random, two_of_relation, questions}) {
    BOOST_CHECK_NO_THROW(check(setting));
  }
}

BOOST_FIXTURE_TEST_CASE(texts_the_tokenizer_cannot_encode_are_reported_with_location, Elements) {
  model.unspelled = "inert";
  refused(zero_shot,
          "elements/facts.jsonl:11: family: this tokenizer does not spell 'inert gas'; fix the "
          "text, or set `names` to none");
  model.unspelled = "table";  // an alias of a subject
  refused(zero_shot,
          "elements/facts.jsonl:8: contains: this tokenizer does not spell 'table salt'");
  model.unspelled = "letters";
  refused(zero_shot,
          "elements/templates.jsonl: symbol: this tokenizer does not spell 'Which letters stand "
          "for [X]? [Y]'");
}

// Other facts of a queried relation may be used as shots, and they are also candidates. Only
// X-random uses shots from other relations.
BOOST_FIXTURE_TEST_CASE(what_is_never_shown_may_be_spelled_or_not, Elements) {
  model.unspelled = "gold";
  BOOST_CHECK_NO_THROW(check(zero_shot, {"symbol", "contains"}));
  BOOST_CHECK_NO_THROW(check(two_of_relation, {"symbol", "contains"}));
  refused(two_random, "elements/facts.jsonl:13: family: this tokenizer does not spell 'gold'",
          {"symbol", "contains"});
  refused(zero_shot, "does not spell 'gold'", {"family"}, 1);
}

// "Predict the [MASK] in each sentence in one word.\nQ: What does table salt contain? [MASK].\nA:"
// has 92 letters and is followed by " chlorine"; no longer prompt has a longer name.
BOOST_FIXTURE_TEST_CASE(prompts_with_a_name_behind_them_must_have_room, Elements) {
  model.context = 1 + 92 + 9;
  BOOST_CHECK_NO_THROW(check(zero_shot, {"contains"}));
  --model.context;
  refused(
      zero_shot,
      "elements/facts.jsonl:8: contains: the zero-shot prompt with 'chlorine' after it has 102 "
      "tokens; the model's limit is 101; use fewer shots, remove the fact, or set `names` to none",
      {"contains"});
  BOOST_CHECK_NO_THROW(check(zero_shot, {"contains"}, 0, false));
  refused(two_of_relation, "the 2-relation prompt with '", {"contains"});
}

// Names are not scored for facts without an alias, but the labels of these facts are candidates.
BOOST_FIXTURE_TEST_CASE(labels_behind_prompts_without_content_must_have_room, Elements) {
  dataset.relations.resize(1);
  dataset.relations[0].facts.resize(5);
  dataset.relations[0].facts[4].objects[0].names = {std::string(100, 'x')};
  model.context = 150;
  refused(zero_shot, "elements/templates.jsonl: symbol: the zero-shot prompt with 'xxxxx");
  dataset.relations[0].facts[4].objects[0].names = {"Na"};
  BOOST_CHECK_NO_THROW(check(zero_shot));
}

// A tree with fewer nodes than the context length leaves less room.
BOOST_AUTO_TEST_CASE(the_models_tree_must_have_room_too) {
  Elements small;
  NgramTreeModel model("", 2);
  model.limits.nodes = 101;
  const AskedFacts asked = asked_facts(small.dataset, {"contains"}, 0);
  BOOST_CHECK_EXCEPTION(
      refuse_unscorable_names(model, true, AnswerOptions{}, small.dataset, asked, zero_shot), Error,
      says(Fault::user, "the model's limit is 101"));
  BOOST_TEST(model.tokens_fed == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
