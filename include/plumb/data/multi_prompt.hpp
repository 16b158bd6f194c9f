// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is asked in many ways?
//
// A fact is a subject of a relation with all its objects, each entity with every name it has; a
// relation has many templates. A prompt is a template with one of the subject's names in it; it is
// answered by any name of any object. Source: MyriadLAMA, "What Matters in Learning Facts in
// Language Models?", section 4 (its "subject-relation pair" is a fact here). Non-goals: closed sets
// of options (dataset.hpp), how a folder is read (multi_prompt_folder.hpp).

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/prompt_template.hpp"

namespace plumb {

struct NamedEntity {
  std::string id;
  /// The label first, then the aliases; at least one, each once.
  std::vector<std::string> names;
};

struct ManyNamedFact {
  NamedEntity subject;
  /// At least one, by distinct identifiers.
  std::vector<NamedEntity> objects;
  /// Line of its file, from 1, for messages.
  std::size_t line = 0;
};

struct MultiPromptRelation {
  std::string code;
  std::vector<PromptTemplate> templates;
  std::vector<ManyNamedFact> facts;
  /// Where facts and templates were read, for messages.
  std::filesystem::path file{};
  std::filesystem::path template_file{};

  /// Prompts of its first `limit` facts, of all for 0.
  [[nodiscard]] std::size_t prompts(std::size_t limit = 0) const {
    const std::size_t count = limit == 0 ? facts.size() : std::min(limit, facts.size());
    std::size_t names = 0;
    for (std::size_t f = 0; f < count; ++f) names += facts[f].subject.names.size();
    return names * templates.size();
  }
};

struct MultiPromptDataset {
  std::string name;
  std::vector<MultiPromptRelation> relations;
  /// Every file that was read, in order: what a hash of the dataset covers.
  std::vector<std::filesystem::path> files;
  /// What its files have beside that and nothing reads, in words.
  std::vector<std::string> left_out{};
};

/// Keeps the templates of one origin; relations that are left without one are left out.
inline void keep_origin(MultiPromptDataset& dataset, TemplateOrigin origin) {
  for (MultiPromptRelation& relation : dataset.relations) {
    std::erase_if(relation.templates,
                  [&](const PromptTemplate& one) { return one.origin != origin; });
  }
  std::erase_if(dataset.relations,
                [](const MultiPromptRelation& relation) { return relation.templates.empty(); });
}

/// Places of the relations named by `codes`, ascending, so that nothing hangs on the order in which
/// they are named; an empty list names all. Throws a user error on a name the dataset does not have
/// or that is duplicated.
[[nodiscard]] inline std::vector<std::size_t> relation_places(
    const MultiPromptDataset& dataset, const std::vector<std::string>& codes) {
  std::vector<std::size_t> places;
  for (std::size_t r = 0; r < dataset.relations.size() && codes.empty(); ++r) places.push_back(r);
  for (const std::string& code : codes) {
    const auto found = over::find(dataset.relations, code, &MultiPromptRelation::code);
    const auto place = static_cast<std::size_t>(found - dataset.relations.begin());
    if (found == dataset.relations.end()) {
      std::string known;
      for (const MultiPromptRelation& one : dataset.relations) {
        known += (known.empty() ? "" : ", ") + one.code;
      }
      throw user_error({.setting = "relations"},
                       "'" + code + "' is not a relation of " + dataset.name + " with many prompts",
                       "say some of " + known);
    }
    if (over::find(places, place) != places.end()) {
      throw user_error({.setting = "relations"}, "'" + code + "' is named twice", "name it once");
    }
    places.push_back(place);
  }
  over::sort(places);
  return places;
}

}  // namespace plumb
