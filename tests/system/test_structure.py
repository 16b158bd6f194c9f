# SPDX-License-Identifier: Apache-2.0
"""The rooms are in order: every header has its test, and includes only point up the rooms."""
import pathlib
import re
import subprocess
import sys
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

ROOMS = ["core", "kernels", "data", "prompt", "backend", "huggingface", "server", "score", "measure", "rank", "aggregate", "calibrate", "records", "report", "run", "cli"]
DOORS = command.ROOT / "include" / "plumb"
INCLUDE = DOORS / "detail"


def faults(headers, tests):
    """The faults of {path below include/plumb/detail: text}, given the set of test paths below tests."""
    found = []
    for path, text in headers.items():
        room = path.split("/")[0]
        if room not in ROOMS:
            found.append(f"{path}: {room} is not a room")
            continue
        if path.removesuffix(".hpp").removesuffix("_body") + "_test.cpp" not in tests:
            found.append(f"{path}: has no test")
        for included in re.findall(r'#include "plumb/detail/([a-z_]+)/', text):
            if included not in ROOMS or ROOMS.index(included) > ROOMS.index(room):
                found.append(f"{path}: includes {included}/, a room below {room}/")
        lines = text.splitlines()
        if lines[:2] != ["// SPDX-License-Identifier: Apache-2.0", "#pragma once"]:
            found.append(f"{path}: does not open with the licence and #pragma once")
        if len(lines) > 500:
            found.append(f"{path}: {len(lines)} lines")
    return found


def silent_classes(text, names):
    """Public classes of a header whose comment does not state how many threads may use one object."""
    found, comment = [], []
    for line in text.splitlines():
        if line.startswith("///"):
            comment.append(line)
        elif not line.startswith(("template", "requires")):
            declared = re.match(r"class (\w+)[^;]*\{", line)
            if declared and declared.group(1) in names and not re.search("thread", " ".join(comment), re.I):
                found.append(declared.group(1))
            comment = []
    return found


def file_calls(include):
    """The file calls that a header makes itself, as (header, call)."""
    calls = re.compile(r"std::filesystem::(?!path\b|filesystem_error\b)\w+|std::[io]?fstream\b|\bfopen\b|\bflock\b")
    for path in include.glob("*/*.hpp"):
        for call in calls.findall(path.read_text()):
            yield str(path.relative_to(include)), call


class Structure(unittest.TestCase):
    def test_headers_are_in_order(self):
        headers = {str(p.relative_to(INCLUDE)): p.read_text() for p in INCLUDE.glob("*/*.hpp")}
        tests = {str(p.relative_to(command.ROOT / "tests")) for p in (command.ROOT / "tests").rglob("*_test.cpp")}
        self.assertGreater(len(headers), 30)
        self.assertEqual(faults(headers, tests), [])

    def test_headers_whose_bodies_may_be_compiled_apart_are_in_the_file_that_compiles_them(self):
        compiled = (command.ROOT / "cmake" / "compiled.cpp").read_text()
        apart = {str(p.relative_to(INCLUDE)) for p in INCLUDE.glob("*/*.hpp") if "\n#if PLUMB_BODIES" in p.read_text()}
        self.assertEqual(apart, set(re.findall(r'#include "plumb/detail/(\S+)"', compiled)))
        self.assertGreater(len(apart), 5)

    def test_files_are_reached_through_a_disk(self):
        # Backends map or read models; a command line's words are made into absolute paths.
        free = {"core/disk.hpp", "core/mapped_file.hpp", "cli/job_target.hpp", "cli/job_console.hpp",
                "cli/given_options.hpp", "run/mpi_ranking.hpp"}
        found = [f"{path}: {call}" for path, call in file_calls(INCLUDE)
                 if path not in free and path.split("/")[0] not in ("backend", "huggingface")]
        self.assertEqual(found, [])

    def test_a_test_file_opens_with_its_header(self):
        # A header with many tests may have several files: runner_test.cpp, runner_resume_test.cpp.
        for test in (command.ROOT / "tests").rglob("*_test.cpp"):
            name = str(test.relative_to(command.ROOT / "tests")).removesuffix("_test.cpp")
            first = re.search(r'#include "plumb/(?:detail/)?(\S+)\.hpp"', test.read_text()).group(1)
            self.assertTrue(name.removeprefix("doors/").startswith(first), f"{name} opens with {first}")

    def test_a_door_that_declares_something_has_its_test(self):
        doors = [path for path in DOORS.glob("*.hpp") if "\nnamespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {" in path.read_text()]
        self.assertGreater(len(doors), 6)
        for door in doors:
            self.assertTrue((command.ROOT / "tests" / "doors" / f"{door.stem}_test.cpp").exists(), door.name)
            self.assertLessEqual(len(door.read_text().splitlines()), 500, door.name)

    def test_rooms_include_no_door(self):
        for path in INCLUDE.glob("*/*.hpp"):
            self.assertEqual(re.findall(r'#include "plumb/\w+\.hpp"', path.read_text()), [], path)

    def test_each_class_documents_its_thread_safety(self):
        names = (command.ROOT / "tests" / "public_names.txt").read_text().split()
        silent = {str(p.relative_to(INCLUDE)): silent_classes(p.read_text(), names) for p in INCLUDE.glob("*/*.hpp")}
        self.assertEqual({name: classes for name, classes in silent.items() if classes}, {})

    def test_the_check_of_classes_finds_the_silent_ones(self):
        text = "namespace plumb {\n/// Not thread-safe.\ntemplate <class T>\nclass A {\n};\nclass B : A<int> {\n};\n"
        self.assertEqual(silent_classes(text, ["A", "B"]), ["B"])
        self.assertEqual(silent_classes(text, ["A"]), [])

    def test_the_check_itself_finds_faults(self):
        good = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"
        self.assertEqual(faults({"core/a.hpp": good}, {"core/a_test.cpp"}), [])
        self.assertIn("has no test", faults({"core/a.hpp": good}, set())[0])
        self.assertEqual(faults({"core/a_body.hpp": good}, {"core/a_test.cpp"}), [])
        down = good + '#include "plumb/detail/score/b.hpp"\n'
        self.assertIn("a room below core/", faults({"core/a.hpp": down}, {"core/a_test.cpp"})[0])
        self.assertIn("does not open", faults({"core/a.hpp": "int a;"}, {"core/a_test.cpp"})[0])


class Facts(unittest.TestCase):
    def test_the_bundled_dataset_agrees_with_its_sources(self):
        check = command.ROOT / "tests" / "facts" / "check_facts.py"
        done = subprocess.run([sys.executable, check, command.FACTS], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("skipped: ", done.stdout)  # the runner installs the sources' packages

    def test_plumb_finds_no_problem_in_it(self):
        done = command.plumb("data", "check", command.FACTS)
        self.assertIn(" 0 problems", done.stdout)

    @command.needs_vocabularies
    def test_describe_counts_its_tokens(self):
        model = command.tiny_model(command.temporary_folder(self))
        lines = command.plumb("data", "describe", command.FACTS, "--model", model).stdout.splitlines()
        total = lines[-2].split()
        self.assertEqual(total[0], "all")
        facts, statements, tokens, tree = (int(total[i]) for i in range(1, 5))
        self.assertGreaterEqual(facts, 900)
        self.assertGreater(tokens, statements)
        self.assertLess(tree, tokens)


@command.needs_shared
class OtherLayouts(unittest.TestCase):
    def test_bear_and_pararel_are_read_whole(self):
        bear = command.plumb("data", "check", command.SHARED / "data" / "bear", code=2).stdout
        # Spaces at ends or doubled, no-break spaces in initials, and a template that appears twice.
        self.assertIn("60 relations, 7731 facts, 15 problems\n", bear)
        self.assertIn("P466: option 'Vijayanagara Gadariya  Empire' has two consecutive white-space characters", bear)
        self.assertNotIn("Heroes", bear)  # one title in quotes
        self.assertIn("metadata_relations.json: P103: template ", bear)  # one is there twice
        pararel = command.plumb("data", "describe", command.SHARED / "data" / "pararel").stdout
        self.assertIn("7 relations", pararel)
        p36 = next(line.split() for line in pararel.splitlines() if line.startswith("P36 "))
        self.assertEqual(p36[1:4], ["471", "251", "14"])

    def test_bear_has_fourteen_one_to_one_relations_with_840_facts(self):
        lines = command.plumb("data", "describe", command.SHARED / "data" / "bear").stdout.splitlines()
        ones = [line.split() for line in lines if " 1:1 " in line]
        self.assertEqual(len(ones), 14)
        self.assertEqual(sum(int(line[1]) for line in ones), 840)

    @command.needs_model
    def test_bear_has_as_many_tokens_and_prefixes_as_transformers_counts(self):
        # Counted with the transformers tokenizer of the same GGUF, first letters upper-cased, BOS first.
        lines = command.plumb("data", "describe", command.SHARED / "data" / "bear", "--model", command.MODEL).stdout
        total = lines.splitlines()[-2].split()
        self.assertEqual(total[2:5], ["209499", "2810991", "693746"])


if __name__ == "__main__":
    unittest.main()
