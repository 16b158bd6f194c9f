// SPDX-License-Identifier: Apache-2.0
#pragma once

// Did a change to a model degrade it by more than is allowed?
//
//   --assert 'accuracy.drop < 0.01, loglik.max < 0.5, known.lost < 20, ace.rise.certain < 0.02'
//
// Each condition is QUANTITY[.certain] < NUMBER, where < can also be >, <= or >=. It compares the
// first run (the base) with the second (the changed run). With `.certain`, the whole 95% interval
// must satisfy the condition: its upper end for <, its lower end for >. If a quantity does not
// exist for the two runs, any condition on it fails. A value other than 0 can be the same in every
// resample, as when each relation has one fact. It then has no interval, so `.certain` fails.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/run_changes.hpp"
#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/suggestion.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/paired_comparison.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The data on which the conditions are evaluated: the difference between the base and the changed
/// run.
struct AssertedChange {
  PairedComparison accuracy;
  /// Facts that the base knows and the changed run does not, and vice versa; one line per fact.
  std::vector<std::string> lost, gained;
  /// Only set for closed-set runs.
  std::optional<RunChanges> scores{};
  std::optional<CalibrationChange> calibration{};

  /// Stores the scores of two closed-set runs, and measures their calibration once for all
  /// quantities.
  void take_scores(RunChanges made, const Bootstrap& bootstrap) {
    constexpr std::size_t bins = 20;
    if (!made.facts.empty()) calibration.emplace(made, bins, bootstrap);
    scores = std::move(made);
  }
};

/// Selects which facts are listed as the cause of a change, largest change first.
enum class MovedBy { lost, gained, score, brier };

/// A quantity that can be used in a condition.
struct AssertedQuantity {
  const char* name;
  const char* meaning;
  Estimate (*value)(const AssertedChange&);
  MovedBy moved_by;

  /// Whether the quantity has a 95% interval. The accuracy quantities and the `.rise` quantities
  /// have an interval.
  [[nodiscard]] bool has_interval() const {
    const std::string_view called = name;
    return called.starts_with("accuracy.") || called.ends_with(".rise");
  }
};

inline Estimate of_count(std::size_t count, const AssertedChange& change) {
  return without_interval(static_cast<double>(count), change.accuracy.overall.counts.facts());
}
/// The value of the changed run minus that of the base.
inline Estimate rise_of(const AssertedChange& change, CalibrationMetric metric) {
  return change.calibration ? change.calibration->rise(metric) : Estimate{};
}

[[nodiscard]] inline const std::vector<AssertedQuantity>& asserted_quantities() {
  using C = AssertedChange;
  using enum MovedBy;
  static const std::vector<AssertedQuantity> all{
      {"accuracy.drop",
       "accuracy of the base minus accuracy of the changed run, mean over relations",
       [](const C& c) { return c.accuracy.mean_drop; }, lost},
      {"accuracy.drop_overall",
       "accuracy of the base minus accuracy of the changed run, over all facts",
       [](const C& c) { return c.accuracy.overall_drop; }, lost},
      {"known.lost", "facts that the base knows and the changed run does not",
       [](const C& c) { return of_count(c.accuracy.overall.counts.only_first, c); }, lost},
      {"known.gained", "facts that the changed run knows and the base does not",
       [](const C& c) { return of_count(c.accuracy.overall.counts.only_second, c); }, gained},
      {"agreement", "share of facts that both know or neither knows",
       [](const C& c) {
         const PairedCounts& counts = c.accuracy.overall.counts;
         return without_interval(counts.agreement(), counts.facts());
       },
       lost},
      {"kappa", "Cohen's kappa of the facts that the two runs know",
       [](const C& c) {
         const PairedCounts& counts = c.accuracy.overall.counts;
         return without_interval(cohens_kappa(counts), counts.facts());
       },
       lost},
      {"mcnemar.p", "McNemar's exact two-sided p over all facts",
       [](const C& c) {
         return without_interval(c.accuracy.overall.p, c.accuracy.overall.counts.facts());
       },
       lost},
      {"loglik.max", "largest change in a recorded score, in nats where scores are sums",
       [](const C& c) {
         return c.scores && c.scores->scores > 0
                    ? without_interval(c.scores->moved_most, c.scores->scores)
                    : Estimate{};
       },
       score},
      {"loglik.mean", "mean absolute change in a recorded score",
       [](const C& c) {
         return c.scores && c.scores->scores > 0
                    ? without_interval(c.scores->mean_moved(), c.scores->scores)
                    : Estimate{};
       },
       score},
      {"ace.rise", "adaptive calibration error of the changed run minus that of the base",
       [](const C& c) { return rise_of(c, CalibrationMetric::ace); }, brier},
      {"ece.rise", "expected calibration error of the changed run minus that of the base",
       [](const C& c) { return rise_of(c, CalibrationMetric::ece); }, brier},
      {"brier.rise", "Brier score of the changed run minus that of the base",
       [](const C& c) { return rise_of(c, CalibrationMetric::brier); }, brier}};
  return all;
}

/// One condition.
struct Assertion {
  const AssertedQuantity* quantity = nullptr;
  bool certain = false;
  bool less = true, or_equal = false;
  double bound = 0;
  /// The condition as the user wrote it, without surrounding spaces.
  std::string text{};
};

/// Throws a user error if the text is not a valid condition.
[[nodiscard]] inline Assertion parse_assertion(std::string_view text) {
  Assertion made;
  made.text = trimmed(text);
  const auto wrong = [&](const std::string& message, const std::string& remedy) {
    return user_error({.setting = "assert"}, "'" + made.text + "' " + message, remedy);
  };
  const std::size_t sign = made.text.find_first_of("<>");
  if (sign == std::string::npos) {
    throw wrong("has no < or >", "write it as 'accuracy.drop < 0.01'");
  }
  std::string name(trimmed(std::string_view(made.text).substr(0, sign)));
  made.less = made.text[sign] == '<';
  made.or_equal = sign + 1 < made.text.size() && made.text[sign + 1] == '=';
  const std::string number(
      trimmed(std::string_view(made.text).substr(sign + (made.or_equal ? 2 : 1))));
  const std::optional<double> bound = finite_number(number);
  if (!bound) {
    throw wrong("does not end in a number", "write it as 'accuracy.drop < 0.01'");
  }
  made.bound = *bound;
  constexpr std::string_view suffix = ".certain";
  if (name.ends_with(suffix)) {
    made.certain = true;
    name.resize(name.size() - suffix.size());
  }
  const auto& known = asserted_quantities();
  const auto found =
      ranges::find_if(known, [&](const AssertedQuantity& one) { return name == one.name; });
  if (found == known.end()) {
    std::vector<std::string> names;
    for (const AssertedQuantity& one : known) names.emplace_back(one.name);
    throw wrong("does not name a quantity",
                did_you_mean(name, names) + "the quantities are " + text_list(names));
  }
  made.quantity = &*found;
  if (made.certain && !made.quantity->has_interval()) {
    throw wrong("has no interval, so .certain does not apply", "remove .certain");
  }
  return made;
}

/// The result of a condition.
struct AssertedResult {
  Assertion assertion;
  Estimate value;
  bool passed = false;
  /// Set only if the condition failed: up to three facts that change the value most.
  std::vector<std::string> moved{};

  /// Whether the condition is on an interval and the facts are too few for one. Two runs without
  /// any difference need none.
  [[nodiscard]] bool lacks_interval() const {
    return assertion.certain && value.exists() && !value.has_interval() && value.value != 0;
  }
};

/// "P36 'Peru' (Lima → Quito)", or with just one answer if it did not change.
inline std::string change_in_words(const FactChange& fact) {
  std::string text = fact.relation + " '" + fact.subject + "'";
  if (fact.first_answer != fact.second_answer) {
    return text + " (" + fact.first_answer + " → " + fact.second_answer + ")";
  }
  return text + " (" + fact.second_answer + ")";
}

inline std::vector<std::string> facts_moved_by(const AssertedChange& change, MovedBy by) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> moved;
  if (by == MovedBy::lost || by == MovedBy::gained) {
    moved = by == MovedBy::lost ? change.lost : change.gained;
    if (moved.size() > shown) moved.resize(shown);
    return moved;
  }
  if (!change.scores) return moved;
  std::vector<const FactChange*> facts;
  for (const FactChange& fact : change.scores->facts) facts.push_back(&fact);
  const auto by_rise = [&](const FactChange* fact) {
    return -(by == MovedBy::score ? fact->moved : fact->brier_rise());
  };
  ranges::stable_sort(facts, {}, by_rise);
  for (std::size_t i = 0; i < (std::min)(shown, facts.size()); ++i) {
    const FactChange& fact = *facts[i];
    moved.push_back(by == MovedBy::score
                        ? fact.relation + " '" + fact.subject + "', option '" + fact.option +
                              "' by " + with_decimals(fact.moved, 3)
                        : change_in_words(fact) + " " + with_decimals(fact.first.confidence, 2) +
                              " → " + with_decimals(fact.second.confidence, 2));
  }
  return moved;
}

[[nodiscard]] inline AssertedResult evaluate(const Assertion& assertion,
                                             const AssertedChange& change) {
  AssertedResult made{assertion, assertion.quantity->value(change), false, {}};
  const Estimate& value = made.value;
  if (made.lacks_interval()) {
    made.moved = facts_moved_by(change, assertion.quantity->moved_by);
    return made;
  }
  const double held = !assertion.certain || !value.has_interval() ? value.value
                      : assertion.less                            ? value.high
                                                                  : value.low;
  made.passed =
      value.exists() && (assertion.less ? held < assertion.bound : held > assertion.bound);
  if (value.exists() && assertion.or_equal && held == assertion.bound) made.passed = true;
  if (!made.passed) made.moved = facts_moved_by(change, assertion.quantity->moved_by);
  return made;
}

/// "accuracy.drop < 0.01: 0.034 [0.010, 0.052]; P36 'Peru' (Lima → Quito), …".
[[nodiscard]] inline std::string description_of(const AssertedResult& result) {
  std::string text = result.assertion.text + ": ";
  if (!result.value.exists()) return text + "these runs do not have this number";
  const bool counts = std::string_view(result.assertion.quantity->name).starts_with("known.");
  text += counts                        ? with_decimals(result.value.value, 0)
          : result.value.has_interval() ? with_interval(result.value, 4)
                                        : with_decimals(result.value.value, 4);
  if (result.lacks_interval()) text += ", without an interval, because every resample is the same";
  for (std::size_t i = 0; i < result.moved.size(); ++i) {
    text += (i == 0 ? "; " : ", ") + result.moved[i];
  }
  return text;
}

[[nodiscard]] inline Json to_json(const AssertedResult& result) {
  return {{"assert", result.assertion.text},
          {"passed", result.passed},
          {"value", to_json(result.value)},
          {"moved_most", result.moved}};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
