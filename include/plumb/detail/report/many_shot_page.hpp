// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does the page of a many-shot run show?

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/report/injection_page.hpp"
#include "plumb/detail/report/many_shot_columns.hpp"
#include "plumb/detail/report/many_shot_sections.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/prompt_section.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The group that represents the run: IC-LKE with the most shots; without IC-LKE, the first kind of
/// setting with its highest number of shots; null if no question was answered by choosing an
/// option.
inline const GroupSpread* headline_group(const ManyShotResults& made) {
  if (made.at_k.empty()) return nullptr;
  const Setting& group = made.at_k.front().first;
  return &*ranges::find_if(made.groups, [&](const GroupSpread& spread) {
    return spread.group.group() == group.group();
  });
}

inline std::string many_shot_cards(const ManyShotResults& made) {
  const GroupSpread* best = headline_group(made);
  if (best == nullptr) return "";
  const char* variant = best->group.varies_by_template() ? "template" : "seed";
  std::size_t facts = 0;
  for (const RelationAnswers& relation : made.answers.relations) facts += relation.facts();
  std::string html = card(setting_words(best->group), best->overall.accuracy);
  html += card(std::string("SD over ") + variant + "s", sd_text(best->overall),
               counted(best->overall.variants, variant));
  if (!made.curves.empty() && made.curves.front().shots_for_95) {
    const ShotsCurve& curve = made.curves.front();
    html += card("Shots for 95%", std::to_string(*curve.shots_for_95),
                 "of the accuracy at " + std::to_string(curve.points.back().group.shots));
  }
  const std::optional<double> chance = chance_of(made, *best);
  html += card("Chance", chance ? with_decimals(*chance, 3) : "–", "1 / number of choices");
  html += card("Facts", std::to_string(facts), counted(made.answers.relations.size(), "relation"));
  html +=
      card("Choices", std::to_string(made.choices),
           made.choices_beginning_another == 0
               ? "none is a prefix of another"
               : std::to_string(made.choices_beginning_another) + " are prefixes of other choices");
  html += card("Ties", std::to_string(made.ties.tied),
               "of " + counted(made.ties.answers, "answer") + " under all settings");
  return "<div class=\"cards\">\n" + html + "</div>\n";
}

/// Every number of every setting.
inline std::string settings_section(const ManyShotResults& made) {
  if (made.groups.empty()) return "";
  const auto columns = named_setting_columns(made);
  return heading("All settings", meanings(columns)) + html_table(columns, made.groups);
}

/// The paper's Table 8, for one model.
inline std::string relations_section(const ManyShotResults& made) {
  const GroupSpread* best = headline_group(made);
  if (best == nullptr) return "";
  std::vector<std::pair<std::string, AccuracySpread>> sorted = best->relations;
  ranges::stable_sort(sorted, std::greater{},
                      [](const auto& one) { return or_lowest(one.second.accuracy.value); });
  std::string html = heading("Relations, best-known first",
                             setting_words(best->group) + ", with 95% intervals over facts.") +
                     table_begin({"Relation", "Facts", "Accuracy", "SD"});
  for (const auto& [code, spread] : sorted) {
    html += "<tr><td>" + label(code) + "</td>" + number_cell(spread.accuracy.count) +
            cell(spread.accuracy) + "<td>" + sd_text(spread) + "</td></tr>\n";
  }
  return html + table_end;
}

/// The sections of the page.
[[nodiscard]] inline std::string many_shot_sections(const ManyShotResults& made) {
  std::string html = detail::many_shot_cards(made) + detail::shots_section(made) +
                     detail::methods_section(made) + detail::separators_section(made) +
                     detail::relations_section(made) + detail::confidence_section(made) +
                     detail::generation_section(made) + detail::settings_section(made);
  for (const InjectionResults& results : made.injections) html += injection_section(results);
  return html;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
