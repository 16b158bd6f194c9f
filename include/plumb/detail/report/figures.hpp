// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a picture on a page become a file for a paper?
//
// Every chart and heat map on a finished page becomes a self-contained SVG file, with its style, a
// white background, and the names of its series listed below the picture. The page is the only
// source, so no figure is forgotten and every figure matches the page. Only plumb's own markup is
// read: `<svg class="chart`, the legend after it, and `<table class="heat`. Strings from datasets
// cannot contain this markup, because they are escaped (html.hpp). Styles use literal colours,
// because programs that convert SVG to PDF do not support variables.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/name_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A figure to be written to a file.
struct Figure {
  /// The file name without extension: lower-case letters, digits and "-".
  std::string name;
  std::string title;
  /// A complete XML document.
  std::string svg;
};

/// The page's style (page.hpp) in light mode, with literal colours.
inline constexpr std::string_view figure_style = R"css(
text{font:12px "DejaVu Sans",Helvetica,Arial,sans-serif;fill:#1c2430}.name,.axis.y{text-anchor:end}.axis{text-anchor:middle}.axis,.value{fill:#5d6b7c}
.grid{stroke:#dde3ea;fill:none}.bar{fill:#5b8fc7}.whisker{stroke:#1c2430;stroke-width:1.4;fill:none}.chance{stroke:#c9902c;stroke-width:2.5}
.series{fill:currentColor;stroke:none}.series .line,.series .median{fill:none;stroke:currentColor;stroke-width:1.8}.series .median{stroke-width:2.4}
.series .whisker{stroke:currentColor;opacity:.55}.series .box{fill-opacity:.3;stroke:currentColor}.series .point,.reference-label{fill:#1c2430;font-size:11px}.series .star{fill:#f2c230;stroke:#1c2430}
.s0{color:#0072b2}.s1{color:#d55e00}.s2{color:#009e73}.s3{color:#cc79a7}.s4{color:#e69f00}.s5{color:#56b4e9}.s6{color:#1c2430}.s7{color:#9a8f00}
.diagonal{stroke:#5d6b7c;stroke-dasharray:5 4}.histogram{fill:#5b8fc7;opacity:.28}.reference{stroke:#1c2430;stroke-width:1.2;stroke-dasharray:6 4}
.middle{text-anchor:middle}.strong{font-weight:600}
)css";

/// The raw value of an attribute in a tag; empty if there is none.
[[nodiscard]] inline std::string_view attribute_of(std::string_view tag, std::string_view name) {
  const std::string begin = " " + std::string(name) + "=\"";
  const std::size_t at = tag.find(begin);
  if (at == tag.npos) return {};
  const std::size_t from = at + begin.size();
  return tag.substr(from, tag.find('"', from) - from);
}

/// The plain text of HTML: removes tags, and decodes the characters that `escape_html` escapes.
[[nodiscard]] inline std::string plain_text(std::string_view html) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> entities{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};
  std::string text;
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '<') {
      at = html.find('>', at);
      if (at == html.npos) break;
      ++at;
      continue;
    }
    const auto found = std::find_if(entities.begin(), entities.end(), [&](const auto& entity) {
      return html.substr(at).starts_with(entity.first);
    });
    text += found == entities.end() ? html[at] : found->second;
    at += found == entities.end() ? 1 : found->first.size();
  }
  return text;
}

/// An SVG document; characters that XML does not allow (XML 1.0, section 2.2) become U+FFFD.
[[nodiscard]] inline std::string svg_document(double width, double height, std::string_view title,
                                              std::string_view elements) {
  const std::string size = short_length(width) + "\" height=\"" + short_length(height) + "\"";
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"" +
      size + " viewBox=\"0 0 " + short_length(width) + " " + short_length(height) + "\">\n<title>" +
      escape_html(title) + "</title>\n<style>" + std::string(figure_style) +
      "</style>\n<rect width=\"" + size + " fill=\"#ffffff\"/>\n" + std::string(elements) +
      "</svg>\n";
  for (const char* forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = text.find(forbidden); at != text.npos; at = text.find(forbidden, at)) {
      text.replace(at, 3, "\xEF\xBF\xBD");
    }
  }
  return text;
}

/// The parts of `html` from each `begin` to the next `end`, inclusive.
[[nodiscard]] inline std::vector<std::string_view> parts_of(std::string_view html,
                                                            std::string_view begin,
                                                            std::string_view end) {
  std::vector<std::string_view> parts;
  for (std::size_t at = html.find(begin); at != html.npos;) {
    const std::size_t to = html.find(end, at);
    if (to == html.npos) break;
    parts.push_back(html.substr(at, to + end.size() - at));
    at = html.find(begin, to);
  }
  return parts;
}

/// Writes the names of a chart's series in lines below the chart, and moves `y` below them.
inline std::string figure_legend(std::string_view legend, double width, double& y) {
  std::string svg;
  double x = 10;
  for (const std::string_view entry : parts_of(legend, "<span", "</span>")) {
    const std::string_view mark = parts_of(entry, "<svg", "</svg>").front();
    const std::vector<std::string> lines =
        name_lines(plain_text(entry.substr(entry.find("</svg>"))), 90);
    std::size_t longest = 0;
    for (const std::string& line : lines) longest = (std::max)(longest, count_code_points(line));
    const double wide = 7.2 * static_cast<double>(longest) + 34;
    if (x > 10 && x + wide > width) {
      x = 10;
      y += 18;
    }
    const std::size_t inner = mark.find('>') + 1;
    svg += "<g class=\"" + std::string(attribute_of(mark, "class")) + "\" transform=\"translate(" +
           short_length(x) + " " + short_length(y) + ")\">" +
           std::string(mark.substr(inner, mark.rfind("</svg>") - inner)) + "</g>";
    for (const std::string& line : lines) {
      svg += text_lines({line}, "class=\"legend\"", x + 18, y + 6);
      if (&line != &lines.back()) y += 14;
    }
    svg += "\n";
    x += wide;
  }
  y += 22;
  return svg;
}

/// A document with the chart's elements after its description, followed by its legend, which may be
/// empty.
[[nodiscard]] inline std::string chart_document(std::string_view chart, std::string_view legend) {
  const std::string_view tag = chart.substr(0, chart.find('>'));
  const std::string_view box = attribute_of(tag, "viewBox");  // "0 0 width height"
  const std::size_t last = box.rfind(' ');
  const double width = finite_number(box.substr(4, last - 4)).value();
  const double tall = finite_number(box.substr(last + 1)).value();
  double height = tall;
  std::string names;
  if (!legend.empty()) {
    height += 8;
    names = figure_legend(legend, width, height);
  }
  const std::size_t from = chart.find("<desc>");
  return svg_document(width, height, plain_text(attribute_of(tag, "aria-label")),
                      std::string(chart.substr(from, chart.rfind("</svg>") - from)) + names);
}

/// A colour mixed with white, as #rrggbb; `share` is the proportion of the colour.
[[nodiscard]] inline std::string tint(const std::array<int, 3>& colour, double share) {
  std::string text = "#";
  for (const int part : colour) {
    const int mixed = static_cast<int>(std::lround(255 + (part - 255) * share));
    for (const int digit : {mixed / 16, mixed % 16}) text += "0123456789abcdef"[digit];
  }
  return text;
}

/// A heat map as a picture, with vertical column names and their groups above them.
[[nodiscard]] inline std::string heat_document(std::string_view table) {
  constexpr double pitch = 14, cell_width = 46, letter = 7.2;
  constexpr std::size_t characters = 36;
  struct Cell {
    std::string text;
    std::string_view tag;
  };
  std::vector<std::vector<Cell>> rows;
  for (const std::string_view row : parts_of(table, "<tr", "</tr>")) {
    auto& cells = rows.emplace_back();
    for (std::size_t at = row.find("<t", 3); at != row.npos; at = row.find("<t", at + 1)) {
      const std::size_t inner = row.find('>', at) + 1;
      const std::size_t end = row.find(row[at + 2] == 'h' ? "</th>" : "</td>", inner);
      cells.push_back({plain_text(row.substr(inner, end - inner)), row.substr(at, inner - at)});
    }
  }
  const auto lines_of = [](const std::string& text) { return name_lines(text, characters); };
  const auto longest = [](const std::vector<std::string>& lines) {
    std::size_t most = 0;
    for (const std::string& line : lines) most = (std::max)(most, count_code_points(line));
    return letter * static_cast<double>(most);
  };
  const bool has_groups = rows.size() > 1 && table.find("<tr class=\"groups\"") != table.npos;
  const std::vector<Cell>& heads = rows[has_groups ? 1 : 0];
  double left = 60, top = 20, most_lines = 1;
  for (std::size_t r = has_groups ? 1 : 0; r < rows.size(); ++r) {
    left = (std::max)(left, longest(lines_of(rows[r][0].text)) + 14);
  }
  for (std::size_t c = 1; c < heads.size(); ++c) {
    const auto lines = lines_of(heads[c].text);
    top = (std::max)(top, longest(lines) + 16);
    most_lines = (std::max)(most_lines, static_cast<double>(lines.size()));
  }
  const double wide = (std::max)(cell_width, pitch * most_lines + 6);
  const auto upright = [](double x, double y) {
    return "transform=\"translate(" + short_length(x) + " " + short_length(y) + ") rotate(-90)\"";
  };
  std::string svg;
  double above = 0;
  if (has_groups) {
    for (const Cell& group : rows[0]) above = (std::max)(above, longest(lines_of(group.text)) + 10);
    double x = left;
    for (std::size_t g = 1; g < rows[0].size(); ++g) {
      const auto span = finite_number(attribute_of(rows[0][g].tag, "colspan"));
      const double room = wide * span.value_or(1);
      svg += "<g class=\"group\" " + upright(x + room / 2, above) + ">" +
             text_lines(lines_of(rows[0][g].text), "class=\"value\"", 0, 0) + "</g>";
      x += room;
    }
  }
  top += above;
  for (std::size_t c = 1; c < heads.size(); ++c) {
    svg += "<g " + upright(left + wide * (static_cast<double>(c) - 0.5), top - 6) + ">" +
           text_lines(lines_of(heads[c].text), "class=\"strong\"", 0, 0) + "</g>";
  }
  svg += text_lines(lines_of(heads[0].text), "class=\"strong\"", 4, top - 12) + "\n";
  double y = top;
  for (std::size_t r = has_groups ? 2 : 1; r < rows.size(); ++r) {
    const auto lines = lines_of(rows[r][0].text);
    const double tall = (std::max)(22.0, pitch * static_cast<double>(lines.size()) + 8);
    svg += text_lines(lines, "class=\"row\"", 4, y + tall / 2);
    for (std::size_t c = 1; c < rows[r].size(); ++c) {
      const auto& [text, tag] = rows[r][c];
      const double x = left + wide * static_cast<double>(c - 1);
      const std::string_view style = attribute_of(tag, "style");
      if (style.starts_with("--v:")) {
        const bool is_minus = attribute_of(tag, "class").starts_with("minus");
        const std::string_view percent = style.substr(4, style.find('%') - 4);
        const double share = finite_number(percent).value_or(0) / 100 * 0.62;
        svg += "<rect x=\"" + short_length(x) + "\" y=\"" + short_length(y) + "\" width=\"" +
               short_length(wide - 1) + "\" height=\"" + short_length(tall - 1) + "\" fill=\"" +
               (is_minus ? tint({0xb5, 0x47, 0x2d}, share) : tint({0x5b, 0x8f, 0xc7}, share)) +
               "\"/>";
      }
      svg += text_lines({text}, "class=\"middle\"", x + wide / 2, y + tall / 2);
    }
    svg += "\n";
    y += tall;
  }
  const double width = left + wide * static_cast<double>(heads.size() - 1) + 6;
  const std::string_view tag = table.substr(0, table.find('>'));
  return svg_document(width, y + 6, plain_text(attribute_of(tag, "aria-label")), svg);
}

/// All pictures of a page, in page order. If several pictures have the same title, a number is
/// appended to their names to tell them apart.
[[nodiscard]] inline std::vector<Figure> figures_of(std::string_view page) {
  constexpr std::string_view chart = "<svg class=\"chart", heat = "<table class=\"heat";
  std::vector<Figure> figures;
  std::vector<std::string> names;
  for (std::size_t at = (std::min)(page.find(chart), page.find(heat)); at != page.npos;) {
    const bool is_chart = page.substr(at).starts_with(chart);
    const std::string_view end = is_chart ? "</svg>" : "</table>";
    const std::string_view whole = page.substr(at, page.find(end, at) + end.size() - at);
    std::string_view legend = page.substr(at + whole.size());
    if (legend.starts_with("</div>")) legend.remove_prefix(6);
    const bool has_legend = is_chart && legend.starts_with("<figcaption");
    legend = has_legend ? legend.substr(0, legend.find("</figcaption>")) : std::string_view();
    const std::string title =
        plain_text(attribute_of(whole.substr(0, whole.find('>')), "aria-label"));
    const std::string name = free_slug(names, slug_of(escape_html(title), "figure"));
    figures.push_back(
        {name, title, is_chart ? chart_document(whole, legend) : heat_document(whole)});
    at += whole.size();
    at = (std::min)(page.find(chart, at), page.find(heat, at));
  }
  return figures;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
