// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a table of results look on a terminal?
//
// Columns as wide as their widest cell, the first flush left, numbers flush right; widths count
// code points, so accents do not shift a column. Where a table is wider than the terminal, columns
// are left out, and a line below it says which.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/number_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/core/printable.hpp"
#include "plumb/core/utf8.hpp"
#include "plumb/measure/interval.hpp"

namespace plumb {

/// "0.150", or "–" when there is no number.
[[nodiscard]] inline std::string number_or_dash(const Estimate& estimate, int decimals = 3) {
  return estimate.count == 0 ? "–" : fixed(estimate.value, decimals);
}

/// "0.150 [0.142, 0.158]", "1.000 [–]" without an interval, or "–" when there is no number.
[[nodiscard]] inline std::string with_interval(const Estimate& estimate, int decimals = 3) {
  if (estimate.count == 0) return "–";
  if (!estimate.has_interval()) return fixed(estimate.value, decimals) + " [–]";
  return fixed(estimate.value, decimals) + " [" + fixed(estimate.low, decimals) + ", " +
         fixed(estimate.high, decimals) + "]";
}

namespace detail {

/// What tables call accuracy where the first of a tie is the answer.
inline constexpr const char* first_wins = "accuracy (first wins)";
inline constexpr const char* first_wins_title = "Accuracy (first wins)";

}  // namespace detail

/// How wide a table may be, and what is said of the columns that do not fit.
struct TableWidth {
  /// In characters; 0 for any width.
  std::size_t characters = 0;
  /// Where the columns that were left out are to be found: "see report.html"; may be empty.
  std::string where{};
};

/// How long a column stays in a table that is too wide.
enum class ColumnWeight { minor, usual, major };

/// A table for a terminal, its columns aligned. Not thread-safe.
class TextTable {
 public:
  /// Columns beyond those of `weights` have the usual one.
  explicit TextTable(std::vector<std::string> header, std::vector<ColumnWeight> weights = {})
      : weights_(std::move(weights)) {
    weights_.resize(header.size(), ColumnWeight::usual);
    add(std::move(header));
  }

  /// Cells beyond the header's count are not allowed; missing ones are blank. Control characters in
  /// them are written out.
  void add(std::vector<std::string> cells) {
    cells.resize(weights_.size());
    for (std::string& cell : cells) cell = printable(cell);
    rows_.push_back(std::move(cells));
  }
  /// A rule between groups of rows.
  void add_rule() { rules_.push_back(rows_.size()); }

  /// Left out of a table that is too wide: of the columns with the least weight the last, as often
  /// as needed; then those come back for which there is room after all. The first column stays, and
  /// one beside it, however wide they are.
  [[nodiscard]] std::string text(const TableWidth& width = {}) const {
    const std::vector<std::size_t> widths = column_widths();
    const std::vector<bool> shown = columns_within(widths, width.characters);
    std::string rule;
    for (std::size_t i = 0; i < total_width(widths, shown); ++i) rule += "─";
    rule += '\n';
    std::string out;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r == 1 || over::find(rules_, r) != rules_.end()) out += rule;
      std::string line;
      for (std::size_t c = 0; c < widths.size(); ++c) {
        if (!shown[c]) continue;
        const std::string pad(widths[c] - count_code_points(rows_[r][c]), ' ');
        line += c == 0 ? rows_[r][c] + pad : "  " + pad + rows_[r][c];
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out + words_below(widths, shown, width);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> column_widths() const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const auto& row : rows_) {
      for (std::size_t c = 0; c < row.size(); ++c)
        widths[c] = std::max(widths[c], count_code_points(row[c]));
    }
    return widths;
  }

  /// Of the columns that are shown, with two blanks between them.
  static std::size_t total_width(const std::vector<std::size_t>& widths,
                                 const std::vector<bool>& shown) {
    std::size_t total = 0;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (shown[c]) total += widths[c] + (c > 0 ? 2 : 0);
    }
    return total;
  }

  /// Which columns a table of at most so many characters shows.
  [[nodiscard]] std::vector<bool> columns_within(const std::vector<std::size_t>& widths,
                                                 std::size_t characters) const {
    std::vector<bool> shown(widths.size(), true);
    if (characters == 0) return shown;
    std::vector<std::size_t> left_out;
    while (total_width(widths, shown) > characters && left_out.size() + 2 < widths.size()) {
      std::size_t least = 0;  // the first column stands for none
      for (std::size_t c = 1; c < widths.size(); ++c) {
        if (shown[c] && (least == 0 || weights_[c] <= weights_[least])) least = c;
      }
      shown[least] = false;
      left_out.push_back(least);
    }
    for (auto c = left_out.rbegin(); c != left_out.rend(); ++c) {
      shown[*c] = true;
      if (total_width(widths, shown) > characters) shown[*c] = false;
    }
    return shown;
  }

  /// Names what was left out; nothing where all is shown.
  [[nodiscard]] std::string words_below(const std::vector<std::size_t>& widths,
                                        const std::vector<bool>& shown,
                                        const TableWidth& width) const {
    std::string names;
    for (std::size_t c = 0; c < shown.size(); ++c) {
      if (!shown[c]) names += (names.empty() ? "" : ", ") + rows_.front()[c];
    }
    if (names.empty()) return "";
    const std::size_t all = total_width(widths, std::vector<bool>(widths.size(), true));
    return "Left out of " + std::to_string(all) + " characters to fit " +
           std::to_string(width.characters) + ": " + names +
           (width.where.empty() ? "" : "; " + width.where) + ".\n";
  }

  std::vector<ColumnWeight> weights_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> rules_;
};

}  // namespace plumb
