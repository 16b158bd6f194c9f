// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which numbers describe the answers to many prompts?
//
// All numbers that appear on the page, in the tables and in metrics.json of a generation run,
// measured once for each query form (a setting, or a model's closed set) and for each pair of query
// forms. Source: "What Matters in Learning Facts in Language Models?"; the headers that compute the
// numbers cite the paper's tables and sections.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/knowledge_sharing.hpp"
#include "plumb/detail/aggregate/lexical_distance.hpp"
#include "plumb/detail/aggregate/paired_accuracy.hpp"
#include "plumb/detail/aggregate/prompt_consistency.hpp"
#include "plumb/detail/aggregate/prompt_coverage.hpp"
#include "plumb/detail/aggregate/prompt_sampling.hpp"
#include "plumb/detail/aggregate/template_accuracy.hpp"
#include "plumb/detail/calibrate/many_prompt_study.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/paired_comparison.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ManyPromptOptions {
  Bootstrap bootstrap{};
  /// The number of prompt samplings, and their seed.
  std::size_t samplings = 50'000;
  std::uint64_t seed = 0;
  /// The sampling method for the headline numbers.
  SampleBy by = SampleBy::relation;
};

/// One relation under one query form.
struct PromptedRelation {
  std::string code;
  std::size_t facts = 0;
  std::size_t prompts = 0;
  /// Mean over facts of the fraction of their prompts that are answered correctly.
  Estimate accuracy;
  /// The fraction of facts with a correct answer to at least one prompt.
  Estimate oracle;
  PromptConsistency consistency;
  std::vector<TemplateAccuracy> templates;
  /// The texts of those templates; other query forms may use other templates.
  std::vector<PromptTemplate> texts;
  std::optional<RelationBias> bias{};
};

/// The results for one query form.
struct ManyPromptResult {
  std::string name;
  AnswerKind kind = AnswerKind::text;
  std::size_t facts = 0;
  std::size_t prompts = 0;
  PromptCoverage coverage;
  std::vector<CoveragePoint> curve;
  SampledAccuracy by_fact, by_relation;
  ConsistencyTable consistency;
  ManualRanks manual;
  AccuracyExtent template_extent, subject_extent;
  StyleAccuracy styles;
  /// For generated answers only: one-word answers. First, the mean over facts of the fraction of
  /// prompts with such an answer; then, the number of such answers over all prompts.
  Estimate one_word;
  std::size_t one_word_answers = 0;
  /// Answers that contain no words, answers that contain only white space, and answers that were
  /// cut off by the token limit (if that is known).
  std::size_t wordless = 0;
  std::size_t empty = 0;
  std::optional<std::size_t> cut{};
  std::vector<AnswerOfSeveral> of_several;
  /// Only if confidences were recorded.
  std::optional<Overconfidence> overconfidence{};
  std::size_t samples = 0;
  std::optional<OverconfidenceByLength> by_length{};
  /// Only for masked models: ranks of the true token in the model's whole vocabulary and in a
  /// common vocabulary.
  std::optional<TokenRankMetrics> ranks{}, common_ranks{};
  std::optional<AliasRanks> aliases{};
  std::optional<MeanBias> bias{};
  std::vector<PromptedRelation> relations;

  [[nodiscard]] bool is(AnswerKind one) const { return kind == one; }
};

/// The fraction of all prompts whose answer is one word; nullopt if there are no prompts.
[[nodiscard]] inline std::optional<double> one_word_share(const ManyPromptResult& way) {
  if (!way.is(AnswerKind::text) || way.prompts == 0) return std::nullopt;
  return static_cast<double>(way.one_word_answers) / static_cast<double>(way.prompts);
}

/// Two settings that differ only in the form of the prompt, compared on the prompts that both have.
struct FormPair {
  std::string mask, question;
  SharedAccuracy accuracy;
};

struct ManyPromptResults {
  ManyPromptOptions options;
  PromptDiversity diversity;
  std::vector<ManyPromptResult> ways;
  /// [left][top].
  std::vector<std::vector<KnowledgeSharing>> sharing;
  std::vector<FormPair> forms;
  /// For several runs: every pair of query forms, over the facts that both cover
  /// (aggregate/paired_prompts.hpp).
  std::vector<PairedComparison> paired{};
  /// For each relation, the labels of candidates after content-free prompts.
  std::map<std::string, std::vector<std::string>> candidates;
  std::vector<std::string> remarks;

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const ManyPromptResult& way : ways) all.push_back(way.name);
    return all;
  }
};

/// Whether any way of asking has answers of this kind.
[[nodiscard]] inline bool has_any(const ManyPromptResults& made, AnswerKind kind) {
  return ranges::any_of(made.ways, [&](const ManyPromptResult& way) { return way.is(kind); });
}
/// Whether there is a tie among the answers to closed sets.
[[nodiscard]] inline bool has_ties(const ManyPromptResults& made) {
  return ranges::any_of(made.ways,
                        [](const ManyPromptResult& way) { return way.coverage.ties.tied > 0; });
}

/// The samplings behind the headline numbers.
[[nodiscard]] inline const SampledAccuracy& headline_samplings(const ManyPromptResults& made,
                                                               const ManyPromptResult& way) {
  return made.options.by == SampleBy::fact ? way.by_fact : way.by_relation;
}

inline ConsistencyTable consistency_of(const ManyPromptStudy& study) {
  if (study.kind != AnswerKind::text) return prompt_consistency(study.answered.outcomes);
  return prompt_consistency(study.answered.outcomes, MatchingAnswers{study.answered.answers});
}

inline std::vector<PromptedRelation> prompted_relations(const ManyPromptStudy& study,
                                                        const ConsistencyTable& consistency) {
  const PromptOutcomes& table = study.answered.outcomes;
  std::vector<PromptedRelation> made;
  for (const PromptRelation& relation : table.relations()) {
    PromptedRelation one;
    one.code = relation.code;
    FactValues shares;
    shares.begin_relation();
    std::size_t known = 0;
    for (std::size_t i = 0; i < relation.facts; ++i) {
      const RightCount count = count_right(table.prompts(relation.first_fact + i));
      if (count.total == 0) continue;
      shares.add(count.share());
      known += count.right > 0 ? 1U : 0U;
      one.prompts += count.total;
    }
    one.facts = shares.values.size();
    if (one.facts == 0) continue;
    one.accuracy = share_of(shares);
    one.oracle = wilson(known, one.facts);
    for (const auto& [code, of_relation] : consistency.relations) {
      if (code == relation.code) one.consistency = of_relation;
    }
    one.templates = template_accuracies(table, relation);
    one.texts = relation.templates;
    if (const auto scores = study.content_free.find(relation.code);
        scores != study.content_free.end()) {
      one.bias = relation_bias(scores->second);
      // The question form scores only some of the relation's templates.
      const auto scored = study.content_free_templates.find(relation.code);
      for (CandidateBias* bias : {static_cast<CandidateBias*>(&*one.bias), &one.bias->per_token}) {
        if (!bias->favoured || scored == study.content_free_templates.end()) continue;
        std::size_t& place = bias->favoured->template_index;
        place = scored->second.at(place);
      }
    }
    made.push_back(std::move(one));
  }
  return made;
}

inline ManyPromptResult measure_way(const ManyPromptStudy& study,
                                    const ManyPromptOptions& options) {
  const PromptOutcomes& table = study.answered.outcomes;
  const Bootstrap& bootstrap = options.bootstrap;
  ManyPromptResult made;
  made.name = study.answered.name;
  made.kind = study.kind;
  made.prompts = table.prompts();
  made.coverage = prompt_coverage(table);
  made.facts = made.coverage.average.count;
  made.curve = coverage_curve(table);
  made.by_fact = sample_accuracy(table, {SampleBy::fact, options.samplings, options.seed});
  made.by_relation = sample_accuracy(table, {SampleBy::relation, options.samplings, options.seed});
  made.consistency = consistency_of(study);
  made.manual = manual_ranks(table, bootstrap);
  made.template_extent = template_extent(table);
  made.subject_extent = subject_extent(table);
  made.styles = compare_styles(table, bootstrap);
  if (made.is(AnswerKind::text)) {
    made.one_word = share_of(study.answered.one_word);
    made.one_word_answers = study.answered.one_word_answers;
    made.wordless = study.answered.wordless;
    made.empty = study.answered.empty;
    made.cut = study.answered.cut;
    made.of_several = study.answered.of_several;
    made.by_length = overconfidence_by_length(study.answered.likelihoods, bootstrap);
  }
  const auto is_longer = [](const AnswerLikelihood& fill) { return fill.tokens > 1; };
  if (made.is(AnswerKind::fill) && ranges::any_of(study.answered.likelihoods.prompts, is_longer)) {
    made.by_length = overconfidence_by_length(study.answered.likelihoods, bootstrap);
  }
  const auto ranks = [&](std::optional<Rank> TrueTokenRank::*vocabulary) {
    auto metrics = token_rank_metrics(study.answered.ranks, vocabulary, bootstrap);
    return metrics.prompts == 0 ? std::nullopt : std::optional(std::move(metrics));
  };
  made.ranks = ranks(&TrueTokenRank::whole);
  made.common_ranks = ranks(&TrueTokenRank::common);
  if (!study.confidences.prompts.empty()) {
    made.overconfidence = overconfidence(study.confidences, bootstrap);
    made.samples = study.samples;
  }
  if (study.names.facts() > 0) made.aliases = alias_ranks(study.names);
  made.relations = prompted_relations(study, made.consistency);
  if (!study.content_free.empty()) {
    std::vector<RelationBias> biases;
    for (const PromptedRelation& relation : made.relations) {
      if (relation.bias) biases.push_back(*relation.bias);
    }
    made.bias = mean_bias(biases);
  }
  return made;
}

/// Settings X and X-question, compared on the prompts that both have.
inline std::vector<FormPair> form_pairs(const std::vector<ManyPromptStudy>& studies,
                                        const Bootstrap& bootstrap) {
  std::vector<FormPair> pairs;
  for (const ManyPromptStudy& question : studies) {
    const std::string& name = question.answered.name;
    if (question.kind != AnswerKind::text || !name.ends_with("-question")) continue;
    const std::string of = name.substr(0, name.rfind("-question"));
    for (const ManyPromptStudy& mask : studies) {
      if (mask.kind != AnswerKind::text || mask.answered.name != of) continue;
      pairs.push_back(
          {of, name,
           compare_shared(pair_prompts(mask.answered.outcomes, question.answered.outcomes),
                          bootstrap)});
    }
  }
  return pairs;
}

/// Whether any query form has answers of this kind. Different query forms may have different
/// candidates, so the indices of the favoured candidates are converted to indices into one common
/// list.
inline void gather_candidates(const ManyPromptStudy& study, ManyPromptResult& way,
                              std::map<std::string, std::vector<std::string>>& gathered) {
  gathered.insert(study.candidates.begin(), study.candidates.end());
  for (PromptedRelation& relation : way.relations) {
    const auto labels = study.candidates.find(relation.code);
    if (labels == study.candidates.end() || !relation.bias) continue;
    std::vector<std::string>& all = gathered.at(relation.code);
    if (all == labels->second) continue;
    for (CandidateBias* bias :
         {static_cast<CandidateBias*>(&*relation.bias), &relation.bias->per_token}) {
      if (!bias->favoured) continue;
      std::size_t& place = bias->favoured->candidate;
      const std::string& label = labels->second.at(place);
      place = static_cast<std::size_t>(ranges::find(all, label) - all.begin());
      if (place == all.size()) all.push_back(label);
    }
  }
}

/// Adds a remark about relations with a single fact, because intervals resample facts within their
/// relations.
inline void remark_on_single_facts(const std::vector<ManyPromptResult>& ways,
                                   std::vector<std::string>& remarks) {
  std::set<std::string> alone;
  for (const ManyPromptResult& way : ways) {
    for (const PromptedRelation& relation : way.relations) {
      if (relation.facts == 1) alone.insert(relation.code);
    }
  }
  if (alone.empty()) return;
  remarks.push_back(counted(alone.size(), "relation") +
                    " with one fact: the intervals are too narrow, since a single fact adds "
                    "nothing to their width.");
}

/// Adds the remarks about one query form.
inline void add_remarks(const ManyPromptResult& way, std::vector<std::string>& remarks) {
  if (const auto warning = tie_warning(way.coverage.ties)) {
    remarks.push_back(way.name + ": " + *warning);
  }
  if (way.wordless > 0) {
    remarks.push_back(way.name + ": " + counted(way.wordless, "answer") + " without a word" +
                      (way.empty > 0 ? " (" + std::to_string(way.empty) + " empty)" : "") +
                      ", counted as wrong.");
  }
  if (!way.of_several.empty()) {
    remarks.push_back(
        way.name + ": " + counted(way.of_several.size(), "answer") +
        " that name more than one object of the fact; each counts as one correct answer.");
  }
  if (const std::size_t gaps = way.by_relation.gaps; gaps > 0) {
    remarks.push_back(way.name + ": " + counted(gaps, "pair") +
                      " of a fact and a template without a prompt; if sampling draws such a "
                      "template, it uses one of the fact's other prompts.");
  }
}

/// Measures one or more studies, which must have different names.
[[nodiscard]] inline ManyPromptResults many_prompt_results(
    const std::vector<ManyPromptStudy>& studies, const ManyPromptOptions& options) {
  ManyPromptResults made;
  made.options = options;
  std::vector<const PromptOutcomes*> tables;
  for (const ManyPromptStudy& study : studies) {
    made.ways.push_back(detail::measure_way(study, options));
    detail::add_remarks(made.ways.back(), made.remarks);
    tables.push_back(&study.answered.outcomes);
    detail::gather_candidates(study, made.ways.back(), made.candidates);
    const PromptDiversity diversity = prompt_diversity(study.answered.outcomes);
    if (diversity.prompts > made.diversity.prompts) made.diversity = diversity;
  }
  detail::remark_on_single_facts(made.ways, made.remarks);
  const auto run_differences = [&](const ManyPromptResult& way) {
    return way.facts != made.ways.front().facts || way.prompts != made.ways.front().prompts;
  };
  if (ranges::any_of(made.ways, run_differences)) {
    made.remarks.push_back(
        "The ways of asking do not all use the same prompts: each way's accuracy, Consist and "
        "Overconf use its own prompts; knowledge sharing uses only the prompts that both ways "
        "have.");
  }
  made.sharing = sharing_matrix(tables, options.bootstrap);
  made.forms = detail::form_pairs(studies, options.bootstrap);
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
