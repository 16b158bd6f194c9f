// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which numbers of a run were also published, and how much do they differ?
//
// A published number is compared with the number of the same name in every run that has one. If a
// run's model has the same name as a published model (the same letters and digits, in any case, and
// points between digits), the run is compared only with that model's numbers. If no published model
// has that name, the run is compared with every model's numbers, which are marked as belonging to
// other models. A published number is known only to its last decimal place. It counts as inside a
// run's 95% interval if any number that rounds to it is inside. A ranking metric depends on the
// candidates and the queries. If both the run and the publication specify them and they differ, the
// two numbers are shown with a remark and without a verdict on the interval. Non-goals: deciding
// whether two datasets or other settings are the same, because names do not show this; and testing
// the difference for significance, because a published number has no interval.

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/published_numbers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A number of a run, with its interval if it has one.
struct RunNumber {
  double value = 0;
  std::optional<double> low{}, high{};
  std::size_t count = 0;
  /// Set for rankings, as in PublishedNumber; otherwise empty.
  std::string candidates{}, queries{};
};

/// The numbers of one model of a run, by name.
struct RunNumbers {
  /// The run's name as set by the user or in its run.json, or the model's name.
  std::string model;
  /// The dataset of the run; may be empty.
  std::string dataset{};
  std::map<std::string, RunNumber> numbers{};
  /// The name of the run that contains these numbers, if that run has several models.
  std::string of_run{};
};

/// A published number and a run's number of the same name.
struct PublishedPair {
  PublishedNumber published;
  /// The run's model, and whether the published model has the same name.
  std::string run;
  bool same_model = false;
  RunNumber number;

  /// The run's number minus the published number.
  [[nodiscard]] double difference() const { return number.value - published.value; }
  /// Whether both numbers specify candidates (or queries) and the specifications differ.
  [[nodiscard]] bool has_other_candidates() const {
    return differ(published.candidates, number.candidates);
  }
  [[nodiscard]] bool has_other_queries() const { return differ(published.queries, number.queries); }
  /// Whether the published number lies in the run's interval; nullopt if there is no interval or if
  /// the candidates or queries differ.
  [[nodiscard]] std::optional<bool> in_interval() const {
    if (!number.low || !number.high || has_other_candidates() || has_other_queries()) {
      return std::nullopt;
    }
    // The tolerance makes a number exactly at an end of the interval count as inside, despite
    // floating-point error.
    const double half = published.rounding() * (1 + 1e-9);
    return published.value + half >= *number.low && published.value - half <= *number.high;
  }

 private:
  static bool differ(const std::string& one, const std::string& other) {
    return !one.empty() && !other.empty() && one != other;
  }
};

struct PublishedComparison {
  std::vector<std::string> runs;
  /// Pairs in the order of the published numbers, then in the order of the runs.
  std::vector<PublishedPair> pairs;
  /// Published numbers whose name does not occur in any run. A number does not count as unmatched
  /// just because its model has no run.
  std::vector<PublishedNumber> unmatched;
  std::vector<std::string> remarks;
};

/// For example, "OPT-1.3B" and "opt_1.3b.gguf" become "opt1.3b", which is not "opt13b". A point
/// counts only between two digits.
inline std::string bare_model_name(std::string_view name) {
  if (name.ends_with(".gguf")) name.remove_suffix(5);
  const auto is_digit = [&](std::size_t at) {
    return at < name.size() && name[at] >= '0' && name[at] <= '9';
  };
  std::string bare;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = (std::min)(name.find('.', begin), name.size());
    bare += bare_name(name.substr(begin, end - begin));
    if (end > 0 && is_digit(end - 1) && is_digit(end + 1)) bare += '.';
    begin = end + 1;
  }
  return bare;
}

inline void remark_on_datasets(PublishedComparison& made, const std::vector<RunNumbers>& runs) {
  std::vector<std::string> stated;
  for (const PublishedPair& pair : made.pairs) {
    const auto run = ranges::find(runs, pair.run, &RunNumbers::model);
    const std::string& theirs = pair.published.dataset;
    if (theirs.empty() || run->dataset.empty()) continue;
    if (bare_model_name(theirs) == bare_model_name(run->dataset)) continue;
    std::string remark = pair.run + " was run on " + run->dataset +
                         ", but the published numbers are from " + theirs +
                         ": they are comparable only if both contain the same facts.";
    if (ranges::find(stated, remark) == stated.end()) stated.push_back(std::move(remark));
  }
  made.remarks.insert(made.remarks.end(), stated.begin(), stated.end());
}

/// Adds a remark for each run and table whose candidates or queries differ; the remark quotes both.
inline void remark_on_questions(PublishedComparison& made) {
  std::vector<std::string> stated;
  for (const PublishedPair& pair : made.pairs) {
    const auto remark = [&](bool differs, const char* what, const std::string& theirs,
                            const std::string& ours) {
      if (!differs) return;
      std::string text = pair.run + " has the " + what + " '" + ours + "', but " +
                         (pair.published.table.empty() ? "the published numbers have"
                                                       : "table " + pair.published.table) +
                         " '" + theirs + "': different " + what +
                         ", so the numbers are not comparable.";
      if (ranges::find(stated, text) == stated.end()) stated.push_back(std::move(text));
    };
    remark(pair.has_other_candidates(), "candidates", pair.published.candidates,
           pair.number.candidates);
    remark(pair.has_other_queries(), "queries", pair.published.queries, pair.number.queries);
  }
  made.remarks.insert(made.remarks.end(), stated.begin(), stated.end());
}

/// The name of the run's number that the user probably meant. Among the names that share the last
/// component, the one with the fewest components is chosen; ties go to the shortest. Empty if no
/// name matches.
inline std::string nearest_name(const RunNumbers& run, std::string_view name) {
  const auto last = [](std::string_view of) { return of.substr(of.rfind('.') + 1); };
  const auto length = [](std::string_view of) {
    return std::pair(std::count(of.begin(), of.end(), '.'), of.size());
  };
  std::string nearest;
  for (const auto& [own, number] : run.numbers) {
    if (last(own) != last(name)) continue;
    if (nearest.empty() || length(own) < length(nearest)) nearest = own;
  }
  return nearest;
}

/// Whether `run` covers an entire run whose models also have separate numbers.
inline bool is_around_models(const RunNumbers& run, const std::vector<RunNumbers>& runs) {
  return ranges::any_of(runs, [&](const RunNumbers& other) {
    return !other.of_run.empty() && other.of_run == run.model && other.model != run.model;
  });
}

/// For each run without a published number, adds a remark that suggests the run's number whose name
/// is closest to that of the first published number.
inline void remark_on_runs_without(PublishedComparison& made,
                                   const std::vector<PublishedNumber>& numbers,
                                   const std::vector<RunNumbers>& runs) {
  for (const RunNumbers& run : runs) {
    if (numbers.empty() || is_around_models(run, runs) ||
        ranges::find(made.runs, run.model) == made.runs.end() ||
        ranges::find(made.pairs, run.model, &PublishedPair::run) != made.pairs.end()) {
      continue;
    }
    const std::string& first = numbers.front().name;
    const std::string nearby = nearest_name(run, first);
    made.remarks.push_back(run.model + " has none of the published numbers" +
                           (nearby.empty()
                                ? "; its metrics.json lists the names of its numbers."
                                : ": it has no '" + first + "', but it has '" + nearby + "'."));
  }
}

/// The names of the runs must be distinct.
[[nodiscard]] inline PublishedComparison compare_with_published(
    const std::vector<PublishedNumber>& numbers, const std::vector<RunNumbers>& runs) {
  PublishedComparison made;
  std::vector<bool> has_namesake;
  for (const RunNumbers& run : runs) {
    made.runs.push_back(run.model);
    has_namesake.push_back(ranges::any_of(numbers, [&](const PublishedNumber& one) {
      return detail::bare_model_name(one.model) == detail::bare_model_name(run.model);
    }));
  }
  // If only some models of a run have published numbers, the run's other models are omitted.
  const auto is_left_out = [&](std::size_t r) {
    if (has_namesake[r] || runs[r].of_run.empty()) return false;
    for (std::size_t other = 0; other < runs.size(); ++other) {
      if (has_namesake[other] && runs[other].of_run == runs[r].of_run) return true;
    }
    return false;
  };
  std::vector<bool> is_beside_others(runs.size(), false);
  for (const PublishedNumber& one : numbers) {
    bool met = false;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto found = runs[r].numbers.find(one.name);
      if (found == runs[r].numbers.end()) continue;
      met = true;
      const bool same =
          detail::bare_model_name(one.model) == detail::bare_model_name(runs[r].model);
      if (has_namesake[r] && !same) continue;
      if (is_left_out(r)) continue;
      if (!same) is_beside_others[r] = true;
      made.pairs.push_back({one, runs[r].model, same, found->second});
    }
    if (!met) made.unmatched.push_back(one);
  }
  std::string left_out;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (is_left_out(r)) add_to_list(left_out, runs[r].model);
    if (!is_beside_others[r]) continue;
    made.remarks.push_back("No published model is called " + runs[r].model +
                           ": this run is compared with other models' numbers.");
  }
  if (!left_out.empty()) {
    made.remarks.push_back("Left out, because no published model has this name: " + left_out +
                           ". To compare such a model, give it its own run or rename it with "
                           "NAME=RUN.");
  }
  const auto is_shown = [&](const std::string& name) {
    return !is_left_out(
        static_cast<std::size_t>(ranges::find(runs, name, &RunNumbers::model) - runs.begin()));
  };
  std::erase_if(made.runs, [&](const std::string& name) { return !is_shown(name); });
  std::erase_if(made.runs, [&](const std::string& name) {  // the entry for a whole run with several
                                                           // models
    return detail::is_around_models(*ranges::find(runs, name, &RunNumbers::model), runs) &&
           ranges::find(made.pairs, name, &PublishedPair::run) == made.pairs.end();
  });
  detail::remark_on_questions(made);
  detail::remark_on_runs_without(made, numbers, runs);
  detail::remark_on_datasets(made, runs);
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
