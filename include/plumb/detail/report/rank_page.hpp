// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sections of a page about ranked entities: methods, hits, prompt wordings, bars of ranks,
// agreement between methods, name lengths, and relations. rank/rank_results.hpp computes the
// numbers shown and chooses the limits of the rank bars.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/report/bar_chart.hpp"
#include "plumb/detail/report/box_chart.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/rank_columns.hpp"
#include "plumb/detail/report/rank_scatter.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline const RankMetrics& headline(const RankedMethod& method) {
  return method.raw[static_cast<std::size_t>(Ties::realistic)];
}

/// "135", or "25–60" if the number of candidates differs between relations.
inline std::string candidates_of(const RankedMethod& method) {
  std::size_t fewest = method.candidates;
  for (const EntityRank& rank : method.ranks) fewest = (std::min)(fewest, rank.candidates);
  const std::string most = std::to_string(method.candidates);
  return fewest == method.candidates ? most : std::to_string(fewest) + "–" + most;
}

/// Each method's raw and filtered numbers, based on realistic ranks.
inline std::vector<NamedRanks> ranked_rows(const RankResults& made) {
  std::vector<NamedRanks> rows;
  for (const RankedMethod& method : made.methods) {
    const std::string candidates = candidates_of(method);
    rows.push_back({method.name, &headline(method), candidates});
    rows.push_back({method.name + ", filtered",
                    &method.filtered[static_cast<std::size_t>(Ties::realistic)], candidates});
  }
  return rows;
}

inline std::string rank_cards(const RankResults& made) {
  std::string html;
  for (const RankedMethod& method : made.methods) {
    const RankMetrics& metrics = headline(method);
    std::string what = "MRR, ";
    const Estimate* shown = &metrics.mean_reciprocal_rank;
    for (const std::size_t k : ranked_hit_levels) {
      if (metrics.mean_reciprocal_rank.exists()) break;
      if (!metrics.hit_at(k).exists()) continue;  // show the largest k whose value is known
      what = "Hit@" + std::to_string(k) + ", ";
      shown = &metrics.hit_at(k);
    }
    html += card(what + method.name, *shown);
  }
  const RankedMethod& first = made.methods.front();
  html += card("Queries", std::to_string(first.ranks.size()),
               counted(first.by_relation.size(), "relation"));
  html += card("Candidates", std::to_string(first.candidates), "entities");
  return "<div class=\"cards\">\n" + html + "</div>\n";
}

inline std::string methods_table(const RankResults& made) {
  const auto columns = named_rank_columns("method", true);
  return heading("Ranks of the true entities",
                 meanings(columns) +
                     " Filtered: without the other true entities of train, valid and test.") +
         html_table(columns, ranked_rows(made));
}

inline std::string hits_section(const RankResults& made) {
  std::string html =
      heading("Hit@k side by side", "Share of queries, with 95% intervals; counts in brackets.");
  for (const std::size_t k : ranked_hit_levels) {
    const std::string title = "Hit@" + std::to_string(k);
    std::vector<Bar> bars;
    bool any = false;
    for (const RankedMethod& method : made.methods) {
      const Estimate& share = headline(method).hit_at(k);
      bars.push_back({method.name + " (" + std::to_string(method.ranks.size()) + ")", share});
      any = any || share.count > 0;
    }
    if (!any) continue;
    html += "<h3>" + title + "</h3>\n" + bar_chart(bars, title);
  }
  return html;
}

inline std::string histogram_section(const RankResults& made) {
  std::string html;
  for (const RankedMethod& method : made.methods) {
    std::vector<Bar> bars;
    for (const RankBin& bin : method.histogram) {
      const std::string low = std::to_string(bin.low);
      bars.push_back({bin.low == bin.high ? low : low + "–" + std::to_string(bin.high), bin.share});
    }
    if (bars.empty()) continue;
    html += "<h3>" + label(method.name) + "</h3>\n" + bar_chart(bars, "Ranks under " + method.name);
  }
  if (html.empty()) return "";
  return heading("Ranks", "Share of queries by the rank of the true entity.") + html;
}

inline std::string agreement_section(const RankResults& made) {
  if (made.agreements.empty()) return "";
  std::string rows, plots;
  for (const MethodAgreement& agreement : made.agreements) {
    rows += "<tr><td>" + label(made.methods[agreement.one].name) + "</td><td>" +
            label(made.methods[agreement.other].name) + "</td>" +
            number_cell(agreement.shared.size()) + cell(agreement.log_rank.r) + "<td>" +
            escape_html(p_text(agreement.log_rank.p)) + "</td>" + cell(agreement.rank.r) + "<td>" +
            escape_html(p_text(agreement.rank.p)) + "</td></tr>\n";
    plots += rank_scatter(made.methods, agreement);
  }
  return heading("Do the methods agree?",
                 "Pearson's r of log ranks and of ranks, over the queries and candidates that both "
                 "methods share, with a two-sided p. Not shown (–) if undefined: fewer than three "
                 "queries, or ranks that agree exactly. Each point is a query, coloured by the "
                 "number of tokens in the true entity's name.") +
         table_begin({"Method", "Other", "Queries", "r of log ranks", "p", "r of ranks", "p"}) +
         rows + table_end + "<div class=\"plots two\">" + plots + "</div>\n";
}

/// Agreement within each relation; empty if there is only one.
inline std::string relation_agreement_section(const RankResults& made) {
  std::string rows;
  for (const MethodAgreement& agreement : made.agreements) {
    if (agreement.by_relation.size() < 2) continue;
    const std::string methods = "<td>" + label(made.methods[agreement.one].name) + "</td><td>" +
                                label(made.methods[agreement.other].name) + "</td>";
    for (const auto& [relation, correlation] : agreement.by_relation) {
      rows += "<tr><td>" + label(relation) + "</td>" + methods + number_cell(correlation.queries) +
              cell(correlation.r) + "<td>" + escape_html(p_text(correlation.p)) + "</td></tr>\n";
    }
  }
  if (rows.empty()) return "";
  return heading("Do the methods agree within a relation?",
                 "Pearson's r of ranks over the queries that both methods share; not shown (–) if "
                 "there are fewer than three queries or all ranks are equal.") +
         table_begin({"Relation", "Method", "Other", "Queries", "r of ranks", "p"}) + rows +
         table_end;
}

/// The effect of the entities' wording; empty if there is only one wording.
inline std::string wording_section(const RankResults& made) {
  const std::vector<std::size_t> wordings = entity_wordings(made);
  if (wordings.size() < 2) return "";
  std::vector<NamedRanks> rows;
  for (const std::size_t m : wordings) {
    rows.push_back({made.methods[m].name, &headline(made.methods[m]), ""});
  }
  std::string differences;
  for (const auto& [name, difference] : wording_differences(made)) {
    add_to_list(differences, name + " " + with_decimals(difference, 3));
  }
  return heading("Does the wording of entities matter?",
                 "DEER with the paper's entity prompt and its variants. Largest differences: " +
                     differences + ".") +
         html_table(named_rank_columns("entity prompt"), rows);
}

inline std::string length_section(const RankResults& made) {
  std::string rows, plots;
  for (const RankedMethod& method : made.methods) {
    if (!is_decided(method)) continue;
    rows += "<tr><td>" + label(method.name) + "</td>" + cell(method.length.r) + "<td>" +
            escape_html(p_text(method.length.p)) + "</td></tr>\n";
    BoxChart chart{
        "Rank by length, " + method.name, "tokens of the name", "rank, " + method.name, {}};
    chart.logarithmic = method.candidates > 100;
    for (const auto& [tokens, ranks] : method.by_length) {
      chart.groups.push_back(
          {std::to_string(tokens) + (tokens == longest_length ? "+" : ""), ranks});
    }
    if (chart.groups.size() > 1) plots += box_chart(std::move(chart));
  }
  if (rows.empty()) return "";
  return heading("Do long names rank lower?",
                 "Pearson's r of the rank and the number of tokens in the true entity's name. "
                 "Boxes: quartiles and median; whiskers: 5th and 95th percentile. Not shown (–) if "
                 "there are fewer than three queries, or if all names have the same length or all "
                 "ranks are equal.") +
         table_begin({"Method", "r", "p"}) + rows + table_end + "<div class=\"plots two\">" +
         plots + "</div>\n";
}

inline std::string rank_relations_section(const RankResults& made) {
  std::string html = heading("By relation", "Raw, realistic ranks.");
  for (const RankedMethod& method : made.methods) {
    std::vector<NamedRanks> rows;
    for (const auto& [relation, metrics] : method.by_relation) {
      rows.push_back({relation, &metrics, ""});
    }
    html +=
        "<h3>" + label(method.name) + "</h3>\n" + html_table(named_rank_columns("relation"), rows);
  }
  return html;
}

/// The sections of the page.
[[nodiscard]] inline std::string rank_sections(const RankResults& made) {
  return detail::rank_cards(made) + detail::methods_table(made) + detail::hits_section(made) +
         detail::wording_section(made) + detail::histogram_section(made) +
         detail::agreement_section(made) + detail::relation_agreement_section(made) +
         detail::length_section(made) + detail::rank_relations_section(made);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
