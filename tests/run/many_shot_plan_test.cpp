// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_plan.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_many_shot.hpp"

using namespace plumb::detail;
using test::births;
using test::pairs_text;
using test::says;

BOOST_AUTO_TEST_SUITE(many_shot_plan)

namespace {

using Indices = std::vector<std::size_t>;
using Words = std::vector<std::string>;

/// A relation and everything else that a plan needs.
struct Plan {
  Plan(Relation of, ManyShotOptions with, ObjectAliases others = {})
      : relation(std::move(of)), options(std::move(with)), aliases(std::move(others)) {}
  Plan(const Plan&) = delete;

  [[nodiscard]] std::vector<ManyShotBlock> blocks() const {
    std::vector<ManyShotBlock> all;
    asked.for_each_block([&](const ManyShotBlock& block) { all.push_back(block); });
    return all;
  }

  Relation relation;
  ManyShotOptions options;
  ObjectAliases aliases;
  ManyShotRelation asked{relation, aliases, options};
};

/// Options for twenty facts with eight different years, ten of them for training, and five choices
/// per question.
ManyShotOptions few_shots() {
  ManyShotOptions options;
  options.shots = {{1, 3}};
  options.seeds = 2;
  options.choices = 5;
  options.training = 10;
  return options;
}

/// Options for 130 facts, a hundred of them for training, without IC-LKE.
ManyShotOptions eic_alone() {
  ManyShotOptions options;
  options.shots = {};
  options.seeds = 2;
  options.choices = 12;
  return options;
}

/// Repeats the draw of a seed's shots.
Indices drawn(const Relation& relation, const FactSplit& split, std::uint64_t seed,
              std::size_t count) {
  Indices order = split.training;
  RandomStream random(seed, "shots/" + relation.code);
  random.shuffle(order);
  order.resize(count);
  return order;
}

/// The pieces into which a prompt is split before it is tokenised.
Words pieces(const Prompt& prompt) {
  Words all;
  std::size_t begin = 0;
  for (const auto& [cut, separator] : prompt.cuts) {
    all.push_back(prompt.text.substr(begin, cut - begin));
    begin = cut;
  }
  all.push_back(prompt.text.substr(begin));
  return all;
}

std::string answer_of(const Prompt& prompt) {
  BOOST_REQUIRE(prompt.answer.size() == 1U);
  const auto [begin, end] = prompt.answer.front();
  BOOST_TEST(end == prompt.text.size());  // nothing follows a choice
  return prompt.text.substr(begin, end - begin);
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_separator_and_seed_is_a_block_of_all_numbers_of_shots) {
  ManyShotOptions options = few_shots();
  options.pair_separators = {" ", " was born in "};
  options.item_separator = "; ";
  const Plan plan(births(20, 8), options);
  const FactSplit& split = plan.asked.split();
  const auto blocks = plan.blocks();
  BOOST_REQUIRE(blocks.size() == 4U);
  for (std::size_t b = 0; b < 4; ++b) {
    const ManyShotBlock& block = blocks[b];
    const std::string& separator = options.pair_separators[b / 2];
    const std::size_t seed = b % 2;
    const Indices shots = drawn(plan.relation, split, seed, 3);
    BOOST_TEST(block.form.sequence(block.shots).text ==
               pairs_text(plan.relation, shots, separator, "; "));
    BOOST_TEST(block.shots.size() == 3U);
    BOOST_TEST(block.first_fact == 0U);
    BOOST_TEST(block.facts == 10U);
    BOOST_REQUIRE(block.settings.size() == 2U);
    for (std::size_t s = 0; s < 2; ++s) {
      const std::size_t n = options.shots.numbers[s];
      const Setting& setting = block.settings[s];
      BOOST_TEST(setting.method == "ic");
      BOOST_TEST(setting.shots == n);
      BOOST_TEST(setting.separator == separator);
      BOOST_TEST(setting.by == "choice");
      BOOST_TEST(setting.variant == seed);
      for (std::size_t f = 0; f < block.facts; ++f) {
        const std::string opening =
            pairs_text(plan.relation, std::span(shots).first(n), separator, "; ") + "; " +
            plan.relation.facts[split.test[f]].subject;
        BOOST_TEST(block.opening(s, f).text == opening);
        BOOST_TEST(block.opening(s, f).answer.empty());
        const Query query = block.query(s, f);
        const Choices& choices = plan.asked.choices()[f];
        BOOST_REQUIRE(query.candidates.size() == choices.options.size());
        for (std::size_t c = 0; c < choices.options.size(); ++c) {
          const std::string& label = plan.relation.options[choices.options[c]];
          BOOST_TEST(query.candidates[c].text == opening + separator + label);
          BOOST_TEST(answer_of(query.candidates[c]) == label);
        }
      }
    }
  }
  BOOST_TEST(blocks[0].shots[0].subject !=
             blocks[1].shots[0].subject);  // each seed draws different shots
}

BOOST_AUTO_TEST_CASE(shots_are_training_facts_and_questions_are_not) {
  const Plan plan(births(20, 8), few_shots());
  const FactSplit& split = plan.asked.split();
  BOOST_TEST(split.training.size() == 10U);
  BOOST_TEST(split.test.size() == 10U);
  std::set<std::string> training, test;
  for (const std::size_t f : split.training) training.insert(plan.relation.facts[f].subject);
  for (std::size_t f = 0; f < split.test.size(); ++f) {
    BOOST_TEST(!training.contains(plan.asked.test_fact(f).subject));
    BOOST_TEST(plan.asked.test_fact(f).subject == plan.relation.facts[split.test[f]].subject);
  }
  for (const ManyShotBlock& block : plan.blocks()) {
    for (const SubjectObject& shot : block.shots) BOOST_TEST(training.contains(shot.subject));
  }
}

BOOST_AUTO_TEST_CASE(split_and_choices_do_not_move_with_the_shots) {
  const Plan plan(births(20, 8), few_shots());
  ManyShotOptions more = few_shots();
  more.shots = {{2, 8}};
  more.seeds = 4;
  const Plan other(births(20, 8), more);
  BOOST_TEST((plan.asked.split().test == other.asked.split().test));
  for (std::size_t f = 0; f < 10; ++f) {
    const Choices& choices = plan.asked.choices()[f];
    BOOST_TEST(choices.options.size() == 5U);
    BOOST_TEST(choices.options[choices.answer] == plan.asked.test_fact(f).answer);
    BOOST_TEST((choices.options == other.asked.choices()[f].options));
  }
  ManyShotOptions elsewhere = few_shots();
  elsewhere.split_seed = 1;
  BOOST_TEST((plan.asked.split().test != Plan(births(20, 8), elsewhere).asked.split().test));
  ManyShotOptions others = few_shots();
  others.choice_seed = 1;
  const Plan redrawn(births(20, 8), others);
  bool same = true;
  for (std::size_t f = 0; f < 10; ++f) {
    same = same && plan.asked.choices()[f].options == redrawn.asked.choices()[f].options;
  }
  BOOST_TEST(!same);
}

BOOST_AUTO_TEST_CASE(a_limit_takes_the_first_test_facts_and_leaves_the_shots) {
  ManyShotOptions options = few_shots();
  options.limit = 4;
  const Plan plan(births(20, 8), options);
  const Plan all(births(20, 8), few_shots());
  const Indices first(all.asked.split().test.begin(), all.asked.split().test.begin() + 4);
  BOOST_TEST((plan.asked.split().test == first));
  BOOST_TEST((plan.asked.split().training == all.asked.split().training));
  BOOST_TEST(plan.asked.choices().size() == 4U);
  BOOST_TEST(plan.blocks()[0].facts == 4U);
  options.limit = 11;
  BOOST_TEST(Plan(births(20, 8), options).asked.split().test.size() == 10U);
}

BOOST_AUTO_TEST_CASE(the_datasets_own_split_and_choices_are_kept) {
  Relation relation = births(12, 6);
  for (Fact& fact : relation.facts) {
    fact.part = fact.instance < 8 ? FactPart::training : FactPart::test;
    if (fact.instance >= 8) {
      fact.offered = {static_cast<std::uint32_t>(fact.answer), 5};
      std::ranges::sort(fact.offered);
      if (fact.answer == 5) fact.offered = {0, 5};
    }
  }
  const Plan plan(relation, few_shots());
  BOOST_TEST((plan.asked.split().test == Indices{8, 9, 10, 11}));
  BOOST_TEST((plan.asked.choices()[0].options == std::vector<std::uint32_t>{2, 5}));
  BOOST_TEST(plan.asked.notes().empty());  // the dataset itself provides fewer than five
  relation.facts[3].part = FactPart::unsaid;
  BOOST_CHECK_EXCEPTION(Plan(relation, few_shots()), Error,
                        says(Fault::user, "birth.jsonl:4: split: is missing"));
}

// The expected sequences follow the paper and are built pair by pair: test fact q comes after pair
// 50 + 5q.
BOOST_AUTO_TEST_CASE(eic_puts_ten_test_facts_into_a_row_of_training_pairs) {
  ManyShotOptions options = eic_alone();
  options.eic_paper = true;
  options.limit = 23;
  Relation relation = births(130, 30);
  const Indices test = train_test_split(relation, 100, 0).test;
  Fact& short_one = relation.facts[test[4]];  // it has three choices, which are repeated
  const auto answer = static_cast<std::uint32_t>(short_one.answer);
  short_one.offered = {answer, (answer + 3) % 30, (answer + 7) % 30};
  std::ranges::sort(short_one.offered);
  const Plan plan(relation, options);
  const auto blocks = plan.blocks();
  BOOST_REQUIRE(blocks.size() == 2U * 3U);  // two seeds; blocks of ten, ten and three facts
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const ManyShotBlock& block = blocks[b];
    const std::size_t seed = b / 3;
    const std::size_t first = b % 3 * 10;
    const std::size_t count = b % 3 == 2 ? 3 : 10;
    BOOST_TEST(block.first_fact == first);
    BOOST_TEST(block.facts == count);
    BOOST_REQUIRE(block.settings.size() == 1U);
    BOOST_TEST(block.settings[0].method == "eic");
    BOOST_TEST(block.settings[0].shots == 50U);
    BOOST_TEST(block.settings[0].separator == " ");
    BOOST_TEST(block.settings[0].variant == seed);
    BOOST_TEST(block.shots.size() == 50U);  // the common prefix of all sequences of the block
    BOOST_TEST(!block.opening);

    // For each fact of the block: its choices in the order in which they appear in sequences 0, 1,
    // ….
    std::vector<Words> shuffled;
    std::size_t sequences = 0;
    for (std::size_t f = first; f < first + count; ++f) {
      Indices places(plan.asked.choices()[f].options.size());
      for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
      RandomStream random(seed, "eic/birth/" + plan.asked.test_fact(f).subject_id);
      random.shuffle(places);
      Words& labels = shuffled.emplace_back();
      for (const std::size_t place : places) {
        labels.push_back(relation.options[plan.asked.choices()[f].options[place]]);
      }
      sequences = std::max(sequences, labels.size());
    }
    BOOST_TEST(sequences == 12U);
    // For each fact and label: the pieces up to the end of the corresponding question.
    std::vector<std::map<std::string, Words>> expected(count);
    const Indices pairs = drawn(relation, plan.asked.split(), seed, 95);
    for (std::size_t j = 0; j < sequences; ++j) {
      Words parts;
      const auto put = [&](const std::string& subject, const std::string& object) {
        if (!parts.empty()) parts.push_back(",");
        parts.insert(parts.end(), {subject, " ", object});
      };
      for (std::size_t p = 0; p <= 95; ++p) {
        if (p >= 50 && p % 5 == 0 && (p - 50) / 5 < count) {
          const std::size_t q = (p - 50) / 5;
          const std::string& label = shuffled[q][j % shuffled[q].size()];
          put(plan.asked.test_fact(first + q).subject, label);
          // only the first sequence that contains the label counts
          expected[q].try_emplace(label, parts);
        }
        if (p == 95) break;
        const Fact& fact = relation.facts[pairs[p]];
        put(fact.subject, relation.options[fact.answer]);
      }
    }
    for (std::size_t q = 0; q < count; ++q) {
      const Query query = block.query(0, first + q);
      const Choices& choices = plan.asked.choices()[first + q];
      BOOST_REQUIRE(query.candidates.size() == choices.options.size());
      for (std::size_t c = 0; c < choices.options.size(); ++c) {
        const std::string& label = relation.options[choices.options[c]];
        BOOST_TEST((pieces(query.candidates[c]) == expected[q].at(label)));
        BOOST_TEST(answer_of(query.candidates[c]) == label);
      }
    }
  }
  BOOST_TEST(blocks[0].query(0, 4).candidates.size() == 3U);
}

// The first sequence contains four pairs, a question, two pairs, a question, two pairs and a
// question; the second has a single question.
BOOST_AUTO_TEST_CASE(a_row_of_eic_can_be_shorter) {
  ManyShotOptions options = few_shots();
  options.shots = {{4, 6, 8}};
  options.seeds = 1;
  options.eic_paper = options.eic_isolated = true;
  options.eic_form = {" ", " ", Join::text};
  options.eic_geometry = {.first = 4, .step = 2, .questions = 3};
  options.limit = 4;
  const Plan plan(births(20, 8), options);
  BOOST_TEST(plan.asked.has_eic());
  const auto blocks = plan.blocks();
  BOOST_REQUIRE(blocks.size() == 4U);  // ic, isolated, three facts and one fact
  const ManyShotBlock &isolated = blocks[1], &row = blocks[2], &rest = blocks[3];
  BOOST_TEST(isolated.settings[0].shots == 4U);
  BOOST_TEST(isolated.shots.size() == 8U);
  BOOST_TEST(row.settings[0].shots == 4U);
  BOOST_TEST(row.shots.size() == 4U);
  BOOST_TEST(row.facts == 3U);
  BOOST_TEST(rest.first_fact == 3U);
  BOOST_TEST(rest.facts == 1U);
  for (std::size_t f = 0; f < 4; ++f) {  // the fourth fact is in the first fact's position
    BOOST_TEST(isolated.query(0, f).candidates.back().text ==
               blocks[0].query(f % 3, f).candidates.back().text);
    BOOST_TEST(isolated.before(f).pairs == 4 + 2 * (f % 3));
  }
  BOOST_TEST(row.before(2).pairs == 8U);
  BOOST_TEST(row.before(2).asked.size() == 2U);
  BOOST_TEST(rest.before(3).pairs == 4U);
  BOOST_TEST(rest.before(3).asked.empty());

  const Indices shots = drawn(plan.relation, plan.asked.split(), 0, 8);
  const auto shown = [&](std::size_t from, std::size_t to) {
    return pairs_text(plan.relation, std::span(shots).subspan(from, to - from)) + " ";
  };
  // The text of the sequence that contains the third fact's first choice.
  const std::vector<std::size_t> order = row.before(2).order;
  const auto j = static_cast<std::size_t>(std::ranges::find(order, 0U) - order.begin());
  const auto question = [&](std::size_t f, std::size_t place) {
    const Choices& choices = plan.asked.choices()[f];
    return plan.asked.test_fact(f).subject + " " + plan.relation.options[choices.options[place]];
  };
  BOOST_TEST(row.query(0, 2).candidates[0].text ==
             shown(0, 4) + question(0, row.before(0).order[j]) + " " + shown(4, 6) +
                 question(1, row.before(1).order[j]) + " " + shown(6, 8) + question(2, 0));
  BOOST_TEST(plan.asked.statements() == 4U * 5U * (3U + 2U));

  options.eic_geometry.step = 3;  // requires exactly the ten pairs that exist
  BOOST_TEST(Plan(births(20, 8), options).asked.has_eic());
  options.eic_geometry.first = 5;
  const Plan few(births(20, 8), options);
  BOOST_TEST(!few.asked.has_eic());
  BOOST_TEST(few.asked.notes().back().what == "no EIC-LKE, which needs 11 training facts");
  BOOST_TEST(few.asked.notes().back().detail == "10");
  options.eic_geometry.questions = 0;
  BOOST_CHECK_EXCEPTION(Plan(births(20, 8), options), Error, says(Fault::user, "`eic-questions`"));
}

BOOST_AUTO_TEST_CASE(eic_isolated_is_ic_lke_behind_as_many_shots) {
  ManyShotOptions options = eic_alone();
  options.shots = {{50, 55, 60, 65, 70, 75, 80, 85, 90, 95}};
  options.eic_isolated = true;
  options.eic_form = {" ", " ", Join::text};
  options.limit = 13;
  const Plan plan(births(130, 30), options);
  const auto blocks = plan.blocks();
  BOOST_REQUIRE(blocks.size() == 4U);
  for (const std::size_t seed : {0U, 1U}) {
    const ManyShotBlock& ic = blocks[seed];
    const ManyShotBlock& isolated = blocks[2 + seed];
    BOOST_REQUIRE(isolated.settings.size() == 1U);
    BOOST_TEST(isolated.settings[0].method == "eic-isolated");
    BOOST_TEST(isolated.settings[0].shots == 50U);
    BOOST_TEST(isolated.settings[0].variant == seed);
    BOOST_TEST(isolated.facts == 13U);
    BOOST_TEST(isolated.shots.size() == 95U);
    BOOST_TEST(!isolated.opening);
    for (std::size_t f = 0; f < 13; ++f) {
      const Query ours = isolated.query(0, f);
      const Query theirs = ic.query(f % 10, f);
      BOOST_REQUIRE(ours.candidates.size() == 12U);
      for (std::size_t c = 0; c < 12; ++c) {
        BOOST_TEST(ours.candidates[c].text == theirs.candidates[c].text);
        BOOST_TEST((ours.candidates[c].answer == theirs.candidates[c].answer));
        BOOST_TEST(ours.candidates[c].cuts.empty());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(both_kinds_of_eic_stand_side_by_side_seed_by_seed) {
  ManyShotOptions options = eic_alone();
  options.eic_isolated = options.eic_paper = true;
  options.limit = 11;
  const Plan plan(births(130, 30), options);
  Words methods;
  for (const ManyShotBlock& block : plan.blocks()) methods.push_back(block.settings[0].method);
  BOOST_TEST((methods == Words{"eic-isolated", "eic", "eic", "eic-isolated", "eic", "eic"}));
}

// tests/cli/data_prompts_test.cpp checks that these orders match those in the sequences.
BOOST_AUTO_TEST_CASE(a_question_of_eic_knows_what_stands_before_it) {
  ManyShotOptions options = eic_alone();
  options.shots = {{1}};
  options.seeds = 1;
  options.eic_isolated = options.eic_paper = true;
  options.limit = 12;
  const Plan plan(births(130, 30), options);
  const auto blocks = plan.blocks();
  BOOST_REQUIRE(blocks.size() == 4U);  // ic, isolated, ten facts and two facts
  BOOST_TEST(!blocks[0].before);
  BOOST_TEST((blocks[1].before(11) == PrecedingTexts{55, {}, {}}));
  const PrecedingTexts third = blocks[2].before(2), last = blocks[3].before(11);
  BOOST_TEST(third.pairs == 60U);
  BOOST_TEST(third.asked ==
             (Indices{plan.asked.test_fact(0).instance, plan.asked.test_fact(1).instance}));
  BOOST_TEST(last.pairs == 55U);
  BOOST_TEST(last.asked == Indices{plan.asked.test_fact(10).instance});
  const std::set<std::size_t> places(third.order.begin(), third.order.end());
  BOOST_TEST(third.order.size() == 12U);
  BOOST_TEST(places.size() == 12U);
  BOOST_TEST(*places.rbegin() == 11U);
}

BOOST_AUTO_TEST_CASE(shots_are_identified_by_instance) {
  ManyShotOptions options = few_shots();
  Relation relation = births(20, 8);
  for (Fact& fact : relation.facts) fact.instance += 100;
  const Plan plan(relation, options);
  const auto order = shot_order(plan.relation, plan.asked.split(), 1);
  BOOST_TEST(plan.asked.shot_instances(1, 3) ==
             (Indices{order[0] + 100, order[1] + 100, order[2] + 100}));
  BOOST_TEST(plan.asked.shot_instances(1).size() == 10U);
}

BOOST_AUTO_TEST_CASE(eic_without_95_training_facts_is_skipped_with_a_note) {
  ManyShotOptions options = eic_alone();
  options.eic_paper = true;
  const auto with_training = [](std::size_t count) {
    Relation relation = births(count + 5, 30);
    for (Fact& fact : relation.facts) {
      fact.part = fact.instance < count ? FactPart::training : FactPart::test;
    }
    return relation;
  };
  const Plan enough(with_training(95), options);
  BOOST_TEST(!enough.blocks().empty());
  BOOST_TEST(enough.asked.notes().empty());
  const Plan few(with_training(94), options);
  BOOST_TEST(few.blocks().empty());
  BOOST_TEST(few.asked.statements() == 0U);
  BOOST_REQUIRE(few.asked.notes().size() == 1U);
  BOOST_TEST(few.asked.notes()[0].what == "no EIC-LKE, which needs 95 training facts");
  BOOST_TEST(few.asked.notes()[0].detail == "94");
  BOOST_TEST(!few.asked.skipped());
}

BOOST_AUTO_TEST_CASE(templates_make_one_block_for_the_relation_that_has_them) {
  ManyShotOptions options = few_shots();
  options.shots = {};
  options.baselines["birth"] = {
      "born", {"{subject} was born in", "Born: {subject},"}, {"the birth of {subject} in"}};
  options.baselines["other"] = {"x", {"{subject}"}, {}};
  const Plan plan(births(20, 8), options);
  const auto blocks = plan.blocks();
  BOOST_REQUIRE(blocks.size() == 1U);
  const ManyShotBlock& block = blocks[0];
  BOOST_REQUIRE(block.settings.size() == 3U);
  const std::vector<std::pair<std::string, std::size_t>> expected{
      {"hgp", 0}, {"hgp", 1}, {"mmp", 0}};
  for (std::size_t s = 0; s < 3; ++s) {
    BOOST_TEST(block.settings[s].method == expected[s].first);
    BOOST_TEST(block.settings[s].variant == expected[s].second);
    BOOST_TEST(block.settings[s].shots == 0U);
    BOOST_TEST(block.settings[s].separator.empty());
  }
  BOOST_TEST(block.shots.empty());
  BOOST_TEST(block.facts == 10U);
  const std::string subject = plan.asked.test_fact(6).subject;
  const Words openings{subject + " was born in", "Born: " + subject + ",",
                       "the birth of " + subject + " in"};
  for (std::size_t s = 0; s < 3; ++s) {
    BOOST_TEST(block.opening(s, 6).text == openings[s]);
    const Query query = block.query(s, 6);
    BOOST_REQUIRE(query.candidates.size() == 5U);
    for (std::size_t c = 0; c < 5; ++c) {
      const std::string& label = plan.relation.options[plan.asked.choices()[6].options[c]];
      BOOST_TEST(query.candidates[c].text == openings[s] + " " + label);
      BOOST_TEST(answer_of(query.candidates[c]) == label);
    }
  }
  BOOST_TEST(Plan(births(20, 8, "without"), options).blocks().empty());
}

BOOST_AUTO_TEST_CASE(a_relations_own_separators_follow_the_others_each_once) {
  ManyShotOptions options = few_shots();
  options.seeds = 1;
  options.pair_separators = {" ", " is of "};
  options.relation_separators["birth"] = {" in ", " is of ", " in ", " of "};
  options.relation_separators["other"] = {" by "};
  const Plan plan(births(20, 8), options);
  Words separators;
  for (const ManyShotBlock& block : plan.blocks()) separators.push_back(block.form.pair_separator);
  BOOST_TEST((separators == Words{" ", " is of ", " in ", " of "}));
  BOOST_TEST(Plan(births(20, 8, "without"), options).blocks().size() == 2U);
}

BOOST_AUTO_TEST_CASE(statements_are_what_the_blocks_ask) {
  std::vector<ManyShotOptions> all(6, few_shots());
  all[1].pair_separators = {" ", " in "};
  all[1].relation_separators["birth"] = {" in ", " of "};
  all[2].shots = {};
  all[2].baselines["birth"] = {"", {"a {subject}", "b {subject}"}, {"c {subject}"}};
  for (std::size_t i = 3; i < 6; ++i) {
    all[i].training = 100;
    all[i].limit = 17;
    all[i].eic_paper = i != 4;
    all[i].eic_isolated = i != 3;
  }
  for (const ManyShotOptions& options : all) {
    const Plan plan(births(130, 8), options);
    std::size_t asked = 0;
    for (const ManyShotBlock& block : plan.blocks()) {
      for (std::size_t s = 0; s < block.settings.size(); ++s) {
        for (std::size_t f = block.first_fact; f < block.first_fact + block.facts; ++f) {
          asked += block.query(s, f).candidates.size();
        }
      }
    }
    BOOST_TEST(asked > 0U);
    BOOST_TEST(plan.asked.statements() == asked);
  }
}

BOOST_AUTO_TEST_CASE(relations_that_are_too_small_are_skipped_with_the_reason) {
  const auto skipped = [](Relation relation, const ManyShotOptions& options,
                          const std::string& what, const std::string& detail) {
    const Plan plan(std::move(relation), options);
    BOOST_REQUIRE(plan.asked.skipped().has_value());
    BOOST_TEST(plan.asked.skipped()->what == "skipped for having fewer than " + what);
    BOOST_TEST(plan.asked.skipped()->detail == detail);
    BOOST_TEST(plan.blocks().empty());
    BOOST_TEST(plan.asked.statements() == 0U);
    BOOST_TEST(plan.asked.choices().empty());
  };
  ManyShotOptions options = few_shots();
  options.least_facts = 20;
  options.least_objects = 8;
  BOOST_TEST(!Plan(births(20, 8), options).asked.skipped());
  skipped(births(19, 8), options, "20 facts", "19");
  skipped(births(20, 7), options, "8 objects", "7");
  skipped(births(19, 7), options, "20 facts", "19");  // the first reason is reported
  options = few_shots();
  options.shots = {{1, 11}};
  skipped(births(20, 8), options, "11 training facts for the shots", "10");
  options.training = 100;
  options.shots = {{16}};
  BOOST_TEST(!Plan(births(20, 8), options).asked.skipped());  // four fifths of the 20 facts are 16
  options.shots = {{17}};
  skipped(births(20, 8), options, "17 training facts for the shots", "16");
  Relation all_training = births(20, 8);
  for (Fact& fact : all_training.facts) fact.part = FactPart::training;
  skipped(all_training, few_shots(), "1 test facts", "0");
}

BOOST_AUTO_TEST_CASE(fewer_choices_than_asked_for_are_noted) {
  const Plan enough(births(20, 5), few_shots());
  BOOST_TEST(enough.asked.notes().empty());
  const Plan fewer(births(20, 4), few_shots());
  BOOST_REQUIRE(fewer.asked.notes().size() == 1U);
  BOOST_TEST(fewer.asked.notes()[0].what ==
             "fewer than 5 choices per fact, because there are no more objects");
  BOOST_TEST(fewer.asked.notes()[0].detail == "4");
  BOOST_TEST(!fewer.asked.skipped());
  // An alias of the answer is not a wrong choice, so one of the facts has one choice fewer.
  const Plan aliased(births(20, 5), few_shots(), {{"y2", {"1803"}}});
  BOOST_REQUIRE(aliased.asked.notes().size() == 1U);
  BOOST_TEST(aliased.asked.notes()[0].detail == "4");
}

BOOST_AUTO_TEST_CASE(a_fact_without_a_wrong_choice_is_refused_by_name) {
  Relation relation = births(20, 2);
  for (std::size_t i = 0; i < 20; i += 2) {  // everybody was born in both years
    relation.facts[i].subject_id = relation.facts[i + 1].subject_id = "p" + std::to_string(i);
  }
  BOOST_CHECK_EXCEPTION(Plan(relation, few_shots()), Error,
                        says(Fault::user, "has no wrong choice; remove the fact or add objects"));
}

BOOST_AUTO_TEST_SUITE_END()
