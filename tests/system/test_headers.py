# SPDX-License-Identifier: Apache-2.0
"""Headers at home in other people's code: alone, under two compilers, and in two files of one program.

The test programs read a precompiled header and compile test files in batches, which hides a missing include;
nothing is precompiled here. A header is seen alone when all that was read before its own lines is what it
includes itself, directly or not. So one file may hold a chain of headers, each of which includes the one before:
about seventy files for 246 headers.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

import command

PROGRAMS = ""

CLANG = shutil.which("clang++-16")
CHECKED = pathlib.Path(os.environ.get("PLUMB_CACHE", "~/.cache/plumb")).expanduser() / "checked-headers"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
INCLUDE = command.ROOT / "include"
EIGEN = "/usr/include/eigen3"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in (INCLUDE / "plumb").rglob("*.hpp"))
UMBRELLAS = ["plumb/plumb.hpp", "plumb/runs.hpp"]
# What a header may bring with it beside the standard library, Eigen, xtensor and nlohmann-json.
PARTS = {"llama": r"/(llama|ggml[a-z-]*)\.h$", "Boost": r"/boost/", "OpenMP": r"/omp\.h$", "OpenSSL": r"/openssl/",
         "utf8proc": r"/utf8proc\.h$"}


def library_headers():
    """Those of an embedder who has no engine of ours and no command line."""
    return [name for name in HEADERS
            if name not in UMBRELLAS and not name.startswith(("plumb/cli/", "plumb/backend/llama", "plumb/huggingface/"))]


def included_by(name):
    """Headers of ours that a header names, in its order."""
    return re.findall(r'#include "(plumb/\S+)"', (INCLUDE / name).read_text())


@functools.cache
def reaches_run_folders(name):
    """Whether a header writes run folders, reads or shows them, or needs one that does; only the runner fills a score
    table, which takes xtensor's headers to compile."""
    return (name.startswith(("plumb/records/", "plumb/run/", "plumb/report/", "plumb/score/score_table"))
            or any(map(reaches_run_folders, included_by(name))))


@functools.cache
def closure(name):
    """Headers of ours that a header includes, directly or not."""
    return frozenset(included_by(name)).union(*map(closure, included_by(name)))


def chains(names):
    """Headers in as few chains as there can be, each header of which includes those before it (a maximum matching in
    the partial order of inclusion, by augmenting paths)."""
    before, after = {}, {}

    def place(name, seen):
        for user in names:
            if name in closure(user) and user not in seen:
                seen.add(user)
                if user not in before or place(before[user], seen):
                    before[user], after[name] = name, user
                    return True
        return False

    for name in names:
        place(name, set())
    found = []
    for name in names:
        if name not in before:
            found.append([name])
            while found[-1][-1] in after:
                found[-1].append(after[found[-1][-1]])
    return found


@functools.cache
def digest(file):
    """A hash of a file's bytes; none when it cannot be read."""
    try:
        return hashlib.sha256((command.ROOT / file).read_bytes()).hexdigest()
    except OSError:
        return None


@functools.cache
def version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout


def checked(compiler, chain):
    """(what a compiler says, the files it read) of a program that has nothing but a chain of headers, twice. What it
    found clean stays so until a byte that it read changes, or its flags or version."""
    source = "".join(f'#include "{name}"\n' for name in [*chain, *chain])
    words = [compiler, "-std=c++20", *WARNINGS, "-fsyntax-only", "-Iinclude", "-isystem", EIGEN]
    if compiler == "g++":
        words += ["--param=ggc-min-heapsize=1000000"]  # nothing is collected: a sixth faster
    if any(name.startswith("plumb/backend/llama") for name in chain):
        words += ["-isystem", command.LLAMA_INCLUDE]
    key = hashlib.sha256("\n".join([*words, version(compiler), source]).encode()).hexdigest()
    known = CHECKED / f"{key}.json"
    if known.exists():
        read = json.loads(known.read_text())
        if all(digest(file) == was for file, was in read.items()):
            return "", list(read)
    with tempfile.TemporaryDirectory() as folder:
        listed = pathlib.Path(folder) / "read.d"
        done = subprocess.run([*words, "-MD", "-MF", listed, "-MT", "x", "-x", "c++", "-"], input=source,
                              capture_output=True, text=True, cwd=command.ROOT)
        files = listed.read_text().replace("\\\n", " ").split()[1:] if listed.exists() else []
    read = {file: digest(file) for file in files if file != "-"}
    if done.returncode == 0 and not done.stderr:
        CHECKED.mkdir(parents=True, exist_ok=True)
        part = known.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        part.write_text(json.dumps(read))
        part.rename(known)
    return done.stderr or f"ended with {done.returncode}" * (done.returncode != 0), list(read)


class Headers(unittest.TestCase):
    def test_the_umbrellas_name_every_header_of_the_library(self):
        parted = {umbrella: [name for name in library_headers() if reaches_run_folders(name) == is_run]
                  for umbrella, is_run in zip(UMBRELLAS, (False, True), strict=True)}
        self.assertEqual({umbrella: included_by(umbrella) for umbrella in UMBRELLAS}, parted)

    def assert_each_compiles_alone_and_drags_nothing_in(self, compiler):
        self.assertGreater(len(HEADERS), 200)
        parted = [chains(library_headers()), chains([name for name in HEADERS if name not in library_headers()])]
        self.assertEqual(sorted(name for part in parted for chain in part for name in chain), HEADERS)
        work = [chain for part in parted for chain in part]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = list(pool.map(functools.partial(checked, compiler), work))
        self.assertEqual([said for said, _ in made if said], [])
        dragged = {(chain[-1], part) for chain, (_, read) in zip(work, made, strict=True)
                   if chain[-1] in library_headers() for part, files in PARTS.items()
                   if any(re.search(files, file) for file in read)}
        self.assertEqual(dragged, set())

    def test_each_compiles_alone_and_drags_nothing_in_under_gcc(self):
        self.assert_each_compiles_alone_and_drags_nothing_in("g++")

    @unittest.skipUnless(CLANG, "skipped: no clang++-16")
    def test_each_compiles_alone_and_drags_nothing_in_under_clang(self):
        self.assert_each_compiles_alone_and_drags_nothing_in(CLANG)

    def test_a_chain_shows_each_header_what_it_includes_and_no_more(self):
        for chain in chains(HEADERS):
            for i, name in enumerate(chain):
                self.assertLessEqual(set(chain[:i]), closure(name))

    def test_the_check_itself_finds_faults(self):
        for compiler in ["g++", *([CLANG] if CLANG else [])]:
            said, _ = checked(compiler, ["plumb/core/error.hpp", "plumb/core/no_such_header.hpp"])
            self.assertIn("no_such_header.hpp", said)
            _, read = checked(compiler, ["plumb/score/score_table.hpp"])
            self.assertTrue(any("/xtensor/" in file for file in read), read[:5])

    def test_two_files_of_one_program_may_have_them_all(self):
        folder = command.temporary_folder(self)
        (folder / "a.cpp").write_text("".join(f'#include "{umbrella}"\n' for umbrella in UMBRELLAS) + "int one() { return 1; }\n")
        (folder / "main.cpp").write_text("int one();\nint two();\nint main() { return two() - one(); }\n")

        def run(*words):
            done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

        run("g++", "-std=c++20", *WARNINGS, f"-I{INCLUDE}", "-isystem", EIGEN, "-c", "a.cpp")
        run("objcopy", "--redefine-sym", "_Z3onev=_Z3twov", "a.o", "b.o")  # the same file once more
        run("g++", "main.cpp", "a.o", "b.o", "-o", "both")
        run("./both")

    def test_the_library_itself_prints_nothing(self):
        for name in library_headers():
            text = re.sub(r"//.*", "", (INCLUDE / name).read_text())
            self.assertIsNone(re.search(r"std::(cout|cerr|clog)\b|<iostream>|\b(f?printf|f?puts|perror)\(", text), name)


if __name__ == "__main__":
    unittest.main()
