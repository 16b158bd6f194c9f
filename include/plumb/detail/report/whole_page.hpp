// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame that all pages share: title, what must be known of the numbers, a list of links to the
// sections, then the page's own sections, what the model was asked, and the settings.
//
// What stands from one heading to the next is an element of its own with an id, made of the heading's
// letters, so that a link may lead to it.

#include <cstddef>
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

/// HTML whose sections are elements with ids, behind the list of links to them where there are several.
[[nodiscard]] inline std::string linked_sections(std::string_view html) {
  constexpr std::string_view begin = "<h2>", end = "</h2>";
  std::vector<std::string> ids;
  std::string links, made;
  std::size_t at = html.find(begin);
  const std::string before(html.substr(0, at));
  while (at != html.npos) {
    const std::size_t next = html.find(begin, at + 1), from = at + begin.size();
    const std::string title(html.substr(from, html.find(end, from) - from));
    const std::string id = free_slug(ids, slug_of(title, "section"));
    links += "<li><a href=\"#" + id + "\">" + title + "</a></li>\n";
    made += "<section id=\"" + id + "\">\n";
    made.append(html.substr(at, next == html.npos ? next : next - at)).append("</section>\n");
    at = next;
  }
  if (ids.size() < 2) return before + made;
  return "<nav class=\"contents screen\" aria-label=\"Sections\"><ul>\n" + links + "</ul></nav>\n" +
         before + made;
}

/// The whole page; `sections` are HTML.
[[nodiscard]] inline std::string whole_page(const PageFrame& frame, std::string_view sections) {
  std::string out = page_begin(frame.title) + "<h1>" + label(frame.title) +
                    "</h1>\n<p class=\"dim\">" + frame.lead + "</p>\n";
  for (const std::string& text : frame.notes) out += note_paragraph(text);
  return out +
         linked_sections(std::string(sections) + prompt_section(frame.prompts) +
                         settings_table(frame.settings)) +
         page_end();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
