# SPDX-License-Identifier: Apache-2.0
"""Models in Hugging Face folders, from folder to page: the same numbers as lm-pub-quiz on the same weights."""
import json
import shutil
import unittest

import command

PROGRAMS = "plumb_command"

FOLDERS = command.SHARED / "golden" / "hugging-face"
BEAR = command.SHARED / "data" / "bear"
RULES = {"original": "pll_original", "within-word": "pll_within_word_l2r"}


def masked_folders():
    """Every folder of the reference data that holds a masked model and its scores, by name."""
    found = [folder for folder in sorted(FOLDERS.iterdir()) if (folder / "pll_original").is_dir()]
    return found + [command.SHARED / "golden" / "tiny-bert"]


@command.needs_shared
class AgainstLmPubQuiz(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)

    def compare(self, model, golden, *options):
        """Probes as the golden scores were, and compares them all; run.json and the largest difference."""
        metadata = json.loads((golden / "metadata_results.json").read_text())
        out = self.folder / f"{model.name}-{golden.name}"
        facts = max(entry["num_original_instances"] for entry in metadata.values())
        command.plumb("probe", "--data", BEAR, "--relations", ",".join(metadata), "--limit", facts, "--model", model,
                      "--out", out, *options)
        largest = 0
        for relation, entry in metadata.items():
            theirs = command.rows(golden / f"{relation}_results.jsonl")
            ours = command.rows(out / f"{relation}_results.jsonl")
            self.assertEqual(len(theirs), len(ours))
            for a, b in zip(theirs, ours):
                self.assertEqual((a["sub_id"], a["answer_idx"]), (b["sub_id"], b["answer_idx"]))
                self.assertEqual(len(a["pll_scores"]), len(b["pll_scores"]))
                largest = max([largest] + [abs(x - y) for x, y in zip(a["pll_scores"], b["pll_scores"])])
            if "pll_metric" in entry:
                written = json.loads((out / "metadata_results.json").read_text())[relation]
                self.assertEqual(written["pll_metric"], entry["pll_metric"])
        self.assertLess(largest, 1e-3, f"{model.name}, {golden.name}")
        return json.loads((out / "run.json").read_text())

    def test_masked_models_by_both_rules(self):
        for model in masked_folders():
            for rule, golden in RULES.items():
                with self.subTest(model=model.name, rule=rule):
                    run = self.compare(model, model / golden, "--pll", rule)
                    self.assertEqual(run["settings"]["pll"], rule)
                    self.assertLessEqual(run["masked_inputs_computed"], run["masked_inputs"])

    def test_opt_in_both_shapes(self):
        for name in ("tiny-opt", "tiny-opt-350m-shape"):
            with self.subTest(model=name):
                run = self.compare(FOLDERS / name, FOLDERS / name / "scores")
                self.assertLess(run["tokens_fed"], run["tokens_one_by_one"])


@command.needs_shared
class OfTheCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.bert = FOLDERS / "tiny-bert-cased"
        cls.opt = FOLDERS / "tiny-opt"

    def probe(self, model, out, *options, code=0):
        return command.plumb("probe", "--data", command.FACTS, "--relations", "continent,part-of-speech", "--limit", 4,
                             "--model", model, "--out", self.folder / out, *options, code=code)

    def test_what_a_masked_model_cannot_do_is_refused_before_it_is_loaded(self):
        hollow = self.folder / "hollow"  # no weights: whoever loads it fails otherwise
        hollow.mkdir()
        shutil.copy(self.bert / "config.json", hollow)
        for job in ("many-shot", "rank"):
            done = command.plumb(job, "--data", command.FACTS, "--model", hollow, "--out", self.folder / "none", code=2)
            self.assertIn("is a masked model", done.stderr)
        for options, words in ((("--bos", "yes"), "--bos: has no effect on a masked model"),
                               (("--span", "continuation"), "reads both sides")):
            self.assertIn(words, self.probe(hollow, "none", *options, code=2).stderr)
        shutil.copy(self.opt / "config.json", hollow)
        done = self.probe(hollow, "none", "--pll", "original", code=2)
        self.assertIn("--pll: has no effect on a causal model", done.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_resumed_and_prompts_listed(self):
        self.probe(self.bert, "whole")
        run = self.folder / "whole"
        kept = command.results(run)
        for name in kept:
            (run / name).unlink()
        journal = run / "journal.jsonl"
        journal.write_bytes(journal.read_bytes()[:journal.stat().st_size // 2])
        self.probe(self.bert, "whole", "--resume")
        self.assertEqual(command.results(run), kept)
        done = command.plumb("data", "prompts", self.folder / "whole", "--ids", "--fact", "continent:0")
        self.assertIn("ids", done.stdout)

    def test_calibration_of_a_causal_and_a_masked_model_tells_them_apart(self):
        for name, model in (("masked", self.bert), ("causal", self.opt)):
            self.probe(model, name, "--templates", "all")
        command.plumb("calibrate", f"masked={self.folder / 'masked'}", f"causal={self.folder / 'causal'}",
                      "--out", self.folder / "both", "--bins", 4)
        metrics = json.loads((self.folder / "both" / "metrics.json").read_text())
        self.assertTrue(metrics["models"]["masked"]["masked"])
        self.assertFalse(metrics["models"]["causal"]["masked"])
        command.plumb("calibrate", "--data", command.FACTS, "--relations", "continent", "--limit", 4, "--model",
                      self.bert, "--out", self.folder / "at once")
        self.assertTrue((self.folder / "at once" / "report.html").exists())

    def test_every_job_runs_on_opt(self):
        command.plumb("many-shot", "--data", BEAR, "--relations", "P36", "--shots", 3, "--limit", 3, "--model", self.opt,
                      "--out", self.folder / "shots")
        graph = command.SHARED / "data" / "umls"
        command.plumb("rank", "--data", graph, "--method", "likelihood", "--sample", 2, "--shots", 1, "--model", self.opt,
                      "--out", self.folder / "likelihood")
        small = self.folder / "graph"  # descriptions of UMLS are longer than the tiny model's context
        small.mkdir()
        (small / "entity2text.txt").write_text("a\tx\nb\ty\nc\tz\n")
        (small / "relation2text.txt").write_text("r\tnext to\n")
        for part, rows in (("train", "a\tr\tb\nb\tr\tc\n"), ("dev", "b\tr\ta\n"), ("test", "a\tr\tc\nc\tr\ta\n")):
            (small / f"{part}.tsv").write_text(rows)
        for method in ("deer", "lm-head"):
            command.plumb("rank", "--data", small, "--method", method, "--shots", 1, "--model", self.opt, "--out",
                          self.folder / method)
            self.assertTrue((self.folder / method / "report.html").exists())
        command.plumb("generate", "--data", BEAR, "--relations", "P36", "--limit", 2, "--samples", 2, "--wordnet", "none",
                      "--model", self.opt, "--out", self.folder / "said")


if __name__ == "__main__":
    unittest.main()
