# SPDX-License-Identifier: Apache-2.0
"""Documents name only what exists: linked files and headings, headers, check functions, tests, scripts, options. Pages are short."""
import re
import unittest

import command

PROGRAMS = "plumb_command"

DOCUMENTS = [command.ROOT / "README.md", command.ROOT / "CONTRIBUTING.md", *sorted((command.ROOT / "docs").rglob("*.md"))]


def missing(document):
    """Names in a document of things that do not exist."""
    text = document.read_text()
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    named = [link for link in links if "://" not in link and not (document.parent / link).exists()]
    headers = re.findall(r"`(?:plumb/)?(?:detail/)?((?:core|data|prompt|backend|huggingface|server|score|measure|rank|aggregate|calibrate|records|"
                         r"report|run|cli)/[a-z_0-9]+\.hpp)`", text)
    named += [header for header in headers if not (command.ROOT / "include" / "plumb" / "detail" / header).exists()]
    library = "".join(path.read_text() for path in (command.ROOT / "include").rglob("*.hpp"))
    named += [name for name in re.findall(r"`(?:static_assert\(plumb::)?(check_[a-z_]+)", text) if f" {name}(" not in library]
    scripts = re.findall(r"(?:bash |`)((?:benchmarks|examples|tests)/[\w/]+\.(?:sh|py|cpp))", text)
    return named + [script for script in scripts if not (command.ROOT / script).exists()]


def headings(text):
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    seen, anchors = {}, set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = seen[slug] = seen.get(slug, -1) + 1
        anchors.add(slug if count == 0 else f"{slug}-{count}")
    return anchors


def missing_headings(document):
    """Links of a document to headings that do not exist."""
    found = []
    for page, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", document.read_text()):
        target = document.parent / page if page else document
        if "://" not in page and target.suffix == ".md" and target.exists() and anchor not in headings(target.read_text()):
            found.append(f"{page}#{anchor}")
    return found


def unheld(text):
    """Rows of a table of promises that name no test, or one that does not exist: "`tests/a.cpp` `case`, `another`"."""
    found = []
    for row in re.findall(r"^\| (?!plumb promises|---)(.*) \|$", text.split("\n## ")[1], re.MULTILINE):
        promise, _, tests = row.rpartition(" | ")
        file, held = "", 0
        for name in re.findall(r"`([^`]+)`", tests):
            if name.startswith("tests/"):
                file = (command.ROOT / name).read_text() if (command.ROOT / name).exists() else ""
            elif name in file:
                held += 1
            else:
                found.append(name)
        if held == 0:
            found.append(promise)
    return found


class Documents(unittest.TestCase):
    def test_what_they_name_is_there(self):
        self.assertGreater(len(DOCUMENTS), 8)
        self.assertEqual({path.name: missing(path) for path in DOCUMENTS if missing(path)}, {})

    def test_the_check_itself_finds_what_is_missing(self):
        folder = command.temporary_folder(self)
        (folder / "a.md").write_text("[b](b.md#c) [a](a.md) `plumb/detail/core/no.hpp` `core/error.hpp` `check_nothing`, `check_causal_lm`\n"
                                     "    bash benchmarks/none.sh\n")
        self.assertEqual(missing(folder / "a.md"), ["b.md", "core/no.hpp", "check_nothing", "benchmarks/none.sh"])

    def test_links_to_headings(self):
        self.assertEqual({path.name: missing_headings(path) for path in DOCUMENTS if missing_headings(path)}, {})
        folder = command.temporary_folder(self)
        (folder / "a.md").write_text("# A `b`, c\n[1](#a-b-c) [2](#a-b) [3](a.md#a-b-c) [4](a.md#x)\n")
        self.assertEqual(missing_headings(folder / "a.md"), ["#a-b", "a.md#x"])

    def test_no_page_is_over_250_lines(self):
        self.assertEqual({path.name for path in DOCUMENTS if path.read_text().count("\n") > 250}, set())

    def test_every_option_has_its_line(self):
        """docs/options.md lists the options of all commands, and no others."""
        page = (command.ROOT / "docs" / "options.md").read_text()
        named = set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", page))
        known = set()
        for words in (["probe"], ["many-shot"], ["rank"], ["generate"], ["calibrate"], ["compare"], ["merge"], ["report"], ["models"], ["data"],
                      ["data", "prompts"], ["data", "overlap"]):
            known |= set(re.findall(r"^  --([a-z-]+)", command.plumb(*words, "--help", "all").stdout, re.MULTILINE))
        words_without_dashes = {"action", "folder", "folders", "run", "runs", "texts"}
        self.assertEqual(known - named - words_without_dashes, set())
        self.assertEqual(named - known - {"version", "all"}, set())

    def test_each_promise_has_its_test(self):
        text = (command.ROOT / "docs" / "reliability.md").read_text()
        self.assertEqual(unheld(text), [])
        self.assertGreater(text.split("\n## ")[1].count("\n| "), 10)
        table = "\n## Promises\n\n| plumb promises | test |\n|---|---|\n"
        self.assertEqual(unheld(table + "| A. | `tests/system/test_docs.py` `unheld` |\n"), [])
        self.assertEqual(unheld(table + "| A. | `tests/system/test_docs.py` `not" "_there` |\n"), ["not" "_there", "A."])
        self.assertEqual(unheld(table + "| A. | – |\n"), ["A."])


if __name__ == "__main__":
    unittest.main()
