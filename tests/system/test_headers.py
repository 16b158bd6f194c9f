# SPDX-License-Identifier: Apache-2.0
"""Headers at home in other people's code: alone, under another compiler, and in two files of one program.

Under GCC each header is compiled alone by its own test, which includes it first (test_structure.py).
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import command

PROGRAMS = ""

CLANG = shutil.which("clang++-16")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
INCLUDE = command.ROOT / "include"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in (INCLUDE / "plumb").rglob("*.hpp"))
UMBRELLAS = ["plumb/plumb.hpp", "plumb/runs.hpp"]
# What a header may bring with it beside the standard library, Eigen, xtensor and nlohmann-json.
PARTS = {"llama": r"/(llama|ggml[a-z-]*)\.h$", "Boost": r"/boost/", "OpenMP": r"/omp\.h$", "OpenSSL": r"/openssl/"}


def library_headers():
    """Those of an embedder who has no engine of ours and no command line."""
    return [name for name in HEADERS
            if name not in UMBRELLAS and not name.startswith(("plumb/cli/", "plumb/backend/llama"))]


def included_by(name):
    """Headers of ours that a header names, in its order."""
    return re.findall(r'#include "(plumb/\S+)"', (INCLUDE / name).read_text())


@functools.cache
def reaches_run_folders(name):
    """Whether a header writes run folders, reads or shows them, or needs one that does; only the runner fills a score
    table, which takes xtensor's headers to compile."""
    return (name.startswith(("plumb/run/", "plumb/report/", "plumb/score/score_table")) or "/recorded" in name
            or any(map(reaches_run_folders, included_by(name))))


def includes(name):
    """Folders of the dependencies, as system headers."""
    folders = ["/usr/include/eigen3", *([command.LLAMA_INCLUDE] if name.startswith("plumb/backend/llama") else [])]
    return [word for folder in folders for word in ("-isystem", folder)]


def compile_alone(name):
    """(what the compiler says, the files it read) of a program that has nothing but the header, twice."""
    source = f'#include "{name}"\n#include "{name}"\n'
    with tempfile.TemporaryDirectory() as folder:
        read = pathlib.Path(folder) / "read.d"
        done = subprocess.run([CLANG, "-std=c++20", *WARNINGS, "-fsyntax-only", "-MD", "-MF", read, f"-I{INCLUDE}",
                               *includes(name), "-x", "c++", "-"], input=source, capture_output=True, text=True)
        return done.stderr, read.read_text() if read.exists() else ""


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(items, pool.map(work, items), strict=True))


class Headers(unittest.TestCase):
    def test_the_umbrellas_name_every_header_of_the_library(self):
        parted = {umbrella: [name for name in library_headers() if reaches_run_folders(name) == is_run]
                  for umbrella, is_run in zip(UMBRELLAS, (False, True), strict=True)}
        self.assertEqual({umbrella: included_by(umbrella) for umbrella in UMBRELLAS}, parted)

    @unittest.skipUnless(CLANG, "skipped: no clang++-16")
    def test_each_compiles_alone_and_drags_nothing_in(self):
        self.assertGreater(len(HEADERS), 200)
        made = in_parallel(compile_alone, HEADERS)
        self.assertEqual({name: said for name, (said, _) in made.items() if said}, {})
        dragged = {(name, part) for name in library_headers() for part, files in PARTS.items()
                   if any(re.search(files, file) for file in made[name][1].split())}
        self.assertEqual(dragged, set())

    @unittest.skipUnless(CLANG, "skipped: no clang++-16")
    def test_the_check_itself_finds_faults(self):
        said, _ = compile_alone("plumb/core/no_such_header.hpp")
        self.assertIn("no_such_header.hpp", said)

    def test_two_files_of_one_program_may_have_them_all(self):
        folder = command.temporary_folder(self)
        all_headers = "".join(f'#include "{umbrella}"\n' for umbrella in UMBRELLAS) + "int one();\n"
        (folder / "a.cpp").write_text(all_headers + "int main() { return one(); }\n")
        (folder / "b.cpp").write_text(all_headers + "int one() { return 0; }\n")
        done = subprocess.run(["g++", "-std=c++20", *WARNINGS, f"-I{INCLUDE}", *includes(UMBRELLAS[0]),
                               str(folder / "a.cpp"), str(folder / "b.cpp"), "-o", str(folder / "both")],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(subprocess.run([folder / "both"]).returncode, 0)

    def test_the_library_itself_prints_nothing(self):
        for name in library_headers():
            text = re.sub(r"//.*", "", (INCLUDE / name).read_text())
            self.assertIsNone(re.search(r"std::(cout|cerr|clog)\b|<iostream>|\b(f?printf|f?puts|perror)\(", text), name)


if __name__ == "__main__":
    unittest.main()
