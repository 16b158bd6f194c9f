#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills every job of the command at random moments, and resumes it until it is done.

    kills.py FOLDER [N] [SEED]    N kills (1000), by the program FOLDER/tiny_command

A job starts, is killed by SIGKILL at a random moment of its whole time, is resumed (--resume; a measurement is called
again), perhaps killed once more, and then left to finish. It must end with the same bytes as a run that was not killed. A
folder that is marked as complete before then must be complete. The seed decides which jobs and moments are drawn; the
state of the job at that moment depends on the machine. Exits with 1 if anything was lost.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

CHANGING = ("seconds_model", "seconds_total", "seconds_by_part", "seconds_ranking", "statements_scored_now", "command_line",
            "options", "statements", "tree_nodes", "tokens_fed", "tokens_one_by_one")


def placed(words, inputs, out):
    """The words of a job, with its folders filled in."""
    whole = {"OUT": str(out), "IN": str(inputs)}
    return [whole.get(word, str(inputs) + word[2:] if word.startswith("IN/") else word) for word in words]


def lasting(folder):
    """Path -> bytes of all files that a job left; of run.json only what is the same in each call."""
    files = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_file() or path.name == "journal.jsonl":
            continue
        files[str(path.relative_to(folder))] = path.read_bytes()
        if path.name == "run.json":
            run = json.loads(path.read_text())
            files[str(path.relative_to(folder))] = {name: run[name] for name in run if name not in CHANGING}
    return files


def looks_complete(job, folder):
    record = folder / "report.json"  # a report in a separate folder has the mark itself
    if job["last_file"]:
        said = json.loads(record.read_text())["status"] if record.exists() else "complete"
        return (folder / job["last_file"]).exists() and said == "complete"
    try:
        return json.loads((folder / "run.json").read_text())["status"] == "complete"
    except (OSError, ValueError, KeyError):
        return False


class Jobs:
    """The jobs with their inputs, and how to call them; each evaluation of a model takes `pause` microseconds."""

    def __init__(self, build, folder, pause):
        self.tiny = pathlib.Path(build) / "tiny_command"
        self.folder = pathlib.Path(folder)
        listed = subprocess.run([self.tiny, "--jobs", self.folder], capture_output=True, text=True, check=True)
        self.list = json.loads(listed.stdout)
        self.environment = dict(os.environ, PLUMB_TINY_PAUSE=str(pause), PLUMB_CACHE=str(self.folder / "cache"))
        self.environment.pop("PLUMB_MODEL", None)

    def words(self, job, out, more=()):
        return [str(self.tiny), *placed([*job["words"], *more], self.folder / "in", out)]

    def begin(self, job, out):
        """Creates what must exist before the job."""
        for folder in (out, pathlib.Path(f"{out}.new"), pathlib.Path(f"{out}.old"), self.folder / "cache"):
            shutil.rmtree(folder, ignore_errors=True)
        if not job["before"]:
            return
        kept = self.folder / "kept" / job["name"]
        if not kept.exists():
            self.run([str(self.tiny), *placed(job["before"], self.folder / "in", kept)])
        shutil.copytree(kept, out)

    def start(self, words, **more):
        return subprocess.Popen(words, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                **more)

    def run(self, words):
        process = self.start(words)
        said = process.communicate()[1]
        if process.returncode != 0:
            raise AssertionError(f"{' '.join(words)} ended with {process.returncode}:\n{said}")

    def whole(self, job):
        """The files of the job when nothing happens to it, the files that existed before, and the seconds it takes."""
        out = self.folder / "out"
        self.begin(job, out)
        before = lasting(out)
        began = time.monotonic()
        self.run(self.words(job, out))
        return lasting(out), before, time.monotonic() - began


def kill_all(build, kills, seed, say=print):
    """Kills `kills` times; returns how many of the kills hit a running job, and the failures."""
    drawn = random.Random(seed)
    wrong, done, within = [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        jobs = Jobs(build, pathlib.Path(name) / "jobs", 300)
        whole = {job["name"]: jobs.whole(job) for job in jobs.list}
        order = []
        out = jobs.folder / "out"
        while done < kills:
            if not order:  # each job equally often
                order = drawn.sample(jobs.list, len(jobs.list))
            job = order.pop()
            if job["refuses_its_own"]:
                continue
            expected, before, seconds = whole[job["name"]]
            jobs.begin(job, out)
            more = []
            for _ in range(min(drawn.choice((1, 1, 2, 3)), kills - done)):
                process = jobs.start(jobs.words(job, out, more))
                time.sleep(drawn.uniform(0, seconds))
                process.kill()
                process.communicate()
                done += 1
                within += process.returncode < 0
                more = job["redo"]
                try:
                    whole_files = {name: text for name, text in lasting(out).items() if not name.endswith(".part")}
                    if looks_complete(job, out) and whole_files not in (expected, before):
                        wrong.append(f"kill {done}: {job['name']}: looks complete and is not")
                except (OSError, ValueError) as error:
                    wrong.append(f"kill {done}: {job['name']}: {error}")
            try:
                jobs.run(jobs.words(job, out, more))
                if lasting(out) != expected:
                    wrong.append(f"kill {done}: {job['name']}: resumes to different bytes")
            except AssertionError as error:
                wrong.append(f"kill {done}: {job['name']}: {error}")
            if done % 100 < 3:
                say(f"{done} kills, {len(wrong)} failures", flush=True)
        say(f"{len(jobs.list)} jobs, {done} kills, {within} within a running job, {len(wrong)} failures", flush=True)
    return within, wrong


def main():
    build = sys.argv[1]
    kills, seed = (int(sys.argv[i]) if len(sys.argv) > i else standard for i, standard in ((2, 1000), (3, 1)))
    _, wrong = kill_all(build, kills, seed)
    for line in wrong[:20]:
        print(f"FAILED {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
