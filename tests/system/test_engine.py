# SPDX-License-Identifier: Apache-2.0
"""The engine that computes a .gguf model, and the settings that the command passes to llama.cpp: adapters, the cache's types,
nodes per step. Runs without a GPU."""
import hashlib
import json
import os
import pathlib
import subprocess
import time
import unittest
import unittest.mock

import command

PROGRAMS = "plumb_command write_tiny_gguf"
RELATIONS = "capital,continent"


class Llama(unittest.TestCase):
    ENGINE = "llama"

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
        return command.probe(cls.folder / run, "--relations", RELATIONS, "--limit", 3, "--engine", cls.ENGINE, *words,
                             model=model or cls.model, code=code)

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
        self.assertIn("pack: the run was started with 32, not 256",
                      self.probe("pack-32", "--resume", code=2).stderr)
        for shard in (1, 2):
            self.probe(f"shard-{shard}", "--pack", 32, "--shard", f"{shard}/2")
        command.plumb("merge", self.folder / "shard-1", self.folder / "shard-2", "--out", self.folder / "merged")
        self.assertEqual(command.results(self.folder / "merged"), command.results(self.folder / "pack-32"))

    def test_adapter_changes_scores_and_is_recorded(self):
        self.probe("adapted", "--lora", self.adapter)
        self.assertGreater(self.apart("adapted"), 0.1)
        settings = self.settings("adapted")
        self.assertEqual((settings["model"], settings["lora"]), ("tiny.gguf+adapter.gguf", ["adapter.gguf"]))
        self.assertEqual(settings["lora_sha256"], [hashlib.sha256(self.adapter.read_bytes()).hexdigest()])
        self.probe("nothing", "--lora", f"{self.adapter}:0")
        self.assertLess(self.apart("nothing"), 1e-6)
        other = self.probe("adapted", "--resume", "--lora", f"{self.adapter}:2", code=2).stderr
        self.assertIn('the run was started with "tiny.gguf+adapter.gguf", not "tiny.gguf+adapter.gguf:2"', other)
        self.assertIn("the run was started with", self.probe("adapted", "--resume", code=2).stderr)
        self.assertIn("none.gguf: no such adapter file; set --lora", self.refused("--lora", self.folder / "none.gguf"))
        self.assertIn("tiny.gguf: cannot be loaded as a LoRA adapter", self.refused("--lora", self.model))

    def test_cache_uses_the_specified_number_type(self):
        self.probe("fast", "--precision", "fast")
        self.probe("f16", "--precision", "fast", "--cache-type", "f16")
        self.assertEqual([self.settings(run)["cache_type"] for run in ("fast", "f16")], ["f16", "f16"])
        self.assertEqual(self.scores("fast"), self.scores("f16"))
        self.assertIn("--cache-type: has no effect with --precision exact", self.refused("--cache-type", "f16"))
        self.assertIn("--cache-type: has no effect with --precision fast",
                      self.refused("--cache-type", "f32", "--precision", "fast"))
        self.assertIn("--cache-type: q8_0 does not work with this model",
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
            self.assertIn(f"{words[0]}: this llama.cpp cannot use a GPU", self.refused(*words))
        self.probe("on-cpu", "--gpu-layers", 0)
        self.assertEqual(self.scores("on-cpu"), self.plain)

    def write(self, name, *kind):
        subprocess.run([command.BUILD / "write_tiny_gguf", self.folder / name, *map(str, kind)], check=True)
        return self.folder / name

    def test_a_model_that_is_not_causal_is_refused(self):
        self.assertIn("two-way.gguf: is not a causal language model: its llama.attention.causal is false; choose a "
                      "decoder-only model", self.refused(model=self.write("two-way.gguf", "two-way")))

    def test_exact_scores_of_bf16_weights_are_those_of_the_same_weights_in_f32(self):
        half = self.write("half.gguf", "bf16")
        cache = self.folder / "cache"
        with unittest.mock.patch.dict(os.environ, {"PLUMB_CACHE": str(cache)}):
            self.probe("dry", "--dry-run", model=half)
            self.assertFalse(cache.exists())
            self.probe("cut", model=self.write("cut.gguf", "cut"))
            self.assertFalse(cache.exists())
            digest = hashlib.sha256(half.read_bytes()).hexdigest()
            made = cache / "f32" / digest / "weights.F32.gguf"
            first = self.probe("half", model=half).stderr
            self.assertIn(f"plumb: {half} has BF16 weights. For exact scores, they are widened to F32 once, which takes "
                          f"1 MB of disk space: {made}\n", first)
            self.assertEqual(self.scores("half"), self.scores("cut"))
            settings = self.settings("half")
            self.assertEqual((settings["model"], settings["model_sha256"], settings["weights"], settings["quantized"]),
                             ("half.gguf", digest, "BF16, widened to F32", False))
            self.assertNotIn("warnings", settings)
            self.assertNotIn("widened", self.probe("again", model=half).stderr)
            fast = self.probe("fast-half", "--precision", "fast", model=half).stdout
        warning = "Warning: weights in BF16 are used without widening, so activations are rounded to 16 bits"
        self.assertIn(warning, " ".join(fast.split()))
        self.assertTrue(self.settings("fast-half")["warnings"][0].startswith(warning))
        self.assertIn(warning, (self.folder / "fast-half" / "report.html").read_text())
        self.assertNotEqual(self.scores("fast-half"), self.scores("cut"))

    def test_exact_scores_of_bf16_weights_are_refused_where_they_cannot_be_widened(self):
        half = self.write("stuck.gguf", "bf16")
        with unittest.mock.patch.dict(os.environ, {"PLUMB_CACHE": str(self.model)}):  # a file, not a folder
            self.assertIn(f"run `requantize {half} {self.folder / 'stuck.F32.gguf'} F32` and use that file, or set "
                          "--precision to fast", self.refused(model=half))

    def test_a_model_in_parts_is_all_of_them(self):
        name = "m-0000{}-of-00003.gguf"
        models = []
        for seed in (1, 2):
            (self.folder / f"parts-{seed}").mkdir()
            self.write(f"parts-{seed}/m", "parts", seed)
            models.append(self.folder / f"parts-{seed}")
        one, two = (folder / name.format(1) for folder in models)
        self.assertEqual(one.read_bytes(), two.read_bytes())
        self.probe("one", model=one)
        self.assertEqual(self.scores("one"), self.plain)
        digests = "".join(hashlib.sha256((models[0] / name.format(part)).read_bytes()).hexdigest() for part in (1, 2, 3))
        self.assertEqual(self.settings("one")["model_sha256"], hashlib.sha256(digests.encode()).hexdigest())
        self.probe("two", model=two)
        self.assertNotEqual(self.settings("one")["model_sha256"], self.settings("two")["model_sha256"])
        self.assertIn("model_sha256: the run was started with", self.probe("one", "--resume", model=two, code=2).stderr)
        # A part changes during a run.
        last = models[0] / name.format(3)
        kept = last.read_bytes()
        last.write_bytes((models[1] / name.format(3)).read_bytes())
        config = ("probe", "--config", self.folder / "one" / "run.json", "--out", self.folder / "another")
        self.assertIn("has changed since the run of", command.plumb(*config, code=2).stderr)
        last.unlink()
        self.assertIn(f"{last}: is missing: part 3 of 3 of the model", self.refused(model=one))
        last.write_bytes(kept)
        self.assertIn(f"is part 2 of 3 of a model; use the first part, {one}",
                      self.refused(model=models[0] / name.format(2)))

    def test_it_has_its_own_name_while_it_runs(self):
        free = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
        words = [command.PLUMB, "probe", "--data", command.FACTS, "--model", self.model, "--out", self.folder / "named",
                 "--limit", 40]
        with subprocess.Popen(list(map(str, words)), env=free, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as running:
            proc, seen, waits = pathlib.Path(f"/proc/{running.pid}"), set(), b""
            while running.poll() is None:
                if (self.folder / "named" / "run.json").exists():
                    try:
                        seen.add((proc / "comm").read_text().strip())
                        waits = (proc / "environ").read_bytes() or waits
                    except (FileNotFoundError, ProcessLookupError):
                        break
                time.sleep(0.005)
        self.assertEqual(running.returncode, 0)
        self.assertEqual(seen, {"plumb"})
        self.assertIn(b"GOMP_SPINCOUNT=1000", waits)  # it has restarted itself

    def test_a_hugging_face_folder_has_no_such_choices(self):
        folder = self.folder / "bert"
        folder.mkdir()
        (folder / "config.json").write_text("{}")
        for words in (("--engine", "native"), ("--gpu-layers", 0), ("--lora", self.adapter), ("--cache-type", "f32"),
                      ("--pack", 64)):
            done = command.probe(self.folder / "refused", *words, model=folder, code=2)
            self.assertIn(f"{words[0]}: is for .gguf files", done.stderr)


class Native(unittest.TestCase):
    """plumb's own network over .gguf files."""

    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.model = cls.write("tiny.gguf")

    @classmethod
    def write(cls, name, *kind):
        subprocess.run([command.BUILD / "write_tiny_gguf", cls.folder / name, *map(str, kind)], check=True)
        return cls.folder / name

    def probe(self, run, *words, model=None, code=0):
        return command.probe(self.folder / run, "--relations", RELATIONS, "--limit", 3, *words, model=model or self.model,
                             code=code)

    def scores(self, run):
        return [score for relation in RELATIONS.split(",")
                for row in command.rows(self.folder / run / f"{relation}_results.jsonl") for score in row["pll_scores"]]

    def settings(self, run):
        return json.loads((self.folder / run / "run.json").read_text())["settings"]

    def apart(self, one, other):
        return max(abs(a - b) for a, b in zip(self.scores(one), self.scores(other), strict=True))

    @unittest.skipIf(os.environ.get("PLUMB_LLAMA_BACKEND"), "skipped: llama.cpp is built for a GPU")
    def test_native_engine_is_default_where_exact_and_is_recorded(self):
        self.probe("default")
        self.probe("native", "--engine", "native")
        self.probe("llama", "--engine", "llama")
        settings = self.settings("default")
        self.assertTrue(settings["backend"].startswith("native, tokens by llama.cpp "))
        self.assertEqual((settings["weights"], settings["device"], settings["cache_type"], settings["pack"]),
                         ("F32", "CPU", "f32", None))
        self.assertEqual(self.scores("default"), self.scores("native"))
        self.assertTrue(self.settings("llama")["backend"].startswith("llama.cpp "))
        self.assertLess(self.apart("native", "llama"), 1e-4)
        self.assertGreater(self.apart("native", "llama"), 0)
        for run, words in (("fast", ("--precision", "fast")), ("pack", ("--pack", 64))):
            self.probe(run, *words)
            self.assertTrue(self.settings(run)["backend"].startswith("llama.cpp "), run)

    def test_what_it_does_not_know_is_llama_cpps(self):
        for kind in ("sliding", "recurrent", "hybrid"):
            model = self.write(f"{kind}.gguf", kind)
            self.probe(kind, model=model)
            self.assertTrue(self.settings(kind)["backend"].startswith("llama.cpp "))
            refused = self.probe("refused", "--engine", "native", model=model, code=2).stderr
            self.assertIn("is not supported by plumb's own network, which supports gemma, ", refused)
            self.assertIn("; set --engine to llama, or drop --engine", refused)
        half = self.write("two-way.gguf", "two-way")
        self.assertIn("is not a causal language model", self.probe("refused", "--engine", "native", model=half, code=2).stderr)

    def test_llama_cpp_options_are_refused_with_the_native_engine(self):
        for words in (("--pack", 64), ("--cache-type", "f32"), ("--lora", "a.gguf"), ("--gpu-layers", 3)):
            self.assertIn(f"{words[0]}: has no effect with --engine native",
                          self.probe("refused", "--engine", "native", *words, code=2).stderr)
        self.assertIn("--precision: fast has no effect with --engine native",
                      self.probe("refused", "--engine", "native", "--precision", "fast", code=2).stderr)
        self.assertIn("--engine: 'mine' is not a valid choice", self.probe("refused", "--engine", "mine", code=2).stderr)

    def test_weights_of_16_bits_are_exact_as_they_are(self):
        cache = self.folder / "cache"
        with unittest.mock.patch.dict(os.environ, {"PLUMB_CACHE": str(cache)}):
            self.probe("half", "--engine", "native", model=self.write("half.gguf", "bf16"))
            self.probe("cut", "--engine", "native", model=self.write("cut.gguf", "cut"))
            self.assertFalse(cache.exists())
        self.assertEqual(self.settings("half")["weights"], "BF16")
        self.assertFalse(self.settings("half")["quantized"])
        self.assertEqual(self.scores("half"), self.scores("cut"))

    def test_no_byte_depends_on_threads_or_shards(self):
        self.probe("whole", "--engine", "native", "--threads", 1)
        self.probe("three", "--engine", "native", "--threads", 3)
        self.assertEqual(command.results(self.folder / "whole"), command.results(self.folder / "three"))
        for shard in (1, 2):
            self.probe(f"shard-{shard}", "--engine", "native", "--shard", f"{shard}/2")
        command.plumb("merge", self.folder / "shard-1", self.folder / "shard-2", "--out", self.folder / "merged")
        self.assertEqual(command.results(self.folder / "merged"), command.results(self.folder / "whole"))

    def test_a_run_is_resumed_and_merged_by_its_own_engine(self):
        for engine in ("llama", "native"):
            self.probe(engine + "-run", "--engine", engine)
            self.probe(engine + "-run", "--resume")  # without an engine option
            for shard in (1, 2):
                self.probe(f"{engine}-{shard}", "--engine", engine, "--shard", f"{shard}/2")
            merged = f"{engine}-merged"
            command.plumb("merge", self.folder / f"{engine}-1", self.folder / f"{engine}-2", "--out", self.folder / merged)
            self.assertEqual(self.settings(merged)["backend"], self.settings(engine + "-run")["backend"])
        self.assertIn("backend: the run was started with",
                      self.probe("llama-run", "--resume", "--engine", "native", code=2).stderr)

    def test_every_job_runs_on_it_and_its_vectors_and_answers_are_those_of_llama_cpp(self):
        graph = self.folder / "graph"
        graph.mkdir()
        (graph / "entity2text.txt").write_text("a\tthe\nb\tis\nc\tt\n")  # a token each
        (graph / "relation2text.txt").write_text("r\tis next to\n")
        for part, rows in (("train", "a\tr\tb\nb\tr\tc\n"), ("dev", "b\tr\ta\n"), ("test", "a\tr\tc\nc\tr\ta\n")):
            (graph / f"{part}.tsv").write_text(rows)
        facts = ("--data", command.FACTS, "--relations", RELATIONS, "--limit", 2)
        jobs = {"deer": ("rank", "--data", graph, "--method", "deer", "--shots", 1),
                "lm-head": ("rank", "--data", graph, "--method", "lm-head", "--shots", 1),
                "many-shot": ("many-shot", *facts, "--shots", 2, "--train", 2, "--seeds", 1, "--generate", 3),
                "calibrate": ("calibrate", *facts), "generate": ("generate", *facts, "--wordnet", "none")}
        for job, words in jobs.items():
            said = {}
            for engine in ("native", "llama"):
                out = self.folder / f"{job}-{engine}"
                command.plumb(*words, "--model", self.model, "--engine", engine, "--out", out)
                probed = out / "probe" if job == "calibrate" else out  # a calibration stores the probe that it ran
                self.assertTrue(json.loads((probed / "run.json").read_text())["settings"]["backend"].startswith(engine), job)
                said[engine] = self.numbers(json.loads((out / "metrics.json").read_text()))
            self.assertEqual(len(said["native"]), len(said["llama"]), job)
            self.assertGreater(len(said["native"]), 0)
            for mine, theirs in zip(said["native"], said["llama"]):
                self.assertAlmostEqual(mine, theirs, places=3, msg=job)

    def numbers(self, value):
        if isinstance(value, dict):
            return [n for name in sorted(value) for n in self.numbers(value[name])]
        if isinstance(value, list):
            return [n for item in value for n in self.numbers(item)]
        return [value] if isinstance(value, float) else []


if __name__ == "__main__":
    unittest.main()
