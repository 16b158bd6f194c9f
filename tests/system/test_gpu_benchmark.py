# SPDX-License-Identifier: Apache-2.0
"""The GPU benchmark without a card, and its comparison of two files of scores."""
import os
import subprocess
import sys
import unittest

import command

PROGRAMS = ""

BENCHMARKS = command.ROOT / "benchmarks"


class GpuBenchmark(unittest.TestCase):
    def script(self, *words, tool):
        """gpu.sh with this script as nvidia-smi."""
        folder = command.temporary_folder(self)
        (folder / "nvidia-smi").write_text(f"#!/bin/sh\n{tool}\n")
        (folder / "nvidia-smi").chmod(0o755)
        done = subprocess.run(["bash", BENCHMARKS / "gpu.sh", *words], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PLUMB_CACHE": str(folder / "cache")})
        self.assertFalse((folder / "cache").exists(), "nothing should have been created")
        return done

    def test_missing_gpu_is_reported_and_nothing_is_measured(self):
        for step in ([], ["all"], ["build"], ["measure"]):
            for tool in ("exit 9", "echo no devices were found >&2; exit 6"):
                with self.subTest(step=step, tool=tool):
                    done = self.script(*step, tool=tool)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual(done.stdout, "no NVIDIA card here (nvidia-smi lists none): nothing was measured\n")

    def test_another_step_is_refused(self):
        done = self.script("mesure", tool="exit 0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "gpu.sh: 'mesure' is not a choice; say all, build, measure or rehearse\n")

    def compare(self, *lists):
        folder = command.temporary_folder(self)
        files = []
        for i, scores in enumerate(lists):
            files.append(folder / f"scores-{i}")
            files[-1].write_text("".join(f"{score}\n" for score in scores))
        return subprocess.run([sys.executable, BENCHMARKS / "gpu.py", "compare", *files], capture_output=True, text=True)

    def test_scores_are_compared_by_statement(self):
        done = self.compare([-1, -2, -3, -4], [-1, -2.5, -2, -4], [-1, -2, -3, -4])
        self.assertEqual(done.stdout.splitlines(),
                         ["scores-1                 against scores-0: mean 0.375000, worst 1.000000 nats of 4 statements",
                          "scores-2                 against scores-0: mean 0.000000, worst 0.000000 nats of 4 statements"])

    def test_a_score_that_is_no_number_is_not_passed_over(self):
        self.assertIn("worst nan", self.compare([-1, -2, -3], [-1, "nan", -3]).stdout)

    def test_files_of_other_lengths_are_not_compared(self):
        self.assertNotEqual(self.compare([-1, -2], [-1]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
