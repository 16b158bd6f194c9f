// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame that all pages share: the title, notes about the numbers, links to the sections, the
// page's own sections, the model's prompts, and the settings.
//
// The content between one heading and the next is wrapped in one element. Its id is derived from
// the heading's text, so that links can point to it.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/prompt_section.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The parts of a page that surround its own sections. `lead`, the page's introduction, is HTML.
struct PageFrame {
  std::string title;
  std::string lead;
  std::vector<std::string> notes;
  Json settings = Json::object();
  std::vector<Json> prompts{};
};

/// Wraps each section in an element with an id. If there are several sections, they are preceded by
/// a list of links to them. A section inside a collapsible part ends with that part and is not
/// listed.
[[nodiscard]] inline std::string linked_sections(std::string_view html) {
  constexpr std::string_view heading = "<h2>", fold = "<details", unfold = "</details>";
  std::vector<std::string> ids;
  std::string links, made;
  // whether a section is open, for each level of collapsible parts
  std::vector<bool> is_open{false};
  std::size_t listed = 0, from = 0;
  const auto close = [&] {
    if (is_open.back()) made += "</section>\n";
    is_open.back() = false;
  };
  while (true) {
    const std::size_t at = (std::min)(
        {html.find(heading, from), html.find(fold, from), html.find(unfold, from), html.size()});
    made += html.substr(from, at - from);
    if (at == html.size()) break;
    const std::string_view rest = html.substr(at);
    if (rest.starts_with(heading)) {
      close();
      const std::string title(rest.substr(heading.size(), rest.find("</h2>") - heading.size()));
      const std::string id = free_slug(ids, slug_of(title, "section"));
      if (is_open.size() == 1) {
        links += "<li><a href=\"#" + id + "\">" + title + "</a></li>\n";
        ++listed;
      }
      made += "<section id=\"" + id + "\">\n";
      is_open.back() = true;
    } else if (rest.starts_with(fold)) {
      is_open.push_back(false);
    } else if (is_open.size() > 1) {
      close();
      is_open.pop_back();
    }
    const std::size_t length = rest.starts_with(heading) ? heading.size()
                               : rest.starts_with(fold)  ? fold.size()
                                                         : unfold.size();
    made += rest.substr(0, length);
    from = at + length;
  }
  close();
  if (listed < 2) return made;
  return "<nav class=\"contents screen\" aria-label=\"Sections\"><ul>\n" + links + "</ul></nav>\n" +
         made;
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
