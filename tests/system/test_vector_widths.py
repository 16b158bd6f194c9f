# SPDX-License-Identifier: Apache-2.0
"""Networks of Hugging Face folders compiled for vectors of every width: transformers' values, on any number of threads."""
import json
import os
import pathlib
import platform
import subprocess
import unittest

import command

PROGRAMS = "network_values network_values_avx2 network_values_sse2"

NETWORKS = sorted(path.parent for path in (command.ROOT / "tests/support/huggingface/networks").glob("*/expected.json"))
LANES = {"network_values_avx2": 8, "network_values_sse2": 4}


def can_run(program):
    flags = pathlib.Path("/proc/cpuinfo").read_text().split() if pathlib.Path("/proc/cpuinfo").exists() else []
    return program != "network_values_avx2" or {"avx2", "fma"} <= set(flags)


def values(program, threads):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    # Where the tests were compiled, so that they find their files.
    done = subprocess.run([command.BUILD / program, *NETWORKS], capture_output=True, text=True, env=environment,
                          cwd=command.BUILD)
    if done.returncode != 0:
        raise AssertionError(f"{program} ended with {done.returncode}:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


@unittest.skipUnless(platform.machine() == "x86_64", "skipped: other CPUs have one width")
class OfEveryWidth(unittest.TestCase):
    def programs(self):
        for program in PROGRAMS.split():
            if not can_run(program):
                self.skipTest(f"this CPU cannot run {program}")
            yield program

    def test_values_are_those_of_transformers(self):
        for program in self.programs():
            found = values(program, 2)
            self.assertEqual([row["network"] for row in found], [path.name for path in NETWORKS])
            for row in found:
                with self.subTest(program=program, network=row["network"]):
                    self.assertEqual(row["lanes"], LANES.get(program, row["lanes"]))
                    self.assertLess(row["difference"], 1e-5)

    def test_no_bit_depends_on_the_number_of_threads(self):
        for program in self.programs():
            alone = values(program, 1)
            self.assertEqual(len({row["bits"] for row in alone}), len(NETWORKS))  # they do say something
            for threads in (2, 5):
                with self.subTest(program=program, threads=threads):
                    self.assertEqual(values(program, threads), alone)


if __name__ == "__main__":
    unittest.main()
