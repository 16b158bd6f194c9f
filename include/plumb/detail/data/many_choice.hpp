// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are facts turned into a dataset with many choices?
//
// They are drawn using IC-LKE's rule for T-REx-MC, which selects relations with at least 500 facts
// and 100 objects. In each relation, 100 facts are used for training and 400 for testing;
// T-REx-MC's 50 relations thus have 5,000 training facts and 20,000 test facts. The choices for a
// fact are its object and 99 other objects of its relation, none of them a true object of the same
// subject (data/choices.hpp). The draws depend on the seed, the relation and the fact, so the draws
// for one relation do not depend on the rest of the data. The rows differ from the authors'
// published ones, which choice_table.hpp reads. Source: "Towards Reliable Latent Knowledge
// Estimation in LLMs", section 4 and A.2.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/choices.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/fact_split.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ManyChoiceRule {
  /// The minimum numbers of facts and objects in a relation.
  std::size_t facts = 500;
  std::size_t objects = 100;
  /// The number of choices for each fact, including its own object.
  std::size_t choices = 100;
  /// The maximum numbers of training and test facts in a relation.
  std::size_t training = 100;
  std::size_t test = 400;
  std::uint64_t seed = 0;
};

/// The relation with only the drawn facts, in their original order, each marked with its part and
/// its choices. Returns nullopt if the relation has too few facts or objects. Here, an object is an
/// option that is the answer to at least one fact.
[[nodiscard]] inline std::optional<Relation> many_choice_relation(const Relation& relation,
                                                                  const ObjectAliases& aliases,
                                                                  const ManyChoiceRule& rule) {
  std::vector<std::size_t> answers;
  for (const Fact& fact : relation.facts) answers.push_back(fact.answer);
  ranges::sort_distinct(answers);
  if (relation.facts.size() < rule.facts || answers.size() < rule.objects) return std::nullopt;
  FactSplit split = train_test_split(relation, rule.training, rule.seed);
  const auto draw = [&](std::vector<std::size_t>& places, std::size_t most, const char* part) {
    RandomStream random(rule.seed, std::string("many-choice ") + part + "/" + relation.code);
    random.shuffle(places, most);
    places.resize((std::min)(places.size(), most));
  };
  draw(split.training, rule.training, "training");  // a dataset's own training part may be larger
  draw(split.test, rule.test, "test");
  const ChoiceSampler sampler(relation, aliases, rule.choices, rule.seed);
  Relation made = relation;
  made.facts.clear();
  const auto take = [&](const std::vector<std::size_t>& places, FactPart part) {
    for (const std::size_t place : places) {
      Fact fact = relation.facts[place];
      fact.offered = sampler.draw(fact).options;
      fact.part = part;
      made.facts.push_back(std::move(fact));
    }
  };
  take(split.training, FactPart::training);
  take(split.test, FactPart::test);
  ranges::stable_sort(made.facts, {}, &Fact::instance);
  return made;
}

/// Converts a relation whose facts have choices to a table (choice_table.hpp), with one fact per
/// line.
[[nodiscard]] inline std::string choice_table_jsonl(const Relation& relation) {
  std::string text;
  for (const Fact& fact : relation.facts) {
    Json line = Json::object();
    if (!fact.subject_id.empty()) line["subject_id"] = fact.subject_id;
    line["subject"] = fact.subject;
    line["object"] = relation.options[fact.answer];
    Json& choices = line["choices"] = Json::array();
    for (const std::uint32_t option : fact.offered) choices.push_back(relation.options[option]);
    line["split"] = fact.part == FactPart::training ? "train" : "test";
    text += line.dump() + "\n";
  }
  return text;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
