# SPDX-License-Identifier: Apache-2.0
"""The API reference in docs/reference is what docs/reference.py makes of the headers, and holds every public name."""
import importlib.util
import re
import unittest

import command

PROGRAMS = ""

INCLUDE = command.ROOT / "include" / "plumb"
PAGES = command.ROOT / "docs" / "reference"


def load_maker():
    found = importlib.util.spec_from_file_location("reference", command.ROOT / "docs" / "reference.py")
    maker = importlib.util.module_from_spec(found)
    found.loader.exec_module(maker)
    return maker


maker = load_maker()

HEADER = r'''// SPDX-License-Identifier: Apache-2.0
#pragma once

// How large is a thing? By a<b and *c*, see `d<e>`.
//
//   size = a · b
// in metres.

#include <string>

namespace plumb {

namespace detail {
inline int hidden() { return 1; }
}  // namespace detail

class Later;

/// A kind of thing.
enum class Kind { small, large };

/// Any number of threads may use one.
struct Thing : Base<int> {
  std::size_t size = 0;
  std::string name{"};"};  // of the thing
  /// Made of two.
  explicit Thing(int a, std::vector<int> b = {}) : Base{a}, b_(std::move(b)) { grow(); }
  friend bool operator==(const Thing&, const Thing&) = default;

 protected:
  int shared = 0;

 private:
  struct Within {
    int x = 0;
  };
  // a brace in a comment: {
  std::vector<int> b_;
};

/// Something that has a size.
template <class T>
concept Sized = requires(const T& t) {
  { t.size() } -> std::convertible_to<std::size_t>;
};

/// The sizes of all things, in metres.
template <Sized T>
requires(!std::same_as<T, bool>) [[nodiscard]] inline std::vector<std::size_t> sizes_of_all_things(
    const std::vector<T>& things, char quote = '"') {
  if (things.empty()) return {};
  return {1'000, 2};
}

template <Sized T>
void Thing::grow() {
  int not_shown = 0;
}

static_assert(sizeof(int) == 4);

}  // namespace plumb
'''

PAGE = '''<!-- Made by docs/reference.py from the headers; change those and run it again. -->

# core

What is large?

[All names](README.md)

| header | question | names |
|---|---|---|
| [big_thing.hpp](#big_thinghpp) | How large is a thing? | `Kind`, `Thing`, `Sized`, `sizes_of_all_things` |

## big_thing.hpp

`#include "plumb/core/big_thing.hpp"`

How large is a thing? By a\\<b and \\*c\\*, see `d<e>`.

```text
size = a · b
```

in metres.

```cpp
/// A kind of thing.
enum class Kind { small, large };

/// Any number of threads may use one.
struct Thing : Base<int> {
  std::size_t size = 0;
  std::string name{"};"};  // of the thing

  /// Made of two.
  explicit Thing(int a, std::vector<int> b = {});
  friend bool operator==(const Thing&, const Thing&) = default;
};

/// Something that has a size.
template <class T>
concept Sized = requires(const T& t) {
  { t.size() } -> std::convertible_to<std::size_t>;
};

/// The sizes of all things, in metres.
template <Sized T>
requires(!std::same_as<T, bool>)
std::vector<std::size_t> sizes_of_all_things(const std::vector<T>& things, char quote = '"');
```
'''


def public_types(text):
    """Names of a header's types outside of other types and of hidden namespaces, by its lines alone."""
    namespaces = []
    for line in text.splitlines():
        if opened := re.match(r"namespace (\S+) \{", line):
            namespaces.append(opened.group(1))
        elif line.startswith("}  // namespace"):
            namespaces.pop()
        elif (declared := re.match(r"(?:class|struct|enum class|concept) (\w+)[^;]*(?:\{|=)", line)) and not any(
                part in ("detail", "compiled") for name in namespaces for part in name.split("::")):
            yield declared.group(1)


class Reference(unittest.TestCase):
    def test_the_pages_are_made_of_the_headers_as_they_are(self):
        made = maker.pages()
        there = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
        self.assertEqual(sorted(made), sorted(there))
        stale = [name for name in made if made[name] != there[name]]
        self.assertEqual(stale, [], "python3 docs/reference.py makes them anew")

    def test_every_room_every_header_and_every_public_type_stands_there(self):
        rooms = sorted(path.name for path in INCLUDE.iterdir() if path.is_dir())
        self.assertEqual(sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "README"), rooms)
        names = (PAGES / "README.md").read_text(encoding="utf-8")
        count = 0
        for room in rooms:
            page = (PAGES / f"{room}.md").read_text(encoding="utf-8")
            for header in (INCLUDE / room).glob("*.hpp"):
                self.assertIn(f"\n## {header.name}\n", page)
                for name in public_types(header.read_text(encoding="utf-8")):
                    count += 1
                    self.assertRegex(page, rf"\n(class|struct|enum class|concept) {name}\b")
                    self.assertRegex(names, rf"\n- `{name}`: .*{room}/{header.name}")
        self.assertGreater(count, 300)

    def test_nothing_of_what_is_hidden_stands_there(self):
        for path in INCLUDE.rglob("*/*.hpp"):
            code = re.sub(r"//.*", "", "\n".join(maker.read_header(path.read_text(encoding="utf-8"))[1]))
            hidden = re.findall(r"\b(?:private|protected):|namespace (?:\w+::)*detail|PLUMB_INLINE|\breturn ", code)
            self.assertEqual(hidden, [], path.name)

    def test_links_lead_to_headings(self):
        pages = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
        anchors = {name: {maker.anchor(heading) for heading in re.findall(r"^## (.*)$", text, re.MULTILINE)}
                   for name, text in pages.items()}
        links = [(name, target or name, anchor) for name, text in pages.items()
                 for target, anchor in re.findall(r"\]\(([\w.]*)#([\w-]+)\)", text)]
        self.assertGreater(len(links), 500)
        self.assertEqual([link for link in links if link[2] not in anchors.get(link[1], ())], [])

    def test_a_page_of_one_header(self):
        self.assertEqual(maker.room_page("core", "What is large?", {"big_thing.hpp": HEADER}), PAGE)

    def test_an_index_of_one_header(self):
        index = maker.index_page(["core"], {"core": {"big_thing.hpp": HEADER}})
        self.assertIn("\n## K\n\n- `Kind`: [core/big_thing.hpp](core.md#big_thinghpp)\n", index)
        self.assertEqual(re.findall(r"^- `(\w+)`", index, re.MULTILINE), ["Kind", "Sized", "sizes_of_all_things", "Thing"])

    def test_long_declarations_are_broken_behind_commas(self):
        line = "void f(" + ", ".join(f"const std::string& name_{i}" for i in range(6)) + ");"
        broken = maker.wrapped(line, "  ")
        self.assertEqual([part[:12].rstrip() for part in broken], ["  void f(con", "      const"])
        self.assertLessEqual(max(map(len, broken)), 100)
        self.assertEqual(" ".join(part.strip() for part in broken), line)


if __name__ == "__main__":
    unittest.main()
