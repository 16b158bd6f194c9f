// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/subsumption.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/small_answers.hpp"

using namespace plumb::detail;
using test::by_seed;
using test::ic;
using test::near;
using test::under_settings;

BOOST_AUTO_TEST_SUITE(subsumption_suite)

namespace {

const Bootstrap few{.seed = 3, .resamples = 100};

ModelAnswers model(const std::string& name, std::vector<RelationAnswers> relations) {
  return {name, std::move(relations)};
}

/// A model with random answers to `facts` facts in each of three relations, under two seeds.
ModelAnswers random_model(const std::string& name, std::size_t facts) {
  RandomStream random(11, name);
  ModelAnswers made{name, {}};
  for (const char* code : {"P1", "P2", "P3"}) {
    std::vector<std::string> seeds(2);
    for (std::string& marks : seeds) {
      for (std::size_t i = 0; i < facts; ++i) marks += random.below(3) == 0 ? '1' : '0';
    }
    made.relations.push_back(by_seed(code, seeds));
  }
  return made;
}

/// η computed directly from its definition, with a linear search for the facts and settings.
struct Slow {
  double sum = 0;
  std::size_t cells = 0;
  std::size_t empty = 0;
};
Slow slow_rate(const ModelAnswers& one, const ModelAnswers& other, const Setting& group) {
  Slow slow;
  for (const auto& ours : one.relations) {
    for (const auto& theirs : other.relations) {
      if (ours.relation.code != theirs.relation.code) continue;
      for (std::size_t mine = 0; mine < ours.settings.size(); ++mine) {
        for (std::size_t yours = 0; yours < theirs.settings.size(); ++yours) {
          if (ours.settings[mine] != theirs.settings[yours] ||
              ours.settings[mine].group() != group.group()) {
            continue;
          }
          double known = 0, shared = 0;
          for (std::size_t i = 0; i < ours.facts(); ++i) {
            for (std::size_t j = 0; j < theirs.facts(); ++j) {
              if (ours.relation.facts[i].instance != theirs.relation.facts[j].instance) continue;
              const bool right = ours.row(i)[mine].correct;
              known += right ? 1 : 0;
              shared += right && theirs.row(j)[yours].correct ? 1 : 0;
            }
          }
          if (known == 0) {
            ++slow.empty;
            continue;
          }
          slow.sum += shared / known;
          ++slow.cells;
        }
      }
    }
  }
  return slow;
}

}  // namespace

// In P1 under seed 0, model 1 knows {0, 1, 2} and model 2 knows {1, 2, 3}, so the rates are 2/3 and
// 2/3. Under seed 1, model 1 knows {0} and model 2 knows {0, 1}, so the rates are 1 and 1/2. In P2,
// model 1 knows nothing and model 2 knows {0}, so the first rate is undefined and the second is 0.
BOOST_AUTO_TEST_CASE(the_mean_is_over_cells_in_which_the_first_knows_something) {
  const ModelAnswers one = model("one", {by_seed("P1", {"1110", "1000"}), by_seed("P2", {"00"})});
  const ModelAnswers two = model("two", {by_seed("P1", {"0111", "1100"}), by_seed("P2", {"10"})});
  const SubsumptionPair pair = subsumption(one, two, ic(50), few);
  const Subsumption& forward = pair.one_given_other;
  BOOST_TEST(near(forward.rate.value, (2.0 / 3 + 1) / 2));
  BOOST_TEST(forward.cells == 2U);
  BOOST_TEST(forward.empty == 1U);
  BOOST_TEST(forward.rate.count == 3U);  // facts 0, 1 and 2 of P1
  BOOST_TEST(forward.rate.method == "bootstrap");
  const Subsumption& backward = pair.other_given_one;
  BOOST_TEST(near(backward.rate.value, (2.0 / 3 + 1.0 / 2 + 0) / 3));
  BOOST_TEST(backward.cells == 3U);
  BOOST_TEST(backward.empty == 0U);
  BOOST_TEST(backward.rate.count == 5U);
  for (const Subsumption* made : {&forward, &backward}) {
    BOOST_TEST(made->rate.low <= made->rate.value);
    BOOST_TEST(made->rate.value <= made->rate.high);
    BOOST_TEST(made->rate.low < made->rate.high);
    BOOST_TEST(made->left_out.relations + made->left_out.settings + made->left_out.facts == 0U);
  }
}

// If all three known facts are shared, the resamples show no uncertainty; Wilson's interval does.
BOOST_AUTO_TEST_CASE(where_all_that_is_known_is_shared_the_interval_is_wilsons) {
  const ModelAnswers one = model("one", {by_seed("P1", {"1110", "1000"})});
  const Estimate rate = subsumption(one, one, ic(50), few).one_given_other.rate;
  BOOST_TEST(rate.value == 1.0);
  BOOST_TEST(rate.count == 3U);
  BOOST_TEST(near(rate.low, wilson(3, 3).low));
  BOOST_TEST(rate.high == 1.0);
}

BOOST_AUTO_TEST_CASE(a_model_that_knows_nothing_has_no_rate) {
  const ModelAnswers one = model("one", {by_seed("P1", {"000"})});
  const ModelAnswers two = model("two", {by_seed("P1", {"110"})});
  const SubsumptionPair pair = subsumption(one, two, ic(50), few);
  BOOST_TEST(pair.one_given_other.rate.count == 0U);
  BOOST_TEST(pair.one_given_other.cells == 0U);
  BOOST_TEST(pair.one_given_other.empty == 1U);
  BOOST_TEST(pair.other_given_one.rate.value == 0.0);
  BOOST_TEST(pair.other_given_one.rate.count == 2U);
}

BOOST_AUTO_TEST_CASE(facts_are_matched_by_instance_whatever_their_order) {
  ModelAnswers one = model("one", {by_seed("P1", {"110"})});
  ModelAnswers two = model("two", {by_seed("P1", {"0110"})});
  // The second model's facts are in reverse order: it is wrong on instance 3, right on 2 and 1, and
  // wrong on 0.
  for (std::size_t i = 0; i < 4; ++i) {
    two.relations[0].relation.facts[i] = {.answer = 3 - i, .instance = 3 - i};
  }
  const SubsumptionPair pair = subsumption(one, two, ic(50), few);
  BOOST_TEST(pair.one_given_other.rate.value == 0.5);     // model two knows 1 of the facts 0 and 1
  BOOST_TEST(pair.other_given_one.rate.value == 0.5);     // model one knows 1 of the facts 1 and 2
  BOOST_TEST(pair.one_given_other.left_out.facts == 1U);  // only instance 3
}

BOOST_AUTO_TEST_CASE(an_instance_that_is_another_fact_is_refused) {
  const ModelAnswers one = model("one", {by_seed("P1", {"11"})});
  ModelAnswers answer = model("two", {by_seed("P1", {"11"})});
  ModelAnswers subject = answer;
  answer.relations[0].relation.options[1] = "Rome";
  subject.relations[0].relation.facts[1].subject = "Italy";
  BOOST_CHECK_EXCEPTION(
      (void)subsumption(one, answer, ic(50), few), Error,
      test::says(Fault::user,
                 "P1: instance 1 is 's1' with 'o1' and 's1' with 'Rome' in one and two; compare"));
  BOOST_CHECK_EXCEPTION((void)subsumption(one, subject, ic(50), few), Error,
                        test::says(Fault::user, "'Italy' with 'o1'"));
  // The second model's fact has its own option texts, and therefore a different answer.
  ModelAnswers own = model("two", {by_seed("P1", {"11"})});
  own.relations[0].relation.facts[1].choices = {"o0", "its own"};
  BOOST_CHECK_EXCEPTION((void)subsumption(one, own, ic(50), few), Error,
                        test::says(Fault::user, "'s1' with 'its own'"));
  // Some results folders do not record the subject's name.
  subject.relations[0].relation.facts[1].subject = "";
  BOOST_TEST(subsumption(one, subject, ic(50), few).one_given_other.rate.value == 1.0);
}

// P1 is compared under seeds 0 and 2. Seeds 1 and 3 of P1 are excluded, and so are P2, P3, P4, P5
// and P6. Neither model has results for the group in P7.
BOOST_AUTO_TEST_CASE(answers_missing_from_one_model_are_excluded_and_counted) {
  const ModelAnswers one =
      model("one", {under_settings("P1", {{ic(50, 0), "11"}, {ic(50, 1), "00"}, {ic(50, 2), "10"}}),
                    by_seed("P2", {"1"}), under_settings("P3", {{ic(1), "1"}}),
                    under_settings("P4", {{ic(50, 0), "1"}}), by_seed("P5", {"1"}),
                    under_settings("P7", {{ic(1), "1"}})});
  ModelAnswers two = model(
      "two", {under_settings("P1", {{ic(50, 2), "11"}, {ic(50, 3), "00"}, {ic(50, 0), "10"}}),
              by_seed("P3", {"1"}), under_settings("P4", {{ic(50, 1), "1"}}), by_seed("P5", {"1"}),
              by_seed("P6", {"1"}), under_settings("P7", {{ic(1), "1"}})});
  two.relations[3].relation.facts[0].instance = 9;  // P5 no longer has any fact in common
  const MatchedAnswers matched = match_answers(one, two, ic(50));
  BOOST_TEST(matched.relations.size() == 1U);
  BOOST_TEST(matched.relations[0].right.size() == 2U);
  BOOST_TEST((matched.relations[0].right[0] == std::vector<std::uint8_t>{3, 1}));
  BOOST_TEST((matched.relations[0].right[1] == std::vector<std::uint8_t>{3, 2}));
  BOOST_TEST(matched.left_out.settings == 2U);
  BOOST_TEST(matched.left_out.facts == 0U);
  BOOST_TEST(matched.left_out.relations == 5U);
  const LeftOut back = match_answers(two, one, ic(50)).left_out;
  BOOST_TEST(back.relations == 5U);
  BOOST_TEST(back.settings == 2U);
}

BOOST_AUTO_TEST_CASE(nothing_in_common_gives_no_number) {
  const ModelAnswers one = model("one", {by_seed("P1", {"1"})});
  const ModelAnswers two = model("two", {by_seed("P2", {"1"})});
  const Subsumption made = subsumption(one, two, ic(50), few).one_given_other;
  BOOST_TEST(made.rate.count == 0U);
  BOOST_TEST(made.cells + made.empty == 0U);
  BOOST_TEST(made.left_out.relations == 2U);
}

BOOST_AUTO_TEST_CASE(rates_are_those_of_the_definition_fact_by_fact) {
  for (std::size_t facts = 1; facts <= 12; ++facts) {
    ModelAnswers one = random_model("a", facts);
    ModelAnswers two = random_model("b", facts + 2);
    std::ranges::reverse(two.relations);
    test::reverse_settings(two.relations[1]);
    const SubsumptionPair pair = subsumption(one, two, ic(50), few);
    for (const auto& [made, slow] : {std::pair{&pair.one_given_other, slow_rate(one, two, ic(50))},
                                     {&pair.other_given_one, slow_rate(two, one, ic(50))}}) {
      BOOST_TEST(made->cells == slow.cells);
      BOOST_TEST(made->empty == slow.empty);
      BOOST_TEST(made->cells + made->empty == 6U);
      if (slow.cells == 0) continue;
      BOOST_TEST(near(made->rate.value, slow.sum / static_cast<double>(slow.cells)));
    }
  }
}

// The oracle recomputes the draws from their definition.
BOOST_AUTO_TEST_CASE(the_interval_is_of_resampled_facts_within_relations) {
  const ModelAnswers one = random_model("a", 8);
  const ModelAnswers two = random_model("b", 8);
  const Resamples resamples(std::vector<std::size_t>{8, 8, 8}, few, "subsumption");
  std::vector<double> draws;
  std::size_t fallen_back = 0;
  for (std::size_t r = 0; r < resamples.size(); ++r) {
    double sum = 0;
    std::size_t cells = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t v = 0; v < 2; ++v) {
        // One cell contains each fact as many times as it was drawn; the other is the original
        // cell.
        std::string ours, theirs, our_own, their_own;
        for (std::size_t f = 0; f < 8; ++f) {
          const char mine = one.relations[k].row(f)[v].correct ? '1' : '0';
          const char yours = two.relations[k].row(f)[v].correct ? '1' : '0';
          ours += std::string(resamples.counts(r)[8 * k + f], mine);
          theirs += std::string(resamples.counts(r)[8 * k + f], yours);
          our_own += mine;
          their_own += yours;
        }
        const Slow before =
            slow_rate({"a", {by_seed("P", {our_own})}}, {"b", {by_seed("P", {their_own})}}, ic(50));
        const Slow drawn =
            slow_rate({"a", {by_seed("P", {ours})}}, {"b", {by_seed("P", {theirs})}}, ic(50));
        if (before.cells == 0) continue;
        ++cells;
        sum += drawn.cells == 0 ? before.sum : drawn.sum;
        fallen_back += drawn.cells == 0 ? 1U : 0U;
      }
    }
    draws.push_back(sum / static_cast<double>(cells));
  }
  BOOST_TEST(fallen_back > 0U);
  const Estimate expected = percentile_interval(0, draws, 1);
  const Estimate made = subsumption(one, two, ic(50), few).one_given_other.rate;
  BOOST_TEST(near(made.low, expected.low));
  BOOST_TEST(near(made.high, expected.high));
  BOOST_TEST(made.low < made.high);
}

// One cell has many known facts, all of them shared; 40 cells have a single known fact, which is
// not shared. η is 1/41, although a small cell loses its fact in a third of the resamples.
BOOST_AUTO_TEST_CASE(cells_of_few_known_facts_do_not_drop_out_of_the_interval) {
  ModelAnswers one = model("one", {by_seed("P0", {"1111"})});
  ModelAnswers two = model("two", {by_seed("P0", {"1111"})});
  for (std::size_t i = 1; i <= 40; ++i) {
    const std::string code = std::string("P").append(std::to_string(i));
    one.relations.push_back(by_seed(code, {"1000"}));
    two.relations.push_back(by_seed(code, {"0000"}));
  }
  const Estimate rate = subsumption(one, two, ic(50), few).one_given_other.rate;
  BOOST_TEST(near(rate.value, 1.0 / 41));
  const Estimate same = wilson_share(1.0 / 41, 44);  // every resample has the same η
  BOOST_TEST(near(rate.low, same.low));
  BOOST_TEST(near(rate.high, same.high));
}

BOOST_AUTO_TEST_CASE(the_matrix_is_all_pairs_in_both_directions) {
  // Model c has one extra fact per relation, but its pairs compare only the eight shared facts and
  // use the same resamples. Model d lacks a relation.
  std::vector<ModelAnswers> models{random_model("a", 8), random_model("b", 8),
                                   random_model("c", 9)};
  models.push_back(random_model("d", 8));
  models.back().relations.pop_back();
  const auto rates = subsumption_matrix(models, ic(50), few);
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(rates[i][i].rate.count == 0U);
    for (std::size_t j = i + 1; j < 4; ++j) {
      const SubsumptionPair pair = subsumption(models[i], models[j], ic(50), few);
      BOOST_TEST(rates[i][j].rate.value == pair.one_given_other.rate.value);
      BOOST_TEST(rates[i][j].rate.low == pair.one_given_other.rate.low);
      BOOST_TEST(rates[j][i].rate.value == pair.other_given_one.rate.value);
      BOOST_TEST(rates[j][i].rate.high == pair.other_given_one.rate.high);
    }
  }
  BOOST_TEST(rates[3][0].left_out.relations == 1U);
}

// The first model knows facts 0 and 1; the other knows fact 0 and has ties in 1 and 2, so the rates
// are 1/2 and 1. A model with only ties knows nothing.
BOOST_AUTO_TEST_CASE(a_tie_is_not_known) {
  const ModelAnswers one = model("one", {by_seed("P1", {"1100"})});
  const SubsumptionPair some =
      subsumption(one, model("other", {by_seed("P1", {"1220"})}), ic(50), few);
  BOOST_TEST(some.one_given_other.rate.value == 0.5);
  BOOST_TEST(some.other_given_one.rate.value == 1.0);
  BOOST_TEST(some.other_given_one.rate.count == 1U);
  const SubsumptionPair none =
      subsumption(one, model("level", {by_seed("P1", {"4444"})}), ic(50), few);
  BOOST_TEST(none.one_given_other.rate.value == 0.0);
  BOOST_TEST(none.other_given_one.rate.count == 0U);
  BOOST_TEST(none.other_given_one.empty == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
