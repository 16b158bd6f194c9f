// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a many-prompt dataset?
//
// A fact consists of a subject and all its objects in a relation; each of these entities is stored
// with all its names. A relation has many templates. A prompt is a template that contains one of
// the subject's names. Any name of any object is a correct answer. Source: MyriadLAMA, "What
// Matters in Learning Facts in Language Models?", section 4 (its "subject-relation pair" is a fact
// here). Non-goals: closed sets of options (dataset.hpp), how a folder is read
// (multi_prompt_folder.hpp).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/prompt_template.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct NamedEntity {
  std::string id;
  /// The label first, then the aliases; at least one name, without duplicates.
  std::vector<std::string> names;
};

struct ManyNamedFact {
  NamedEntity subject;
  /// At least one object; the identifiers are distinct.
  std::vector<NamedEntity> objects;
  /// The line number in its file, counted from 1, for messages.
  std::size_t line = 0;
};

struct MultiPromptRelation {
  std::string code;
  std::vector<PromptTemplate> templates;
  std::vector<ManyNamedFact> facts;
  /// The files of the facts and the templates, for messages.
  std::filesystem::path file{};
  std::filesystem::path template_file{};

  /// The number of prompts for the first `limit` facts, or for all facts if `limit` is 0.
  [[nodiscard]] std::size_t prompts(std::size_t limit = 0) const {
    const std::size_t count = limit == 0 ? facts.size() : (std::min)(limit, facts.size());
    std::size_t names = 0;
    for (std::size_t f = 0; f < count; ++f) names += facts[f].subject.names.size();
    return names * templates.size();
  }
};

struct MultiPromptDataset {
  std::string name;
  std::vector<MultiPromptRelation> relations;
  /// Every file that was read, in order; the dataset's hash covers these files.
  std::vector<std::filesystem::path> files;
  /// Descriptions of the files' other contents, which are not read.
  std::vector<std::string> left_out{};
  /// Whether its files specify the origin of any template. If not, all templates are treated as
  /// manual.
  bool knows_origins = false;
};

/// Which templates of a dataset are used, by origin.
enum class KeptOrigins : std::uint8_t { all, manual, generated };
[[nodiscard]] constexpr std::array<KeptOrigins, 3> every(KeptOrigins) noexcept {
  return {KeptOrigins::manual, KeptOrigins::generated, KeptOrigins::all};
}
[[nodiscard]] constexpr std::string_view name_of(KeptOrigins kept) noexcept {
  constexpr std::array<std::string_view, 3> names{"all", "manual", "generated"};
  return names[static_cast<std::size_t>(kept)];
}

/// Keeps the templates of one origin. Relations without such a template are removed and listed in
/// `left_out`. Throws a user error about `origin` if the dataset does not specify the origins of
/// its templates, or if no template is left.
inline void keep_origins(MultiPromptDataset& dataset, KeptOrigins kept) {
  if (kept == KeptOrigins::all) return;
  const std::string word(name_of(kept));
  if (!dataset.knows_origins) {
    throw user_error({.setting = "origin"},
                     dataset.name + " does not mark which of its templates are " + word,
                     "set all, or give its templates an origin (is_manual, or \"origin\" in "
                     "templates.jsonl)");
  }
  const auto wanted =
      kept == KeptOrigins::manual ? TemplateOrigin::manual : TemplateOrigin::generated;
  std::string without;
  for (MultiPromptRelation& relation : dataset.relations) {
    std::erase_if(relation.templates,
                  [&](const PromptTemplate& one) { return one.origin != wanted; });
    if (relation.templates.empty()) add_to_list(without, relation.code);
  }
  if (without.empty()) return;
  dataset.left_out.push_back("relations without a " + word + " template: " + without);
  std::erase_if(dataset.relations,
                [](const MultiPromptRelation& relation) { return relation.templates.empty(); });
  if (!dataset.relations.empty()) return;
  throw user_error({.setting = "origin"}, "leaves no templates of " + dataset.name, "set all");
}

/// The indices of the relations listed in `codes`, in ascending order, so that the order of `codes`
/// does not matter; an empty list means all. Throws a user error for an unknown or duplicate name.
[[nodiscard]] inline std::vector<std::size_t> relation_places(
    const MultiPromptDataset& dataset, const std::vector<std::string>& codes) {
  std::vector<std::size_t> places;
  for (std::size_t r = 0; r < dataset.relations.size() && codes.empty(); ++r) places.push_back(r);
  for (const std::string& code : codes) {
    const auto found = ranges::find(dataset.relations, code, &MultiPromptRelation::code);
    const auto place = static_cast<std::size_t>(found - dataset.relations.begin());
    if (found == dataset.relations.end()) {
      throw user_error({.setting = "relations"},
                       "'" + code + "' is not a relation of " + dataset.name + " with many prompts",
                       "name some of " + text_list(dataset.relations, &MultiPromptRelation::code));
    }
    if (ranges::find(places, place) != places.end()) {
      throw user_error({.setting = "relations"}, "'" + code + "' is listed twice", "name it once");
    }
    places.push_back(place);
  }
  ranges::sort(places);
  return places;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
