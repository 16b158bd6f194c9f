# SPDX-License-Identifier: Apache-2.0
"""Sentences drawn at random from comments, messages and documents, for an editor to judge (CONTRIBUTING, "Plain words").

    python3 tests/sentences.py [COUNT] [SEED]

A third of the COUNT (200) comes from each. Prints one line each: number, kind, file and line, sentence. An editor marks each as
fine, odd (or had to be read twice) or not understood.
"""
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SENTENCE_END = re.compile(r"(?<=[.?!;])\s+(?=[A-Z`\[\"(])")


def sentences(paragraph, words=4):
    """The sentences of a paragraph of at least so many words."""
    return [one.strip() for one in SENTENCE_END.split(" ".join(paragraph.split())) if len(one.split()) >= words]


def comments(file):
    """(line, sentence) of each paragraph of comments in a C++ or Python source. Indented lines in a comment are layouts, formulas
    or code, not sentences. A comment after code is separate, with its continuation in the same column."""
    mark = r"^\s*(///<|///|//)(?!/)\s?(.*)" if file.suffix in (".hpp", ".cpp", ".h") else r"^\s*(#)\s(.*)"
    item = re.compile(r"(?:[-*]|\d+\.) ")
    start, column, block = 0, 0, []
    for number, line in enumerate([*file.read_text(encoding="utf-8").splitlines(), ""], 1):
        found = re.match(mark, line) if "http" not in line and "SPDX" not in line else None
        after_code = None if found or "http" in line else re.search(r"\s(///<|//)\s(.*)$", line)
        of_item = bool(block and item.match(block[0]) and re.match(r" {2,3}\S", found[2])) if found else False
        prose = bool(found and found[2].strip() and (of_item or not found[2].startswith(" ")))
        if block and not (prose and found.start(1) == column and not item.match(found[2])):
            yield from ((start, one) for one in sentences(" ".join(block)))
            block = []
        found = found if prose else after_code
        if found:
            if not block:
                start, column = number, found.start(1)
            block.append(found[2])


def messages(file):
    """(line, text) of each literal of at least four words, neighbouring literals joined."""
    text = file.read_text(encoding="utf-8")
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.DOTALL)
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for found in re.finditer(rf"{literal}(?:\s*(?:\+[^\",;{{}}]{{0,60}}?\+)?\s*{literal})*", text):
        parts = re.findall(rf"({literal})|(\+)", found[0])
        joined = "".join(part[1:-1] if part else "…" for part, plus in parts).replace("……", "…")
        if len(joined.split()) >= 4 and not re.search(r"[<{}\\]", joined) and not joined.startswith(("http", "#include")):
            yield text[:found.start()].count("\n") + 1, " ".join(joined.split())


def document(file):
    """(line, sentence) of a page's prose and tables' cells, without code."""
    text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), file.read_text(encoding="utf-8"), flags=re.DOTALL)
    start, block = 0, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("    ") or not line.strip() or line.startswith(("#", "|")):
            yield from ((start, one) for one in sentences(" ".join(block)))
            block = []
            if line.startswith("|"):
                for cell in line.strip("| \n").split(" | "):
                    yield from ((number, one) for one in sentences(cell, 6))
        else:
            if not block:
                start = number
            block.append(line)


def found_in(files, read):
    return [(file, line, one) for file in files for line, one in read(file)]


def drawn(count, seed):
    headers = sorted((ROOT / "include").rglob("*.hpp"))
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    sources = headers + sorted((ROOT / "examples").rglob("*.?pp")) + sorted((ROOT / "benchmarks").rglob("*.cpp")) + sorted((ROOT / "tests").rglob("*.?pp"))
    kinds = {"comment": found_in(sources, comments), "message": found_in(headers, messages), "page": found_in(pages, document)}
    draw = random.Random(seed)
    share = [count // 3 + (1 if i < count % 3 else 0) for i in range(3)]
    return {kind: len(of) for kind, of in kinds.items()}, [
        (kind, *one) for (kind, of), size in zip(kinds.items(), share) for one in draw.sample(of, size)]


def main():
    count, seed = (int(word) for word in (sys.argv[1:] + ["200", "1"][len(sys.argv) - 1:]))
    sizes, chosen = drawn(count, seed)
    print("drawn from " + ", ".join(f"{size} {kind}s" for kind, size in sizes.items()), file=sys.stderr)
    for number, (kind, file, line, sentence) in enumerate(chosen, 1):
        print(f"{number}\t{kind}\t{file.relative_to(ROOT)}:{line}\t{sentence}")


if __name__ == "__main__":
    main()
