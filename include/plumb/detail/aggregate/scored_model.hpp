// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a model answer under every template, and how did it score the base template's options?
//
// In addition to the predictions, this stores the scores of the base template, which temperature
// scaling and smaller option sets need, and the base template's predictions under the other
// reductions.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/predictions.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The four reductions, in the paper's order.
inline constexpr std::array<Scoring, 4> all_scorings{
    Scoring{Reduction::sum, Span::statement}, Scoring{Reduction::mean, Span::statement},
    Scoring{Reduction::sum, Span::answer}, Scoring{Reduction::mean, Span::answer}};

/// The scores of the candidates of one relation's facts under the base template, and the omitted
/// templates.
struct BaseScores {
  /// Templates that were scored but are not in any list of kinds.
  std::vector<std::size_t> unlisted;
  /// In nats, for each fact's candidates, fact after fact; empty for generated answers.
  std::vector<double> scores;
  /// If facts have their own choices: the option that each candidate represents, parallel to the
  /// scores, and the end of each fact's candidates. Empty if the candidates are all options, in
  /// order.
  std::vector<std::uint32_t> options{};
  std::vector<std::size_t> ends{};
  /// The predictions in the order of `all_scorings`, each list parallel to the facts. Empty if the
  /// folder lacks the columns or an answer has no scored token.
  std::array<std::vector<Prediction>, all_scorings.size()> reductions;

  /// Adds a fact with its own choices.
  void add(std::span<const double> of_choices, std::span<const std::uint32_t> choices) {
    scores.insert(scores.end(), of_choices.begin(), of_choices.end());
    options.insert(options.end(), choices.begin(), choices.end());
    ends.push_back(scores.size());
  }
  [[nodiscard]] bool has_all_options() const noexcept { return ends.empty(); }
  /// The scores of one fact of the relation.
  [[nodiscard]] std::span<const double> of(const Relation& relation, std::size_t fact) const {
    const std::size_t first = begin(relation, fact);
    return std::span(scores).subspan(
        first, has_all_options() ? relation.options.size() : ends[fact] - first);
  }
  /// The option that a candidate of a fact represents.
  [[nodiscard]] std::size_t option(std::size_t fact, std::size_t candidate) const {
    return has_all_options() ? candidate : options[(fact == 0 ? 0 : ends[fact - 1]) + candidate];
  }
  /// The candidate of a fact that represents an option; the option must be among its candidates.
  [[nodiscard]] std::size_t candidate(std::size_t fact, std::size_t wanted) const {
    std::size_t place = 0;
    while (option(fact, place) != wanted) ++place;
    return place;
  }

 private:
  [[nodiscard]] std::size_t begin(const Relation& relation, std::size_t fact) const {
    if (has_all_options()) return fact * relation.options.size();
    return fact == 0 ? 0 : ends[fact - 1];
  }
};

/// How a model was queried: with templates, as in a closed-set probe, or with shots instead.
enum class AskedBy : std::uint8_t { templates, shots };

/// The name of the prompt that Base and Margin use.
[[nodiscard]] constexpr const char* base_name(AskedBy by) {
  return by == AskedBy::shots ? "first draw of shots" : "base template";
}

/// All available data about one model. `base` is parallel to the predictions' relations.
struct ScoredModel {
  ModelPredictions predictions;
  std::vector<BaseScores> base;
  std::string dataset;
  /// The reduction and the span of a statement's score, as named in the run folders.
  std::string reduction;
  std::string span;
  /// Notes about relations, without duplicates.
  std::vector<std::string> notes;
  AskedBy asked_by = AskedBy::templates;
};

/// Copies domains, and whether relations are 1:1, from the dataset that was probed. Relations that
/// are missing from the dataset stay unchanged. Returns the number of relations that the dataset
/// contains.
inline std::size_t describe_relations(ScoredModel& model, const Dataset& dataset) {
  std::size_t known = 0;
  for (RelationPredictions& made : model.predictions.relations) {
    const auto found = ranges::find(dataset.relations, made.relation.code, &Relation::code);
    if (found == dataset.relations.end()) continue;
    made.relation.domains = found->domains;
    made.relation.cardinality = cardinality_of(*found);
    ++known;
  }
  return known;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
