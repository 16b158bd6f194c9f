// SPDX-License-Identifier: Apache-2.0
#pragma once

// A table of results on a terminal.
//
// Columns are as wide as their widest cell; the first column is left-aligned, and numbers are
// right-aligned. Widths are counted in code points, so accents do not shift a column. If a table is
// wider than the terminal, intervals and columns are omitted and then listed below the table.

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// "0.150", or "–" when there is no number.
[[nodiscard]] inline std::string number_or_dash(const Estimate& estimate, int decimals = 3) {
  return !estimate.exists() ? "–" : with_decimals(estimate.value, decimals);
}

/// "0.150 [0.142, 0.158]", "1.000 [–]" without an interval, or "–" when there is no number.
[[nodiscard]] inline std::string with_interval(const Estimate& estimate, int decimals = 3) {
  if (!estimate.exists()) return "–";
  if (!estimate.has_interval()) return with_decimals(estimate.value, decimals) + " [–]";
  return with_decimals(estimate.value, decimals) + " [" + with_decimals(estimate.low, decimals) +
         ", " + with_decimals(estimate.high, decimals) + "]";
}

/// The heading for the accuracy computed by taking the first of tied options as the answer.
inline constexpr const char* first_wins_heading = "accuracy (first wins)";
inline constexpr const char* first_wins_title = "Accuracy (first wins)";

/// Shortens a string to at most `characters`, replacing the rest with "…". The "…" is at the end
/// or, if `characters` is large enough, before the last twelve characters, which may contain a
/// setting's name.
inline std::string cut_to(const std::string& text, std::size_t characters) {
  if (count_code_points(text) <= characters) return text;
  std::vector<std::size_t> begins;  // the byte offset of each character
  for (std::size_t at = 0; at < text.size();) {
    begins.push_back(at);
    const std::size_t size = first_code_point(std::string_view(text).substr(at)).size;
    at += size == 0 ? 1 : size;
  }
  const std::size_t tail = characters < 20 ? 0 : 12;
  return text.substr(0, begins[characters - tail - 1]) + "…" +
         (tail == 0 ? "" : text.substr(begins[begins.size() - tail]));
}

/// The maximum width of a table, and where a reader can find the columns that do not fit.
struct TableWidth {
  /// In characters; 0 for no limit.
  std::size_t characters = 0;
  /// Where the omitted columns can be found, such as "see report.html"; may be empty.
  std::string where{};
};

/// A column's priority when a table is too wide.
enum class ColumnWeight { minor, usual, major };

/// The suffix of the heading of a column whose numbers have intervals.
inline constexpr std::string_view interval_heading = " [95%]";

/// Wraps text into lines of at most `characters`, breaking at spaces; a longer word gets its own
/// line. 0 means no limit.
inline std::string in_lines(const std::string& text, std::size_t characters) {
  if (characters == 0) return text;
  std::string out, word;
  std::size_t used = 0;
  std::istringstream words(text);
  while (words >> word) {
    const std::size_t length = count_code_points(word);
    const bool fits = used == 0 || used + 1 + length <= characters;
    if (used > 0) out += fits ? ' ' : '\n';
    out += word;
    used = (fits && used > 0 ? used + 1 : 0) + length;
  }
  return out;
}

/// Applies `in_lines` to each line of a text in which every line ends in a newline.
inline std::string each_in_lines(const std::string& text, std::size_t characters) {
  std::string out, line;
  std::istringstream lines(text);
  while (std::getline(lines, line)) out += in_lines(line, characters) + "\n";
  return out;
}

/// A table for a terminal with aligned columns. A column whose heading ends in " [95%]" contains
/// numbers with intervals, as formatted by `with_interval`. Not thread-safe.
class TextTable {
 public:
  /// Columns without an element in `weights` have the usual weight.
  explicit TextTable(std::vector<std::string> header, std::vector<ColumnWeight> weights = {})
      : weights_(std::move(weights)) {
    weights_.resize(header.size(), ColumnWeight::usual);
    add(std::move(header));
  }

  /// There must not be more cells than headings; missing cells are blank. Control characters in
  /// cells are escaped.
  void add(std::vector<std::string> cells) {
    cells.resize(weights_.size());
    for (std::string& cell : cells) cell = printable(cell);
    rows_.push_back(std::move(cells));
  }
  /// A rule between groups of rows.
  void add_rule() { rules_.push_back(rows_.size()); }

  /// If the table is too wide, the columns of least weight first lose their intervals, starting
  /// with the last column, and are then omitted, until the table fits. Whatever still fits is then
  /// restored. The first column and one other are always kept, even if they are too wide.
  [[nodiscard]] std::string text(const TableWidth& width = {}) const {
    const std::vector<Shown> shown = shown_within(width.characters);
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < shown.size(); ++c) widths.push_back(width_of(c, shown[c]));
    std::string rule;
    for (std::size_t i = 0; i < total_width(shown); ++i) rule += "─";
    rule += '\n';
    std::string out;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r == 1 || ranges::find(rules_, r) != rules_.end()) out += rule;
      std::string line;
      for (std::size_t c = 0; c < shown.size(); ++c) {
        if (shown[c] == Shown::not_at_all) continue;
        const std::string cell = cell_of(r, c, shown[c]);
        const std::string pad(widths[c] - count_code_points(cell), ' ');
        line += c == 0 ? cell + pad : "  " + pad + cell;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out + words_below(shown, width);
  }

 private:
  /// How much of a column a table shows.
  enum class Shown { not_at_all, without_intervals, whole };

  [[nodiscard]] bool has_intervals(std::size_t column) const {
    return rows_.front()[column].ends_with(detail::interval_heading);
  }

  /// The text of a cell, without its interval if intervals are not shown.
  [[nodiscard]] std::string cell_of(std::size_t row, std::size_t column, Shown shown) const {
    const std::string& cell = rows_[row][column];
    const bool cuts = shown == Shown::without_intervals && has_intervals(column);
    return cuts ? cell.substr(0, cell.find(" [")) : cell;
  }

  [[nodiscard]] std::size_t width_of(std::size_t column, Shown shown) const {
    std::size_t width = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      width = (std::max)(width, count_code_points(cell_of(r, column, shown)));
    return width;
  }

  /// The total width of the shown columns, separated by two spaces.
  [[nodiscard]] std::size_t total_width(const std::vector<Shown>& shown) const {
    std::size_t total = 0;
    for (std::size_t c = 0; c < shown.size(); ++c) {
      if (shown[c] != Shown::not_at_all) total += width_of(c, shown[c]) + (c > 0 ? 2 : 0);
    }
    return total;
  }

  /// How much of each column is shown in a table of at most `characters`.
  [[nodiscard]] std::vector<Shown> shown_within(std::size_t characters) const {
    std::vector<Shown> shown(rows_.front().size(), Shown::whole);
    if (characters == 0) return shown;
    struct Change {
      std::size_t column;
      Shown before;
    };
    const auto gives_intervals = [&](std::size_t c) {
      return shown[c] == Shown::whole && has_intervals(c);
    };
    std::vector<Change> changes;
    while (total_width(shown) > characters) {
      std::size_t least = 0, others = 0;  // 0, the index of the first column, means none
      for (std::size_t c = 1; c < shown.size(); ++c) {
        if (shown[c] == Shown::not_at_all) continue;
        ++others;
        const bool is_less = least == 0 || weights_[c] < weights_[least];
        if (is_less ||
            (weights_[c] == weights_[least] && gives_intervals(c) >= gives_intervals(least))) {
          least = c;
        }
      }
      if (least == 0) break;
      const bool shortens = gives_intervals(least);
      if (!shortens && others == 1) break;
      changes.push_back({least, shown[least]});
      shown[least] = shortens ? Shown::without_intervals : Shown::not_at_all;
    }
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      Shown& now = shown[change->column];
      // A column that is still left out cannot get its intervals back.
      if (now == Shown::not_at_all && change->before == Shown::whole &&
          has_intervals(change->column)) {
        continue;
      }
      const Shown tried = std::exchange(now, change->before);
      if (total_width(shown) > characters) now = tried;
    }
    return shown;
  }

  /// Lists the omitted columns and intervals, wrapped to the given width; empty if everything is
  /// shown.
  [[nodiscard]] std::string words_below(const std::vector<Shown>& shown,
                                        const TableWidth& width) const {
    std::string names, intervals;
    for (std::size_t c = 0; c < shown.size(); ++c) {
      if (shown[c] == Shown::whole) continue;
      std::string& list = shown[c] == Shown::not_at_all ? names : intervals;
      add_to_list(list, cell_of(0, c, Shown::without_intervals));
    }
    if (names.empty() && intervals.empty()) return "";
    if (!intervals.empty()) add_to_list(names, "intervals of " + intervals);
    const std::size_t all = total_width(std::vector<Shown>(shown.size(), Shown::whole));
    return detail::in_lines("Left out to fit " + std::to_string(width.characters) + " of " +
                                std::to_string(all) + " characters: " + names +
                                (width.where.empty() ? "" : "; " + width.where) + ".",
                            std::max<std::size_t>(width.characters, 40)) +
           "\n";
  }

  std::vector<ColumnWeight> weights_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> rules_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
