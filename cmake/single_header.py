#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes plumb's headers as one file.

    single_header.py INCLUDE OUT     INCLUDE is the folder that has plumb/, OUT the file to write

OUT contains everything that works in memory (plumb/plumb.hpp). If PLUMB_SINGLE_RUNS is defined before it is included, it
also contains everything that writes and reads run folders (plumb/run.hpp, plumb/detail/runs.hpp). Like the headers, it
needs Eigen, nlohmann-json and, for run folders, xtensor. Each header appears in it once, after the headers that it
includes, unchanged except for its own includes.
"""
import pathlib
import re
import sys

OWN = re.compile(r'^#include "(plumb/[^"]+)"\n', re.MULTILINE)
ONCE = re.compile(r"^// SPDX-License-Identifier: .*\n#pragma once\n", re.MULTILINE)


def in_order(root, header, seen):
    """`header` and plumb's headers that it includes, without those in `seen`, each after its own includes."""
    if header in seen:
        return []
    seen.add(header)
    before = [name for own in OWN.findall((root / header).read_text()) for name in in_order(root, own, seen)]
    return [*before, header]


def body(root, header):
    """A header's text without its guard and its includes of plumb's headers."""
    text, guards = ONCE.subn("", (root / header).read_text(), count=1)
    if guards != 1:
        sys.exit(f"{header}: does not start with its licence and #pragma once")
    # Bodies and kernels that may be compiled separately may appear before the code that uses them.
    conditional = re.search(r"^#\s*if(?! PLUMB_BODIES\n| !defined\(PLUMB_COMPILED_KERNELS\)\n).*\n(?:(?!#\s*endif).*\n)*?#include \"plumb/", text, re.MULTILINE)
    if conditional:
        sys.exit(f"{header}: includes a header of plumb under a condition")
    return f"// ---- {header}\n{OWN.sub('', text)}"


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = re.search(r'define PLUMB_VERSION "(.+)"', (root / "plumb" / "detail" / "core" / "version.hpp").read_text()).group(1)
    seen = set()
    parts = [f"// SPDX-License-Identifier: Apache-2.0\n#pragma once\n\n// plumb {version} in one file, written by cmake/single_header.py. "
             "Define PLUMB_SINGLE_RUNS before\n// including it for run folders and pages (plumb/run.hpp) too.\n\n"]
    parts += [body(root, header) for header in in_order(root, "plumb/plumb.hpp", seen)]
    parts += ["#ifdef PLUMB_SINGLE_RUNS\n"]
    parts += [body(root, header) for umbrella in ("plumb/detail/runs.hpp", "plumb/run.hpp")
              for header in in_order(root, umbrella, seen)]
    parts += ["#endif  // PLUMB_SINGLE_RUNS\n"]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(parts))


if __name__ == "__main__":
    main()
