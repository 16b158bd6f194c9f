// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_check.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/detail/run/many_shot_run.hpp"
#include "support/errors.hpp"
#include "support/small_many_shot.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::births;
using test::eic;
using test::reader_of_births;
using test::says;
using test::several;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(many_shot_check)

namespace {

const ObjectAliases no_aliases;

/// A model whose maximum sequence length can be set to a small value.
struct ShortModel : NgramTreeModel {
  using NgramTreeModel::NgramTreeModel;
  [[nodiscard]] std::size_t context_length() const { return longest; }
  std::size_t longest = 100;
};

/// Runs the check for a relation with a model, and returns the remarks.
template <class Model>
std::vector<RelationRemark> checked(Model model, const Relation& relation,
                                    const ManyShotOptions& options) {
  return ManyShotCheck(model, true).notes(ManyShotRelation(relation, no_aliases, options));
}

std::vector<RelationRemark> checked_short(std::size_t longest, const Relation& relation,
                                          const ManyShotOptions& options) {
  ShortModel model = reader_of_births<ShortModel>();
  model.longest = longest;
  return checked(model, relation, options);
}

}  // namespace

// A pair takes up 14 bytes, or 15 with a preceding space; with BOS, n shots and a question take up
// 15 (n + 1).
BOOST_AUTO_TEST_CASE(a_sequence_past_the_context_is_refused_with_the_shots_that_fit) {
  const Relation relation = births(60, 8);
  ManyShotOptions options;
  options.seeds = 1;
  options.choices = 5;
  options.training = 45;
  const auto with_shots = [&](std::vector<std::size_t> shots) {
    options.shots.numbers = std::move(shots);
    return options;
  };
  const std::string expected =
      ": birth: a sequence of 615 tokens, longer than the model's context "
      "of " +
      std::to_string(15 * 21 + 14) + "; 20 shots would fit: set `shots` to 20";
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 21 + 14, relation, with_shots({40})), Error,
                        says(Fault::user, expected));
  BOOST_TEST(checked_short(15 * 21 + 14, relation, with_shots({20})).empty());
  BOOST_TEST(checked_short(15 * 21, relation, with_shots({20})).empty());  // just fits
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 21 - 1, relation, with_shots({20})), Error,
                        says(Fault::user, "19 shots would fit"));
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 21 + 14, relation, with_shots({21})), Error,
                        says(Fault::user, "20 shots would fit"));
  BOOST_CHECK_EXCEPTION((void)checked_short(29, relation, with_shots({1})), Error,
                        says(Fault::user, "no shot would fit: remove the fact"));
  BOOST_TEST(checked_short(30, relation, with_shots({1})).empty());
  // The remedy depends on the smallest shot count that does not fit, not on the largest count.
  for (const std::size_t most : {25U, 30U, 40U}) {
    BOOST_CHECK_EXCEPTION((void)checked_short(15 * 21, relation, with_shots({5, 24, most})), Error,
                          says(Fault::user,
                               "a sequence of 375 tokens, longer than the model's context of 315; "
                               "20 shots would fit: set `shots` to 20"));
  }
}

BOOST_AUTO_TEST_CASE(what_fits_by_the_check_can_be_scored) {
  const Relation relation = births(60, 8);
  ManyShotOptions options;
  options.shots = {{20}};
  options.seeds = 3;
  options.choices = 8;
  options.training = 45;
  for (const std::size_t longest : {15U * 21, 15U * 21 - 1}) {
    ShortModel model = reader_of_births<ShortModel>();
    model.longest = longest;
    const TemporaryFolder folder;
    const RunFolder run_folder(folder / "run", Json::object(), RunFolder::Claim::resume);
    const std::vector<ManyShotRelation> asked{{relation, no_aliases, options}};
    Work work(run_folder.file("journal.jsonl"));
    ManyShotRun run(model, true, run_folder, work);
    if (longest == 15 * 21) {
      BOOST_TEST(ManyShotCheck(model, true).notes(asked[0]).empty());
      run.run(asked);
      BOOST_TEST(std::filesystem::exists(folder / "run/birth_choices.jsonl"));
    } else {
      BOOST_CHECK_THROW((void)ManyShotCheck(model, true).notes(asked[0]), Error);
      BOOST_CHECK_EXCEPTION(run.run(asked), Error, says(Fault::user, "birth.jsonl:"));
    }
  }
}

// One subject in the relation is longer than the others; the check finds it at any position.
BOOST_AUTO_TEST_CASE(the_longest_question_decides) {
  Relation relation = births(60, 8);
  ManyShotOptions options;
  options.shots = {{20}};
  options.seeds = 1;
  options.choices = 8;
  options.training = 45;
  const std::size_t fact = train_test_split(relation, 45, 0).test[7];
  relation.facts[fact].subject += " the Great";
  BOOST_CHECK_EXCEPTION(
      (void)checked_short(15 * 21 + 9, relation, options), Error,
      says(Fault::user, "birth.jsonl:" + std::to_string(relation.facts[fact].line) + ": birth"));
  BOOST_TEST(checked_short(15 * 21 + 10, relation, options).empty());
}

// A single token of nine bytes is shorter than ten one-byte tokens.
BOOST_AUTO_TEST_CASE(length_is_counted_in_tokens) {
  Relation relation = births(60, 8);
  ManyShotOptions options;
  options.shots = {{20}};
  options.seeds = 1;
  options.choices = 8;
  options.training = 45;
  const FactSplit split = train_test_split(relation, 45, 0);
  relation.facts[split.test[3]].subject += " the Great";
  relation.facts[split.test[7]].subject += " jr";
  const auto model = [](std::size_t longest) {
    auto made = reader_of_births<ShortModel>({" the Great"});
    made.longest = longest;
    return made;
  };
  const std::string line = std::to_string(relation.facts[split.test[7]].line);
  BOOST_CHECK_EXCEPTION((void)checked(model(15 * 21 + 2), relation, options), Error,
                        says(Fault::user, "birth.jsonl:" + line + ": birth"));
  BOOST_TEST(checked(model(15 * 21 + 3), relation, options).empty());
}

BOOST_AUTO_TEST_CASE(the_last_question_of_an_eic_row_is_its_longest) {
  const Relation relation = births(125, 10);
  ManyShotOptions options = eic();
  options.eic_isolated = false;
  const std::string remedy = "remove the method or the relation";
  // The paper's row contains ninety-five pairs and ten questions; an isolated sequence contains one
  // question.
  BOOST_TEST(checked_short(15 * 105, relation, options).empty());
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 105 - 1, relation, options), Error,
                        says(Fault::user, remedy));
  options.eic_isolated = true;
  options.eic_paper = false;
  BOOST_TEST(checked_short(15 * 96, relation, options).empty());
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 96 - 1, relation, options), Error,
                        says(Fault::user, remedy));
  options.limit = 4;  // the fourth question comes after 65 pairs
  BOOST_TEST(checked_short(15 * 66, relation, options).empty());
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 66 - 1, relation, options), Error,
                        says(Fault::user, remedy));
}

// The first question is preceded by four pairs of 15 tokens each, the second by five. With 21 extra
// tokens in its subject, the first question has the longer sequence if the questions are isolated.
BOOST_AUTO_TEST_CASE(a_long_question_of_a_short_row_is_found_at_any_place) {
  ManyShotOptions options = eic();
  options.training = 8;
  options.limit = 2;
  options.eic_geometry = {.first = 4, .step = 1, .questions = 2};
  options.eic_paper = false;
  Relation relation = births(20, 10);
  const std::string remedy = "lower `eic-first`, `eic-step` or `eic-questions`, or remove";
  BOOST_TEST(checked_short(15 * 6, relation, options).empty());
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 6 - 1, relation, options), Error,
                        says(Fault::user, remedy));
  std::string& subject = relation.facts[train_test_split(relation, 8, 0).test[0]].subject;
  subject += " the Great, the First";  // 21 bytes: 15 × 5 + 21 is more than 15 × 6
  BOOST_TEST(checked_short(15 * 5 + 21, relation, options).empty());
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 5 + 20, relation, options), Error,
                        says(Fault::user, "a sequence of 96 tokens"));
  // In the paper's form, the second question follows the first.
  options.eic_paper = true;
  options.eic_isolated = false;
  BOOST_TEST(checked_short(15 * 7 + 21, relation, options).empty());
  BOOST_CHECK_EXCEPTION((void)checked_short(15 * 7 + 20, relation, options), Error,
                        says(Fault::user, "a sequence of 126 tokens"));
}

BOOST_AUTO_TEST_CASE(a_token_that_covers_subject_and_object_is_warned_of_once) {
  const Relation relation = births(30, 8);
  const NgramTreeModel model = reader_of_births({"0Person", "n A"});
  ManyShotOptions options = several();
  options.pair_separators = {" "};
  options.shots = {{1, 12}};
  BOOST_TEST(checked(model, relation, options).empty());
  options.item_separator = "";
  const auto notes = checked(model, relation, options);
  BOOST_REQUIRE(notes.size() == 1U);  // only once for all seeds and shot counts
  BOOST_TEST(notes[0].what ==
             "a token covers both a subject and an object, because pair separator ' ' "
             "and item separator '' do not keep them apart");
  BOOST_TEST(notes[0].detail == "'0Person'");
  // EIC-LKE's parts are tokenised separately, so no tokens can merge.
  ManyShotOptions apart = eic();
  apart.eic_form.item_separator = "";
  BOOST_TEST(checked(model, births(125, 10), apart).empty());
  apart.eic_form.join = Join::text;
  BOOST_TEST(checked(model, births(125, 10), apart).size() == 1U);
}

// After a space, "Rome" is a prefix of "Romeo" and "Romeo and"; "Romeo" is a prefix of "Romeo and".
BOOST_AUTO_TEST_CASE(choices_whose_tokens_begin_anothers_are_counted) {
  Relation relation = births(30, 8);
  relation.options[1] = "Romeo and";
  relation.options[4] = "Rome";
  relation.options[6] = "Romeo";
  ManyShotOptions options = several();
  options.choices = 8;
  const auto count = [&](NgramTreeModel model) {
    const ManyShotRelation asked(relation, no_aliases, options);
    return ManyShotCheck(model, true).choices_beginning_another(asked);
  };
  BOOST_TEST(count(reader_of_births()) == 6U * 2U);
  // As a single token, "Romeo" does not begin with "Rome".
  BOOST_TEST(count(reader_of_births({"Romeo"})) == 6U * 1U);
  relation.options[4] = "Rom";
  relation.options[6] = "Rim";
  BOOST_TEST(count(reader_of_births()) == 6U * 1U);
}

// No token spans two shots, but in one question a token spans the subject and a choice.
BOOST_AUTO_TEST_CASE(a_merge_in_any_question_is_found) {
  const Relation relation = births(30, 8);
  ManyShotOptions options = several();
  options.pair_separators = {""};
  const FactSplit split = train_test_split(relation, options.training, 0);
  const std::string subject = relation.facts[split.test[3]].subject;
  std::size_t found = 0;
  for (const std::string& year : relation.options) {
    const auto notes =
        checked(reader_of_births({subject.substr(subject.size() - 2) + year}), relation, options);
    if (notes.empty()) continue;
    ++found;
    BOOST_TEST(notes[0].detail == "'" + subject.substr(subject.size() - 2) + year + "'");
  }
  BOOST_TEST(found > 1U);  // its answer and its distractors
}

BOOST_AUTO_TEST_CASE(a_generation_past_the_context_is_refused_before_anything_is_scored) {
  const Relation relation = births(60, 8);
  ManyShotOptions options;
  options.shots = {{5, 20}};
  options.seeds = 2;
  options.choices = 8;
  options.training = 45;
  ShortModel model = reader_of_births<ShortModel>();
  model.longest = 400;
  const ManyShotRelation asked(relation, no_aliases, options);
  // The sequence consists of BOS, 20 shots of 15 bytes and the subject: 20 * 15 + 1 + 9, without
  // the last space.
  KeptPrompts prompts(model, model.bos());
  ManyShotCheck(model, true).refuse_long_generation(asked, 80, prompts);
  BOOST_CHECK_EXCEPTION(
      ManyShotCheck(model, true).refuse_long_generation(asked, 100, prompts), Error,
      says(Fault::user,
           "`generate`: birth: 310 tokens and 100 new ones exceed the model's context of 400"));
}

BOOST_AUTO_TEST_CASE(fixed_study_gets_the_same_checks) {
  FixedStudy study;
  for (std::size_t i = 0; i < 20; ++i) {
    study.shots.push_back({"Person " + std::string(1, static_cast<char>('a' + i)), "1900"});
  }
  study.choices = {"1900", "19"};
  study.tests = {{"Person X", "19", {}}};
  ShortModel model = reader_of_births<ShortModel>();
  model.longest = 14 * 21;  // "Person a 1900 " has 14 bytes
  ManyShotCheck(model, true).refuse_long(study, "study.json");
  BOOST_TEST(!ManyShotCheck(model, true).merged_token_of(study).has_value());
  model.longest = 14 * 16;
  BOOST_CHECK_EXCEPTION(ManyShotCheck(model, true).refuse_long(study, "study.json"), Error,
                        says(Fault::user,
                             "study.json: Person X: a sequence of 294 tokens, longer than the "
                             "model's context of 224; 15 shots would fit"));
  study.form.pair_separator = "";
  model = reader_of_births<ShortModel>({"X19"});
  model.longest = 1000;
  BOOST_TEST(ManyShotCheck(model, true).merged_token_of(study).value() == "X19");
}

BOOST_AUTO_TEST_CASE(an_injection_experiment_past_the_context_is_refused) {
  const Relation relation = births(60, 8);
  const InjectionDesign design = injection_design(relation, {.pairs = 20, .injected = 4});
  ShortModel model = reader_of_births<ShortModel>();
  model.longest = 1000;
  ManyShotCheck(model, true).refuse_long(design, {});
  model.longest = 100;
  BOOST_CHECK_EXCEPTION(ManyShotCheck(model, true).refuse_long(design, {}), Error,
                        says(Fault::user, "birth: the injection experiment's sequence of "));
  model.longest = 15 * 7 - 1;
  BOOST_CHECK_EXCEPTION(ManyShotCheck(model, true).refuse_long(design, {}), Error,
                        says(Fault::user, "6 pairs would fit: set `injection` lower"));
}

BOOST_AUTO_TEST_SUITE_END()
