// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which numbers are published, and under which names does a run report them?
//
//   table,model,dataset,candidates,queries,setting,relation,metric,value,note
//   4,OPT-1.3B,WN18RR,single-token,test,methods.deer.raw.realistic,,hits_at_10,0.14,
// The number's name consists of `setting`, "relations" with `relation`, and `metric`, joined by
// dots. The name is the number's path in a run's metrics.json (records/metrics_file.hpp); any part
// of the path may be written in `metric`. `value` is the number as printed, except that a
// percentage is converted to a fraction if the run reports a fraction. `candidates` and `queries`
// describe the candidates and the queries, in the format that a rank run uses for `candidates` and
// asked_queries ("500 of test"); they are empty if the source does not specify them. The other
// fields are for human readers. Only `model`, `metric` and `value` are required, and columns with
// other names are ignored. Non-goal: matching numbers to runs.

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
  /// The candidates and the queries; empty if not specified.
  std::string candidates{};
  std::string queries{};
  /// The number's path in a run's metrics.json.
  std::string name;
  double value = 0;
  /// The value as printed.
  std::string printed{};
  /// The number of printed decimals; the printed value is accurate to half a unit of the last one.
  int decimals = 0;
  std::string note{};
  /// The file and line of the number.
  DiskPath file{};
  std::size_t line = 0;

  /// Half a unit of the last decimal: the largest rounding error of the printed value.
  [[nodiscard]] double rounding() const { return 0.5 * std::pow(10.0, -decimals); }
};

/// The number of decimals: 3 for "0.140", 0 for "12", 40 for "2.41e-38".
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
      throw user_error({file, record.line, column}, "is empty",
                       "add one, because every number needs it");
    }
    const std::string value = text("value");
    const auto number = finite_number(value);
    if (!number) {
      throw user_error({file, record.line, "value"}, "'" + value + "' is not a number",
                       "write it like 0.14, without a percent sign");
    }
    into.push_back({text("table"), text("model"), text("dataset"), text("candidates"),
                    text("queries"), number_name(text("setting"), text("relation"), text("metric")),
                    *number, value, decimals_of(value), text("note"), file, record.line});
  }
}

/// The numbers in a file, or in all .csv files of a folder, in order. Throws a user error, with
/// file, line and column, if a file does not have this format, if a field is invalid, or if there
/// are no numbers.
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
    throw user_error({.file = path}, "contains no published numbers",
                     "pass a .csv with the columns model, metric and value, or a folder of them");
  }
  return numbers;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
