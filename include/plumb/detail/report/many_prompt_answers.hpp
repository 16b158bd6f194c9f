// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much knowledge do query forms share, and do the answers to a fact's prompts agree?
//
// Sections of the page: shared knowledge, consistency, and answers that name several objects.
// Source: "What Matters in Learning Facts in Language Models?", section 6.3, Figure 2, Tables 12
// and 13.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/report/bar_chart.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/heat_map.hpp"
#include "plumb/detail/report/many_prompt_names.hpp"
#include "plumb/detail/report/page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The maximum number of answers naming several objects that are shown, in total for all query
/// forms.
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

/// The proportion of the knowledge found by one query form that is also found by another.
struct SharedPairRow {
  std::string left, top;
  const KnowledgeSharing* sharing;
};

inline std::string sharing_pairs(const ManyPromptResults& made) {
  std::vector<SharedPairRow> rows;
  for (std::size_t l = 0; l < made.ways.size(); ++l) {
    for (std::size_t t = 0; t < made.ways.size(); ++t) {
      if (l != t) rows.push_back({made.ways[l].name, made.ways[t].name, &made.sharing[l][t]});
    }
  }
  using P = SharedPairRow;
  return page_table<P>(
      {{"Knows", &P::left},
       {"Also known by", &P::top},
       {"By template", [](const P& p) { return p.sharing->by_template.rate; }},
       {"Templates", [](const P& p) { return p.sharing->by_template.cells; }},
       {"Without knowledge", [](const P& p) { return p.sharing->by_template.empty; }},
       {"Oracle", [](const P& p) { return p.sharing->oracle.rate; }},
       {"Facts known", [](const P& p) { return p.sharing->oracle.rate.count; }}},
      rows);
}

/// For example "3 templates and 1 fact"; counts of 0 are omitted.
inline std::string unshared_text(const std::vector<std::pair<std::size_t, const char*>>& counts) {
  std::vector<std::string> parts;
  for (const auto& [count, noun] : counts) {
    if (count > 0) parts.push_back(counted(count, noun));
  }
  return text_list(parts, {}, ", ", " and ");
}

/// Lists how many relations, templates and facts occur in only one of two query forms.
inline std::string unshared_list(const ManyPromptResults& made) {
  std::string items;
  for (std::size_t l = 0; l < made.ways.size(); ++l) {
    for (std::size_t t = l + 1; t < made.ways.size(); ++t) {
      const LeftOut& out = made.sharing[l][t].by_template.left_out;
      const std::string words = unshared_text(
          {{out.relations, "relation"}, {out.settings, "template"}, {out.facts, "fact"}});
      if (words.empty()) continue;
      items += "<li>" + label(made.ways[l].name) + " and " + label(made.ways[t].name) + ": " +
               words + "</li>\n";
    }
  }
  if (items.empty()) return "";
  return "<p class=\"dim\">Left out because only one of the two has them:</p>\n"
         "<ul class=\"dim\">\n" +
         items + "</ul>\n";
}

/// Figure 2; empty for a single query form.
inline std::string sharing_section(const ManyPromptResults& made) {
  if (made.ways.size() < 2) return "";
  return heading("Shared knowledge",
                 "Of the facts that the row's setting answers correctly, the share that the "
                 "column's setting also answers correctly. A row with low numbers knows facts that "
                 "others do not; a column with high numbers knows what others know. By template: "
                 "facts answered correctly under a template, averaged over the templates under "
                 "which the row's setting knows at least one fact. Oracle: facts answered "
                 "correctly under any prompt.") +
         sharing_map(made, "By template", &KnowledgeSharing::by_template) +
         sharing_map(made, "Oracle", &KnowledgeSharing::oracle) + unshared_list(made) +
         fold_away("Each pair, with 95% intervals", sharing_pairs(made));
}

/// Shows pairs within a group of templates above pairs across groups; empty unless both kinds
/// exist.
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

/// One column for each kind of pair; `of(row)` returns a row's proportions.
template <class Row, class Of>
std::vector<PageColumn<Row>> pair_columns(Of of) {
  std::vector<PageColumn<Row>> columns;
  for (const PairShare& kind : pair_shares) {
    columns.emplace_back(kind.words, [of, share = kind.share](const Row& row) {
      return matching_value(of(row).*share);
    });
  }
  return columns;
}

inline std::string relation_consistency(const ManyPromptResults& made) {
  const auto of = [](const RelationOfWay& row) { return row.relation->consistency; };
  return fold_away(
      "Consistency by relation",
      page_table(relation_columns(pair_columns<RelationOfWay>(of)), relations_of_ways(made)));
}

/// Table 12.
inline std::string extents_table(const ManyPromptResults& made) {
  using W = ManyPromptResult;
  return "<h3>What changes accuracy</h3>\n" +
         page_table<W>({{"Setting", &W::name},
                        {"Worst names", [](const W& w) { return w.subject_extent.lowest; }},
                        {"Best names", [](const W& w) { return w.subject_extent.highest; }},
                        {"Worst templates", [](const W& w) { return w.template_extent.lowest; }},
                        {"Best templates", [](const W& w) { return w.template_extent.highest; }}},
                       made.ways) +
         words_below(
             "Worst and best names: Acc@1 if each fact uses only its subject's worst or best name. "
             "Worst and best templates: Acc@1 if each relation uses only its worst or best "
             "template.");
}

/// Table 13; empty if no relation has both manual and generated templates.
inline std::string manual_table(const ManyPromptResults& made) {
  const auto ways = ways_where(made, [](const ManyPromptResult& w) {
    return w.manual.mean.count > 0 && w.manual.generated > 0;
  });
  if (ways.empty()) return "";
  return "<h3>Manual and generated templates</h3>\n" +
         html_table<Way>(
             {{.key = "setting", .heading = "setting", .value = [](Way w) { return w->name; }},
              {.key = "mean_rank",
               .heading = "mean rank of manual templates",
               .value = [](Way w) { return w->manual.mean; },
               .place = ColumnPlace::page,
               .decimals = 2},
              {.key = "by_chance",
               .heading = "by chance",
               .value =
                   [](Way w) {
                     return PlainNumber{w->manual.by_chance, 2};
                   }},
              {.key = "manual",
               .heading = "manual templates",
               .value = [](Way w) { return w->manual.mean.count; }},
              {.key = "generated",
               .heading = "generated templates",
               .value = [](Way w) { return w->manual.generated; }}},
             ways) +
         words_below(
             "Rank by accuracy among all templates of the relation; 1 is best. By chance: the mean "
             "rank of templates drawn at random instead.");
}

inline std::string consistency_section(const ManyPromptResults& made) {
  if (best_way(made) == nullptr) return "";
  auto columns = pair_columns<ManyPromptResult>(
      [](const ManyPromptResult& way) { return way.consistency.overall; });
  columns.insert(columns.begin(), {"Setting", &ManyPromptResult::name});
  std::string text =
      "The share of a fact's pairs of prompts whose answers match, averaged over facts. Inner "
      "group: both templates come from one group (paraphrases of one source template, or one "
      "template with two names of the subject). Inter group: the templates come from two groups.";
  if (has_any(made, AnswerKind::text)) {
    text += " Generated answers match if one contains the words of the other.";
  }
  if (has_any(made, AnswerKind::option)) {
    text += " Answers to closed sets match if they are the same option.";
  }
  if (has_any(made, AnswerKind::fill)) {
    text += " Masked models' answers match if they consist of the same tokens.";
  }
  return heading("Do a fact's prompts agree?", text + " Facts without such a pair are left out.") +
         page_table(columns, made.ways) + group_chart(made) + extents_table(made) +
         manual_table(made) + relation_consistency(made);
}

/// The first few answers for each query form, with the same maximum for all.
inline std::string several_section(const ManyPromptResults& made) {
  std::size_t ways = 0, all = 0;
  for (const ManyPromptResult& way : made.ways) {
    ways += way.of_several.empty() ? 0U : 1U;
    all += way.of_several.size();
  }
  if (all == 0) return "";
  std::vector<std::pair<std::string, AnswerOfSeveral>> rows;
  for (const ManyPromptResult& way : made.ways) {
    const std::size_t most = std::max<std::size_t>(1, shown_answers / ways);
    for (std::size_t i = 0; i < (std::min)(most, way.of_several.size()); ++i) {
      rows.emplace_back(way.name, way.of_several[i]);
    }
  }
  const std::size_t shown = rows.size();
  return heading("Answers that name several objects",
                 counted(all, "answer") +
                     " named more than one object of the fact; each counts as one correct answer" +
                     (shown < all ? ". " + std::to_string(shown) +
                                        " are shown; all are in answers_of_several.csv."
                                  : ".")) +
         page_table<std::pair<std::string, AnswerOfSeveral>>(
             {{"Setting", [](const auto& row) { return row.first; }},
              {"Relation", [](const auto& row) { return row.second.relation; }},
              {"Subject", [](const auto& row) { return LongText{row.second.subject}; }},
              {"Answer", [](const auto& row) { return LongText{row.second.answer}; }},
              {"Objects", [](const auto& row) { return row.second.objects; }}},
             rows);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
