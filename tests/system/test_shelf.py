# SPDX-License-Identifier: Apache-2.0
"""Twenty tiny models, causal and masked, run through every job that their kind allows, by the commands of docs/papers over a
table of models. Each paper's tables have a row for each model, with the numbers of its own run.

The models are random (tests/support/shelf.py), so only the rows are checked. Sizes are those of test_papers. PLUMB_SHELF
names a folder to keep."""
import csv
import html
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import unittest

import command
import test_papers

sys.path.insert(0, str(command.ROOT / "tests" / "support"))
import shelf  # noqa: E402

KEPT = os.environ.get("PLUMB_SHELF", "")

# Options only for causal models: columns of the table, so that one command runs both kinds.
IN_SMALL = {"generate": {"max-new-tokens": 4, "samples": 5, "confidence-prompts": 3}}

# Models with published numbers in the calibration paper.
PUBLISHED = {"gpt2", "gpt2-medium", "opt-125m", "opt-350m", "gemma-2b", "bert-base-cased", "bert-large-cased", "roberta-base",
             "xlm-roberta-base"}


def first_cells(page):
    """The texts of the first cells of a page's rows."""
    cells = re.findall(r"<tr[^>]*>\s*<t[hd][^>]*>(.*?)</t[hd]>", page.read_text(encoding="utf-8"), re.DOTALL)
    return {html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in cells}


def refuse_number(text):
    raise AssertionError(f"{text} is not a finite number")


def metrics(folder):
    """A folder's metrics.json, after a check that its numbers are finite."""
    return json.loads((folder / "metrics.json").read_text(encoding="utf-8"), parse_constant=refuse_number)


def rows_of(file):
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def make_files(folder):
    """Files that the pages' commands read, without any reference data."""
    test_papers.make_files(folder)
    with (folder / "FACTOR.csv").open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["turncated_prefixes", "completion", "contradiction_0", "contradiction_1", "contradiction_2"])
        facts = command.rows(command.FACTS / "capital.jsonl")[:27]
        for i in range(24):
            table.writerow([f"The capital of {facts[i]['sub_label']} is", *(f" {facts[i + k]['obj_label']}." for k in range(4))])


class Shelf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(KEPT).resolve() if KEPT else command.temporary_folder(cls)
        cls.models = {row["name"]: row for row in shelf.write_shelf(cls.folder, command.FACTS)}
        cls.names = set(cls.models)
        cls.causal = {name for name, row in cls.models.items() if row["kind"] == "causal"}
        make_files(cls.folder)

    def run_page(self, name):
        """Runs a page's commands over tables of models in a separate folder, and returns that folder."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "docs").symlink_to(command.ROOT / "docs")
        for made in ("FACTOR.csv", "TWELVE.json", "TABLE5.json"):
            (folder / made).symlink_to(self.folder / made)
        moved = [dict(row, path=f"../{row['path']}") for row in self.models.values()]
        listed = test_papers.commands(test_papers.PAPERS / f"{name}.md", over_models=True)
        self.assertTrue(listed)
        for words in listed:
            with self.subTest(command=" ".join(words)):
                for table, rows in (("MODELS.csv", moved), ("CAUSAL.csv", [row for row in moved if row["kind"] == "causal"])):
                    shelf.write_table(folder / table, rows, IN_SMALL.get(words[0]))
                small = test_papers.in_small(words)
                if "FACTOR.csv" in words:
                    small[small.index("--data") + 1] = "FACTOR.csv"
                elif words[0] == "calibrate":
                    # Few options, as masked models score them one by one, and at most as many facts as bins.
                    test_papers.set_option(small, "--relations", "continent,mythology")
                    test_papers.set_option(small, "--limit", 10)
                done = subprocess.run([command.PLUMB, *small], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return folder

    def check_page(self, folder, rows):
        """The page of a comparison has these rows."""
        self.assertLessEqual(set(rows), first_cells(folder / "report.html"), folder)

    def check_finite(self, number, name):
        """A share with its interval."""
        for value in (number["value"], number["low"], number["high"]):
            self.assertTrue(math.isfinite(value) and 0 <= value <= 1, f"{name}: {number}")

    def check_published(self, folder, models):
        """Each model with the name of a published one has the published numbers next to its own."""
        compared = metrics(folder)
        self.assertEqual({one["run"] for one in compared["numbers"] if one["same_model"]}, set(models))

    def test_there_are_twenty_of_many_forms(self):
        self.assertEqual(len(self.names), 20)
        forms = {json.loads((self.folder / name / "config.json").read_text())["model_type"]
                 for name in self.names if name != shelf.GGUF}
        self.assertEqual(len(forms), 14)
        self.assertEqual(len(self.causal), 12)

    def test_calibration(self):
        folder = self.run_page("calibration")
        for run, chosen in (("ALL", ("base", "margin", "average_min", "consistency_min")), ("ALL-FACTOR", ("base", "margin"))):
            compared = metrics(folder / run / "comparison")
            self.assertEqual(set(compared["models"]), self.names)
            for name, model in compared["models"].items():
                own, = metrics(folder / run / name)["models"].values()
                self.assertEqual(model, own)
                self.assertEqual(model["masked"], name not in self.causal)
                self.check_finite(model["accuracy"], name)
                for estimator in chosen:
                    for metric in ("ace", "brier"):
                        self.check_finite(model["estimators"][estimator]["metrics"][metric], f"{name}, {estimator}")
            keys = [tuple(row.values())[:5] for row in rows_of(folder / run / "comparison" / "calibration.csv")]
            self.assertEqual(len(keys), len(set(keys)))
            self.assertEqual({key[0] for key in keys}, self.names)
            self.check_page(folder / run / "comparison", self.names)
        self.check_published(folder / "COMPARED-ALL", PUBLISHED)
        self.check_published(folder / "COMPARED-ALL-6", PUBLISHED & self.causal)
        compared = metrics(folder / "ALL" / "comparison")
        self.assertEqual({pair for one in compared["differences"] for pair in (one["first"], one["second"])}, self.names)
        self.assertEqual([compared["means"][kind]["models"] for kind in ("all", "causal", "masked")],
                         [len(self.names), len(self.causal), len(self.names - self.causal)])
        pairs = compared["pairs"]
        self.assertTrue(pairs)
        self.assertTrue(all(pair["causal"] in self.causal and pair["masked"] not in self.causal for pair in pairs))

    def test_deer(self):
        folder = self.run_page("deer")
        for run, methods in (("ALL", {"deer", "lm-head"}), ("ALL-LENGTH", {"deer", "likelihood"}),
                             ("ALL-PROMPTS", {"deer", "deer-a", "deer-b", "deer-c"})):
            compared = metrics(folder / run / "comparison")
            self.assertEqual(set(compared["methods"]), methods)
            for method, made in compared["methods"].items():
                self.assertEqual(set(made["models"]), self.causal)
                for name, model in made["models"].items():
                    own = metrics(folder / run / name)["methods"][method]
                    for filtering in ("raw", "filtered"):
                        self.assertEqual(model[filtering], own[filtering]["realistic"])
                    for hits in ("hits_at_1", "hits_at_10"):
                        self.check_finite(model["raw"][hits], f"{name}, {method}")
            compared = metrics(folder / run / "comparison")
            for name in self.causal:  # Tables 3, 5 and 7: how well a model's methods agree
                for own in metrics(folder / run / name)["agreement"]:
                    agreement = compared["agreement"]["+".join(own["methods"])][name]
                    self.assertEqual(agreement, {part: own[part] for part in ("queries", "log_rank", "rank")})
            families = {one["family"] for one in compared["sizes"]}
            self.assertTrue(families and families <= {self.models[name]["family"] for name in self.causal})
            self.assertTrue(0 <= compared["monotone_share"] <= 1)
            keys = [(row["model"], row["method"]) for row in rows_of(folder / run / "comparison" / "metrics.csv")]
            self.assertEqual(set(keys), {(name, method) for name in self.causal for method in methods})
            self.check_page(folder / run / "comparison", self.causal)
        for table in ("3", "4", "7"):
            self.check_published(folder / f"COMPARED-ALL-{table}", ("opt-125m", "opt-350m"))

    def test_many_shot(self):
        folder = self.run_page("many-shot")
        for run, setting in (("ALL", "ic/50"), ("ALL-EIC", "eic"), ("ALL-BASELINES", "ic/50")):
            compared = metrics(folder / run / "comparison")
            self.assertEqual(set(compared["models"]), self.causal)
            for name, model in compared["models"].items():
                own = metrics(folder / run / name)["settings"]
                self.assertEqual(model["accuracy"], own[compared["setting"]]["accuracy"])
                self.check_finite(model["accuracy"], name)
                self.assertEqual((model["family"], model["parameters"]), (self.models[name]["family"], self.models[name]["size"]))
                self.assertIn(setting, own)
            rows = [row["model"] for row in rows_of(folder / run / "comparison" / "model_leaderboard.csv")]
            self.assertEqual(sorted(rows), sorted(self.causal))
            self.assertEqual(len(compared["subsumption"]), len(self.causal) * (len(self.causal) - 1))
            self.check_page(folder / run / "comparison", self.causal)
        self.check_published(folder / "COMPARED-ALL-7", ("llama2-7b", "mistral-7b", "gemma-2b"))

    def test_many_prompts(self):
        folder = self.run_page("many-prompts")
        compared = metrics(folder / "ALL" / "comparison")["settings"]
        asked = {name: ("zero-shot", "4-random", "4-relation", "4-template") if name in self.causal else ("masked",)
                 for name in self.names}
        rows = {f"{name} {setting}" for name in asked for setting in asked[name]}
        self.assertEqual(set(compared), rows)
        for name in self.names:
            own = metrics(folder / "ALL" / name)["settings"]
            for setting in asked[name]:
                made = compared[f"{name} {setting}"]
                for one in (made, own[setting]):
                    for ranks in one.get("true_token_ranks", {}).values():
                        ranks.pop("setting")  # in the comparison it contains the model's name
                self.assertEqual(made, own[setting])
                self.check_finite(made["coverage"]["average"], name)
                self.check_finite(made["consistency"]["all"]["share"], name)
        self.check_page(folder / "ALL" / "comparison", rows)
        self.check_published(folder / "COMPARED-ALL-16", ("bert-base", "llama2-7b", "llama3-8b"))

    def test_a_probe_of_all(self):
        out = self.folder / "probe"
        command.plumb("probe", "--data", command.FACTS, "--relations", "continent,nationality", "--limit", 6, "--models",
                      self.folder / "MODELS.csv", "--out", out)
        compared = metrics(out / "comparison")
        self.assertEqual(set(compared["models"]), self.names)
        for name, model in compared["models"].items():
            accuracy = metrics(out / name)["all_templates"]["overall_unweighted"]["accuracy"]
            self.assertAlmostEqual(model["accuracy"]["value"], accuracy["value"], msg=name)
            self.check_finite(model["accuracy"], name)
        self.check_page(out / "comparison", self.names)

    def test_a_job_that_masked_models_cannot_do_leaves_them_out(self):
        four = [dict(row, path=str(self.folder / row["path"])) for name, row in self.models.items()
                if name in ("gpt2", "bert-base", "roberta-base", "opt-125m")]
        table = self.folder / "FOUR.csv"
        shelf.write_table(table, four)
        for job in (("many-shot", "--relations", "birth-year", "--shots", 3, "--choices", 4),
                    ("rank", "--relations", "continent")):
            out = self.folder / f"four-{job[0]}"
            done = command.plumb(*job, "--data", command.FACTS, "--limit", 2, "--models", table, "--out", out, code=2)
            for name in ("bert-base", "roberta-base"):
                self.assertRegex(done.stderr, rf"FOUR\.csv:\d: {name}: --model: \S+ is a masked model")
            self.assertIn("2 of 4 models failed", done.stderr)
            self.assertTrue((out / "comparison" / "report.html").exists())
            self.check_page(out / "comparison", ("gpt2", "opt-125m"))


if __name__ == "__main__":
    unittest.main()
