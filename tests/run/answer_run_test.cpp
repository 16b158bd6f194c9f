// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/answer_run.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"
#include "support/small_multi_prompt.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::elements_many;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(answer_run)

namespace {

const FewShotSetting zero_shot{};
const FewShotSetting two_of_relation{ShotSource::relation, 2, PromptForm::mask};
const FewShotSetting two_under_template{ShotSource::same_template, 2, PromptForm::mask};

/// Options for answers of at most five letters, with many prompts of different lengths.
AnswerOptions few_samples(bool fresh = false) {
  AnswerOptions options;
  options.settings = {zero_shot, two_of_relation, two_under_template};
  for (std::size_t s : {1U, 2U}) options.settings[s].fresh = fresh;
  options.max_new_tokens = 5;
  options.samples = 7;
  options.confidence_prompts = 4;
  options.sample_seed = 3;
  return options;
}

/// A model trained on every fact under every template: a question, then `before` and the fact's
/// answer. It predicts each letter from the previous five.
template <class Model>
Model reader(const std::string& before = " ") {
  const MultiPromptDataset dataset = elements_many();
  std::string text;
  for (const MultiPromptRelation& relation : dataset.relations) {
    for (const ManyNamedFact& fact : relation.facts) {
      for (const PromptTemplate& one : relation.templates) {
        text += "Q: " + fill_template(one.text, fact.subject.names.front(), "[MASK]", true).text +
                "\nA:" + before + fact.objects.front().names.front() + ".\n";
      }
    }
  }
  return Model(text, 6);
}

struct Made {
  RunSummary summary;
  std::vector<std::string> parts;
  std::size_t tokens_fed = 0;
};

/// Simulates one process: a new model and a new run, as after a crash.
template <class Model = NgramTreeModel>
Made run_once(const std::filesystem::path& folder, const AnswerOptions& options,
              ProgressCallback on_progress = {}, Model model = reader<Model>()) {
  if constexpr (TreeCausalLm<Model>) model.limits = {8192, 256, 256};
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, options.limit);
  const RunFolder run_folder(folder, Json{{"of", "a test"}}, RunFolder::Claim::resume);
  Made made;
  const auto look = [&](const WorkState& state) {
    made.parts.push_back(state.counted);
    if (on_progress) on_progress(state);
  };
  Work work(run_folder.file("journal.jsonl"), {look, {}});
  KeptPrompts prompts(model, model.bos());
  AnswerRun run(model, prompts, options, dataset, asked, run_folder, work);
  for (const FewShotSetting& setting : options.settings) {
    refuse_long_prompts(model, prompts, options, dataset, asked, setting);
    run.answer(setting);
    run.sample(setting);
  }
  made.summary = work.summary();
  if constexpr (TreeCausalLm<Model>) made.tokens_fed = model.tokens_fed;
  return made;
}

std::vector<TokenId> ids_of(const NgramModel& model, const std::string& text) {
  return prompt_ids(model, Prompt{text, {}, {}}, model.bos());
}

/// The answer and sample files of a run.
std::map<std::string, std::string> results(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with("_answers.jsonl") || name.ends_with("_samples.jsonl")) {
      files[name] = slurp(entry.path());
    }
  }
  return files;
}

}  // namespace

namespace {

void check_answers(bool fresh) {
  const TemporaryFolder folder;
  const AnswerOptions options = few_samples(fresh);
  run_once(folder / "run", options);
  const NgramModel model = reader<NgramModel>();
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  for (const FewShotSetting& setting : options.settings) {
    const FewShot few_shot(dataset, setting, options.shot_seed);
    const AnswerPlan plan = answer_plan(dataset, asked, few_shot);
    PromptTexts texts(dataset, asked, few_shot);
    std::size_t i = 0;
    for_each_row<RecordedAnswer>(
        folder / "run" / (few_shot.name() + "_answers.jsonl"), [&](const RecordedAnswer& row) {
          const PlannedPrompt& planned = plan.prompts.at(i++);
          BOOST_TEST((row.prompt == planned.prompt));
          BOOST_TEST(row.relation == texts.relation(planned).code);
          BOOST_TEST(row.subject == texts.subject(planned));
          const Continuation alone = model.generate(ids_of(model, texts.text(planned)),
                                                    {.max_new_tokens = 5, .stop = {"\n"}})[0];
          BOOST_TEST(row.text == model.detokenize(alone.tokens));
          BOOST_TEST(row.tokens == alone.tokens.size());
          double nats = 0;
          for (const double one : alone.log_probabilities) nats += one;
          BOOST_TEST(std::abs(row.log_probability - nats) < 1e-5);
        });
    BOOST_TEST(i == plan.prompts.size());
    BOOST_TEST(i > 0U);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_prompt_is_answered_as_by_itself) {
  check_answers(false);
}
BOOST_AUTO_TEST_CASE(batched_answers_with_fresh_shots_equal_individual_answers) {
  check_answers(true);
}

// The model starts every answer with two line breaks and ends it with one.
BOOST_AUTO_TEST_CASE(an_answer_that_begins_with_a_line_break_ends_behind_its_first_word) {
  const TemporaryFolder folder;
  AnswerOptions options = few_samples();
  options.settings = {zero_shot};
  options.max_new_tokens = 30;
  const auto answers = [&](const std::string& run, const std::vector<std::string>& stop) {
    options.stop = stop;
    run_once(folder / run, options, {}, reader<NgramTreeModel>("\n\n"));
    std::vector<std::string> texts;
    for_each_row<RecordedAnswer>(folder / run / "zero-shot_answers.jsonl",
                                 [&](const RecordedAnswer& row) { texts.push_back(row.text); });
    return texts;
  };
  const std::vector<std::string> lines = answers("lines", {"\n"}), stops = answers("stops", {"."}),
                                 both = answers("both", {"\n", "."}), all = answers("all", {});
  BOOST_REQUIRE(!lines.empty());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    BOOST_TEST(lines[i].starts_with("\n\n"));
    BOOST_TEST(lines[i].ends_with("."));
    BOOST_TEST(lines[i].size() > 3U);
    BOOST_TEST((lines[i].find('\n', 2) == std::string::npos));
    BOOST_TEST(stops[i] + "." == lines[i]);
    BOOST_TEST(both[i] == stops[i]);
    BOOST_TEST(all[i].size() == 30U);
    BOOST_TEST(all[i].starts_with(lines[i] + "\n"));
  }
  // Samples end at the same stop strings as answers.
  for_each_row<RecordedSamples>(
      folder / "lines" / "zero-shot_samples.jsonl", [](const RecordedSamples& row) {
        for (const auto& [text, times] : row.texts) {
          const std::size_t word = text.find_first_not_of('\n');
          BOOST_TEST((word == std::string::npos || text.find('\n', word) == std::string::npos));
        }
      });
}

BOOST_AUTO_TEST_CASE(sampled_answers_are_those_of_the_prompts_own_seed) {
  const TemporaryFolder folder;
  const AnswerOptions options = few_samples();
  run_once(folder / "run", options);
  const NgramModel model = reader<NgramModel>();
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  bool various = false;
  for (const FewShotSetting& setting : options.settings) {
    const FewShot few_shot(dataset, setting, options.shot_seed);
    const AnswerPlan plan = sampled_plan(dataset, asked, few_shot, options);
    PromptTexts texts(dataset, asked, few_shot);
    std::size_t i = 0;
    for_each_row<RecordedSamples>(
        folder / "run" / (few_shot.name() + "_samples.jsonl"), [&](const RecordedSamples& row) {
          const PlannedPrompt& planned = plan.prompts.at(i++);
          BOOST_TEST((row.prompt == planned.prompt));
          const std::string text = texts.text(planned);
          RandomStream random(options.sample_seed, "samples/" + text);
          const std::uint64_t high = random.below(0x80000000U);
          const std::uint64_t seed = high << 31U | random.below(0x80000000U);
          std::map<std::string, std::uint32_t> expected;
          for (const Continuation& one :
               model.generate(ids_of(model, text),
                              {.samples = 7, .max_new_tokens = 5, .stop = {"\n"}, .seed = seed})) {
            ++expected[valid_utf8(model.detokenize(one.tokens))];
          }
          const std::map<std::string, std::uint32_t> found(row.texts.begin(), row.texts.end());
          BOOST_TEST((found == expected));
          BOOST_TEST(std::ranges::is_sorted(row.texts, std::greater{},
                                            [](const auto& one) { return one.second; }));
          various = various || found.size() > 1;
        });
    BOOST_TEST(i == 4U);
  }
  BOOST_TEST(various);
}

// A run that is stopped at any point and resumed produces the same bytes and repeats no request.
BOOST_AUTO_TEST_CASE(a_run_that_is_taken_up_again_leaves_the_same_bytes) {
  const TemporaryFolder folder;
  const AnswerOptions options = few_samples(true);
  const Made whole = run_once(folder / "whole", options);
  const auto expected = results(folder / "whole");
  BOOST_TEST(expected.size() == 6U);
  BOOST_REQUIRE(whole.parts.size() > 6U);
  for (std::size_t stop = 2; stop < whole.parts.size(); stop += 2) {
    const std::filesystem::path run = folder / ("run" + std::to_string(stop));
    std::size_t steps = 0;
    struct Killed {};
    BOOST_CHECK_THROW(run_once(run, options,
                               [&](const WorkState&) {
                                 if (++steps == stop) throw Killed{};
                               }),
                      Killed);
    const Made rest = run_once(run, options);
    BOOST_TEST((results(run) == expected));
    BOOST_TEST(rest.summary.cost.statements == whole.summary.cost.statements);
    BOOST_TEST(rest.summary.cost.tokens_fed == whole.summary.cost.tokens_fed);
    BOOST_TEST(rest.summary.fresh_statements < whole.summary.fresh_statements);
    BOOST_TEST(rest.tokens_fed < whole.tokens_fed);
  }
  BOOST_TEST(run_once(folder / "whole", options).tokens_fed == 0U);
  BOOST_TEST((results(folder / "whole") == expected));
}

BOOST_AUTO_TEST_CASE(tree_and_plain_models_give_the_same_answers) {
  const TemporaryFolder folder;
  const AnswerOptions options = few_samples();
  const Made tree = run_once(folder / "tree", options);
  const Made plain = run_once<NgramModel>(folder / "plain", options);
  BOOST_TEST((results(folder / "tree") == results(folder / "plain")));
  BOOST_TEST(tree.summary.cost.tokens_fed == tree.tokens_fed);
  BOOST_TEST(tree.summary.cost.tokens_one_by_one == plain.summary.cost.tokens_one_by_one);
  BOOST_TEST(tree.summary.cost.tokens_fed * 4 < tree.summary.cost.tokens_one_by_one);
}

BOOST_AUTO_TEST_CASE(nothing_to_sample_leaves_no_samples) {
  const TemporaryFolder folder;
  AnswerOptions options = few_samples();
  options.confidence_prompts = 0;
  run_once(folder / "run", options);
  BOOST_TEST(results(folder / "run").size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_limit_asks_the_first_facts_of_each_relation) {
  const TemporaryFolder folder;
  AnswerOptions options = few_samples();
  options.limit = 1;
  run_once(folder / "run", options);
  for_each_row<RecordedAnswer>(
      folder / "run" / "zero-shot_answers.jsonl",
      [](const RecordedAnswer& row) { BOOST_TEST(row.prompt.fact == 0U); });
}

BOOST_AUTO_TEST_CASE(a_prompt_without_room_for_an_answer_is_refused_with_its_place) {
  NgramTreeModel model = reader<NgramTreeModel>();
  model.limits = {150, 256, 256};
  const MultiPromptDataset dataset = elements_many();
  const AskedFacts asked = asked_facts(dataset, {}, 0);
  KeptPrompts prompts(model, model.bos());
  const auto check = [&](const FewShotSetting& setting) {
    refuse_long_prompts(model, prompts, few_samples(), dataset, asked, setting);
  };
  BOOST_CHECK_NO_THROW(check(zero_shot));
  BOOST_CHECK_EXCEPTION(check(two_of_relation), Error,
                        says(Fault::user, "5 new ones, it exceeds the model's limit of 150"));
  BOOST_TEST(model.tokens_fed == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
