# SPDX-License-Identifier: Apache-2.0
"""Entities shared among MPI processes: ranks, ties and nearest entities equal those of one process, whatever fails."""
import array
import json
import os
import random
import shutil
import struct
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

WN18RR = command.SHARED / "data" / "wn18rr"
UMLS = command.SHARED / "data" / "umls"
MPIRUN = shutil.which("mpirun")
WIDTH = 32  # of the tiny model

needs_mpi = unittest.skipUnless(MPIRUN, "skipped: no mpirun")


def mpirun(processes, *words, code=0):
    """The command under mpirun; fails with the command's output if it does not end with `code`."""
    # A container may forbid processes to read each other's memory. The processes share a core, so waiting ones must not
    # spin.
    environment = {**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                   "OMPI_MCA_mpi_yield_when_idle": "1"}
    done = subprocess.run([MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", str(processes), command.PLUMB,
                           *map(str, words)], capture_output=True, text=True, env=environment, timeout=300)
    if done.returncode != code:
        raise AssertionError(f"mpirun -n {processes} plumb {' '.join(map(str, words))} ended with {done.returncode}, "
                             f"not {code}:\n{done.stderr}{done.stdout}")
    return done


def write_vectors(file, ids, rows):
    """Vectors of single precision and their identifiers."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {WIDTH}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(file, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            out.write(row.tobytes())
    file.with_suffix(".txt").write_text("".join(f"{one}\n" for one in ids))


def made_vectors(count):
    """Random rows; every fifth is an earlier one with a different length, so that many tie."""
    draw = random.Random(1)
    rows = []
    for i in range(count):
        if i % 5 == 4:
            rows.append(array.array("f", (2 * x for x in rows[draw.randrange(i)])))
        else:
            rows.append(array.array("f", array.array("h", draw.randbytes(2 * WIDTH))))
    return rows


@needs_mpi
@command.needs_shared
@command.needs_vocabularies
class Wn18rr(unittest.TestCase):
    """All 40,943 entities with made-up vectors; a tiny model embeds the queries."""

    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        model = command.tiny_model(cls.folder)
        cls.ids = (WN18RR / "entities.txt").read_text().split()
        cls.vectors = made_vectors(len(cls.ids))
        write_vectors(cls.folder / "given.npy", cls.ids, cls.vectors)
        cls.words = ["rank", "--data", WN18RR, "--model", model, "--shots", 2, "--limit", 150, "--head-queries",
                     "--nearest", 20]
        command.plumb(*cls.words, "--entities", cls.folder / "given.npy", "--out", cls.folder / "alone")
        cls.expected = command.results(cls.folder / "alone")

    def test_what_is_compared_has_ties_and_filtered_queries(self):
        ranks = command.rows(self.folder / "alone" / "deer_ranks.jsonl")
        self.assertEqual((len(ranks), ranks[0]["candidates"]), (300, 40943))
        self.assertGreater(sum(rank["equal"] > 0 for rank in ranks), 50)
        self.assertGreater(sum(rank["candidates"] > rank["filtered_candidates"] for rank in ranks), 50)
        nearest = command.rows(self.folder / "alone" / "deer_nearest.jsonl")
        level = [line for line in nearest if len({cosine for _, cosine in line["nearest"]}) < 20]
        self.assertGreater(len(level), 50)

    def test_any_number_of_processes_gives_the_bytes_of_one(self):
        for processes in (1, 2, 4):
            out = self.folder / f"of-{processes}"
            mpirun(processes, *self.words, "--entities", self.folder / "given.npy", "--out", out)
            self.assertEqual(command.results(out), self.expected, f"{processes} processes")
            run = json.loads((out / "run.json").read_text())
            self.assertEqual((run["status"], run.get("processes", 1)), ("complete", processes))
            self.assertGreater(run["seconds_ranking"], 0)
        # A run depends on its settings, and the number of processes is not a setting.
        command.plumb(*self.words, "--entities", self.folder / "given.npy", "--out", out, "--resume")
        self.assertEqual(command.results(out), self.expected)

    def test_rows_in_another_order_and_among_others_are_found(self):
        order = list(range(len(self.ids)))
        random.Random(2).shuffle(order)
        ids = [self.ids[i] for i in order] + ["nobody"]
        write_vectors(self.folder / "shuffled.npy", ids, [self.vectors[i] for i in order] + [self.vectors[0]])
        out = self.folder / "shuffled"
        mpirun(4, *self.words, "--entities", self.folder / "shuffled.npy", "--out", out)
        self.assertEqual(command.results(out)["deer_ranks.jsonl"], self.expected["deer_ranks.jsonl"])
        self.assertEqual(command.results(out)["deer_nearest.jsonl"], self.expected["deer_nearest.jsonl"])

    def test_failing_process_reports_the_error_and_ends_all(self):
        for row, said in ((0, "plumb: entities: row 0 is a zero vector"),
                          (len(self.ids) - 1, "plumb: process 4 of 4 (")):
            rows = list(self.vectors)
            rows[row] = array.array("f", bytes(4 * WIDTH))
            write_vectors(self.folder / "bad.npy", self.ids, rows)
            out = self.folder / f"bad-{row}"
            done = mpirun(4, *self.words, "--entities", self.folder / "bad.npy", "--out", out, code=2)
            self.assertIn(said, done.stderr)
            self.assertIn(f"entities: row {row} is a zero vector, so it has no direction", done.stderr)
            self.assertFalse((out / "report.html").exists())
            self.assertEqual(json.loads((out / "run.json").read_text())["status"], "running")


@needs_mpi
@command.needs_shared
@command.needs_vocabularies
class Umls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.model = command.tiny_model(cls.folder)

    def rank(self, processes, out, *words, code=0):
        words = ["rank", "--data", UMLS, "--model", self.model, "--limit", 40, "--shots", 1, "--out", self.folder / out, *words]
        return mpirun(processes, *words, code=code) if processes else command.plumb(*words, code=code)

    def test_vectors_that_the_first_process_makes_are_shared_too(self):
        words = ["--candidates", "of-relation", "--entity-prompt", "eol,a", "--method", "deer,lm-head", "--nearest", 3]
        self.rank(0, "alone", *words)
        self.rank(3, "shared", *words)
        self.assertEqual(command.results(self.folder / "shared"), command.results(self.folder / "alone"))

    def test_what_the_first_refuses_ends_the_others_in_order(self):
        done = self.rank(2, "none", "--entities", self.folder / "none.npy", code=2)
        self.assertIn("none.npy: cannot be read", done.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_commands_that_leave_processes_idle_are_refused(self):
        done = self.rank(2, "names", "--method", "likelihood", code=2)
        self.assertIn("plumb: --method: leaves 1 of 2 processes idle", done.stderr)
        done = mpirun(2, "probe", "--data", command.FACTS, "--model", self.model, "--out", self.folder / "probe", code=2)
        self.assertIn("plumb: plumb probe: runs in one process, but there are 2", done.stderr)

    def test_the_first_alone_prints(self):
        self.assertEqual(mpirun(3, "--version").stdout, command.plumb("--version").stdout)


if __name__ == "__main__":
    unittest.main()
