// SPDX-License-Identifier: Apache-2.0
#pragma once

// The many-shot study as a job. It scores sequences of facts without any instructions. The
// probabilities of the choices show what a model knows (IC-LKE, EIC-LKE). It can also include
// prompts (HGP, MMP), injected pairs and generated texts.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/check_and_complete.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/records/many_shot_metadata.hpp"
#include "plumb/detail/report/many_shot_report.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/many_shot_check.hpp"
#include "plumb/detail/run/many_shot_generation.hpp"
#include "plumb/detail/run/many_shot_prompts.hpp"
#include "plumb/detail/run/many_shot_run.hpp"
#include "plumb/detail/run/many_shot_settings.hpp"
#include "plumb/detail/run/option_check.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_blocks.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The questions that a study asks about each relation. All arguments must outlive the result.
[[nodiscard]] inline std::vector<ManyShotRelation> studied_relations(
    const Dataset& dataset, const ObjectAliases& aliases, const ManyShotOptions& options) {
  std::vector<ManyShotRelation> relations;
  for (const Relation& relation : dataset.relations) {
    relations.emplace_back(relation, aliases, options);
  }
  return relations;
}

/// The form in which the injection experiment writes pairs.
[[nodiscard]] inline ManyShot injection_form(const ManyShotOptions& options) {
  return {options.pair_separators.front(), options.item_separator, Join::text};
}

/// The injection experiment for a relation. Returns nothing if no experiment is configured. If the
/// relation has too few facts, returns nothing and adds a remark to `notes`.
[[nodiscard]] inline std::optional<InjectionDesign> chosen_injection(
    const ManyShotRelation& asked, const ObjectAliases& aliases, const InjectionOptions& injection,
    std::vector<RelationRemark>& notes) {
  if (injection.pairs == 0 || asked.skipped()) return std::nullopt;
  const std::size_t facts = asked.relation().facts.size();
  if (facts < injection.pairs) {
    notes.push_back(
        {"no injection experiment, because it has fewer than " + counted(injection.pairs, "fact"),
         std::to_string(facts)});
    return std::nullopt;
  }
  return injection_design(asked.relation(), injection, aliases);
}

/// The questions that a study asks. They are known before a model is needed. Any number of threads
/// may read the same object.
class ManyShotQuestions {
 public:
  /// Loads `chosen.data`. Throws a user error if the data cannot be read or contains nothing to
  /// ask.
  explicit ManyShotQuestions(const ManyShotSettings& chosen)
      : ManyShotQuestions(chosen, studied_data(chosen)) {}
  /// Uses data that the program created and completed (data/check_and_complete.hpp).
  ManyShotQuestions(const ManyShotSettings& chosen, StudiedData given)
      : settings(chosen),
        study(read_many_shot_files(settings, given.dataset)),
        data(filled_in(std::move(given))),
        relations(studied_relations(data.dataset, data.aliases, study.options)) {
    (settings.check)();
    if (ranges::any_of(relations, [](const auto& asked) { return !asked.skipped(); })) {
      refuse_idle_eic();
      return;
    }
    const ManyShotRelation& first = relations.front();
    throw user_error({.file = settings.data},
                     "every relation is " + first.skipped()->what + " (" + first.relation().code +
                         " has " + first.skipped()->detail + ")",
                     first.remedy() + ", or add facts");
  }
  ManyShotQuestions(const ManyShotQuestions&) = delete;
  ManyShotQuestions& operator=(const ManyShotQuestions&) = delete;

  const ManyShotSettings settings;
  const ReadStudy study;
  const StudiedData data;
  /// The questions about each relation in the data.
  const std::vector<ManyShotRelation> relations;

 private:
  /// Throws a user error if EIC-LKE is enabled but no relation has enough facts for it.
  void refuse_idle_eic() const {
    if (settings.eic == EicForms::none ||
        ranges::any_of(relations, [](const auto& asked) { return asked.has_eic(); })) {
      return;
    }
    std::size_t most = 0;
    for (const ManyShotRelation& asked : relations) {
      most = (std::max)(most, asked.split().training.size());
    }
    const EicGeometry& eic = study.options.eic_geometry;
    throw user_error({.setting = "eic"},
                     "needs " + counted(eic.pairs(), "training fact") + " (`eic-first` " +
                         std::to_string(eic.first) + ", `eic-step` " + std::to_string(eic.step) +
                         ", `eic-questions` " + std::to_string(eic.questions) +
                         "), but no relation has more than " + std::to_string(most),
                     "lower them, or raise `train` if the dataset has no split");
  }

  static StudiedData filled_in(StudiedData given) {
    for (Relation& relation : given.dataset.relations) fill_in(relation);
    return given;
  }
};

/// Models Job. The model and the questions must outlive this object. Not thread-safe.
template <ScoringLm Model>
class ManyShotJob {
 public:
  /// Throws a user error if the model cannot process a prompt, or if there is nothing left to ask.
  ManyShotJob(Model& model, const ManyShotQuestions& questions, Provenance provenance = {})
      : model_(model),
        settings_(questions.settings),
        study_(questions.study),
        data_(questions.data),
        relations_(questions.relations),
        provenance_(std::move(provenance)),
        form_(injection_form(study_.options)),
        prompts_(model, require_bos(model, questions.settings.bos)) {
    if (settings_.generate > 0) {
      require_rows(model_, {.setting = "generate"}, "continuing a text needs",
                   "remove `generate`, or use a backend that returns rows of logits");
    }
    refuse_empty_options(model_, data_.dataset);
    check_special_tokens();
    if (!settings_.bos) {
      provenance_.warn(
          "Warning: no BOS comes before the prompts, so their first tokens have no probability. No "
          "choice contains any of these tokens.");
    }
    const ManyShotCheck check{model_, settings_.bos};
    for (const ManyShotRelation& asked : relations_) plan(asked, check);
    if (statements_ == 0) {
      throw user_error(
          {.file = settings_.data}, "there is nothing to ask about any relation",
          "set `shots` to numbers, or add facts for `eic` or templates for `baselines`");
    }
    if (settings_.injection > 0 && designs_.empty()) {
      throw user_error({.setting = "injection"},
                       "no relation has " + counted(settings_.injection, "fact"),
                       "set `injection` lower");
    }
  }
  [[nodiscard]] Json settings() const {
    return many_shot_record(settings_, study_, data_.dataset, provenance_);
  }

  [[nodiscard]] JobPlan plan() {
    CausalScorer<Model> scorer(model_, settings_.bos, Span::continuation);
    ScoringCost cost, of_texts;
    std::size_t texts = 0;
    for (const ManyShotRelation& asked : relations_) {
      texts += generated_texts(asked);
      if constexpr (CausalLm<Model>) {
        if (settings_.generate > 0) of_texts += generation_cost(prompts_, asked);
      }
      if (asked.skipped()) continue;
      std::size_t number = 0;
      asked.for_each_block([&](const ManyShotBlock& block) {
        const auto planned = planned_block(scorer, asked, block);
        cost += planned.cost();
        blocks_.keep(scorer, {asked.relation().code, number++}, planned);
      });
    }
    for (const InjectionDesign& design : designs_) {
      for (std::size_t p = 0; p < design.panels.size(); ++p) {
        const auto planned = planned_panel(scorer, form_, pairs_of(design.panels[p]));
        cost += planned.cost();
        blocks_.keep(scorer, {injection_part(design), p}, planned);
      }
    }
    JobPlan made{{"choices", "statement", statements_, cost}};
    if (settings_.generate > 0) {
      made.push_back({"texts", "prompt", texts, of_texts, texts, settings_.generate});
    }
    return made;
  }

  void run(const RunFolder& folder, Work& work) {
    ExamplePrompts examples;
    for_each_many_shot_prompt(relations_, designs_, form_, settings_.generate > 0, settings_.bos,
                              {}, std::ref(examples));
    examples.write(folder.path());
    work.begin("choices", statements_);
    {
      ManyShotRun run(model_, settings_.bos, folder, work, blocks_);
      run.run(relations_);
      for (const InjectionDesign& design : designs_) run.inject(design, form_);
    }
    if constexpr (CausalLm<Model>) {
      if (settings_.generate > 0) generate(folder, work);
    }
    write_many_shot_metadata(folder.path(), provenance_.model, data_.dataset.name, metadata_);
  }

  [[nodiscard]] ManyShotReport report(const DiskPath& folder) const {
    return many_shot_report(folder, {.seed = settings_.seed});
  }

 private:
  void generate(const RunFolder& folder, Work& work) {
    std::size_t texts = 0;
    for (const ManyShotRelation& asked : relations_) texts += generated_texts(asked);
    work.begin("texts", texts);
    for (const ManyShotRelation& asked : relations_) {
      generate_many_shot(model_, prompts_, asked, data_.aliases, settings_.generate,
                         settings_.stop.texts, folder, work, settings_.answer_match);
    }
  }

  /// Checks the questions about a relation, counts them, and adds the relation to the metadata.
  void plan(const ManyShotRelation& asked, const ManyShotCheck<Model>& check) {
    std::vector<RelationRemark> notes = asked.notes();
    for (RelationRemark& note : check.notes(asked)) notes.push_back(std::move(note));
    const std::string& code = asked.relation().code;
    if (const auto left = study_.without_separator.find(code);
        left != study_.without_separator.end()) {
      notes.push_back({"no separator from templates that do not begin with the subject",
                       std::to_string(left->second)});
    }
    if (settings_.generate > 0) check.refuse_long_generation(asked, settings_.generate, prompts_);
    statements_ += asked.statements();
    if (auto design =
            chosen_injection(asked, data_.aliases, settings_.injection_options(), notes)) {
      check.refuse_long(*design, form_);
      statements_ += design->panels.size() * settings_.injection;
      designs_.push_back(std::move(*design));
    }
    metadata_.push_back(
        metadata_of(asked, std::move(notes), check.choices_beginning_another(asked)));
  }

  /// The entry of a relation in metadata_many_shot.json.
  [[nodiscard]] RecordedChoiceRelation metadata_of(const ManyShotRelation& asked,
                                                   std::vector<RelationRemark> notes,
                                                   std::size_t beginning_another) const {
    const Relation& relation = asked.relation();
    RecordedChoiceRelation made{.code = relation.code,
                                .options = relation.options,
                                .option_ids = relation.option_ids,
                                .facts = relation.facts.size(),
                                .training = asked.split().training.size(),
                                .test = asked.split().test.size(),
                                .notes = std::move(notes),
                                .skipped = asked.skipped(),
                                .choices_beginning_another = beginning_another};
    for (const Choices& of_fact : asked.choices()) made.choices += of_fact.options.size();
    for (std::size_t seed = 0; seed < settings_.seeds && !asked.skipped(); ++seed) {
      made.shots.push_back(asked.shot_instances(seed));
    }
    if (const auto own = study_.options.baselines.find(relation.code);
        own != study_.options.baselines.end()) {
      made.templates = own->second;
    }
    return made;
  }

  /// Throws a user error if the study contains text that the model must not read.
  void check_special_tokens() {
    const SpecialTokenCheck check{model_, settings_.special_tokens,
                                  require_bos(model_, settings_.bos)};
    const ManyShotOptions& options = study_.options;
    (check)({.setting = "item-separator"}, options.item_separator);
    (check)({.setting = "pair-separator"}, options.pair_separators.front());
    // Unlike the options, the file contains the separators without the spaces around them.
    const auto from_file = [&](const std::string& field, const std::string& separator) {
      const std::size_t begin = separator.find_first_not_of(' ');
      if (begin == std::string::npos) return;
      const std::size_t end = separator.find_last_not_of(' ') + 1;
      (check)({settings_.separators, 0, field}, separator.substr(begin, end - begin));
    };
    for (std::size_t i = 1; i < options.pair_separators.size(); ++i) {
      from_file("", options.pair_separators[i]);
    }
    for (const ManyShotRelation& asked : relations_) {
      if (asked.skipped()) continue;
      const Relation& relation = asked.relation();
      for_each_name(relation, check);
      if (const auto own = options.relation_separators.find(relation.code);
          own != options.relation_separators.end()) {
        for (const std::string& separator : own->second) from_file(relation.code, separator);
      }
      if (const auto found = options.baselines.find(relation.code);
          found != options.baselines.end()) {
        const std::map<std::string, BaselineTemplates> of_relation{*found};
        for_each_text(of_relation, settings_.baseline_file, check);
      }
    }
    check.warn(provenance_.description);
  }

  Model& model_;
  const ManyShotSettings& settings_;
  const ReadStudy& study_;
  const StudiedData& data_;
  const std::vector<ManyShotRelation>& relations_;
  Provenance provenance_;
  ManyShot form_;
  KeptPrompts<Model> prompts_;
  KeptBlocks<CausalScorer<Model>> blocks_;
  std::vector<InjectionDesign> designs_;
  std::vector<RecordedChoiceRelation> metadata_;
  std::size_t statements_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
