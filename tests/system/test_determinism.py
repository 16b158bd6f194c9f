# SPDX-License-Identifier: Apache-2.0
"""The same command gives the same bytes: when repeated, and for any threads, locale, time zone, umask, names of folders and
order in which relations are named."""
import os
import shutil
import subprocess
import sys
import unittest

import command

sys.path.insert(0, str(command.ROOT / "tests"))
import kills  # noqa: E402: of the folder above

PROGRAMS = "tiny_command plumb_command write_tiny_gguf"

LOCALES = ("de_DE", "tr_TR")  # a comma in numbers; a different capital of i


def results(folder):
    """All results: run.json and report.json record where and how it was made, the journal in which order."""
    return {name: text for name, text in kills.lasting(folder).items() if not name.endswith(("run.json", "report.json"))}


class EveryJob(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.jobs = kills.Jobs(command.BUILD, cls.folder / "jobs", 0)
        cls.whole = {job["name"]: cls.left(job, cls.folder / "whole") for job in cls.jobs.list}

    @classmethod
    def left(cls, job, out, inputs=None, words=(), **more):
        """The results of a job in a different environment."""
        cls.jobs.begin(job, out)
        environment = {**cls.jobs.environment, **more.pop("environment", {})}
        called = [str(cls.jobs.tiny), *kills.placed([*job["words"], *words], inputs or cls.jobs.folder / "in", out)]
        done = subprocess.run(called, env=environment, capture_output=True, text=True, **more)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(called)} ended with {done.returncode}:\n{done.stderr}")
        return results(out)

    def assert_all_the_same(self, out=None, **more):
        for job in self.jobs.list:
            with self.subTest(job["name"]):
                found = self.left(job, out or self.folder / "again", **more)
                self.assertEqual(found.keys(), self.whole[job["name"]].keys())
                self.assertEqual([name for name in found if found[name] != self.whole[job["name"]][name]], [])

    def test_twice(self):
        self.assertGreater(len(self.whole), 15)
        self.assertTrue(all(self.whole.values()))
        self.assert_all_the_same()

    def test_threads(self):
        for threads in ("1", "2", "5"):
            self.assert_all_the_same(environment={"OMP_NUM_THREADS": threads})

    def test_locale_and_time_zone(self):
        environment = {"LOCPATH": str(self.folder / "locales"), "TZ": "Pacific/Kiritimati"}
        (self.folder / "locales").mkdir()
        for name in LOCALES:
            subprocess.run(["localedef", "-i", name, "-f", "UTF-8", self.folder / "locales" / f"{name}.UTF-8"], check=True,
                           capture_output=True)
            self.assert_all_the_same(environment={**environment, "LC_ALL": f"{name}.UTF-8", "LANG": f"{name}.UTF-8"})
        self.assert_all_the_same(environment={"LC_ALL": "no_SUCH", "TZ": "nowhere"})

    def test_umask(self):
        self.assert_all_the_same(umask=0o077)

    def test_names_of_folders(self):
        inputs = self.folder / "other inputs ü"
        inputs.symlink_to(self.jobs.folder / "in")
        deep = self.folder / "a" / "b c" / "d'e"
        deep.mkdir(parents=True)
        self.assert_all_the_same(deep / "out", inputs=inputs)
        # And from within, by relative names.
        shutil.copytree(self.jobs.folder / "in", deep / "in")
        for job in self.jobs.list:
            if job["before"]:
                continue
            with self.subTest(job["name"]):
                shutil.rmtree(deep / "out", ignore_errors=True)
                shutil.rmtree(self.jobs.folder / "cache", ignore_errors=True)
                subprocess.run([str(self.jobs.tiny), *kills.placed(job["words"], "in", "out")], cwd=deep, check=True,
                               env=self.jobs.environment, capture_output=True)
                self.assertEqual(results(deep / "out"), self.whole[job["name"]])

    def test_order_of_relations(self):
        both = {"probe": ("capital", "river"), "many-shot": ("birth", "origin"), "rank": ("symbol", "next"),
                "generate": ("symbol", "contains"), "generate of a masked model": ("symbol", "family"),
                "generate --form kamel": ("P36", "P190"), "calibrate a model": ("capital", "river")}
        for job in self.jobs.list:
            if job["name"] not in both:
                continue
            one, other = both[job["name"]]
            with self.subTest(job["name"]):
                found = [self.left(job, self.folder / "ordered", words=("--relations", order))
                         for order in (f"{one},{other}", f"{other},{one}")]
                self.assertTrue(found[0])
                self.assertEqual(found[0].keys(), found[1].keys())
                self.assertEqual([name for name in found[0] if found[0][name] != found[1][name]], [])


@command.needs_vocabularies
class Engine(unittest.TestCase):
    """Threads of llama.cpp and of plumb's own network, and plumb's threads with each."""

    def test_threads(self):
        folder = command.temporary_folder(self)
        model = command.tiny_model(folder)
        for engine in ("llama", "native"):
            found = []
            for threads in ("1", "2", "3"):
                out = folder / f"{engine}-{threads}"
                command.probe(out, "--relations", "continent,plural", "--limit", "6", "--engine", engine, "--threads", threads,
                              model=model)
                found.append(results(out))
            self.assertTrue(found[0])
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0], found[2])


if __name__ == "__main__":
    unittest.main()
