// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much of what one model knows does another model know too?
//
//   η(θ1|θ2) = |K1 ∩ K2| / |K1|,  K: the facts that are known (in a tie for the best, no option
//                                 counts),
// This is computed for each relation and variant that both models have, and then averaged over
// these cells without weights. If θ1 knows nothing in a cell, η is undefined there; the cell is
// skipped and counted. Intervals are percentiles over facts resampled within relations, because
// relations and variants are part of the design. If a resample contains none of the facts known in
// a cell, the cell's original η is used for that resample. If such cells were skipped, cells with
// few known facts would count less, and the draws would be biased away from the estimate. If η is
// the same in every resample, as when all known facts are shared, the Wilson interval over the
// known facts is used. Source: "Towards Reliable Latent Knowledge Estimation in LLMs", section
// 4.2.2 (which does not specify over which cells the mean is taken).

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/measure/resamples.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A relation that two models answered under the same settings.
struct MatchedRelation {
  std::string code;
  /// The number of facts that both models were asked about.
  std::size_t facts = 0;
  /// For each variant that both models have, and each fact: 1 if only the first model knows it, 2
  /// if only the second does, 3 if both do, 0 if neither does.
  std::vector<std::vector<std::uint8_t>> right;
  /// The variants, in ascending order; and for each fact, its indices in the two models' tables.
  /// Both are empty if the facts were not matched by match_answers.
  std::vector<std::size_t> variants{};
  std::vector<std::pair<std::size_t, std::size_t>> places{};
};

/// The data omitted from the comparison of two models under a group of settings, because only one
/// of the models has the data.
struct LeftOut {
  /// The number of relations in which the two models have no setting or no fact in common.
  std::size_t relations = 0;
  /// The number of omitted settings in the other relations.
  std::size_t settings = 0;
  std::size_t facts = 0;
};

struct MatchedAnswers {
  std::vector<MatchedRelation> relations;
  LeftOut left_out;
};

inline void refuse_other_fact(const Relation& one, const Fact& ours, const Relation& other,
                              const Fact& theirs, const std::string& models) {
  const std::string& our_answer = option_text(one, ours, ours.answer);
  const std::string& their_answer = option_text(other, theirs, theirs.answer);
  const bool named = !ours.subject.empty() && !theirs.subject.empty();
  if (our_answer == their_answer && (!named || ours.subject == theirs.subject)) return;
  throw user_error({.field = one.code},
                   "instance " + std::to_string(ours.instance) + " is '" + ours.subject +
                       "' with '" + our_answer + "' and '" + theirs.subject + "' with '" +
                       their_answer + "' in " + models,
                   "compare runs of the same dataset");
}

/// The answers of two models under one group of settings, with facts matched by instance. Throws a
/// user error if an instance refers to different facts in the two models, that is, if the answers
/// differ, or if both models have a subject for it and the subjects differ.
[[nodiscard]] inline MatchedAnswers match_answers(const ModelAnswers& one,
                                                  const ModelAnswers& other, const Setting& group) {
  MatchedAnswers matched;
  const auto has = [&](const RelationAnswers& relation) {
    return relation.facts() > 0 && !variants_of(relation, group).empty();
  };
  for (const RelationAnswers& theirs : other.relations) {
    const auto found = find_relation(one.relations, theirs.relation.code);
    if (has(theirs) && (found == one.relations.end() || !has(*found))) {
      ++matched.left_out.relations;
    }
  }
  for (const RelationAnswers& ours : one.relations) {
    if (!has(ours)) continue;
    const auto theirs = find_relation(other.relations, ours.relation.code);
    if (theirs == other.relations.end() || !has(*theirs)) {
      ++matched.left_out.relations;
      continue;
    }
    const std::vector<Fact>& our_facts = ours.relation.facts;
    const std::vector<Fact>& their_facts = theirs->relation.facts;
    std::map<std::size_t, std::size_t> places;  // index by instance
    for (std::size_t i = 0; i < their_facts.size(); ++i) {
      places.emplace(their_facts[i].instance, i);
    }
    std::vector<std::pair<std::size_t, std::size_t>> facts;
    for (std::size_t i = 0; i < our_facts.size(); ++i) {
      const auto place = places.find(our_facts[i].instance);
      if (place == places.end()) continue;
      detail::refuse_other_fact(ours.relation, our_facts[i], theirs->relation,
                                their_facts[place->second], one.name + " and " + other.name);
      facts.emplace_back(i, place->second);
    }
    MatchedRelation made{ours.relation.code, facts.size(), {}};
    const auto their_variants = variants_of(*theirs, group);
    const auto our_variants = variants_of(ours, group);
    for (const AnswersView& variant : our_variants) {
      const auto same = detail::find_variant(their_variants, variant.setting().variant);
      if (same == their_variants.end()) continue;
      made.variants.push_back(variant.setting().variant);
      auto& right = made.right.emplace_back();
      for (const auto& [mine, yours] : facts) {
        right.push_back(static_cast<std::uint8_t>((variant.answer(mine).correct ? 1 : 0) +
                                                  (same->answer(yours).correct ? 2 : 0)));
      }
    }
    if (facts.empty() || made.right.empty()) {
      ++matched.left_out.relations;
      continue;
    }
    matched.left_out.facts += ours.facts() + theirs->facts() - 2 * facts.size();
    matched.left_out.settings +=
        our_variants.size() + their_variants.size() - 2 * made.right.size();
    made.places = std::move(facts);
    matched.relations.push_back(std::move(made));
  }
  return matched;
}

struct Subsumption {
  /// A fraction in [0, 1]; its count is the number of facts that the first model knows under any
  /// variant.
  Estimate rate;
  /// The number of cells (relation × variant) averaged, and the number skipped because the first
  /// model knows nothing there.
  std::size_t cells = 0;
  std::size_t empty = 0;
  LeftOut left_out;
};

/// η(one|other) and η(other|one).
struct SubsumptionPair {
  Subsumption one_given_other;
  Subsumption other_given_one;
};

/// The number of matched facts of each relation.
[[nodiscard]] inline std::vector<std::size_t> facts_by_relation(const MatchedAnswers& matched) {
  std::vector<std::size_t> facts;
  for (const MatchedRelation& relation : matched.relations) facts.push_back(relation.facts);
  return facts;
}

/// η of the first model and of the second in one cell; nullopt if that model knows nothing there.
using CellRates = std::array<std::optional<double>, 2>;

/// The rates by relation and variant. `weight(item)` is the number of times a fact counts; items
/// are numbered consecutively across the facts of all relations.
template <class Weight>
std::vector<CellRates> cell_rates(const MatchedAnswers& matched, Weight weight) {
  std::vector<CellRates> cells;
  std::size_t first = 0;
  for (const MatchedRelation& relation : matched.relations) {
    for (const auto& right : relation.right) {
      std::array<std::size_t, 4> facts{};
      for (std::size_t i = 0; i < right.size(); ++i) facts[right[i]] += weight(first + i);
      CellRates& rates = cells.emplace_back();
      for (const std::size_t model : {0U, 1U}) {
        const std::size_t known = facts[model + 1] + facts[3];
        if (known == 0) continue;
        rates[model] = static_cast<double>(facts[3]) / static_cast<double>(known);
      }
    }
    first += relation.facts;
  }
  return cells;
}

/// The mean over the cells for which η is defined, and the number of these cells. If η is undefined
/// for a cell in the resample, the cell's η over all facts is used.
inline std::pair<double, std::size_t> mean_rate(const std::vector<CellRates>& cells,
                                                const std::vector<CellRates>& resampled,
                                                std::size_t model) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (!cells[c][model]) continue;
    sum += resampled[c][model].value_or(*cells[c][model]);
    ++count;
  }
  return {count == 0 ? no_number : sum / static_cast<double>(count), count};
}

/// Both directions, computed from matched answers; `resamples` has a stratum for each relation. The
/// result contains no number if the first model knows nothing at all.
[[nodiscard]] inline SubsumptionPair subsumption(const MatchedAnswers& matched,
                                                 const Resamples& resamples) {
  const auto cells = detail::cell_rates(matched, [](std::size_t) { return 1U; });
  std::array<std::vector<double>, 2> draws;
  for (auto& list : draws) list.resize(resamples.size());
  parallel_for(resamples.size(), [&](std::size_t r) {
    const auto counts = resamples.counts(r);
    const auto drawn = detail::cell_rates(matched, [&](std::size_t item) { return counts[item]; });
    for (const std::size_t model : {0U, 1U}) {
      draws[model][r] = detail::mean_rate(cells, drawn, model).first;
    }
  });
  std::array<Subsumption, 2> both;
  for (const std::size_t model : {0U, 1U}) {
    Subsumption& made = both[model];
    made.left_out = matched.left_out;
    const auto [mean, with_rate] = detail::mean_rate(cells, cells, model);
    made.cells = with_rate;
    made.empty = cells.size() - with_rate;
    if (with_rate == 0) continue;
    std::size_t known = 0;
    for (const MatchedRelation& relation : matched.relations) {
      for (std::size_t fact = 0; fact < relation.facts; ++fact) {
        known += ranges::any_of(
            relation.right, [&](const auto& right) { return (right[fact] & (model + 1)) != 0; });
      }
    }
    made.rate = percentile_interval(mean, std::move(draws[model]), known);
    if (!made.rate.has_interval()) made.rate = wilson_share(mean, known);
  }
  return {both[0], both[1]};
}

/// Both directions between two models. Throws the same errors as match_answers.
[[nodiscard]] inline SubsumptionPair subsumption(const ModelAnswers& one, const ModelAnswers& other,
                                                 const Setting& group, const Bootstrap& bootstrap) {
  const MatchedAnswers matched = match_answers(one, other, group);
  return subsumption(matched, Resamples(facts_by_relation(matched), bootstrap, "subsumption"));
}

/// rates[i][j] is η(i|j) between models i and j; empty on the diagonal. The numbers are the same as
/// if each pair were computed separately. Resamples are drawn again only if a pair's shared-fact
/// counts differ from those of the previous pair.
[[nodiscard]] inline std::vector<std::vector<Subsumption>> subsumption_matrix(
    const std::vector<ModelAnswers>& models, const Setting& group, const Bootstrap& bootstrap) {
  std::vector<std::vector<Subsumption>> rates(models.size(),
                                              std::vector<Subsumption>(models.size()));
  std::optional<std::vector<std::size_t>> drawn_for;
  Resamples resamples;
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (std::size_t j = i + 1; j < models.size(); ++j) {
      const MatchedAnswers matched = match_answers(models[i], models[j], group);
      if (const auto facts = facts_by_relation(matched); drawn_for != facts) {
        resamples = Resamples(facts, bootstrap, "subsumption");
        drawn_for = facts;
      }
      auto [forward, backward] = subsumption(matched, resamples);
      rates[i][j] = std::move(forward);
      rates[j][i] = std::move(backward);
    }
  }
  return rates;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
