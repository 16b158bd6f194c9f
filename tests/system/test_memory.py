# SPDX-License-Identifier: Apache-2.0
"""Memory does not grow with the number of facts. With too little memory, a job ends with a message and can be resumed."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

OPTIONS = 40


def write_relation(folder, facts):
    folder.mkdir()
    labels = [f"town {i} of the hills" for i in range(OPTIONS)]
    metadata = {"made": {"templates": ["[X] lies in [Y]."], "answer_space_labels": labels,
                         "answer_space_ids": [f"T{i}" for i in range(OPTIONS)]}}
    (folder / "metadata_relations.json").write_text(json.dumps(metadata))
    with open(folder / "made.jsonl", "w", encoding="utf-8") as file:
        for i in range(facts):
            fact = {"sub_id": f"S{i}", "sub_label": f"Place {i * 7919 % 100003}", "sub_aliases": [],
                    "obj_id": f"T{i % OPTIONS}", "obj_label": labels[i % OPTIONS], "answer_idx": i % OPTIONS}
            file.write(json.dumps(fact) + "\n")


def peak_bytes(words):
    """Peak resident memory of a separate process, in bytes; the process must succeed."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(f"{words} ended with {process.returncode}")
    return usage.ru_maxrss * 1024


class Memory(unittest.TestCase):
    def test_a_thousand_facts_take_at_most_32_mb_more_than_ten(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model = folder / "tiny.gguf"
            subprocess.run([command.BUILD / "write_tiny_gguf", model], check=True)
            peaks = {}
            for facts in (10, 1000):
                write_relation(folder / f"facts-{facts}", facts)
                words = [command.PLUMB, "probe", "--data", folder / f"facts-{facts}", "--model", model,
                         "--out", folder / f"run-{facts}"]
                peaks[facts] = peak_bytes(words)
            self.assertEqual(len(command.rows(folder / "run-1000" / "made_results.jsonl")), 1000)
            growth = (peaks[1000] - peaks[10]) / 1e6
            print(f"growth {growth:.1f} MB ... ", end="")
            self.assertLessEqual(growth, 32)


class OutOfMemory(unittest.TestCase):
    """Processes with a limited address space, from too little to load the model to just enough."""

    def test_it_ends_in_words_and_what_is_done_is_kept(self):
        folder = command.temporary_folder(self)
        model = folder / "tiny.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", model], check=True)
        write_relation(folder / "facts", 4)
        words = [command.PLUMB, "probe", "--data", folder / "facts", "--model", model, "--threads", "1", "--out"]
        subprocess.run([*words, folder / "whole"], check=True, capture_output=True)
        expected = command.results(folder / "whole")
        ends, most = set(), 16
        while "done" not in ends:
            most = most * 9 // 8  # in MB
            out = folder / f"run-{most}"
            limit = (most << 20, most << 20)
            done = subprocess.run([*words, out], capture_output=True, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
            if done.returncode == 0:
                ends.add("done")
            elif done.returncode in (127, -signal.SIGABRT) and "\nplumb: " not in done.stderr and not ends:
                continue  # too little for the program to start
            else:
                self.assertIn(done.returncode, (1, 2), f"{most} MB: {done.stderr}")
                last = done.stderr.splitlines()[-1]
                self.assertRegex(last, "^plumb: .*(memory|alloc)", f"{most} MB: {done.stderr}")
                ends.add(last[:30])
                subprocess.run([*words, out, "--resume"], check=True, capture_output=True)
            self.assertEqual(command.results(out), expected)
        print(f"{sorted(ends)} ... ", end="")
        self.assertGreater(len(ends), 1)


if __name__ == "__main__":
    unittest.main()
