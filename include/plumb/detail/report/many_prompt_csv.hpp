// SPDX-License-Identifier: Apache-2.0
#pragma once

// The CSV files that accompany the page of many-prompt results.
//
// They contain the numbers in the page's charts. They also contain every template and every answer
// that names several objects, which metrics.json omits. The format is RFC 4180 (csv.hpp); an empty
// relation cell means all relations.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/data/prompt_template_file.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/many_prompt_columns.hpp"
#include "plumb/detail/report/many_prompt_names.hpp"
#include "plumb/detail/report/paired_columns.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Columns: setting, relation, measure, facts, prompts, then the estimate.
[[nodiscard]] inline std::string many_prompt_accuracy_csv(const ManyPromptResults& made) {
  detail::EstimateCsv csv({"setting", "relation", "measure", "facts", "prompts"});
  for (const ManyPromptResult& way : made.ways) {
    const auto add = [&](const std::string& relation, const char* measure, std::size_t facts,
                         std::size_t prompts, const Estimate& estimate) {
      csv.add({way.name, relation, measure, std::to_string(facts), std::to_string(prompts)},
              estimate);
    };
    add("", "average", way.facts, way.prompts, way.coverage.average);
    add("", "maximum", way.facts, way.prompts, way.coverage.maximum);
    add("", "minimum", way.facts, way.prompts, way.coverage.minimum);
    add("", "oracle", way.facts, way.prompts, way.coverage.oracle);
    if (way.is(AnswerKind::text)) add("", "one_word", way.facts, way.prompts, way.one_word);
    for (const PromptedRelation& relation : way.relations) {
      add(relation.code, "average", relation.facts, relation.prompts, relation.accuracy);
      add(relation.code, "oracle", relation.facts, relation.prompts, relation.oracle);
    }
  }
  return csv.text();
}

/// metrics.csv: every number for every query form and for its relations, keyed by its path in
/// metrics.json.
[[nodiscard]] inline std::string many_prompt_metrics_csv(const ManyPromptResults& made) {
  EstimateCsv csv({"setting", "relation", "metric"});
  for (const ManyPromptResult& way : made.ways) {
    add_numbers(csv, {way.name, ""}, way_columns(made), way);
    for (const PromptedRelation& relation : way.relations) {
      add_numbers(csv, {way.name, relation.code}, prompted_relation_columns(), relation);
    }
  }
  return csv.text();
}

/// One row for each template that was used; `facts` is the number of facts for which it was used.
[[nodiscard]] inline std::string many_prompt_templates_csv(const ManyPromptResults& made) {
  std::string text = csv_line({"setting", "relation", "template", "group", "style", "origin",
                               "facts", "accuracy", "low", "high", "with_best_expression",
                               "with_best_expression_low", "with_best_expression_high"});
  for (const ManyPromptResult& way : made.ways) {
    for (const PromptedRelation& relation : way.relations) {
      for (std::size_t i = 0; i < relation.templates.size(); ++i) {
        const auto& [accuracy, best] = relation.templates[i];
        if (accuracy.count == 0) continue;
        const PromptTemplate& one = relation.texts[i];
        text += csv_line({way.name, relation.code, one.text, one.group, style_word(one.style),
                          origin_word(one.origin), std::to_string(accuracy.count),
                          detail::csv_number(accuracy.value), detail::csv_number(accuracy.low),
                          detail::csv_number(accuracy.high), detail::csv_number(best.value),
                          detail::csv_number(best.low), detail::csv_number(best.high)});
      }
    }
  }
  return text;
}

/// The number of samplings with an accuracy in [from, to), for both sampling methods.
[[nodiscard]] inline std::string samplings_csv(const ManyPromptResults& made) {
  std::string text = csv_line({"setting", "way", "from", "to", "samplings"});
  for (const ManyPromptResult& way : made.ways) {
    for (const SampledAccuracy* sampled : {&way.by_fact, &way.by_relation}) {
      for (const AccuracyBar& bar : sampled->histogram(detail::sampling_bars)) {
        text += csv_line({way.name, std::string(name_of(sampled->by)), with_decimals(bar.from, 8),
                          with_decimals(bar.to, 8), std::to_string(bar.samplings)});
      }
    }
  }
  return text;
}

[[nodiscard]] inline std::string coverage_csv(const ManyPromptResults& made) {
  detail::EstimateCsv csv({"setting", "prompts", "facts_with_fewer"});
  for (const ManyPromptResult& way : made.ways) {
    for (const CoveragePoint& point : way.curve) {
      csv.add({way.name, std::to_string(point.prompts), std::to_string(point.fewer)}, point.share);
    }
  }
  return csv.text();
}

/// The estimate is the bin's accuracy; bin 1 is the most confident.
[[nodiscard]] inline std::string reliability_csv(const ManyPromptResults& made) {
  detail::EstimateCsv csv({"setting", "bin", "prompts", "lowest", "highest", "mean_confidence"});
  for (const ManyPromptResult& way : made.ways) {
    if (!way.overconfidence) continue;
    std::size_t number = 0;
    for (const ConfidenceBin& bin : way.overconfidence->diagram) {
      csv.add({way.name, std::to_string(++number), std::to_string(bin.prompts),
               with_decimals(bin.lowest, 8), with_decimals(bin.highest, 8),
               with_decimals(bin.mean_confidence, 8)},
              bin.accuracy);
    }
  }
  return csv.text();
}

/// Overconf and its two terms, mean confidence and accuracy: for the measured confidences (`tokens`
/// is empty), and for the probabilities of answers of 1 to 5 tokens.
[[nodiscard]] inline std::string overconfidence_csv(const ManyPromptResults& made) {
  detail::EstimateCsv csv({"setting", "tokens", "measure", "prompts"});
  for (const ManyPromptResult& way : made.ways) {
    const auto add = [&](const std::string& tokens, const Overconfidence& one) {
      if (one.prompts == 0) return;
      const std::string prompts = std::to_string(one.prompts);
      csv.add({way.name, tokens, "overconf", prompts}, one.overconf);
      csv.add({way.name, tokens, "accuracy", prompts}, one.accuracy);
      csv.add({way.name, tokens, "mean_confidence", prompts}, one.mean_confidence);
    };
    if (way.overconfidence) add("", *way.overconfidence);
    if (!way.by_length) continue;
    for (std::size_t i = 0; i < way.by_length->lengths.size(); ++i) {
      add(std::to_string(i + 1), way.by_length->lengths[i]);
    }
  }
  return csv.text();
}

/// The proportion of the facts answered correctly under the left setting that are also answered
/// correctly under the top setting.
[[nodiscard]] inline std::string sharing_csv(const ManyPromptResults& made) {
  detail::EstimateCsv csv({"reading", "left", "top", "cells", "cells_without_knowledge"});
  for (const bool oracle : {false, true}) {
    for (std::size_t l = 0; l < made.sharing.size(); ++l) {
      for (std::size_t t = 0; t < made.sharing[l].size(); ++t) {
        if (l == t) continue;
        const KnowledgeSharing& both = made.sharing[l][t];
        const Subsumption& one = oracle ? both.oracle : both.by_template;
        csv.add({oracle ? "oracle" : "template", made.ways[l].name, made.ways[t].name,
                 std::to_string(one.cells), std::to_string(one.empty)},
                one.rate);
      }
    }
  }
  return csv.text();
}

[[nodiscard]] inline std::string consistency_csv(const ManyPromptResults& made) {
  detail::EstimateCsv csv({"setting", "relation", "pairs", "facts_left_out"});
  for (const ManyPromptResult& way : made.ways) {
    const auto add = [&](const std::string& relation, const PromptConsistency& one) {
      for (const detail::PairShare& kind : detail::pair_shares) {
        const MatchingShare& share = one.*kind.share;
        csv.add({way.name, relation, kind.name, std::to_string(share.excluded)}, share.share);
      }
    };
    add("", way.consistency.overall);
    for (const PromptedRelation& relation : way.relations) {
      add(relation.code, relation.consistency);
    }
  }
  return csv.text();
}

[[nodiscard]] inline std::string answers_of_several_csv(const ManyPromptResults& made) {
  std::string text = csv_line({"setting", "relation", "subject", "answer", "objects"});
  for (const ManyPromptResult& way : made.ways) {
    for (const AnswerOfSeveral& one : way.of_several) {
      text +=
          csv_line({way.name, one.relation, one.subject, one.answer, std::to_string(one.objects)});
    }
  }
  return text;
}

[[nodiscard]] inline std::string paired_prompts_csv(const ManyPromptResults& made) {
  const std::vector<std::string> names = made.names();
  return csv_file(named_paired_columns(names), made.paired);
}

/// A CSV table that accompanies the page. If `may_be_empty` is set and the table has no rows, its
/// file is not written, and any file from an earlier report is removed.
struct ManyPromptTable {
  const char* file;
  std::string (*text)(const ManyPromptResults&);
  bool may_be_empty = false;
};

inline constexpr ManyPromptTable many_prompt_tables[] = {
    {"metrics.csv", many_prompt_metrics_csv},
    {"accuracy.csv", many_prompt_accuracy_csv},
    {"templates.csv", many_prompt_templates_csv},
    {"samplings.csv", samplings_csv},
    {"coverage.csv", coverage_csv},
    {"consistency.csv", consistency_csv},
    {"reliability.csv", reliability_csv, true},
    {"overconfidence.csv", overconfidence_csv, true},
    {"sharing.csv", sharing_csv, true},
    {"paired_tests.csv", paired_prompts_csv, true},
    {"answers_of_several.csv", answers_of_several_csv, true}};

/// All tables. A table without rows is marked as absent if it may be empty.
[[nodiscard]] inline std::vector<ReportFile> many_prompt_csvs(const ManyPromptResults& made) {
  std::vector<ReportFile> files;
  for (const ManyPromptTable& table : many_prompt_tables) {
    std::string text = table.text(made);
    const bool is_empty = text.find('\n') + 1 == text.size();
    files.push_back({table.file, std::move(text), table.may_be_empty && is_empty});
  }
  return files;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
