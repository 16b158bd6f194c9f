// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job that asks a masked model about facts with many prompts. Every fact is queried with all
// templates and names, as a sentence with a gap that the model fills (BELIEF for encoders). The job
// writes the same files as a generation, and the same code reads and measures them. An answer is
// correct if its tokens exactly match those of a name of one of the fact's objects.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/records/generation_metadata.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/run/fill_run.hpp"
#include "plumb/detail/run/generate_settings.hpp"
#include "plumb/detail/run/generation_files.hpp"
#include "plumb/detail/run/generation_report.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/provenance.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The questions for a masked model. They are loaded before the model is needed.
struct FillQuestions {
  /// Reads `chosen.data` and `chosen.vocabulary`. Throws a user error if they cannot be read.
  explicit FillQuestions(const GenerateSettings& chosen)
      : settings(chosen), dataset(answerable(asked_dataset(settings))) {
    settings.masked = true;
    options.masks = settings.masks;
    options.names = !settings.named().empty();
    if (!settings.vocabulary.empty()) options.vocabulary = read_vocabulary(settings.vocabulary);
    (void)relation_places(dataset, settings.relations);
  }

  GenerateSettings settings;
  MultiPromptDataset dataset;
  FillOptions options;
};

/// Calls `visit(kind, make)` for each prompt, in the order of the run's rows: "masked answers", and
/// "masked content_free" if names are scored and no fact is selected. make() returns the
/// ListedPrompt, whose text contains [MASK] in place of the model's mask token. The arguments must
/// outlive the call.
template <class Visit>
void for_each_fill_prompt(const FillPlan& plan, bool with_names, const WantedFact& wanted,
                          Visit visit) {
  const FewShot few_shot(plan.dataset, {ShotSource::none, 0, PromptForm::sentence}, 0);
  PromptTexts texts(plan.dataset, plan.asked, few_shot);
  for (const PlannedPrompt& planned : plan.prompts.prompts) {
    const NamedEntity& subject = texts.fact(planned).subject;
    const std::string& relation = texts.relation(planned).code;
    if (ranges::none_of(subject.names, [&](const std::string& name) {
          return wanted.has(subject.id, name, relation, planned.prompt.fact);
        })) {
      continue;
    }
    visit("masked answers", [&] {
      return ListedPrompt{.about = {{"part", "masked answers"},
                                    {"relation", relation},
                                    {"sub_id", subject.id},
                                    {"sub_label", subject.names.front()},
                                    {"fact", planned.prompt.fact},
                                    {"subject", texts.subject(planned)},
                                    {"template", planned.prompt.template_index},
                                    {"expression", planned.prompt.expression}},
                          .texts = {texts.sentence(planned)}};
    });
  }
  if (!with_names || !wanted.all()) return;
  for (const ContentFreePrompt& one : content_free_prompts(plan.asked, few_shot)) {
    visit("masked content_free", [&] {
      return ListedPrompt{
          .about = {{"part", "masked content_free"},
                    {"relation", texts.relation_at(one.relation).code},
                    {"subject", std::string(one.subject)},
                    {"template", one.template_index}},
          .texts = {few_shot.sentence(one.relation, one.template_index, one.subject)}};
    });
  }
}

/// Models Job. The model and the questions must outlive this object. Not thread-safe.
template <MaskedLm Model>
class FillJob {
 public:
  /// Throws a user error if the model cannot process a prompt.
  FillJob(Model& model, const FillQuestions& questions, Provenance provenance = {})
      : q_(questions),
        provenance_(std::move(provenance)),
        words_(model),
        plan_(checked_plan(model)),
        run_(model, words_, plan_, q_.options) {
    run_.refuse_long_prompts();
    for (const MultiPromptRelation& relation : plan_.dataset.relations) {
      const auto whole =
          ranges::find(q_.dataset.relations, relation.code, &MultiPromptRelation::code);
      candidates_.push_back(q_.options.names
                                ? run_.candidates(candidates_.size(), object_labels(*whole))
                                : GapCandidates{});
    }
  }

  FillJob(const FillJob&) = delete;
  FillJob& operator=(const FillJob&) = delete;

  [[nodiscard]] Json settings() const {
    return generate_record(q_.settings, q_.dataset, {}, provenance_);
  }

  [[nodiscard]] JobPlan plan() const { return run_.plan(candidates_); }

  void run(const RunFolder& folder, Work& work) {
    write_asked(folder, plan_.dataset);
    ExamplePrompts examples;
    for_each_fill_prompt(plan_, q_.options.names, {}, std::ref(examples));
    examples.write(folder.path());
    run_.answer(folder, work);
    if (q_.options.names) run_.content_free(candidates_, folder, work);
    const NamedInRelations unused = unused_words();
    write_left_out(folder, {{"fact", &plan_.left_out.facts},
                            {"object", &plan_.left_out.objects},
                            {"name of an object", &plan_.left_out.names},
                            {"word of the vocabulary", &unused}});
    GenerationMetadata metadata{.model = provenance_.model,
                                .dataset = q_.dataset.name,
                                .settings = detail::setting_names(q_.settings.asking().settings),
                                .answers = GeneratedAnswers::fills,
                                .remarks = remarks(unused.size())};
    for (std::size_t r = 0; r < candidates_.size(); ++r) {
      metadata.candidates.emplace_back(plan_.dataset.relations[r].code, candidates_[r].labels);
    }
    write_generation_metadata(folder.path(), metadata);
  }

  [[nodiscard]] ManyPromptReport report(const DiskPath& folder) const {
    return generation_report(folder, {}, q_.settings.measuring.options(q_.settings.seed));
  }

  [[nodiscard]] const FillPlan& planned_gaps() const noexcept { return plan_; }

 private:
  /// Checks the texts of the selected relations before it tokenizes them.
  [[nodiscard]] FillPlan checked_plan(const Model& model) {
    const SpecialTokenCheck check{model, q_.settings.special_tokens};
    for (const std::size_t r : relation_places(q_.dataset, q_.settings.relations)) {
      for_each_text(q_.dataset.relations[r], check);
    }
    return fill_plan(words_, q_.dataset, q_.settings.relations, q_.settings.limit,
                     q_.options.masks);
  }

  /// Words of the vocabulary that are not a single token in any gap.
  [[nodiscard]] NamedInRelations unused_words() {
    // A resumed run may not have tokenized any word yet.
    const FewShot few_shot(plan_.dataset, {ShotSource::none, 0, PromptForm::sentence}, 0);
    const PromptTexts texts(plan_.dataset, plan_.asked, few_shot);
    NamedInRelations unused;
    if (q_.options.vocabulary.empty()) return unused;
    for (const PlannedPrompt& planned : plan_.prompts.prompts) {
      (void)words_.single_tokens(texts.sentence(planned), q_.options.vocabulary);
    }
    for (const std::string& word : q_.options.vocabulary) {
      if (!words_.was_single(word)) unused.emplace_back("", word);
    }
    return unused;
  }

  [[nodiscard]] std::vector<std::string> remarks(std::size_t unused) const {
    const LeftOutOfFilling& out = plan_.left_out;
    const std::size_t masks = q_.options.masks;
    const std::string fit = masks == 1 ? "one token" : "at most " + counted(masks, "token");
    std::vector<std::string> remarks = left_out_notes(q_.dataset.left_out);
    if (masks > 1) {
      remarks.push_back("Up to " + std::to_string(masks) +
                        " masks are filled left to right, keeping the best mean log-probability: "
                        "an extension; BELIEF fills one.");
    }
    if (!out.facts.empty()) {
      remarks.push_back(
          listed_text("fact", "left out, because no object name is " + fit, out.facts));
    }
    if (!out.objects.empty()) {
      remarks.push_back(listed_text("object", "left out, because no name is " + fit, out.objects));
    }
    if (!out.names.empty()) {
      remarks.push_back(counted(out.names.size(), "name") +
                        " of objects that no answer can match, because they are not " + fit +
                        " (left_out.csv).");
    }
    if (out.prompts > 0) {
      remarks.push_back(counted(out.prompts, "prompt") +
                        " left out, because no name in their gap is " + fit + ".");
    }
    std::size_t labels = 0;
    for (const GapCandidates& one : candidates_) labels += one.left_out;
    if (labels > 0) {
      remarks.push_back(
          counted(labels, "label") +
          " of objects left out of the candidates for bias level, because they are not " + fit +
          " in each gap.");
    }
    if (const std::size_t words = q_.options.vocabulary.size(); words > 0) {
      remarks.push_back(
          "The common vocabulary has " + counted(words, "word") + ", " +
          std::to_string(words - unused) + " of them single tokens of this model" +
          (unused > 0 ? "; compare ranks only with models that have the same words." : "."));
    }
    return remarks;
  }

  const FillQuestions& q_;
  Provenance provenance_;
  GapWords<Model> words_;
  FillPlan plan_;
  FillRun<Model> run_;
  std::vector<GapCandidates> candidates_;  // by asked relation
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
