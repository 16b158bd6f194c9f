// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do all pages share?
//
// The frame of a report: one style for screen, dark mode and print, and the script for tables and
// models (page_script.hpp). The page contains both and loads no other files.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/page_script.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr std::string_view page_style = R"css(
:root{--ink:#1c2430;--dim:#5d6b7c;--line:#dde3ea;--paper:#ffffff;--tint:#f4f7fa;--bar:#5b8fc7;--good:#277a4c;--bad:#b5472d;--chance:#c9902c;--picked:#2f6fb5;--link:#24598f}
@media (prefers-color-scheme:dark){:root{--ink:#e4e9ef;--dim:#94a3b5;--line:#344150;--paper:#161c24;--tint:#1e2731;--bar:#5f96d2;--good:#55b582;--bad:#e0795f;--chance:#e0b050;--picked:#2f6fb5;--link:#8fbcec}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1060px;padding:28px 24px 60px;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif;overflow-wrap:break-word}
h1{font-size:25px;margin:0 0 2px}h2{font-size:18px;margin:34px 0 8px;padding-top:10px;border-top:1px solid var(--line)}
p{margin:6px 0}.dim{color:var(--dim)}.note{background:var(--tint);border-left:3px solid var(--chance);padding:8px 12px;margin:12px 0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(128px,1fr));gap:12px;margin:18px 0}
.card{max-width:320px;background:var(--tint);border-radius:8px;padding:12px 14px}
.card b{display:block;font-size:26px;line-height:1.2;font-variant-numeric:tabular-nums}.card span{color:var(--dim);font-size:13px;display:block}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:13.5px}
th,td{text-align:right;padding:4px 8px;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left}
thead th{white-space:normal;background:var(--tint);position:sticky;top:0;vertical-align:bottom}
table.sortable td:first-child{white-space:normal;overflow-wrap:break-word;max-width:340px}table.sortable thead th{cursor:pointer}th[aria-sort=ascending]::after{content:" ▲";font-size:10px}th[aria-sort=descending]::after{content:" ▼";font-size:10px}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--bar)}
.wide{overflow-x:auto;background:linear-gradient(90deg,var(--paper) 30%,transparent),linear-gradient(270deg,var(--paper) 30%,transparent) 100% 0,linear-gradient(90deg,var(--line),transparent),linear-gradient(270deg,var(--line),transparent) 100% 0;background-repeat:no-repeat;background-size:48px 100%,48px 100%,16px 100%,16px 100%;background-attachment:local,local,scroll,scroll}.settings{font-size:13px}.settings td{text-align:left;white-space:normal;overflow-wrap:anywhere}.settings td:first-child{color:var(--dim);width:190px}
.chart{width:100%;min-width:680px;height:auto;font-size:12px}.chart text{fill:var(--ink)}.chart .name{text-anchor:end}.chart .axis{text-anchor:middle;fill:var(--dim)}
.chart .value{fill:var(--dim);font-variant-numeric:tabular-nums}.chart .grid{stroke:var(--line)}.chart .bar{fill:var(--bar);opacity:.85}
.chart .whisker{stroke:var(--ink);stroke-width:1.4;fill:none}.chart .chance{stroke:var(--chance);stroke-width:2.5}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(310px,100%),1fr));gap:6px 18px}.plots.two{grid-template-columns:repeat(auto-fill,minmax(min(440px,100%),1fr))}.plots>*{min-width:0}
.plot{margin:6px 0;break-inside:avoid}.plots h3{margin:10px 0 0}h3{font-size:15px;margin:18px 0 4px}.chart.xy{min-width:0}.chart.dots{min-width:640px;max-width:860px}.axis.y{text-anchor:end!important}
.series{fill:var(--c);stroke:none;color:var(--c)}.series .line{fill:none;stroke:var(--c);stroke-width:1.8}.series .whisker{stroke:var(--c);opacity:.55}.series .point{fill:var(--ink);font-size:11px}.series .box{fill-opacity:.3;stroke:var(--c)}.series .median{fill:none;stroke:var(--c);stroke-width:2.4}
.s0{--c:#0072b2}.s1{--c:#d55e00}.s2{--c:#009e73}.s3{--c:#cc79a7}.s4{--c:#e69f00}.s5{--c:#56b4e9}.s6{--c:var(--ink)}.s7{--c:#9a8f00}
@media (prefers-color-scheme:dark){.s0{--c:#3d9be0}.s7{--c:#f0e442}}
.diagonal{stroke:var(--dim);stroke-dasharray:5 4}.histogram{fill:var(--bar);opacity:.28}
.reference{stroke:var(--ink);stroke-width:1.2;stroke-dasharray:6 4}
.reference-label,.starred .point{font-size:11px;paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.series .star{fill:#f2c230;stroke:var(--ink);stroke-width:1}
.away,.out{display:none!important}
.contents ul{display:flex;flex-wrap:wrap;gap:2px 16px;list-style:none;margin:14px 0;padding:0;font-size:14px}.contents a{color:var(--link)}.anchor{color:var(--dim);text-decoration:none;font-weight:400}.anchor:hover,.anchor:focus-visible{color:var(--ink)}section{scroll-margin-top:4px}
.tools{display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center;justify-content:flex-end;margin:6px 0 4px;font-size:13px}.tools input{padding:2px 8px;margin-right:auto;max-width:100%}
.copy,.choose button{font:inherit;font-size:13px;color:inherit;background:var(--tint);border:1px solid var(--line);border-radius:6px;padding:2px 10px;cursor:pointer}.copied{position:fixed;top:0;left:0;opacity:0}
.choose{display:flex;flex-wrap:wrap;gap:4px 14px;align-items:center;border:1px solid var(--line);border-radius:8px;margin:14px 0;padding:6px 12px 10px;min-width:0;max-height:220px;overflow:auto;font-size:14px}.choose legend{color:var(--dim);font-size:13px;padding:0 4px}.choose label{display:flex;gap:5px;align-items:baseline;min-width:0;max-width:100%}.choose bdi{min-width:0;overflow-wrap:anywhere}
.legend{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:13px;color:var(--dim)}.legend span{min-width:0;overflow-wrap:anywhere}.legend svg{width:12px;height:12px;margin-right:5px;vertical-align:-1px}
.h0,.h1,.h2,.h3{print-color-adjust:exact;-webkit-print-color-adjust:exact}.h0{background:color-mix(in srgb,#2e8b57 38%,var(--paper))}.h1{background:color-mix(in srgb,#2e8b57 16%,var(--paper))}.h2{background:color-mix(in srgb,#e0b050 26%,var(--paper))}.h3{background:color-mix(in srgb,#c4553b 28%,var(--paper))}
td small{color:var(--dim);font-size:11px;display:block;line-height:1.15}td.best{font-weight:700}
.heat{width:auto;font-size:12.5px;border-collapse:separate;border-spacing:1px}.heat th,.heat td{border:0;padding:3px 6px}.heat thead th{background:none;position:static;font-weight:600;text-align:center}.heat tr>:first-child{text-align:left}
.heat tbody th{font-weight:400;max-width:260px;white-space:normal;overflow-wrap:anywhere}.heat td{text-align:center;min-width:42px}.heat tbody td{background:color-mix(in srgb,var(--bar) calc(var(--v,0%)*.62),var(--paper));print-color-adjust:exact;-webkit-print-color-adjust:exact}
.heat td.minus{background:color-mix(in srgb,var(--bad) calc(var(--v,0%)*.62),var(--paper))}.heat .edge{border-left:1.5px solid var(--dim)}.heat .groups th{color:var(--dim);font-weight:400}
.heat.upright thead tr:last-child th:not(:first-child){height:1px;vertical-align:bottom}.heat.upright thead span{writing-mode:vertical-rl;transform:rotate(180deg);display:inline-block;inline-size:max-content;max-inline-size:220px;white-space:normal;overflow-wrap:anywhere}.heat.upright td{min-width:32px;padding:3px 2px}
.extremes td,.extremes th{text-align:left;white-space:normal;vertical-align:top}.extremes td:first-child{white-space:nowrap}
details>summary{cursor:pointer;font-weight:600;font-size:16px;padding:10px 0;border-top:1px solid var(--line)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--tint);border-radius:6px;padding:8px 12px;margin:6px 0;font-size:13px}.asked>summary{font-weight:400;font-size:14px;padding:5px 0}.scored{margin:6px 0}.scored pre{padding:2px 8px;margin:2px 0}
.pick{display:flex;flex-wrap:wrap;gap:10px;align-items:end;margin:10px 0}.pick label{max-width:100%;font-size:13px;color:var(--dim);display:flex;flex-direction:column}
select,input:not([type=checkbox]){font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:5px 8px;max-width:min(420px,100%)}
.explore{display:grid;grid-template-columns:minmax(220px,1fr) minmax(0,2fr);gap:18px}
@media (max-width:720px){.wide table:not(.heat,.settings) thead th{background:none}.explore{grid-template-columns:minmax(0,1fr)}.wide table:not(.heat,.settings) tr>:first-child{position:sticky;left:0;z-index:1;background:var(--paper);white-space:normal;min-width:124px;overflow-wrap:anywhere}.wide table:not(.settings) tr>th:first-child{min-width:112px}.wide table:not(.heat,.settings) thead tr>:first-child{background:var(--tint);z-index:2}}
.facts{max-height:520px;overflow:auto;border:1px solid var(--line);border-radius:8px;list-style:none;margin:0;padding:4px}
.facts button{all:unset;display:block;width:100%;box-sizing:border-box;padding:4px 8px;border-radius:5px;cursor:pointer}
.facts button:hover,.facts button:focus-visible{background:var(--tint)}.facts button[aria-current=true]{background:var(--picked);color:#ffffff}
.facts .mark{display:inline-block;width:1.3em}.right{color:var(--good)}.wrong{color:var(--bad)}.facts button[aria-current=true] .mark{color:#ffffff}
.tall{max-height:620px;overflow:auto}.candidates td:nth-child(3){width:45%}.candidates td{border:0;padding:2px 8px}.candidates td:nth-child(2){text-align:left;white-space:normal;overflow-wrap:anywhere}
.p{height:12px;background:var(--bar);border-radius:2px;min-width:1px}.gold .p{background:var(--good)}.gold td:nth-child(2){font-weight:600;color:var(--good)}
.miss td:nth-child(2){font-weight:600;color:var(--bad)}.miss .p{background:var(--bad)}
.statement{font-size:17px;margin:0 0 10px}.statement b{border-bottom:2px solid var(--chance)}
@media print{:root{--ink:#000;--dim:#444;--line:#bbb;--paper:#fff;--tint:#f3f3f3;--bar:#5b8fc7;--chance:#a06c10}body{max-width:none;padding:0;font-size:11px}
.screen{display:none}.tall{max-height:none}thead th{position:static}h2,tr,.card{break-inside:avoid}h2{break-after:avoid}.chart{break-inside:avoid;min-width:0}table{font-size:9.5px}th,td{padding:2px 4px}.heat{font-size:8.5px}.heat th,.heat.heat td{padding:2px;min-width:0}}
)css";

/// Everything before the body's content.
[[nodiscard]] inline std::string page_begin(std::string_view title) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escape_html(title) + "</title>\n<style>" + std::string(detail::page_style) +
         "</style>\n</head>\n<body>\n";
}

/// Everything after the body's content.
[[nodiscard]] inline std::string page_end() {
  return "<script>" + std::string(detail::page_script) + "</script>\n</body>\n</html>\n";
}

/// The last table of a page, with an object's keys and values; empty for an empty object.
[[nodiscard]] inline std::string settings_table(const Json& settings) {
  if (settings.empty()) return "";
  std::string html = "<h2>Settings</h2>\n<table class=\"settings\"><tbody>\n";
  for (const auto& [name, value] : settings.items()) {
    if (value.is_null()) continue;
    const bool plain = value.is_string() && value.get_ref<const std::string&>().find_first_not_of(
                                                ' ') != std::string::npos;
    const std::string text = plain ? value.get<std::string>() : value.dump();
    html += "<tr><td>" + escape_html(name) + "</td><td>" + label(text) + "</td></tr>\n";
  }
  return html + "</tbody></table>\n";
}

/// A headline number with its explanation.
[[nodiscard]] inline std::string card(std::string_view name, std::string_view value,
                                      std::string_view remark) {
  return "<div class=\"card\"><span>" + escape_html(name) + "</span><b>" + escape_html(value) +
         "</b><span>" + escape_html(remark) + "</span></div>\n";
}

/// A headline number with its interval; "–" when there is none.
[[nodiscard]] inline std::string card(std::string_view name, const Estimate& e, int decimals = 3) {
  return card(name, number_or_dash(e, decimals),
              !e.exists()         ? ""
              : !e.has_interval() ? "no interval"
                                  : "95%: " + with_decimals(e.low, decimals) + " – " +
                                        with_decimals(e.high, decimals));
}

/// Marks text between backticks as code in HTML.
[[nodiscard]] inline std::string with_code(std::string_view html) {
  std::string made;
  for (std::size_t at = 0;;) {
    const std::size_t begin = html.find('`', at);
    const std::size_t end = begin == html.npos ? html.npos : html.find('`', begin + 1);
    if (end == html.npos) return made.append(html.substr(at));
    made.append(html.substr(at, begin - at)).append("<code>");
    made.append(html.substr(begin + 1, end - begin - 1)).append("</code>");
    at = end + 1;
  }
}

/// A note that readers must not miss, set apart from the text; setting names are in backticks.
[[nodiscard]] inline std::string note_paragraph(std::string_view text) {
  return "<p class=\"note\">" + with_code(escape_html(text)) + "</p>\n";
}

/// A section's title and an explanation of its numbers; both are HTML.
[[nodiscard]] inline std::string heading(std::string_view title, std::string_view explanation) {
  return "<h2>" + std::string(title) + "</h2>\n<p class=\"dim\">" + std::string(explanation) +
         "</p>\n";
}

/// The cell for a number that does not exist. The page's script sorts it last in both directions.
inline constexpr const char* no_number_cell = "<td data-v=\"-1\">–</td>";

/// A number with its interval.
inline std::string cell(const Estimate& e, const std::string& classes = "", int decimals = 3) {
  if (!e.exists()) return no_number_cell;
  return "<td data-v=\"" + with_decimals(e.value, 6) + "\"" +
         (classes.empty() ? "" : " class=\"" + classes + "\"") + ">" +
         with_decimals(e.value, decimals) + "<small>" +
         (e.has_interval()
              ? with_decimals(e.low, decimals) + (e.low < 0 || e.high < 0 ? " to " : "–") +
                    with_decimals(e.high, decimals)
              : "–") +
         "</small></td>";
}
/// A whole number.
inline std::string number_cell(std::size_t n) {
  return "<td data-v=\"" + std::to_string(n) + "\">" + std::to_string(n) + "</td>";
}

/// The start of a table, up to its first row; a click on a heading sorts the table. `heads` are
/// HTML. Rows are sorted by their cells' data-v; cells that begin with "–" come last. `names_model`
/// is either parallel to `heads` or empty. Where it is true, the column's cells are model names,
/// and the page shows or hides rows by model.
[[nodiscard]] inline std::string table_begin(const std::vector<std::string>& heads,
                                             const std::vector<bool>& names_model = {}) {
  std::string html = "<div class=\"wide\"><table class=\"sortable\"><thead><tr>";
  for (std::size_t c = 0; c < heads.size(); ++c) {
    const bool names = c < names_model.size() && names_model[c];
    html += std::string("<th scope=\"col\"") + (names ? " data-names=\"model\"" : "") +
            "><button type=\"button\">" + heads[c] + "</button></th>";
  }
  return html + "</tr></thead><tbody>\n";
}
inline constexpr const char* table_end = "</tbody></table></div>\n";

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
