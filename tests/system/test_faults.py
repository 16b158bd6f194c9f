# SPDX-License-Identifier: Apache-2.0
"""Failing disks, power losses and killed processes lose no data: a sample of each, on every job. tests/faults.sh and
tests/kills.sh run all of them."""
import signal
import subprocess
import sys
import time
import unittest

import command

sys.path.insert(0, str(command.ROOT / "tests"))
import kills  # noqa: E402: of the folder above

PROGRAMS = "faults tiny_command"


class Sampled(unittest.TestCase):
    def faults(self, *words):
        done = subprocess.run([command.BUILD / "faults", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        last = done.stdout.splitlines()[-1]
        print(last, "... ", end="")
        self.assertTrue(last.endswith(", 0 failures"), last)
        return int(last.split(", ")[1].split()[0])

    def test_calls_on_files_that_fail(self):
        self.assertGreater(self.faults("errors", "--every", "127"), 100)

    def test_power_that_goes(self):
        self.assertGreater(self.faults("power-loss", "--every", "83"), 150)

    def test_kills(self):
        within, wrong = kills.kill_all(command.BUILD, 30, 1, lambda *_, **__: None)
        self.assertEqual(wrong, [])
        self.assertGreater(within, 10)


class Signals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.jobs = kills.Jobs(command.BUILD, cls.folder / "jobs", 0)
        cls.job = next(job for job in cls.jobs.list if job["name"] == "many-shot")
        cls.mark = cls.folder / "mark"
        cls.jobs.environment["PLUMB_TINY_MARK"] = str(cls.mark)

    def begun(self, out, awaited, seconds):
        """The process of the job once that file is not empty. Each evaluation of the model takes this many seconds, and creates
        the file `mark` first."""
        self.mark.unlink(missing_ok=True)
        self.jobs.environment["PLUMB_TINY_PAUSE"] = str(int(seconds * 1_000_000))
        process = self.jobs.start(self.jobs.words(self.job, out),
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while process.poll() is None and (not awaited.exists() or awaited.stat().st_size == 0):
            time.sleep(0.005)
        return process

    def test_signal_stops_after_current_pack_and_prints_resume_command(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            out = self.folder / f"stopped-{code}"
            process = self.begun(out, out / "journal.jsonl", 0.5)
            # The signal has to arrive during an evaluation: before one, the run stops without it.
            self.mark.unlink()
            while process.poll() is None and not self.mark.exists():
                time.sleep(0.005)
            lines = (out / "journal.jsonl").read_bytes().count(b"\n")
            process.send_signal(number)
            said = process.communicate()[1]
            self.assertEqual(process.returncode, code, said)
            last = said.splitlines()[-1]
            self.assertRegex(last, "^plumb: stopped; finished work is saved; continue with: [^ ]*tiny_command many-shot ")
            self.assertTrue(last.endswith(" --resume"), said)
            self.assertIn("stopping after the current work is saved", said)
            self.assertFalse(kills.looks_complete(self.job, out))
            self.assertGreater((out / "journal.jsonl").read_bytes().count(b"\n"), lines, "the current pack is kept")

    def test_a_second_one_ends_it_at_once(self):
        for first, second in ((signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGTERM),
                              (signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGTERM)):
            # During its first evaluation, which would take a minute.
            process = self.begun(self.folder / f"twice-{first}-{second}", self.mark, 60)
            process.send_signal(first)
            while "stopping after" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            process.send_signal(second)
            process.communicate()
            self.assertEqual(process.returncode, -second)


if __name__ == "__main__":
    unittest.main()
