# SPDX-License-Identifier: Apache-2.0
"""The report works in a real browser: its script fills the explorer from the data in the page."""
import html.parser
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

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
        self.external += [attributes[name] for name in ("src", "href") if name in attributes]
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


@unittest.skipUnless(shutil.which("chromium"), "skipped: no chromium")
class InBrowser(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
