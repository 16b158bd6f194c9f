# SPDX-License-Identifier: Apache-2.0
"""The Unicode tables in core/ equal those of Python's unicodedata; with --print, this script prints them."""
import pathlib
import re
import sys
import unicodedata
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE_POINTS = range(0x80, 0x110000)  # lower code points are handled in code


def table(header, name):
    """The numbers of a table in a header."""
    text = (ROOT / "include/plumb/detail/core" / header).read_text()
    text = text[text.index(f"constexpr auto {name} ="):]
    return [int(word, 0) for word in re.findall(r"-?\b(?:0x[0-9A-F]+|\d+)\b", text[text.index("({"):text.index("});")])]


def composing_marks():
    """{mark: (combining class, {letter: the composed character})} of the header."""
    text = (ROOT / "include/plumb/detail/core/composed.hpp").read_text()
    marks = {}
    for mark, its_class, literal in re.findall(r'\{(0x[0-9A-F]+), (\d+),\s+((?:U"[^"]*"\s*)+)\}', text):
        pairs = "".join(re.findall(r'U"([^"]*)"', literal))
        marks[int(mark, 16)] = int(its_class), dict(zip(pairs[::2], pairs[1::2]))
    return marks


def known_composing_marks():
    """The same from unicodedata: pairs that form one character that NFC keeps."""
    marks = {}
    for c in map(chr, CODE_POINTS):
        parts = unicodedata.decomposition(c).split()
        if len(parts) == 2 and parts[0][0] != "<" and unicodedata.normalize("NFC", c) == c:
            letter, mark = (chr(int(part, 16)) for part in parts)
            marks.setdefault(ord(mark), (unicodedata.combining(mark), {}))[1][letter] = c
    return marks


def changed_by_composing():
    """{character: its NFC form} of those that NFC replaces by one letter, and the set of all others that it changes."""
    replaced, others = {}, set()
    for c in CODE_POINTS:
        made = unicodedata.normalize("NFC", chr(c))
        ideograph = 0xF900 <= c <= 0xFAFF or 0x2F800 <= c <= 0x2FA1D
        if made != chr(c) and len(made) == 1 and not ideograph:
            replaced[c] = ord(made)
        elif made != chr(c):
            others.add(c)
    return replaced, others


def fours(numbers):
    return list(zip(*[iter(numbers)] * 4))


def simple(change, c):
    """A simple mapping: one code point to another, or nothing."""
    changed = change(chr(c))
    return ord(changed) if len(changed) == 1 and ord(changed) != c else None


def upper_case_runs():
    """(first, last, stride, delta): neighbours, or every second one, that are shifted by the same distance."""
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


def several_upper_cases():
    """(character, its upper-case form of two or three characters); the last number may be 0."""
    upper = {c: [ord(one) for one in chr(c).upper()] for c in CODE_POINTS}
    return [(c, *(several + [0])[:3]) for c, several in upper.items() if len(several) > 1]


def mapped(runs):
    return {c: c + delta for first, last, stride, delta in runs for c in range(first, last + 1, stride)}


def ignored():
    """Characters without a shape of their own, as the header lists them."""
    pairs = table("word_character.hpp", "ignored_characters")
    return {c for first, last in zip(*[iter(pairs)] * 2) for c in range(first, last + 1)}


def word_character_edges(ignored):
    """Where letters, marks and numbers begin and end; unassigned or ignored characters belong to the range before them."""
    edges, inside = [0x30, 0x3A, 0x41, 0x5B, 0x61, 0x7B], False
    for c in CODE_POINTS:
        category = unicodedata.category(chr(c))
        if category in ("Cn", "Cs", "Co") or c in ignored:
            continue
        if (category[0] in "LMN") != inside:
            inside = not inside
            edges.append(c)
    return edges


@unittest.skipUnless(unicodedata.unidata_version == "14.0.0", "this Python has a different version of Unicode")
class Tables(unittest.TestCase):
    def test_upper_cases(self):
        self.assertEqual(mapped(fours(table("capitalize.hpp", "upper_case_runs"))), mapped(upper_case_runs()))
        self.assertEqual(fours(table("capitalize.hpp", "several_upper_cases")), several_upper_cases())

    def test_lower_cases(self):
        second = table("lower_case.hpp", "second_lower_cases")
        runs = [(first + delta, last + delta, stride, -delta) for first, last, stride, delta in
                fours(table("capitalize.hpp", "upper_case_runs")) if first not in second]
        runs += fours(table("lower_case.hpp", "further_lower_case_runs"))
        expected = {c: simple(str.lower, c) for c in CODE_POINTS if simple(str.lower, c) is not None}
        expected[ord("İ")] = ord("i")  # Python's is followed by a separate dot
        self.assertEqual(mapped(runs), expected)

    def test_word_characters(self):
        self.assertEqual(table("word_character.hpp", "word_character_edges"), word_character_edges(ignored()))

    def test_composed_characters(self):
        self.assertEqual(composing_marks(), known_composing_marks())
        replaced, others = changed_by_composing()
        numbers = table("composed.hpp", "replaced_characters")
        self.assertEqual(dict(zip(numbers[::2], numbers[1::2])), replaced)
        edges = table("composed.hpp", "uncomposed_characters")
        self.assertEqual({c for first, last in zip(edges[::2], edges[1::2]) for c in range(first, last + 1)}, others)
        self.assertEqual(numbers[::2] + edges[::2], sorted(numbers[::2]) + sorted(edges[::2]))


def write_tables():
    runs = upper_case_runs()
    second = [c for c, upper in mapped(runs).items() if simple(str.lower, upper) != c]
    print("upper_case_runs:", ", ".join(f"{{0x{f:X}, 0x{l:X}, {s}, {d}}}" for f, l, s, d in runs))
    print("several_upper_cases:", ", ".join(f"{{{', '.join(f'0x{c:X}' if c else '0' for c in one)}}}" for one in several_upper_cases()))
    print("second_lower_cases:", ", ".join(f"0x{c:X}" for c in second))
    print("word_character_edges:", ", ".join(f"0x{c:X}" for c in word_character_edges(ignored())))
    for mark, (its_class, pairs) in sorted(known_composing_marks().items()):
        print(f"composing_marks: {{0x{mark:X}, {its_class}, U\"{''.join(a + b for a, b in pairs.items())}\"}}")
    replaced, others = changed_by_composing()
    print("replaced_characters:", ", ".join(f"{{0x{a:X}, 0x{b:X}}}" for a, b in replaced.items()))
    print("uncomposed_characters:", ", ".join(f"0x{c:X}" for c in sorted(others)))


if __name__ == "__main__":
    write_tables() if sys.argv[1:] == ["--print"] else unittest.main()
