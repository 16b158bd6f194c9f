// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame that all pages share: title, what must be known of the numbers, then the page's own
// sections, what the model was asked, and the settings.

#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/prompt_section.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What a page has around its own sections. `lead`, what the page is about, is HTML.
struct PageFrame {
  std::string title;
  std::string lead;
  std::vector<std::string> notes;
  Json settings = Json::object();
  std::vector<Json> prompts{};
};

/// The whole page; `sections` are HTML.
[[nodiscard]] inline std::string whole_page(const PageFrame& frame, std::string_view sections) {
  std::string out = page_begin(frame.title) + "<h1>" + label(frame.title) +
                    "</h1>\n<p class=\"dim\">" + frame.lead + "</p>\n";
  for (const std::string& text : frame.notes) out += note_paragraph(text);
  return out.append(sections) + prompt_section(frame.prompts) + settings_table(frame.settings) +
         page_end();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
