# SPDX-License-Identifier: Apache-2.0
"""Readers succeed or fail with one line on every seed of the fuzzers, and on inputs truncated or joined from them."""
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import command

# The program that runs a target's inputs (cmake/tests.cmake).
ROOMS = {"datasets": "data", "models": "huggingface", "records": "run", "servers": "server", "command_lines": "cli"}
PROGRAMS = "test_data test_huggingface test_run test_server test_cli"

sys.path.insert(0, str(command.ROOT / "tests" / "fuzz"))
import fuzz  # noqa: E402


def replay(folder):
    """How many inputs each target ran."""
    given = {}
    for target, room in ROOMS.items():
        words = [f"--run_test=fuzz_{target}", "--catch_system_errors=no", "--", f"{folder}/{target}"]
        done = subprocess.run([command.BUILD / f"test_{room}", *words], capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            last = [*done.stdout.splitlines()[-5:], *done.stderr.splitlines()[-5:]]
            raise AssertionError(f"{target}: exit code {done.returncode}: " + "\n".join(last))
        given.update((name, int(count)) for name, count in re.findall(r"^(\w+): (\d+)$", done.stdout, re.MULTILINE))
    return given


class Seeds(unittest.TestCase):
    def test_every_reader_is_sound_on_every_seed(self):
        with tempfile.TemporaryDirectory() as folder:
            fuzz.write_seeds(pathlib.Path(folder))
            given = replay(folder)
        self.assertEqual(given, {target: len(fuzz.seeds(target)) for target in fuzz.TARGETS})
        self.assertTrue(all(count >= 9 for count in given.values()), given)

    def test_and_on_seeds_that_are_cut_joined_and_flipped(self):
        draw = random.Random(20)
        with tempfile.TemporaryDirectory() as folder:
            for target in fuzz.TARGETS:
                (pathlib.Path(folder) / target).mkdir()
                texts = [text for _, text in fuzz.seeds(target) if len(text) < 10_000]
                for i in range(60):
                    text = bytearray(draw.choice(texts))
                    if i % 3 == 0:
                        del text[draw.randrange(len(text)):]
                    elif i % 3 == 1:
                        other = draw.choice(texts)
                        text[draw.randrange(len(text)):] = other[draw.randrange(len(other)):]
                    else:
                        for _ in range(5):
                            text[draw.randrange(len(text))] ^= 1 << draw.randrange(8)
                    (pathlib.Path(folder) / target / str(i)).write_bytes(text)
            self.assertEqual(replay(folder), {target: 60 for target in fuzz.TARGETS})


class Fuzzers(unittest.TestCase):
    def test_the_dictionaries_have_the_words_of_the_formats(self):
        self.assertIn('"answer_space_labels"\n', fuzz.dictionary("datasets"))
        self.assertIn('"pll_scores"\n', fuzz.dictionary("records"))
        self.assertIn('"--templates"\n', fuzz.dictionary("command_lines"))
        self.assertIn('"data_offsets"\n', fuzz.dictionary("models"))

    def test_words_it_does_not_know_are_refused(self):
        for words in (["0"], ["x"], ["5", "none"]):
            done = subprocess.run([sys.executable, command.ROOT / "tests" / "fuzz" / "fuzz.py", *words],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("N targets, N crashes", done.stdout)


if __name__ == "__main__":
    unittest.main()
