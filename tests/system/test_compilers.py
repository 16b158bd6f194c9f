# SPDX-License-Identifier: Apache-2.0
"""The compilers that are said to be tested are, and an older one is told so in one line."""
import hashlib
import pathlib
import re
import shutil
import subprocess
import unittest

import command

PROGRAMS = ""

INCLUDE = command.ROOT / "include"
VERSION = INCLUDE / "plumb" / "core" / "version.hpp"
UMBRELLAS = ["plumb/plumb.hpp", "plumb/runs.hpp"]
OLDEST_CLANG = shutil.which("clang++-14")


def compiled(compiler, headers, *more):
    return subprocess.run([compiler, "-std=c++20", *more, "-fsyntax-only", f"-I{INCLUDE}", "-isystem",
                           "/usr/include/eigen3", "-x", "c++", "-"], input="".join(f'#include "{header}"\n' for header in headers),
                          capture_output=True, text=True)


class Compilers(unittest.TestCase):
    # g++ 12 and clang 16 compile every header in test_headers.
    @unittest.skipUnless(OLDEST_CLANG, "skipped: no clang++-14")
    def test_debian_12s_own_clang_compiles_all_that_an_embedder_includes(self):
        # What was clean stays so until a byte of a header changes.
        read = hashlib.sha256(subprocess.run([OLDEST_CLANG, "--version"], capture_output=True, check=True).stdout)
        read.update(pathlib.Path(__file__).read_bytes())  # and what is asked of it
        for header in sorted(INCLUDE.rglob("*.hpp")):
            read.update(header.read_bytes())
        clean = command.CHECKED / f"{read.hexdigest()}.umbrellas"
        if clean.exists():
            return
        done = compiled(OLDEST_CLANG, UMBRELLAS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        command.CHECKED.mkdir(parents=True, exist_ok=True)
        clean.touch()

    def test_an_older_compiler_is_told_which_are_tested(self):
        older = [("g++", ["-U__GNUC__", "-D__GNUC__=11"]), ("g++", ["-std=c++17"])]
        if OLDEST_CLANG:
            older.append((OLDEST_CLANG, ["-U__clang_major__", "-D__clang_major__=13"]))
        for compiler, flags in older:
            done = compiled(compiler, ["plumb/core/version.hpp"], *flags)
            self.assertNotEqual(done.returncode, 0, flags)
            self.assertRegex(done.stderr, "error: .*plumb wants C\\+\\+20 and is tested with")
            self.assertEqual(compiled(compiler, ["plumb/core/version.hpp"], *flags, "-DPLUMB_ANY_COMPILER").returncode, 0)
        self.assertEqual(compiled("g++", ["plumb/core/version.hpp"]).returncode, 0)

    def test_readme_and_error_name_the_same_compilers(self):
        tested = re.search(r"tested with (.+?);", VERSION.read_text()).group(1)
        self.assertEqual(tested, "g++ 12, clang 14 and clang 16")
        self.assertIn(f"tested with {tested}", " ".join((command.ROOT / "README.md").read_text().split()))
        self.assertIn(f"tested with {tested}", " ".join((command.ROOT / "docs" / "embedding.md").read_text().split()))


if __name__ == "__main__":
    unittest.main()
