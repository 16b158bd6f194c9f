// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a table of results look on a terminal?
//
// Columns as wide as their widest cell, the first flush left, numbers flush right; widths count
// code points, so accents do not shift a column.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/number_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/utf8.hpp"
#include "plumb/measure/interval.hpp"

namespace plumb {

/// "0.150", or "–" when there is no number.
[[nodiscard]] inline std::string number_or_dash(const Estimate& estimate, int decimals = 3) {
  return estimate.count == 0 ? "–" : fixed(estimate.value, decimals);
}

/// "0.150 [0.142, 0.158]", or "–" when there is no number.
[[nodiscard]] inline std::string with_interval(const Estimate& estimate, int decimals = 3) {
  if (estimate.count == 0) return "–";
  return fixed(estimate.value, decimals) + " [" + fixed(estimate.low, decimals) + ", " +
         fixed(estimate.high, decimals) + "]";
}

namespace detail {

/// What tables call accuracy where the first of a tie is the answer.
inline constexpr const char* first_wins = "accuracy (first wins)";
inline constexpr const char* first_wins_title = "Accuracy (first wins)";

}  // namespace detail

/// A table for a terminal, its columns aligned. Not thread-safe.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

  /// Cells beyond the header's count are not allowed; missing ones are blank.
  void add(std::vector<std::string> cells) {
    cells.resize(rows_.front().size());
    rows_.push_back(std::move(cells));
  }
  /// A rule between groups of rows.
  void add_rule() { rules_.push_back(rows_.size()); }

  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_) {
      for (std::size_t c = 0; c < row.size(); ++c)
        widths[c] = std::max(widths[c], count_code_points(row[c]));
    }
    std::size_t total = 0;
    for (const std::size_t width : widths) total += width + 2;
    std::string rule;
    for (std::size_t i = 0; i + 2 < total; ++i) rule += "─";
    rule += '\n';
    std::string out;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r == 1 || over::find(rules_, r) != rules_.end()) out += rule;
      std::string line;
      for (std::size_t c = 0; c < widths.size(); ++c) {
        const std::string pad(widths[c] - count_code_points(rows_[r][c]), ' ');
        line += c == 0 ? rows_[r][c] + pad : "  " + pad + rows_[r][c];
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> rules_;
};

}  // namespace plumb
