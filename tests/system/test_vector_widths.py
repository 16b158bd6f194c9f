# SPDX-License-Identifier: Apache-2.0
"""Networks of Hugging Face folders with kernels of every width: transformers' values, on any number of threads, and the same
bytes from the library's kernels as from headers that are compiled for the width."""
import json
import os
import platform
import subprocess
import unittest

import command

PROGRAMS = "network_values network_values_v2 network_values_v3"

NETWORKS = sorted(path.parent for path in (command.ROOT / "tests/support/huggingface/networks").glob("*/expected.json"))
LANES = {"v2": 4, "v3": 8, "v4": 16}


def run(program, width, threads=2):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "PLUMB_VECTOR": width}
    # Where the tests were compiled, so that they find their files.
    return subprocess.run([command.BUILD / program, *NETWORKS], capture_output=True, text=True, env=environment,
                          cwd=command.BUILD)


def values(program, width, threads=2):
    done = run(program, width, threads)
    if done.returncode != 0:
        raise AssertionError(f"{program} ended with {done.returncode}:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def widths():
    """Those of the library that this machine has."""
    return [width for width in LANES if "this processor has no" not in run("network_values", width).stderr]


@unittest.skipUnless(platform.machine() == "x86_64", "skipped: other CPUs have one width")
class OfEveryWidth(unittest.TestCase):
    def test_values_are_those_of_transformers(self):
        self.assertIn("v3", widths())
        for width in widths():
            found = values("network_values", width)
            self.assertEqual([row["network"] for row in found], [path.name for path in NETWORKS])
            for row in found:
                with self.subTest(width=width, network=row["network"]):
                    self.assertEqual(row["lanes"], LANES[width])
                    self.assertLess(row["difference"], 1e-5)

    def test_no_bit_depends_on_the_number_of_threads(self):
        for width in widths():
            alone = values("network_values", width, 1)
            self.assertEqual(len({row["bits"] for row in alone}), len(NETWORKS))  # they do say something
            for threads in (2, 5):
                with self.subTest(width=width, threads=threads):
                    self.assertEqual(values("network_values", width, threads), alone)

    def test_headers_compiled_for_a_width_give_the_library_s_bytes(self):
        for width in ("v2", "v3"):
            with self.subTest(width=width):
                self.assertEqual(values(f"network_values_{width}", ""), values("network_values", width))
        self.assertNotEqual(values("network_values", "v2"), values("network_values", "v3"))

    def test_the_widest_is_chosen_and_what_is_not_there_refused(self):
        self.assertEqual(values("network_values", ""), values("network_values", widths()[-1]))
        for width in ("v5", "AVX2", "v33"):
            done = run("network_values", width)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"PLUMB_VECTOR: '{width}' is no width of this program, which has v2, v3,", done.stderr)


if __name__ == "__main__":
    unittest.main()
