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
    r"(?<!\")anew": "again",
    r"says? in words": "names",
    r"stands? beside": "is next to",
    r"not told from guessing": "indistinguishable from guessing",
    r"so many .{1,40} so many": "counts by name",
}
# For texts of the library and its messages, beyond these phrases.
STRICT = {
    # "there is no file" is plain
    r"(?<=[a-z] )(?<!there )(?<!There )(?:is|are) no (?!longer|more|less|fewer|other|such|need|way|better|evidence)[a-z]+": "is not a",
    r"gone on\b": "continued",
    r"says? so\b": "reports it",
    r"(?:is|are) said\b": "is reported",
    r"afresh": "again",
    r"so many\b": "N",
    r"otherwise than": "differently from",
    r"at hand": "local",
}
DOCUMENTS = [command.ROOT / "README.md", command.ROOT / "CONTRIBUTING.md", *sorted((command.ROOT / "docs").rglob("*.md"))]
HEADERS = sorted((command.ROOT / "include").rglob("*.hpp"))
OTHERS = [path for folder in ("python", "examples", "benchmarks") for path in sorted((command.ROOT / folder).rglob("*"))
          if path.suffix in (".py", ".hpp", ".cpp", ".sh")]
MOST_BEFORE_REMEDY = 160


def lines_with(files, phrases):
    """path:line: the phrase and what to write."""
    found = []
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if path.suffix in (".hpp", ".cpp"):  # comments and texts
                line = " ".join(re.findall(r'//.*|"(?:[^"\\]|\\.)*"', line))
            for phrase, plain in phrases.items():
                if re.search(rf"(?:^|\b)(?:{phrase})", line):
                    found.append(f"{path}:{number}: {phrase}: write '{plain}'")
    return found


def arguments(text, begin):
    """The arguments of the C++ call whose "(" is at `begin`."""
    depth, at, start, found = 0, begin, begin + 1, []
    while at < len(text):
        if literal := re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'').match(text, at):
            at = literal.end()
            continue
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth == 0:
                return found + [text[start:at]]
        elif text[at] == "," and depth == 1:
            found.append(text[start:at])
            start = at + 1
        at += 1
    return found


def problems(text):
    """What each error of a header says before its remedy: literals alone, all branches of a choice counted."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    for call in re.finditer(r"\b(?:user_error|internal_error)\(", text):
        given = arguments(text, call.end() - 1)
        if len(given) > 1:
            yield "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', given[1]))


class PlainWords(unittest.TestCase):
    def test_documents_use_none(self):
        self.assertGreater(len(DOCUMENTS), 20)
        self.assertEqual(lines_with(DOCUMENTS, PLAIN), [])

    def test_headers_use_none(self):
        self.assertEqual(lines_with(HEADERS, {**PLAIN, **STRICT}), [])

    def test_other_sources_use_none(self):
        self.assertGreater(len(OTHERS), 50)
        self.assertEqual(lines_with(OTHERS, PLAIN), [])

    def test_messages_are_short(self):
        found = [problem for path in HEADERS for problem in problems(path.read_text(encoding="utf-8"))]
        self.assertGreater(len(found), 500)
        self.assertEqual([problem for problem in found if len(problem) > MOST_BEFORE_REMEDY], [])

    def test_the_checks_find_them(self):
        folder = command.temporary_folder(self)
        (folder / "a.md").write_text("What it does hangs on the seed.\nA job goes on with it anew.\nAll is well.\n")
        self.assertEqual([line.split(":")[1] for line in lines_with([folder / "a.md"], PLAIN)], ["1", "2", "2"])
        (folder / "a.hpp").write_text('int anew;  // this is no file\nthrow user_error({}, "hangs on");\n')
        self.assertEqual([line.split(":")[1] for line in lines_with([folder / "a.hpp"], {**PLAIN, **STRICT})], ["1", "2"])
        self.assertEqual(list(problems('throw user_error({.file = "a, b"}, "is " + n(2, 3) + " long", "cut it");')), ["is  long"])


if __name__ == "__main__":
    unittest.main()
