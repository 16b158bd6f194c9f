# SPDX-License-Identifier: Apache-2.0
"""What the command tells llama.cpp: adapters, the cache's numbers, nodes a step. No GPU is at hand."""
import hashlib
import json
import os
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"
RELATIONS = "capital,continent"


class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.model, cls.adapter = cls.folder / "tiny.gguf", cls.folder / "adapter.gguf"
        subprocess.run([command.BUILD / "write_tiny_gguf", cls.model], check=True)
        subprocess.run([command.BUILD / "write_tiny_gguf", cls.adapter, "lora"], check=True)
        cls.probe("plain")
        cls.plain = cls.scores("plain")

    @classmethod
    def probe(cls, run, *words, model=None, code=0):
        return command.probe(cls.folder / run, "--relations", RELATIONS, "--limit", 3, *words, model=model or cls.model,
                             code=code)

    @classmethod
    def scores(cls, run):
        return [score for relation in RELATIONS.split(",")
                for row in command.rows(cls.folder / run / f"{relation}_results.jsonl") for score in row["pll_scores"]]

    def settings(self, run):
        return json.loads((self.folder / run / "run.json").read_text())["settings"]

    def apart(self, run):
        scores = self.scores(run)
        self.assertEqual(len(scores), len(self.plain))
        return max(abs(a - b) for a, b in zip(scores, self.plain))

    def refused(self, *words, model=None):
        return self.probe("refused", *words, model=model, code=2).stderr

    @unittest.skipIf(os.environ.get("PLUMB_LLAMA_BACKEND"), "skipped: llama.cpp is built for a GPU")
    def test_what_was_chosen_stands_in_the_record(self):
        chosen = {name: self.settings("plain")[name]
                  for name in ("device", "gpu_layers", "cache_type", "pack", "lora", "lora_sha256")}
        self.assertEqual(chosen, {"device": "CPU", "gpu_layers": None, "cache_type": "f32", "pack": 256, "lora": None,
                                  "lora_sha256": None})

    def test_packs_of_any_size_give_the_same_scores_and_belong_to_the_run(self):
        for pack in (32, 2048):
            self.probe(f"pack-{pack}", "--pack", pack)
            self.assertLess(self.apart(f"pack-{pack}"), 1e-4)
            self.assertEqual(self.settings(f"pack-{pack}")["pack"], pack)
        self.assertIn("pack: the run was begun with 32, not 256",
                      self.probe("pack-32", "--resume", code=2).stderr)
        for shard in (1, 2):
            self.probe(f"shard-{shard}", "--pack", 32, "--shard", f"{shard}/2")
        command.plumb("merge", self.folder / "shard-1", self.folder / "shard-2", "--out", self.folder / "merged")
        self.assertEqual(command.results(self.folder / "merged"), command.results(self.folder / "pack-32"))

    def test_an_adapter_changes_scores_and_is_told_from_others(self):
        self.probe("adapted", "--lora", self.adapter)
        self.assertGreater(self.apart("adapted"), 0.1)
        settings = self.settings("adapted")
        self.assertEqual((settings["model"], settings["lora"]), ("tiny.gguf+adapter.gguf", ["adapter.gguf"]))
        self.assertEqual(settings["lora_sha256"], [hashlib.sha256(self.adapter.read_bytes()).hexdigest()])
        self.probe("nothing", "--lora", f"{self.adapter}:0")
        self.assertLess(self.apart("nothing"), 1e-6)
        other = self.probe("adapted", "--resume", "--lora", f"{self.adapter}:2", code=2).stderr
        self.assertIn('the run was begun with "tiny.gguf+adapter.gguf", not "tiny.gguf+adapter.gguf:2"', other)
        self.assertIn("the run was begun with", self.probe("adapted", "--resume", code=2).stderr)
        self.assertIn("none.gguf: no such adapter file; give --lora", self.refused("--lora", self.folder / "none.gguf"))
        self.assertIn("tiny.gguf: cannot be loaded as a LoRA adapter", self.refused("--lora", self.model))

    def test_the_cache_has_the_numbers_that_were_said(self):
        self.probe("fast", "--precision", "fast")
        self.probe("f16", "--precision", "fast", "--cache-type", "f16")
        self.assertEqual([self.settings(run)["cache_type"] for run in ("fast", "f16")], ["f16", "f16"])
        self.assertEqual(self.scores("fast"), self.scores("f16"))
        self.assertIn("--cache-type: has no effect beside --precision exact", self.refused("--cache-type", "f16"))
        self.assertIn("--cache-type: has no effect beside --precision fast",
                      self.refused("--cache-type", "f32", "--precision", "fast"))
        self.assertIn("--cache-type: q8_0 is not for this model",
                      self.refused("--cache-type", "q8_0", "--precision", "fast"))

    @command.needs_model
    def test_eight_bits_of_the_cache_move_scores_a_little(self):
        of = {}
        for cache in ("f16", "q8_0"):
            run = self.folder / f"smollm2-{cache}"
            command.probe(run, "--relations", "continent", "--limit", 2, "--precision", "fast",
                          "--cache-type", cache)
            of[cache] = [score for row in command.rows(run / "continent_results.jsonl")
                         for score in row["pll_scores"]]
        worst = max(abs(a - b) for a, b in zip(of["f16"], of["q8_0"], strict=True))
        self.assertGreater(worst, 0)
        self.assertLess(worst, 0.5)

    @unittest.skipIf(os.environ.get("PLUMB_LLAMA_BACKEND"), "skipped: llama.cpp is built for a GPU")
    def test_a_choice_of_gpus_is_refused_where_there_is_none(self):
        for words in (("--gpu-layers", 3), ("--main-gpu", 0), ("--split-mode", "row"), ("--tensor-split", "1,1")):
            self.assertIn(f"{words[0]}: this llama.cpp has no GPU", self.refused(*words))
        self.probe("on-cpu", "--gpu-layers", 0)
        self.assertEqual(self.scores("on-cpu"), self.plain)

    def test_a_hugging_face_folder_has_no_such_choices(self):
        folder = self.folder / "bert"
        folder.mkdir()
        (folder / "config.json").write_text("{}")
        for words in (("--gpu-layers", 0), ("--lora", self.adapter), ("--cache-type", "f32"), ("--pack", 64)):
            self.assertIn(f"{words[0]}: is for .gguf files", self.refused(*words, model=folder))


if __name__ == "__main__":
    unittest.main()
