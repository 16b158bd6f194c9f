# SPDX-License-Identifier: Apache-2.0
"""plumb rank: the golden cosines, searches against exhaustive scoring, all methods on one page."""
import json
import random
import subprocess
import unittest

import command

PROGRAMS = "plumb_command search_against_exhaustive write_tiny_gguf"

GOLDEN = command.SHARED / "golden" / "deer-smollm2.json"
WN18RR = command.SHARED / "data" / "wn18rr"
UMLS = command.SHARED / "data" / "umls"


def rank(out, *words, data=UMLS, model=None, code=0):
    return command.plumb("rank", "--data", data, "--model", model or command.MODEL, "--out", out, *words, code=code)


@command.needs_shared
@command.needs_model
class Golden(unittest.TestCase):
    def test_cosines_and_ranks_of_the_reference(self):
        folder = command.temporary_folder(self)
        golden = json.loads(GOLDEN.read_text())
        rank(folder / "run", "--fixed", GOLDEN, data=WN18RR)
        made = json.loads((folder / "run" / "fixed.json").read_text())
        self.assertEqual(set(made), set(golden))
        worst = 0
        for ours, theirs, query, place in zip(made["cosine"], golden["cosine"], golden["queries"], made["rank"]):
            worst = max(worst, *(abs(a - b) for a, b in zip(ours, theirs)))
            gold = theirs[golden["entities"].index(query[2])]
            above = sum(cosine > gold + 1e-4 for cosine in theirs)
            near = sum(abs(cosine - gold) <= 1e-4 for cosine in theirs) - 1
            self.assertTrue(1 + above <= place <= 1 + above + near, query)
        self.assertLess(worst, 1e-4)
        self.assertEqual([round(place) for place in made["rank"]], golden["rank"])


@command.needs_shared
class SentencePiece(unittest.TestCase):
    """A vocabulary that puts a space before every text: query and name are scored as one text."""

    GOLDEN = command.SHARED / "golden" / "sentencepiece"

    def test_likelihoods_and_ranks_of_whole_texts(self):
        folder = command.temporary_folder(self)
        theirs = json.loads((self.GOLDEN / "umls-likelihood.json").read_text())
        command.plumb("rank", "--data", UMLS, "--model", self.GOLDEN / theirs["model"], "--out", folder / "run", "--method",
                      "likelihood", "--shots", 0, "--limit", len(theirs["rows"]))
        ours = command.rows(folder / "run" / "likelihood_ranks.jsonl")
        for a, b in zip(theirs["rows"], ours, strict=True):
            self.assertEqual((a["head"], a["relation"], a["tail"], a["above"], 0),
                             (b["head"], b["relation"], b["tail"], b["above"], b["equal"]))
            self.assertLess(abs(a["score"] - b["score"]), 1e-3)
            # The golden counts include the bracket after the name too, which is a separate token here.
            self.assertEqual(a["tokens"], b["tokens"] + 1)


@command.needs_shared
@command.needs_model
class Search(unittest.TestCase):
    def test_ranks_are_those_of_scoring_every_name(self):
        # Random weights with the model's tokenizer, and the model itself, for which each query takes seconds.
        tiny = command.tiny_model(command.temporary_folder(self), command.MODEL)
        for model, queries in ((tiny, 16), (command.MODEL, 2)):
            done = subprocess.run([command.BUILD / "search_against_exhaustive", model, UMLS, str(queries)],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            made = json.loads(done.stdout)
            self.assertEqual((made["queries"], made["entities"], made["wrong"]), (queries, 135, 0))
            self.assertLess(made["worst"], 1e-3)
            self.assertLess(made["fed_for_hits_at_10"], made["fed_for_full_ranks"])
            self.assertLess(made["fed_for_full_ranks"], made["inner_nodes"])


@command.needs_shared
@command.needs_model
class Methods(unittest.TestCase):
    WORDS = ["--method", "deer,likelihood,lm-head", "--candidates", "single-token", "--query-form", "paper", "--limit",
             "50"]

    def test_all_methods_from_one_command_to_one_page(self):
        folder = command.temporary_folder(self)
        said = rank(folder / "run", *self.WORDS, model=command.tiny_model(folder, command.MODEL))
        metrics = json.loads((folder / "run" / "metrics.json").read_text())
        self.assertEqual(set(metrics["methods"]), {"deer", "likelihood", "lm-head"})
        self.assertEqual(len(metrics["agreement"]), 3)
        for method in metrics["methods"].values():
            self.assertGreater(method["raw"]["realistic"]["mean_reciprocal_rank"]["value"], 0)
        page = (folder / "run" / "report.html").read_text()
        for text in ("Hit@k side by side", "Do the methods agree?", "Do long names rank lower?"):
            self.assertIn(text, page)
        self.assertIn("deer and likelihood", said.stdout)

    @command.needs_vocabularies
    def test_a_killed_ranking_taken_up_again_ends_with_the_same_bytes(self):
        folder = command.temporary_folder(self)
        model = command.tiny_model(folder)
        words = ["--method", "deer,likelihood", "--candidates", "of-queries", "--sample", "12"]
        rank(folder / "whole", *words, model=model)
        expected = command.results(folder / "whole")
        journal = (folder / "whole" / "journal.jsonl").stat().st_size
        moments = random.Random(5)
        for trial in range(2):
            out = folder / f"killed-{trial}"
            process = subprocess.Popen([command.PLUMB, "rank", "--data", str(UMLS), "--model", model,
                                        "--out", out, *words], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            command.kill_when_journal_has(process, out / "journal.jsonl", moments.uniform(0.05, 0.9) * journal)
            self.assertFalse((out / "report.html").exists())
            rank(out, *words, "--resume", model=model)
            self.assertEqual(command.results(out), expected, f"trial {trial}")


if __name__ == "__main__":
    unittest.main()
