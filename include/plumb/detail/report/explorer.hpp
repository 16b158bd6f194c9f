// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does the model believe about this one fact?
//
// The part of a page in which a reader picks a fact and sees every candidate with its probability,
// the softmax of the scores over the candidates. A probability p is stored in two bytes, as −ln p
// in steps of 0.001 nats. The stored value is therefore within 0.05% of p; a p below e^−65 is
// stored as e^−65. Rows that would exceed `max_cells` candidates or about `max_bytes` of page data
// are omitted; the page shows how many.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"
#include "plumb/detail/records/probe_rows.hpp"
#include "plumb/detail/report/html.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr std::string_view explorer_body = R"html(
<div class="screen">
<div class="pick">
<label>Relation<select id="relation"></select></label>
<label>Template<select id="template"></select></label>
<label>Show<select id="which"><option value="all">all facts</option><option value="wrong">wrong ones</option><option value="right">right ones</option></select></label>
<label>Subject contains<input id="search" type="search"></label>
</div>
<div class="explore"><ul class="facts" id="facts"></ul><div id="answer" aria-live="polite"></div></div>
</div>
<p class="dim" id="omitted"></p>
)html";

inline constexpr std::string_view explorer_script = R"js(
{
  const data = JSON.parse(document.getElementById('scores').textContent);
  const $ = id => document.getElementById(id);
  const make = (tag, text, className) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (className) e.className = className; return e; };
  const decode = text => { const b = atob(text), a = new Uint16Array(b.length / 2); for (let i = 0; i < a.length; ++i) a[i] = b.charCodeAt(2 * i) | b.charCodeAt(2 * i + 1) << 8; return a; };
  if (data.omitted) $('omitted').textContent = data.omitted + ' rows are left out here to keep the page small; all are in the results files.';
  data.relations.forEach((r, i) => { const o = make('option', r.code); o.value = i; $('relation').append(o); });
  let relation, steps;
  const best = row => { let b = 0; for (let c = 1; c < relation.options.length; ++c) if (steps[row * relation.options.length + c] < steps[row * relation.options.length + b]) b = c; return b; };
  const predicted = row => relation.rows[row][4] ?? best(row);
  const show = (row, button) => {
    for (const b of $('facts').querySelectorAll('button')) b.setAttribute('aria-current', b === button);
    const [fact, , answer] = relation.rows[row], n = relation.options.length, prediction = predicted(row), box = $('answer');
    box.replaceChildren();
    const line = make('p', undefined, 'statement'); line.dir = 'auto';
    const parts = relation.templates[relation.rows[row][1]].split(/(\[X\]|\[Y\])/);
    const upper = text => { const first = [...text][0] ?? ''; return first.toLocaleUpperCase('en') + text.slice(first.length); };
    parts.filter(part => part).forEach((part, i) => line.append(
      part === '[X]' ? make('bdi', i ? fact : upper(fact)) : part === '[Y]' ? make('b', '…') : i ? part : upper(part)));
    const link = make('a', '#', 'anchor'); link.href = '#fact=' + encodeURIComponent(relation.code) + '.' + row;
    link.setAttribute('aria-label', 'Link to this fact'); line.append(' ', link); box.append(line);
    const table = make('table', undefined, 'candidates'), body = table.createTBody();
    const order = [...Array(n).keys()].sort((a, b) => steps[row * n + a] - steps[row * n + b] || (b === prediction) - (a === prediction) || a - b);
    const rest = [];  // rows after the ten best, except the answer
    order.forEach((c, place) => {
      const p = Math.exp(-steps[row * n + c] / 1000), tr = body.insertRow();
      tr.className = c === answer ? 'gold' : c === prediction ? 'miss' : '';
      if (place >= 10 && c !== answer) { tr.hidden = true; rest.push(tr); }
      tr.insertCell().textContent = place + 1;
      tr.insertCell().append(make('bdi', (relation.rows[row][5] ?? relation.options)[c]), c === answer ? ' ✓' : '');
      const bar = make('div', undefined, 'p'); bar.style.width = (100 * p) + '%'; tr.insertCell().append(bar);
      tr.insertCell().textContent = (p >= 0.001 ? (100 * p).toFixed(1) : p >= 0.00001 ? (100 * p).toFixed(3) : '<0.001') + '%';
    });
    box.append(table);
    if (!rest.length) return;
    const more = make('button', rest.length + ' more', 'copy'); more.type = 'button'; more.setAttribute('aria-expanded', 'false');
    more.addEventListener('click', () => {
      const shows = rest[0].hidden; rest.forEach(tr => tr.hidden = !shows);
      more.textContent = shows ? 'Only the ten best' : rest.length + ' more'; more.setAttribute('aria-expanded', shows);
    });
    box.append(more);
  };
  const list = () => {
    const template = +$('template').value, which = $('which').value, wanted = $('search').value.toLocaleLowerCase();
    $('facts').replaceChildren(); $('answer').replaceChildren();
    relation.rows.forEach(([subject, t, answer, aliases], row) => {
      const right = predicted(row) === answer;
      if (t !== template || which === 'wrong' && right || which === 'right' && !right) return;
      if (!(subject + ' ' + aliases).toLocaleLowerCase().includes(wanted)) return;
      const item = make('li'), button = make('button'); button.type = 'button';
      button.append(make('span', right ? '✓' : predicted(row) < 0 ? '=' : '✗', 'mark ' + (right ? 'right' : 'wrong')), make('bdi', subject));
      button.dataset.row = row; button.addEventListener('click', () => show(row, button)); item.append(button); $('facts').append(item);
    });
    const first = $('facts').querySelector('button'); if (first) first.click();
  };
  const choose = () => {
    relation = data.relations[+$('relation').value]; steps = relation.steps ??= decode(relation.p);
    for (const row of relation.rows) if (typeof row[0] === 'number') [row[0], row[3]] = [relation.rows[row[0]][0], relation.rows[row[0]][3]];
    $('template').replaceChildren();
    for (const t of new Set(relation.rows.map(r => r[1]))) { const o = make('option', t + ': ' + relation.templates[t]); o.value = t; $('template').append(o); }
    list();
  };
  $('relation').addEventListener('change', choose); $('template').addEventListener('change', list);
  $('which').addEventListener('change', list); $('search').addEventListener('input', list);
  if (data.relations.length) choose();
  // A link to one fact: #fact=RELATION.ROW
  const follow = () => {
    const found = /^#fact=(.*)\.(\d+)$/.exec(location.hash), at = found ? data.relations.findIndex(r => r.code === decodeURIComponent(found[1])) : -1;
    if (at < 0 || +found[2] >= data.relations[at].rows.length) return;
    $('relation').value = at; choose();
    $('template').value = relation.rows[+found[2]][1]; $('which').value = 'all'; $('search').value = ''; list();
    const button = $('facts').querySelector('[data-row="' + +found[2] + '"]'); button.click(); button.scrollIntoView({block: 'nearest'}); $('answer').scrollIntoView({block: 'center'});
  };
  addEventListener('hashchange', follow); follow();
}
)js";

/// The approximate size of a row on the page, in bytes: its strings, plus its numbers in base64
/// (four characters per three bytes).
inline std::size_t explored_bytes(const RecordedRow& row) {
  std::size_t bytes = 20 + row.fact.subject.size() + row.scores.size() * 8 / 3;
  for (const std::string& alias : row.fact.subject_aliases) bytes += alias.size() + 1;
  for (const std::string& choice : row.fact.choices) bytes += choice.size() + 3;
  return bytes;
}

/// Collects the rows of one results folder, relation by relation, as data for the page, up to about
/// `max_bytes`. Not thread-safe.
class Explorer {
 public:
  explicit Explorer(std::size_t max_cells = 4'000'000, std::size_t max_bytes = 16'000'000)
      : max_cells_(max_cells), max_bytes_(max_bytes) {}

  /// Starts a relation, to which all rows added from now on belong.
  void begin(const Relation& relation) {
    before_ += last_relation();
    head_ = {{"code", relation.code},
             {"options", relation.options},
             {"templates", relation.templates},
             {"rows", Json::array()}};
    steps_.clear();
    names_.clear();
    is_full_ = false;
  }

  /// Adds a row of the current relation. After a row that does not fit, all rows of the relation are
  /// omitted, so that a row's index on the page is its line in the results file.
  void add(const RecordedRow& row) {
    const std::size_t options = row.scores.size(), size = detail::explored_bytes(row);
    if (is_full_ || cells_ + options > max_cells_ || bytes_ + size > max_bytes_) {
      is_full_ = true;
      ++omitted_;
      return;
    }
    cells_ += options;
    bytes_ += size;
    std::vector<float> scores(row.scores.size());
    const auto best = ranges::max_element(row.scores);
    std::transform(row.scores.begin(), row.scores.end(), scores.begin(),
                   [&](double score) { return static_cast<float>(score - *best); });
    const double normalizer = log_sum_exp(scores);
    for (const float score : scores) {
      const double nats = std::clamp(normalizer - static_cast<double>(score), 0.0, 65.535);
      steps_.push_back(static_cast<std::uint16_t>(std::lround(nats * 1000)));
    }
    std::string aliases;
    for (const std::string& alias : row.fact.subject_aliases) aliases += alias + " ";
    // if several scores tie for the best, there is no answer
    const bool is_tie = ranges::count(row.scores, *best) > 1;
    Json& rows = head_["rows"];
    const auto [first, is_new] =
        names_.try_emplace(std::pair(row.fact.subject, aliases), rows.size());
    rows.push_back({is_new ? Json(row.fact.subject) : Json(first->second), row.template_index,
                    row.fact.answer, is_new ? aliases : "",
                    is_tie ? -1 : best - row.scores.begin()});
    if (!row.fact.choices.empty()) rows.back().push_back(row.fact.choices);
  }

  /// Writes the section and its data.
  void write(std::ostream& out) const {
    out << detail::explorer_body
        << "<script type=\"application/json\" id=\"scores\">{\"relations\":[" << before_
        << last_relation() << "],\"omitted\":" << omitted_ << "}</script>\n<script>"
        << detail::explorer_script << "</script>\n";
  }

 private:
  /// The current relation as JSON, preceded by a comma unless it is the first relation.
  [[nodiscard]] std::string last_relation() const {
    if (head_.is_null()) return "";
    std::string head = script_json(head_);
    head.pop_back();
    return (before_.empty() ? "" : ",") + head + ",\"p\":\"" + base64(steps_) + "\"}";
  }

  std::size_t max_cells_, max_bytes_;
  std::size_t cells_ = 0, bytes_ = 0, omitted_ = 0;
  bool is_full_ = false;
  std::string before_;  // finished relations
  Json head_;           // data of the current relation
  std::vector<std::uint16_t> steps_;
  /// For each subject and its aliases, the index of the first row that contains them; later rows
  /// refer to that row.
  std::map<std::pair<std::string, std::string>, std::size_t> names_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
