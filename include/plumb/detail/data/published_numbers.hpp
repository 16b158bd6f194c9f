// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which numbers has somebody published, and what are they called in a run?
//
//   table,model,dataset,candidates,queries,setting,relation,metric,value,note
//   4,OPT-1.3B,WN18RR,single-token,test,methods.deer.raw.realistic,,hits_at_10,0.14,
// `setting`, "relations" with `relation`, and `metric`, joined by dots, are the number's name: where
// it stands in the metrics.json of a run (records/metrics_file.hpp), of which any part may be in
// `metric` alone. `value` is the number as it was printed, a share and not a percentage where the
// run's is one. `candidates` and `queries` say what was ranked among and what was asked, as `candidates` of
// rank and asked_queries do ("500 of test"); empty where the source does not say. The other fields are for people; all but `model`, `metric` and `value` may be missing,
// columns of other names are not looked at. Non-goal: which run a number is of.

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/csv_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct PublishedNumber {
  std::string table{};
  std::string model;
  std::string dataset{};
  /// What was ranked among, and what was asked; empty where it is not said.
  std::string candidates{};
  std::string queries{};
  /// Its name in a run's metrics.json.
  std::string name;
  double value = 0;
  /// As it was printed.
  std::string printed{};
  /// How many decimals it was printed with, so it is known to half of the last.
  int decimals = 0;
  std::string note{};
  /// Where it stands.
  DiskPath file{};
  std::size_t line = 0;

  /// Half a step of its last decimal: how far the number may be from what was printed.
  [[nodiscard]] double rounding() const { return 0.5 * std::pow(10.0, -decimals); }
};

/// Decimals of "0.140" (3), "12" (0), "2.41e-38" (40).
inline int decimals_of(std::string_view text) {
  const std::size_t power = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, power);
  const std::size_t point = digits.find('.');
  int decimals = point == std::string_view::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  if (power != std::string_view::npos) {
    std::string_view exponent = text.substr(power + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int ten = 0;
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), ten);
    decimals -= ten;
  }
  return decimals;
}

inline std::string number_name(const std::string& setting, const std::string& relation,
                               const std::string& metric) {
  return (setting.empty() ? "" : setting + ".") +
         (relation.empty() ? "" : "relations." + relation + ".") + metric;
}

inline void append_published_numbers(const DiskPath& file, std::vector<PublishedNumber>& into) {
  const CsvFile csv(file, throw_problem);
  for (const char* column : {"model", "metric", "value"}) (csv.require)(column);
  for (const CsvRecord& record : csv.records()) {
    const auto text = [&](const char* column) {
      return csv.has(column) ? csv.at(record, column) : std::string();
    };
    for (const char* column : {"model", "metric"}) {
      if (!text(column).empty()) continue;
      throw user_error({file, record.line, column}, "is empty", "every number needs one");
    }
    const std::string value = text("value");
    const auto number = finite_number(value);
    if (!number) {
      throw user_error({file, record.line, "value"}, "'" + value + "' is no number",
                       "write it as 0.14, without a percent sign");
    }
    into.push_back({text("table"), text("model"), text("dataset"), text("candidates"),
                    text("queries"), number_name(text("setting"), text("relation"), text("metric")),
                    *number, value, decimals_of(value), text("note"), file, record.line});
  }
}

/// The numbers of a file, or of all .csv files of a folder, in order. Throws a user error, with file,
/// line and column, for a file that is no such table and for a field that is wrong, and for no numbers
/// at all.
[[nodiscard]] inline std::vector<PublishedNumber> read_published_numbers(const DiskPath& path) {
  std::vector<PublishedNumber> numbers;
  if (path.is_folder()) {
    for (const DiskPath& file : path.files(".csv")) {
      detail::append_published_numbers(file, numbers);
    }
  } else {
    detail::append_published_numbers(path, numbers);
  }
  if (numbers.empty()) {
    throw user_error({.file = path}, "holds no published number",
                     "name a .csv with the columns model, metric and value, or a folder of them");
  }
  return numbers;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
