// SPDX-License-Identifier: Apache-2.0
#pragma once

// Generated answers, converted to the form that calibration reads.
//
// Each setting of a run becomes a separate model. A relation's templates, filled with the subject's
// first name, count as paraphrases. The confidence of an answer is the probability of its tokens.
// If all facts were sampled, the proportion of samples that match the greedy answer is available as
// a second confidence. There is no closed set: all right answers to a fact count as one answer,
// while wrong answers are distinct if their lemmas differ.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/scored_model.hpp"
#include "plumb/detail/calibrate/many_prompt_study.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/answer_lemmas.hpp"
#include "plumb/detail/records/generation_folder.hpp"
#include "plumb/detail/records/probe_predictions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The templates used with the subject's first name for every fact of the relation.
inline std::vector<std::size_t> templates_of_all(const PromptOutcomes& table,
                                                 const PromptRelation& relation) {
  std::vector<std::size_t> asked(relation.templates.size());
  for (std::size_t f = 0; f < relation.facts; ++f) {
    for (const PromptOutcome& prompt : table.prompts(relation.first_fact + f)) {
      if (prompt.expression == 0) ++asked[prompt.template_index];
    }
  }
  std::vector<std::size_t> common;
  for (std::size_t t = 0; t < asked.size(); ++t) {
    if (asked[t] == relation.facts) common.push_back(t);
  }
  return common;
}

/// A study's answers under the templates that were used for all facts of a relation. `asked` is the
/// dataset that the study was run on. Throws a user error if a relation has no such template.
class GeneratedPredictions {
 public:
  GeneratedPredictions(const ManyPromptStudy& study, const MultiPromptDataset& asked,
                       const TemplateKinds& kinds)
      : study_(study), asked_(asked), kinds_(kinds) {}

  [[nodiscard]] ScoredModel model(const std::vector<std::string>& wanted) {
    ScoredModel made;
    made.reduction = name_of(Reduction::sum);
    made.span = name_of(Span::answer);
    const auto& relations = study_.answered.outcomes.relations();
    std::size_t first_prompt = 0;  // index of a fact's first prompt among all likelihoods
    for (std::size_t r = 0; r < relations.size(); ++r) {
      if (is_asked(wanted, relations[r].code)) {
        RelationPredictions one = relation(relations[r], asked_.relations[r], first_prompt);
        if (one.facts() > 0) {
          made.predictions.relations.push_back(std::move(one));
          made.base.emplace_back();
          places_.push_back(r);
        }
      }
      for (std::size_t f = 0; f < relations[r].facts; ++f) {
        first_prompt += study_.answered.outcomes.prompts(relations[r].first_fact + f).size();
      }
    }
    add_samples(made);
    made.notes.push_back(
        "Answers without a closed set: confidence is the probability of the answer's tokens; there "
        "is no margin over other options. Right answers to a fact count as one answer.");
    if (study_.samples > 0) {
      made.notes.push_back(
          "The Sampled estimator judges a fact's sampled prompt, whose template and name were "
          "drawn at random, so its accuracy is not the base template's.");
    }
    if (left_out_ > 0) {
      made.notes.push_back(counted(left_out_, "prompt") +
                           " left out: they use a subject name other than the first, or a template "
                           "that was not used for every fact.");
    }
    return made;
  }

 private:
  [[nodiscard]] RelationPredictions relation(const PromptRelation& relation,
                                             const MultiPromptRelation& asked,
                                             std::size_t first_prompt) {
    const PromptOutcomes& table = study_.answered.outcomes;
    const std::vector<std::size_t> templates = templates_of_all(table, relation);
    RelationPredictions made;
    made.relation.code = relation.code;
    made.relation.file = asked.file;
    for (const PromptTemplate& one : relation.templates)
      made.relation.templates.push_back(one.text);
    made.closed_set = false;
    for (const std::size_t index : templates) made.add_template(index);
    made.paraphrases = templates.size();
    if (relation.facts == 0) return made;
    const auto base = made.place_of_template(kinds_.base);
    if (!base && (kinds_.base != 0 || templates.empty())) {
      throw user_error({asked.template_file, 0, relation.code},
                       templates.empty() ? "no template was used for every fact"
                                         : "template " + std::to_string(kinds_.base) +
                                               " was not used for every fact",
                       templates.empty() ? "exclude the relation with `relations`"
                                         : "set `base-template` to another template");
    }
    made.base = base.value_or(0);
    for (std::size_t f = 0; f < relation.facts; ++f) {
      const ManyNamedFact& fact = asked.facts[f];
      made.relation.facts.push_back({.subject_id = fact.subject.id,
                                     .subject = fact.subject.names.front(),
                                     .instance = f,
                                     .line = fact.line});
      const auto prompts = table.prompts(relation.first_fact + f);
      std::size_t kept = 0;
      for (const PromptOutcome& prompt : prompts) {
        const std::size_t at = first_prompt++;
        if (prompt.expression != 0 || !made.place_of_template(prompt.template_index)) continue;
        const double nats = study_.answered.likelihoods.prompts[at].log_probability;
        Prediction answer;
        // The fact's own answer is option 0.
        answer.option = prompt.right ? 0 : prompt.answer + std::size_t{1};
        answer.correct = prompt.right;
        answer.confidence = (std::min)(1.0, std::exp(nats));
        made.cells.push_back(answer);
        ++kept;
      }
      left_out_ += prompts.size() - kept;
    }
    return made;
  }

  /// Adds a relation's sampled predictions if every fact has one; each sampled prompt has its own
  /// template and subject name.
  void add_samples(ScoredModel& model) const {
    if (study_.samples == 0) return;
    // keyed by the fact's index among all relations' facts
    std::map<std::size_t, Prediction> sampled;
    for (std::size_t i = 0; i < study_.sampled_facts.size(); ++i) {
      Prediction& one = sampled[study_.sampled_facts[i]];
      one.confidence = study_.confidences.prompts[i].confidence;
      one.correct = study_.confidences.prompts[i].correct;
    }
    for (std::size_t place = 0; place < places_.size(); ++place) {
      const PromptRelation& of = study_.answered.outcomes.relations()[places_[place]];
      std::vector<Prediction> all;
      for (std::size_t f = 0; f < of.facts; ++f) {
        const auto found = sampled.find(of.first_fact + f);
        if (found != sampled.end()) all.push_back(found->second);
      }
      if (all.size() == of.facts) model.predictions.relations[place].sampled = std::move(all);
    }
  }

  const ManyPromptStudy& study_;
  const MultiPromptDataset& asked_;
  const TemplateKinds& kinds_;
  std::vector<std::size_t> places_;  // index of each of the model's relations among all relations
  std::size_t left_out_ = 0;
};

/// A ScoredModel for each setting of a finished run of `plumb generate`, named "NAME SETTING".
/// Throws a user error if the folder contains no such run, contains lists, or has damaged files.
[[nodiscard]] inline std::vector<ScoredModel> read_generation_models(const std::string& name,
                                                                     const DiskPath& folder,
                                                                     const ReadingOptions& options,
                                                                     const AnswerLemmas& lemmas) {
  const GenerationMetadata metadata = read_generation_metadata(folder);
  const ManyPromptAnswers run = read_generation(folder, lemmas);
  refuse_absent_relations(options.relations, run.asked.relations, &MultiPromptRelation::code, name);
  std::vector<ScoredModel> models;
  for (const ManyPromptStudy& study : run.studies) {
    ScoredModel& model = models.emplace_back(
        GeneratedPredictions(study, run.asked, options.kinds).model(options.relations));
    model.predictions.name = name + " " + study.answered.name;
    model.dataset = metadata.dataset;
    model.notes.insert(model.notes.end(), run.remarks.begin(), run.remarks.end());
  }
  return models;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
