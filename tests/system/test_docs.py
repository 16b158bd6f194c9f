# SPDX-License-Identifier: Apache-2.0
"""What the documents name is there: files they link to, headers, functions that check, tests, scripts."""
import re
import unittest

import command

PROGRAMS = ""

DOCUMENTS = [command.ROOT / "README.md", command.ROOT / "CONTRIBUTING.md", *sorted((command.ROOT / "docs").rglob("*.md"))]


def missing(document):
    """Names in a document of what is not there."""
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


def unheld(text):
    """Rows of a table of promises that name no test, or one that is not there: "`tests/a.cpp` `case`, `another`"."""
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
