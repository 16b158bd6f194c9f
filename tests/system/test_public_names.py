# SPDX-License-Identifier: Apache-2.0
"""The public names are those of tests/public_names.txt: few enough to learn, each on docs/api.md's page with an example."""
import re
import unittest

import command
from test_headers import closure
from test_reference import maker

PROGRAMS = ""

INCLUDE = command.ROOT / "include" / "plumb"
NAMES = (command.ROOT / "tests" / "public_names.txt").read_text().split()
PAGE = "\n".join(path.read_text() for path in sorted((command.ROOT / "docs").glob("api*.md")))
MOST = 130


def rows(page):
    """(door, name, example's path) of the page's tables."""
    door = None
    for line in page.splitlines():
        if found := re.fullmatch(r'`#include "plumb/(\w+)\.hpp"`', line):
            door = found.group(1)
        elif found := re.fullmatch(r"\| `(\w+)` \| .+ \| \[\w+\]\((\S+)\) \|", line):
            yield door, *found.groups()


class PublicNames(unittest.TestCase):
    def test_they_are_few_and_each_is_a_line(self):
        self.assertEqual(NAMES, sorted(set(NAMES), key=lambda name: (name.lower(), name)))
        self.assertLessEqual(len(NAMES), MOST)
        self.assertGreater(len(NAMES), 100)

    def test_what_headers_declare_in_plumb_is_among_them(self):
        declared = maker.public_names(sorted(INCLUDE.rglob("*.hpp")))
        self.assertEqual({name: places for name, places in declared.items() if name not in NAMES}, {})
        self.assertEqual(set(NAMES) - set(declared), set())

    def test_each_is_on_the_page_once_and_its_door_declares_it(self):
        table = list(rows(PAGE))
        self.assertEqual(sorted((name for _, name, _ in table), key=lambda name: (name.lower(), name)), NAMES)
        declared = maker.public_names(sorted(INCLUDE.rglob("*.hpp")))
        for door, name, _ in table:
            header = f"plumb/{door}.hpp"
            brought = {header, *closure(header)}
            places = {str(path.relative_to(INCLUDE.parent)) for path in declared.get(name, [])}
            self.assertTrue(places & brought, f"{header} does not bring {name}")

    def test_each_door_is_on_the_page_and_each_example_is_there(self):
        doors = {path.stem for path in INCLUDE.glob("*.hpp")} - {"plumb", "runs"}
        self.assertEqual({door for door, _, _ in rows(PAGE)}, doors)
        for _, name, example in rows(PAGE):
            file = command.ROOT / "docs" / example
            self.assertTrue(file.exists(), f"{name}: {example}")
            if file.suffix == ".cpp":
                self.assertRegex(file.read_text(), rf"\b{name}\b", f"{example} does not show {name}")

    def test_the_check_sees_what_a_header_declares(self):
        folder = command.temporary_folder(self)
        (folder / "a.hpp").write_text("// A?\n\nnamespace plumb {\nnamespace detail {\nint hidden();\n}  // namespace detail\n"
                                      "using detail::Named;\nstruct Made {\n  int member = 0;\n};\nint asked(int a);\n"
                                      "int asked(float a);\nbool operator==(Made, Made);\n}  // namespace plumb\n")
        self.assertEqual(sorted(maker.public_names([folder / "a.hpp"])), ["Made", "Named", "asked"])


if __name__ == "__main__":
    unittest.main()
