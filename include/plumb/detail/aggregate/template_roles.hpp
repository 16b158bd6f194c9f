// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of a relation's templates are paraphrases, and which have a marker?
//
// The templates' texts determine this (prompt/confidence_marker.hpp) unless the user sets it. A row
// of predictions lists its paraphrases first, then the marked templates.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/predictions.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The user's settings for the kinds of templates.
struct TemplateKinds {
  /// The template that Base and Margin use.
  std::size_t base = 0;
  /// Template indices by kind, for templates whose text does not show the kind. A marked template
  /// then gets the name of the role that its text shows or, if the text shows none, "template N".
  /// If there is a list of paraphrases, templates that are not in any list are omitted.
  std::optional<std::vector<std::size_t>> paraphrases{};
  std::vector<std::size_t> verbalized{};
  std::vector<std::size_t> numerical{};
};

/// Adds the relation's templates in row order: first the paraphrases, then the marked templates.
inline void add_templates(RelationPredictions& made, const std::vector<std::size_t>& indices,
                          const TemplateKinds& kinds) {
  const Relation& relation = made.relation;
  const auto listed = [](const std::vector<std::size_t>& list, std::size_t index) {
    return ranges::find(list, index) != list.end();
  };
  std::vector<std::pair<std::size_t, TemplateRole>> marked;
  std::set<std::string> markers;
  for (const std::size_t index : indices) {
    TemplateRole role;
    if (index < relation.templates.size()) {
      role = role_of(relation.templates[index]);
    } else if (!kinds.paraphrases && indices.size() > 1) {
      throw user_error({.field = relation.code},
                       "the metadata has no text for template " + std::to_string(index) +
                           ", so its kind is unknown",
                       "set `paraphrases`, `verbalized` and `numerical`");
    }
    if (kinds.paraphrases) {
      const bool plain = listed(*kinds.paraphrases, index);
      const bool words = listed(kinds.verbalized, index);
      if (!plain && !words && !listed(kinds.numerical, index)) continue;
      const TemplateKind kind = plain   ? TemplateKind::paraphrase
                                : words ? TemplateKind::verbalized
                                        : TemplateKind::numerical;
      if (role.kind != kind) role = {kind, plain ? "" : "template " + std::to_string(index)};
    }
    if (role.kind == TemplateKind::paraphrase) {
      made.add_template(index, std::move(role));
    } else if (markers.insert(role.marker).second) {
      marked.emplace_back(index, std::move(role));
    } else {
      throw user_error({.field = relation.code},
                       "two templates have the marker '" + role.marker + "'",
                       "set `paraphrases`, `verbalized` and `numerical`");
    }
  }
  made.paraphrases = made.roles.size();
  for (auto& [index, role] : marked) made.add_template(index, std::move(role));
}

/// A relation's predictions before any cells are added: the role of each template (`templates` are
/// indices). `file` is for messages. Throws a user error if a role cannot be determined, or if the
/// base template is not among the paraphrases.
[[nodiscard]] inline RelationPredictions prediction_frame(const Relation& relation,
                                                          const std::vector<std::size_t>& templates,
                                                          const TemplateKinds& kinds,
                                                          const std::filesystem::path& file = {}) {
  RelationPredictions made;
  made.relation = relation;
  detail::add_templates(made, templates, kinds);
  const auto base = made.place_of_template(kinds.base);
  if (!base || *base >= made.paraphrases) {
    throw user_error({file, 0, relation.code},
                     "template " + std::to_string(kinds.base) +
                         ", which Base and Margin use, was not scored as a paraphrase",
                     "score it, or set `base-template` to another template");
  }
  made.base = *base;
  return made;
}

/// Throws a user error unless every template in the lists of kinds is in some relation and in only
/// one list. If there are no relations, only the second condition is checked.
inline void refuse_absent_templates(const std::vector<RelationPredictions>& relations,
                                    const TemplateKinds& kinds) {
  std::set<std::size_t> seen;
  const auto check = [&](const char* option, const std::vector<std::size_t>& listed) {
    for (const std::size_t index : listed) {
      const bool scored = ranges::any_of(relations, [&](const RelationPredictions& made) {
        return made.place_of_template(index).has_value();
      });
      const std::string name = "template " + std::to_string(index);
      if (!scored && !relations.empty()) {
        throw user_error({.setting = option}, name + " was not scored", "set scored templates");
      }
      if (!seen.insert(index).second) {
        throw user_error({.setting = option}, name + " is in two lists", "put it in only one");
      }
    }
  };
  (check)("paraphrases", kinds.paraphrases.value_or(std::vector<std::size_t>{}));
  (check)("verbalized", kinds.verbalized);
  (check)("numerical", kinds.numerical);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
