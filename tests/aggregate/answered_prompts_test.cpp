// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/answered_prompts.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_consistency.hpp"
#include "support/errors.hpp"
#include "support/slow_matching.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::GenerationFolder;
using test::PluralStems;
using test::says;

BOOST_AUTO_TEST_SUITE(answered_prompts_suite)

namespace {

using Rows = std::vector<RecordedAnswer>;
using Sizes = std::vector<std::size_t>;
using Words = std::vector<std::string>;

const auto each = boost::test_tools::per_element();

template <class Lemmas = SameWord>
AnsweredSetting answered_by(const MultiPromptDataset& asked, const Rows& rows,
                            const Lemmas& lemmas = {}) {
  GenerationFolder folder(asked);
  folder.setting("zero-shot", rows);
  return read_answered(folder.path(), "zero-shot", folder.asked(), lemmas);
}

AnsweredSetting answered_by(const Rows& rows) {
  return answered_by(elements_many(), rows);
}

/// An answer to a prompt of elements_many.
RecordedAnswer row(std::size_t relation, const AskedPrompt& prompt, const std::string& text,
                   std::uint32_t tokens = 1) {
  const MultiPromptDataset dataset = elements_many();
  const MultiPromptRelation& of = dataset.relations.at(relation);
  return {of.code, prompt, of.facts.at(prompt.fact).subject.names.at(prompt.expression),
          text,    tokens, -0.5 * tokens};
}

/// Answers to the prompts of elements_many, drawn from a few words. A quarter of the prompts have
/// no row.
Rows random_rows(std::uint64_t seed) {
  RandomStream random(seed, "answers");
  Rows rows;
  const MultiPromptDataset dataset = elements_many();
  for (std::size_t r = 0; r < dataset.relations.size(); ++r) {
    const MultiPromptRelation& relation = dataset.relations[r];
    const std::size_t first = rows.size();
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      for (std::size_t t = 0; t < relation.templates.size(); ++t) {
        for (std::size_t e = 0; e < relation.facts[f].subject.names.size(); ++e) {
          if (random.below(4) == 0) continue;
          rows.push_back(row(r,
                             {static_cast<std::uint32_t>(f), static_cast<std::uint16_t>(t),
                              static_cast<std::uint16_t>(e)},
                             test::random_answer(random),
                             static_cast<std::uint32_t>(random.below(5))));
        }
      }
    }
    std::vector<RecordedAnswer> shuffled(rows.begin() + static_cast<std::ptrdiff_t>(first),
                                         rows.end());
    random.shuffle(shuffled);
    std::ranges::copy(shuffled, rows.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return rows;
}

/// Checks that reading rejects a damaged row that follows a valid one.
void refuses(const RecordedAnswer& damaged, const std::string& words) {
  GenerationFolder folder;
  folder.setting("zero-shot", {row(1, {0, 0, 0}, "oxygen"), damaged, row(2, {0, 0, 0}, "a gas")});
  BOOST_CHECK_EXCEPTION((void)read_answered(folder.path(), "zero-shot", folder.asked(), SameWord{}),
                        Error,
                        says(Fault::user, "zero-shot_answers.jsonl:2: " + words +
                                              "; the file was changed; run the job again"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_answer_is_right_if_it_holds_some_name_of_some_object) {
  const AnsweredSetting made = answered_by(
      {row(1, {0, 0, 0}, "Oxygen."), row(1, {0, 1, 0}, " some dioxygen, I think"),
       row(1, {0, 2, 0}, "nitrogen"), row(1, {1, 0, 0}, "natrium"), row(1, {1, 0, 1}, "sodiums"),
       row(2, {0, 0, 0}, "a noble gas"), row(2, {0, 0, 1}, "a noble, rare gas"),
       row(2, {0, 1, 0}, "noble"), row(2, {0, 1, 1}, "noblegas")});
  BOOST_TEST(made.name == "zero-shot");
  const PromptOutcomes& table = made.outcomes;
  BOOST_REQUIRE(table.relations().size() == 3U);
  const auto right = [&](std::size_t fact) {
    std::vector<bool> all;
    for (const PromptOutcome& prompt : table.prompts(fact)) all.push_back(prompt.right);
    return all;
  };
  BOOST_TEST((right(6) == std::vector<bool>{true, true, false}));
  BOOST_TEST((right(7) == std::vector<bool>{true, false}));
  // The text "noble, rare gas" contains "rare gas", which is one of the names. Part of a name does
  // not match.
  BOOST_TEST((right(10) == std::vector<bool>{true, true, false, false}));
}

BOOST_AUTO_TEST_CASE(all_that_was_asked_is_there_whatever_was_answered) {
  const AnsweredSetting made = answered_by({row(1, {2, 1, 0}, "iron")});
  const auto& relations = made.outcomes.relations();
  const MultiPromptDataset dataset = elements_many();
  BOOST_REQUIRE(relations.size() == 3U);
  std::size_t facts = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    BOOST_TEST(relations[r].code == dataset.relations[r].code);
    BOOST_TEST(relations[r].first_fact == facts);
    BOOST_TEST(relations[r].facts == dataset.relations[r].facts.size());
    BOOST_REQUIRE(relations[r].templates.size() == dataset.relations[r].templates.size());
    BOOST_TEST(relations[r].templates[1].text == dataset.relations[r].templates[1].text);
    BOOST_TEST(relations[r].templates[1].group == dataset.relations[r].templates[1].group);
    facts += relations[r].facts;
  }
  BOOST_TEST(made.outcomes.facts() == 13U);
  BOOST_TEST(made.outcomes.prompts() == 1U);
  BOOST_TEST(made.outcomes.key(0) == "Qhydrogen");
  BOOST_TEST(made.outcomes.key(8) == "Qrust");
  BOOST_TEST(made.likelihoods.strata == (Sizes{6, 4, 3}), each);
  BOOST_TEST(made.likelihoods.facts == (Sizes{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}), each);
  // A fact without an answer has no fraction of one-word answers.
  BOOST_TEST(made.one_word.strata == (Sizes{0, 1, 0}), each);
  BOOST_TEST(made.one_word.values == std::vector<double>{1}, each);

  const AnsweredSetting none = answered_by(Rows{});
  BOOST_TEST(none.outcomes.facts() == 13U);
  BOOST_TEST(none.outcomes.prompts() == 0U);
  BOOST_TEST(none.likelihoods.strata == (Sizes{6, 4, 3}), each);
}

BOOST_AUTO_TEST_CASE(a_fact_is_known_by_its_identifier_or_else_by_its_label) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[0].facts[0].subject.id.clear();
  const test::TemporaryFolder folder;
  folder.write("zero-shot_answers.jsonl", "");
  const AnsweredSetting made = read_answered(folder.path(), "zero-shot", dataset, SameWord{});
  BOOST_TEST(made.outcomes.key(0) == "hydrogen");
  BOOST_TEST(made.outcomes.key(1) == "Qhelium");
}

BOOST_AUTO_TEST_CASE(answers_are_numbered_by_their_words_over_all_facts) {
  const AnsweredSetting made =
      answered_by({row(0, {0, 0, 0}, "H"), row(0, {0, 1, 0}, " h."), row(0, {1, 0, 0}, "H!"),
                   row(0, {1, 1, 0}, "the H"), row(0, {2, 0, 0}, "..."), row(1, {0, 0, 0}, ""),
                   row(2, {0, 0, 0}, "The h")});
  BOOST_REQUIRE(made.answers.size() == 3U);
  BOOST_TEST(made.answers[0].spaced() == " h ");
  BOOST_TEST(made.answers[1].spaced() == " the h ");
  BOOST_TEST(made.answers[2].empty());
  const auto answer = [&](std::size_t fact, std::size_t prompt) {
    return made.outcomes.prompts(fact)[prompt].answer;
  };
  BOOST_TEST(answer(0, 0) == 0U);
  BOOST_TEST(answer(0, 1) == 0U);
  BOOST_TEST(answer(1, 0) == 0U);
  BOOST_TEST(answer(1, 1) == 1U);
  BOOST_TEST(answer(2, 0) == 2U);
  BOOST_TEST(answer(6, 0) == 2U);
  BOOST_TEST(answer(10, 0) == 1U);
  BOOST_TEST(made.wordless == 2U);
  BOOST_TEST(made.empty == 1U);
  BOOST_TEST(!made.cut.has_value());
  const MatchingAnswers match{made.answers};
  BOOST_TEST(match(0, 1));
  BOOST_TEST(match(1, 0));
  BOOST_TEST(!match(0, 2));
  BOOST_TEST(!match(2, 1));
}

BOOST_AUTO_TEST_CASE(answers_of_white_space_are_empty_and_those_at_the_limit_were_cut) {
  const Rows rows{row(0, {0, 0, 0}, "\n\nH", 3), row(0, {1, 0, 0}, "\n \u00A0", 4),
                  row(0, {2, 0, 0}, "...", 4), row(0, {3, 0, 0}, "", 0)};
  const auto judged = [&](std::optional<std::size_t> most) {
    return answered_setting(
        "zero-shot", elements_many(), SameWord{},
        [&](auto visit) {
          for (const RecordedAnswer& one : rows) visit(one);
        },
        {}, most);
  };
  BOOST_TEST(judged(4).empty == 2U);
  BOOST_TEST(judged(4).wordless == 3U);
  BOOST_TEST(judged(4).cut.value() == 2U);
  BOOST_TEST(judged(5).cut.value() == 0U);
  BOOST_TEST(!judged(std::nullopt).cut.has_value());
  BOOST_TEST(judged(4).outcomes.prompts(0)[0].right);
}

BOOST_AUTO_TEST_CASE(lemmas_decide_what_is_right_and_what_is_one_answer) {
  const Rows rows{row(0, {0, 0, 0}, "hydrogens"), row(2, {2, 0, 0}, "metals"),
                  row(2, {2, 1, 0}, "metal")};
  const AnsweredSetting words = answered_by(rows);
  BOOST_TEST(!words.outcomes.prompts(12)[0].right);
  BOOST_TEST(words.answers.size() == 3U);
  const AnsweredSetting stems = answered_by(elements_many(), rows, PluralStems{});
  BOOST_TEST(stems.outcomes.prompts(12)[0].right);
  BOOST_TEST(stems.answers.size() == 2U);
}

// Names without a word are dropped. Only an empty answer could match the output "", and there is
// none.
BOOST_AUTO_TEST_CASE(names_without_a_word_are_matched_by_nothing) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[0].facts[0].objects[0].names = {"?", "H"};
  dataset.relations[0].facts[1].objects[0].names = {"?"};
  const AnsweredSetting made =
      answered_by(dataset, {row(0, {0, 0, 0}, ""), row(0, {0, 1, 0}, "?"), row(0, {0, 2, 0}, "H?"),
                            row(0, {1, 0, 0}, ""), row(0, {1, 1, 0}, "?")});
  BOOST_TEST(!made.outcomes.prompts(0)[0].right);
  BOOST_TEST(!made.outcomes.prompts(0)[1].right);
  BOOST_TEST(made.outcomes.prompts(0)[2].right);
  BOOST_TEST(!made.outcomes.prompts(1)[0].right);
  BOOST_TEST(!made.outcomes.prompts(1)[1].right);
  BOOST_TEST(made.wordless == 4U);
}

BOOST_AUTO_TEST_CASE(answers_that_name_several_objects_are_listed_and_right_once) {
  const AnsweredSetting made = answered_by(
      {row(1, {0, 0, 0}, "hydrogen and oxygen"), row(1, {0, 1, 0}, "oxygen, dioxygen"),
       row(1, {1, 0, 1}, "chlorine"), row(1, {3, 0, 0}, "Carbon, hydrogen, dioxygen, oxygen.")});
  BOOST_REQUIRE(made.of_several.size() == 2U);
  BOOST_TEST(made.of_several[0].relation == "contains");
  BOOST_TEST(made.of_several[0].subject == "water");
  BOOST_TEST(made.of_several[0].answer == "hydrogen and oxygen");
  BOOST_TEST(made.of_several[0].objects == 2U);
  BOOST_TEST(made.of_several[1].subject == "sugar");
  BOOST_TEST(made.of_several[1].objects == 3U);  // two of the names belong to the same object
  BOOST_TEST(made.outcomes.prompts() == 4U);
  for (const std::size_t fact : {6U, 7U, 9U}) {
    for (const PromptOutcome& prompt : made.outcomes.prompts(fact)) BOOST_TEST(prompt.right);
  }
}

BOOST_AUTO_TEST_CASE(one_word_is_counted_by_white_space_and_shared_by_fact) {
  const AnsweredSetting made = answered_by({row(0, {5, 0, 0}, " Fe."), row(0, {5, 0, 1}, "Fe-56"),
                                            row(0, {5, 1, 0}, "the Fe"), row(0, {5, 1, 1}, ""),
                                            row(1, {0, 0, 0}, "water is wet")});
  BOOST_TEST(made.one_word.values == (std::vector<double>{0.5, 0}), each);
  BOOST_TEST(made.one_word.strata == (Sizes{1, 1, 0}), each);
  BOOST_TEST(made.one_word_answers == 2U);  // counts five prompts, not two facts
}

// The oracle recomputes every number from the words of the texts.
BOOST_AUTO_TEST_CASE(random_answers_are_read_as_a_slow_reader_does) {
  const MultiPromptDataset dataset = elements_many();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const bool stems = seed % 2 == 1;
    const Rows rows = random_rows(seed);
    const AnsweredSetting made =
        stems ? answered_by(dataset, rows, PluralStems{}) : answered_by(dataset, rows);
    const MatchingAnswers match{made.answers};
    std::size_t empty = 0, fact = 0, several = 0;
    std::map<std::uint32_t, Words> numbered;
    std::set<Words> distinct;
    auto likelihood = made.likelihoods.prompts.begin();
    for (const MultiPromptRelation& relation : dataset.relations) {
      for (std::size_t f = 0; f < relation.facts.size(); ++f, ++fact) {
        Rows of_fact;
        for (const RecordedAnswer& one : rows) {
          if (one.relation == relation.code && one.prompt.fact == f) of_fact.push_back(one);
        }
        std::ranges::sort(of_fact, {}, [](const RecordedAnswer& one) {
          return std::tuple{one.prompt.template_index, one.prompt.expression};
        });
        const auto prompts = made.outcomes.prompts(fact);
        BOOST_REQUIRE(prompts.size() == of_fact.size());
        BOOST_TEST(made.likelihoods.facts[fact] == of_fact.size());
        for (std::size_t p = 0; p < prompts.size(); ++p, ++likelihood) {
          const RecordedAnswer& one = of_fact[p];
          const Words words = test::slow_words(one.text, stems);
          std::size_t held = 0;
          for (const NamedEntity& object : relation.facts[f].objects) {
            held += std::ranges::any_of(object.names, [&](const std::string& name) {
              return test::slow_holds(words, test::slow_words(name, stems));
            });
          }
          BOOST_TEST(prompts[p].template_index == one.prompt.template_index);
          BOOST_TEST(prompts[p].expression == one.prompt.expression);
          BOOST_TEST(prompts[p].right == (held > 0), one.text);
          BOOST_TEST(likelihood->right == (held > 0));
          BOOST_TEST(likelihood->tokens == one.tokens);
          BOOST_TEST(likelihood->log_probability == one.log_probability);
          const auto [known, added] = numbered.emplace(prompts[p].answer, words);
          BOOST_TEST(known->second == words, each);
          distinct.insert(words);
          empty += words.empty() ? 1U : 0U;
          several += held > 1 ? 1U : 0U;
        }
      }
    }
    BOOST_TEST(numbered.size() == distinct.size());
    BOOST_TEST(made.answers.size() == distinct.size());
    BOOST_TEST(made.wordless == empty);
    BOOST_TEST(made.of_several.size() == several);
    for (const auto& [a, of_a] : numbered) {
      for (const auto& [b, of_b] : numbered) {
        if (a != b) BOOST_TEST(match(a, b) == test::slow_match(of_a, of_b));
      }
    }
  }
}

// "the gas" and "a gas" both match "gas" but not each other.
BOOST_AUTO_TEST_CASE(consistency_goes_by_matches_and_not_by_equal_texts) {
  const AnsweredSetting made = answered_by({row(2, {0, 0, 0}, "gas"), row(2, {0, 0, 1}, "the gas"),
                                            row(2, {0, 1, 0}, "A gas"), row(2, {0, 1, 1}, "")});
  const ConsistencyTable table = prompt_consistency(made.outcomes, MatchingAnswers{made.answers});
  BOOST_TEST(table.overall.all.share.value == 2.0 / 6);
}

BOOST_AUTO_TEST_CASE(row_for_an_unused_prompt_is_rejected_with_file_and_line) {
  RecordedAnswer other = row(1, {1, 0, 0}, "x");
  const std::string not_asked = "contains: the row belongs to a prompt that was not used";
  const auto with = [&](auto change) {
    RecordedAnswer changed = other;
    change(changed);
    return changed;
  };
  refuses(with([](auto& one) { one.prompt.fact = 4; }), not_asked);
  refuses(with([](auto& one) { one.prompt.template_index = 3; }), not_asked);
  refuses(with([](auto& one) { one.prompt.expression = 2; }), not_asked);
  refuses(with([](auto& one) { one.prompt.expression = 1; }), not_asked);  // a different name
  refuses(with([](auto& one) { one.subject = "pepper"; }), not_asked);
  refuses(with([](auto& one) { one.log_probability = 0.5; }),
          "contains: its log-probability is above 0");
  refuses(row(1, {0, 0, 0}, "hydrogen"), "contains: this prompt already has a row");
  refuses(with([](auto& one) { one.relation = "colour"; }),
          "colour: is not one of the relations that were queried, or its rows are not contiguous");
  refuses(row(0, {0, 0, 0}, "H"),
          "symbol: is not one of the relations that were queried, or its rows are not contiguous");
}

BOOST_AUTO_TEST_CASE(a_prompt_that_stands_twice_is_found_wherever_it_stands) {
  GenerationFolder folder;
  folder.setting("a", {row(0, {0, 0, 0}, "H"), row(0, {1, 0, 0}, "He"), row(0, {0, 0, 0}, "H")});
  BOOST_CHECK_EXCEPTION(
      (void)read_answered(folder.path(), "a", folder.asked(), SameWord{}), Error,
      says(Fault::user, "a_answers.jsonl:3: symbol: this prompt already has a row"));
  // Equal indices in two relations identify two different prompts.
  folder.setting("b", {row(0, {0, 0, 0}, "H"), row(1, {0, 0, 0}, "H"), row(2, {0, 0, 0}, "H")});
  BOOST_TEST(read_answered(folder.path(), "b", folder.asked(), SameWord{}).outcomes.prompts() ==
             3U);
}

BOOST_AUTO_TEST_CASE(error_names_the_missing_or_malformed_file) {
  const GenerationFolder folder;
  BOOST_CHECK_EXCEPTION((void)read_answered(folder.path(), "zero-shot", folder.asked(), SameWord{}),
                        Error, says(Fault::user, "zero-shot_answers.jsonl: cannot be read"));
  folder.files().write("zero-shot_answers.jsonl", row_line(row(0, {0, 0, 0}, "H")) + "{\n");
  BOOST_CHECK_EXCEPTION((void)read_answered(folder.path(), "zero-shot", folder.asked(), SameWord{}),
                        Error, says(Fault::user, "zero-shot_answers.jsonl:2: not JSON"));
}

// The row records whether the fill is right; two answers are equal if their tokens are equal.
BOOST_AUTO_TEST_CASE(fills_are_judged_by_their_tokens) {
  Rows rows;
  const auto add = [&](std::uint16_t t, TokenId id, bool right, Rank rank) {
    rows.push_back(row(2, {2, t, 0}, "metal"));
    rows.back().fill = RecordedFill{{id}, right, rank};
  };
  add(0, 5, true, {0, 0});
  add(1, 6, false, {4, 0});  // the same text, a different token
  const auto each_row = [&](auto visit) {
    for (const RecordedAnswer& one : rows) visit(one);
  };
  const AnsweredSetting made = filled_setting("masked", elements_many(), each_row);
  const auto prompts = made.outcomes.prompts(12);
  BOOST_REQUIRE(prompts.size() == 2U);
  BOOST_TEST((prompts[0].right && !prompts[1].right));
  BOOST_TEST(prompts[0].answer != prompts[1].answer);
  BOOST_TEST((made.ranks.facts == std::vector<std::size_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
  BOOST_TEST(made.ranks.prompts[1].whole->above == 4U);
  BOOST_TEST(made.one_word_answers == 0U);
  rows[1].fill.reset();
  BOOST_CHECK_EXCEPTION((void)filled_setting("masked", elements_many(), each_row), Error,
                        says(Fault::user, "lacks the tokens of its answer"));
}

BOOST_AUTO_TEST_SUITE_END()
