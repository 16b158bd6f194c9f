// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers that describe an injection's panels, each declared once for the terminal, the page
// and metrics.json, and the probability of every pair as CSV.

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/measure/injection_results.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline const char* kind_name(PairKind kind) {
  return kind == PairKind::correct    ? "correct"
         : kind == PairKind::injected ? "injected"
                                      : "after injected";
}

/// Mean probabilities by kind of pair, and the probability of the pair at position `highlight`.
[[nodiscard]] inline std::vector<Column<InjectionPanelResult>> injection_columns(
    std::size_t highlight) {
  using P = InjectionPanelResult;
  std::vector<Column<P>> columns;
  const auto mean = [&](const char* key, const char* heading, const char* meaning,
                        Estimate P::*of) {
    columns.push_back({.key = key,
                       .heading = heading,
                       .meaning = meaning,
                       .value = [of](const P& panel) -> CellValue {
                         return RemarkedEstimate{panel.*of, counted((panel.*of).count, "pair")};
                       },
                       .interval = true});
  };
  mean("correct", "correct", "Mean probability by kind of pair.", &P::correct);
  mean("correct_change", "change",
       "Change: the probability minus the probability of the same pairs at the same positions in "
       "the first panel.",
       &P::correct_change);
  mean("after_injected", "after injected", "After injected: pairs directly after an injected pair.",
       &P::after_injected);
  mean("after_injected_change", "change after", "", &P::after_injected_change);
  mean("injected", "injected", "", &P::injected);
  columns.push_back({.key = "highlight_probability",
                     .heading = "star",
                     .meaning = "Star: the highlighted pair.",
                     .value = [highlight](const P& panel) -> CellValue {
                       return PlainNumber{std::exp(panel.log_probabilities[highlight])};
                     }});
  weigh(columns, {"correct", "injected"}, ColumnWeight::major);
  weigh(columns, {"after_injected", "highlight_probability"}, ColumnWeight::minor);
  return columns;
}

/// The columns of `injection_columns`, preceded by a column with the panel's name, headed
/// `heading`.
[[nodiscard]] inline std::vector<Column<InjectionPanelResult>> named_injection_columns(
    const std::string& heading, std::size_t highlight) {
  auto columns = injection_columns(highlight);
  columns.insert(columns.begin(), {.key = "panel",
                                   .heading = heading,
                                   .value = [](const InjectionPanelResult& made) -> CellValue {
                                     return made.panel.name;
                                   }});
  columns.front().weight = ColumnWeight::major;
  return columns;
}

/// One row for each panel: its name, then its numbers.
[[nodiscard]] inline NumberTable injection_rows(const InjectionResults& results) {
  return table_of(named_injection_columns("probability, " + results.relation, results.highlight),
                  results.panels);
}

/// For a terminal.
[[nodiscard]] inline std::string injection_table(const InjectionResults& results,
                                                 const TableWidth& width = {}) {
  const InjectedPair& star = results.panels.front().panel.pairs[results.highlight];
  return text_table(injection_rows(results), width) +
         detail::in_lines(
             "change: the same pairs' probability minus their probability without injected pairs; "
             "star: " +
                 star.subject + " – " + star.object + ", pair " +
                 std::to_string(results.highlight) + ", in every panel",
             width.characters) +
         "\n";
}

/// One row for each position of each panel. Log-probabilities are in nats, and positions are
/// counted from 0.
[[nodiscard]] inline std::string injection_csv(const InjectionResults& results) {
  std::string csv = csv_line({"relation", "panel", "position", "subject", "object", "kind",
                              "log_probability", "probability", "highlighted"});
  for (const InjectionPanelResult& made : results.panels) {
    for (std::size_t p = 0; p < made.panel.pairs.size(); ++p) {
      const InjectedPair& pair = made.panel.pairs[p];
      const double log = made.log_probabilities[p];
      csv += csv_line({results.relation, made.panel.name, std::to_string(p), pair.subject,
                       pair.object, detail::kind_name(pair.kind), with_decimals(log, 8),
                       with_decimals(std::exp(log), 8), p == results.highlight ? "1" : "0"});
    }
  }
  return csv;
}

/// For metrics.json.
[[nodiscard]] inline Json to_json(const InjectionResults& results) {
  const InjectedPair& star = results.panels.front().panel.pairs[results.highlight];
  Json json = {
      {"relation", results.relation},
      {"pairs", results.panels.front().panel.pairs.size()},
      {"highlight",
       {{"position", results.highlight}, {"subject", star.subject}, {"object", star.object}}}};
  const auto columns = injection_columns(results.highlight);
  for (const InjectionPanelResult& made : results.panels) {
    json["panels"][made.panel.name] = json_of(columns, made);
  }
  return json;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
