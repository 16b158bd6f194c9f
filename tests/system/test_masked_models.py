# SPDX-License-Identifier: Apache-2.0
"""ELECTRA's generator, ModernBERT and DeBERTa, written by transformers: lm-pub-quiz's scores and transformers' tokens."""
import json
import pathlib
import subprocess
import unittest

import command
from test_tokenizers import AS_TRANSFORMERS, facts, has_transformers, hostile, lines

PROGRAMS = "plumb_command tokens_of_texts"

BEAR = command.SHARED / "data" / "bear"
RELATIONS, LIMIT = ("P30", "P36"), 2


@command.needs_shared
@command.needs_peer
@unittest.skipUnless(has_transformers(), "skipped: PLUMB_PEER has no transformers")
class AgainstTransformers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        script = pathlib.Path(__file__).parent / "masked_models.py"
        done = subprocess.run([command.PEER, script, cls.folder, BEAR, ",".join(RELATIONS), str(LIMIT)], capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.kinds = sorted(folder.name for folder in cls.folder.iterdir() if (folder / "model").is_dir())

    def test_there_is_one_of_each_kind(self):
        self.assertEqual(self.kinds, ["deberta-v2", "electra", "modernbert", "modernbert-merged", "modernbert-one-entry",
                                      "modernbert-yarn"])

    def test_pseudo_log_likelihoods_are_those_of_lm_pub_quiz(self):
        for kind in self.kinds:
            for rule, name in (("original", "pll_original"), ("within-word", "pll_within_word_l2r")):
                with self.subTest(model=kind, rule=rule):
                    out = self.folder / kind / f"run-{rule}"
                    command.plumb("probe", "--data", BEAR, "--relations", ",".join(RELATIONS), "--limit", LIMIT, "--model",
                                  self.folder / kind / "model", "--pll", rule, "--out", out)
                    largest, spread = 0, 0
                    for code in RELATIONS:
                        theirs = json.loads((self.folder / kind / name / f"{code}.json").read_text())
                        ours = [row["pll_scores"] for row in command.rows(out / f"{code}_results.jsonl")]
                        self.assertEqual([len(row) for row in ours], [len(row) for row in theirs])
                        for mine, wanted in zip(ours, theirs):
                            largest = max([largest, *(abs(a - b) for a, b in zip(mine, wanted))])
                            spread = max(spread, max(wanted) - min(wanted))
                    self.assertLess(largest, 1e-3)
                    self.assertGreater(spread, 1)  # a difference would change the scores

    def test_tokens_are_those_of_transformers(self):
        texts = ["Paris", *facts(1000), *hostile(3200)]
        asked = self.folder / "asked"
        asked.write_text(json.dumps([(str(self.folder / kind / "model"), texts) for kind in self.kinds]))
        for kind, wanted in zip(self.kinds, lines(command.PEER, "-c", AS_TRANSFORMERS, asked, texts=[])):
            with self.subTest(model=kind):
                self.assertNotIn("error", wanted)
                frame, *made = lines(command.BUILD / "tokens_of_texts", self.folder / kind / "model", "parse", texts=texts)
                self.assertEqual(frame["before"] + made[0]["ids"] + frame["after"], wanted["framed"])
                self.assertEqual(len(made), len(wanted["ids"]))
                for text, mine, ids in zip(texts, made, wanted["ids"]):
                    self.assertEqual(mine["ids"], ids, repr(text))


if __name__ == "__main__":
    unittest.main()
