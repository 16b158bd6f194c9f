// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_generation.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_many_shot.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::births;
using test::pairs_text;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(many_shot_generation)

namespace {

const std::vector<std::size_t> everybody = [] {
  std::vector<std::size_t> all(30);
  for (std::size_t i = 0; i < 30; ++i) all[i] = i;
  return all;
}();

/// A model whose training text contains all pairs twice, so it continues a name with that person's
/// year, whatever precedes the name.
template <class Model = NgramTreeModel>
Model scholar() {
  const std::string text = pairs_text(births(30, 8), everybody);
  Model model(text + " " + text, 9);
  if constexpr (TreeCausalLm<Model>) model.limits = {1000, 4, 64};
  return model;
}

ManyShotOptions shots_and_templates() {
  ManyShotOptions options = test::several();
  options.pair_separators = {" "};
  options.baselines["birth"] = {"", {"{subject}", "born: {subject}"}, {}};
  return options;
}

struct Generated {
  explicit Generated(Relation of = births(30, 8), ManyShotOptions with = shots_and_templates())
      : relation(std::move(of)), options(std::move(with)) {}

  template <class Model>
  std::vector<RecordedGeneration> run(Model model, std::size_t tokens, bool with_bos = true,
                                      const std::vector<std::string>& stop = {},
                                      LabelMatch match = LabelMatch::letters) {
    const RunFolder run_folder(folder / "run", Json::object(), RunFolder::Claim::resume);
    Work work(run_folder.file("journal.jsonl"),
              {[&](const WorkState& state) { texts = state.done; }});
    KeptPrompts prompts(model, with_bos ? model.bos() : std::nullopt);
    generate_many_shot(model, prompts, asked, aliases, tokens, stop, run_folder, work, match);
    RecordedChoiceRelation recorded;
    recorded.generated = folder / "run/birth_generated.jsonl";
    std::vector<RecordedGeneration> rows;
    for_each_recorded_generation(recorded,
                                 [&](const RecordedGeneration& row) { rows.push_back(row); });
    return rows;
  }

  TemporaryFolder folder;
  Relation relation;
  ManyShotOptions options;
  ObjectAliases aliases;
  ManyShotRelation asked{relation, aliases, options};
  std::size_t texts = 0;
};

/// The greedy continuation produced by the archetype's own generator.
std::string greedy(const NgramModel& model, const std::string& text, std::size_t tokens,
                   bool with_bos) {
  std::vector<TokenId> prompt;
  if (with_bos) prompt.push_back(*model.bos());
  for (const Token& token : model.tokenize(text).tokens) prompt.push_back(token.id);
  const auto made =
      model.generate(prompt, {.samples = 0, .max_new_tokens = tokens, .stop = {}, .seed = 0});
  return model.detokenize(made.front().tokens);
}

}  // namespace

BOOST_AUTO_TEST_CASE(texts_are_the_models_own_greedy_continuations) {
  for (const bool with_bos : {true, false}) {
    for (const bool tree : {true, false}) {
      Generated job;
      const auto rows =
          tree ? job.run(scholar(), 12, with_bos) : job.run(scholar<NgramModel>(), 12, with_bos);
      // Texts are generated for the highest shot count with two seeds and for two templates.
      BOOST_REQUIRE(rows.size() == 4U * 6U);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const RecordedGeneration& row = rows[r];
        const Fact& fact = job.asked.test_fact(r % 6);
        BOOST_TEST(row.fact.instance == fact.instance);
        BOOST_TEST(row.fact.subject == fact.subject);
        std::string prompt;
        if (r < 12) {
          BOOST_TEST(row.setting.method == "ic");
          BOOST_TEST(row.setting.shots == 4U);
          const auto shots = shot_order(job.relation, job.asked.split(), r / 6);
          prompt = pairs_text(job.relation, std::span(shots).first(4)) + " " + fact.subject;
        } else {
          BOOST_TEST(row.setting.method == "hgp");
          prompt = (r < 18 ? "" : "born: ") + fact.subject;
        }
        BOOST_TEST(row.setting.variant == r / 6 % 2);
        const std::string expected = greedy(scholar(), prompt, 12, with_bos);
        BOOST_TEST(row.text == expected);
        const bool correct = expected.find(job.relation.options[fact.answer]) != expected.npos;
        BOOST_TEST(row.correct == correct);
        BOOST_TEST(row.correct_with_aliases == correct);
      }
      // In the model's training text, " 1802 Person …" follows each subject, so the model knows
      // every subject's year.
      BOOST_TEST(rows[0].text == " " + job.relation.options[job.asked.test_fact(0).answer] +
                                     rows[0].text.substr(5));
      BOOST_TEST(rows[0].text.size() == 12U);
      BOOST_TEST(rows[0].correct);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_label_must_be_in_the_tokens_that_were_asked_for) {
  Generated enough, short_of_one;
  for (const auto& row : enough.run(scholar(), 5)) BOOST_TEST(row.correct);
  for (const auto& row : short_of_one.run(scholar(), 4)) {
    BOOST_TEST(!row.correct);
    BOOST_TEST(row.text.size() == 4U);
  }
}

// " 1802 Person …": the space before the year does not end the text, but the one after it does.
BOOST_AUTO_TEST_CASE(a_stop_text_ends_a_text_behind_its_first_word) {
  Generated job;
  for (const auto& row : job.run(scholar(), 12, true, {" "})) {
    BOOST_TEST(row.text ==
               " " + job.relation.options[job.relation.facts[row.fact.instance].answer]);
    BOOST_TEST(row.correct);
  }
}

BOOST_AUTO_TEST_CASE(aliases_count_as_correct_and_matching_is_case_sensitive) {
  // The labels of these facts never occur in the continuations.
  Relation renamed = births(30, 8);
  for (std::string& option : renamed.options) option = "Year " + option;
  Generated aliased(renamed);
  aliased.aliases = {{"y0", {"1800"}}, {"y1", {"person"}}, {"y2", {"none", "Person"}}};
  std::size_t with_alias = 0;
  for (const auto& row : aliased.run(scholar(), 12)) {
    const std::size_t answer = renamed.facts[row.fact.instance].answer;
    BOOST_TEST(!row.correct);
    BOOST_TEST(row.correct_with_aliases == (answer == 0 || answer == 2));
    with_alias += row.correct_with_aliases ? 1U : 0U;
  }
  BOOST_TEST(with_alias > 0U);
}

// The text is " 1802 Person …". According to the authors' rule, it contains the label "P.ER:SON";
// it does not contain "1802, X" under any rule.
BOOST_AUTO_TEST_CASE(the_authors_program_asks_without_case_and_signs) {
  Relation renamed = births(30, 8);
  for (std::size_t o = 0; o < renamed.options.size(); ++o) {
    renamed.options[o] = o % 2 == 0 ? "P.ER:SON" : "1802, X";
  }
  std::size_t right = 0;
  for (const LabelMatch match : {LabelMatch::letters, LabelMatch::program}) {
    Generated job(renamed);
    for (const auto& row : job.run(scholar(), 12, true, {}, match)) {
      const bool even = renamed.facts[row.fact.instance].answer % 2 == 0;
      BOOST_TEST(row.correct == (match == LabelMatch::program && even));
      right += row.correct ? 1U : 0U;
    }
  }
  BOOST_TEST(right > 0U);
}

BOOST_AUTO_TEST_CASE(what_stands_is_not_written_again) {
  Generated job;
  (void)job.run(scholar(), 6);
  const auto file = job.folder / "run/birth_generated.jsonl";
  const std::string first = slurp(file);
  // If the file was changed, it is written again.
  job.folder.write("run/birth_generated.jsonl", "");
  (void)job.run(scholar(), 6);
  BOOST_TEST(slurp(file) == first);
  std::filesystem::remove(file);
  (void)job.run(scholar(), 6);
  BOOST_TEST(slurp(file) == first);
  // The journal contains all texts, so the run writes the same file even with a model that has no
  // training text.
  std::filesystem::remove(file);
  (void)job.run(NgramTreeModel("", 9), 6);
  BOOST_TEST(slurp(file) == first);
}

BOOST_AUTO_TEST_CASE(texts_are_counted_as_they_are_written_or_found) {
  Generated job;
  for (const bool stands : {false, true}) {
    job.texts = 0;
    BOOST_TEST(job.run(scholar(), 6).size() == job.texts, stands);
    BOOST_TEST(job.texts == generated_texts(job.asked));
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_generated_where_nothing_can_be_gone_on_with) {
  ManyShotOptions options = shots_and_templates();
  options.least_facts = 31;
  Generated skipped(births(30, 8), options);
  BOOST_TEST(skipped.run(scholar(), 6).empty());
  options = shots_and_templates();
  options.shots = {};
  options.baselines.clear();
  options.eic_isolated = options.eic_paper = true;
  options.training = 100;
  Generated eic(births(125, 8), options);
  BOOST_TEST(eic.run(scholar(), 6).empty());
  BOOST_TEST(!std::filesystem::exists(eic.folder / "run/birth_generated.jsonl"));
}

BOOST_AUTO_TEST_CASE(prompts_that_leave_too_little_room_are_refused) {
  Generated job;
  BOOST_CHECK_EXCEPTION((void)job.run(scholar(), 1000), Error,
                        says(Fault::user, "new ones exceed the model's context of"));
  BOOST_TEST(!std::filesystem::exists(job.folder / "run/birth_generated.jsonl"));
}

// The greedy continuation ends in the middle of a character; the row must still be a line of valid
// UTF-8.
BOOST_AUTO_TEST_CASE(a_continuation_that_ends_within_a_character_is_kept_as_text) {
  Relation relation = births(30, 8);
  for (std::string& option : relation.options) option = "é" + option;
  const std::string text = pairs_text(relation, everybody);
  NgramTreeModel model(text + " " + text, 9);
  model.limits = {1000, 4, 64};
  Generated job(relation);
  for (const auto& row : job.run(model, 2)) {  // a space and the first byte of é
    BOOST_TEST(row.text == " \uFFFD");
    BOOST_TEST(!row.correct);
  }
}

BOOST_AUTO_TEST_SUITE_END()
