# SPDX-License-Identifier: Apache-2.0
"""The API reference that docs/reference.py generates from the headers contains every public name with its comment, and
no others."""
import importlib.util
import re
import unittest

import command

PROGRAMS = ""

NAMES = (command.ROOT / "tests" / "public_names.txt").read_text().split()


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

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline int hidden() { return 1; }

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

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
'''

PAGE = '''<!-- Made by docs/reference.py from the headers. -->

# things

`#include "plumb/things.hpp"`

Which things are there?

## Kind

```cpp
/// A kind of thing.
enum class Kind { small, large };
```

## Thing

```cpp
/// Any number of threads may use one.
struct Thing : Base<int> {
  std::size_t size = 0;
  std::string name{"};"};  // of the thing

  /// Made of two.
  explicit Thing(int a, std::vector<int> b = {});
  friend bool operator==(const Thing&, const Thing&) = default;
};
```

## Sized

```cpp
/// Something that has a size.
template <class T>
concept Sized = requires(const T& t) {
  { t.size() } -> std::convertible_to<std::size_t>;
};
```

## sizes_of_all_things

```cpp
/// The sizes of all things, in metres.
template <Sized T>
requires(!std::same_as<T, bool>)
std::vector<std::size_t> sizes_of_all_things(const std::vector<T>& things, char quote = '"');
```
'''

DOOR = """// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which things are there?

#include "plumb/detail/core/big_thing.hpp"

namespace plumb {

using detail::Kind;
using detail::Thing;
using detail::Sized;
using detail::sizes_of_all_things;

}  // namespace plumb
"""


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = maker.pages()

    def test_every_public_name_stands_there_with_its_declaration_and_comment(self):
        index = self.pages["README.md"]
        self.assertEqual(sorted(re.findall(r"^- `(\w+)`", index, re.MULTILINE)), sorted(NAMES))
        silent = []
        for name, door in re.findall(r"^- `(\w+)`: \[\w+\.hpp\]\((\w+\.md)#", index, re.MULTILINE):
            section = self.pages[door].split(f"\n## {name}\n")[1].split("\n## ")[0]
            self.assertRegex(section, rf"```cpp\n(?:.*\n)*?.*\b{name}\b")
            silent += [name] if "///" not in section else []
        self.assertEqual(silent, [])

    def test_nothing_of_what_is_hidden_stands_there(self):
        for name, page in self.pages.items():
            code = re.sub(r"//.*", "", "\n".join(re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)[1:]))
            self.assertEqual(re.findall(r"\b(?:private|protected):|PLUMB_INLINE|\breturn [a-z]", code), [], name)

    def test_links_lead_to_headings(self):
        anchors = {name: {maker.anchor(heading) for heading in re.findall(r"^## (.*)$", text, re.MULTILINE)}
                   for name, text in self.pages.items()}
        links = re.findall(r"\]\(([\w.]*)#([\w-]+)\)", self.pages["README.md"])
        self.assertGreater(len(links), 100)
        self.assertEqual([link for link in links if link[1] not in anchors.get(link[0], ())], [])

    def test_a_page_of_one_door(self):
        include = command.temporary_folder(self)
        (include / "plumb" / "detail" / "core").mkdir(parents=True)
        (include / "plumb" / "things.hpp").write_text(DOOR)
        (include / "plumb" / "detail" / "core" / "big_thing.hpp").write_text(HEADER)
        self.assertEqual(maker.door_page("things", include)[0], PAGE)
        self.assertEqual(re.findall(r"^- `(\w+)`", maker.pages(include)["README.md"], re.MULTILINE),
                         ["Kind", "Sized", "sizes_of_all_things", "Thing"])

    def test_long_declarations_are_broken_behind_commas(self):
        line = "void f(" + ", ".join(f"const std::string& name_{i}" for i in range(6)) + ");"
        broken = maker.wrapped(line, "  ")
        self.assertEqual([part[:12].rstrip() for part in broken], ["  void f(con", "      const"])
        self.assertLessEqual(max(map(len, broken)), 100)
        self.assertEqual(" ".join(part.strip() for part in broken), line)


if __name__ == "__main__":
    unittest.main()
