# SPDX-License-Identifier: Apache-2.0
"""Reports work in a real browser: the explorer fills itself, tables sort, copy and filter, models are shown and hidden, and
nothing is wider than a phone. The figures of pages are also separate files."""
import csv
import html
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import command

PROGRAMS = "plumb_command write_tiny_gguf"


class Page(html.parser.HTMLParser):
    """Collects the facts listed and the cells of the candidates' table."""

    def __init__(self, text):
        super().__init__()
        self.path, self.facts, self.cells, self.external = [], 0, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.external += [attributes[name] for name in ("src", "href") if not attributes.get(name, "#").startswith("#")]
        if tag in ("meta", "link", "input", "br", "rect", "line", "path"):
            return
        self.path.append((tag, attributes))
        if tag == "button" and any(a.get("id") == "facts" for _, a in self.path):
            self.facts += 1
        if tag == "tr" and self.in_candidates():
            self.cells.append([])
        if tag == "td" and self.in_candidates():
            self.cells[-1].append("")

    def handle_endtag(self, tag):
        if any(open_tag == tag for open_tag, _ in self.path):
            while self.path.pop()[0] != tag:
                pass

    def handle_data(self, data):
        if self.in_candidates():
            self.cells[-1][-1] += data

    def in_candidates(self):
        return any("candidates" in attributes.get("class", "") for _, attributes in self.path)


def luminance(colour):
    """Contrast by WCAG 2.1, of colours as #rrggbb."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


class Colours(unittest.TestCase):
    def test_texts_stand_out_from_what_is_behind_them_by_day_and_by_night(self):
        self.assertAlmostEqual(contrast("#000000", "#ffffff"), 21)
        self.assertAlmostEqual(contrast("#767676", "#ffffff"), 4.54, places=2)  # the well-known lightest grey for text
        style = (command.ROOT / "include" / "plumb" / "detail" / "report" / "page.hpp").read_text()
        roots = [dict(re.findall(r"--([a-z]+):(#[0-9a-f]{6})\b", root)) for root in re.findall(r":root\{([^}]*)\}", style)][:2]
        picked = re.search(r"\[aria-current=true\]\{background:var\(--picked\);color:(#[0-9a-f]{6})\}", style).group(1)
        for colours in roots:
            pairs = [(picked, colours["picked"])]
            pairs += [(colours[text], colours[back]) for text in ("ink", "dim", "good", "bad") for back in ("paper", "tint")]
            self.assertEqual([pair for pair in pairs if contrast(*pair) < 4.5], [])


PHONE = """<!DOCTYPE html><meta charset="utf-8"><iframe src="report.html" width="390" scrolling="no" height="800" style="border:0"></iframe>
<pre id="found"></pre><script>
onload = () => {
  const page = document.querySelector('iframe').contentDocument, found = {}, root = page.documentElement;
  for (const part of page.querySelectorAll('details')) part.open = true;
  found.width = Math.max(root.scrollWidth, page.body.scrollWidth);
  found.room = root.clientWidth;
  found.charts = [...page.querySelectorAll('svg.chart')].map(c => c.querySelector(':scope > title') && c.querySelector(':scope > desc').textContent.length);
  found.sorted = [...page.querySelectorAll('table.sortable')].map(table => [...table.tHead.rows[0].cells].map((head, column) => {
    head.click();
    const cells = [...table.tBodies[0].rows].map(row => row.cells[column]);
    return [head.getAttribute('aria-sort'), cells.map(cell => cell.dataset.v ?? null), cells.map(cell => cell.textContent)];
  }));
  document.getElementById('found').textContent = JSON.stringify(found);
};
</script>"""


# Hides the second model, filters the first long table, copies the first table, and sorts a heat map by a key.
USED = """<!DOCTYPE html><meta charset="utf-8"><iframe src="report.html" width="1000" height="800"></iframe>
<pre id="found"></pre><script>
onload = async () => {
  const view = document.querySelector('iframe').contentWindow, page = view.document, found = {copied: []};
  Object.defineProperty(view.navigator, 'clipboard', {value: undefined});  // as in a page opened from a file
  page.execCommand = () => { found.copied.push(page.activeElement.value); return true; };
  const texts = selector => [...page.querySelectorAll(selector)].filter(part => part.getClientRects().length).map(part => part.textContent);
  const seen = () => ({rows: texts('#leaderboard-of-models tbody td:first-child'), heads: texts('#models-by-relations thead tr:last-child th'),
    squares: texts('#shared-knowledge tbody tr').length, legend: texts('#accuracy-by-relation .legend span').map(text => text.trim()),
    names: texts('#accuracy-by-model .name'), dots: texts('#accuracy-by-relation svg g.series').length,
    height: page.querySelector('#accuracy-by-model svg.dots').viewBox.baseVal.height});
  const boxes = [...page.querySelectorAll('.choose input')];
  found.models = texts('.choose label'); found.all = seen();
  boxes[1].click(); found.without = seen();
  page.querySelector('.copy').click();
  await new Promise(done => setTimeout(done, 50));
  boxes[1].click(); found.again = seen();
  const field = page.querySelector('.tools input'), table = field?.closest('section').querySelector('table');
  const type = text => { field.value = text; field.dispatchEvent(new view.Event('input')); };
  if (field) { type(table.tBodies[0].rows[1].cells[0].textContent); found.filtered = [...table.tBodies[0].rows].filter(row => row.getClientRects().length).length; type(''); }
  found.unfiltered = [...page.querySelectorAll('tr.out')].length;
  found.buttons = [...page.querySelectorAll('table.sortable > thead > tr:last-child > th')].every(head => head.querySelector('button')?.tabIndex === 0);
  const head = page.querySelectorAll('#models-by-relations thead tr:last-child th')[1];
  head.querySelector('button').click(); head.querySelector('button').click();
  found.sorted = [...page.querySelectorAll('#models-by-relations [aria-sort]')].map(part => part.getAttribute('aria-sort'));
  found.tables = [page.querySelectorAll('.copy').length, page.querySelectorAll('table').length];
  found.links = [...page.querySelectorAll('nav a')].every(link => page.querySelector(link.getAttribute('href') + ' > h2'));
  document.getElementById('found').textContent = JSON.stringify(found);
};
</script>"""


def on_a_phone(folder, profile):
    """A folder's report in a frame of 390 pixels: its width, its charts' descriptions, and the state of each column of each table
    after the first click on its heading."""
    return in_frame(folder, profile, PHONE)


def in_frame(folder, profile, frame):
    """The result that a page around a folder's report writes."""
    (folder / "phone.html").write_text(frame)
    done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                           "--window-size=1280,900", "--virtual-time-budget=10000", "--dump-dom", f"--user-data-dir={profile}",
                           f"file://{folder / 'phone.html'}"], capture_output=True, text=True, timeout=120)
    (folder / "phone.html").unlink()
    return json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S).group(1)))


@unittest.skipUnless(shutil.which("chromium"), "skipped: no chromium")
class InBrowser(unittest.TestCase):
    def check(self, folder, profile):
        found = on_a_phone(folder, profile)
        self.assertEqual((found["width"], found["room"]), (390, 390), folder.name)
        self.assertNotEqual(found["charts"], [])
        self.assertEqual([length for length in found["charts"] if not length], [])
        directions = set()
        for table in found["sorted"]:
            for direction, values, texts in table:
                shown = [i for i, text in enumerate(texts) if text != "–"]
                if not shown:
                    continue
                directions.add(direction)
                if values[shown[0]] is not None:
                    numbers = [float(values[i]) for i in shown]
                    self.assertEqual((direction, numbers), ("descending", sorted(numbers, reverse=True)))
                elif not re.match(r"-?\d", texts[shown[0]]):
                    self.assertEqual(direction, "ascending", texts)
                    if all(re.fullmatch("[a-z]+", texts[i]) for i in shown):
                        self.assertEqual([texts[i] for i in shown], sorted(texts[i] for i in shown))
        return directions

    def test_pages_fit_a_phone_and_tables_sort_texts_from_a_to_z_and_numbers_from_the_largest(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run([command.BUILD / "write_tiny_gguf", folder / "tiny.gguf"], check=True)
            for seed in (1, 2):
                command.probe(folder / f"run{seed}", "--relations", "continent,plural", "--limit", 5 + seed, "--templates", "all",
                              model=folder / "tiny.gguf")
            names = [f"{model}={folder / f'run{i}'}" for i, model in ((1, "a-model-with-a-rather-long-name"), (2, "b"))]
            command.plumb("calibrate", *names, "--bins", 2, "--resamples", 20, "--out", folder / "calibration")
            command.plumb("compare", *names, "--out", folder / "comparison")
            for page in ("run1", "calibration", "comparison"):
                self.assertEqual(self.check(folder / page, folder / "profile"), {"ascending", "descending"}, page)
                self.check_figures(folder / page)
            self.check_use(folder / "comparison", folder / "profile", ["a-model-with-a-rather-long-name", "b"])

    def check_figures(self, folder):
        """Each figure is a separate XML file, as wide as it claims, and appears on the page under the same title."""
        figures = sorted((folder / "figures").iterdir())
        self.assertNotEqual(figures, [])
        page = (folder / "report.html").read_text()
        for file in figures:
            root = xml.etree.ElementTree.fromstring(file.read_bytes())
            space = "{http://www.w3.org/2000/svg}"
            self.assertEqual((root.tag, file.suffix), (space + "svg", ".svg"))
            self.assertEqual(root.get("viewBox"), f"0 0 {root.get('width')} {root.get('height')}", file.name)
            self.assertIn(html.escape(root.find(space + "title").text or ""), page)
            self.assertNotIn("var(", file.read_text())

    def check_use(self, folder, profile, models):
        """A comparison of two models: everything that a reader does with it."""
        found = in_frame(folder, profile, USED)
        shown = found["models"]
        self.assertEqual(sorted(shown), sorted(models))
        self.assertEqual(found["all"]["rows"], shown)
        self.assertEqual(found["without"]["rows"], shown[:1])
        self.assertEqual(sorted(found["all"]["heads"]), sorted(["Relation", *models]))
        self.assertEqual(found["without"]["heads"], ["Relation", shown[0]])
        self.assertEqual((found["all"]["squares"], found["without"]["squares"]), (2, 1))
        self.assertEqual((found["all"]["legend"], found["without"]["legend"]), (shown, shown[:1]))
        self.assertEqual("".join(found["all"]["names"]), "".join(shown))
        self.assertEqual("".join(found["without"]["names"]), shown[0])
        self.assertLess(found["without"]["dots"], found["all"]["dots"])
        self.assertLess(found["without"]["height"], found["all"]["height"])
        self.assertEqual(found["again"], found["all"])
        copied, = found["copied"]
        head, *rows = csv.reader(copied.splitlines())
        self.assertEqual([one for one in head if one.startswith("Accuracy")][:3],
                         ["Accuracy", "Accuracy, low", "Accuracy, high"])
        self.assertEqual(head[0], "Model")
        self.assertEqual([row[0] for row in rows], shown[:1])  # only the models shown
        self.assertTrue(all(len(row) == len(head) for row in rows))
        self.assertEqual(found.get("filtered", 1), 1)
        self.assertEqual(found["unfiltered"], 0)
        self.assertTrue(found["buttons"])
        self.assertEqual(found["sorted"], ["ascending"])  # after the second click, in only one column
        self.assertEqual(*found["tables"])
        self.assertTrue(found["links"])

    def test_the_explorer_shows_every_option_of_a_fact(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run([command.BUILD / "write_tiny_gguf", folder / "tiny.gguf"], check=True)
            command.probe(folder / "run", "--relations", "continent,plural", "--limit", 7, "--templates", "all",
                          model=folder / "tiny.gguf")
            done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                                   f"--user-data-dir={folder / 'profile'}", f"file://{folder / 'run' / 'report.html'}"],
                                  capture_output=True, text=True, timeout=120)
            page = Page(done.stdout)
            self.assertEqual(page.external, [])  # nothing is fetched
            self.assertEqual(page.facts, 7)
            rows = command.rows(folder / "run" / "continent_results.jsonl")
            options = json.loads((folder / "run" / "metadata_results.json").read_text())["continent"]["answer_space_labels"]
            self.assertEqual(len(page.cells), len(options))
            first = rows[0]["pll_scores"]
            ranked = sorted(range(len(options)), key=lambda i: -first[i])
            self.assertEqual([cells[1].removesuffix(" ✓") for cells in page.cells], [options[i] for i in ranked])
            self.assertEqual([i for i, cells in enumerate(page.cells) if cells[1].endswith("✓")],
                             [ranked.index(rows[0]["answer_idx"])])
            total = sum(float(cells[3].strip("<%")) * (0.01 if "%" in cells[3] else 1) for cells in page.cells)
            self.assertAlmostEqual(total, 1, delta=0.01)

            def linked(row):
                """The subject that is shown after a link to a fact."""
                done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                                       f"--user-data-dir={folder / 'profile'}",
                                       f"file://{folder / 'run' / 'report.html'}#fact=plural.{row}"],
                                      capture_output=True, text=True, timeout=120)
                return re.search(r'aria-current="true"[^>]*>.*?<bdi>(.*?)</bdi>', done.stdout).group(1)

            rows = command.rows(folder / "run" / "plural_results.jsonl")
            for row in (0, len(rows) - 1):  # of the first template and of the last
                self.assertEqual(linked(row), rows[row]["sub_label"])


if __name__ == "__main__":
    unittest.main()
