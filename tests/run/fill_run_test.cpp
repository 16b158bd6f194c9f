// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/fill_run.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::TemporaryFolder;
using test::WordMaskModel;

BOOST_AUTO_TEST_SUITE(fill_run_suite)

namespace {

const auto close = boost::test_tools::tolerance(1e-6);

/// The output of a run and its cost.
struct Made {
  explicit Made(FillOptions options = {}, const std::vector<std::string>& codes = {})
      : model(elements_many()),
        words(model),
        plan(fill_plan(words, elements_many(), codes, 0, options.masks)) {
    const RunFolder folder(files / "run", Json::object(), RunFolder::Claim::fresh);
    Work work(folder.file("journal.jsonl"));
    FillRun run(model, words, plan, options);
    run.answer(folder, work);
    for (std::size_t r = 0; r < plan.dataset.relations.size(); ++r) {
      candidates.push_back(run.candidates(r, object_labels(plan.dataset.relations[r])));
    }
    if (options.names) run.content_free(candidates, folder, work);
    cost = work.summary().cost;
  }

  [[nodiscard]] std::vector<RecordedAnswer> answers() const {
    std::vector<RecordedAnswer> rows;
    for_each_row<RecordedAnswer>(files / "run/masked_answers.jsonl",
                                 [&](const RecordedAnswer& row) { rows.push_back(row); });
    return rows;
  }
  /// The query for a row's sentence, with a word in its gap.
  [[nodiscard]] MaskedQuery query(const std::string& relation, std::size_t t,
                                  const std::string& subject) const {
    const auto at = std::ranges::find(plan.dataset.relations, relation, &MultiPromptRelation::code);
    return gap_query(model, fill_template(at->templates.at(t).text, subject, "[MASK]", true));
  }

  TemporaryFolder files;
  WordMaskModel model;
  GapWords<WordMaskModel> words;
  FillPlan plan;
  std::vector<GapCandidates> candidates;
  ScoringCost cost;
};

double log_p(const std::vector<float>& row, TokenId token) {
  double sum = 0;
  for (const float logit : row) sum += std::exp(static_cast<double>(logit));
  return static_cast<double>(row.at(static_cast<std::size_t>(token))) - std::log(sum);
}

}  // namespace

// The expected answers are looked up one by one in the model's own rows.
BOOST_AUTO_TEST_CASE(every_prompt_has_its_likeliest_token_and_the_rank_of_the_true_one) {
  const Made made;
  const auto rows = made.answers();
  BOOST_TEST(rows.size() == made.plan.prompts.prompts.size());
  for (const RecordedAnswer& row : rows) {
    const std::vector<float> logits =
        made.model.row(made.query(row.relation, row.prompt.template_index, row.subject));
    const auto best = static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
    BOOST_TEST((row.fill->ids == std::vector<TokenId>{best}));
    BOOST_TEST(row.text == made.model.detokenize(row.fill->ids));
    BOOST_TEST(row.log_probability == log_p(logits, best), close);
    const auto& relation =
        *std::ranges::find(made.plan.dataset.relations, row.relation, &MultiPromptRelation::code);
    std::vector<TokenId> truths;
    for (const NamedEntity& object : relation.facts.at(row.prompt.fact).objects) {
      for (const std::string& name : object.names) truths.push_back(made.model.id(name));
    }
    const auto is_true = [&](TokenId id) { return std::ranges::find(truths, id) != truths.end(); };
    BOOST_TEST(row.fill->right == is_true(best));
    float highest = 0;
    for (const TokenId id : truths)
      highest = std::max(highest, logits[static_cast<std::size_t>(id)]);
    std::size_t above = 0;
    for (std::size_t id = 0; id < logits.size(); ++id) above += logits[id] > highest ? 1U : 0U;
    BOOST_TEST(row.fill->rank->above == above);
    BOOST_TEST(!row.fill->common_id);
  }
}

BOOST_AUTO_TEST_CASE(names_of_facts_with_an_alias_and_candidates_are_scored_in_the_gap) {
  const Made made;
  std::size_t rows = 0;
  for_each_row<RecordedNames>(made.files / "run/masked_names.jsonl", [&](const RecordedNames& row) {
    ++rows;
    const std::vector<float> logits =
        made.model.row(made.query(row.relation, row.prompt.template_index, row.subject));
    const auto& relation =
        *std::ranges::find(made.plan.dataset.relations, row.relation, &MultiPromptRelation::code);
    const auto& objects = relation.facts.at(row.prompt.fact).objects;
    BOOST_REQUIRE(row.names.size() == objects.size());
    for (std::size_t o = 0; o < objects.size(); ++o) {
      for (std::size_t n = 0; n < objects[o].names.size(); ++n) {
        BOOST_TEST(row.names[o].at(n).nats == log_p(logits, made.model.id(objects[o].names[n])),
                   close);
        BOOST_TEST(row.names[o].at(n).tokens == 1U);
      }
    }
  });
  // Iron has two names, each under four templates. Under three templates, water, rust and sugar
  // have one name each, and salt has two.
  BOOST_TEST(rows == 8U + 15U);
  std::size_t free = 0;
  for_each_row<RecordedContentFree>(
      made.files / "run/masked_content_free.jsonl", [&](const RecordedContentFree& row) {
        const std::vector<float> logits =
            made.model.row(made.query(row.relation, row.template_index, row.subject));
        const auto& labels =
            made.candidates.at(row.relation == "symbol"     ? 0
                               : row.relation == "contains" ? 1
                                                            : 2)
                .labels;
        BOOST_REQUIRE(row.candidates.size() == labels.size());
        BOOST_TEST(row.candidates[0].nats == log_p(logits, made.model.id(labels[0])), close);
        ++free;
      });
  BOOST_TEST(free == 3U * (4 + 3 + 2));
}

BOOST_AUTO_TEST_CASE(a_name_that_does_not_fit_has_no_likelihood_and_a_label_is_no_candidate) {
  MultiPromptDataset dataset = elements_many();
  dataset.relations[2].facts[2].objects[0].names = {"metal", "noble gas"};
  WordMaskModel model(dataset);
  GapWords words(model);
  const FillPlan plan = fill_plan(words, dataset, {"family"}, 0, 1);
  const TemporaryFolder files;
  const RunFolder folder(files / "run", Json::object(), RunFolder::Claim::fresh);
  Work work(folder.file("journal.jsonl"));
  const FillOptions options;
  FillRun run(model, words, plan, options);
  run.answer(folder, work);
  std::size_t rows = 0;
  for_each_row<RecordedNames>(files / "run/masked_names.jsonl", [&](const RecordedNames& row) {
    ++rows;
    BOOST_TEST(row.names.at(0).at(0).tokens == 1U);
    BOOST_TEST(row.names.at(0).at(1).tokens == 0U);
  });
  BOOST_TEST(rows == 2U);
  const GapCandidates candidates = run.candidates(0, object_labels(dataset.relations[2]));
  BOOST_TEST((candidates.labels == std::vector<std::string>{"metal"}));
  BOOST_TEST(candidates.left_out == 1U);  // noble gas
}

BOOST_AUTO_TEST_CASE(common_vocabulary_has_its_own_answers) {
  const Made made({1, false, {"H", "He", "Fe", "noble gas", "nowhere"}}, {"symbol"});
  std::size_t without = 0;
  for (const RecordedAnswer& row : made.answers()) {
    const std::vector<float> logits =
        made.model.row(made.query(row.relation, row.prompt.template_index, row.subject));
    const auto logit = [&](const std::string& word) {
      return logits[static_cast<std::size_t>(made.model.id(word))];
    };
    const auto best = std::max({logit("H"), logit("He"), logit("Fe")});
    BOOST_TEST(logit(row.fill->common_text) == best);
    BOOST_TEST(row.fill->common_text == made.model.detokenize({{*row.fill->common_id}}));
    without += row.fill->common_rank ? 0U : 1U;
  }
  BOOST_TEST(without == 12U);  // carbon, oxygen, sodium under four templates
  BOOST_TEST(!std::filesystem::exists(made.files / "run/masked_names.jsonl"));
}

BOOST_AUTO_TEST_CASE(several_masks_fit_longer_names) {
  const Made made({2, true, {}}, {"family"});
  bool longer = false;
  for (const RecordedAnswer& row : made.answers()) {
    longer = longer || row.tokens == 2;
    BOOST_TEST(!row.fill->rank);
  }
  BOOST_TEST(longer);
  BOOST_TEST((made.candidates[0].labels == std::vector<std::string>{"noble gas", "metal"}));
}

BOOST_AUTO_TEST_CASE(a_sentence_without_room_is_refused_with_its_place) {
  WordMaskModel model(elements_many());
  model.context = 8;  // "The symbol of X is <mask>." has 9 tokens, including the frame
  GapWords words(model);
  const FillPlan plan = fill_plan(words, elements_many(), {"symbol"}, 0, 1);
  const FillOptions options;
  BOOST_CHECK_EXCEPTION(FillRun(model, words, plan, options).refuse_long_prompts(), Error,
                        test::says(Fault::user,
                                   "symbol, template 0: the sentence about 'hydrogen' has 9 "
                                   "tokens; the model's limit is 8"));
}

BOOST_AUTO_TEST_SUITE_END()
