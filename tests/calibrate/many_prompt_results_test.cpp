// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/many_prompt_results.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/predictions.hpp"
#include "support/small_many_prompts.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(many_prompt_results_suite)

namespace {

/// A study of a random table; its answers are numbers without texts.
ManyPromptStudy random_study(const std::string& name, std::uint64_t seed,
                             const test::RandomPrompts& shape) {
  ManyPromptStudy study;
  study.answered.name = name;
  study.answered.outcomes = test::random_prompts(seed, shape);
  study.kind = AnswerKind::option;
  RandomStream random(seed, "confidences");
  for (const PromptRelation& relation : study.answered.outcomes.relations()) {
    study.confidences.begin_relation();
    for (std::size_t i = 0; i < relation.facts; ++i) {
      study.confidences.begin_fact();
      for (const PromptOutcome& prompt : study.answered.outcomes.prompts(relation.first_fact + i)) {
        study.confidences.add({random.uniform(), prompt.right});
      }
    }
  }
  return study;
}

using FactKey = std::pair<std::string, std::string>;

/// The rows of the table, grouped by fact.
std::map<FactKey, std::vector<test::PromptRow>> by_fact(const PromptOutcomes& table) {
  std::map<FactKey, std::vector<test::PromptRow>> facts;
  for (const test::PromptRow& row : test::rows_of(table)) {
    facts[{row.relation, row.fact}].push_back(row);
  }
  return facts;
}

template <class Rows>
double share_right(const Rows& rows) {
  const auto right = std::ranges::count_if(rows, [](const auto& row) { return row.outcome.right; });
  return static_cast<double>(right) / static_cast<double>(rows.size());
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The facts with at least one correctly answered prompt for which `keep(row)` is true.
template <class Keep>
std::set<FactKey> known(const PromptOutcomes& table, Keep keep) {
  std::set<FactKey> facts;
  for (const test::PromptRow& row : test::rows_of(table)) {
    if (row.outcome.right && keep(row)) facts.insert({row.relation, row.fact});
  }
  return facts;
}

/// Adds content-free scores for a relation. Under each scored template, they favour the label with
/// index `favoured`, most strongly under the last template.
void lean(ManyPromptStudy& study, const std::string& relation,
          const std::vector<std::string>& labels, std::size_t favoured,
          const std::vector<std::size_t>& templates) {
  ContentFreeScores scores{templates.size(), content_free_texts.size(), labels.size(), {}};
  for (std::size_t t = 0; t < templates.size(); ++t) {
    for (std::size_t text = 0; text < content_free_texts.size(); ++text) {
      for (std::size_t i = 0; i < labels.size(); ++i) {
        scores.log_likelihoods.push_back(i == favoured ? -1.0 : -3.0 - static_cast<double>(t));
      }
    }
  }
  study.content_free[relation] = scores;
  study.content_free_templates[relation] = templates;
  study.candidates[relation] = labels;
}

}  // namespace

// The fractions of right answers per fact, worked out by hand from the marks: 3/8, 1/2, 1/3, 1 and
// 0.
BOOST_AUTO_TEST_CASE(a_way_of_asking_is_measured_whole) {
  const ManyPromptResults made = test::small_many_prompts();
  const ManyPromptResult& way = made.ways[0];
  BOOST_TEST(way.name == "zero-shot");
  BOOST_TEST(way.facts == 5U);
  BOOST_TEST(way.prompts == 19U);
  BOOST_TEST(near(way.coverage.average.value, 53.0 / 120));
  BOOST_TEST(way.coverage.oracle.value == 0.8);
  BOOST_TEST(way.coverage.maximum.value == 0.8);
  BOOST_TEST(way.coverage.minimum.value == 0.2);
  BOOST_TEST(way.by_relation.gaps == 1U);
  // The consistency of each fact, worked out by hand: 13/28, 2/6, 1/3, 1 and 1.
  BOOST_TEST(
      near(way.consistency.overall.all.share.value, (13.0 / 28 + 1.0 / 3 + 1.0 / 3 + 2) / 5));
  BOOST_TEST(way.consistency.overall.only_subject.share.value == 0.75);
  BOOST_TEST(near(way.overconfidence->overconf.value, 1.95 / 3 - 1.0 / 3));
  BOOST_TEST(way.samples == 20U);
  BOOST_TEST(near(way.by_length->lengths[2].overconf.value, 0.125 - 1));
  BOOST_TEST(way.aliases->subjects.by_sum.rate.value == 1);
  BOOST_TEST(way.aliases->objects.by_mean.rate.value == 0.5);
  BOOST_TEST(way.manual.mean.value == 1.5);
  BOOST_TEST(near(way.styles.accuracy.difference.value, 0.25 - 2.0 / 3));
  BOOST_TEST(made.diversity.prompts == 19U);
  BOOST_TEST(near(made.sharing[0][1].oracle.rate.value, 1));
  BOOST_TEST(near(made.sharing[1][0].oracle.rate.value, 0.8));
}

BOOST_AUTO_TEST_CASE(relations_have_their_templates_and_their_bias) {
  const ManyPromptResults made = test::small_many_prompts();
  BOOST_REQUIRE(made.ways[0].relations.size() == 2U);
  const PromptedRelation& born = made.ways[0].relations[0];
  BOOST_TEST(born.code == "P19");
  BOOST_TEST(born.facts == 3U);
  BOOST_TEST(born.prompts == 15U);
  BOOST_TEST(near(born.accuracy.value, (3.0 / 8 + 1.0 / 2 + 1.0 / 3) / 3));
  BOOST_TEST(born.templates.size() == 4U);
  BOOST_TEST(born.texts.size() == 4U);
  BOOST_TEST(!born.bias);
  const PromptedRelation& capital = made.ways[0].relations[1];
  BOOST_REQUIRE(capital.bias.has_value());
  BOOST_TEST(capital.bias->favoured->candidate == 1U);
  BOOST_TEST(near(capital.bias->favoured->mean_probability, 0.625));
  const double level = 1 + (0.25 * std::log(0.25) + 0.75 * std::log(0.75)) / std::log(2.0);
  BOOST_TEST(std::abs(*made.ways[0].bias->single - level / 2) < 1e-9);
  BOOST_TEST(std::abs(*made.ways[0].bias->per_token.single - 0.1269594701) < 1e-9);
  BOOST_TEST(std::abs(*made.ways[0].bias->per_token.multi - 0.0965874805) < 1e-9);
  // This setting has no prompts about capitals.
  BOOST_TEST(made.ways[2].relations.size() == 1U);
}

// For the question templates, the fractions of right answers to the three facts are 1/2, 1/2 and 1
// in mask form and 3/4, 1 and 0 in question form.
BOOST_AUTO_TEST_CASE(settings_of_two_forms_are_paired_by_name) {
  const ManyPromptResults made = test::small_many_prompts();
  BOOST_REQUIRE(made.forms.size() == 1U);
  BOOST_TEST(made.forms[0].mask == "zero-shot");
  BOOST_TEST(made.forms[0].question == "zero-shot-question");
  BOOST_TEST(near(made.forms[0].accuracy.accuracy.one.value, 2.0 / 3));
  BOOST_TEST(near(made.forms[0].accuracy.accuracy.other.value, 1.75 / 3));
  BOOST_TEST(made.forms[0].accuracy.unshared.relations == 1U);
  BOOST_TEST(made.forms[0].accuracy.unshared.templates == 2U);
}

BOOST_AUTO_TEST_CASE(closed_sets_have_no_words) {
  const ManyPromptResults made = test::one_closed_set();
  const ManyPromptResult& way = made.ways[0];
  BOOST_TEST(way.is(AnswerKind::option));
  BOOST_TEST(way.one_word.count == 0U);
  BOOST_TEST(!way.by_length);
  BOOST_TEST(!way.aliases);
  BOOST_TEST(!way.bias);
  BOOST_TEST(way.samples == 0U);
  BOOST_TEST(near(way.overconfidence->overconf.value, 0.6 - 0.5));
  BOOST_TEST(made.remarks.empty());
}

BOOST_AUTO_TEST_CASE(remarks_are_made_for_each_way_of_asking) {
  const ManyPromptResults made = test::small_many_prompts();
  const std::vector<std::string> wanted{
      "zero-shot: 1 answer without a word, counted as wrong.",
      "zero-shot: 2 answers that name more than one object of the fact; each counts as one correct "
      "answer.",
      "zero-shot: 1 pair of a fact and a template without a prompt; if sampling draws such a "
      "template, it uses one of the fact's other prompts.",
      "4-template: 1 pair of a fact and a template without a prompt; if sampling draws such a "
      "template, it uses one of the fact's other prompts.",
      "zero-shot-question: 1 pair of a fact and a template without a prompt; if sampling "
      "draws such a template, it uses one of the fact's other prompts.",
      "The ways of asking do not all use the same prompts: each way's accuracy, Consist and "
      "Overconf use its own prompts; knowledge sharing uses only the prompts that both ways have."};
  BOOST_TEST(made.remarks == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(empty_and_cut_answers_are_counted_among_all) {
  ManyPromptStudy study = test::small_zero_shot();
  study.answered.wordless = 4;
  study.answered.empty = 3;
  study.answered.cut = 2;
  const ManyPromptResults made = many_prompt_results({study}, test::small_options());
  BOOST_TEST(made.ways[0].wordless == 4U);
  BOOST_TEST(made.ways[0].empty == 3U);
  BOOST_TEST(made.ways[0].cut.value() == 2U);
  BOOST_TEST(made.remarks.front() ==
             "zero-shot: 4 answers without a word (3 empty), counted as wrong.");
}

BOOST_AUTO_TEST_CASE(the_headline_goes_by_the_way_of_sampling_asked_for) {
  ManyPromptResults made = test::small_many_prompts();
  BOOST_TEST((headline_samplings(made, made.ways[0]).by == SampleBy::relation));
  made.options.by = SampleBy::fact;
  BOOST_TEST((headline_samplings(made, made.ways[0]).by == SampleBy::fact));
}

BOOST_AUTO_TEST_CASE(where_nothing_was_asked_there_is_no_number) {
  const ManyPromptResults made = test::nothing_asked();
  BOOST_TEST(made.ways[0].facts == 0U);
  BOOST_TEST(made.ways[0].coverage.average.count == 0U);
  BOOST_TEST(made.ways[0].by_fact.right.empty());
  BOOST_TEST(made.ways[0].relations.empty());
}

// The oracle recomputes every number prompt by prompt.
BOOST_AUTO_TEST_CASE(random_studies_are_measured_as_by_a_slow_count) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const test::RandomPrompts shape{.missing = seed % 2 == 0 ? std::size_t{0} : std::size_t{3}};
    const std::vector studies{random_study("one", seed, shape),
                              random_study("two", seed + 100, shape)};
    const ManyPromptResults made = many_prompt_results(studies, test::small_options());
    BOOST_REQUIRE(made.ways.size() == 2U);
    for (std::size_t w = 0; w < 2; ++w) {
      const PromptOutcomes& table = studies[w].answered.outcomes;
      const ManyPromptResult& way = made.ways[w];
      const auto rows = test::rows_of(table);
      const auto facts = by_fact(table);
      BOOST_TEST(way.name == studies[w].answered.name);
      BOOST_TEST(way.prompts == rows.size());
      BOOST_TEST(way.facts == facts.size());
      std::vector<double> shares, oracles;
      std::map<std::string, std::vector<double>> of_relation, oracle_of_relation;
      for (const auto& [fact, of_fact] : facts) {
        shares.push_back(share_right(of_fact));
        oracles.push_back(shares.back() > 0 ? 1 : 0);
        of_relation[fact.first].push_back(shares.back());
        oracle_of_relation[fact.first].push_back(oracles.back());
      }
      BOOST_TEST(near(way.coverage.average.value, mean(shares)));
      BOOST_TEST(near(way.coverage.oracle.value, mean(oracles)));
      BOOST_TEST(near(way.by_fact.exact_mean, mean(shares)));
      BOOST_TEST(way.by_fact.right.size() == 400U);
      BOOST_TEST(way.by_relation.right.size() == 400U);
      // The mean accuracy of the draws is within five standard errors of the exact mean of the
      // facts' fractions.
      BOOST_TEST(std::abs(way.by_relation.mean - way.by_relation.exact_mean) <=
                 5 * way.by_relation.exact_sd / 20 + 1e-12);
      BOOST_REQUIRE(way.relations.size() == of_relation.size());
      for (const PromptedRelation& relation : way.relations) {
        BOOST_TEST(near(relation.accuracy.value, mean(of_relation.at(relation.code))));
        BOOST_TEST(near(relation.oracle.value, mean(oracle_of_relation.at(relation.code))));
        BOOST_TEST(relation.facts == of_relation.at(relation.code).size());
        std::size_t prompts = 0;
        std::map<std::string, std::map<std::string, std::vector<test::PromptRow>>> by_template;
        for (const test::PromptRow& row : rows) {
          if (row.relation != relation.code) continue;
          ++prompts;
          by_template[row.of.text][row.fact].push_back(row);
        }
        BOOST_TEST(relation.prompts == prompts);
        BOOST_REQUIRE(relation.templates.size() == relation.texts.size());
        for (std::size_t t = 0; t < relation.templates.size(); ++t) {
          std::vector<double> under;
          for (const auto& [fact, of_fact] : by_template[relation.texts[t].text]) {
            under.push_back(share_right(of_fact));
          }
          BOOST_TEST(relation.templates[t].accuracy.count == under.size());
          if (!under.empty()) {
            BOOST_TEST(near(relation.templates[t].accuracy.value, mean(under)));
          }
        }
      }
      double sure = 0, right = 0;
      for (const Judgement& prompt : studies[w].confidences.prompts) {
        sure += prompt.confidence;
        right += prompt.correct ? 1 : 0;
      }
      const double count = static_cast<double>(studies[w].confidences.prompts.size());
      BOOST_TEST(near(way.overconfidence->overconf.value, (sure - right) / count));
    }
    BOOST_TEST(made.diversity.prompts == std::max(made.ways[0].prompts, made.ways[1].prompts));
  }
}

// If nothing is missing, both studies have every fact under every template, with the subject's
// first name.
BOOST_AUTO_TEST_CASE(sharing_is_counted_fact_by_fact) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const test::RandomPrompts shape{.expressions = 1};
    const std::vector studies{random_study("one", seed, shape),
                              random_study("two", seed + 100, shape)};
    const ManyPromptResults made = many_prompt_results(studies, test::small_options());
    for (const auto& pair : {std::pair{0U, 1U}, {1U, 0U}}) {
      const std::size_t left = pair.first, top = pair.second;
      const auto share = [&](auto keep) -> std::optional<double> {
        const auto of_left = known(studies[left].answered.outcomes, keep);
        const auto of_top = known(studies[top].answered.outcomes, keep);
        if (of_left.empty()) return std::nullopt;
        return static_cast<double>(std::ranges::count_if(
                   of_left, [&](const FactKey& fact) { return of_top.contains(fact); })) /
               static_cast<double>(of_left.size());
      };
      const auto all = share([](const test::PromptRow&) { return true; });
      BOOST_TEST(near(made.sharing[left][top].oracle.rate.value, all.value()));
      std::vector<double> cells;
      for (std::size_t r = 0; r < shape.relations; ++r) {
        for (std::size_t t = 0; t < shape.templates; ++t) {
          const auto cell = share([&](const test::PromptRow& row) {
            return row.relation == "P" + std::to_string(r) && row.outcome.template_index == t;
          });
          if (cell) cells.push_back(*cell);
        }
      }
      BOOST_TEST(near(made.sharing[left][top].by_template.rate.value, mean(cells)));
      BOOST_TEST(made.sharing[left][top].by_template.cells == cells.size());
    }
  }
}

// The question form scores only some of the templates, but the index of the favoured template
// refers to the full list.
BOOST_AUTO_TEST_CASE(a_favoured_template_is_one_of_those_scored) {
  ManyPromptStudy study = test::small_question();
  lean(study, "P19", {"Lyon", "Paris"}, 1, {2, 3});
  const ManyPromptResults made = many_prompt_results({study}, test::small_options());
  const RelationBias& bias = made.ways[0].relations[0].bias.value();
  BOOST_TEST(bias.templates == 2U);
  BOOST_TEST(bias.favoured->template_index == 3U);
  BOOST_TEST(bias.favoured->candidate == 1U);
  study.content_free_templates.clear();  // templates are now numbered in the order of the scores
  const ManyPromptResults plain = many_prompt_results({study}, test::small_options());
  BOOST_TEST(plain.ways[0].relations[0].bias->favoured->template_index == 1U);
}

// By sum, "Lyon" is favoured: −1 nat compared with −3 and −4. Per token, "Paris" is favoured: with
// six tokens, its values are −1/2 and −2/3.
BOOST_AUTO_TEST_CASE(per_token_bias_can_favour_a_different_candidate) {
  ManyPromptStudy first = test::small_zero_shot(), study = test::small_question();
  lean(first, "P19", {"Oslo", "Lyon"}, 1, {0});
  lean(study, "P19", {"Lyon", "Paris"}, 0, {2, 3});
  study.content_free["P19"].tokens = {1, 6, 1, 6, 1, 6, 1, 6, 1, 6, 1, 6};
  const ManyPromptResults made = many_prompt_results({first, study}, test::small_options());
  const RelationBias& bias = made.ways[1].relations[0].bias.value();
  const auto label = [&](const CandidateBias& one) {
    return made.candidates.at("P19").at(one.favoured->candidate);
  };
  BOOST_TEST(label(bias) == "Lyon");
  BOOST_TEST(label(bias.per_token) == "Paris");
  BOOST_TEST(bias.favoured->template_index == 3U);
  BOOST_TEST(bias.per_token.favoured->template_index == 2U);
  const double lyon = 1 / (1 + std::exp(0.5));  // e^−1 as a fraction of e^−1 + e^−1/2
  BOOST_TEST(std::abs(bias.per_token.favoured->probability - (1 - lyon)) < 1e-9);
}

BOOST_AUTO_TEST_CASE(each_prompting_method_keeps_its_own_candidate_labels) {
  using Labels = std::vector<std::string>;
  const std::vector<Labels> labels{
      {"Lyon", "Paris"}, {"Oslo", "Lyon"}, {"Lyon", "Paris"}, {"Oslo"}};
  const Labels favoured{"Paris", "Oslo", "Lyon", "Oslo"};
  std::vector<ManyPromptStudy> studies;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ManyPromptStudy study = test::small_few_shot();
    study.answered.name = "way " + std::to_string(i);
    const auto place = std::ranges::find(labels[i], favoured[i]) - labels[i].begin();
    lean(study, "P19", labels[i], static_cast<std::size_t>(place), {0, 1});
    studies.push_back(study);
  }
  const ManyPromptResults made = many_prompt_results(studies, test::small_options());
  BOOST_TEST(made.candidates.at("P19") == (Labels{"Lyon", "Paris", "Oslo"}),
             boost::test_tools::per_element());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const RelationBias& bias = made.ways[i].relations[0].bias.value();
    BOOST_TEST(made.candidates.at("P19").at(bias.favoured->candidate) == favoured[i]);
    BOOST_TEST(bias.candidates == labels[i].size());
  }
}

// A model may have the same name as a form.
BOOST_AUTO_TEST_CASE(closed_sets_have_no_forms) {
  ManyPromptStudy mask = test::small_closed_set(), question = test::small_closed_set();
  mask.answered.name = "model";
  question.answered.name = "model-question";
  BOOST_TEST(many_prompt_results({mask, question}, test::small_options()).forms.empty());
  ManyPromptStudy generated = test::small_zero_shot();
  generated.answered.name = "model";
  BOOST_TEST(many_prompt_results({generated, question}, test::small_options()).forms.empty());
}

// Two facts under two templates. The first fact's answer is the first of five options, which all
// have equal scores. The second fact is known under one template. Generated answers cannot tie.
BOOST_AUTO_TEST_CASE(closed_set_ties_are_counted_and_reported) {
  ModelPredictions model;
  model.name = "level";
  auto& relation = model.relations.emplace_back(
      test::answered("P1", {{0, {{0, 0.2}, {0, 0.2}}}, {3, {{3, 0.9}, {1, 0.4}}}}));
  for (const std::size_t cell : {0U, 1U}) {
    test::make_tie(relation.cells[cell], 5, BestTie::answer_first);
  }
  const ManyPromptResults made = many_prompt_results(
      {closed_set_study(model)}, {.bootstrap = {.resamples = 20}, .samplings = 9});
  const ManyPromptResult& way = made.ways[0];
  BOOST_TEST(near(way.coverage.average.value, (0.2 + 0.5) / 2));
  BOOST_TEST(way.coverage.average_first_wins.value == 0.75);
  BOOST_TEST(way.coverage.oracle.value == 0.5);
  BOOST_TEST(near(way.relations[0].accuracy.value, 0.35));
  BOOST_TEST(way.relations[0].oracle.value == 0.5);
  BOOST_TEST(near(way.by_fact.exact_mean, 0.35));
  BOOST_TEST(near(way.by_relation.exact_mean, 0.35));
  BOOST_TEST(way.consistency.overall.all.share.value == 0.0);
  BOOST_CHECK((way.coverage.ties == TieCount{2, 4}));
  BOOST_TEST(made.remarks.at(0).starts_with("level: Warning: 2 of 4 answers (50.0%) are ties"));
  BOOST_TEST(has_any(made, AnswerKind::option));
  BOOST_TEST(has_ties(made));
  BOOST_TEST(!has_any(test::small_many_prompts(), AnswerKind::option));
  BOOST_TEST(!has_ties(test::one_closed_set()));
}

BOOST_AUTO_TEST_SUITE_END()
