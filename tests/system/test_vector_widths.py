# SPDX-License-Identifier: Apache-2.0
"""Networks of Hugging Face folders with kernels of every width: transformers' values, with any number of threads, and the
same bytes from the library's kernels as from headers that are compiled for the width."""
import json
import os
import platform
import subprocess
import unittest

import command

PROGRAMS = "network_values network_values_v2 network_values_v3 plumb_command"

NETWORKS = sorted(path.parent for path in (command.ROOT / "tests/support/huggingface/networks").glob("*/expected.json"))
LANES = {"v2": 4, "v3": 8, "v4": 16}


def run(program, width, threads=2):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "PLUMB_VECTOR": width}
    # The tests were compiled in this folder, so they find their files.
    return subprocess.run([command.BUILD / program, *NETWORKS], capture_output=True, text=True, env=environment,
                          cwd=command.BUILD)


def values(program, width, threads=2):
    done = run(program, width, threads)
    if done.returncode != 0:
        raise AssertionError(f"{program} ended with {done.returncode}:\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def widths():
    """The library's vector widths that this machine supports."""
    return [width for width in LANES if "this processor does not support" not in run("network_values", width).stderr]


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
            self.assertEqual(len({row["bits"] for row in alone}), len(NETWORKS))  # the values differ between networks
            for threads in (2, 5):
                with self.subTest(width=width, threads=threads):
                    self.assertEqual(values("network_values", width, threads), alone)

    def test_headers_compiled_for_a_width_give_the_library_s_bytes(self):
        for width in ("v2", "v3"):
            with self.subTest(width=width):
                self.assertEqual(values(f"network_values_{width}", ""), values("network_values", width))
        self.assertNotEqual(values("network_values", "v2"), values("network_values", "v3"))

    def test_widest_width_is_the_default_and_unknown_widths_are_refused(self):
        self.assertEqual(values("network_values", ""), values("network_values", widths()[-1]))
        for width in ("v5", "AVX2", "v33"):
            done = run("network_values", width)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"PLUMB_VECTOR: '{width}' is not one of this program's vector widths: v2, v3,", done.stderr)


def probe(out, width, *more, facts=command.FACTS, model=None):
    environment = {**os.environ, "PLUMB_VECTOR": width}
    return subprocess.run([command.PLUMB, "probe", "--data", facts, "--model", model, "--bos", "yes", "--limit", "1", "--out", out, *more],
                          capture_output=True, text=True, env=environment)


@command.needs_shared
@unittest.skipUnless(platform.machine() == "x86_64", "skipped: other CPUs have one width")
class OfRuns(unittest.TestCase):
    MODEL = command.SHARED / "golden" / "decoders" / "tiny-llama-2"

    def test_a_run_keeps_its_width(self):
        folder = command.temporary_folder(self)
        narrow, shards = folder / "narrow", [folder / "1", folder / "2"]
        self.assertEqual(probe(narrow, "v2", model=self.MODEL).returncode, 0)
        self.assertEqual(json.loads((narrow / "run.json").read_text())["settings"]["vector"], "v2")
        self.assertEqual(probe(narrow, "v2", "--resume", model=self.MODEL).returncode, 0)
        done = probe(narrow, "v3", "--resume", model=self.MODEL)
        self.assertEqual(done.returncode, 2)
        self.assertIn('vector: the run was started with "v2", not "v3"; set PLUMB_VECTOR=v2 or another folder', done.stderr)
        for i, (shard, width) in enumerate(zip(shards, ("v2", "v3"))):
            self.assertEqual(probe(shard, width, "--shard", f"{i + 1}/2", model=self.MODEL).returncode, 0)
        done = command.plumb("merge", *shards, "--out", folder / "merged", code=2)
        self.assertIn('vector: is "v3", but "v2" in', done.stderr)

    def test_a_width_that_is_not_there_ends_the_command_before_it_begins(self):
        folder = command.temporary_folder(self)
        done = probe(folder / "run", "v7", model=self.MODEL)
        self.assertEqual(done.returncode, 2)
        self.assertIn("PLUMB_VECTOR: 'v7' is not one of this program's vector widths", done.stderr)
        self.assertFalse((folder / "run").exists())


if __name__ == "__main__":
    unittest.main()
