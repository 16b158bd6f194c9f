// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which answers do ways of asking share, and do a fact's prompts agree?
//
// Sections of the page: shared knowledge, consistency, answers that name several objects. Source:
// "What Matters in Learning Facts in Language Models?", section 6.3, Figure 2, Tables 12 and 13.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/calibrate/many_prompt_results.hpp"
#include "plumb/core/over.hpp"
#include "plumb/report/bar_chart.hpp"
#include "plumb/report/heat_map.hpp"
#include "plumb/report/many_prompt_cells.hpp"
#include "plumb/report/many_prompt_names.hpp"
#include "plumb/report/page.hpp"

namespace plumb::detail {

/// Answers of several objects that are shown, of all ways of asking together.
inline constexpr std::size_t shown_answers = 20;

inline std::string sharing_map(const ManyPromptResults& made, const char* title,
                               Subsumption KnowledgeSharing::*reading) {
  HeatMap map{title, "knows ↓ also known by →", {}, {}, {}};
  for (const ManyPromptResult& way : made.ways) map.rows.push_back(way.name);
  map.columns = map.rows;
  for (std::size_t l = 0; l < made.ways.size(); ++l) {
    auto& row = map.values.emplace_back();
    for (std::size_t t = 0; t < made.ways.size(); ++t) {
      const Estimate& rate = (made.sharing[l][t].*reading).rate;
      row.push_back(rate.count == 0 ? std::nullopt : std::optional(rate.value));
    }
  }
  return "<h3>" + std::string(title) + "</h3>\n" + heat_map(map);
}

inline std::string sharing_pairs(const ManyPromptResults& made) {
  std::string rows;
  for (std::size_t l = 0; l < made.ways.size(); ++l) {
    for (std::size_t t = 0; t < made.ways.size(); ++t) {
      if (l == t) continue;
      const auto& [by_template, oracle] = made.sharing[l][t];
      rows += "<tr>" + name_cell(made.ways[l].name) + name_cell(made.ways[t].name) +
              cell(by_template.rate) + number_cell(by_template.cells) +
              number_cell(by_template.empty) + cell(oracle.rate) + number_cell(oracle.rate.count) +
              "</tr>\n";
    }
  }
  return table_begin({"Knows", "Also known by", "By template", "Templates", "Without knowledge",
                      "Oracle", "Facts known"}) +
         rows + table_end;
}

/// "3 templates and 1 fact", of what is not 0.
inline std::string unshared_in_words(
    const std::vector<std::pair<std::size_t, const char*>>& counts) {
  std::vector<std::string> parts;
  for (const auto& [count, noun] : counts) {
    if (count > 0) parts.push_back(counted(count, noun));
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return text;
}

/// What only one of two ways of asking has.
inline std::string unshared_list(const ManyPromptResults& made) {
  std::string items;
  for (std::size_t l = 0; l < made.ways.size(); ++l) {
    for (std::size_t t = l + 1; t < made.ways.size(); ++t) {
      const LeftOut& out = made.sharing[l][t].by_template.left_out;
      const std::string words = unshared_in_words(
          {{out.relations, "relation"}, {out.settings, "template"}, {out.facts, "fact"}});
      if (words.empty()) continue;
      items += "<li>" + label(made.ways[l].name) + " and " + label(made.ways[t].name) + ": " +
               words + "</li>\n";
    }
  }
  if (items.empty()) return "";
  return "<p class=\"dim\">Left out, as only one of the two has them:</p>\n<ul class=\"dim\">\n" +
         items + "</ul>\n";
}

/// Figure 2; nothing for a single way of asking.
inline std::string sharing_section(const ManyPromptResults& made) {
  if (made.ways.size() < 2) return "";
  return heading("Who knows what others know",
                 "Of the facts answered right by the one on the left, the share that the one on "
                 "top answers right too: a low row holds what others lack, a high column what "
                 "others have. By template: facts right under a template, the mean over templates "
                 "under which the left one knows any. Oracle: facts right under any prompt.") +
         sharing_map(made, "By template", &KnowledgeSharing::by_template) +
         sharing_map(made, "Oracle", &KnowledgeSharing::oracle) + unshared_list(made) +
         fold_away("Each pair, with 95% intervals", sharing_pairs(made));
}

/// Pairs within a group of templates above pairs across groups, where there are both.
inline std::string group_chart(const ManyPromptResults& made) {
  std::vector<Bar> bars;
  for (const ManyPromptResult& way : made.ways) {
    const PromptConsistency& all = way.consistency.overall;
    if (all.inner_group.share.count == 0 || all.inter_group.share.count == 0) continue;
    const std::string name = cut_to(way.name, 21);
    bars.push_back({name + ", inner", all.inner_group.share});
    bars.push_back({name + ", inter", all.inter_group.share});
  }
  if (bars.empty()) return "";
  return "<h3>Within groups of templates and across them</h3>\n" +
         bar_chart(bars, "Consistency within groups of templates and across them");
}

inline std::string consistency_cells(const PromptConsistency& made) {
  std::string cells;
  for (const PairShare& kind : pair_shares) cells += share_cell(made.*kind.share);
  return cells;
}

inline std::string relation_consistency(const ManyPromptResults& made) {
  std::string rows;
  for (const std::string& code : relation_codes(made)) {
    for (const ManyPromptResult& way : made.ways) {
      const PromptedRelation* relation = relation_named(way, code);
      if (relation == nullptr) continue;
      rows += "<tr>" + name_cell(code) + name_cell(way.name) +
              consistency_cells(relation->consistency) + "</tr>\n";
    }
  }
  std::vector<std::string> heads{"Relation", "Setting"};
  for (const PairShare& kind : pair_shares) heads.emplace_back(kind.words);
  return fold_away("Consistency by relation", table_begin(heads) + rows + table_end);
}

/// Table 12.
inline std::string extents_table(const ManyPromptResults& made) {
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    rows += "<tr>" + name_cell(way.name) + cell(way.subject_extent.lowest) +
            cell(way.subject_extent.highest) + cell(way.template_extent.lowest) +
            cell(way.template_extent.highest) + "</tr>\n";
  }
  return "<h3>What moves accuracy</h3>\n" +
         table_begin(
             {"Setting", "Worst names", "Best names", "Worst templates", "Best templates"}) +
         rows + table_end +
         words_below(
             "Acc@1 when each fact has the one name of its subject that is answered worst or best, "
             "and when each relation has its one worst or best template.");
}

/// Table 13; nothing where no relation has both manual and generated templates.
inline std::string manual_table(const ManyPromptResults& made) {
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    const Estimate& rank = way.manual.mean;
    if (rank.count == 0 || way.manual.generated == 0) continue;
    rows += "<tr>" + name_cell(way.name) + "<td data-v=\"" + fixed(rank.value, 6) + "\">" +
            fixed(rank.value, 2) + "<small>" + fixed(rank.low, 2) + "–" + fixed(rank.high, 2) +
            "</small></td>" + plain_number_cell(way.manual.by_chance, 2) + number_cell(rank.count) +
            number_cell(way.manual.generated) + "</tr>\n";
  }
  if (rows.empty()) return "";
  return "<h3>Templates written by hand, and generated ones</h3>\n" +
         table_begin({"Setting", "Mean rank of manual templates", "By chance", "Manual templates",
                      "Generated templates"}) +
         rows + table_end +
         words_below(
             "Rank among all templates of the relation by accuracy, 1 at best. By chance: the mean "
             "rank of templates drawn blindly in their place.");
}

inline std::string consistency_section(const ManyPromptResults& made) {
  if (best_way(made) == nullptr) return "";
  std::vector<std::string> heads{"Setting"};
  for (const PairShare& kind : pair_shares) heads.emplace_back(kind.words);
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    rows += "<tr>" + name_cell(way.name) + consistency_cells(way.consistency.overall) + "</tr>\n";
  }
  const bool words = over::any_of(made.ways, &ManyPromptResult::generated);
  const bool options = over::any_of(made.ways, [](const auto& w) { return !w.generated; });
  std::string text =
      "Mean over facts of the share of pairs of their prompts whose answers match. Inner and inter "
      "group: both templates are of one group (paraphrases of one source template, or one "
      "template with two names of the subject), or of two.";
  if (words) text += " Generated answers match when one holds the words of the other.";
  if (options) text += " Answers to closed sets match when they are the same option.";
  return heading("Do a fact's prompts agree?", text + " Facts without such a pair are left out.") +
         table_begin(heads) + rows + table_end + group_chart(made) + extents_table(made) +
         manual_table(made) + relation_consistency(made);
}

/// The first of each way of asking, as many of each.
inline std::string several_section(const ManyPromptResults& made) {
  std::size_t ways = 0, all = 0, shown = 0;
  for (const ManyPromptResult& way : made.ways) {
    ways += way.of_several.empty() ? 0U : 1U;
    all += way.of_several.size();
  }
  if (all == 0) return "";
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    const std::size_t most = std::max<std::size_t>(1, shown_answers / ways);
    for (std::size_t i = 0; i < std::min(most, way.of_several.size()); ++i, ++shown) {
      const AnswerOfSeveral& one = way.of_several[i];
      rows += "<tr>" + name_cell(way.name) + name_cell(one.relation) + text_cell(one.subject) +
              text_cell(one.answer) + number_cell(one.objects) + "</tr>\n";
    }
  }
  return heading("Answers that name several objects",
                 counted(all, "answer") +
                     " named more than one object of the fact, and counted "
                     "as right once" +
                     (shown < all ? "; " + std::to_string(shown) +
                                        " of them, the rest stands in answers_of_several.csv."
                                  : ".")) +
         table_begin({"Setting", "Relation", "Subject", "Answer", "Objects"}) + rows + table_end;
}

}  // namespace plumb::detail
