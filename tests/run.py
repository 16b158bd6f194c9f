#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test programs and the system tests side by side and counts them together.

    run.py [ROOM | MODULE …]            runs all, or only the named ones
    run.py --targets [ROOM | MODULE …]  prints what must be built for them

Boost.Test programs report their cases as XML; system tests are Python unittest modules in tests/system.
A module lists the programs that it calls in a line `PROGRAMS = "…"` (by default only the command). The output ends with
the time of each part, slowest first, the failures, and the skipped tests with their reasons. The last line is
"N passed, N failed", with ", N skipped" if something was missing.
"""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("PLUMB_BUILD", ROOT / "build"))
SYSTEM = ROOT / "tests" / "system"
ROOMS = sorted(path.name for path in (ROOT / "tests").iterdir() if list(path.glob("*_test.cpp")))
MODULES = sorted(path.stem for path in SYSTEM.glob("test_*.py"))
# Started first, so that no core waits at the end for a part that was started last.
LONGEST = ["test_headers", "test_python", "test_compilers", "test_vocabularies", "test_packaging", "test_fidelity",
           "test_servers", "test_calibration", "test_generate", "test_rank", "test_many_shot", "test_papers",
           "test_shelf", "test_concepts", "test_mpi"]

# Built projects are too large for a disk in memory.
ON_DISK = ["test_packaging", "test_install", "test_headers"]

# The command sets the same: threads that spin for long slow each other down on a shared machine.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("GOMP_SPINCOUNT", "1000")


@dataclasses.dataclass
class Part:
    """The result of one room or one module."""
    name: str
    passed: int = 0
    failed: int = 0
    skipped: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    printed: str = ""


def programs_of(module):
    """The programs in a module's line `PROGRAMS = "…"`."""
    found = re.search(r'^PROGRAMS = "(.*)"$', (SYSTEM / f"{module}.py").read_text(), re.MULTILINE)
    return (found.group(1) if found else "plumb_command").split()


def disk_in_memory():
    """A folder in memory for files that tests write and sync thousands of times; none if memory is too small."""
    folder, room = pathlib.Path("/dev/shm"), 4 << 30
    try:
        available = re.search(r"^MemAvailable: +(\d+) kB$", pathlib.Path("/proc/meminfo").read_text(), re.MULTILINE)
        fits = available and 1024 * int(available.group(1)) > 2 * room and shutil.disk_usage(folder).free > room
        return folder if fits and os.access(folder, os.W_OK) else None
    except OSError:
        return None


def environment_of(name):
    """Additional environment of a room's or module's process: TMPDIR, unless the caller set one."""
    folder = disk_in_memory() if name not in ON_DISK and "TMPDIR" not in os.environ else None
    return {**os.environ, "TMPDIR": str(folder)} if folder else dict(os.environ)


def targets(names):
    """The programs to build for rooms and modules; for none, all programs."""
    if not names:  # `all` omits benchmarks; a test may call one
        return ["all", *sorted({name for module in MODULES for name in programs_of(module)} - {"plumb_command"})]
    found = {f"test_{name}" for name in names if name in ROOMS}
    for name in names:
        if name in MODULES:
            found.update(programs_of(name))
    return sorted(found)


def run_program(room):
    """The cases of one room's program."""
    program = BUILD / f"test_{room}"
    report = BUILD / f"{program.name}.xml"
    report.unlink(missing_ok=True)
    command = [program, "--color_output=no", "--report_format=XML", "--report_level=short", f"--report_sink={report}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment_of(room))
    part = Part(room)
    try:
        suite = ElementTree.parse(report).getroot().find("TestSuite")
        part.passed, part.failed = (int(suite.get(f"test_cases_{kind}")) for kind in ("passed", "failed"))
        part.failed += int(suite.get("test_cases_aborted"))
    except (OSError, ElementTree.ParseError, AttributeError):
        part.failed = 1  # it crashed before it could report
    if done.returncode != 0 and part.failed == 0:
        part.failed = 1
    part.printed = done.stdout if part.failed else ""
    return part


class Result(unittest.TextTestResult):
    """Counts passes, and prints how long each test took."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.passed = 0

    def startTest(self, test):
        self.began = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.passed += 1
        super().addSuccess(test)

    def stopTest(self, test):
        self.stream.writeln(f"    {time.monotonic() - self.began:.1f} s")
        super().stopTest(test)


def be_module(module, file):
    """Runs one module in this process and writes its counts into a file."""
    sys.path.insert(0, str(SYSTEM))
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Result).run(suite)
    skipped = [f"{test}: {why}" for test, why in result.skipped]
    pathlib.Path(file).write_text(json.dumps([result.passed, len(result.failures) + len(result.errors), skipped]))


def run_module(module):
    """The tests of one module, in a separate process."""
    part = Part(module)
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder) / "counts"
        done = subprocess.run([sys.executable, __file__, "--be", module, counts], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=environment_of(module))
        part.printed = done.stdout
        try:
            part.passed, part.failed, part.skipped = json.loads(counts.read_text())
        except (OSError, ValueError):
            part.failed = 1
    return part


def failures_of(printed, most=40):
    """The lines of a part's output that show what failed and why: errors, assertions, the names of tests; its last lines if there
    are none."""
    lines = printed.splitlines()
    told = [line for line in lines if re.search(r"(^(FAIL|ERROR): |\berror\b|^\w*(Error|Exception)\b|\bfailed\b)", line)]
    return (told or lines)[-most:]


def run_all(rooms, modules):
    """Runs parts side by side, each on a core of its own: two that both compute on all cores wait for each other."""
    cores = queue.SimpleQueue()
    for core in os.sched_getaffinity(0):
        cores.put(core)
    printing = threading.Lock()

    def run(work, name):
        core = cores.get()
        if len(tasks) > 1:
            os.sched_setaffinity(0, {core})  # of this thread, and of the processes it starts
        began = time.monotonic()
        part = work(name)
        part.seconds = time.monotonic() - began
        cores.put(core)
        with printing:
            if part.printed:
                print(f"\n== {name}\n{part.printed}", end="")
            print(f"{name}: {part.passed} passed, {part.failed} failed, {part.seconds:.0f} s", flush=True)
        return part

    tasks = [(run_module, module) for module in modules] + [(run_program, room) for room in rooms]
    tasks.sort(key=lambda task: LONGEST.index(task[1]) if task[1] in LONGEST else len(LONGEST))
    with concurrent.futures.ThreadPoolExecutor(cores.qsize()) as pool:
        return list(pool.map(lambda task: run(*task), tasks))


def main():
    names = sys.argv[1:]
    if names[:1] == ["--be"]:
        return be_module(*names[1:])
    if names[:1] == ["--targets"]:
        print(" ".join(targets(names[1:])))
        return 0
    unknown = [name for name in names if name not in ROOMS + MODULES]
    if unknown:
        print(f"{unknown[0]} is neither a room ({', '.join(ROOMS)}) nor a module of tests/system ({', '.join(MODULES)})")
        return 2
    parts = run_all([room for room in ROOMS if not names or room in names],
                    [module for module in MODULES if not names or module in names])
    passed, failed = sum(part.passed for part in parts), sum(part.failed for part in parts)
    skipped = [why for part in parts for why in part.skipped]
    if passed + failed == 0:
        failed = 1
        print("no test ran")
    print("\nseconds  part")
    for part in sorted(parts, key=lambda part: -part.seconds):
        print(f"{part.seconds:7.1f}  {part.name}")
    for part in parts:
        if part.failed:
            print(f"\n{part.name}: {part.failed} failed")
            print("\n".join(f"  {line[:300]}" for line in failures_of(part.printed)))
    if skipped:
        print(f"\n{len(skipped)} skipped:")
        for why in skipped:
            print(f"  {why}")
    print(f"{passed} passed, {failed} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
