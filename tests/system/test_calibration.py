# SPDX-License-Identifier: Apache-2.0
"""plumb calibrate as a whole: published numbers, scikit-learn's, and one command from a model to the page."""
import csv
import json
import math
import pathlib
import subprocess
import tempfile
import unittest

import command

PROGRAMS = "plumb_command calibration_numbers write_tiny_gguf"

GPT2 = command.SHARED / "golden" / "gpt2-bear"
BEAR = command.SHARED / "data" / "bear"
TWELVE = command.SHARED / "data" / "bear-12-templates" / "metadata_relations.json"
FACTOR = command.SHARED / "data" / "factor"


def only_model(folder):
    return next(iter(json.loads((pathlib.Path(folder) / "metrics.json").read_text())["models"].values()))


@command.needs_shared
class PublishedScores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.out = cls.folder / "gpt2"
        cls.done = command.plumb("calibrate", GPT2, "--data", BEAR, "--out", cls.out)
        cls.model = only_model(cls.out)

    def test_gpt2_has_the_published_numbers(self):
        expected = {"base": {"accuracy": 0.14953, "ace": 0.28982, "brier": 0.23225},
                    "margin": {"accuracy": 0.14953, "ace": 0.15067, "brier": 0.17709}}
        for estimator, metrics in expected.items():
            for metric, value in metrics.items():
                found = self.model["estimators"][estimator]["metrics"][metric]
                self.assertEqual(round(found["value"], 5), value, (estimator, metric))
                self.assertEqual(found["count"], 7731)
                self.assertLess(found["low"], found["value"])
                self.assertLess(found["value"], found["high"])

    def test_domains_and_cardinality_come_from_the_dataset(self):
        base = self.model["estimators"]["base"]
        self.assertEqual(base["domains"]["Arts"]["ace"]["count"], 1623)  # the paper's Table 5
        self.assertEqual(base["domains"]["Biographical"]["ace"]["count"], 2847)
        self.assertEqual(base["cardinality"]["1:1"]["ace"]["count"], 840)

    def test_all_sixty_options_give_the_one_to_one_relations_own_numbers(self):
        last = self.model["option_counts"][-1]
        self.assertEqual(last["options"], 60)
        whole = self.model["estimators"]["base"]["cardinality"]["1:1"]
        for name in ("accuracy", "mean_confidence", "ace"):
            self.assertAlmostEqual(last[name]["value"], whole[name]["value"], places=12)

    def test_estimators_needing_several_templates_are_excluded_and_reported(self):
        self.assertEqual(list(self.model["estimators"]), ["base", "margin"])
        self.assertIn("at least two paraphrases", self.done.stdout)
        asked = command.plumb("calibrate", GPT2, "--estimators", "average_min", "--out", self.out / "asked", code=2)
        self.assertIn("average_min needs at least two paraphrases", asked.stderr)

    def test_the_same_bytes_again_and_with_one_thread(self):
        first = command.results(self.out)
        again = self.folder / "again"
        subprocess.run([command.PLUMB, "calibrate", GPT2, "--data", BEAR, "--out", again], check=True,
                       stdout=subprocess.DEVNULL, env={"OMP_NUM_THREADS": "1"})
        self.assertEqual(command.results(again), first)


@command.needs_peer
class AgainstScikitLearn(unittest.TestCase):
    def test_a_thousand_random_inputs_with_ties(self):
        script = pathlib.Path(__file__).with_name("compare_with_scikit_learn.py")
        done = subprocess.run([command.PEER, script, command.BUILD / "calibration_numbers", "1000"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["inputs"], 1000)
        self.assertEqual(set(found["worst"]), {"curve", "ace", "mce", "brier", "log_loss", "auroc", "isotonic"})
        for name, difference in found["worst"].items():
            self.assertLess(difference, 1e-9, name)


def judged(run, reduce):
    """Base confidence and correctness of template 0, recomputed from a run folder's rows."""
    for file in sorted(pathlib.Path(run).glob("*_results.jsonl")):
        for row in command.rows(file):
            if row["template_index"] != 0:
                continue
            scores = reduce(row)
            best = max(range(len(scores)), key=scores.__getitem__)
            total = sum(math.exp(score - scores[best]) for score in scores)
            yield 1 / total, best == row["answer_idx"]


@command.needs_shared
@command.needs_model
class TwelveTemplates(unittest.TestCase):
    """One command from a model to the page, with the calibration paper's templates: random weights with the real model's
    tokenizer. Other tests compare its scores with lm-pub-quiz."""

    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.out = cls.folder / "run"
        cls.words = ["calibrate", "--data", BEAR, "--template-file", TWELVE, "--model",
                     command.tiny_model(cls.folder, command.MODEL), "--relations", "P30,P403", "--limit", 6, "--bins", 5,
                     "--resamples", 50, "--out", cls.out]
        command.plumb(*cls.words)
        cls.model = only_model(cls.out)

    def test_all_estimators_stand_side_by_side(self):
        policies = ["vote2", "vote3", "vote4", "vote5", "min", "max"]
        self.assertEqual(list(self.model["estimators"]),
                         ["base", "margin"] + [f"average_{p}" for p in policies] + [f"consistency_{p}" for p in policies] +
                         ["possibly", "certainly", "0%", "25%", "50%", "75%", "100%"])
        page = (self.out / "report.html").read_text()
        for words in ("Base", "Margin", "Average, vote ≥ 5", "Consistency, min", "“certainly”", "“25%”"):
            self.assertIn(f"<bdi>{words}</bdi>", page)
        self.assertEqual(self.model["paraphrases"], [5, 5])

    def test_its_numbers_are_those_of_the_run_folder(self):
        answers = list(judged(self.out / "probe", lambda row: row["pll_scores"]))
        base = self.model["estimators"]["base"]["metrics"]
        self.assertEqual(len(answers), 12)
        self.assertAlmostEqual(base["accuracy"]["value"], sum(right for _, right in answers) / 12, places=12)
        self.assertAlmostEqual(base["brier"]["value"], sum((c - right) ** 2 for c, right in answers) / 12, places=9)

    def test_every_options_probability_is_judged(self):
        sums, questions, briers = 0.0, 0, []
        for relation in ("P30", "P403"):
            rows = [row for row in command.rows(self.out / "probe" / f"{relation}_results.jsonl") if row["template_index"] == 0]
            subjects = {}
            for row in rows:
                subjects.setdefault(row["sub_id"], (row["pll_scores"], set()))[1].add(row["answer_idx"])
            gaps = {}  # by option and bin
            for scores, right in subjects.values():
                most = max(scores)
                weights = [math.exp(score - most) for score in scores]
                p = [weight / sum(weights) for weight in weights]
                y = [1 / len(right) if k in right else 0 for k in range(len(p))]
                briers.append(sum((a - b) ** 2 for a, b in zip(p, y)))
                for k, (a, b) in enumerate(zip(p, y)):
                    cell = k, max(0, math.ceil(a * 5) - 1)
                    gaps[cell] = gaps.get(cell, 0) + b - a
            sums += sum(map(abs, gaps.values())) / len(rows[0]["pll_scores"])
            questions += len(subjects)
        made = self.model["static_calibration"]
        self.assertEqual(made["questions"], questions)
        self.assertAlmostEqual(made["error"]["value"], sums / questions, places=9)
        self.assertAlmostEqual(made["brier"]["value"], sum(briers) / questions, places=9)

    def test_every_reduction_comes_from_the_one_scoring(self):
        reductions = {"Sum": lambda r: r["pll_scores"],
                      "Mean": lambda r: [s / n for s, n in zip(r["pll_scores"], r["token_counts"])],
                      "Sum (A)": lambda r: r["answer_scores"],
                      "Mean (A)": lambda r: [s / n for s, n in zip(r["answer_scores"], r["answer_token_counts"])]}
        self.assertEqual(list(self.model["reductions"]), list(reductions))
        pairs = [(one["accuracy"]["value"], one["ace"]["value"]) for one in self.model["reductions"].values()]
        self.assertEqual(len(set(pairs)), 4)
        self.assertTrue(any(accuracy > 0 for accuracy, _ in pairs))
        for name, reduce in reductions.items():
            answers = list(judged(self.out / "probe", reduce))
            found = self.model["reductions"][name]
            accuracy, ace = found["accuracy"]["value"], found["ace"]["value"]
            self.assertAlmostEqual(accuracy, sum(right for _, right in answers) / 12, places=12)
            h = 2 * accuracy * (1 - ace) / (accuracy + 1 - ace)
            self.assertAlmostEqual(found["harmonic_mean"]["value"], h, places=12)

    def test_nothing_is_scored_again(self):
        before = command.results(self.out)
        done = command.plumb(*self.words, "--resume")
        self.assertEqual(command.results(self.out), before)
        self.assertEqual(json.loads((self.out / "probe" / "run.json").read_text())["statements_scored_now"], 0)
        self.assertIn("report: ", done.stdout)
        read = self.folder / "read"  # the same numbers from the folder only
        command.plumb("calibrate", self.out / "probe", "--bins", 5, "--resamples", 50, "--out", read)
        self.assertEqual(json.loads((read / "metrics.json").read_text()),
                         json.loads((self.out / "metrics.json").read_text()))
        self.assertIn("is not empty", command.plumb(*self.words, code=2).stderr)

    def test_csv_files_hold_what_the_page_shows(self):
        with open(self.out / "calibration.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        ace = [row for row in rows if (row["estimator"], row["group"], row["metric"]) == ("margin", "overall", "ace")]
        self.assertEqual(len(ace), 1)
        self.assertAlmostEqual(float(ace[0]["value"]), self.model["estimators"]["margin"]["metrics"]["ace"]["value"],
                               places=7)
        for file in self.out.iterdir():
            if file.suffix in (".csv", ".html", ".json") and file.name != "run.json":
                self.assertNotRegex(file.read_text().lower(), r"(?<![a-z])(nan|inf)(?![a-z])", file.name)


@command.needs_model
class BundledFacts(unittest.TestCase):
    def test_markers_are_injected_into_plain_templates(self):
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name) / "run"
            command.plumb("calibrate", "--data", command.FACTS, "--model", command.tiny_model(name, command.MODEL),
                          "--relations", "animal-class", "--limit", 3, "--inject", "all", "--bins", 3, "--resamples", 20,
                          "--out", out)
            templates = json.loads((out / "probe" / "metadata_results.json").read_text())["animal-class"]["templates"]
            self.assertEqual(templates[-7:], [
                templates[0].replace(" is ", " is possibly "), templates[0].replace(" is ", " is certainly "),
                *(f"I'm {x}% confident {templates[0][0].lower()}{templates[0][1:]}" for x in (0, 25, 50, 75, 100))])
            self.assertEqual(list(only_model(out)["marker_effects"]),
                             ["possibly", "certainly", "0%", "25%", "50%", "75%", "100%"])


@command.needs_shared
@command.needs_model
class Factor(unittest.TestCase):
    def test_completions_share_their_context_and_the_note_is_shown(self):
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name) / "run"
            done = command.plumb("calibrate", "--data", FACTOR, "--model", command.tiny_model(name, command.MODEL),
                                 "--limit", 4, "--bins", 2, "--resamples", 20, "--out", out)
            for text in (done.stdout, (out / "report.html").read_text(), (out / "probe" / "report.html").read_text()):
                self.assertIn("Wiki-FACTOR, so the numbers are not comparable", text)
            run = json.loads((out / "probe" / "run.json").read_text())
            self.assertEqual(run["statements"], 16)
            self.assertLess(run["tokens_fed"], run["tokens_one_by_one"] / 2)
            with open(FACTOR / "expert_factor.csv", newline="", encoding="utf-8") as file:
                record = next(csv.DictReader(file))
            row = command.rows(out / "probe" / "expert_factor_results.jsonl")[0]
            self.assertEqual(row["sub_label"], record["turncated_prefixes"])  # it ends in a space
            self.assertEqual(row["choices"], [record[f] for f in ("completion", "contradiction_0", "contradiction_1",
                                                                  "contradiction_2")])
            self.assertEqual(row["answer_idx"], 0)


if __name__ == "__main__":
    unittest.main()
