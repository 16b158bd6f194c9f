// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do the prompts themselves do: their number, their form, their names and their bias?
//
// Sections of the page: diversity, cloze against question, aliases against labels, what prompts ask
// for before a subject stands in them, and the relations with their best and worst templates.
// Source: "What Matters in Learning Facts in Language Models?", section 5.4, Tables 8, 10, 11 and
// 14.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/calibrate/many_prompt_results.hpp"
#include "plumb/core/over.hpp"
#include "plumb/report/heat_map.hpp"
#include "plumb/report/many_prompt_answers.hpp"
#include "plumb/report/many_prompt_cells.hpp"
#include "plumb/report/many_prompt_names.hpp"
#include "plumb/report/page.hpp"

namespace plumb::detail {

/// Table 8.
inline std::string prompts_section(const ManyPromptResults& made) {
  const PromptDiversity& prompts = made.diversity;
  if (prompts.prompts == 0) return "";
  return heading("The prompts",
                 "Those of the way of asking that has the most. Lexical distance: mean Jaccard "
                 "distance of the words of two templates, over pairs and then over " +
                     counted(prompts.relations_compared, "relation") + ".") +
         table_begin({"Facts", "Prompts", "Prompts per fact", "Names per subject", "Templates",
                      "Lexical distance"}) +
         "<tr>" + number_cell(prompts.facts) + number_cell(prompts.prompts) +
         plain_number_cell(prompts.prompts_per_fact, 2) +
         plain_number_cell(prompts.expressions_per_fact, 2) + number_cell(prompts.templates) +
         plain_number_cell(prompts.lexical_distance, 4) + "</tr>\n" + table_end;
}

/// Cloze against question templates, within each way of asking.
inline std::string styles_table(const ManyPromptResults& made) {
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    const PairedAccuracy& styles = way.styles.accuracy;
    if (styles.difference.count == 0) continue;
    rows += "<tr>" + name_cell(way.name) + cell(styles.one) + cell(styles.other) +
            cell(styles.difference) + number_cell(styles.difference.count) +
            number_cell(way.styles.one_style) + "</tr>\n";
  }
  if (rows.empty()) return "";
  return "<h3>Templates that are sentences, and templates that are questions</h3>\n" +
         table_begin(
             {"Setting", "Cloze", "Question", "Cloze − question", "Facts", "Of one style alone"}) +
         rows + table_end;
}

inline const Estimate& one_word_of(const ManyPromptResults& made, const std::string& name) {
  return over::find(made.ways, name, &ManyPromptResult::name)->one_word;
}

/// Table 14.
inline std::string forms_table(const ManyPromptResults& made) {
  std::string rows, out;
  for (const FormPair& pair : made.forms) {
    const auto& [accuracy, unshared] = pair.accuracy;
    rows += "<tr>" + name_cell(pair.mask) + name_cell(pair.question) + cell(accuracy.one) +
            cell(accuracy.other) + cell(accuracy.difference) +
            number_cell(accuracy.difference.count) + cell(one_word_of(made, pair.mask)) +
            cell(one_word_of(made, pair.question)) + "</tr>\n";
    const std::string words = unshared_in_words({{unshared.relations, "relation"},
                                                 {unshared.templates, "template"},
                                                 {unshared.facts, "fact"},
                                                 {unshared.prompts, "prompt"}});
    if (!words.empty()) out += " Left out of " + label(pair.mask) + ": " + words + ".";
  }
  if (rows.empty()) return "";
  return "<h3>Filling a mask, and answering a question</h3>\n" +
         table_begin({"Mask", "Question", "Acc@1, mask", "Acc@1, question", "Mask − question",
                      "Facts", "One word, mask", "One word, question"}) +
         rows + table_end +
         words_below(
             "Accuracies are over the prompts that were asked in both forms; answers of one word "
             "are "
             "means over the facts of each, over all their prompts." +
             out);
}

/// Both comparisons of forms.
inline std::string forms_section(const ManyPromptResults& made) {
  const std::string tables = styles_table(made) + forms_table(made);
  if (tables.empty()) return "";
  return heading("Sentences against questions",
                 "Facts count where they have prompts of both kinds, each with the share of its "
                 "prompts that are right; differences are paired by fact, with 95% intervals.") +
         tables;
}

/// Table 10.
inline std::string aliases_section(const ManyPromptResults& made) {
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    if (!way.aliases) continue;
    const auto add = [&](const char* of, const NameRates& rates) {
      const auto pooled = [](const OutrankingRate& rate) {
        return plain_number_cell(rate.pairs == 0 ? std::nullopt : std::optional(rate.pooled()));
      };
      const std::size_t out = rates.by_sum.excluded;
      rows += "<tr>" + name_cell(way.name) + "<td>" + of + "</td>" +
              remarked_cell(rates.by_sum.rate, out == 0 ? "" : std::to_string(out) + " left out") +
              pooled(rates.by_sum) + cell(rates.by_mean.rate) + pooled(rates.by_mean) +
              number_cell(rates.by_sum.rate.count) + number_cell(rates.by_sum.pairs) +
              number_cell(rates.by_sum.equal) + number_cell(rates.by_mean.equal) + "</tr>\n";
    };
    add("subjects", way.aliases->subjects);
    add("objects", way.aliases->objects);
  }
  if (rows.empty()) return "";
  return heading("Aliases against labels",
                 "How often an alias makes the object's label likelier than the subject's own "
                 "label does (subjects), and how often an alias of the object is likelier than its "
                 "label (objects): the mean over facts of the share of their pairs, and the share "
                 "of all pairs (pooled). Likelihoods of names are summed over their tokens, or "
                 "their mean per token. Facts without a pair are left out.") +
         table_begin({"Setting", "Aliases of", "By sum", "Pooled, sum", "By mean", "Pooled, mean",
                      "Facts", "Pairs", "Equal, sum", "Equal, mean"}) +
         rows + table_end;
}

inline std::string bias_rows(const ManyPromptResults& made) {
  std::string rows;
  for (const std::string& code : relation_codes(made)) {
    for (const ManyPromptResult& way : made.ways) {
      const PromptedRelation* relation = relation_named(way, code);
      if (relation == nullptr || !relation->bias) continue;
      const RelationBias& bias = *relation->bias;
      rows += "<tr>" + name_cell(code) + name_cell(way.name) + number_cell(bias.templates) +
              number_cell(bias.candidates) + plain_number_cell(bias.single) +
              plain_number_cell(bias.multi);
      if (!bias.favoured) {
        rows += plain_number_cell({}) + plain_number_cell({}) + plain_number_cell({});
      } else {
        const FavouredCandidate& most = *bias.favoured;
        rows += text_cell(candidate_label(made, code, most.candidate)) +
                plain_number_cell(most.mean_probability) +
                text_cell(template_text(*relation, most.template_index), most.probability,
                          "probability " + fixed(most.probability, 3));
      }
      rows += "</tr>\n";
    }
  }
  return rows;
}

/// Section 5.4.
inline std::string bias_section(const ManyPromptResults& made) {
  std::string rows;
  for (const ManyPromptResult& way : made.ways) {
    if (!way.bias) continue;
    rows += "<tr>" + name_cell(way.name) + plain_number_cell(way.bias->single) +
            plain_number_cell(way.bias->multi) + number_cell(way.bias->relations) +
            number_cell(way.bias->excluded) + "</tr>\n";
  }
  if (rows.empty()) return "";
  return heading("What prompts ask for by themselves",
                 "With “N/A”, nothing and “?” in the subject's place, how far the candidates are "
                 "from equally likely: bias level 0 where they are, 1 where one takes all. Single: "
                 "mean over templates. Multi: of the templates' mean distribution, which cannot be "
                 "above; means over relations.") +
         table_begin({"Setting", "Single prompt", "Multi prompt", "Relations", "Left out"}) + rows +
         table_end + "<h3>By relation</h3>\n" +
         table_begin({"Relation", "Setting", "Templates", "Candidates", "Single", "Multi",
                      "Favoured", "Mean probability", "Most of all under"}) +
         bias_rows(made) + table_end;
}

/// Relations by ways of asking, from best known to least; nothing for a single one.
inline std::string relations_map(const ManyPromptResults& made) {
  if (made.ways.size() < 2) return "";
  std::vector<std::pair<double, std::string>> order;
  for (const std::string& code : relation_codes(made)) {
    double sum = 0, count = 0;
    for (const ManyPromptResult& way : made.ways) {
      const PromptedRelation* relation = relation_named(way, code);
      if (relation == nullptr) continue;
      sum += relation->accuracy.value;
      ++count;
    }
    order.emplace_back(sum / count, code);
  }
  over::stable_sort(order, std::greater<>{}, [](const auto& one) { return one.first; });
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
  std::string rows;
  for (const std::string& code : relation_codes(made)) {
    for (const ManyPromptResult& way : made.ways) {
      const PromptedRelation* relation = relation_named(way, code);
      if (relation == nullptr) continue;
      rows += "<tr>" + name_cell(code) + name_cell(way.name) + number_cell(relation->facts) +
              number_cell(relation->prompts) + cell(relation->accuracy) + cell(relation->oracle) +
              cell(relation->consistency.all.share);
      const auto found = template_extremes(relation->templates, &TemplateAccuracy::accuracy);
      for (const std::size_t index : {found->best, found->worst}) {
        const Estimate& accuracy = relation->templates[index].accuracy;
        rows += text_cell(template_text(*relation, index), accuracy.value, with_interval(accuracy));
      }
      rows += "</tr>\n";
    }
  }
  if (rows.empty()) return "";
  return heading("Relations, their best and their worst template",
                 "Acc@1 over all prompts, with 95% intervals; a template's is over the facts asked "
                 "under it. All templates stand in templates.csv.") +
         relations_map(made) +
         table_begin({"Relation", "Setting", "Facts", "Prompts", "Acc@1", "Oracle", "Consist",
                      "Best template", "Worst template"}) +
         rows + table_end;
}

}  // namespace plumb::detail
