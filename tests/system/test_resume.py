# SPDX-License-Identifier: Apache-2.0
"""A run that is killed and taken up again ends with the same bytes as one that was not."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import command

SELECTION = ("--relations", "continent,us-state-capital,plural", "--limit", "8", "--templates", "0,2")


@command.needs_model
class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        began = time.monotonic()
        command.probe(cls.folder / "whole", *SELECTION)
        cls.seconds = time.monotonic() - began
        cls.expected = command.results(cls.folder / "whole")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def start(self, out, *more):
        words = [command.PLUMB, "probe", "--data", command.FACTS, "--model", command.MODEL, "--out", out,
                 *SELECTION, *more]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_killed_at_ten_random_moments(self):
        moments = random.Random(11)
        interrupted = 0
        for trial in range(10):
            out = self.folder / f"killed-{trial}"
            process = self.start(out)
            time.sleep(moments.uniform(0, 1) * self.seconds)
            process.send_signal(signal.SIGKILL)
            process.wait()
            finished = (out / "report.html").exists()
            interrupted += not finished
            command.probe(out, *SELECTION, "--resume")
            self.assertEqual(command.results(out), self.expected, f"trial {trial}")
            shutil.rmtree(out)
        self.assertGreaterEqual(interrupted, 5, "most kills must fall into the run")

    def test_killed_again_and_again_it_still_gets_there(self):
        out = self.folder / "again"
        journal, last = out / "journal.jsonl", 0
        for _ in range(4):
            process = self.start(out, "--resume")  # on an absent folder this starts the run
            deadline = time.monotonic() + 120
            while process.poll() is None and time.monotonic() < deadline:
                if journal.exists() and journal.stat().st_size > last + 20000:
                    break
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            last = journal.stat().st_size
        command.probe(out, *SELECTION, "--resume")
        self.assertEqual(command.results(out), self.expected)

    def test_a_finished_run_taken_up_again_scores_nothing(self):
        journal = (self.folder / "whole" / "journal.jsonl").read_bytes()
        command.probe(self.folder / "whole", *SELECTION, "--resume")
        self.assertEqual((self.folder / "whole" / "journal.jsonl").read_bytes(), journal)
        self.assertEqual(command.results(self.folder / "whole"), self.expected)

    def test_other_settings_are_refused_by_name(self):
        for option, value, setting in (("--bos", "no", "bos"), ("--limit", "9", "limit"), ("--templates", "0", "templates"),
                                       ("--precision", "fast", "precision"), ("--reduction", "mean", "reduction")):
            words = list(SELECTION)
            if option in words:
                words[words.index(option) + 1] = value
            else:
                words += [option, value]
            done = command.probe(self.folder / "whole", *words, "--resume", code=2)
            self.assertIn(f"run.json: {setting}: ", done.stderr)
        self.assertEqual(command.results(self.folder / "whole"), self.expected)

    def test_a_folder_that_is_not_empty_is_refused_and_left_alone(self):
        done = command.probe(self.folder / "whole", *SELECTION, code=2)
        self.assertIn("is not empty", done.stderr)
        self.assertIn("--resume", done.stderr)
        self.assertEqual(command.results(self.folder / "whole"), self.expected)
        other = self.folder / "other"
        other.mkdir()
        (other / "thesis.tex").write_text("mine")
        for more in ((), ("--resume",)):
            command.probe(other, *SELECTION, *more, code=2)
        self.assertEqual(os.listdir(other), ["thesis.tex"])


if __name__ == "__main__":
    unittest.main()
