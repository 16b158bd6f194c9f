// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/answer_plan.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::named_fact;
using test::says;
using test::shaped_many;

BOOST_AUTO_TEST_SUITE(answer_plan_suite)

namespace {

using Places = std::vector<std::size_t>;
using Named = std::vector<std::pair<std::string, std::string>>;
/// The indices of relation, template, fact and expression; a plan is sorted by these, in this
/// order.
using Prompt4 = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

constexpr auto question = PromptForm::question;
const FewShotSetting zero{}, relation_shots{ShotSource::relation, 4},
    template_shots{ShotSource::same_template, 4};

Prompt4 place(const PlannedPrompt& planned) {
  return {planned.relation, planned.prompt.template_index, planned.prompt.fact,
          planned.prompt.expression};
}

std::vector<Prompt4> places(const AnswerPlan& plan) {
  std::vector<Prompt4> all;
  for (const PlannedPrompt& planned : plan.prompts) all.push_back(place(planned));
  return all;
}

AnswerPlan plan_of(const MultiPromptDataset& dataset, const FewShotSetting& setting = zero,
                   const std::vector<std::string>& codes = {}, std::size_t limit = 0) {
  return answer_plan(dataset, asked_facts(dataset, codes, limit), FewShot(dataset, setting, 0));
}

AnswerPlan sampled_of(const MultiPromptDataset& dataset, const AnswerOptions& options,
                      const FewShotSetting& setting = zero, std::size_t limit = 0) {
  return sampled_plan(dataset, asked_facts(dataset, {}, limit), FewShot(dataset, setting, 0),
                      options);
}

/// Checks that the packs contain all prompts in order, and returns the packs' sizes.
Places pack_sizes(const AnswerPlan& plan) {
  Places sizes;
  std::vector<Prompt4> joined;
  for (std::size_t p = 0; p < plan.ends.size(); ++p) {
    sizes.push_back(plan.pack(p).size());
    for (const PlannedPrompt& planned : plan.pack(p)) joined.push_back(place(planned));
  }
  BOOST_TEST((joined == places(plan)));
  return sizes;
}

/// elements_many() with unusual names: no name of gold's only object contains a word, and neon's
/// object and the object oxygen each have an alias without a word.
MultiPromptDataset with_odd_names() {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[2].facts[2].objects[0].names = {"?", "…"};
  dataset.relations[2].facts[0].objects[0].names.push_back("—");
  for (ManyNamedFact& fact : dataset.relations[1].facts) {
    for (NamedEntity& object : fact.objects) {
      if (object.names.front() == "oxygen") object.names.push_back("🜁");
    }
  }
  return dataset;
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_facts_are_asked_or_the_first_of_each_relation) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts all = asked_facts(dataset, {}, 0);
  BOOST_REQUIRE(all.relations.size() == 3U);
  for (std::size_t r = 0; r < 3; ++r) BOOST_TEST(all.relations[r].relation == r);
  BOOST_TEST((all.relations[0].facts == Places{0, 1, 2, 3, 4, 5}));
  BOOST_TEST((all.relations[2].facts == Places{0, 1, 2}));
  BOOST_TEST(all.without_answer.empty());
  BOOST_TEST(all.wordless_names.empty());
  const AskedFacts four = asked_facts(dataset, {}, 4);
  BOOST_TEST((four.relations[0].facts == Places{0, 1, 2, 3}));
  BOOST_TEST((four.relations[2].facts == Places{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(relations_are_asked_in_the_datasets_order) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {"family", "symbol"}, 2);
  BOOST_REQUIRE(asked.relations.size() == 2U);
  BOOST_TEST(asked.relations[0].relation == 0U);
  BOOST_TEST(asked.relations[1].relation == 2U);
  for (const std::vector<std::string>& codes :
       {std::vector<std::string>{"symbol", "colour"}, {"family", "colour", "family"}}) {
    BOOST_CHECK_EXCEPTION((void)asked_facts(dataset, codes, 0), Error,
                          says(Fault::user,
                               "`relations`: 'colour' is not a relation of elements with many "
                               "prompts; name some of symbol, "));
  }
  BOOST_CHECK_EXCEPTION((void)asked_facts(dataset, {"family", "family"}, 0), Error,
                        says(Fault::user, "`relations`: 'family' is listed twice"));
}

BOOST_AUTO_TEST_CASE(facts_without_a_usable_answer_are_left_out_and_listed) {
  const MultiPromptDataset dataset = with_odd_names();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  BOOST_TEST((asked.relations[2].facts == Places{0, 1}));
  BOOST_TEST((asked.without_answer == Named{{"family", "gold"}}));
  // Each name is listed only once, although it occurs in three facts.
  BOOST_TEST((asked.wordless_names ==
              Named{{"contains", "🜁"}, {"family", "—"}, {"family", "?"}, {"family", "…"}}));
}

// A fact is used if at least one of its objects contains a word.
BOOST_AUTO_TEST_CASE(a_fact_with_one_usable_object_is_asked) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[1].facts[0] = named_fact({"water"}, {{"!"}, {"oxygen"}});
  const AskedFacts asked = asked_facts(dataset, {"contains"}, 0);
  BOOST_TEST((asked.relations[0].facts == Places{0, 1, 2, 3}));
  BOOST_TEST((asked.wordless_names == Named{{"contains", "!"}}));
}

BOOST_AUTO_TEST_CASE(a_limit_counts_facts_that_can_be_answered) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[0].facts[0] = named_fact({"hydrogen"}, {{"*"}});
  const AskedFacts asked = asked_facts(dataset, {"symbol"}, 2);
  BOOST_TEST((asked.relations[0].facts == Places{1, 2}));
}

BOOST_AUTO_TEST_CASE(a_relation_without_answers_is_left_out_and_a_dataset_without_is_refused) {
  MultiPromptDataset dataset = elements_many();
  for (ManyNamedFact& fact : dataset.relations[0].facts) fact.objects = {{"Q", {"-"}}};
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  BOOST_REQUIRE(asked.relations.size() == 2U);
  BOOST_TEST(asked.relations[0].relation == 1U);
  BOOST_TEST(asked.without_answer.size() == 6U);
  const auto words = says(Fault::user,
                          "no fact has an answer that can be matched; add names with a letter or a "
                          "digit to the facts' objects");
  BOOST_CHECK_EXCEPTION((void)asked_facts(dataset, {"symbol"}, 0), Error, words);
  dataset.files.clear();
  BOOST_CHECK_EXCEPTION((void)asked_facts(dataset, {"symbol"}, 0), Error, words);
}

BOOST_AUTO_TEST_CASE(asked_facts_form_a_narrowed_dataset) {
  const MultiPromptDataset dataset = with_odd_names();
  const AskedFacts asked = asked_facts(dataset, {"family", "symbol"}, 3);
  const MultiPromptDataset made = narrowed(dataset, asked);
  BOOST_TEST(made.name == "elements");
  BOOST_TEST((made.files == dataset.files));
  BOOST_REQUIRE(made.relations.size() == 2U);
  BOOST_TEST(made.relations[1].code == "family");
  BOOST_TEST(made.relations[1].templates.size() == 2U);
  BOOST_TEST(made.relations[1].templates[1].text == "[Y]: [X] is one.");
  BOOST_TEST(made.relations[1].file == "elements/facts.jsonl");
  BOOST_TEST(made.relations[1].template_file == "elements/templates.jsonl");
  BOOST_REQUIRE(made.relations[1].facts.size() == 2U);  // without gold
  BOOST_TEST(made.relations[1].facts[1].subject.names.front() == "argon");
  BOOST_REQUIRE(made.relations[0].facts.size() == 3U);
  BOOST_TEST(made.relations[0].facts[2].objects[0].names.front() == "C");
}

// The expected order is produced by nested loops over relation, template, fact and expression.
BOOST_AUTO_TEST_CASE(every_prompt_is_planned_once_and_in_order) {
  const MultiPromptDataset dataset = with_odd_names();
  for (const PromptForm form : {PromptForm::mask, question}) {
    for (const std::size_t limit : {0U, 2U}) {
      const FewShotSetting setting{ShotSource::relation, 4, form};
      const AskedFacts asked = asked_facts(dataset, {"family", "contains", "symbol"}, limit);
      const AnswerPlan plan = answer_plan(dataset, asked, FewShot(dataset, setting, 0));
      std::vector<Prompt4> expected;
      for (std::size_t r = 0; r < 3; ++r) {
        const MultiPromptRelation& relation = dataset.relations[r];
        for (std::size_t t = 0; t < relation.templates.size(); ++t) {
          if (form == question && relation.templates[t].style == TemplateStyle::cloze) continue;
          std::size_t asked_one = 0;
          for (const ManyNamedFact& fact : relation.facts) {
            if (fact.subject.names.front() == "gold" || asked_one == (limit == 0 ? 9 : limit)) {
              continue;
            }
            for (std::size_t e = 0; e < fact.subject.names.size(); ++e) {
              expected.emplace_back(r, t, asked_one, e);
            }
            ++asked_one;
          }
        }
      }
      BOOST_TEST((places(plan) == expected));
      (void)pack_sizes(plan);
    }
  }
}

BOOST_AUTO_TEST_CASE(packs_end_at_a_relation_at_a_template_past_256_and_at_1024) {
  using Shapes = std::vector<test::MultiPromptShape>;
  const auto sizes = [](const Shapes& shapes) { return pack_sizes(plan_of(shaped_many(shapes))); };
  BOOST_TEST(
      (sizes(Shapes{{.facts = 3, .templates = 2}, {.facts = 1, .templates = 1}}) == Places{6, 1}));
  // Three templates of 100 prompts form a pack of 300; the other two form one of 200.
  BOOST_TEST((sizes(Shapes{{.facts = 100, .templates = 5}}) == Places{300, 200}));
  BOOST_TEST((sizes(Shapes{{.facts = 256, .templates = 3}}) == Places{256, 256, 256}));
  BOOST_TEST((sizes(Shapes{{.facts = 255, .templates = 3}}) == Places{510, 255}));
  BOOST_TEST((sizes(Shapes{{.facts = 128, .templates = 3, .names = 2}}) == Places{256, 256, 256}));
  BOOST_TEST((sizes(Shapes{{.facts = 1024, .templates = 2}}) == Places{1024, 1024}));
  // A template's prompts beyond the 1024th are packed with the next template's.
  BOOST_TEST((sizes(Shapes{{.facts = 1100, .templates = 3}}) == Places{1024, 1024, 1024, 228}));
  BOOST_TEST((sizes(Shapes{{.facts = 1400, .templates = 2}, {.facts = 2, .templates = 1}}) ==
              Places{1024, 376, 1024, 376, 2}));
}

BOOST_AUTO_TEST_CASE(a_form_that_no_relation_can_be_asked_in_has_no_packs) {
  const AnswerPlan plan = plan_of(shaped_many({{}, {}}), {ShotSource::none, 0, question});
  BOOST_TEST(plan.prompts.empty());
  BOOST_TEST(plan.ends.empty());
  // If a setting applies only to some relations, the other relations produce no empty packs.
  BOOST_TEST((pack_sizes(plan_of(shaped_many({{}, {.questions = 1}, {}}),
                                 {ShotSource::none, 0, question})) == Places{10}));
}

BOOST_AUTO_TEST_CASE(a_plan_is_the_same_whatever_else_is_asked) {
  const MultiPromptDataset dataset =
      shaped_many({{.facts = 300}, {.facts = 90, .names = 3}, {.facts = 1100}});
  const AnswerPlan all = plan_of(dataset);
  BOOST_TEST((places(plan_of(dataset, relation_shots)) == places(all)));
  BOOST_TEST((plan_of(dataset, template_shots).ends == all.ends));
  // A relation's packs are the same as when it is used alone.
  Places sizes;
  for (const std::string code : {"P0", "P1", "P2"}) {
    for (const std::size_t size : pack_sizes(plan_of(dataset, zero, {code}))) sizes.push_back(size);
  }
  BOOST_TEST((pack_sizes(all) == sizes));
}

BOOST_AUTO_TEST_CASE(one_prompt_of_every_fact_is_sampled) {
  const MultiPromptDataset dataset = shaped_many({{.facts = 30, .names = 3}, {.facts = 25}});
  const AnswerPlan plan = sampled_of(dataset, {});
  BOOST_TEST(plan.prompts.size() == 55U);
  BOOST_TEST((pack_sizes(plan) == Places{16, 16, 16, 7}));
  std::set<std::pair<std::size_t, std::size_t>> facts;
  const auto all = places(plan_of(dataset));
  for (const PlannedPrompt& planned : plan.prompts) {
    facts.emplace(planned.relation, planned.prompt.fact);
    BOOST_TEST((std::ranges::find(all, place(planned)) != all.end()));
  }
  BOOST_TEST(facts.size() == 55U);
  // Samples are in the same order as all prompts, so that those with the longest common prefixes
  // are adjacent.
  BOOST_TEST(std::ranges::is_sorted(places(plan)));
}

BOOST_AUTO_TEST_CASE(sampled_prompts_are_those_of_every_setting_of_a_form) {
  const MultiPromptDataset dataset =
      shaped_many({{.facts = 30, .templates = 6, .questions = 3}, {.facts = 20}});
  const AnswerOptions options{.confidence_prompts = 20, .sample_seed = 4};
  const AnswerPlan masks = sampled_of(dataset, options);
  for (const FewShotSetting& setting :
       {relation_shots, template_shots, FewShotSetting{ShotSource::random, 1}}) {
    const AnswerPlan other = sampled_of(dataset, options, setting);
    BOOST_TEST((places(other) == places(masks)));
    BOOST_TEST((other.ends == masks.ends));
  }
  const AnswerPlan questions = sampled_of(dataset, options, {ShotSource::none, 0, question});
  BOOST_TEST(questions.prompts.size() == 20U);
  for (const PlannedPrompt& planned : questions.prompts) {
    BOOST_TEST(planned.relation == 0U);
    BOOST_TEST(planned.prompt.template_index >= 3U);
  }
  BOOST_TEST((places(sampled_of(dataset, options, {ShotSource::relation, 4, question})) ==
              places(questions)));
}

BOOST_AUTO_TEST_CASE(no_more_facts_are_sampled_than_wanted_and_more_take_the_same_along) {
  const MultiPromptDataset dataset = shaped_many({{.facts = 30, .names = 2}, {.facts = 30}});
  std::set<Prompt4> before;
  for (const std::size_t wanted : {0U, 1U, 16U, 17U, 59U, 60U, 1000U}) {
    const AnswerPlan plan = sampled_of(dataset, {.confidence_prompts = wanted});
    BOOST_TEST(plan.prompts.size() == std::min<std::size_t>(wanted, 60));
    BOOST_TEST(plan.ends.size() == (std::min<std::size_t>(wanted, 60) + 15) / 16);
    (void)pack_sizes(plan);
    const auto all = places(plan);
    const std::set<Prompt4> now(all.begin(), all.end());
    BOOST_TEST(std::ranges::includes(now, before));
    before = now;
  }
}

BOOST_AUTO_TEST_CASE(sampled_prompts_depend_on_their_seed_but_not_on_other_facts_or_shots) {
  const MultiPromptDataset dataset = shaped_many({{.facts = 40, .names = 2}, {.facts = 40}});
  const auto all = places(sampled_of(dataset, {}));
  BOOST_TEST((places(sampled_of(dataset, {.samples = 5, .shot_seed = 9})) == all));
  BOOST_TEST((places(sampled_of(dataset, {.sample_seed = 1})) != all));
  const auto some = [&](std::uint64_t seed) {
    const AnswerPlan plan = sampled_of(dataset, {.confidence_prompts = 10, .sample_seed = seed});
    std::set<std::pair<std::size_t, std::size_t>> facts;
    for (const PlannedPrompt& one : plan.prompts) facts.emplace(one.relation, one.prompt.fact);
    return facts;
  };
  BOOST_TEST((some(0) == some(0)));
  BOOST_TEST((some(0) != some(1)));
  // The prompt sampled for a fact stays the same if fewer facts are used.
  for (const Prompt4& one : places(sampled_of(dataset, {}, zero, 12))) {
    BOOST_TEST((std::ranges::find(all, one) != all.end()));
  }
}

BOOST_AUTO_TEST_CASE(sampled_prompts_do_not_depend_on_the_order_of_facts) {
  MultiPromptDataset dataset = shaped_many({{.facts = 40, .names = 2}, {.facts = 40}});
  const auto drawn = [&] {
    std::set<std::tuple<std::string, std::string, std::size_t, std::size_t>> all;
    for (const PlannedPrompt& one : sampled_of(dataset, {.confidence_prompts = 10}).prompts) {
      const MultiPromptRelation& relation = dataset.relations[one.relation];
      all.emplace(relation.code, relation.facts[one.prompt.fact].subject.id,
                  one.prompt.template_index, one.prompt.expression);
    }
    return all;
  };
  const auto before = drawn();
  BOOST_TEST(before.size() == 10U);
  std::ranges::reverse(dataset.relations);
  for (MultiPromptRelation& relation : dataset.relations) std::ranges::reverse(relation.facts);
  BOOST_TEST((drawn() == before));
}

// If 16 of 40 facts are sampled, each is expected 800 times in 2000 draws, with a standard
// deviation of 21.9; if one of a fact's 12 prompts is sampled, each is expected 166.7 times, with a
// standard deviation of 12.4. A difference of more than five standard deviations would not be due
// to chance.
BOOST_AUTO_TEST_CASE(every_fact_and_every_prompt_of_it_is_sampled_as_often_as_another) {
  const MultiPromptDataset dataset = shaped_many({{.facts = 20, .names = 3}, {.facts = 20}});
  std::map<std::pair<std::size_t, std::size_t>, int> facts;
  std::map<Prompt4, int> prompts;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const PlannedPrompt& one :
         sampled_of(dataset, {.confidence_prompts = 16, .sample_seed = seed}).prompts) {
      ++facts[{one.relation, one.prompt.fact}];
    }
    for (const PlannedPrompt& one : sampled_of(dataset, {.sample_seed = seed}).prompts) {
      if (one.relation == 0 && one.prompt.fact == 7) ++prompts[place(one)];
    }
  }
  BOOST_TEST(facts.size() == 40U);
  for (const auto& [fact, times] : facts) BOOST_TEST((times > 690 && times < 910));
  BOOST_TEST(prompts.size() == 12U);
  for (const auto& [one, times] : prompts) BOOST_TEST((times > 104 && times < 229));
}

BOOST_AUTO_TEST_CASE(what_no_answer_can_match_is_neither_shown_nor_a_candidate) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[0].facts[1].objects[0].names = {"?"};
  dataset.relations[1].facts[0].objects[0].names = {"!", "hydrogen"};
  dataset.relations[1].facts[1].objects[0].names = {"..."};
  const MultiPromptDataset made = answerable(dataset);
  BOOST_TEST(made.relations.size() == 3U);
  BOOST_TEST(made.relations[0].facts.size() == 5U);
  BOOST_TEST(made.relations[0].facts[1].subject.names.front() == "carbon");
  BOOST_TEST(made.relations[1].facts[0].objects[0].names == std::vector<std::string>{"hydrogen"});
  BOOST_TEST(made.relations[1].facts[1].objects.size() == 1U);
  BOOST_TEST(asked_facts(made, {}, 0).wordless_names.empty());
  // A limit selects the same facts with and without answerable().
  const AskedFacts before = asked_facts(dataset, {}, 3), after = asked_facts(made, {}, 3);
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t f = 0; f < 3; ++f) {
      BOOST_TEST(dataset.relations[r].facts[before.relations[r].facts[f]].subject.id ==
                 made.relations[r].facts[after.relations[r].facts[f]].subject.id);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
