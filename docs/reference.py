#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the API reference: a page for each header directly under include/plumb and an index of the public names.

    python3 docs/reference.py [FOLDER]        # build-reference by default

A page contains the header's opening comment and the declarations of its public names with their `///` comments, without
bodies and without private or protected members. It is made for a release and not committed. The script reads code
formatted by the project's .clang-format, not all of C++.
"""
import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include" / "plumb"
PAGES = ROOT / "build-reference"
COLUMNS = 100
NOTE = "<!-- Made by docs/reference.py from the headers. -->\n\n"

# Comments and literals: braces and semicolons in them have no meaning.
OPAQUE = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
                    re.DOTALL)
HIDDEN_NAMESPACES = {"detail", "compiled"}
OPENING, CLOSING = "([{", ")]}"


def blank(text):
    """The text with comments, literals and preprocessor lines replaced by blanks, at the same length."""
    def spaces(match):
        found = match.group()
        if found.startswith(("//", "/*")):
            return re.sub(r"[^\n]", " ", found)
        return '"' + re.sub(r"[^\n]", "_", found[1:-1]) + '"'

    text = OPAQUE.sub(spaces, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.MULTILINE)


def matching(code, at):
    """The position of the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(code)):
        depth += (code[place] in OPENING) - (code[place] in CLOSING)
        if depth == 0:
            return place
    raise ValueError(f"no bracket closes the one at {at}")


def opens_requirements(before):
    """Whether a brace after this text is that of a requires-expression."""
    before = before.rstrip()
    if before.endswith(")"):
        depth = 0
        for place in range(len(before) - 1, -1, -1):
            depth += (before[place] == ")") - (before[place] == "(")
            if depth == 0:
                break
        before = before[:place].rstrip()
    return re.search(r"(^|[=&|!(]|\brequires)\s*requires$", before) is not None


def declarations(code, at, end):
    """Declarations of a scope, as (first, head's end, body or None, last): positions in the code."""
    while True:
        while at < end and (code[at].isspace() or code[at] == ";"):
            at += 1
        if at >= end:
            return
        if access := re.match(r"(public|protected|private):", code[at:end]):
            yield at, at + access.end(), None, at + access.end()
            at += access.end()
            continue
        first, is_initialised, has_parameters, body, angles = at, False, False, None, 0
        while at < end:
            character = code[at]
            if character == ";":
                break
            if character == "{":
                head = code[first:at]
                is_value = (is_initialised or opens_requirements(head) or
                            (head[-1:] != " " and head[-1:] != "\n" and not head.endswith(")")))
                if not is_value:
                    body = (at + 1, matching(code, at))
                    break
                at = matching(code, at)
            elif character in "([":
                has_parameters = has_parameters or character == "("
                at = matching(code, at)
            elif character == "<" and re.search(r"\btemplate\s*$", code[first:at]):
                for at in range(at, end):
                    angles += (code[at] == "<") - (code[at] == ">")
                    if angles == 0:
                        break
            elif character == "=" and not re.search(r"operator[=!<>+*/-]*$", code[first:at]):
                # A comparison or a default in a function's head is not an initial value.
                is_initialised = is_initialised or (code[at - 1] == " " and code[at + 1] in " \n")
            at += 1
        if body:
            rest = re.match(r"\s*;", code[body[1] + 1:end])
            last = body[1] + 1 + (rest.end() if rest else 0)
            yield first, body[0] - 1, body, last
        else:
            last = at + 1
            yield first, at, None, last
        at = last


def comment_before(text, first):
    """The `///` lines right before a position, without their indentation."""
    lines = []
    for line in reversed(text[:first].rsplit("\n", 1)[0].split("\n") if "\n" in text[:first] else []):
        if not line.lstrip().startswith("///"):
            break
        lines.append(line.strip())
    return lines[::-1]


def one_line(text):
    """A declaration on one line, without its comments and without words that do not matter to a reader."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\[\[nodiscard\]\] ?|\bPLUMB_INLINE ", "", text)
    return re.sub(r"\binline |(?<=\() ", "", text)


def without_initialisers(head):
    """A constructor's head up to the end of its parameters."""
    depth = 0
    for at, character in enumerate(head):
        depth += (character in OPENING) - (character in CLOSING)
        if character == ":" and depth == 0 and head[at + 1:at + 2] != ":" and head[at - 1:at] != ":" and ")" in head[:at]:
            return head[:at].rstrip()
    return head


def wrapped(line, indent):
    """A declaration in lines of at most COLUMNS, broken after commas and spaces outside of quotes."""
    lines, room = [], COLUMNS - len(indent)
    while len(line) > room:
        places = [m.end() for m in re.finditer(r", | ", line[:room + 1]) if line[:m.end()].count('"') % 2 == 0 and m.end() > 8]
        commas = [place for place in places if line[place - 2] == "," and place > room // 2]
        if not places:
            break
        cut = commas[-1] if commas else places[-1]
        lines.append(line[:cut].rstrip())
        line = "    " + line[cut:]
    return [indent + part for part in [*lines, line]]


def split_template(head):
    """`template <…>` and `requires …`, a line each, and the rest."""
    lines = []
    while found := re.match(r"template <", head):
        depth = 0
        for at in range(found.end() - 1, len(head)):
            depth += (head[at] == "<") - (head[at] == ">")
            if depth == 0:
                break
        lines.append(head[:at + 1])
        head = head[at + 1:].lstrip()
    if head.startswith("requires"):
        at = end_of_requirement(head)
        lines.append(head[:at].rstrip())
        head = head[at:].lstrip()
    return lines, head


def end_of_requirement(head):
    """Where a requires-clause ends: after the operands that && and || join, each a concept, (…) or a requires-expression."""
    at = len("requires")
    while True:
        operand = re.match(r"\s*(requires\s*)?", head[at:])
        at += operand.end()
        if operand.group(1):
            at = matching(head, at) + 1 if head[at] == "(" else at
            at = matching(head, head.index("{", at)) + 1
        elif head[at] == "(":
            at = matching(head, at) + 1
        else:
            at += re.match(r"!?[\w:]+", head[at:]).end()
            if head[at:at + 1] == "<":
                depth = 0
                for at in range(at, len(head)):
                    depth += (head[at] == "<") - (head[at] == ">")
                    if depth == 0:
                        break
                at += 1
        joint = re.match(r"\s*(&&|\|\|)", head[at:])
        if not joint:
            return at
        at += joint.end()


def value_shortened(head):
    """A variable without a value that fills more than a line."""
    if len(head) > COLUMNS - 4 and re.match(r"[^={]*\w\{", head):
        return head.split("{")[0]
    if head.startswith("using "):
        return head
    name, is_there, value = head.partition(" = ")
    return f"{name} = …" if is_there and (len(head) > COLUMNS - 4 or value.startswith("[")) else head


def verbatim(text, first, last, indent):
    """The lines of a range unchanged, but with different indentation and without comments of the implementation."""
    start = text.rfind("\n", 0, first) + 1
    stands = first - start
    lines = text[start:last].split("\n")
    return [(indent + line[min(stands, len(line) - len(line.lstrip())):]).rstrip() for line in lines]


def is_left_out(head, has_body):
    """Whether a declaration is useless to a caller: forward declarations, assertions, definitions of what is declared elsewhere."""
    _, head = split_template(head)
    if re.match(r"static_assert|using namespace|friend (class |struct )?[\w:]+(<.*>)?$|extern ", head):
        return True
    if not has_body and re.match(r"(class|struct|enum class) \w+$", head):
        return True
    before = re.sub(r"<[^()]*>", "", head.split("(")[0])
    return "(" in head and re.search(r"\w::~?\w+$", before) is not None


def interface(text, code, at, end, indent="", is_public=True):
    """(lines, names): the public declarations of a scope without bodies, and their names."""
    lines, names = [], []
    for first, head_end, body, last in declarations(code, at, end):
        head = one_line(blank_comments(text[first:head_end]))
        if access := re.fullmatch(r"(public|protected|private):", head):
            is_public = access.group(1) == "public"
            continue
        if not is_public or is_left_out(head, body):
            continue
        comment = comment_before(text, first)
        made = []
        if namespace := re.match(r"namespace ((?:\S|inline )+)", head):
            if namespace.group(1).split("::")[-1] in HIDDEN_NAMESPACES:
                continue
            inner, inner_names = interface(text, code, *body, indent)
            if namespace.group(1) == "plumb":
                lines += ([""] if lines and inner else []) + inner
                names += inner_names
                continue
            made = [f"{indent}namespace {namespace.group(1)} {{", *inner, f"{indent}}}"] if inner else []
            names += [f"{namespace.group(1)}::{name}".removeprefix("plumb::") for name in inner_names]
        else:
            template, bare = split_template(head)
            made = [line for part in template for line in wrapped(part, indent)]
            kind = re.match(r"(class|struct|union|enum class|enum|concept)\b", bare)
            if kind and kind.group(1) == "concept":
                place = first + re.search(r"\bconcept\b", code[first:last]).start()
                made += verbatim(text, place, last, indent)
            elif kind and kind.group(1).startswith("enum"):
                whole = one_line(text[first:last])
                made += ([indent + whole] if len(indent + whole) <= COLUMNS and "//" not in text[first:last]
                         else verbatim(text, first, last, indent))
            elif kind and body:
                inner, _ = interface(text, code, *body, indent + "  ", kind.group(1) != "class")
                opened = wrapped(bare + " {", indent)
                made += [*opened, *inner, indent + "};"] if inner else [*opened[:-1], opened[-1] + "};"]
            elif body or "(" in bare and not re.search(r"^[^(]*( = |\w\{)", bare):
                made += wrapped(without_initialisers(bare) + ";", indent)
            else:
                made += wrapped(value_shortened(bare) + ";", indent)
            names.append(name_of(bare))
        if not made:
            continue
        if lines and (comment or len(made) > 2) and lines[-1]:
            lines.append("")
        trailing = re.match(r"[ \t]*(//[^\n]*)", text[last:])
        if trailing and len(made[-1]) + 2 + len(trailing.group(1)) <= COLUMNS + 20:
            made[-1] += "  " + trailing.group(1)
        lines += [indent + line for line in comment] + made
    while lines and not lines[-1]:
        lines.pop()
    return lines, names


def blank_comments(text):
    return OPAQUE.sub(lambda m: "" if m.group().startswith(("//", "/*")) else m.group(), text)


def name_of(head):
    """The name that a declaration declares."""
    if found := re.match(r"using [\w:]*::(\w+);?$", head):
        return found.group(1)
    if found := re.match(r"(?:class|struct|union|enum class|enum|concept|using)\s+(\w+)", head):
        return found.group(1)
    if found := re.search(r"operator\s*(?:\(\)|[^\s(]+)(?=\()", head):
        return found.group()
    declared = re.split(r" = |\{|\(", re.sub(r"<[^()]*?>(?=[\s&*:])", "", head), maxsplit=1)[0]
    return re.findall(r"\w+", declared)[-1]


def opening(text):
    """The first comment of a header, its paragraphs as lists of lines without `//`."""
    found = re.search(r"#pragma once\n\n((?://[^\n]*\n)+)", text)
    if not found:
        raise ValueError("a header without an opening comment")
    return [re.sub(r"^// ?", "", line) for line in found.group(1).splitlines()]


def in_markdown(lines):
    """A comment as Markdown: indented lines are code, and Markdown characters outside of `…` are escaped."""
    made, is_code = [], False
    for at, line in enumerate(lines):
        indented = line.startswith("  ") and not (made and re.match(r"(- |\d+\. )", made[-1].lstrip()))
        if indented != is_code and (indented or line.strip()):
            if indented and made and made[-1]:
                made.append("")
            block = itertools.takewhile(lambda one: one.startswith("  ") or not one, lines[at:])
            made.append("```" + ("" if not indented else "cpp" if any(re.search(r"[;{]$", one) for one in block) else "text"))
            if not indented:
                made.append("")
            is_code = indented
        if is_code:
            made.append(line[2:])
            continue
        parts = re.split(r"(`[^`]*`)", line)
        parts[::2] = [re.sub(r"([*<\\])", r"\\\1", part) for part in parts[::2]]
        made.append("".join(parts))
    if is_code:
        made.append("```")
    return made


def anchor(heading):
    """The anchor that a forge generates for a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def read_header(text):
    """(opening lines, interface lines, names) of a header."""
    code = blank(text)
    lines, names = interface(text, code, 0, len(code))
    return opening(text), lines, names


def public_names(headers):
    """{name: headers that declare it} of namespace plumb, without operators and without names of nested namespaces."""
    places = {}
    for file in headers:
        text = file.read_text(encoding="utf-8")
        code = blank(text)
        for name in interface(text, code, 0, len(code))[1]:
            if "::" not in name and "operator" not in name:
                places.setdefault(name, []).append(file)
    return places


def included_by(text):
    """plumb's headers that a header includes directly, as paths below include/."""
    return re.findall(r'#include "(plumb/\S+)"', text)


def reached(name, include):
    """A header and all of plumb's headers that it includes, directly or not, in the order in which they are read."""
    found = {}

    def read(one):
        if one not in found:
            found[one] = None
            for other in included_by((include / one).read_text(encoding="utf-8")):
                read(other)

    read(name)
    return list(found)


def public_declarations(text, names):
    """{name: texts} of the declarations of these names in a header's namespace plumb or plumb::detail, with their comments."""
    text = re.sub(r"^namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail \{", "namespace plumb {", text, flags=re.MULTILINE)
    code = blank(text)
    found = {}
    for first, _, body, _ in declarations(code, 0, len(code)):
        if not body or not re.match(r"namespace plumb \{", code[first:]):
            continue
        for start, _, _, last in declarations(code, *body):
            if re.match(r"namespace\b", code[start:]):
                continue
            lines, made = interface(text, code, start, last)
            if len(made) == 1 and made[0] in names and not lines[-1].startswith("using detail::"):
                found.setdefault(made[0], []).append("\n".join(lines))
    return found


def door_page(name, include):
    """The page of a door: its opening, and its public names with comments, overloads together."""
    text = (include / "plumb" / f"{name}.hpp").read_text(encoding="utf-8")
    names = re.findall(r"^using detail::(\w+);", text, re.MULTILINE)
    found = {}
    for header in reached(f"plumb/{name}.hpp", include):
        for one, texts in public_declarations((include / header).read_text(encoding="utf-8"), names).items():
            found.setdefault(one, []).extend(texts)
    page = [f"# {name}", "", f"`#include \"plumb/{name}.hpp\"`", "", *in_markdown(opening(text))]
    for one in names:
        page += ["", f"## {one}", "", "```cpp", "\n\n".join(found[one]), "```"]
    return NOTE + "\n".join(page) + "\n", names


def pages(include=INCLUDE.parent):
    """{file: text} of a page for each door and the index of names."""
    made, index = {}, {}
    for path in sorted((include / "plumb").glob("*.hpp")):
        if path.stem in ("plumb", "runs"):
            continue
        page, names = door_page(path.stem, include)
        made[f"{path.stem}.md"] = page
        index.update({name: path.stem for name in names})
    lines = ["# The API reference", "", "Every public name and the header that declares it.", ""]
    lines += [f"- `{name}`: [{door}.hpp]({door}.md#{anchor(name)})" for name, door in sorted(index.items(), key=lambda one: one[0].lower())]
    made["README.md"] = NOTE + "\n".join(lines) + "\n"
    return made


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"wrote {folder}/README.md and a page for each door")


if __name__ == "__main__":
    main()
