// SPDX-License-Identifier: Apache-2.0
#pragma once

// What exactly was the model asked?
//
// A section for any page: the first prompt of each kind, as stored in a run folder
// (records/listed_prompt.hpp), with the candidates that were scored after or within it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Part, relation, subject and other short fields that identify the prompt.
inline std::string prompt_heading(const Json& row) {
  std::string html = label(first_string(row, "part").value_or("prompt"));
  for (const char* name : {"relation", "panel", "asks", "subject", "sub_label", "entity"}) {
    const auto text = first_string(row, name);
    if (!text || (std::string_view(name) == "sub_label" && row.contains("subject"))) continue;
    html += ", " + label(*text);
  }
  for (const char* name : {"template", "variant"}) {
    if (row.contains(name)) html += ", " + std::string(name) + " " + escape_html(row[name].dump());
  }
  return html;
}

inline std::string candidate_list(const Json& row) {
  const auto found = row.find("candidates");
  if (found == row.end() || !found->is_array()) return "";
  std::string html = "<ol class=\"scored\">\n";
  for (const Json& one : *found) {
    html += "<li><pre>" + escape_html(first_string(one, "text").value_or("")) + "</pre></li>\n";
  }
  html += "</ol>\n";
  const Json count = row.value("candidate_count", Json());
  if (!count.is_number_integer() || count.get<std::size_t>() <= found->size()) return html;
  return html + "<p class=\"dim\">and " + std::to_string(count.get<std::size_t>() - found->size()) +
         " more</p>\n";
}

/// The section; empty if a run has no prompts.
[[nodiscard]] inline std::string prompt_section(const std::vector<Json>& prompts) {
  if (prompts.empty()) return "";
  std::string html =
      heading("What the model was asked",
              "The first prompt of each kind, exactly as given to the model, and the candidates "
              "that were scored. <code>plumb data prompts RUN</code> prints all.");
  for (const Json& row : prompts) {
    const auto text = first_string(row, "prompt");
    html += "<details class=\"asked\"><summary>" + detail::prompt_heading(row) + "</summary>\n" +
            (text ? "<pre>" + escape_html(*text) + "</pre>\n" : "") + detail::candidate_list(row) +
            "</details>\n";
  }
  return html;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
