# SPDX-License-Identifier: Apache-2.0
"""The many-shot probe of the whole command: its scores on the real model, everything else on a tiny one."""
import json
import math
import pathlib
import random
import shutil
import subprocess
import unittest

import command

PROGRAMS = "plumb_command requantize write_tiny_gguf"

GOLDEN = command.SHARED / "golden" / "many-shot-smollm2.json"
DIGITS = command.SHARED / "golden" / "many-shot-digits-smollm2.json"  # a choice begins with a digit
BASELINES = {"Animal class": {"property": "animal-class", "hgp": ["{subject} is a kind of", "The class of {subject} is"],
                              "mmp": ["{subject} and other"]}}


def many_shot(out, *more, model=None, code=0):
    return command.plumb("many-shot", "--data", command.FACTS, "--model", model or command.MODEL, "--out", out, *more,
                         code=code)


def scores(folder, relation):
    """(method, shots, variant, instance) -> scores by choice."""
    return {(row["method"], row["shots"], row["variant"], row["instance_index"]):
            dict(zip(row["choices"], row["answer_scores"]))
            for row in command.rows(pathlib.Path(folder) / f"{relation}_choices.jsonl")}


@command.needs_shared
@command.needs_model
class Golden(unittest.TestCase):
    def check(self, theirs, ours):
        self.assertLessEqual(set(theirs), set(ours))
        for field in set(theirs) - {"model", "test"}:
            self.assertEqual(theirs[field], ours[field])
        compared = 0
        for a, b in zip(theirs["test"], ours["test"]):
            self.assertEqual((a["subject"], a["answer"]), (b["subject"], b["answer"]))
            for x, y in zip(a["scores"], b["scores"], strict=True):
                self.assertLess(abs(x - y), 1e-3)
                compared += 1
        self.assertEqual(compared, len(theirs["test"]) * len(theirs["choices"]))

    def test_a_fixed_study_is_met_within_a_thousandth_of_a_nat(self):
        folder = command.temporary_folder(type(self))
        for golden in (GOLDEN, DIGITS):
            command.plumb("many-shot", "--fixed", golden, "--model", command.MODEL, "--out", folder / golden.stem)
            self.check(json.loads(golden.read_text()), json.loads((folder / golden.stem / "fixed.json").read_text()))

    def test_a_list_of_studies_comes_back_as_a_list(self):
        folder = command.temporary_folder(type(self))
        theirs = json.loads(GOLDEN.read_text())
        part = dict(theirs, test=theirs["test"][:1], shots=theirs["shots"][:3])
        file = folder / "studies.json"
        file.write_text(json.dumps([dict(theirs, test=theirs["test"][3:5], accuracy=0.0), part]))
        command.plumb("many-shot", "--fixed", file, "--model", command.MODEL, "--out", folder / "two")
        ours = json.loads((folder / "two" / "fixed.json").read_text())
        self.assertEqual(len(ours), 2)
        for a, b in zip(theirs["test"][3:5], ours[0]["test"], strict=True):
            for x, y in zip(a["scores"], b["scores"], strict=True):
                self.assertLess(abs(x - y), 1e-3)
        self.assertEqual(len(ours[1]["shots"]), 3)


@command.needs_vocabularies
class Study(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.model = command.tiny_model(cls.folder)
        cls.baselines = cls.folder / "baselines.json"
        cls.baselines.write_text(json.dumps(BASELINES))
        cls.words = ("--relations", "animal-class,birth-year,currency-country,instrument-family", "--shots", "1,50",
                     "--seeds", "2", "--choices", "20", "--limit", "2", "--eic", "both", "--generate", "8",
                     "--baselines", cls.baselines, "--injection", "20", "--injected", "4")
        cls.whole = cls.folder / "whole"
        cls.shown = many_shot(cls.whole, *cls.words, model=cls.model).stdout

    def test_settings_relations_and_remarks_are_shown(self):
        for text in ("ic/1 ", "ic/50 ", "ic/50/generation", "eic", "eic-isolated", "hgp", "mmp",
                     "skipped for having fewer than 50 training facts for the shots: currency-country 41, instrument-family 38",
                     "fewer than 20 choices per fact, because there are no more objects: animal-class 9"):
            self.assertIn(text, self.shown)
        metrics = json.loads((self.whole / "metrics.json").read_text())
        self.assertEqual(metrics["settings"]["ic/50"]["relations"]["animal-class"]["variants"], 2)
        self.assertEqual(set(metrics["injection"]), {"animal-class", "birth-year"})
        self.assertEqual(len(metrics["accuracy_at_k"]["ic/50"]), 20)

    def test_its_calibration_is_that_of_its_rows(self):
        out = self.folder / "calibration"
        command.plumb("calibrate", self.whole, "--bins", 2, "--resamples", 20, "--out", out)
        models = json.loads((out / "metrics.json").read_text())["models"]
        briers = {}
        for file in sorted(self.whole.glob("*_choices.jsonl")):
            seen = {}
            for row in command.rows(file):
                group = row["method"] + (f"/{row['shots']}" if row["method"] == "ic" else "")
                if seen.setdefault(group, row["variant"]) != row["variant"]:
                    continue  # only the first seed's or template's
                most = max(row["answer_scores"])
                p = [math.exp(score - most) for score in row["answer_scores"]]
                right = row["answer_scores"].index(most) == row["answer"]
                briers.setdefault(group, []).append((max(p) / sum(p) - right) ** 2)
        self.assertEqual({name.split(" ", 1)[1] for name in models}, set(briers))
        for name, model in models.items():
            expected = briers[name.split(" ", 1)[1]]
            self.assertEqual(model["facts"], len(expected))
            self.assertAlmostEqual(model["estimators"]["base"]["metrics"]["brier"]["value"], sum(expected) / len(expected), places=8)
        refused = command.plumb("calibrate", self.whole, "--span", "answer", "--out", self.folder / "none", code=2)
        self.assertIn("--span: applies to probed closed sets, but ", refused.stderr)

    def test_a_killed_study_taken_up_again_ends_with_the_same_bytes(self):
        journal = (self.whole / "journal.jsonl").stat().st_size
        expected = command.results(self.whole)
        moments = random.Random(5)
        for trial in range(2):
            out = self.folder / f"killed-{trial}"
            process = subprocess.Popen([command.PLUMB, "many-shot", "--data", command.FACTS, "--model", self.model,
                                        "--out", out, *map(str, self.words)], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            size = moments.uniform(0.05, 0.95) * journal
            command.kill_when_journal_has(process, out / "journal.jsonl", size)
            self.assertFalse((out / "report.html").exists())
            many_shot(out, *self.words, "--resume", model=self.model)
            self.assertEqual(command.results(out), expected, f"trial {trial}")
            shutil.rmtree(out)

    def test_eic_rows_have_the_specified_lengths(self):
        out, counts = self.folder / "short", (8, 11, 14, 17)
        said = many_shot(out, "--relations", "animal-class", "--seeds", "1", "--limit", "6", "--eic", "isolated", "--join",
                         "text", "--eic-first", "8", "--eic-step", "3", "--eic-questions", "4", "--shots",
                         ",".join(map(str, counts)), "--generate", "6", "--stop", "e", model=self.model).stdout
        self.assertIn("eic-isolated", said)
        rows = scores(out, "animal-class")
        instances = sorted(instance for method, _, _, instance in rows if method == "eic-isolated")
        self.assertEqual(len(instances), 6)
        for place, instance in enumerate(instances):
            alone = rows[("eic-isolated", 8, 0, instance)]
            shots = rows[("ic", counts[place % 4], 0, instance)]
            self.assertEqual(set(alone), set(shots))
            for choice, score in alone.items():
                self.assertLess(abs(score - shots[choice]), 1e-3)
        for row in command.rows(out / "animal-class_generated.jsonl"):
            self.assertNotIn("e", row["text"].lstrip())
        said = many_shot(self.folder / "long", "--relations", "animal-class", "--shots", "-", "--eic", "paper", "--eic-first",
                         "500", model=self.model, code=2).stderr
        self.assertIn("--eic: needs 545 training facts", said)

    def test_seeds_change_the_shots_and_nothing_else(self):
        rows = scores(self.whole, "birth-year")
        for (method, shots, variant, instance), row in rows.items():
            if method != "ic":
                continue
            other = rows[(method, shots, 1 - variant, instance)]
            self.assertEqual(set(row), set(other))
            self.assertNotEqual(row, other)

    def test_the_page_can_be_made_again(self):
        out = self.folder / "again"
        command.plumb("report", self.whole, "--out", out)
        for name in ("report.html", "metrics.json", "accuracy.csv", "accuracy_at_k.csv", "injection.csv"):
            self.assertEqual((out / name).read_bytes(), (self.whole / name).read_bytes(), name)

    def test_other_settings_are_refused_by_name(self):
        done = many_shot(self.whole, *self.words, "--resume", "--choice-seed", "1", model=self.model, code=2)
        self.assertIn("choice_seed", done.stderr)


@command.needs_model
class Fidelity(unittest.TestCase):
    def test_isolated_eic_is_ic_on_the_same_shots(self):
        folder = command.temporary_folder(type(self))
        out, model = folder / "run", command.tiny_model(folder, command.MODEL)
        counts = range(50, 100, 5)
        many_shot(out, "--relations", "animal-class", "--seeds", "1", "--limit", "12", "--eic", "isolated", "--join",
                  "text", "--shots", ",".join(map(str, counts)), model=model)
        rows = scores(out, "animal-class")
        instances = sorted(instance for method, _, _, instance in rows if method == "eic-isolated")
        self.assertEqual(len(instances), 12)
        for place, instance in enumerate(instances):
            alone = rows[("eic-isolated", 50, 0, instance)]
            shots = rows[("ic", counts[place % 10], 0, instance)]
            self.assertEqual(set(alone), set(shots))
            for choice, score in alone.items():
                self.assertLess(abs(score - shots[choice]), 1e-3)

    @command.needs_vocabularies
    def test_shots_are_fed_once_and_little_more_than_the_choices_tries(self):
        folder = command.temporary_folder(type(self))
        model = command.tiny_model(folder)
        runs = []
        for limit in (1, 10):  # the shots, which are in both runs, cancel out
            many_shot(folder / str(limit), "--relations", "capital,currency", "--shots", "50", "--seeds", "1", "--limit",
                      limit, model=model)
            runs.append(json.loads((folder / str(limit) / "run.json").read_text()))
        fed, nodes = (runs[1][count] - runs[0][count] for count in ("tokens_fed", "tree_nodes"))
        self.assertGreater(nodes, 1000)
        self.assertLessEqual(fed, 1.02 * nodes)
        self.assertGreater(runs[1]["tokens_one_by_one"], 100 * runs[1]["tokens_fed"])


@command.needs_model
class Compared(unittest.TestCase):
    def test_three_weight_types_of_one_model_stand_side_by_side(self):
        folder = command.temporary_folder(type(self))
        q8 = folder / "SmolLM2.Q8_0.gguf"
        subprocess.run([command.BUILD / "requantize", command.MODEL, q8, "Q8_0"], check=True)
        models = {"F32": command.MODEL, "Q8_0": q8, "Q4_1": command.os.environ["PLUMB_MODEL_Q4"]}
        for name, model in models.items():
            many_shot(folder / name, "--relations", "animal-class,continent,part-of-speech", "--shots", "5", "--seeds", "2",
                      "--limit", "2", model=model)
        families = folder / "families.json"
        families.write_text(json.dumps({"whole": ["F32"], "rounded": ["Q8_0", "Q4_1"]}))
        named = [f"{name}={folder / name}" for name in models]
        shown = command.plumb("compare", *named, "--out", folder / "compared", "--families", families, "--pairs",
                              "F32:Q8_0,F32:Q4_1").stdout
        for name in models:
            self.assertIn(name, shown)
        metrics = json.loads((folder / "compared" / "metrics.json").read_text())
        text = json.dumps(metrics)
        self.assertIn("subsumption", text)
        for name in models:  # the accuracy of the model's own run
            own = json.loads((folder / name / "metrics.json").read_text())["settings"]["ic/5"]["accuracy"]["value"]
            self.assertAlmostEqual(metrics["models"][name]["accuracy"]["value"], own, places=12)
        self.assertTrue((folder / "compared" / "report.html").read_text().startswith("<!DOCTYPE html>"))


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = command.temporary_folder(type(self))
        self.model = self.folder / "tiny.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", self.model], check=True)

    def refused(self, *words, code=2):
        done = many_shot(self.folder / "out", *words, model=self.model, code=code)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertFalse((self.folder / "out" / "report.html").exists())
        return done.stderr

    def test_context_overflow_reports_how_many_shots_fit(self):
        said = self.refused("--relations", "birth-year", "--shots", "300", "--train", "350", "--limit", "2")
        fits = int(said.split(" shots would fit")[0].split()[-1])
        self.assertIn(f"set --shots to {fits}", said)
        self.assertGreater(fits, 0)
        self.refused("--relations", "birth-year", "--shots", str(fits + 1), "--train", "350", "--limit", "2")
        many_shot(self.folder / "fits", "--relations", "birth-year", "--shots", str(fits), "--train", "350", "--limit",
                  "2", "--seeds", "1", model=self.model)

    def test_too_few_facts_for_the_shots_skip_every_relation(self):
        said = self.refused("--relations", "currency-country", "--shots", "50")
        self.assertIn("currency-country has 41", said)

    def test_an_empty_separator_is_warned_of_with_the_merged_token(self):
        done = many_shot(self.folder / "merged", "--relations", "plural", "--shots", "2", "--seeds", "1", "--limit", "2",
                         "--choices", "3", "--pair-separator", "", model=self.model)
        # The tiny model's tokens are single bytes and never merge.
        self.assertNotIn("a token covers", done.stdout)
        if command.MODEL:
            done = many_shot(self.folder / "real", "--relations", "plural", "--shots", "2", "--seeds", "1", "--limit",
                             "2", "--choices", "3", "--pair-separator", "", model=command.MODEL)
            self.assertRegex(done.stdout, "a token covers both a subject and an object.*plural '..+'")

    def test_options_and_files_that_make_no_sense(self):
        for words, said in ((("--shots", "-"), "--shots: nothing to run"),
                            (("--choices", "1"), "--choices"), (("--seeds", "0"), "--seeds"),
                            (("--eic", "fast"), "--eic"), (("--fixed", "x.json"), "--fixed"),
                            (("--baselines", "absent.json"), "absent.json"),
                            (("--injection", "900"), "birth-year")):
            self.assertIn(said, self.refused("--relations", "birth-year", *words))

    def test_a_test_fact_among_its_own_shots(self):
        file = self.folder / "own.json"
        file.write_text(json.dumps({"separator": " ", "shots": [["a", "b"], ["c", "d"]], "choices": ["b", "d"],
                                    "test": [{"subject": "c", "answer": "d"}]}))
        done = command.plumb("many-shot", "--fixed", file, "--model", self.model, "--out", self.folder / "own", code=2)
        self.assertIn("test[0].subject", done.stderr)
        table = self.folder / "table.jsonl"
        lines = [{"subject": f"s{i}", "object": f"o{i % 3}", "split": "train" if i < 4 else "test"} for i in range(6)]
        lines.append({"subject": "s0", "object": "o1", "split": "test"})
        table.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = command.plumb("many-shot", "--data", table, "--model", self.model, "--out", self.folder / "t", "--shots",
                             "2", code=2)
        self.assertIn("table.jsonl:7", done.stderr)
        self.assertIn("so it could be among its own shots", done.stderr)

    def test_given_choices_are_read_as_they_are(self):
        table = self.folder / "given.jsonl"
        lines = [{"subject": f"s{i}", "object": f"o{i}", "choices": [f"o{i}", f"x{i}", "yes"],
                  "split": "train" if i < 4 else "test"} for i in range(6)]
        table.write_text("".join(json.dumps(line) + "\n" for line in lines))
        command.plumb("many-shot", "--data", table, "--model", self.model, "--out", self.folder / "given-run", "--shots",
                      "2", "--seeds", "1")
        options = json.loads((self.folder / "given-run" / "metadata_many_shot.json").read_text())
        options = options["relations"]["given"]["options"]
        rows = command.rows(self.folder / "given-run" / "given_choices.jsonl")
        self.assertEqual([[options[c] for c in row["choices"]] for row in rows],
                         [["yes", "o4", "x4"], ["yes", "o5", "x5"]])


if __name__ == "__main__":
    unittest.main()
