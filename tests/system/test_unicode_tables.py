# SPDX-License-Identifier: Apache-2.0
"""The tables of Unicode in core/ are those that Python's unicodedata gives; called with --print, this writes them."""
import pathlib
import re
import sys
import unicodedata
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE_POINTS = range(0x80, 0x110000)  # what lies below is written out in code


def table(header, name):
    """The numbers of a table in a header."""
    text = (ROOT / "include/plumb/core" / header).read_text()
    text = text[text.index(f"constexpr auto {name} ="):]
    return [int(word, 0) for word in re.findall(r"-?\b(?:0x[0-9A-F]+|\d+)\b", text[text.index("({"):text.index("});")])]


def fours(numbers):
    return list(zip(*[iter(numbers)] * 4))


def simple(change, c):
    """A simple mapping: one code point to one other, or nothing."""
    changed = change(chr(c))
    return ord(changed) if len(changed) == 1 and ord(changed) != c else None


def upper_case_runs():
    """(first, last, stride, delta): neighbours, or every second one, that move by the same distance."""
    runs = []
    for c in CODE_POINTS:
        upper = simple(str.upper, c)
        if upper is None:
            continue
        delta = upper - c
        if runs and runs[-1][3] == delta and c - runs[-1][1] in ((1, 2) if runs[-1][2] is None else (runs[-1][2],)):
            runs[-1] = (runs[-1][0], c, c - runs[-1][1], delta)
        else:
            runs.append((c, c, None, delta))
    return [(first, last, stride or 1, delta) for first, last, stride, delta in runs]


def mapped(runs):
    return {c: c + delta for first, last, stride, delta in runs for c in range(first, last + 1, stride)}


def ignored():
    """What has no shape of its own, as the header lists it."""
    pairs = table("word_character.hpp", "ignored_characters")
    return {c for first, last in zip(*[iter(pairs)] * 2) for c in range(first, last + 1)}


def word_character_edges(ignored):
    """Where letters, marks and numbers begin and end; what is unassigned or ignored goes with what is before it."""
    edges, inside = [0x30, 0x3A, 0x41, 0x5B, 0x61, 0x7B], False
    for c in CODE_POINTS:
        category = unicodedata.category(chr(c))
        if category in ("Cn", "Cs", "Co") or c in ignored:
            continue
        if (category[0] in "LMN") != inside:
            inside = not inside
            edges.append(c)
    return edges


@unittest.skipUnless(unicodedata.unidata_version == "14.0.0", "this Python knows another version of Unicode")
class Tables(unittest.TestCase):
    def test_upper_cases(self):
        self.assertEqual(mapped(fours(table("capitalize.hpp", "upper_case_runs"))), mapped(upper_case_runs()))

    def test_lower_cases(self):
        second = table("lower_case.hpp", "second_lower_cases")
        runs = [(first + delta, last + delta, stride, -delta) for first, last, stride, delta in
                fours(table("capitalize.hpp", "upper_case_runs")) if first not in second]
        runs += fours(table("lower_case.hpp", "further_lower_case_runs"))
        expected = {c: simple(str.lower, c) for c in CODE_POINTS if simple(str.lower, c) is not None}
        expected[ord("İ")] = ord("i")  # Python's has a dot of its own behind it
        self.assertEqual(mapped(runs), expected)

    def test_word_characters(self):
        self.assertEqual(table("word_character.hpp", "word_character_edges"), word_character_edges(ignored()))


def write_tables():
    runs = upper_case_runs()
    second = [c for c, upper in mapped(runs).items() if simple(str.lower, upper) != c]
    print("upper_case_runs:", ", ".join(f"{{0x{f:X}, 0x{l:X}, {s}, {d}}}" for f, l, s, d in runs))
    print("second_lower_cases:", ", ".join(f"0x{c:X}" for c in second))
    print("word_character_edges:", ", ".join(f"0x{c:X}" for c in word_character_edges(ignored())))


if __name__ == "__main__":
    write_tables() if sys.argv[1:] == ["--print"] else unittest.main()
