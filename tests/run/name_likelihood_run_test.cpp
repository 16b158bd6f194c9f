// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/name_likelihood_run.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(name_likelihood_run)

namespace {

const FewShotSetting two_of_relation{ShotSource::relation, 2, PromptForm::mask};
const FewShotSetting two_under_template{ShotSource::same_template, 2, PromptForm::mask};

template <class Model>
Model reader() {
  return Model("A: Fe.\nA: iron.\nA: hydrogen.\nA: oxygen.\nA: noble gas.\nA: inert gas.\nA: Na.\n",
               4);
}

/// Simulates one process: a new model and a new run, as after a crash.
template <class Model = NgramTreeModel>
RunSummary run_once(const std::filesystem::path& folder, const FewShotSetting& setting,
                    ProgressCallback on_progress = {}) {
  Model model = reader<Model>();
  if constexpr (TreeCausalLm<Model>) model.limits = {8192, 256, 256};
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  const RunFolder run_folder(folder, Json{{"of", "a test"}}, RunFolder::Claim::resume);
  Work work(run_folder.file("journal.jsonl"), {on_progress, {}});
  const AnswerOptions options;
  NameLikelihoodRun run(model, true, options, dataset, asked, run_folder, work);
  run.score(setting);
  return work.summary();
}

/// ln P(" name" | prompt), from the model itself.
TextLikelihood by_hand(const NgramModel& model, const std::string& prompt,
                       const std::string& name) {
  std::vector<TokenId> ids = prompt_ids(model, Prompt{prompt, {}, {}}, model.bos());
  TextLikelihood made;
  for (const Token& token : model.tokenize(" " + name).tokens) {
    made.nats += model.log_probability(ids, token.id);
    ++made.tokens;
    ids.push_back(token.id);
  }
  return made;
}

void check_equal(const TextLikelihood& found, const TextLikelihood& expected) {
  BOOST_TEST(std::abs(found.nats - expected.nats) < 1e-4);
  BOOST_TEST(found.tokens == expected.tokens);
}

}  // namespace

// Names are scored after all prompts of each fact whose subject or object has an alias, and after
// no other prompts.
BOOST_AUTO_TEST_CASE(names_are_scored_behind_each_prompt_of_a_fact_with_an_alias) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  const NgramModel model = reader<NgramModel>();
  for (const FewShotSetting& setting : {FewShotSetting{}, two_of_relation, two_under_template}) {
    const TemporaryFolder folder;
    run_once(folder / "run", setting);
    const FewShot few_shot(dataset, setting, 0);
    PromptTexts texts(dataset, asked, few_shot);
    std::vector<PlannedPrompt> expected;
    for (const PlannedPrompt& planned : answer_plan(dataset, asked, few_shot).prompts) {
      const ManyNamedFact& fact = texts.fact(planned);
      bool alias = fact.subject.names.size() > 1;
      for (const NamedEntity& object : fact.objects) alias = alias || object.names.size() > 1;
      if (alias) expected.push_back(planned);
    }
    std::size_t i = 0;
    for_each_row<RecordedNames>(
        (folder / "run") / (few_shot.name() + "_names.jsonl"), [&](const RecordedNames& row) {
          const PlannedPrompt& planned = expected.at(i++);
          BOOST_TEST((row.prompt == planned.prompt));
          BOOST_TEST(row.subject == texts.subject(planned));
          const auto& objects = texts.fact(planned).objects;
          BOOST_REQUIRE(row.names.size() == objects.size());
          for (std::size_t o = 0; o < objects.size(); ++o) {
            BOOST_REQUIRE(row.names[o].size() == objects[o].names.size());
            for (std::size_t n = 0; n < objects[o].names.size(); ++n) {
              check_equal(row.names[o][n],
                          by_hand(model, texts.text(planned), objects[o].names[n]));
            }
          }
        });
    BOOST_TEST(i == expected.size());
  }
}

// The plan counts each text's own tokens, in the same way as the run counts texts fed one by one.
BOOST_AUTO_TEST_CASE(plan_counts_names_and_tokens) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  NgramModel model = reader<NgramModel>();
  for (const FewShotSetting& setting : {FewShotSetting{}, two_of_relation}) {
    const TemporaryFolder folder;
    const RunSummary summary = run_once(folder / "run", setting);
    KeptBlocks<CausalScorer<NgramModel>> blocks;
    const JobPlan plan =
        planned_names(model, true, AnswerOptions{}, dataset, asked, setting, blocks);
    BOOST_REQUIRE(plan.size() == 2U);
    BOOST_TEST(plan[0].name.ends_with(" names"));
    BOOST_TEST(plan[1].name.ends_with(" content-free"));
    BOOST_TEST(plan[0].count + plan[1].count == summary.cost.statements);
    BOOST_TEST(plan[0].cost->tokens_one_by_one + plan[1].cost->tokens_one_by_one ==
               summary.cost.tokens_one_by_one);
  }
}

BOOST_AUTO_TEST_CASE(labels_are_scored_behind_prompts_without_content) {
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  const NgramModel model = reader<NgramModel>();
  const TemporaryFolder folder;
  run_once(folder / "run", two_of_relation);
  const FewShot few_shot(dataset, two_of_relation, 0);
  std::size_t rows = 0;
  std::set<std::string> subjects;
  for_each_row<RecordedContentFree>(
      (folder / "run") / "2-relation_content_free.jsonl", [&](const RecordedContentFree& row) {
        ++rows;
        subjects.insert(row.subject);
        std::size_t r = 0;
        while (dataset.relations[r].code != row.relation) ++r;
        const std::vector<std::string> labels = object_labels(dataset.relations[r]);
        BOOST_REQUIRE(row.candidates.size() == labels.size());
        const std::string prompt = few_shot.context(few_shot.shots(r, row.template_index), r) +
                                   few_shot.question(r, row.template_index, row.subject);
        for (std::size_t i = 0; i < labels.size(); ++i) {
          check_equal(row.candidates[i], by_hand(model, prompt, labels[i]));
        }
      });
  BOOST_TEST(rows == (4U + 3 + 2) * 3);
  BOOST_TEST((subjects == std::set<std::string>{"N/A", "", "?"}));
}

BOOST_AUTO_TEST_CASE(object_labels_stand_once_in_their_order) {
  BOOST_TEST(
      object_labels(elements_many().relations[1]) ==
          (std::vector<std::string>{"hydrogen", "oxygen", "sodium", "chlorine", "iron", "carbon"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_that_is_taken_up_again_leaves_the_same_bytes) {
  const TemporaryFolder folder;
  std::size_t all = 0;
  const RunSummary whole =
      run_once(folder / "whole", two_under_template, [&](const WorkState&) { ++all; });
  BOOST_REQUIRE(all > 4U);
  const auto text = [&](const std::string& run) {
    return slurp(folder / (run + "/2-template_names.jsonl")) +
           slurp(folder / (run + "/2-template_content_free.jsonl"));
  };
  for (std::size_t stop = 2; stop < all; stop += 3) {
    const std::string run = "run" + std::to_string(stop);
    std::size_t steps = 0;
    struct Killed {};
    BOOST_CHECK_THROW(run_once(folder / run, two_under_template,
                               [&](const WorkState&) {
                                 if (++steps == stop) throw Killed{};
                               }),
                      Killed);
    const RunSummary rest = run_once(folder / run, two_under_template);
    BOOST_TEST(text(run) == text("whole"));
    BOOST_TEST(rest.fresh_statements < whole.fresh_statements);
    BOOST_TEST(rest.cost.statements == whole.cost.statements);
  }
}

BOOST_AUTO_TEST_CASE(tree_and_plain_models_give_the_same_name_scores) {
  const TemporaryFolder folder;
  const RunSummary tree = run_once(folder / "tree", two_of_relation);
  run_once<NgramModel>(folder / "plain", two_of_relation);
  for (const char* name : {"2-relation_names.jsonl", "2-relation_content_free.jsonl"}) {
    BOOST_TEST(slurp((folder / "tree") / name) == slurp((folder / "plain") / name));
  }
  BOOST_TEST(tree.cost.tokens_fed * 4 < tree.cost.tokens_one_by_one);
}

BOOST_AUTO_TEST_SUITE_END()
