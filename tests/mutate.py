#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small changes to headers, one at a time, and runs the tests of each changed header (mutation testing).

    mutate.py ROOM,ROOM… N SEED

A change is a different sign, a different bound, a number one larger, a dropped statement, or swapped branches. N changes
are drawn from all possible changes of the rooms' headers; one seed and one state of the headers always give the same. For
each, the mirror tests of the header (tests/ROOM/HEADER*_test.cpp) are compiled with it, by the build's command for them,
and run. A change that no test notices is printed as a survivor; one that does not compile is replaced by another. Changes
known to be equivalent are in tests/equivalent_changes.txt, one per line: FILE | LINE | CHANGED LINE | WHY.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
INCLUDE = ROOT / "include"
EQUIVALENT = ROOT / "tests" / "equivalent_changes.txt"

# (pattern, replacements). The headers are formatted: binary operators have a space on each side, template brackets have
# none.
CHANGES = [
    (r"(?<= )\+(?= )", ["-"]), (r"(?<= )-(?= )", ["+"]), (r"(?<= )\*(?= [^=])", ["/"]), (r"(?<= )/(?= )", ["*"]),
    (r"(?<= )\+=(?= )", ["-="]), (r"(?<= )-=(?= )", ["+="]), (r"(?<![\w)\]])-(?=[\w(])", [""]),
    (r"(?<= )<(?= )", ["<=", ">"]), (r"(?<= )<=(?= )", ["<", ">="]), (r"(?<= )>(?= )", [">=", "<"]),
    (r"(?<= )>=(?= )", [">", "<="]), (r"(?<= )==(?= )", ["!="]), (r"(?<= )!=(?= )", ["=="]),
    (r"(?<= )&&(?= )", ["||"]), (r"(?<= )\|\|(?= )", ["&&"]), (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"]),
    (r"(?<=if \()(?!constexpr)", ["!"]), (r"(?<=[(\[ {])\d+(?=[)\],; }])", ["ONE MORE"]),
    (r"(?<![\w.])(\d+\.\d+)(?![\w.])", ["ONE MORE"]), (r"\bmin\(", ["max("]), (r"\bmax\(", ["min("]),
    (r"\+\+(?=\w)", ["--"]), (r"\.begin\(\)(?=[,)])", [".end()"]),
    (r"^\s+(?!return|using|const |auto |static|throw|break|continue|friend|typename|std::\w+(<.*>)? \w+;)[\w.\->\[\]():]+"
     r"( [+\-*]?= |\().*;$", ["DROPPED"]),
]
# Lines without code that runs.
NO_CODE = re.compile(r"^\s*(//|#|static_assert|template|requires|concept|namespace|using |\*|friend)")

Change = collections.namedtuple("Change", "file number old new")


def strings_hidden(line):
    """A line with the insides of literals and comments blanked, so that positions do not change."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])+\'', lambda found: '"' + "_" * (len(found.group()) - 2) + '"', line)
    return re.sub(r"//.*", lambda found: " " * len(found.group()), line)


def negated(line, at):
    """The line with the condition that begins at a position negated as a whole; none if the condition ends on another line."""
    depth = 0
    for i in range(at, len(line)):
        depth += (line[i] == "(") - (line[i] == ")")
        if depth < 0:
            condition = line[at:i]
            return None if ";" in condition else line[:at] + "!(" + condition + ")" + line[i:]
    return None


def changes_of(file):
    """All changes of one header."""
    found = []
    for number, line in enumerate((INCLUDE / file).read_text().splitlines()):
        if NO_CODE.match(line):
            continue
        hidden = strings_hidden(line)
        for pattern, instead in CHANGES:
            for place in re.finditer(pattern, hidden):
                for new in instead:
                    if new == "!":
                        changed = negated(line, place.start())
                    elif new == "DROPPED":
                        changed = line[:len(line) - len(line.lstrip())] + ";"
                    else:
                        word = place.group()
                        text = new if new != "ONE MORE" else f"{float(word) + 1}" if "." in word else f"{int(word) + 1}"
                        changed = line[:place.start()] + text + line[place.end():]
                    if changed:
                        found.append(Change(file, number, line, changed))
    return found


def recipes():
    """By room: the folder and the compiler command for one file of its tests."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if room := re.search(r"/test_(\w+)\.dir/Unity/unity_0_cxx", entry.get("output", entry["command"])):
            words = shlex.split(entry["command"])
            while not re.search(r"(c|g|clang)\+\+[\d.-]*$", words[0]):
                del words[0]  # a compiler cache
            at = words.index("-o")
            del words[at:at + 2]
            at = words.index("-c")
            del words[at:at + 2]
            if room.group(1) == "rank":  # its tests, if not optimised, would come near the time limit
                words = ["-O1" if word == "-O0" else word for word in words]
            found[room.group(1)] = (entry["directory"], words)
    return found


def notice(change, recipe, folder):
    """Whether a test notices: "found", "survived", or "no program" if it does not compile.
    More than two minutes or 8 GB count as noticed."""
    room, header = change.file.split("/")[1:]
    lines = (INCLUDE / change.file).read_text().splitlines()
    lines[change.number] = change.new
    changed = folder / "include" / change.file
    changed.parent.mkdir(parents=True)
    changed.write_text("\n".join(lines) + "\n")
    directory, words = recipe
    tests = sorted((ROOT / "tests" / room).glob(header.removesuffix(".hpp") + "*_test.cpp"))
    whole = folder / "tests.cpp"
    whole.write_text("".join(f'#include "{test}"\n' for test in tests))
    program = folder / "tests"
    # This folder is searched first, so the changed header replaces the original.
    overlay = [words[0], f"-I{folder / 'include'}", *words[1:]]
    made = subprocess.run([*overlay, "-w", "-o", program, whole, BUILD / "CMakeFiles/plumb_precompiled_own.dir/tests/main.cpp.o",
                           "-lboost_unit_test_framework"], cwd=directory, capture_output=True, text=True)
    if made.returncode:
        return "no program"
    try:
        done = subprocess.run([program, "--log_level=nothing", "--report_level=no"], cwd=ROOT, capture_output=True,
                              timeout=120, env={**os.environ, "OMP_WAIT_POLICY": "passive"},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30)))
    except subprocess.TimeoutExpired:
        return "found"  # it does not end
    return "found" if done.returncode else "survived"


def main():
    rooms, wanted, seed = sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3])
    commands = recipes()
    files = sorted(str(path.relative_to(INCLUDE)) for room in rooms for path in (INCLUDE / "plumb" / "detail" / room).glob("*.hpp"))
    drawn = [change for file in files for change in changes_of(file)]
    random.Random(seed).shuffle(drawn)
    print(f"{len(drawn)} changes of {len(files)} headers; {wanted} of them, seed {seed}")
    known = {tuple(word.strip() for word in line.split(" | ")[:3]): line.rsplit(" | ", 1)[1]
             for line in EQUIVALENT.read_text().splitlines() if " | " in line} if EQUIVALENT.exists() else {}
    counts, survivors, lock, left = collections.Counter(), [], threading.Lock(), iter(drawn)

    def work():
        while True:
            with lock:
                change = next(left, None) if counts["found"] + counts["survived"] + counts["under way"] < wanted else None
                if change is None:
                    return
                counts["under way"] += 1
            with tempfile.TemporaryDirectory() as folder:
                end = notice(change, commands[change.file.split("/")[1]], pathlib.Path(folder))
            with lock:
                counts["under way"] -= 1
                counts[end] += 1
                if end == "survived":
                    survivors.append(change)
                    print(f"\nsurvived: include/{change.file}:{change.number + 1}\n- {change.old}\n+ {change.new}", flush=True)

    cores = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        for worker in [pool.submit(work) for _ in range(cores)]:
            worker.result()
    equivalent = [change for change in survivors
                  if (change.file, change.old.strip(), change.new.strip()) in known]
    judged = counts["found"] + counts["survived"] - len(equivalent)
    print(f"\n{counts['found'] + counts['survived']} changes, {counts['found']} found, {counts['survived']} survived, "
          f"{len(equivalent)} of them equivalent (tests/equivalent_changes.txt); {counts['no program']} more did not compile")
    print(f"{100 * counts['found'] / max(judged, 1):.1f}% found of {judged}")


if __name__ == "__main__":
    main()
