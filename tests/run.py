#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test programs and the system tests and counts them together.

Boost.Test programs report their cases as XML; system tests are Python unittest modules in
tests/system. The last line is "N passed, N failed", with ", N skipped" when something was missing.
"""
import os
import pathlib
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("PLUMB_BUILD", ROOT / "build"))


# As the command sets them: threads that spin for long slow each other down on a shared machine.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("GOMP_SPINCOUNT", "1000")


def run_program(program):
    """Passed and failed cases of one Boost.Test program."""
    report = BUILD / (program.name + ".xml")
    report.unlink(missing_ok=True)
    command = [program, "--color_output=no", "--report_format=XML", "--report_level=short",
               f"--report_sink={report}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        suite = ElementTree.parse(report).getroot().find("TestSuite")
        passed, failed = (int(suite.get(f"test_cases_{kind}")) for kind in ("passed", "failed"))
        failed += int(suite.get("test_cases_aborted"))
    except (OSError, ElementTree.ParseError, AttributeError):
        passed, failed = 0, 1  # it died before it could report
    if done.returncode != 0 and failed == 0:
        failed = 1
    if failed:
        print(done.stdout)
    return passed, failed


class Result(unittest.TextTestResult):
    """Counts passes, and says how long each test took."""

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


def run_system(names):
    """Passed, failed and skipped system tests."""
    sys.path.insert(0, str(ROOT / "tests" / "system"))
    modules = sorted(path.stem for path in (ROOT / "tests" / "system").glob("test_*.py"))
    if names:
        modules = [module for module in modules if module in names]
    suite = unittest.defaultTestLoader.loadTestsFromNames(modules)
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Result).run(suite)
    return result.passed, len(result.failures) + len(result.errors), len(result.skipped)


def main():
    names = sys.argv[1:]
    passed = failed = skipped = 0
    programs = sorted(path for path in BUILD.glob("test_*") if path.suffix == "" and path.is_file())
    for program in programs:
        room = program.name.removeprefix("test_")
        if names and room not in names:
            continue
        print(f"{room}: ", end="", flush=True)
        good, bad = run_program(program)
        print(f"{good} passed, {bad} failed", flush=True)
        passed, failed = passed + good, failed + bad
    good, bad, left = run_system(names) if not names or any(n.startswith("test_") for n in names) else (0, 0, 0)
    passed, failed, skipped = passed + good, failed + bad, skipped + left
    if passed + failed == 0:
        failed = 1
        print("no test ran")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
