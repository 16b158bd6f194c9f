// SPDX-License-Identifier: Apache-2.0
#pragma once

// How accurate is each model on popular facts, on facts from a given year, or on facts from a given
// domain?
//
// Facts are grouped in one of three ways: by an additional column of their table (data/tsv.hpp); by
// the domains of their relation ("domain"; a fact belongs to each of them); or by the years in
// which they were true ("valid", from the columns valid_from to valid_to; a fact belongs to each of
// these years). A numeric column with more than `most_values` distinct values is divided into bins
// with about the same number of facts; equal values share a bin. A group's accuracy is the mean
// over its facts. Each fact counts once, with its mean over the variants in which it was used. The
// interval is Wilson's, as for any group of facts of a probe.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/bare_name.hpp"
#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"
#include "plumb/detail/measure/relation_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ColumnGroup {
  /// The value, or the range of a bin: "12 to 340".
  std::string name;
  /// The number of distinct facts across all models.
  std::size_t facts = 0;
  /// The accuracy of each model.
  std::vector<Estimate> accuracy{};
};

struct ColumnGroups {
  /// Empty if facts are not grouped.
  std::string column{};
  /// Sorted by number or, if the values are not numbers, by name.
  std::vector<ColumnGroup> groups{};
  /// The number of facts that have no value.
  std::size_t without = 0;
};

/// A column with more distinct numbers than this is divided into bins.
inline constexpr std::size_t most_values = 12;
/// The number of bins, each with about the same number of facts.
inline constexpr std::size_t value_bins = 5;

/// Whether a cell in a numeric column contains a word for a missing value.
[[nodiscard]] inline bool is_missing_number(const std::string& value) {
  const std::string word = bare_name(value);
  return word.empty() || word == "na" || word == "nan" || word == "none" || word == "null";
}

/// The values of a fact in a column: none, one or several.
[[nodiscard]] inline std::vector<std::string> values_in_column(const Relation& relation,
                                                               const Fact& fact,
                                                               const std::string& column) {
  for (const auto& [name, value] : fact.further) {
    if (name == column && !is_blank(value)) return {std::string(trimmed(value))};
  }
  if (column == "domain") return relation.domains;
  return {};
}

/// The first and last years in which a fact is true, inclusive.
struct Validity {
  std::optional<int> from{}, to{};
};

/// The year at the start of a date ("2019", "2019-05-01"); nullopt for other strings.
[[nodiscard]] inline std::optional<int> year_of(std::string_view date) {
  constexpr std::size_t digits = 4;
  if (date.size() < digits || (date.size() > digits && date[digits] != '-')) return {};
  int year = 0;
  for (const char c : date.substr(0, digits)) {
    if (c < '0' || c > '9') return {};
    year = year * 10 + (c - '0');
  }
  return year;
}

/// The year of the date 9999-12-31, which tables use for facts that are still true.
inline constexpr int no_end = 9999;

/// Reads a fact's columns valid_from and valid_to; case and punctuation in the column names do not
/// matter. Empty if either has a date in another form than year_of reads.
[[nodiscard]] inline Validity validity_of(const Fact& fact) {
  Validity made;
  for (const auto& [name, value] : fact.further) {
    const std::string bare = bare_name(name);
    if (bare != "validfrom" && bare != "validto") continue;
    const std::optional<int> year = year_of(trimmed(value));
    if (!year && !is_missing_number(value)) return {};  // a date in another form
    (bare == "validfrom" ? made.from : made.to) = year;
    if (made.to == no_end) made.to.reset();
  }
  return made;
}

/// Each year in which a fact is true. A fact without an end is counted up to `latest`. A fact
/// without a start is counted only in its last year, because its start is unknown.
[[nodiscard]] inline std::vector<std::string> years_of_validity(const Fact& fact, int latest) {
  const Validity valid = validity_of(fact);
  std::vector<std::string> years;
  if (!valid.from && !valid.to) return years;
  const int last = valid.to.value_or((std::max)(latest, valid.from.value_or(latest)));
  for (int year = valid.from.value_or(last); year <= last; ++year) {
    years.push_back(std::to_string(year));
  }
  return years;
}

/// The latest year that occurs in the validity of any fact.
[[nodiscard]] inline int latest_year(const std::vector<const Relation*>& relations) {
  int latest = 0;
  for (const Relation* relation : relations) {
    for (const Fact& fact : relation->facts) {
      const Validity valid = validity_of(fact);
      latest = (std::max)({latest, valid.from.value_or(0), valid.to.value_or(0)});
    }
  }
  return latest;
}

/// Maps a value to its group. Any number of threads may use the same object.
class ValueGroups {
 public:
  /// `values` contains the values of all facts; a fact may have none or several. Throws a user
  /// error if there are more different text values than a table can show.
  ValueGroups(const std::vector<std::string>& values, const std::string& column) {
    std::map<std::string, std::size_t> counts;
    std::vector<double> numbers;
    for (const std::string& value : values) {
      ++counts[value];
      if (const auto number = finite_number(value)) numbers.push_back(*number);
    }
    ranges::sort(numbers);
    const bool are_numbers = numbers.size() == values.size();
    const std::size_t different = std::set(numbers.begin(), numbers.end()).size();
    if (are_numbers && different > most_values) {
      cut(numbers);
      return;
    }
    constexpr std::size_t most_groups = 100;
    if (counts.size() > most_groups) {
      throw user_error({.setting = "group-by"},
                       column + " has " + std::to_string(counts.size()) + " different text values",
                       "choose a numeric column, or one whose number of values is at most " +
                           std::to_string(most_groups));
    }
    if (!are_numbers) {
      for (const auto& [value, count] : counts) names_.push_back(value);
      return;
    }
    // The same number may be written in several ways, such as "1990" and "1990.0".
    std::map<double, std::string> by_number;
    for (const auto& [value, count] : counts) by_number.try_emplace(*finite_number(value), value);
    for (const auto& [number, value] : by_number) {
      last_.push_back(number);
      names_.push_back(value);
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// The index of the group that contains `value`, which must be one of the values.
  [[nodiscard]] std::size_t place(const std::string& value) const {
    if (last_.empty()) {
      return static_cast<std::size_t>(ranges::find(names_, value) - names_.begin());
    }
    const double number = *finite_number(value);
    const auto bin = std::lower_bound(last_.begin(), last_.end(), number);
    return static_cast<std::size_t>(bin - last_.begin());
  }

 private:
  /// Divides sorted numbers into bins. Equal numbers stay in the same bin.
  void cut(const std::vector<double>& sorted) {
    std::vector<double> firsts;
    for (std::size_t begin = 0; begin < sorted.size();) {
      const std::size_t bins = value_bins - (std::min)(last_.size(), value_bins - 1);
      std::size_t end = begin + (std::max<std::size_t>)(1, (sorted.size() - begin) / bins);
      while (end < sorted.size() && sorted[end] == sorted[end - 1]) ++end;
      if (last_.size() + 1 == value_bins) end = sorted.size();
      last_.push_back(sorted[end - 1]);
      firsts.push_back(sorted[begin]);
      begin = end;
    }
    // Uses the smallest number of digits that distinguishes the ends of all bins.
    std::set<double> ends(firsts.begin(), firsts.end());
    ends.insert(last_.begin(), last_.end());
    int digits = 4;
    const auto is_distinct = [&] {
      std::set<std::string> texts;
      for (const double end : ends) texts.insert(short_number(end, digits));
      return texts.size() == ends.size();
    };
    while (digits < 17 && !is_distinct()) ++digits;
    for (std::size_t b = 0; b < last_.size(); ++b) {
      const std::string first = short_number(firsts[b], digits),
                        last = short_number(last_[b], digits);
      names_.push_back(firsts[b] == last_[b] ? first : first + " to " + last);
    }
  }
  /// Writes a whole number unchanged, and any other number with `digits` significant digits:
  /// "12000", "0.00031".
  static std::string short_number(double number, int digits) {
    if (number == std::round(number) && std::abs(number) < 1e15) return with_decimals(number, 0);
    const int before = static_cast<int>(std::floor(std::log10(std::abs(number)))) + 1;
    std::string text = with_decimals(number, std::clamp(digits - before, 1, 60));
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
  }

  std::vector<std::string> names_;
  std::vector<double> last_;  // the largest number of each group; empty if values are not numbers
};

/// Maps each fact to its groups, according to one column. Any number of threads may use one object.
class FactsByColumn {
 public:
  /// Builds the groups from all facts of some relations, which may contain the same fact several
  /// times. Throws a user error if no fact has the column.
  FactsByColumn(const std::vector<const Relation*>& relations, const std::string& column) {
    std::map<Key, std::vector<std::string>> facts;
    std::set<std::string> columns;
    const auto is_column = [&](const Relation* relation) {
      return ranges::any_of(relation->facts, [&](const Fact& fact) {
        return ranges::any_of(fact.further, [&](const auto& one) { return one.first == column; });
      });
    };
    const bool by_validity = column == "valid" && ranges::none_of(relations, is_column);
    const int latest = by_validity ? latest_year(relations) : 0;
    for (const Relation* relation : relations) {
      for (const Fact& fact : relation->facts) {
        for (const auto& [name, value] : fact.further) columns.insert(name);
        auto& values = facts[{relation->code, fact.instance}];
        if (values.empty()) values = values_in_column(*relation, fact, column);
        if (values.empty() && latest > 0) values = years_of_validity(fact, latest);
      }
    }
    const bool are_numbers = ranges::all_of(facts, [](const auto& fact) {
      return ranges::all_of(fact.second, [](const std::string& value) {
        return finite_number(value) || is_missing_number(value);
      });
    });
    std::vector<std::string> all;
    for (auto& [fact, values] : facts) {
      if (are_numbers) std::erase_if(values, is_missing_number);
      without_ += values.empty();
      all.insert(all.end(), values.begin(), values.end());
    }
    if (all.empty()) {
      throw user_error({.setting = "group-by"}, "no fact has a column '" + column + "'",
                       columns.empty() ? "group a probe's facts from a CSV, TSV or JSON-lines "
                                         "table; other runs store no columns"
                                       : "choose one that exists: " + text_list(columns));
    }
    const ValueGroups groups(all, column);
    names_ = groups.names();
    facts_.resize(names_.size());
    for (const auto& [fact, values] : facts) {
      std::vector<std::size_t>& places = places_[fact];
      for (const std::string& value : values) places.push_back(groups.place(value));
      ranges::sort_distinct(places);
      for (const std::size_t place : places) ++facts_[place];
    }
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// The number of distinct facts that have no value.
  [[nodiscard]] std::size_t without() const noexcept { return without_; }
  /// The number of distinct facts of each group.
  [[nodiscard]] const std::vector<std::size_t>& facts() const noexcept { return facts_; }
  /// Ascending group indices; empty for a fact without a value. The fact must be one of those from
  /// which the groups were built.
  [[nodiscard]] const std::vector<std::size_t>& places_of(const Relation& relation,
                                                          const Fact& fact) const {
    return places_.at({relation.code, fact.instance});
  }
  [[nodiscard]] bool is_in(const Relation& relation, const Fact& fact, std::size_t group) const {
    const auto& places = places_of(relation, fact);
    return ranges::find(places, group) != places.end();
  }

 private:
  using Key = std::pair<std::string, std::size_t>;  // relation and instance

  std::vector<std::string> names_;
  std::vector<std::size_t> facts_;
  std::size_t without_ = 0;
  std::map<Key, std::vector<std::size_t>> places_;
};

/// The relation of each table of answers, in order.
template <class Table>
[[nodiscard]] std::vector<const Relation*> relations_of(const std::vector<Table>& tables) {
  std::vector<const Relation*> relations;
  for (const Table& table : tables) relations.push_back(&table.relation);
  return relations;
}

/// Throws a user error if no fact of a dataset has the column. Called before the model is used.
inline void check_group_by(const Dataset& dataset, const std::string& column) {
  if (column.empty()) return;
  std::vector<const Relation*> relations;
  for (const Relation& relation : dataset.relations) relations.push_back(&relation);
  (void)FactsByColumn(relations, column);
}

/// The answers to the facts of one group; relations without such a fact are omitted.
[[nodiscard]] inline std::vector<RelationAnswers> answers_in_group(
    const std::vector<RelationAnswers>& all, const FactsByColumn& by, std::size_t group) {
  std::vector<RelationAnswers> chosen;
  for (const RelationAnswers& table : all) {
    RelationAnswers made;
    made.settings = table.settings;
    for (std::size_t f = 0; f < table.facts(); ++f) {
      const Fact& fact = table.relation.facts[f];
      if (!by.is_in(table.relation, fact, group)) continue;
      made.relation.facts.push_back(fact);
      const auto row = table.row(f);
      made.cells.insert(made.cells.end(), row.begin(), row.end());
    }
    if (made.relation.facts.empty()) continue;
    made.relation.code = table.relation.code;
    made.relation.options = table.relation.options;
    made.relation.domains = table.relation.domains;
    chosen.push_back(std::move(made));
  }
  return chosen;
}

/// The metrics of one model's facts under all templates, grouped by a column of the facts. Throws a
/// user error if no fact has the column.
[[nodiscard]] inline ColumnMetrics metrics_by_column(const std::vector<RelationAnswers>& answers,
                                                     const std::string& column,
                                                     const Bootstrap& bootstrap) {
  const FactsByColumn by(relations_of(answers), column);
  ColumnMetrics made{.column = column, .without = by.without()};
  for (std::size_t g = 0; g < by.names().size(); ++g) {
    const std::vector<RelationAnswers> group = answers_in_group(answers, by, g);
    made.values.emplace_back(by.names()[g],
                             group_metrics(under_all_templates(group), Weighting::facts, bootstrap,
                                           "column/" + column + "/" + by.names()[g]));
  }
  return made;
}

/// Groups the facts of all models, and computes each model's accuracy under one group of settings.
/// Throws a user error if no fact has the column.
[[nodiscard]] inline ColumnGroups group_by_column(const std::vector<ModelAnswers>& models,
                                                  const Setting& setting,
                                                  const std::string& column) {
  ColumnGroups made;
  made.column = column;
  std::vector<const Relation*> relations;
  for (const ModelAnswers& model : models) {
    for (const Relation* relation : relations_of(model.relations)) relations.push_back(relation);
  }
  const FactsByColumn by(relations, column);
  made.without = by.without();
  for (std::size_t g = 0; g < by.names().size(); ++g) {
    made.groups.push_back({by.names()[g], by.facts()[g]});
  }
  for (const ModelAnswers& model : models) {
    std::vector<double> right(made.groups.size());
    std::vector<std::size_t> asked(made.groups.size());
    for (const RelationAnswers& relation : model.relations) {
      const auto variants = variants_of(relation, setting);
      if (variants.empty()) continue;
      for (std::size_t f = 0; f < relation.facts(); ++f) {
        double mean = 0;
        for (const AnswersView& variant : variants) mean += variant.answer(f).accuracy();
        mean /= static_cast<double>(variants.size());
        for (const std::size_t g : by.places_of(relation.relation, relation.relation.facts[f])) {
          right[g] += mean;
          ++asked[g];
        }
      }
    }
    for (std::size_t g = 0; g < right.size(); ++g) {
      const double share = asked[g] == 0 ? 0 : right[g] / static_cast<double>(asked[g]);
      made.groups[g].accuracy.push_back(wilson_share(share, asked[g]));
    }
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
