// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/few_shot.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::shaped_many;

BOOST_AUTO_TEST_SUITE(few_shot_suite)

namespace {

using Shots = std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>;

constexpr auto none = ShotSource::none, random_source = ShotSource::random,
               relation_source = ShotSource::relation, template_source = ShotSource::same_template;
constexpr auto mask = PromptForm::mask, question = PromptForm::question;

/// The relation, fact and template of each shot.
Shots places(const std::vector<AskedUnder>& drawn) {
  Shots all;
  for (const AskedUnder& shot : drawn) {
    all.emplace_back(shot.relation, shot.fact, shot.template_index);
  }
  return all;
}

/// The full prompt for a fact, using the subject's label.
std::string prompt(const FewShot& few_shot, const MultiPromptDataset& dataset, std::size_t relation,
                   std::size_t fact, std::size_t template_index) {
  return few_shot.context(few_shot.shots(relation, template_index), relation, fact) +
         few_shot.question(relation, template_index,
                           dataset.relations[relation].facts[fact].subject.names.front());
}

std::string prompt(const FewShotSetting& setting, std::uint64_t seed, std::size_t relation,
                   std::size_t fact, std::size_t template_index) {
  const MultiPromptDataset dataset = elements_many();
  return prompt(FewShot(dataset, setting, seed), dataset, relation, fact, template_index);
}

/// The relation, fact and template of each example in a context built from elements_many. They are
/// found by generating the text of every fact under every template.
Shots read_back(const MultiPromptDataset& dataset, const std::string& context, PromptForm form) {
  std::map<std::string, std::tuple<std::size_t, std::size_t, std::size_t>> known;
  for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
    const MultiPromptRelation& relation = dataset.relations[r];
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      for (std::size_t t = 0; t < relation.templates.size(); ++t) {
        std::string text = relation.templates[t].text;
        text.replace(text.find("[X]"), 3, relation.facts[f].subject.names.front());
        if (form == mask) {
          text.replace(text.find("[Y]"), 3, "[MASK]");
        } else {
          text.erase(std::min(text.find(" [Y]"), text.size()));
        }
        known["Q: " + text + "\nA: " + relation.facts[f].objects.front().names.front() + ".\n"] = {
            r, f, t};
      }
    }
  }
  Shots shots;
  std::size_t at = context.find('\n') + 1;
  while (at < context.size()) {
    const std::size_t end = context.find("\n", context.find("\n", at) + 1) + 1;
    shots.push_back(known.at(context.substr(at, end - at)));
    at = end;
  }
  return shots;
}

std::vector<FewShotSetting> all_settings(std::size_t shots) {
  std::vector<FewShotSetting> settings;
  for (const PromptForm form : {mask, question}) {
    for (const ShotSource source : {random_source, relation_source, template_source}) {
      settings.push_back({source, shots, form});
    }
  }
  return settings;
}

}  // namespace

BOOST_AUTO_TEST_CASE(settings_have_the_names_used_in_the_paper) {
  BOOST_TEST(few_shot_name({}) == "zero-shot");
  BOOST_TEST(few_shot_name({random_source, 4}) == "4-random");
  BOOST_TEST(few_shot_name({relation_source, 4}) == "4-relation");
  BOOST_TEST(few_shot_name({template_source, 12}) == "12-template");
  BOOST_TEST(few_shot_name({none, 0, question}) == "zero-shot-question");
  BOOST_TEST(few_shot_name({template_source, 1, question}) == "1-template-question");
  const MultiPromptDataset dataset = elements_many();
  const FewShot few_shot(dataset, {relation_source, 2, question}, 0);
  BOOST_TEST(few_shot.name() == "2-relation-question");
  BOOST_TEST((few_shot.setting() == FewShotSetting{relation_source, 2, question}));
}

// Appendix E of the paper, with the facts and templates of its examples.
BOOST_AUTO_TEST_CASE(the_papers_own_prompts_are_written_byte_by_byte) {
  using test::named_fact;
  MultiPromptDataset paper{"paper", {}, {}};
  paper.relations.push_back(
      {"P361",
       {{"[Y] consists of [X]."},
        {"What is the overarching group for [X]? [Y].", {}, TemplateStyle::question},
        {"To whom does [X] relate? [Y].", {}, TemplateStyle::question},
        {"Who is responsible for [X]? [Y].", {}, TemplateStyle::question},
        {"What group is [X] a part of? [Y].", {}, TemplateStyle::question}},
       {named_fact({"LAUPT"}, {{"Los Angeles"}}), named_fact({"environmental factors"}, {{"x"}}),
        named_fact({"Panzer Division Kempf"}, {{"Wehrmacht"}}),
        named_fact({"Mount Bulusan"}, {{"Luzon"}}),
        named_fact({"Army National Guard"}, {{"National Guard"}}),
        named_fact({"pharmacy"}, {{"biology"}}), named_fact({"spare"}, {{"wheel"}})}});
  const FewShot zero(paper, {}, 0);
  BOOST_TEST(prompt(zero, paper, 0, 0, 0) ==
             "Predict the [MASK] in each sentence in one word.\n"
             "Q: [MASK] consists of LAUPT.\n"
             "A:");
  const FewShot relation(paper, {relation_source, 4}, 0);
  const std::vector<AskedUnder> drawn{{0, 2, 1}, {0, 3, 2}, {0, 4, 3}, {0, 5, 4}, {0, 6, 0}};
  BOOST_TEST(relation.context(drawn, 0, 1) + relation.question(0, 0, "environmental factors") ==
             "Predict the [MASK] in each sentence in one word.\n"
             "Q: What is the overarching group for Panzer Division Kempf? [MASK].\n"
             "A: Wehrmacht.\n"
             "Q: To whom does Mount Bulusan relate? [MASK].\n"
             "A: Luzon.\n"
             "Q: Who is responsible for Army National Guard? [MASK].\n"
             "A: National Guard.\n"
             "Q: What group is pharmacy a part of? [MASK].\n"
             "A: biology.\n"
             "Q: [MASK] consists of environmental factors.\n"
             "A:");
  const FewShot same(paper, {template_source, 4}, 0);
  const std::vector<AskedUnder> under{{0, 2, 0}, {0, 3, 0}, {0, 4, 0}, {0, 5, 0}, {0, 6, 0}};
  BOOST_TEST(same.context(under, 0, 1) + same.question(0, 0, "environmental factors") ==
             "Predict the [MASK] in each sentence in one word.\n"
             "Q: [MASK] consists of Panzer Division Kempf.\n"
             "A: Wehrmacht.\n"
             "Q: [MASK] consists of Mount Bulusan.\n"
             "A: Luzon.\n"
             "Q: [MASK] consists of Army National Guard.\n"
             "A: National Guard.\n"
             "Q: [MASK] consists of pharmacy.\n"
             "A: biology.\n"
             "Q: [MASK] consists of environmental factors.\n"
             "A:");
}

// The draws were computed by a separate program, following the definition of a stream in
// core/random.hpp. Water is among the first two shots drawn for 2-random, 2-relation and
// 2-template, so the third shot replaces it.
BOOST_AUTO_TEST_CASE(whole_prompts_of_each_setting_with_masks) {
  const std::string instruction = "Predict the [MASK] in each sentence in one word.\n";
  BOOST_TEST(prompt({}, 7, 1, 0, 2) == instruction + "Q: What does water contain? [MASK].\nA:");
  BOOST_TEST(prompt({random_source, 2}, 7, 0, 5, 1) ==
             instruction +
                 "Q: argon is a [MASK].\n"
                 "A: noble gas.\n"
                 "Q: Which letters stand for oxygen? [MASK]\n"
                 "A: O.\n"
                 "Q: [MASK] is how iron is written.\n"
                 "A:");
  BOOST_TEST(prompt({random_source, 2}, 7, 1, 0, 2) ==
             instruction +
                 "Q: [MASK] is a part of rust.\n"
                 "A: iron.\n"
                 "Q: What is the symbol of helium? [MASK].\n"
                 "A: He.\n"
                 "Q: What does water contain? [MASK].\n"
                 "A:");
  BOOST_TEST(prompt({relation_source, 2}, 7, 0, 5, 1) == instruction +
                                                             "Q: The symbol of oxygen is [MASK].\n"
                                                             "A: O.\n"
                                                             "Q: [MASK] is how sodium is written.\n"
                                                             "A: Na.\n"
                                                             "Q: [MASK] is how iron is written.\n"
                                                             "A:");
  BOOST_TEST(prompt({relation_source, 2}, 7, 1, 0, 2) == instruction +
                                                             "Q: sugar contains [MASK].\n"
                                                             "A: carbon.\n"
                                                             "Q: What does rust contain? [MASK].\n"
                                                             "A: iron.\n"
                                                             "Q: What does water contain? [MASK].\n"
                                                             "A:");
  BOOST_TEST(prompt({template_source, 2}, 7, 0, 5, 1) ==
             instruction +
                 "Q: [MASK] is how hydrogen is written.\n"
                 "A: H.\n"
                 "Q: [MASK] is how oxygen is written.\n"
                 "A: O.\n"
                 "Q: [MASK] is how iron is written.\n"
                 "A:");
  BOOST_TEST(prompt({template_source, 2}, 7, 1, 0, 2) == instruction +
                                                             "Q: What does sugar contain? [MASK].\n"
                                                             "A: carbon.\n"
                                                             "Q: What does salt contain? [MASK].\n"
                                                             "A: sodium.\n"
                                                             "Q: What does water contain? [MASK].\n"
                                                             "A:");
}

BOOST_AUTO_TEST_CASE(whole_prompts_of_each_setting_as_questions) {
  const std::string instruction = "Answer each question in one word.\n";
  BOOST_TEST(prompt({none, 0, question}, 7, 0, 5, 3) ==
             instruction + "Q: Which letters stand for iron?\nA:");
  BOOST_TEST(prompt({random_source, 2, question}, 7, 0, 5, 2) ==
             instruction +
                 "Q: Which letters stand for oxygen?\n"
                 "A: O.\n"
                 "Q: What does sugar contain?\n"
                 "A: carbon.\n"
                 "Q: What is the symbol of iron?\n"
                 "A:");
  BOOST_TEST(prompt({relation_source, 2, question}, 7, 0, 5, 2) ==
             instruction +
                 "Q: Which letters stand for sodium?\n"
                 "A: Na.\n"
                 "Q: What is the symbol of oxygen?\n"
                 "A: O.\n"
                 "Q: What is the symbol of iron?\n"
                 "A:");
  BOOST_TEST(prompt({template_source, 2, question}, 7, 1, 0, 2) ==
             instruction +
                 "Q: What does salt contain?\n"
                 "A: sodium.\n"
                 "Q: What does rust contain?\n"
                 "A: iron.\n"
                 "Q: What does water contain?\n"
                 "A:");
}

BOOST_AUTO_TEST_CASE(the_last_shot_stands_in_the_place_of_the_asked_fact) {
  const MultiPromptDataset dataset = elements_many();
  const FewShot few_shot(dataset, {relation_source, 2}, 0);
  const std::vector<AskedUnder> drawn{{0, 0, 0}, {0, 1, 1}, {0, 2, 0}};
  const auto shown = [&](std::size_t relation, std::size_t fact) {
    return read_back(dataset, few_shot.context(drawn, relation, fact), mask);
  };
  BOOST_TEST((shown(0, 3) == Shots{{0, 0, 0}, {0, 1, 1}}));
  BOOST_TEST((shown(0, 0) == Shots{{0, 2, 0}, {0, 1, 1}}));
  BOOST_TEST((shown(0, 1) == Shots{{0, 0, 0}, {0, 2, 0}}));
  BOOST_TEST((shown(0, 2) == Shots{{0, 0, 0}, {0, 1, 1}}));  // a fact is not its own shot
  // Fact 0 of relation 1 is not mistaken for fact 0 of relation 0, which is the first shot.
  BOOST_TEST((shown(1, 0) == Shots{{0, 0, 0}, {0, 1, 1}}));
}

// `shown` returns the indices of the drawn shots that appear in the prompt for a fact.
BOOST_AUTO_TEST_CASE(shown_shots_exclude_the_fact_in_question) {
  const MultiPromptDataset dataset = elements_many();
  const FewShot few_shot(dataset, {relation_source, 2}, 0);
  const std::vector<AskedUnder> drawn{{1, 3, 0}, {1, 0, 2}, {1, 2, 1}};
  using Places = std::vector<std::uint32_t>;
  BOOST_TEST(few_shot.shown(drawn, 1) == (Places{0, 1}));
  BOOST_TEST(few_shot.shown(drawn, 1, 1) == (Places{0, 1}));  // the fact in question was not drawn
  BOOST_TEST(few_shot.shown(drawn, 1, 2) == (Places{0, 1}));
  BOOST_TEST(few_shot.shown(drawn, 1, 3) == (Places{2, 1}));
  BOOST_TEST(few_shot.shown(drawn, 1, 0) == (Places{0, 2}));
  BOOST_TEST(few_shot.shown(drawn, 0, 3) == (Places{0, 1}));  // fact 3, but of a different relation
  // No further fact was drawn, so nothing replaces the fact in question.
  BOOST_TEST(few_shot.shown({{1, 3, 0}, {1, 0, 2}}, 1, 3) == Places{1});
  BOOST_TEST(FewShot(dataset, {}, 0).shown({}, 1, 3).empty());
}

BOOST_AUTO_TEST_CASE(a_fact_is_never_among_its_own_shots_and_no_shot_stands_twice) {
  const MultiPromptDataset dataset = elements_many();
  for (std::size_t many = 1; many <= 15; ++many) {
    for (const FewShotSetting& setting : all_settings(many)) {
      const FewShot few_shot(dataset, setting, 3);
      for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
        for (const std::size_t t : few_shot.templates(r)) {
          const Shots drawn = places(few_shot.shots(r, t));
          std::size_t offered = dataset.relations[r].facts.size();
          if (setting.source == random_source) offered = setting.form == mask ? 13 : 10;
          BOOST_REQUIRE(drawn.size() == std::min(many + 1, offered));
          for (std::size_t f = 0; f < dataset.relations[r].facts.size(); ++f) {
            const Shots shown =
                read_back(dataset, few_shot.context(few_shot.shots(r, t), r, f), setting.form);
            // The expected shots are determined independently: they are the first shots drawn, with
            // the last one in place of the fact in question.
            Shots expected;
            bool replaced = false;
            for (std::size_t i = 0; i < drawn.size() && i < many; ++i) {
              const bool asked = std::get<0>(drawn[i]) == r && std::get<1>(drawn[i]) == f;
              replaced = replaced || asked;
              if (!asked) expected.push_back(drawn[i]);
              if (asked && drawn.size() == many + 1) expected.push_back(drawn[many]);
            }
            BOOST_TEST((shown == expected));
            BOOST_TEST(shown.size() == std::min(many, drawn.size() - (replaced ? 1U : 0U)));
            std::set<std::pair<std::size_t, std::size_t>> facts;
            for (const auto& [relation, fact, unused] : shown) facts.emplace(relation, fact);
            BOOST_TEST(facts.size() == shown.size());
            BOOST_TEST(!facts.contains({r, f}));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(shots_use_the_facts_and_templates_of_their_setting) {
  const MultiPromptDataset dataset = elements_many();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const FewShotSetting& setting : all_settings(4)) {
      const FewShot few_shot(dataset, setting, seed);
      for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
        for (const std::size_t t : few_shot.templates(r)) {
          for (const AskedUnder& shot : few_shot.shots(r, t)) {
            const std::vector<std::size_t>& usable = few_shot.templates(shot.relation);
            BOOST_TEST((std::ranges::find(usable, shot.template_index) != usable.end()));
            if (setting.source != random_source) BOOST_TEST(shot.relation == r);
            if (setting.source == template_source) BOOST_TEST(shot.template_index == t);
          }
          // Only the X-template settings depend on the question's template.
          if (setting.source == template_source) continue;
          BOOST_TEST((places(few_shot.shots(r, t)) ==
                      places(few_shot.shots(r, few_shot.templates(r)[0]))));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(fresh_shots_are_others_than_the_asked_fact_as_many_as_there_are) {
  const MultiPromptDataset dataset = elements_many();
  for (std::size_t many = 1; many <= 15; ++many) {
    for (FewShotSetting setting : all_settings(many)) {
      setting.fresh = true;
      const FewShot few_shot(dataset, setting, 3);
      for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
        std::size_t offered = dataset.relations[r].facts.size();
        if (setting.source == random_source) offered = setting.form == mask ? 13 : 10;
        for (const std::size_t t : few_shot.templates(r)) {
          for (std::size_t f = 0; f < dataset.relations[r].facts.size(); ++f) {
            const std::vector<AskedUnder> drawn = few_shot.shots(r, t, f);
            BOOST_TEST(drawn.size() == std::min(many, offered - 1));
            std::set<std::pair<std::size_t, std::size_t>> facts;
            for (const AskedUnder& shot : drawn) {
              const std::vector<std::size_t>& usable = few_shot.templates(shot.relation);
              BOOST_TEST((std::ranges::find(usable, shot.template_index) != usable.end()));
              if (setting.source != random_source) BOOST_TEST(shot.relation == r);
              if (setting.source == template_source) BOOST_TEST(shot.template_index == t);
              facts.emplace(shot.relation, shot.fact);
            }
            BOOST_TEST(facts.size() == drawn.size());
            BOOST_TEST(!facts.contains({r, f}));
            // All drawn shots appear in the context, in the order drawn.
            BOOST_TEST(
                (read_back(dataset, few_shot.context(drawn, r, f), setting.form) == places(drawn)));
          }
          // These shots are for content-free prompts.
          BOOST_TEST(few_shot.shots(r, t).size() == std::min(many, offered));
        }
      }
    }
  }
}

// For each of the four facts of "contains", each of the other three facts comes first in a third of
// the draws. With 3,000 draws, five standard errors are 0.043.
BOOST_AUTO_TEST_CASE(fresh_shots_are_drawn_uniformly_and_independently_per_prompt) {
  const MultiPromptDataset dataset = elements_many();
  std::map<std::size_t, double> first;
  bool by_fact = false, by_template = false, by_name = false, by_seed = false;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const FewShot few_shot(dataset, {relation_source, 2, mask, true}, seed);
    const auto drawn = [&](std::size_t t, std::size_t f) {
      Shots all = places(few_shot.shots(1, t, f));
      // the shots' templates are drawn as well, so they are ignored
      for (auto& shot : all) std::get<2>(shot) = 0;
      return all;
    };
    ++first[few_shot.shots(1, 0, 2).front().fact];
    if (seed > 20) continue;
    BOOST_TEST((drawn(0, 2) == drawn(0, 2)));
    by_template = by_template || drawn(0, 2) != drawn(1, 2);
    const std::size_t salt = 1;  // salt is also called table salt
    by_name =
        by_name || few_shot.shots(1, 0, salt, 0)[0].fact != few_shot.shots(1, 0, salt, 1)[0].fact;
    // Neither draw contains the other prompt's fact, so if the shots were shared, the draws would
    // be equal.
    const std::size_t before = few_shot.shots(1, 0, 0).front().fact;
    const std::size_t after = few_shot.shots(1, 0, 2).front().fact;
    by_fact = by_fact || (before != after && before != 2 && after != 0);
    by_seed = by_seed || first.size() > 1;
  }
  BOOST_TEST(first.size() == 3U);
  BOOST_TEST(!first.contains(2));
  for (const auto& [fact, times] : first) BOOST_TEST(std::abs(times / 3000 - 1.0 / 3) < 0.043);
  BOOST_TEST(by_fact);
  BOOST_TEST(by_template);
  BOOST_TEST(by_name);
  BOOST_TEST(by_seed);
}

// Other facts and relations affect the shots only if they can be drawn.
BOOST_AUTO_TEST_CASE(fresh_shots_depend_on_relation_template_fact_and_name) {
  const MultiPromptDataset dataset = elements_many();
  MultiPromptDataset turned = dataset;
  std::swap(turned.relations[0], turned.relations[1]);
  std::swap(turned.relations[0].templates[0], turned.relations[0].templates[2]);
  const FewShotSetting setting{relation_source, 2, mask, true};
  const FewShot one(dataset, setting, 5), other(turned, setting, 5);
  for (std::size_t f = 0; f < dataset.relations[1].facts.size(); ++f) {
    const auto before = one.shots(1, 2, f), after = other.shots(0, 0, f);
    BOOST_REQUIRE(before.size() == 2U);
    for (std::size_t i = 0; i < 2; ++i) BOOST_TEST(before[i].fact == after.at(i).fact);
  }
}

BOOST_AUTO_TEST_CASE(facts_that_may_be_shown_have_places) {
  const MultiPromptDataset dataset = elements_many();
  for (const FewShotSetting& setting : all_settings(4)) {
    const FewShot few_shot(dataset, setting, 0);
    for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
      Shots all;
      for (std::size_t place = 0; place < few_shot.offered(r); ++place) {
        const AskedUnder shot = few_shot.offered_at(r, place);
        BOOST_TEST(few_shot.place_of(shot) == place);
        all.emplace_back(shot.relation, shot.fact, 0);
      }
      Shots expected;
      for (std::size_t other = 0; other < dataset.relations.size(); ++other) {
        const bool offers = setting.source == random_source || other == r;
        if (!offers || few_shot.templates(other).empty()) continue;
        for (std::size_t f = 0; f < dataset.relations[other].facts.size(); ++f) {
          expected.emplace_back(other, f, 0);
        }
      }
      BOOST_TEST((all == expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(questions_are_asked_with_question_templates_alone) {
  const MultiPromptDataset dataset = elements_many();
  const FewShot masks(dataset, {random_source, 4}, 0);
  const FewShot questions(dataset, {random_source, 4, question}, 0);
  using Places = std::vector<std::size_t>;
  BOOST_TEST((masks.templates(0) == Places{0, 1, 2, 3}));
  BOOST_TEST((masks.templates(2) == Places{0, 1}));
  BOOST_TEST((questions.templates(0) == Places{2, 3}));
  BOOST_TEST((questions.templates(1) == Places{2}));
  BOOST_TEST(questions.templates(2).empty());
  // A relation without questions provides no shots, either for other relations or for itself.
  for (const AskedUnder& shot : FewShot(dataset, {random_source, 20, question}, 0).shots(0, 2)) {
    BOOST_TEST(shot.relation != 2U);
  }
  BOOST_TEST(FewShot(dataset, {relation_source, 4, question}, 0).shots(2, 0).empty());
}

BOOST_AUTO_TEST_CASE(a_relation_with_fewer_facts_shows_all_but_the_asked_one) {
  const MultiPromptDataset dataset = elements_many();
  const FewShot few_shot(dataset, {template_source, 4}, 1);
  const std::vector<AskedUnder> drawn = few_shot.shots(2, 1);
  BOOST_TEST(drawn.size() == 3U);
  for (std::size_t f = 0; f < 3; ++f) {
    BOOST_TEST(read_back(dataset, few_shot.context(drawn, 2, f), mask).size() == 2U);
  }
  BOOST_TEST(read_back(dataset, few_shot.context(drawn, 2), mask).size() == 3U);
  const MultiPromptDataset lone = shaped_many({{.facts = 1}});
  const FewShot alone(lone, {relation_source, 4}, 1);
  BOOST_TEST(prompt(alone, lone, 0, 0, 1) ==
             "Predict the [MASK] in each sentence in one word.\nQ: P0 t1: s0 and [MASK].\nA:");
}

BOOST_AUTO_TEST_CASE(a_draw_is_repeated_by_its_seed_setting_and_relation) {
  const MultiPromptDataset dataset = shaped_many({{.facts = 200}, {.facts = 200}});
  std::set<Shots> seen;
  std::size_t draws = 0;
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    for (const FewShotSetting& setting :
         {FewShotSetting{random_source, 8}, FewShotSetting{relation_source, 8},
          FewShotSetting{template_source, 8}, FewShotSetting{relation_source, 7}}) {
      const FewShot few_shot(dataset, setting, seed);
      for (const std::size_t relation : {0U, 1U}) {
        const Shots drawn = places(few_shot.shots(relation, 0));
        BOOST_TEST((places(FewShot(dataset, setting, seed).shots(relation, 0)) == drawn));
        BOOST_TEST((places(few_shot.shots(relation, 0)) == drawn));
        seen.insert(drawn);
        ++draws;
        if (setting.source != template_source) continue;
        // A different template also gets different facts as shots.
        std::set<std::size_t> facts, others;
        for (const auto& [unused, fact, under] : drawn) facts.insert(fact);
        for (const AskedUnder& shot : few_shot.shots(relation, 1)) others.insert(shot.fact);
        BOOST_TEST((facts != others));
      }
    }
  }
  BOOST_TEST(seen.size() == draws);
}

BOOST_AUTO_TEST_CASE(shots_of_a_relation_do_not_change_with_the_other_relations) {
  const MultiPromptDataset two = shaped_many({{.facts = 50}, {.facts = 50}});
  MultiPromptDataset one = two;
  one.relations.erase(one.relations.begin());
  for (const ShotSource source : {relation_source, template_source}) {
    const FewShot among(two, {source, 4}, 5), alone(one, {source, 4}, 5);
    for (std::size_t t = 0; t < 4; ++t) {
      Shots expected;
      for (const auto& [relation, fact, under] : places(alone.shots(0, t))) {
        expected.emplace_back(relation + 1, fact, under);
      }
      BOOST_TEST((places(among.shots(1, t)) == expected));
    }
  }
}

// Each draw takes 5 of 20 facts, so in 2000 draws each fact is expected 500 times, with a standard
// error of 19.4. Each of four templates is expected 2500 times in 10,000, with a standard error of
// 43. A deviation of more than five standard errors cannot plausibly be due to chance.
BOOST_AUTO_TEST_CASE(every_fact_and_template_is_drawn_as_often_as_another) {
  const MultiPromptDataset dataset = shaped_many({{.facts = 10}, {.facts = 10}});
  std::map<std::pair<std::size_t, std::size_t>, int> facts;
  std::map<std::size_t, int> templates;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const AskedUnder& shot : FewShot(dataset, {random_source, 4}, seed).shots(0, 0)) {
      ++facts[{shot.relation, shot.fact}];
      ++templates[shot.template_index];
    }
  }
  BOOST_TEST(facts.size() == 20U);
  for (const auto& [fact, times] : facts) BOOST_TEST((times > 403 && times < 597));
  BOOST_TEST(templates.size() == 4U);
  for (const auto& [one, times] : templates) BOOST_TEST((times > 2284 && times < 2716));
}

BOOST_AUTO_TEST_CASE(the_labels_of_the_subject_and_of_the_first_object_are_shown) {
  const MultiPromptDataset dataset = elements_many();
  const FewShot few_shot(dataset, {relation_source, 1}, 0);
  BOOST_TEST(few_shot.context({{1, 1, 0}}, 0, 0) ==
             "Predict the [MASK] in each sentence in one word.\n"
             "Q: salt contains [MASK].\n"
             "A: sodium.\n");
  // The subject of the question appears under the given name.
  BOOST_TEST(few_shot.question(1, 0, "table salt") == "Q: table salt contains [MASK].\nA:");
}

BOOST_AUTO_TEST_CASE(a_subject_is_written_as_it_is) {
  const MultiPromptDataset dataset = elements_many();
  const FewShot masks(dataset, {}, 0), questions(dataset, {none, 0, question}, 0);
  BOOST_TEST(masks.question(1, 0, "[Y] and [X]") == "Q: [Y] and [X] contains [MASK].\nA:");
  BOOST_TEST(questions.question(0, 2, "[Y]") == "Q: What is the symbol of [Y]?\nA:");
  BOOST_TEST(questions.question(0, 3, "über") == "Q: Which letters stand for über?\nA:");
  BOOST_TEST(masks.question(1, 0, "élan") == "Q: élan contains [MASK].\nA:");
}

BOOST_AUTO_TEST_CASE(a_text_without_content_stands_under_the_first_shots) {
  const MultiPromptDataset dataset = elements_many();
  const FewShot few_shot(dataset, {template_source, 2}, 7);
  // The drawn facts are sugar, water and salt.
  const std::string context = few_shot.context(few_shot.shots(1, 2), 1);
  BOOST_TEST(context + few_shot.question(1, 2, "") ==
             "Predict the [MASK] in each sentence in one word.\n"
             "Q: What does sugar contain? [MASK].\n"
             "A: carbon.\n"
             "Q: What does water contain? [MASK].\n"
             "A: hydrogen.\n"
             "Q: What does  contain? [MASK].\n"
             "A:");
}

BOOST_AUTO_TEST_CASE(without_shots_there_is_the_instruction_alone) {
  const MultiPromptDataset dataset = elements_many();
  BOOST_TEST(FewShot(dataset, {}, 0).shots(0, 0).empty());
  BOOST_TEST(FewShot(dataset, {none, 0, question}, 0).context({}, 0, 0) ==
             "Answer each question in one word.\n");
}

BOOST_AUTO_TEST_CASE(a_sentence_is_its_template_alone) {
  const MultiPromptDataset dataset = elements_many();
  const FewShot few_shot(dataset, {ShotSource::none, 0, PromptForm::sentence}, 0);
  BOOST_TEST(few_shot.name() == "masked");
  BOOST_TEST(few_shot.context({}, 0).empty());
  BOOST_TEST(few_shot.question(0, 0, "iron") == "The symbol of iron is [MASK].");
  BOOST_TEST((few_shot.templates(0) == std::vector<std::size_t>{0, 1, 2, 3}));
  const Prompt filled = few_shot.sentence(0, 1, "iron", "Fe");
  BOOST_TEST(filled.text == "Fe is how iron is written.");
  BOOST_TEST((filled.answer == std::vector<ByteSpan>{{0, 2}}));
}

BOOST_AUTO_TEST_SUITE_END()
