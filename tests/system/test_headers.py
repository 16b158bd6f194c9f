# SPDX-License-Identifier: Apache-2.0
"""Headers in other people's code: by themselves, under two compilers, and in two files of one program.

The test programs read a precompiled header and compile test files in batches, which hides a missing include. Here a
header is seen by itself: its lines see only what it includes itself, directly or not. g++ reads files with a chain of
headers, each of which includes the one before, after the precompiled form of a header that the first of them includes:
about two hundred files for 400 headers. Bodies of templates that a chain's lines call are instantiated at the end of a
file. g++ does this only in the few files that together contain all headers, and in the build's example_one_file, which
test_two_files_of_one_program_may_have_them_all uses. clang compiles each header with all its bodies, as a module
(header_modules.py), or in chains if a module fails or only few headers must be checked.

Checking all headers takes by far the longest of all tests. The suite checks the doors and the umbrellas under both
compilers, and a fifteenth of the others under g++; PLUMB_ALL_HEADERS=1 checks them all.
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
import unittest.mock
import zlib

import command
import header_modules

PROGRAMS = "example_one_file"

CLANG = shutil.which("clang++-16")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wold-style-cast", "-Werror"]
INCLUDE = command.ROOT / "include"
EIGEN = "/usr/include/eigen3"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in (INCLUDE / "plumb").rglob("*.hpp"))
UMBRELLAS = ["plumb/plumb.hpp", "plumb/detail/runs.hpp"]
# Doors: headers directly under include/plumb. OWN_PART: those of an optional part, and those that take longer to
# compile than the in-memory headers.
DOORS = [name for name in HEADERS if name.count("/") == 1 and name not in UMBRELLAS]
OWN_PART = [f"plumb/{name}.hpp" for name in ("command", "huggingface", "llama", "load", "run", "server", "tensors")]
LAST_LINE = "all headers were read"
FEW = 20  # this few headers compile faster without modules and without precompiled headers
# Headers that many others include and that take long to read: g++ reads them once. The choice affects only the time.
HUBS = [f"plumb/detail/{name}.hpp" for name in (
    "core/disk_path", "backend/concepts", "data/json_file", "aggregate/predictions", "records/run_record", "report/columns",
    "run/job", "cli/console")]
# Libraries that a header may include besides the standard library, Eigen, xtensor and nlohmann-json.
PARTS = {"llama": r"/(llama|gguf|ggml[a-z-]*)\.h$", "Boost": r"/boost/", "OpenMP": r"/omp\.h$", "OpenSSL": r"/openssl/",
         "utf8proc": r"/utf8proc\.h$", "Oniguruma": r"/oniguruma\.h$", "MPI": r"/mpi\.h$"}


def library_headers():
    """Headers for a program that embeds plumb without one of plumb's engines and without the command line."""
    return [name for name in HEADERS
            if name not in UMBRELLAS + OWN_PART and not name.startswith(("plumb/detail/cli/", "plumb/detail/backend/llama", "plumb/detail/huggingface/",
                                                                         "plumb/detail/server/", "plumb/detail/run/mpi_"))]


def sample_of(compiler):
    """The headers that are checked under a compiler, in order."""
    if os.environ.get("PLUMB_ALL_HEADERS"):
        return HEADERS
    return [name for name in HEADERS if name in DOORS + UMBRELLAS or compiler == "g++" and zlib.crc32(name.encode()) % 15 == 0]


def included_by(name):
    """plumb's headers that a header includes directly, in order."""
    return re.findall(r'#include "(plumb/\S+)"', (INCLUDE / name).read_text())


@functools.cache
def reaches_run_folders(name):
    """Whether a header writes, reads or shows run folders, or needs one that does."""
    return (name.startswith(("plumb/detail/records/", "plumb/detail/run/", "plumb/detail/report/"))
            or any(map(reaches_run_folders, included_by(name))))


@functools.cache
def closure(name):
    """plumb's headers that a header includes, directly or not."""
    return frozenset(included_by(name)).union(*map(closure, included_by(name)))


def chains(names):
    """Headers in as few chains as possible; each header of a chain includes those before it (a maximum matching in the partial
    order of inclusion, by augmenting paths)."""
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
    """A hash of a file's bytes; none if it cannot be read."""
    try:
        return hashlib.sha256((command.ROOT / file).read_bytes()).hexdigest()
    except OSError:
        return None


@functools.cache
def version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout


@functools.cache
def words_of(compiler):
    words = [compiler, "-std=c++20", *WARNINGS, "-fsyntax-only", "-Iinclude", "-isystem", EIGEN]
    if compiler == "g++":
        words += ["--param=ggc-min-heapsize=1000000"]  # no garbage collection: a sixth faster
    return words


def parts_of(names):
    """A compiler's additional flags for headers of an optional part."""
    needed = {*map(str, names)}.union(*(closure(name) for name in names if name in HEADERS))
    llama = any(re.search(r"plumb/detail/backend/llama|native_gguf", name) for name in needed)
    words = ["-isystem", command.LLAMA_INCLUDE] if llama else []
    return words + (mpi_folders() if any("/mpi_" in name for name in needed) else [])


@functools.cache
def mpi_folders():
    """The folder of Open MPI's headers; empty if it is not installed."""
    wrapper = shutil.which("mpicxx")
    done = subprocess.run([wrapper, "--showme:incdirs"], capture_output=True, text=True) if wrapper else None
    return [word for folder in done.stdout.split() for word in ("-isystem", folder)] if done else []


def memory_of(compiler, name):
    """The file that records which files a compiler read when it found a header clean."""
    key = hashlib.sha256("\n".join([*words_of(compiler), version(compiler), name]).encode()).hexdigest()
    return command.CHECKED / f"{key}.json"


def remembered(compiler, name):
    """The files that a compiler read when it found a header clean; none if it did not, or if one of them has changed."""
    known = memory_of(compiler, name)
    read = json.loads(known.read_text()) if known.exists() else {}
    return list(read) if read and all(digest(file) == was for file, was in read.items()) else None


def remember(compiler, name, files):
    known = memory_of(compiler, name)
    command.CHECKED.mkdir(parents=True, exist_ok=True)
    part = known.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
    part.write_text(json.dumps({file: digest(file) for file in sorted(files)}))
    part.rename(known)


def in_root(file):
    """A file's path in a form that is the same in another checkout."""
    file = os.path.normpath(command.ROOT / file)
    return os.path.relpath(file, command.ROOT) if file.startswith(f"{command.ROOT}/") else file


def checked(compiler, chain, whole=True, behind=()):
    """(the compiler's messages, the files it read) of a program that contains only a chain of headers, twice, `behind` a
    precompiled one, if any. If not `whole`, g++ stops at the end of the last line, before it instantiates the bodies of
    templates that were called."""
    source = "".join(f'#include "{name}"\n' for name in [*chain, *chain])
    words = [*words_of(compiler), *parts_of(chain), *behind, "-H", "-x", "c++", "-"]
    if not whole:
        words.insert(1, "-Wfatal-errors")
        source += f'static_assert(false, "{LAST_LINE}");\n'
    done = subprocess.run(words, input=source, capture_output=True, text=True, cwd=command.ROOT)
    lines, read = listed(done)
    said = "\n".join(line for line in lines if not re.match(r"[.!x]+ ", line))
    if not whole and re.fullmatch(rf"<stdin>:{2 * len(chain) + 1}:.*{LAST_LINE}[^:]*-Wfatal-errors\.", said, re.DOTALL):
        return "", read
    return said or f"ended with {done.returncode}" * (done.returncode != 0), read


def listed(done):
    """The output lines of a compiler that lists the files it reads (-H), and these files."""
    lines = done.stderr.split("Multiple include guards may be useful for:")[0].splitlines()
    return lines, {in_root(line.split(maxsplit=1)[1]) for line in lines if re.match(r"\.+ ", line)}


class Hubs:
    """Precompiled headers for g++ in a folder. A header that is read after one of those that it includes sees no more than it
    would by itself."""

    def __init__(self, folder):
        self.folder, self.made = folder, {}

    @staticmethod
    def of(name):
        """The hub that covers most of the headers that this one includes; none if it includes no hub."""
        return max((hub for hub in HUBS if hub in closure(name)), key=lambda hub: len(closure(hub)), default=None)

    def make(self, hub):
        """Precompiles a hub. A hub that does not compile is omitted: its own chain shows the error."""
        file = pathlib.Path(self.folder) / f"{header_modules.module_of(hub)}.hpp"
        file.write_text(f'#include "{hub}"\n')
        words = [word for word in words_of("g++") if word != "-fsyntax-only"]
        done = subprocess.run([*words, "-H", "-x", "c++-header", file, "-o", f"{file}.gch"], capture_output=True, text=True,
                              cwd=command.ROOT)
        self.made[hub] = (["-include", str(file)], listed(done)[1]) if done.returncode == 0 else ([], set())

    def check(self, chain, whole):
        """Like `checked`, with each header after its hub."""
        behind, below = self.made.get(Hubs.of(chain[0]), ([], set())) if not whole else ([], set())
        said, read = checked("g++", chain, whole, behind)
        return said, read | below


def whole_chains(found, others):
    """Chains that g++ compiles to the end: as few as contain all headers except `others`, which are compiled elsewhere."""
    seen, whole = set(others), []
    for chain in sorted(found, key=lambda chain: -len(closure(chain[-1]))):
        if not seen.issuperset(closure(chain[-1]) | {chain[-1]}):
            seen |= closure(chain[-1]) | {chain[-1]}
            whole.append(chain)
    return whole


def check_all(compiler):
    """A compiler's messages for each header by itself, and the files it read. A clean result is remembered until a byte of these
    files, the flags or the version changes."""
    sample = sample_of(compiler)
    read = {name: files for name in sample if (files := remembered(compiler, name))}
    said, dragging = [], {name: set(files) for name, files in read.items()}
    unknown = [name for name in sample if name not in read]
    if compiler == CLANG and len(unknown) > 4 * FEW:  # each needs those that it includes
        named = {found for name in HEADERS for found in re.findall(r"#include <(\S+)>", (INCLUDE / name).read_text())}
        with tempfile.TemporaryDirectory() as folder:
            modules = header_modules.Modules(words_of(compiler), command.ROOT, INCLUDE, folder, HEADERS, closure, named)
            modules.make_all(unknown, parts_of, os.cpu_count())
        for name in unknown:
            if modules.said.get(name) == "":
                dragging[name] = set(map(in_root, modules.read[name]))
                remember(compiler, name, dragging[name] | set(map(in_root, modules.below)))
        unknown = [name for name in unknown if name not in dragging]
    library, parts = set(library_headers()), {}
    for name in unknown:
        hub = Hubs.of(name) if compiler == "g++" and len(unknown) > FEW else None
        parts.setdefault((name in library, hub), []).append(name)
    found = [chain for part in parts.values() for chain in chains(part)]
    whole = whole_chains(found, set().union(*map(closure, UMBRELLAS))) if compiler == "g++" else found
    found.sort(key=lambda chain: -len(closure(chain[-1])))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, tempfile.TemporaryDirectory() as folder:
        hubs = Hubs(folder)
        list(pool.map(hubs.make, {hub for _, hub in parts if hub}))
        if compiler == "g++":
            made = list(pool.map(lambda chain: hubs.check(chain, chain in whole), found))
        else:
            made = list(pool.map(lambda chain: checked(compiler, chain), found))
    for chain, (words, files) in zip(found, made, strict=True):
        said += [words] if words else []
        dragging.update(keep(compiler, chain, words, files))
    return said, dragging


def keep(compiler, chain, said, files):
    """By header of a chain: the files read that it may see, without the headers that come after it, which it does not include.
    Recorded if the compiler printed nothing."""
    seen = {}
    for name in chain:
        own = {f"include/{one}" for one in closure(name) | {name}}
        seen[name] = {file for file in files if file in own or not file.startswith("include/plumb/")}
        if not said:
            remember(compiler, name, seen[name])
    return seen


class Headers(unittest.TestCase):
    def test_umbrella_headers_include_exactly_the_expected_headers(self):
        self.assertEqual(included_by("plumb/plumb.hpp"), [name for name in DOORS if name not in OWN_PART])
        rooms = [name for name in library_headers() if name.count("/") > 1 and not name.endswith("_body.hpp")]  # others include them
        self.assertEqual(included_by("plumb/detail/runs.hpp"), [name for name in rooms if reaches_run_folders(name)])

    def assert_each_compiles_alone_and_drags_nothing_in(self, compiler):
        self.assertGreater(len(HEADERS), 200)
        sample = sample_of(compiler)
        said, read = check_all(compiler)
        self.assertEqual(said, [])
        self.assertEqual(sorted(read), sample)
        dragged = {(name, part) for name in set(library_headers()) & set(sample) for part, files in PARTS.items()
                   if any(re.search(files, file) for file in read[name])}
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

    def test_a_header_is_checked_again_for_what_it_includes_and_not_for_what_comes_after_it(self):
        below, name, after = "plumb/detail/core/error.hpp", "plumb/detail/data/json_file.hpp", "plumb/detail/run/job.hpp"
        files = {f"include/{one}" for one in closure(after) | {after}} | {str(pathlib.Path(EIGEN) / "Eigen" / "Core")}
        with unittest.mock.patch.object(command, "CHECKED", command.temporary_folder(self)):
            self.assertEqual(keep("g++", [name, after], "a fault", files)[after], files)
            self.assertIsNone(remembered("g++", name))
            keep("g++", [name, after], "", files)
            self.assertEqual(set(remembered("g++", after)), files)
            self.assertEqual(set(remembered("g++", name)), {file for file in files if "/plumb/" not in file}
                             | {f"include/{one}" for one in closure(name) | {name}})
            self.assertIn(f"include/{below}", remembered("g++", name))

    def test_the_check_itself_finds_faults(self):
        for compiler in ["g++", *([CLANG] if CLANG else [])]:
            said, _ = checked(compiler, ["plumb/detail/core/error.hpp", "plumb/detail/core/no_such_header.hpp"])
            self.assertIn("no_such_header.hpp", said)
            _, read = checked(compiler, ["plumb/tensors.hpp"])
            self.assertTrue(any("/xtensor/" in file for file in read))

    @unittest.skipUnless(CLANG, "skipped: no clang++-16")
    def test_a_module_shows_a_header_what_it_includes_and_no_more(self):
        lines = {"base": "#include <string>\n#define BASE 1\ninline std::string base() { return {}; }",
                 "good": '#include "base.hpp"\ninline std::string good() { return base() + std::to_string(BASE); }',
                 "whole": "#include <deque>\ninline std::deque<int> whole() { return {}; }",
                 "name": "#include <string>\ninline std::string name() { return base(); }",
                 "macro": "inline int macro() { return BASE; }",
                 "library": "#include <string>\ninline std::deque<int> library() { return {}; }",
                 "warned": "inline int warned(long x) { return x; }",
                 "body": "template <class T> void call(T x) { x.missing(); }\ninline void body() { call(1); }",
                 "above": '#include "warned.hpp"\n'}
        folder = command.temporary_folder(self)
        (folder / "include").mkdir()
        for name, text in lines.items():
            (folder / "include" / f"{name}.hpp").write_text(f"#pragma once\n{text}\n")
        includes = {"good.hpp": {"base.hpp"}, "above.hpp": {"warned.hpp"}}
        names = [f"{name}.hpp" for name in lines]
        made = header_modules.Modules(words_of(CLANG), folder, folder / "include", folder, names,
                                      lambda name: includes.get(name, set()), {"string", "deque"})
        self.assertTrue(made.make_all(names, lambda _: [], 2))
        self.assertEqual([name for name in names if made.said.get(name) == ""], ["base.hpp", "good.hpp", "whole.hpp"])
        self.assertEqual(set(names) - set(made.said), {"above.hpp"})
        for name, fault in {"name": "'base'", "macro": "'BASE'", "library": "deque", "warned": "-Wshorten",
                            "body": "not a structure"}.items():
            self.assertIn(fault, made.said[f"{name}.hpp"])

    def test_g_plus_plus_reads_to_the_last_line_and_makes_bodies_only_when_asked(self):
        folder = command.temporary_folder(self)
        faults = {"line": "inline int line() { return missing; }", "warned": "inline int warned(long x) { return x; }"}
        body = "template <class T> void call(T x) { x.missing(); }\ninline void body() { call(1); }"
        for name, text in {**faults, "body": body, "good": "#include <string>"}.items():
            (folder / f"{name}.hpp").write_text(f"#pragma once\n{text}\n")
        for name in faults:
            self.assertIn(f"{name}.hpp:2:", checked("g++", [folder / f"{name}.hpp"], whole=False)[0])
        for whole in (False, True):
            said, read = checked("g++", [folder / "good.hpp"], whole)
            self.assertEqual(said, "")
            self.assertTrue(any(file.endswith("/bits/basic_string.h") for file in read))
            self.assertEqual("x.missing" in checked("g++", [folder / "body.hpp"], whole)[0], whole)

    def test_behind_a_precompiled_header_faults_are_still_found(self):
        folder = command.temporary_folder(self)
        hubs, hub = Hubs(folder), "plumb/detail/core/disk_path.hpp"
        hubs.make(hub)
        behind, below = hubs.made[hub]
        self.assertTrue(any(file.endswith("/filesystem") for file in below))
        for name, line, fault in (("good", "inline plumb::detail::DiskPath good() { return {}; }", ""),
                                  ("bad", "inline std::deque<int> bad() { return {}; }", "deque")):
            header = folder / f"{name}.hpp"
            header.write_text(f'#pragma once\n#include "{hub}"\n{line}\n')
            said, read = checked("g++", [header], False, behind)
            self.assertFalse(any(file.endswith("/filesystem") for file in read), "it was read again")
            self.assertEqual(fault in said, True, said)
            self.assertEqual(said == "", fault == "", said)

    def test_two_files_of_one_program_may_have_them_all(self):
        # The build compiles them all as one file (PLUMB_STRICT: without warnings); here this file is twice in one
        # program.
        made = command.BUILD / "CMakeFiles" / "example_one_file.dir" / "examples" / "one_file.cpp.o"
        folder = command.temporary_folder(self)
        (folder / "main.cpp").write_text("int one();\nint two();\nint main() { return one() + two(); }\n")

        def run(*words):
            done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env={**os.environ, "TMPDIR": str(folder)})
            self.assertEqual((done.returncode, done.stderr), (0, ""))

        for name in ("one", "two"):
            run("objcopy", "--redefine-sym", f"main=_Z3{name}v", made, f"{name}.o")
        run("g++", "main.cpp", "one.o", "two.o", "-o", "both")
        run("./both")

    def test_the_library_itself_prints_nothing(self):
        for name in library_headers():
            text = re.sub(r"//.*", "", (INCLUDE / name).read_text())
            self.assertIsNone(re.search(r"std::(cout|cerr|clog)\b|<iostream>|\b(f?printf|f?puts|perror)\(", text), name)


if __name__ == "__main__":
    unittest.main()
