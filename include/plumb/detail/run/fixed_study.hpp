// SPDX-License-Identifier: Apache-2.0
#pragma once

// How can a many-shot study from another program be replayed exactly?
//
//   {"relation": "P36", "separator": " ", "shots": [["Gauteng", "Johannesburg"], …],
//    "choices": ["Kolkata", …], "test": [{"subject": "Liguria", "answer": "Genoa",
//    "scores": […]}, …], "model": …, "accuracy": …}
// The file contains one such object or a list of them. The model receives all texts exactly as
// written. The results have the same structure, with scores in nats, one per choice. The separator
// is used both within and between pairs. The scores, model and accuracy in the file are used only
// for comparison.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset_texts.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/prediction.hpp"
#include "plumb/detail/prompt/many_shot.hpp"
#include "plumb/detail/records/probe_rows.hpp"
#include "plumb/detail/run/scored_block.hpp"
#include "plumb/detail/score/causal_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct FixedStudy {
  struct Test {
    std::string subject;
    std::string answer;
    /// The scores in the file; empty if it has none.
    std::vector<double> scores;
  };
  /// The JSON object as it was read.
  Json source;
  ManyShot form;
  std::vector<SubjectObject> shots;
  std::vector<std::string> choices;
  std::vector<Test> tests;
};

struct FixedFile {
  std::vector<FixedStudy> studies;
  /// Whether the file contains a list, in which case the results are also written as a list.
  bool is_list = false;
};

inline FixedStudy fixed_study(const Json& object, const Site& site) {
  const auto fail = [&](const std::string& field, const char* what, const char* remedy) {
    throw user_error({site.file, site.line, site.field + field}, what, remedy);
  };
  FixedStudy study;
  study.source = object;
  if (!object.is_object()) fail("", "is not an object", "write {\"shots\": …, \"choices\": …}");
  if (!object.contains("separator") || !object["separator"].is_string()) {
    fail("separator", "is not a string", "write \" \"");
  }
  study.form.pair_separator = study.form.item_separator = object["separator"];
  if (!object.contains("shots") || !object["shots"].is_array()) {
    fail("shots", "is not a list", "write [[\"subject\", \"object\"], …]");
  }
  for (const Json& shot : object["shots"]) {
    const bool sound =
        shot.is_array() && shot.size() == 2 && shot[0].is_string() && shot[1].is_string();
    if (!sound)
      fail("shots", "contains an entry that is not a pair", "write [[\"subject\", \"object\"], …]");
    study.shots.push_back({shot[0], shot[1]});
  }
  const auto choices = string_list(object, "choices");
  if (!choices || choices->size() < 2) {
    fail("choices", "is not a list of at least two strings", "write [\"object\", …]");
  }
  study.choices = *choices;
  for (auto choice = study.choices.begin(); choice != study.choices.end(); ++choice) {
    if (std::find(study.choices.begin(), choice, *choice) != choice) {
      throw user_error({site.file, site.line, site.field + "choices"},
                       "contains '" + *choice + "' twice", "remove one");
    }
  }
  if (!object.contains("test") || !object["test"].is_array() || object["test"].empty()) {
    fail("test", "is not a list of facts", "write [{\"subject\": …, \"answer\": …}, …]");
  }
  for (std::size_t t = 0; t < object["test"].size(); ++t) {
    const Json& fact = object["test"][t];
    const std::string field = "test[" + std::to_string(t) + "]";
    const auto subject = fact.is_object() ? first_string(fact, "subject") : std::nullopt;
    const auto answer = fact.is_object() ? first_string(fact, "answer") : std::nullopt;
    if (!subject || !answer) fail(field, "has no subject or no answer", "write both as strings");
    if (ranges::find(study.choices, *answer) == study.choices.end()) {
      fail(field + ".answer", "is not among the choices", "add it to choices");
    }
    if (ranges::find(study.shots, *subject, &SubjectObject::subject) != study.shots.end()) {
      fail(field + ".subject", "is also a subject of the shots", "remove it from one of the two");
    }
    FixedStudy::Test test{*subject, *answer, {}};
    if (const auto scores = fact.find("scores"); scores != fact.end()) {
      const bool sound =
          scores->is_array() && scores->size() == study.choices.size() &&
          ranges::all_of(*scores, [](const Json& score) { return score.is_number(); });
      if (!sound) fail(field + ".scores", "needs one number per choice", "fix or remove it");
      test.scores = scores->get<std::vector<double>>();
    }
    study.tests.push_back(std::move(test));
  }
  return study;
}

/// Reads one or more studies. Throws a user error that names the field if the file is invalid.
[[nodiscard]] inline FixedFile read_fixed_file(const DiskPath& file) {
  const Json value = read_json(file);
  if (!value.is_array()) return {{detail::fixed_study(value, {.file = file})}, false};
  std::vector<FixedStudy> studies;
  for (std::size_t i = 0; i < value.size(); ++i) {
    studies.push_back(detail::fixed_study(value[i], {file, 0, "[" + std::to_string(i) + "]."}));
  }
  if (studies.empty()) throw user_error({.file = file}, "contains no study", "add one");
  return {std::move(studies), true};
}

/// Visits every text of a study that was read from `file`.
inline void for_each_text(const FixedStudy& study, const DiskPath& file, const TextVisitor& visit) {
  visit({file, 0, "separator"}, study.form.pair_separator);
  for (const SubjectObject& shot : study.shots) {
    visit({file, 0, "shots"}, shot.subject);
    visit({file, 0, "shots"}, shot.object);
  }
  for (const std::string& choice : study.choices) visit({file, 0, "choices"}, choice);
  for (const FixedStudy::Test& test : study.tests) visit({file, 0, "test"}, test.subject);
}

/// The results of a study, in the same structure as the file.
struct FixedResult {
  Json study;
  /// If n choices tie for the best score and one of them is right, the test counts as 1/n.
  double accuracy = 0;
  double accuracy_first_wins = 0;
  TieCount ties{};
  /// The largest difference from the file's scores; not set if the file has no scores.
  std::optional<double> worst_difference{};
};

/// The planned choices of a study, grouped by test. Nothing is scored.
template <PackedScorer Scorer>
[[nodiscard]] typename Scorer::Block planned_study(const FixedStudy& study, Scorer& scorer) {
  const Prompt sequence = study.form.sequence(study.shots);
  typename Scorer::Block block;
  scorer.share(block, sequence);
  for (const FixedStudy::Test& test : study.tests) {
    Query query;
    for (const std::string& choice : study.choices) {
      query.candidates.push_back(study.form.question(sequence, test.subject, choice));
    }
    scorer.add(block, query);
  }
  scorer.plan(block);
  return block;
}

/// Scores a study. Returns nothing if this is a shard. `index` identifies the study in the journal.
template <PackedScorer Scorer>
[[nodiscard]] std::optional<FixedResult> run_fixed_study(const FixedStudy& study,
                                                         const std::string& model,
                                                         std::size_t index, Scorer& scorer,
                                                         Work& work) {
  const std::string name = "fixed " + std::to_string(index);
  Part part(work, name, name);
  typename Scorer::Block block = planned_study(study, scorer);
  auto scored = scored_block(part, scorer, block, Span::continuation, [&](std::size_t statement) {
    const std::size_t choices = study.choices.size();
    return "'" + study.tests[statement / choices].subject + "', choice '" +
           study.choices[statement % choices] + "'";
  });
  if (!scored) return std::nullopt;
  const std::vector<StatementScore> scores = as_recorded(*std::move(scored));
  part.finish(block.cost());

  FixedResult result{study.source};
  result.study["model"] = model;
  double right = 0, first_right = 0;
  for (std::size_t t = 0, at = 0; t < study.tests.size(); ++t) {
    const FixedStudy::Test& test = study.tests[t];
    std::vector<double> row;
    for (std::size_t c = 0; c < study.choices.size(); ++c, ++at) {
      row.push_back(scores[at].continuation.log_likelihood);
      if (test.scores.empty()) continue;
      result.worst_difference =
          (std::max)(result.worst_difference.value_or(0), std::abs(row[c] - test.scores[c]));
    }
    const auto answer = ranges::find(study.choices, test.answer);  // always found
    const Prediction made = predict(row, static_cast<std::size_t>(answer - study.choices.begin()));
    right += made.accuracy();
    first_right += made.accuracy_first_wins();
    result.ties.add(made.is_tie());
    result.study["test"][t]["scores"] = row;
  }
  result.accuracy = right / static_cast<double>(study.tests.size());
  result.accuracy_first_wins = first_right / static_cast<double>(study.tests.size());
  result.study["accuracy"] = result.accuracy;
  return result;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
