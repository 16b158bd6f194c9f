// SPDX-License-Identifier: Apache-2.0
#pragma once

// The recorded data for one query form with many prompts.
//
// The data are the answers with their correctness, the model's confidence in them and other
// recorded data. The data come from one setting of a generation run (aggregate/prompt_rows.hpp) or
// from a closed set that was scored under several templates. Measures over many prompts read only
// these data, so that masked, causal and generated answers can be compared.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/alias_ranks.hpp"
#include "plumb/detail/aggregate/answered_prompts.hpp"
#include "plumb/detail/aggregate/closed_set_outcomes.hpp"
#include "plumb/detail/calibrate/overconfidence.hpp"
#include "plumb/detail/calibrate/sampled_confidence.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/bias_level.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Kinds of answers: texts that a model wrote, options of a closed set, or tokens that fill a gap.
/// Texts match by their words; options and tokens match if they are the same. Options have no
/// likelihoods.
enum class AnswerKind { text, option, fill };

struct ManyPromptStudy {
  AnsweredSetting answered;
  AnswerKind kind = AnswerKind::text;
  /// Judgements for prompts whose confidence was recorded; empty if there are none.
  PromptList<Judgement> confidences{};
  /// For each sampled confidence: the index of its fact among the facts of all relations.
  std::vector<std::size_t> sampled_facts{};
  /// The number of samples from which a confidence is computed; 0 if it is a probability.
  std::size_t samples = 0;
  /// Likelihoods of objects' names after prompts; contains no facts if the names were not scored.
  NameLikelihoods names{};
  /// For each relation: scores of candidates after content-free prompts; the indices, among the
  /// relation's templates, of the templates with scores; and the candidates' labels.
  std::map<std::string, ContentFreeScores> content_free{};
  std::map<std::string, std::vector<std::size_t>> content_free_templates{};
  std::map<std::string, std::vector<std::string>> candidates{};
};

/// The prompts, and the answers under each query form.
struct ManyPromptAnswers {
  std::vector<ManyPromptStudy> studies;
  /// Remarks to show with the numbers.
  std::vector<std::string> remarks;
  /// The prompts, as a dataset.
  MultiPromptDataset asked;
};

inline bool is_likelihood(const TextLikelihood& one) {
  return one.tokens > 0 && one.nats <= 1e-9;
}

/// Adds likelihoods of names to a study. `each_row(visit)` calls `visit` with each RecordedNames;
/// `source` is the file that contains them, for messages. Throws a user error for a row that does
/// not fit `asked`.
template <class EachRow>
void add_names(ManyPromptStudy& study, const MultiPromptDataset& asked, EachRow each_row,
               const std::filesystem::path& source = {}) {
  std::size_t next = 0;
  std::vector<std::vector<NameLikelihood>> facts;
  const auto begin = [&] {
    study.names.begin_relation();
    facts.assign(asked.relations[next++].facts.size(), {});
  };
  const auto finish = [&] {
    for (const auto& fact : facts) study.names.add_fact(fact);
  };
  PromptRowCheck check{source, asked};
  each_row([&](const RecordedNames& row) {
    const std::size_t place = (check)(row);
    while (next <= place) {
      finish();
      begin();
    }
    const auto& objects = asked.relations[place].facts[row.prompt.fact].objects;
    if (!std::equal(row.names.begin(), row.names.end(), objects.begin(), objects.end(),
                    [](const auto& names, const NamedEntity& object) {
                      return names.size() == object.names.size();
                    })) {
      check.refuse(row, "the names do not match the fact's objects");
    }
    for (std::size_t o = 0; o < row.names.size(); ++o) {
      for (std::size_t n = 0; n < row.names[o].size(); ++n) {
        const TextLikelihood& one = row.names[o][n];
        // the name does not fit the gap
        if (study.kind == AnswerKind::fill && one.tokens == 0) continue;
        if (!detail::is_likelihood(one))
          check.refuse(row, "a name has no tokens or no log-likelihood");
        facts[row.prompt.fact].push_back({one.nats, one.tokens, row.prompt.template_index,
                                          row.prompt.expression, static_cast<std::uint16_t>(o),
                                          static_cast<std::uint16_t>(n)});
      }
    }
  });
  if (next == 0) return;
  while (next < asked.relations.size()) {
    finish();
    begin();
  }
  finish();
}

/// Does the same for candidates after content-free prompts (RecordedContentFree). The rows of a
/// template must be consecutive, one for each content-free text in the order of these texts, and
/// templates must be in ascending order. `study.candidates` must already be filled.
template <class EachRow>
void add_content_free(ManyPromptStudy& study, const MultiPromptDataset& asked, EachRow each_row,
                      const std::filesystem::path& source = {}) {
  std::map<std::string, std::size_t> rows;
  each_row([&](const RecordedContentFree& row) {
    const auto refuse = [&](const std::string& message) {
      throw user_error({source, row.line, row.relation}, message,
                       "the file was changed; run the job again");
    };
    const auto relation = ranges::find(asked.relations, row.relation, &MultiPromptRelation::code);
    if (relation == asked.relations.end() || row.template_index >= relation->templates.size()) {
      refuse("the row belongs to a template that was not used");
    }
    ContentFreeScores& scores = study.content_free[row.relation];
    std::vector<std::size_t>& templates = study.content_free_templates[row.relation];
    const std::size_t text = rows[row.relation]++ % scores.texts;
    const bool begins = templates.empty() || row.template_index > templates.back();
    if (row.subject != content_free_texts[text] ||
        (text == 0 ? !begins : row.template_index != templates.back())) {
      refuse("the row is not for the next content-free text");
    }
    if (text == 0) templates.push_back(row.template_index);
    if (row.candidates.empty() || row.candidates.size() != study.candidates[row.relation].size()) {
      refuse("has " + counted(row.candidates.size(), "candidate") + ", but " +
             std::to_string(study.candidates[row.relation].size()) +
             " are listed for the relation");
    }
    scores.templates = templates.size();
    scores.candidates = row.candidates.size();
    for (const TextLikelihood& one : row.candidates) {
      if (!detail::is_likelihood(one)) refuse("a candidate has no tokens or no log-likelihood");
      scores.log_likelihoods.push_back(one.nats);
      scores.tokens.push_back(one.tokens);
    }
  });
  for (const auto& [code, count] : rows) {
    if (count % content_free_texts.size() == 0) continue;
    throw user_error({.file = source, .line = 0, .field = code}, "a template lacks rows",
                     "the file was changed; ask again");
  }
}

/// The confidence of every fill: the probability of its tokens, which for a one-token fill is that
/// token's probability.
[[nodiscard]] inline PromptList<Judgement> fill_confidences(
    const PromptList<AnswerLikelihood>& fills) {
  PromptList<Judgement> list{{}, fills.facts, fills.strata};
  for (const AnswerLikelihood& one : fills.prompts) {
    list.prompts.push_back({(std::min)(1.0, std::exp(one.log_probability)), one.right});
  }
  return list;
}

/// A closed set's answers as a study. `known` contains whatever is known about its templates in
/// addition to their texts.
[[nodiscard]] inline ManyPromptStudy closed_set_study(const ModelPredictions& model,
                                                      const KnownTemplates& known = {}) {
  ManyPromptStudy study;
  study.answered.name = model.name;
  study.answered.outcomes = closed_set_outcomes(model, known);
  study.kind = AnswerKind::option;
  study.confidences = closed_set_confidences(model);
  return study;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
