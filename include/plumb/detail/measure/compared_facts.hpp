// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which model knows which fact, and what does each model answer?
//
// The comparison covers all facts that at least two models were asked about. As in
// measure/paired_comparison.hpp, a model knows a fact if it knows it under more than half of the
// variants. Here, the variants are those common to all models that have the relation, or the
// model's own variants if there are none in common. A model's answer is the one under the first of
// these variants.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/measure/relation_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One model's answer to a fact.
struct FactAnswer {
  bool is_known = false;
  /// The text of the answer, or of the first choice in a tie; may be empty (answer_text).
  std::string text;
};

struct ComparedFact {
  std::string relation;
  std::size_t instance = 0;
  std::string subject;
  /// The right answer.
  std::string answer;
  /// One entry per model; nullopt for a model that was not asked about the fact.
  std::vector<std::optional<FactAnswer>> models;

  [[nodiscard]] std::size_t asked() const {
    return static_cast<std::size_t>(
        ranges::count_if(models, [](const auto& one) { return one.has_value(); }));
  }
  [[nodiscard]] bool is_known_to(std::size_t model) const {
    return models[model] && models[model]->is_known;
  }
  [[nodiscard]] std::size_t known_by() const {
    return static_cast<std::size_t>(
        ranges::count_if(models, [](const auto& one) { return one && one->is_known; }));
  }
  /// Whether, among the models that were asked, at least one knows the fact and at least one does
  /// not.
  [[nodiscard]] bool differs() const { return known_by() > 0 && known_by() < asked(); }
};

/// Relations are in order of appearance, and facts within a relation in ascending order of
/// instance. The models' facts must agree, as match_answers ensures.
[[nodiscard]] inline std::vector<ComparedFact> compared_facts(
    const std::vector<ModelAnswers>& models, const Setting& group) {
  std::vector<std::string> codes;
  for (const ModelAnswers& model : models) {
    for (const RelationAnswers& relation : model.relations) {
      if (ranges::find(codes, relation.relation.code) == codes.end()) {
        codes.push_back(relation.relation.code);
      }
    }
  }
  std::vector<ComparedFact> facts;
  for (const std::string& code : codes) {
    std::vector<std::vector<AnswersView>> lists;
    std::vector<std::pair<std::size_t, const RelationAnswers*>> tables;  // with the model's index
    for (std::size_t m = 0; m < models.size(); ++m) {
      const auto found = find_relation(models[m].relations, code);
      if (found == models[m].relations.end() || found->facts() == 0) continue;
      auto variants = variants_of(*found, group);
      if (variants.empty()) continue;
      lists.push_back(std::move(variants));
      tables.emplace_back(m, &*found);
    }
    const std::vector<std::size_t> common = detail::common_variants(lists);
    std::map<std::size_t, ComparedFact> by_instance;
    for (const auto& asked : tables) {
      const RelationAnswers* const table = asked.second;
      std::vector<std::size_t> places;  // indices of the settings to take into account
      for (std::size_t place = 0; place < table->settings.size(); ++place) {
        const Setting& setting = table->settings[place];
        if (setting.group() != group.group()) continue;
        if (common.empty() || ranges::find(common, setting.variant) != common.end()) {
          places.push_back(place);
        }
      }
      ranges::sort(places, {}, [&](std::size_t place) { return table->settings[place].variant; });
      for (std::size_t i = 0; i < table->facts(); ++i) {
        const Fact& fact = table->relation.facts[i];
        ComparedFact& made = by_instance[fact.instance];
        if (made.models.empty()) {
          made.relation = code;
          made.instance = fact.instance;
          made.answer = option_text(table->relation, fact, fact.answer);
          made.models.resize(models.size());
        }
        if (made.subject.empty()) made.subject = fact.subject;
        const auto known = ranges::count_if(
            places, [&](std::size_t place) { return table->row(i)[place].correct; });
        made.models[asked.first] = {2 * static_cast<std::size_t>(known) > places.size(),
                                    answer_text(*table, i, places.front())};
      }
    }
    for (auto& [instance, fact] : by_instance) {
      if (fact.asked() > 1) facts.push_back(std::move(fact));
    }
  }
  return facts;
}

/// Counts over the facts that at least two models were asked about.
struct ComparedFactCounts {
  std::size_t compared = 0;
  /// Facts known by all models that were asked, and facts known by none of them.
  std::size_t known_by_all = 0;
  std::size_t known_by_none = 0;
  std::size_t differ = 0;
  /// For each model, the number of facts that only this model knows, among the models that were
  /// asked about them.
  std::vector<std::size_t> known_alone;
};

[[nodiscard]] inline ComparedFactCounts count_compared(const std::vector<ComparedFact>& facts,
                                                       std::size_t models) {
  ComparedFactCounts counts{facts.size(), 0, 0, 0, std::vector<std::size_t>(models)};
  for (const ComparedFact& fact : facts) {
    const std::size_t known = fact.known_by();
    counts.known_by_all += known == fact.asked();
    counts.known_by_none += known == 0;
    counts.differ += fact.differs();
    if (known != 1) continue;
    for (std::size_t m = 0; m < models; ++m) counts.known_alone[m] += fact.is_known_to(m);
  }
  return counts;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
