// SPDX-License-Identifier: Apache-2.0
#pragma once

// How good is a list of answers to a fact with several objects?
//
//   precision = right answers / answers     recall = objects found / objects     F1 = 2PR / (P + R)
// An output is a list split at ";", without its "%"; answers are trimmed, in lower case, the empty ones
// and those that stand twice left out. An answer is right by the object's main label, or by any of its
// names; an object is found where an answer is right by it. An empty list has 0 of all three. Numbers of
// a relation are means over its facts, those of a dataset means over its relations; F1 is also given of
// the two means, as a table that has only these can be compared by it alone.
// Source: Kalo and Fichtel 2022 (KAMEL). Its published script splits without trimming, so that of "Oslo;
// Paris" the second is " Paris" and never right; it takes an empty output for one answer; and its
// precision is objects found / answers. That is `kamel_script_score`, with aliases as there.

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/core/lower_case.hpp"
#include "plumb/core/over.hpp"
#include "plumb/measure/interval.hpp"

namespace plumb {

/// Shares in [0, 1] of one fact, or means of them; a script's precision may pass 1 where one answer
/// names several objects.
struct ListScore {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

/// 2PR / (P + R), 0 where both are.
[[nodiscard]] inline double harmonic(double precision, double recall) {
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

/// The distinct answers of an output, trimmed and in lower case, without empty ones.
[[nodiscard]] inline std::set<std::string> listed_answers(std::string_view output) {
  std::set<std::string> answers;
  const auto add = [&](std::string_view one) {
    constexpr std::string_view blank = " \t\r\n";
    const std::size_t first = one.find_first_not_of(blank);
    if (first == std::string_view::npos) return;
    answers.insert(lower_case(one.substr(first, one.find_last_not_of(blank) - first + 1)));
  };
  std::string text(output);
  std::erase(text, '%');
  std::string_view rest = text;
  for (std::size_t at = rest.find(';'); at != std::string_view::npos; at = rest.find(';')) {
    add(rest.substr(0, at));
    rest.remove_prefix(at + 1);
  }
  add(rest);
  return answers;
}

/// Names of a fact's objects, each object's main label first; no object is without a name.
using ObjectNames = std::vector<std::vector<std::string>>;

enum class NamesThatCount { main_label, all };

/// The score of one output. `objects` must not be empty.
[[nodiscard]] inline ListScore list_score(std::string_view output, const ObjectNames& objects,
                                          NamesThatCount names) {
  const std::set<std::string> answers = listed_answers(output);
  std::set<std::string> right;
  std::size_t found = 0;
  for (const std::vector<std::string>& object : objects) {
    const std::size_t count = names == NamesThatCount::all ? object.size() : 1;
    bool named = false;
    for (std::size_t n = 0; n < count; ++n) {
      const auto answer = answers.find(lower_case(object[n]));
      if (answer == answers.end()) continue;
      right.insert(*answer);
      named = true;
    }
    found += named ? 1U : 0U;
  }
  if (answers.empty()) return {};
  ListScore score;
  score.precision = static_cast<double>(right.size()) / static_cast<double>(answers.size());
  score.recall = static_cast<double>(found) / static_cast<double>(objects.size());
  score.f1 = harmonic(score.precision, score.recall);
  return score;
}

/// The same as KAMEL's published script has it: nothing is trimmed but the whole output.
[[nodiscard]] inline ListScore kamel_script_score(std::string_view output,
                                                  const ObjectNames& objects) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = output.find_first_not_of(blank);
  std::string text;
  if (first != std::string_view::npos) {
    text = output.substr(first, output.find_last_not_of(blank) - first + 1);
  }
  std::erase(text, '%');
  std::set<std::string> answers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    answers.insert(lower_case(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  std::size_t found = 0;
  for (const std::vector<std::string>& object : objects) {
    found += over::any_of(
        object, [&](const std::string& name) { return answers.contains(lower_case(name)); });
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
  /// Of the two means, without an interval.
  double f1_of_means = 0;
};

/// Means over relations of means over facts, of one list of scores for each relation; those without
/// facts are left out. One relation gives means over its facts. `name` seeds the bootstrap.
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
    return bootstrap_mean(strata, bootstrap, name + "/" + what);
  };
  ListMeans means{mean("precision", &ListScore::precision), mean("recall", &ListScore::recall),
                  mean("f1", &ListScore::f1)};
  means.f1_of_means = harmonic(means.precision.value, means.recall.value);
  return means;
}

}  // namespace plumb
