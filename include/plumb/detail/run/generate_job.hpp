// SPDX-License-Identifier: Apache-2.0
#pragma once

// A generation over many prompts, as a job. Every fact is queried with all templates and names,
// with and without shots. The job measures how often the answers are correct, whether they agree,
// and how confident the model is (BELIEF).

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/records/generation_metadata.hpp"
#include "plumb/detail/records/generation_shots.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/run/answer_prompts.hpp"
#include "plumb/detail/run/answer_run.hpp"
#include "plumb/detail/run/generate_settings.hpp"
#include "plumb/detail/run/generation_files.hpp"
#include "plumb/detail/run/generation_report.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/name_likelihood_check.hpp"
#include "plumb/detail/run/name_likelihood_run.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/kept_blocks.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
/// The questions that a generation asks. They are loaded before a model is needed.
struct GenerateQuestions {
  /// Reads `chosen.data`. Throws a user error if the data cannot be read or contains nothing to
  /// ask.
  explicit GenerateQuestions(const GenerateSettings& chosen)
      : settings(chosen),
        asking(settings.asking()),
        names(settings.named()),
        lemmas(settings.measuring.lemmas()),
        dataset(asked_dataset(settings)),
        asked(select_answerable(dataset, settings.relations, settings.limit)) {
    // The mask form works with any template.
    for (const FewShotSetting& one : asking.settings) {
      const FewShot few_shot(dataset, one, asking.shot_seed);
      for (const AskedRelation& relation : asked.relations) {
        if (!few_shot.templates(relation.relation).empty()) return;
      }
    }
    throw user_error({.file = settings.data}, "has no question template",
                     "set `form` to mask, or add templates with \"style\": \"question\"");
  }

  GenerateSettings settings;
  AnswerOptions asking;
  /// The settings under which the names of objects are also scored.
  std::vector<FewShotSetting> names;
  AnswerLemmas lemmas;
  MultiPromptDataset dataset;
  AskedFacts asked;
};

/// Models Job. The model and the questions must outlive this object. Not thread-safe.
template <CausalLm Model>
class GenerateJob {
 public:
  /// Throws a user error if the model cannot process a prompt.
  GenerateJob(Model& model, const GenerateQuestions& questions, Provenance provenance = {})
      : model_(model),
        q_(questions),
        provenance_(std::move(provenance)),
        prompts_(kept_prompts(model, questions.settings.bos)) {
    const Bos& bos = q_.settings.bos;
    own_words_ = check_special_tokens();
    for (const FewShotSetting& one : q_.asking.settings) {
      refuse_long_prompts(model_, prompts_, q_.asking, q_.dataset, q_.asked, one);
    }
    for (const FewShotSetting& one : q_.names) {
      refuse_unscorable_names(model_, bos, q_.asking, q_.dataset, q_.asked, one);
    }
  }

  [[nodiscard]] Json settings() const {
    return generate_record(q_.settings, q_.dataset, q_.lemmas, provenance_);
  }

  [[nodiscard]] JobPlan plan() {
    JobPlan made;
    const auto add = [&](JobPlan parts) {
      for (PlannedPart& part : parts) made.push_back(std::move(part));
    };
    for (const FewShotSetting& one : q_.asking.settings) {
      add(planned_answers(prompts_, q_.asking, q_.dataset, q_.asked, one));
    }
    for (const FewShotSetting& one : q_.names) {
      add(planned_names(model_, q_.settings.bos, q_.asking, q_.dataset, q_.asked, one, blocks_));
    }
    return made;
  }

  void run(const RunFolder& folder, Work& work) {
    write_prompts_file(folder);
    const Bos& bos = q_.settings.bos;
    AnswerRun answers(model_, prompts_, q_.asking, q_.dataset, q_.asked, folder, work);
    for (const FewShotSetting& one : q_.asking.settings) {
      answers.answer(one);
      answers.sample(one);
    }
    if (!q_.names.empty()) {
      NameLikelihoodRun names(model_, bos, q_.asking, q_.dataset, q_.asked, folder, work, blocks_);
      for (const FewShotSetting& one : q_.names) names.score(one);
    }
    write_left_out(folder, {{"fact", &q_.asked.without_answer},
                            {"name of an object", &q_.asked.wordless_names}});
    GenerationMetadata metadata{.model = provenance_.model,
                                .dataset = q_.dataset.name,
                                .settings = detail::setting_names(q_.asking.settings),
                                .max_new_tokens = q_.asking.max_new_tokens,
                                .remarks = remarks()};
    for (const AskedRelation& one : q_.asked.relations) {
      const MultiPromptRelation& relation = q_.dataset.relations[one.relation];
      metadata.candidates.emplace_back(relation.code, object_labels(relation));
    }
    write_generation_metadata(folder.path(), metadata);
  }

  [[nodiscard]] ManyPromptReport report(const DiskPath& folder) const {
    return generation_report(folder, q_.lemmas, q_.settings.measuring.options(q_.settings.seed));
  }

  /// The source of the lemmas. A run folder does not record it as a setting.
  [[nodiscard]] Json facts() const { return {{"wordnet", q_.settings.measuring.wordnet.string()}}; }

 private:
  /// Checks the texts of all relations that are asked about or shown as shots. Returns a remark if
  /// the prompts' fixed text contains the text of a special token.
  [[nodiscard]] std::optional<std::string> check_special_tokens() {
    const SpecialTokenCheck check{model_, q_.settings.special_tokens,
                                  require_bos(model_, q_.settings.bos)};
    const auto& sources = q_.settings.sources;
    const bool shows_all = ranges::find(sources, ShotSource::random) != sources.end();
    for (std::size_t r = 0; r < q_.dataset.relations.size(); ++r) {
      const auto is_asked = [&](const AskedRelation& one) { return one.relation == r; };
      if (shows_all || ranges::any_of(q_.asked.relations, is_asked)) {
        for_each_text(q_.dataset.relations[r], check);
      }
    }
    check.warn(provenance_.description);
    for (const FewShotSetting& one : q_.asking.settings) {
      const FewShot few_shot(q_.dataset, one, q_.asking.shot_seed);
      if (auto remark = check.remark_on(few_shot.context({}, 0))) return remark;
    }
    return std::nullopt;
  }

  /// Writes asked/ (facts and templates), shots.jsonl (the facts that the settings use as shots)
  /// and an example prompt of each kind.
  void write_prompts_file(const RunFolder& folder) const {
    write_asked(folder, narrowed(q_.dataset, q_.asked));
    std::string lines;
    for (const FewShotSetting& one : q_.asking.settings) {
      const FewShot few_shot(q_.dataset, one, q_.asking.shot_seed);
      for (const RecordedShotList& list : shot_lists(q_.dataset, q_.asked, few_shot)) {
        lines += shot_list_line(list);
      }
    }
    if (!lines.empty()) write_atomically(folder.file("shots.jsonl"), lines);
    ExamplePrompts examples;
    for_each_answer_prompt(q_.dataset, q_.asked, q_.asking, q_.names, q_.settings.bos, {},
                           std::ref(examples));
    examples.write(folder.path());
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> remarks = left_out_notes(q_.dataset.left_out);
    if (!q_.asked.without_answer.empty()) {
      remarks.push_back(listed_text("fact", "left out, because no object name contains a word",
                                    q_.asked.without_answer));
    }
    if (!q_.asked.wordless_names.empty()) {
      remarks.push_back(listed_text("name", "without a word, which no answer can match",
                                    q_.asked.wordless_names));
    }
    for (const FewShotSetting& one : q_.asking.settings) {
      const FewShot few_shot(q_.dataset, one, q_.asking.shot_seed);
      std::string none, fewer;
      for (const AskedRelation& asked : q_.asked.relations) {
        const std::string& code = q_.dataset.relations[asked.relation].code;
        const auto& templates = few_shot.templates(asked.relation);
        if (templates.empty()) {
          add_to_list(none, code);
        } else if (one.shots > 0 && few_shot.offered(asked.relation) <= one.shots) {
          add_to_list(fewer, code);
        }
      }
      if (!none.empty()) {
        remarks.push_back(few_shot.name() + ": no question template in " + none + ".");
      }
      if (!fewer.empty()) {
        remarks.push_back(few_shot.name() + ": some prompts show fewer than " +
                          counted(one.shots, "example") + ", because there are no more, in " +
                          fewer + ".");
      }
    }
    if (own_words_) remarks.push_back(*own_words_);
    return remarks;
  }

  Model& model_;
  const GenerateQuestions& q_;
  Provenance provenance_;
  KeptPrompts<Model> prompts_;
  KeptBlocks<CausalScorer<Model>> blocks_;  // blocks of names
  std::optional<std::string> own_words_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
