# SPDX-License-Identifier: Apache-2.0
"""A run that is killed and resumed ends with the same bytes as a run that was not killed."""
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

SELECTION = ("--relations", "continent,us-state-capital,plural", "--limit", "4", "--templates", "0,2")


@command.needs_vocabularies
class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.model = command.tiny_model(cls.folder)
        cls.probe(cls.folder / "whole", *SELECTION)
        cls.journal_size = (cls.folder / "whole" / "journal.jsonl").stat().st_size
        cls.expected = command.results(cls.folder / "whole")

    @classmethod
    def probe(cls, *words, code=0):
        return command.probe(*words, model=cls.model, code=code)

    def start(self, out, *more):
        words = [command.PLUMB, "probe", "--data", command.FACTS, "--model", self.model, "--out", out,
                 *SELECTION, *more]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_killed_at_ten_random_moments(self):
        # Moments are measured by the journal's growth, so that kills hit the same state on slow and fast machines.
        moments = random.Random(11)
        interrupted = 0
        for trial in range(10):
            out = self.folder / f"killed-{trial}"
            size = 0 if trial == 0 else moments.uniform(0, 0.98) * self.journal_size
            command.kill_when_journal_has(self.start(out), out / "journal.jsonl", size, moments.uniform(0, 0.03))
            interrupted += not (out / "report.html").exists()
            self.probe(out, *SELECTION, "--resume")
            self.assertEqual(command.results(out), self.expected, f"trial {trial}")
            shutil.rmtree(out)
        self.assertGreaterEqual(interrupted, 8, "most kills must hit the running job")

    def test_killed_again_and_again_it_still_gets_there(self):
        out = self.folder / "again"
        for share in (0.1, 0.3, 0.6, 0.8):  # the first --resume is on an absent folder: it starts the run
            command.kill_when_journal_has(self.start(out, "--resume"), out / "journal.jsonl",
                                       share * self.journal_size, 0)
            self.assertFalse((out / "report.html").exists())
        self.probe(out, *SELECTION, "--resume")
        self.assertEqual(command.results(out), self.expected)

    def test_ctrl_c_stops_the_run_and_prints_the_resume_command(self):
        out = self.folder / "stopped"
        words = [command.PLUMB, "probe", "--data", command.FACTS, "--model", self.model, "--out", out, *SELECTION]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        journal = out / "journal.jsonl"
        while process.poll() is None and (not journal.exists() or journal.stat().st_size < 0.2 * self.journal_size):
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertFalse((out / "report.html").exists())
        last = said.splitlines()[-1]
        self.assertTrue(last.startswith(f"plumb: stopped; finished work is saved; continue with: {command.PLUMB} probe --data "),
                        said)
        self.assertTrue(last.endswith(" --resume"), said)
        self.probe(out, *SELECTION, "--resume")
        self.assertEqual(command.results(out), self.expected)

    def test_a_run_is_done_again_by_its_run_json_and_overwritten(self):
        whole, again = self.folder / "whole", self.folder / "done-again"
        command.plumb("probe", "--config", whole / "run.json", "--out", again)
        self.assertEqual(command.results(again), self.expected)
        command.plumb("probe", "--config", whole / "run.json", "--out", again, "--limit", "2", "--overwrite")
        self.assertNotEqual(command.results(again), self.expected)
        command.plumb("probe", "--config", whole / "run.json", "--out", again, "--overwrite")
        self.assertEqual(command.results(again), self.expected)
        self.assertEqual([path.name for path in self.folder.glob("done-again*")], ["done-again"])

    def test_killed_before_anything_stands(self):
        for delay in (0, 0.02, 0.1, 0.4):
            out = self.folder / f"early-{delay}"
            process = self.start(out)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.probe(out, *SELECTION, "--resume")
            self.assertEqual(command.results(out), self.expected)

    def test_a_finished_run_taken_up_again_scores_nothing(self):
        journal = (self.folder / "whole" / "journal.jsonl").read_bytes()
        self.probe(self.folder / "whole", *SELECTION, "--resume")
        self.assertEqual((self.folder / "whole" / "journal.jsonl").read_bytes(), journal)
        self.assertEqual(command.results(self.folder / "whole"), self.expected)

    def test_other_settings_are_refused_by_name(self):
        for option, value, setting in (("--bos", "no", "bos"), ("--limit", "3", "limit"), ("--templates", "0", "templates"),
                                       ("--precision", "fast", "backend"), ("--reduction", "mean", "reduction")):
            words = list(SELECTION)
            if option in words:
                words[words.index(option) + 1] = value
            else:
                words += [option, value]
            done = self.probe(self.folder / "whole", *words, "--resume", code=2)
            self.assertIn(f"run.json: {setting}: ", done.stderr)
        self.assertEqual(command.results(self.folder / "whole"), self.expected)

    def test_a_folder_that_is_not_empty_is_refused_and_left_alone(self):
        done = self.probe(self.folder / "whole", *SELECTION, code=2)
        self.assertIn("is not empty", done.stderr)
        self.assertIn("--resume", done.stderr)
        self.assertEqual(command.results(self.folder / "whole"), self.expected)
        other = self.folder / "other"
        other.mkdir()
        (other / "thesis.tex").write_text("mine")
        for more in ((), ("--resume",)):
            self.probe(other, *SELECTION, *more, code=2)
        self.assertEqual(os.listdir(other), ["thesis.tex"])


if __name__ == "__main__":
    unittest.main()
