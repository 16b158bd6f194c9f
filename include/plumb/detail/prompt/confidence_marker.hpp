// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a statement express more or less confidence?
//
// The statement contains a marker. A verbalized marker is "possibly" or "certainly" after the verb;
// a numerical marker is "I'm x% confident " before the statement (Kissling et al., section 3.3).
// Markers are recognised in a template's text, so the paper's twelve templates (0–4 paraphrases,
// 5–6 verbalized, 7–11 numerical) may be in any order.

#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class TemplateKind { paraphrase, verbalized, numerical };

/// A template's role for the confidence estimators.
struct TemplateRole {
  TemplateKind kind = TemplateKind::paraphrase;
  /// "possibly", "certainly" or "25%"; empty for a paraphrase.
  std::string marker{};
};

/// The placeholder of a verbalized marker in a template; it is removed from plain statements.
inline constexpr std::string_view marker_slot = "{marker}";
inline constexpr std::array<std::string_view, 2> verbalized_markers{"possibly", "certainly"};
inline constexpr std::array<int, 5> numerical_markers{0, 25, 50, 75, 100};

/// The byte positions in `text` at which `word` is a whole word.
inline std::vector<std::size_t> places_of_word(std::string_view text, std::string_view word) {
  const auto letter = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
                                static_cast<unsigned char>(text[at]) >= 0x80 || text[at] == '\'');
  };
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) places.push_back(at);
  }
  return places;
}

/// "The capital" → "the capital"; a first word other than an article is left unchanged.
inline std::string with_lower_article(std::string text) {
  for (const std::string_view article : {"The ", "A ", "An "}) {
    if (!text.starts_with(article)) continue;
    return lower_case(text.substr(0, 1)) + text.substr(1);
  }
  return text;
}

/// The template with each marker slot removed, along with one adjacent space.
[[nodiscard]] inline std::string without_marker_slot(std::string text) {
  for (auto at = text.find(marker_slot); at != std::string::npos; at = text.find(marker_slot)) {
    text.erase(at, marker_slot.size());
    if (at < text.size() && text[at] == ' ') {
      text.erase(at, 1);
    } else if (at > 0 && text[at - 1] == ' ') {
      text.erase(at - 1, 1);
    }
  }
  return text;
}

/// Determines a template's role from its text.
[[nodiscard]] inline TemplateRole role_of(std::string_view text) {
  constexpr std::string_view before = "I'm ";
  constexpr std::string_view after = "% confident ";
  if (text.starts_with(before)) {
    const auto end = text.find(after);
    const std::string_view number =
        end == std::string_view::npos ? "" : text.substr(before.size(), end - before.size());
    const bool digits = !number.empty() && number.size() <= 3 &&
                        number.find_first_not_of("0123456789") == number.npos;
    if (digits) return {TemplateKind::numerical, std::string(number) + "%"};
  }
  for (const std::string_view marker : verbalized_markers) {
    if (!detail::places_of_word(text, marker).empty()) {
      return {TemplateKind::verbalized, std::string(marker)};
    }
  }
  return {};
}

/// "I'm 25% confident the capital of [X] is [Y]."
[[nodiscard]] inline std::string with_numerical_marker(std::string_view text, int percent) {
  return "I'm " + std::to_string(percent) + "% confident " +
         detail::with_lower_article(without_marker_slot(std::string(text)));
}

/// "The capital of [X] is possibly [Y].": inserts the marker at the slot or, if there is none,
/// after the only "is", "was", "are" or "were". Returns nullopt if there is no such position or
/// more than one.
[[nodiscard]] inline std::optional<std::string> with_verbalized_marker(std::string_view text,
                                                                       std::string_view marker) {
  std::string marked(text);
  if (const auto at = text.find(marker_slot); at != std::string_view::npos) {
    if (text.find(marker_slot, at + 1) != std::string_view::npos) return std::nullopt;
    return marked.replace(at, marker_slot.size(), marker);
  }
  std::optional<std::size_t> place;
  for (const std::string_view verb : {"is", "was", "are", "were"}) {
    for (const std::size_t at : detail::places_of_word(text, verb)) {
      if (place) return std::nullopt;
      place = at + verb.size();
    }
  }
  if (!place) return std::nullopt;
  return marked.insert(*place, " " + std::string(marker));
}

/// Which markers to add to a dataset.
enum class AddedMarkers { none, verbalized, numerical, all };

[[nodiscard]] constexpr std::array<AddedMarkers, 4> every(AddedMarkers) noexcept {
  return {AddedMarkers::none, AddedMarkers::verbalized, AddedMarkers::numerical, AddedMarkers::all};
}
[[nodiscard]] constexpr std::string_view name_of(AddedMarkers markers) noexcept {
  constexpr std::array<std::string_view, 4> names{"none", "verbalized", "numerical", "all"};
  return names[static_cast<std::size_t>(markers)];
}

/// Removes the slots from every template and appends to each relation a copy of template 0 for each
/// marker. Throws a user error that quotes template 0 if it has no unique position for a verbalized
/// marker.
inline void inject_markers(Dataset& dataset, AddedMarkers added) {
  const bool any = added != AddedMarkers::none;
  for (Relation& relation : dataset.relations) {
    if (relation.templates.empty()) continue;  // the probe rejects the relation and names it
    const std::string first = relation.templates.front();
    if (any && relation.verbatim) {
      throw user_error({relation.file, 0, relation.code},
                       "its statements are used unchanged, so markers cannot be added",
                       "drop `inject`");
    }
    for (const std::string& text : relation.templates) {
      if (!any || role_of(text).kind == TemplateKind::paraphrase) continue;
      throw user_error({relation.template_file, 0, relation.code},
                       "template '" + text + "' already has a marker",
                       "inject only into plain templates");
    }
    for (std::string& text : relation.templates) text = without_marker_slot(text);
    if (added == AddedMarkers::verbalized || added == AddedMarkers::all) {
      for (const std::string_view marker : verbalized_markers) {
        auto marked = with_verbalized_marker(first, marker);
        if (!marked) {
          throw user_error({relation.template_file, 0, relation.code},
                           "template '" + first +
                               "' does not have exactly one place for a verbalized marker "
                               "({marker}, is, was, are or were)",
                           "write {marker} in its place, or inject only numerical markers");
        }
        relation.templates.push_back(std::move(*marked));
      }
    }
    if (added == AddedMarkers::numerical || added == AddedMarkers::all) {
      for (const int percent : numerical_markers) {
        relation.templates.push_back(with_numerical_marker(first, percent));
      }
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
