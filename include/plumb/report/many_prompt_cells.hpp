// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does one result of many prompts look in a table's cell?
//
// Cells that tables of many prompts share, beside those of page.hpp.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/calibrate/many_prompt_results.hpp"
#include "plumb/report/page.hpp"

namespace plumb::detail {

/// A name, which a table is sorted by as it is read.
inline std::string name_cell(std::string_view name) {
  return "<td>" + label(name) + "</td>";
}

/// A number without an interval.
inline std::string plain_number_cell(const std::optional<double>& value, int decimals = 3) {
  if (!value) return "<td data-v=\"-1\">–</td>";
  return "<td data-v=\"" + fixed(*value, 8) + "\">" + fixed(*value, decimals) + "</td>";
}

/// A number with something in small print below it, which is plain text; a lone "–" for none.
inline std::string remarked_cell(const Estimate& e, const std::string& remark) {
  std::string made = cell(e);
  if (remark.empty() || e.count == 0) return made;
  return made.insert(made.rfind("</td>"), "<small>" + escape_html(remark) + "</small>");
}

/// A share of matching pairs, with the facts that have none.
inline std::string share_cell(const MatchingShare& share) {
  return remarked_cell(share.share,
                       share.excluded == 0 ? "" : std::to_string(share.excluded) + " left out");
}

/// A longer text, which may wrap, with what it is sorted by and the small print below it.
inline std::string text_cell(std::string_view text, double sorted_by, std::string_view remark) {
  return "<td data-v=\"" + fixed(sorted_by, 8) +
         "\" style=\"text-align:left;white-space:normal;min-width:170px\">" + label(text) +
         "<small>" + escape_html(remark) + "</small></td>";
}
/// A longer text that is sorted by itself.
inline std::string text_cell(std::string_view text) {
  return "<td style=\"text-align:left;white-space:normal;overflow-wrap:anywhere\">" + label(text) +
         "</td>";
}

/// "1.2%": a share in words, which shows no more than it must.
inline std::string percent_of(double share) {
  return fixed(100 * share, 2) + "%";
}

/// Words below a table.
inline std::string words_below(const std::string& html) {
  return "<p class=\"dim\">" + html + "</p>\n";
}

/// A part that is shown when it is asked for; `summary` is plain text.
inline std::string fold_away(const std::string& summary, const std::string& html) {
  return "<details><summary>" + escape_html(summary) + "</summary>\n" + html + "</details>\n";
}

}  // namespace plumb::detail
