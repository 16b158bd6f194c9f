// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do the number, form, names and bias of the prompts affect the results?
//
// Sections of the page: diversity, cloze templates versus questions, aliases versus labels, the
// bias of prompts without a subject, and the relations with their best and worst templates. Source:
// "What Matters in Learning Facts in Language Models?", section 5.4, Tables 8, 10, 11 and 14.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/heat_map.hpp"
#include "plumb/detail/report/many_prompt_answers.hpp"
#include "plumb/detail/report/many_prompt_columns.hpp"
#include "plumb/detail/report/many_prompt_names.hpp"
#include "plumb/detail/report/page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Table 8.
inline std::string prompts_section(const ManyPromptResults& made) {
  using D = PromptDiversity;
  const D& prompts = made.diversity;
  if (prompts.prompts == 0) return "";
  return heading("The prompts",
                 "The prompts of the setting with the most prompts. Lexical distance: the mean "
                 "Jaccard distance between the words of two templates, over pairs and then over " +
                     counted(prompts.relations_compared, "relation") + ".") +
         html_table(diversity_columns(), std::vector<D>{prompts});
}

/// Compares cloze templates with question templates within each query form.
inline std::string styles_table(const ManyPromptResults& made) {
  const auto ways = ways_where(
      made, [](const ManyPromptResult& w) { return w.styles.accuracy.difference.count > 0; });
  if (ways.empty()) return "";
  return "<h3>Sentence templates and question templates</h3>\n" +
         page_table<Way>({{"Setting", &ManyPromptResult::name},
                          {"Cloze", [](Way w) { return w->styles.accuracy.one; }},
                          {"Question", [](Way w) { return w->styles.accuracy.other; }},
                          {"Cloze − question", [](Way w) { return w->styles.accuracy.difference; }},
                          {"Facts", [](Way w) { return w->styles.accuracy.difference.count; }},
                          {"Of only one style", [](Way w) { return w->styles.one_style; }}},
                         ways);
}

inline const Estimate& one_word_of(const ManyPromptResults& made, const std::string& name) {
  return ranges::find(made.ways, name, &ManyPromptResult::name)->one_word;
}

/// Table 14.
inline std::string forms_table(const ManyPromptResults& made) {
  if (made.forms.empty()) return "";
  std::string out;
  for (const FormPair& pair : made.forms) {
    const UnsharedPrompts& unshared = pair.accuracy.unshared;
    const std::string words = unshared_text({{unshared.relations, "relation"},
                                             {unshared.templates, "template"},
                                             {unshared.facts, "fact"},
                                             {unshared.prompts, "prompt"}});
    if (!words.empty()) out += " Left out of " + label(pair.mask) + ": " + words + ".";
  }
  using F = FormPair;
  return "<h3>Filling a mask and answering a question</h3>\n" +
         page_table<F>(
             {{"Mask", &F::mask},
              {"Question", &F::question},
              {"Acc@1, mask", [](const F& f) { return f.accuracy.accuracy.one; }},
              {"Acc@1, question", [](const F& f) { return f.accuracy.accuracy.other; }},
              {"Mask − question", [](const F& f) { return f.accuracy.accuracy.difference; }},
              {"Facts", [](const F& f) { return f.accuracy.accuracy.difference.count; }},
              {"One word, mask", [&](const F& f) { return one_word_of(made, f.mask); }},
              {"One word, question", [&](const F& f) { return one_word_of(made, f.question); }}},
             made.forms) +
         words_below(
             "Accuracies are over the prompts that were asked in both forms. The shares of "
             "one-word answers are computed over all of a fact's prompts and averaged over each "
             "setting's facts." +
             out);
}

/// Both comparisons of prompt forms.
inline std::string forms_section(const ManyPromptResults& made) {
  const std::string tables = styles_table(made) + forms_table(made);
  if (tables.empty()) return "";
  return heading("Sentences against questions",
                 "Only facts with prompts of both kinds are used; each contributes the share of "
                 "its prompts that are answered correctly. Differences are paired by fact, with "
                 "95% intervals.") +
         tables;
}

/// How often aliases of subjects, or of objects, are more likely than labels under a query form.
struct AliasRow {
  std::string setting, of;
  NameRates rates;
};

/// Table 10.
inline std::string aliases_section(const ManyPromptResults& made) {
  std::vector<AliasRow> rows;
  for (const ManyPromptResult& way : made.ways) {
    if (!way.aliases) continue;
    rows.push_back({way.name, "subjects", way.aliases->subjects});
    rows.push_back({way.name, "objects", way.aliases->objects});
  }
  if (rows.empty()) return "";
  using A = AliasRow;
  return heading("Aliases against labels",
                 "Subjects: how often the object's label is likelier after an alias of the subject "
                 "than after its label. Objects: how often an alias of the object is likelier than "
                 "its label. Both are shares of a fact's pairs, averaged over facts; pooled is the "
                 "share of all pairs. The log-likelihood of a name is the sum over its tokens, or "
                 "the mean per token. Facts without a pair are left out.") +
         page_table<A>(
             {{"Setting", &A::setting},
              {"Aliases of", [](const A& a) { return OwnWord{a.of}; }},
              {"By sum",
               [](const A& a) {
                 return matching_value({a.rates.by_sum.rate, a.rates.by_sum.excluded});
               }},
              {"Pooled, sum", [](const A& a) { return PlainNumber{a.rates.by_sum.pooled()}; }},
              {"By mean", [](const A& a) { return a.rates.by_mean.rate; }},
              {"Pooled, mean", [](const A& a) { return PlainNumber{a.rates.by_mean.pooled()}; }},
              {"Facts", [](const A& a) { return a.rates.by_sum.rate.count; }},
              {"Pairs", [](const A& a) { return a.rates.by_sum.pairs; }},
              {"Equal, sum", [](const A& a) { return a.rates.by_sum.equal; }},
              {"Equal, mean", [](const A& a) { return a.rates.by_mean.equal; }}},
             rows);
}

inline std::string relation_bias_table(const ManyPromptResults& made) {
  std::vector<RelationOfWay> rows = relations_of_ways(made);
  std::erase_if(rows, [](const RelationOfWay& row) { return !row.relation->bias; });
  if (rows.empty()) return "";
  using Row = RelationOfWay;
  std::vector<Column<Row>> columns{{.key = "relation",
                                    .heading = "Relation",
                                    .value = [](const Row& row) { return row.relation->code; }},
                                   {.key = "setting",
                                    .heading = "Setting",
                                    .value = [](const Row& row) { return row.way->name; }}};
  const auto of_bias =
      columns_of<Row>(relation_bias_columns(),
                      [](const Row& row) -> const RelationBias& { return *row.relation->bias; });
  columns.insert(columns.end(), of_bias.begin(), of_bias.end());
  // Adds a column about the favoured candidate, with a dash if there is none.
  const auto favoured = [&](const char* heading, bool per_token, auto value) {
    columns.push_back({"", heading, "", [per_token, value](const Row& row) -> CellValue {
                         const RelationBias& bias = *row.relation->bias;
                         const auto& most = per_token ? bias.per_token.favoured : bias.favoured;
                         if (!most) return PlainNumber{};
                         return value(row, *most);
                       }});
  };
  using Most = FavouredCandidate;
  const auto candidate = [&made](const Row& row, const Most& most) {
    return LongText{candidate_label(made, row.relation->code, most.candidate),
                    most.mean_probability,
                    "mean probability " + with_decimals(most.mean_probability, 3)};
  };
  const auto under = [](const Row& row, const Most& most) {
    return LongText{template_text(*row.relation, most.template_index), most.probability,
                    "probability " + with_decimals(most.probability, 3)};
  };
  favoured("Favoured, sum", false, candidate);
  favoured("Most of all under", false, under);
  favoured("Favoured, per token", true, candidate);
  favoured("Most of all under", true, under);
  return html_table(columns, rows);
}

/// Section 5.4.
inline std::string bias_section(const ManyPromptResults& made) {
  const auto ways = ways_where(made, [](const ManyPromptResult& w) { return w.bias.has_value(); });
  if (ways.empty()) return "";
  std::vector<Column<Way>> columns{
      {.key = "setting", .heading = "Setting", .value = [](Way w) { return w->name; }}};
  const auto levels =
      columns_of<Way>(mean_bias_columns(), [](Way w) -> const MeanBias& { return *w->bias; });
  columns.insert(columns.end(), levels.begin(), levels.end());
  return heading("Bias of the prompts without a subject",
                 "How far the candidates are from being equally likely, with “N/A”, nothing and "
                 "“?” in place of the subject. Bias level 0: all are equally likely; 1: one "
                 "candidate has all the probability. Means over relations.") +
         html_table(columns, ways) + words_below(meanings(columns)) + "<h3>By relation</h3>\n" +
         relation_bias_table(made);
}

/// A heat map of relations by query form, with the best-known relations first; empty for a single
/// query form.
inline std::string relations_map(const ManyPromptResults& made) {
  if (made.ways.size() < 2) return "";
  std::vector<std::pair<double, std::string>> order;
  for (const std::string& code : relation_codes(made)) {
    double sum = 0, count = 0;
    for (const ManyPromptResult& way : made.ways) {
      const PromptedRelation* relation = relation_named(way, code);
      if (relation == nullptr || !relation->accuracy.exists()) continue;
      sum += relation->accuracy.value;
      ++count;
    }
    order.emplace_back(or_lowest(sum / count), code);
  }
  ranges::stable_sort(order, std::greater<>{}, [](const auto& one) { return one.first; });
  HeatMap map{"Accuracy by relation", "Relation", {}, {}, {}};
  for (const ManyPromptResult& way : made.ways) map.columns.push_back(way.name);
  for (const auto& [unused, code] : order) {
    map.rows.push_back(code);
    auto& row = map.values.emplace_back();
    for (const ManyPromptResult& way : made.ways) {
      const PromptedRelation* relation = relation_named(way, code);
      row.push_back(relation == nullptr ? std::nullopt : std::optional(relation->accuracy.value));
    }
  }
  return "<h3>Accuracy</h3>\n" + heat_map(map) + "<h3>Best and worst templates</h3>\n";
}

/// Table 11, relation by relation.
inline std::string prompted_relations_section(const ManyPromptResults& made) {
  const std::vector<RelationOfWay> rows = relations_of_ways(made);
  if (rows.empty()) return "";
  using R = PromptedRelation;
  const auto of = [](auto value) {
    return [value](const RelationOfWay& row) { return std::invoke(value, *row.relation); };
  };
  const auto extreme = [](std::size_t TemplateExtremes::*place) {
    return [place](const RelationOfWay& row) {
      const auto found = template_extremes(row.relation->templates, &TemplateAccuracy::accuracy);
      const std::size_t index = (*found).*place;
      const Estimate& accuracy = row.relation->templates[index].accuracy;
      return LongText{template_text(*row.relation, index), accuracy.value, with_interval(accuracy)};
    };
  };
  return heading("Relations with their best and worst templates",
                 "Acc@1 over all prompts, with 95% intervals; a template's Acc@1 is over the facts "
                 "that were asked under it. All templates are in templates.csv.") +
         relations_map(made) +
         page_table(
             relation_columns({{"Facts", of(&R::facts)},
                               {"Prompts", of(&R::prompts)},
                               {"Acc@1", of(&R::accuracy)},
                               {"Oracle", of(&R::oracle)},
                               {"Consist", of([](const R& r) { return r.consistency.all.share; })},
                               {"Best template", extreme(&TemplateExtremes::best)},
                               {"Worst template", extreme(&TemplateExtremes::worst)}}),
             rows);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
