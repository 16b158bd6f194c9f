// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts are known to one model but not to another?
//
// facts.csv has one line for each fact that at least two models were asked about:
//   relation, instance, subject, answer   the fact and its right answer
//   known_by, asked                       the number of models that know it, and that were asked
//   answer:MODEL, known:MODEL             each model's answer, and 1 if it knows the fact, else 0;
//                                         both are empty for a model that was not asked
//   change:MODEL                          for each model except the first: "lost" if the first
//                                         knows the fact and this one does not, "gained" if this
//                                         one knows it and the first does not, else empty
// The page lists the facts on which models differ, and filters them by words and by which models
// know them.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/measure/model_comparison.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/paired_columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How a fact changes from one model to another: "lost", "gained" or empty.
[[nodiscard]] inline std::string change_of(const ComparedFact& fact, std::size_t from,
                                           std::size_t to) {
  if (!fact.models[from] || !fact.models[to]) return "";
  if (fact.is_known_to(from) == fact.is_known_to(to)) return "";
  return fact.is_known_to(from) ? "lost" : "gained";
}

/// The contents of facts.csv, as described above.
[[nodiscard]] inline std::string facts_csv(const Comparison& made) {
  const std::vector<std::string>& names = made.table.models;
  std::vector<std::string> head{"relation", "instance", "subject", "answer", "known_by", "asked"};
  for (const std::string& name : names) {
    head.insert(head.end(), {"answer:" + name, "known:" + name});
    if (&name != &names.front()) head.push_back("change:" + name);
  }
  std::string text = csv_line(head);
  for (const ComparedFact& fact : made.facts) {
    std::vector<std::string> cells{
        fact.relation, std::to_string(fact.instance),   fact.subject,
        fact.answer,   std::to_string(fact.known_by()), std::to_string(fact.asked())};
    for (std::size_t m = 0; m < names.size(); ++m) {
      const auto& answer = fact.models[m];
      cells.push_back(answer ? answer->text : "");
      cells.emplace_back(!answer ? "" : answer->is_known ? "1" : "0");
      if (m > 0) cells.push_back(detail::change_of(fact, 0, m));
    }
    text += csv_line(cells);
  }
  return text;
}

/// The maximum number of facts that a page lists.
inline constexpr std::size_t most_listed_facts = 1000;

/// Hides the rows that do not contain the search text or do not match the chosen models.
inline constexpr std::string_view fact_list_script = R"js(
{
  const $ = id => document.getElementById(id), rows = [...document.querySelectorAll('#differing tbody tr')];
  const texts = rows.map(row => row.textContent.toLocaleLowerCase());
  const list = () => {
    const words = $('fact-words').value.toLocaleLowerCase(), by = $('fact-known').value, not = $('fact-unknown').value;
    let shown = 0;
    rows.forEach((row, i) => {
      const known = row.dataset.known;
      const alone = not !== 'others' || [...known].filter(k => k === '1').length === 1;
      const fits = texts[i].includes(words) && (by === '' || known[by] === '1') && alone && (not === '' || not === 'others' || known[not] === '0');
      row.hidden = !fits; shown += fits;
    });
    $('fact-count').textContent = shown;
  };
  for (const id of ['fact-words', 'fact-known', 'fact-unknown']) $(id).addEventListener('input', list);
  list();
}
)js";

/// The page's section; empty if no two models were asked about the same fact.
[[nodiscard]] inline std::string compared_facts_section(const Comparison& made) {
  if (made.facts.empty()) return "";
  const std::vector<std::string>& names = made.table.models;
  const auto columns = compared_fact_columns();
  std::string html = heading(
      "Facts",
      "Which models know which facts, and what each model answers. If a fact was asked under "
      "several variants, a model knows it if it is right under more than half of the variants that "
      "all models share. The answer shown is the one under the first of these variants; for a tie, "
      "the first choice. " +
          meanings(columns) + " All facts are in <code>facts.csv</code>.");
  html += html_table(columns, std::vector<ComparedFactCounts>{made.fact_counts});
  if (made.fact_counts.differ == 0) return html;
  std::string options;
  for (std::size_t m = 0; m < names.size(); ++m) {
    options += "<option value=\"" + std::to_string(m) + "\">" + escape_html(names[m]) + "</option>";
  }
  html +=
      "<div class=\"screen pick\"><label>Contains<input id=\"fact-words\" type=\"search\"></label>"
      "<label>Known by<select id=\"fact-known\"><option value=\"\">any model</option>" +
      options +
      "</select></label><label>Not known by<select id=\"fact-unknown\"><option value=\"\">any "
      "model</option><option value=\"others\">all others</option>" +
      options +
      "</select></label></div>\n"
      "<p class=\"dim\">Facts on which models differ: <span id=\"fact-count\">" +
      std::to_string((std::min)(made.fact_counts.differ, most_listed_facts)) +
      "</span> listed. A fact that one model knows and another does not is lost from the one to "
      "the other, and gained in the other direction.</p>\n<div id=\"differing\" class=\"tall\">";
  std::vector<std::string> heads{"Relation", "Subject", "Right answer", "Known by"};
  for (const std::string& name : names) heads.push_back(label(name));
  html += table_begin(heads);
  std::size_t listed = 0;
  std::vector<std::string> ids;
  for (const ComparedFact& fact : made.facts) {
    if (!fact.differs()) continue;
    if (++listed > most_listed_facts) continue;
    std::string known;
    for (const auto& answer : fact.models) known += !answer ? '-' : answer->is_known ? '1' : '0';
    const std::string id =
        free_slug(ids, "fact-" + slug_of(escape_html(fact.relation), "relation") + "-" +
                           std::to_string(fact.instance));
    html += "<tr id=\"" + id + "\" data-known=\"" + known + "\"><td>" + label(fact.relation) +
            "</td><td><a href=\"#" + id + "\">" + label(fact.subject) + "</a></td><td>" +
            label(cut_to(fact.answer, 60)) + "</td>" +
            html_cell(ShownNumber{
                static_cast<double>(fact.known_by()),
                std::to_string(fact.known_by()) + " of " + std::to_string(fact.asked())});
    for (const auto& answer : fact.models) {
      html += !answer
                  ? "<td>–</td>"
                  : "<td><span class=\"mark " + std::string(answer->is_known ? "right" : "wrong") +
                        "\">" + (answer->is_known ? "✓" : "✗") + "</span> " +
                        label(cut_to(answer->text, 60)) + "</td>";
    }
    html += "</tr>\n";
  }
  html += std::string(table_end) + "</div>\n";
  if (listed > most_listed_facts) {
    html += words_below(counted(listed - most_listed_facts, "more fact") +
                        " on which models differ; all are in <code>facts.csv</code>.");
  }
  return html + "<script>" + std::string(detail::fact_list_script) + "</script>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
