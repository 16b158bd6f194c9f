// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can a reader do with a page's tables?
//
// Sort them by clicking a heading, copy them as CSV, filter long ones, and choose which models are
// shown. The script creates its own buttons, so that a page with scripts disabled has no buttons
// that do nothing. It works on a page opened as a file, and fetches nothing.
//
// The script reads this markup:
//   data-names="model"   on a heading: the cells below it are names of models, and their rows are
//                        shown or hidden with them
//   data-models          on a heat map's table: whether its "rows", its "columns" or both are
//                        models
//   data-model           on a part of a chart or a legend: its model
//   data-row             on a part of a chart of rows: its height, so that parts below a hidden
//                        one move up

#include <string_view>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr std::string_view page_script = R"js(
{
const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
const tables = [...document.querySelectorAll('table')].filter(table => table.tBodies.length && !table.classList.contains('candidates'));
const headsOf = table => table.tHead ? [...table.tHead.rows[table.tHead.rows.length - 1].cells] : [];
const rowsOf = table => [...table.tBodies[0].rows];
const isAway = part => part.classList.contains('away') || part.classList.contains('out');

const sortable = table => headsOf(table).forEach((head, column, heads) => {
  if (!head.querySelector('button')) {
    const inner = head.querySelector('span') ?? head, button = make('button', {type: 'button'});
    button.append(...inner.childNodes); inner.append(button);
  }
  table.classList.add('sortable');
  head.addEventListener('click', () => {
    const number = row => { const c = row.cells[column]; return c.dataset.v !== undefined || c.textContent.trim() !== '' && isFinite(c.textContent); };
    const none = row => row.cells[column].textContent.startsWith('–');  // last in both directions
    const rows = rowsOf(table), sorted = head.getAttribute('aria-sort');
    // text is sorted from A to Z first
    const falling = sorted ? sorted === 'ascending' : rows.some(row => !none(row) && number(row));
    heads.forEach(h => h.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
    const key = row => { const c = row.cells[column]; return c.dataset.v === undefined ? c.textContent : +c.dataset.v; };
    const rank = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, {numeric: true});
    rows.sort((a, b) => none(a) || none(b) ? none(a) - none(b) : (falling ? -1 : 1) * rank(key(a), key(b)));
    table.tBodies[0].append(...rows);
  });
});

// The visible rows in their current order; interval bounds and other small print get separate
// columns. Cells are quoted and protected from formulas as in the CSV files of a report.
const csvOf = table => {
  const quoted = text => {
    const safe = /^[=+\-@\t\r]/.test(text) && !isFinite(text) ? "'" + text : text;
    return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  };
  const parts = cell => {
    const copy = cell.cloneNode(true), small = [...copy.querySelectorAll('small')];
    small.forEach(s => s.remove());
    return [copy, ...small].map(part => part.textContent.trim()).map(text => text === '–' ? '' : text);
  };
  const ends = text => text.match(/^(-?[\d.]+)(?:–| to )(-?[\d.]+)$/)?.slice(1);
  const heads = headsOf(table).map(head => head.textContent.trim());
  const rows = rowsOf(table).filter(row => !isAway(row)).map(row => [...row.cells].map(cell => isAway(cell) ? [] : parts(cell)));
  const intervals = heads.map((head, c) => rows.some(row => row[c]?.[1] && ends(row[c][1])) && rows.every(row => !row[c]?.[1] || ends(row[c][1])));
  for (const row of rows) row.forEach((cell, c) => intervals[c] && cell.length > 0 && cell.splice(1, 1, ...(cell[1] ? ends(cell[1]) : ['', ''])));
  const widths = rows.reduce((most, row) => row.map((cell, c) => Math.max(cell.length, most[c] ?? 0)), []);
  const line = cells => cells.map(quoted).join(',') + '\n';
  const names = heads.flatMap((head, c) => [...Array(widths[c] ?? 1).keys()].map(i => i === 0 ? head : head + (intervals[c] && i < 3 ? i === 1 ? ', low' : ', high' : ', note')));
  return (heads.length ? line(names) : '') + rows.map(row => line(row.flatMap((cell, c) => [...Array(widths[c]).keys()].map(i => cell[i] ?? '')))).join('');
};

// A page opened as a file may have no clipboard API; in that case the text is copied from a
// selected text field.
const copy = async text => {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* the older way */ }
  const field = make('textarea', {value: text, className: 'copied'});
  document.body.append(field); field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
};

const longTable = 12;
const toolsOf = table => {
  const tools = make('div', {className: 'tools screen'}), said = make('span', {className: 'dim'});
  said.setAttribute('role', 'status');
  if (table.tHead && rowsOf(table).length > longTable) {
    const field = make('input', {type: 'search', placeholder: 'Filter rows'});
    field.setAttribute('aria-label', 'Filter rows');
    field.addEventListener('input', () => {
      const wanted = field.value.trim().toLocaleLowerCase(), rows = rowsOf(table);
      for (const row of rows) row.classList.toggle('out', !row.textContent.toLocaleLowerCase().includes(wanted));
      said.textContent = wanted ? rows.filter(row => !isAway(row)).length + ' of ' + rows.length + ' rows' : '';
    });
    tools.append(field);
  }
  const button = make('button', {type: 'button', textContent: 'Copy as CSV', className: 'copy'});
  button.addEventListener('click', async () => { said.textContent = await copy(csvOf(table)) ? 'Copied' : 'The browser did not copy the table'; });
  tools.append(button, said);
  (table.closest('.wide') ?? table).before(tools);
};

for (const table of tables) { sortable(table); toolsOf(table); }

// Labels rows, cells and columns with their models.
for (const table of tables) {
  const heads = headsOf(table), is = table.dataset.models ?? '';
  const named = heads.flatMap((head, c) => head.dataset.names === 'model' ? [c] : []);
  if (is.includes('rows')) named.push(0);
  for (const row of rowsOf(table)) for (const c of named) row.cells[c].dataset.model = row.cells[c].textContent;
  if (is.includes('columns')) for (const head of heads.slice(1)) head.dataset.model = head.textContent;
}
const models = [...new Set([...document.querySelectorAll('[data-model]')].map(part => part.dataset.model))];
const hidden = new Set();
const showModels = () => {
  const away = part => hidden.has(part.dataset.model);
  for (const table of tables) {
    const columns = headsOf(table).map(away);
    for (const row of [...table.querySelectorAll('thead tr:last-child'), ...rowsOf(table)]) {
      [...row.cells].forEach((cell, c) => cell.classList.toggle('away', columns[c] ?? false));
    }
    for (const row of rowsOf(table)) row.classList.toggle('away', [...row.querySelectorAll('[data-model]')].some(away));
    let column = 1;
    for (const group of table.querySelectorAll('.groups th')) {
      const span = +(group.dataset.span ??= group.colSpan), left = columns.slice(column, column += span).filter(gone => !gone).length;
      group.classList.toggle('away', !left);
      if (left) group.colSpan = left;
    }
  }
  for (const part of document.querySelectorAll('svg [data-model], .legend [data-model]')) part.classList.toggle('away', away(part));
  for (const chart of document.querySelectorAll('svg[data-height]')) {
    let gone = 0;
    for (const row of chart.querySelectorAll('[data-row]')) {
      row.setAttribute('transform', 'translate(0 ' + -gone + ')');
      if (isAway(row)) gone += +row.dataset.row;
    }
    chart.setAttribute('viewBox', '0 0 ' + chart.viewBox.baseVal.width + ' ' + (chart.dataset.height - gone));
  }
};
if (models.length > 1) {
  const box = make('fieldset', {className: 'choose screen'}), boxes = [];
  box.append(make('legend', {textContent: 'Models shown'}));
  const all = make('button', {type: 'button', textContent: 'All'}), none = make('button', {type: 'button', textContent: 'None'});
  const change = () => { hidden.clear(); models.forEach((model, m) => boxes[m].checked || hidden.add(model)); showModels(); };
  for (const [button, checked] of [[all, true], [none, false]]) button.addEventListener('click', () => { boxes.forEach(b => b.checked = checked); change(); });
  box.append(all, none);
  for (const model of models) {
    const row = make('label'), tick = make('input', {type: 'checkbox', checked: true});
    tick.addEventListener('change', change); boxes.push(tick);
    row.append(tick, make('bdi', {textContent: model})); box.append(row);
  }
  (document.querySelector('section') ?? document.querySelector('h2'))?.before(box);
}

for (const section of document.querySelectorAll('section[id]')) {
  const link = make('a', {href: '#' + section.id, className: 'anchor screen', textContent: '#'});
  link.setAttribute('aria-label', 'Link to this section');
  section.querySelector('h2').append(' ', link);
}
}
)js";

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
