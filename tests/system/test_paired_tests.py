# SPDX-License-Identifier: Apache-2.0
"""The paired tests of plumb compare equal those of scipy and statsmodels, on random runs with ties, gaps and templates."""
import json
import pathlib
import subprocess
import unittest

import command

PROGRAMS = "plumb_command"

NAMES = {"accuracy", "agreement", "cohens_g", "counts", "difference", "difference count", "difference interval", "facts", "kappa",
         "known_alone", "mean accuracy", "mean_difference", "mean_difference count", "mean_difference interval", "method", "models",
         "one relation", "overall difference", "overall difference count", "overall difference interval", "p", "p of statsmodels",
         "p_holm", "pairs", "rank", "relations", "resampled facts outside", "same_answer"}


@command.needs_peer
class AgainstStatsmodels(unittest.TestCase):
    def test_every_number_of_forty_random_comparisons_and_of_100000_discordant_facts(self):
        script = pathlib.Path(__file__).with_name("compare_with_statsmodels.py")
        done = subprocess.run([command.PEER, script, command.PLUMB, "40", "100000"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["inputs"], 41)
        self.assertGreater(found["numbers"], 5000)
        self.assertEqual(set(found["worst"]), NAMES)
        for name, difference in found["worst"].items():
            self.assertLess(difference, 1e-9, name)


if __name__ == "__main__":
    unittest.main()
