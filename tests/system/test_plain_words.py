# SPDX-License-Identifier: Apache-2.0
"""Turns of phrase that a reader must read twice, and that documents and messages no longer use. The list grows."""
import re
import unittest

import command

PROGRAMS = ""

# phrase → what to write.
PLAIN = {
    r"hangs? on": "depends on",
    r"go(es)? on with|going on with|went on with": "continues",
    r"at the begin\b": "at the start",
    r"in the making": "unfinished",
    r"what came of": "results",
    r"looks? on\b": "observer",
    r"sureness|surer": "confidence, more confident",
    r"is said so|are said so": "plumb warns",
    r"to be had": "available",
    r"anew": "again",
    r"says? in words": "names",
    r"stands? beside": "is next to",
    r"not told from guessing": "indistinguishable from guessing",
    r"so many .{1,40} so many": "counts by name",
}
DOCUMENTS = [command.ROOT / "README.md", command.ROOT / "CONTRIBUTING.md", *sorted((command.ROOT / "docs").rglob("*.md"))]
# Lines of headers that still have one: the number may only fall.
IN_HEADERS = 37


def lines_with(files):
    """path:line: the phrase and what to write."""
    found = []
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for phrase, plain in PLAIN.items():
                if re.search(rf"\b(?:{phrase})", line):
                    found.append(f"{path}:{number}: {phrase}: write '{plain}'")
    return found


class PlainWords(unittest.TestCase):
    def test_documents_use_none(self):
        self.assertGreater(len(DOCUMENTS), 20)
        self.assertEqual(lines_with(DOCUMENTS), [])

    def test_headers_use_no_more_than_before(self):
        found = lines_with(sorted((command.ROOT / "include").rglob("*.hpp")) + sorted((command.ROOT / "python").rglob("*.py")))
        self.assertLessEqual(len(found), IN_HEADERS, "\n".join(found))

    def test_the_check_finds_them(self):
        folder = command.temporary_folder(self)
        (folder / "a.md").write_text("What it does hangs on the seed.\nA job goes on with it anew.\nAll is well.\n")
        self.assertEqual([line.split(":")[1] for line in lines_with([folder / "a.md"])], ["1", "2", "2"])


if __name__ == "__main__":
    unittest.main()
