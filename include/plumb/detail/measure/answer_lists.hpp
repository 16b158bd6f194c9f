// SPDX-License-Identifier: Apache-2.0
#pragma once

// How good is a list of answers to a fact with several objects?
//
//   precision = right answers / answers     recall = objects found / objects     F1 = 2PR / (P + R)
// Every "%" is removed from an output, and the output is then split at ";" into a list of answers.
// Answers are trimmed and lower-cased; empty ones and duplicates are dropped. An answer is correct
// if it is an object's main label or, if aliases are accepted, any of the object's names. An object
// is found if one of the answers names it. An empty list scores 0 on all three metrics. A
// relation's scores are means over its facts; a dataset's are means over its relations. The F1 of
// mean precision and mean recall is also reported, as in KAMEL's tables. Source: Kalo and Fichtel
// 2022 (KAMEL). KAMEL's published scripts split without trimming: in "Oslo; Paris" the second
// answer is " Paris", which is never correct. Their precision is objects found / answers. With
// aliases, both scripts, evaluate.py and create_tables_plots.py, compute the same numbers (the
// first counts an empty output as one wrong answer, the second skips it with a score of 0).
// `kamel_script_score` computes these numbers.

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/measure/clustered_share.hpp"
#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Proportions in [0, 1] for one fact, or means of such proportions. A script's precision may
/// exceed 1 if one answer names several objects.
struct ListScore {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

/// 2PR / (P + R); 0 if both are 0.
[[nodiscard]] inline double harmonic(double precision, double recall) {
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

/// `trimmed` trims each answer and drops empty ones. `as_written` trims the whole output and then
/// splits it without trimming the parts.
enum class ListSplit { trimmed, as_written };

/// The distinct answers of an output, in lower case and without "%".
[[nodiscard]] inline std::set<std::string> listed_answers(std::string_view output,
                                                          ListSplit split = ListSplit::trimmed) {
  std::string text(trimmed(output));
  std::erase(text, '%');
  std::set<std::string> answers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = (std::min)(text.find(';', begin), text.size());
    std::string_view one = std::string_view(text).substr(begin, end - begin);
    if (split == ListSplit::trimmed) one = trimmed(one);
    if (!one.empty() || split == ListSplit::as_written) answers.insert(lower_case(one));
    begin = end + 1;
  }
  return answers;
}

/// Names of a fact's objects, each object's main label first. Every object has at least one name.
using ObjectNames = std::vector<std::vector<std::string>>;

enum class AcceptedNames { main_label, all };

/// The score of one output. `objects` must not be empty.
[[nodiscard]] inline ListScore list_score(std::string_view output, const ObjectNames& objects,
                                          AcceptedNames names) {
  const std::set<std::string> answers = listed_answers(output);
  if (answers.empty()) return {};
  std::set<std::string> right;
  std::size_t found = 0;
  for (const std::vector<std::string>& object : objects) {
    const std::size_t count = names == AcceptedNames::all ? object.size() : 1;
    bool named = false;
    for (std::size_t n = 0; n < count; ++n) {
      const auto answer = answers.find(lower_case(object[n]));
      if (answer == answers.end()) continue;
      right.insert(*answer);
      named = true;
    }
    found += named ? 1U : 0U;
  }
  ListScore score;
  score.precision = static_cast<double>(right.size()) / static_cast<double>(answers.size());
  score.recall = static_cast<double>(found) / static_cast<double>(objects.size());
  score.f1 = harmonic(score.precision, score.recall);
  return score;
}

/// The score that KAMEL's published scripts compute when aliases are accepted. The scripts trim an
/// output before they remove its "%", and so does this function.
[[nodiscard]] inline ListScore kamel_script_score(std::string_view output,
                                                  const ObjectNames& objects) {
  const std::set<std::string> answers = listed_answers(output, ListSplit::as_written);
  std::size_t found = 0;
  for (const std::vector<std::string>& object : objects) {
    const bool named = ranges::any_of(
        object, [&](const std::string& name) { return answers.contains(lower_case(name)); });
    found += named ? 1U : 0U;
  }
  ListScore score;
  score.precision = static_cast<double>(found) / static_cast<double>(answers.size());
  score.recall = static_cast<double>(found) / static_cast<double>(objects.size());
  score.f1 = harmonic(score.precision, score.recall);
  return score;
}

/// Means with their 95% intervals.
struct ListMeans {
  Estimate precision, recall, f1;
  /// The F1 of the two means, without an interval; missing if there are no facts.
  double f1_of_means = no_number;
};

/// The means over relations of the means over each relation's facts, computed from one list of
/// scores per relation. Relations without facts are skipped. With a single relation, the means are
/// simply those over its facts. Precisions above 1, which the scripts can produce, are not
/// proportions; their mean gets a bootstrap interval, seeded by `name`.
[[nodiscard]] inline ListMeans list_means(std::span<const std::vector<ListScore>> relations,
                                          const Bootstrap& bootstrap, const std::string& name) {
  const auto mean = [&](const char* what, double ListScore::*part) {
    std::vector<Stratum> strata;
    for (const std::vector<ListScore>& facts : relations) {
      if (facts.empty()) continue;
      Stratum& stratum = strata.emplace_back();
      for (const ListScore& score : facts) stratum.values.push_back(score.*part);
    }
    for (Stratum& stratum : strata) stratum.weight = 1 / static_cast<double>(strata.size());
    const bool shares = ranges::all_of(strata, [](const Stratum& stratum) {
      return ranges::all_of(stratum.values, [](double value) { return value <= 1; });
    });
    if (shares) return clustered_share(strata);
    return bootstrap_mean(strata, bootstrap, name + "/" + what);
  };
  ListMeans means{mean("precision", &ListScore::precision), mean("recall", &ListScore::recall),
                  mean("f1", &ListScore::f1)};
  if (means.precision.exists() && means.recall.exists()) {
    means.f1_of_means = harmonic(means.precision.value, means.recall.value);
  }
  return means;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
