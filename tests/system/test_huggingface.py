# SPDX-License-Identifier: Apache-2.0
"""Models in Hugging Face folders, from folder to page: the same numbers as lm-pub-quiz on the same weights."""
import csv
import json
import math
import pathlib
import shutil
import statistics
import unittest

import command

PROGRAMS = "plumb_command"

FOLDERS = command.SHARED / "golden" / "hugging-face"
DECODERS = command.SHARED / "golden" / "decoders"
BEAR = command.SHARED / "data" / "bear"
# By folder: a tensor that shares its numbers with the token embeddings, and the embeddings.
TIED = {"tiny-bert-cased": ("cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"),
        "tiny-roberta": ("lm_head.decoder.weight", "roberta.embeddings.word_embeddings.weight"),
        "tiny-xlm-roberta": ("lm_head.decoder.weight", "roberta.embeddings.word_embeddings.weight"),
        "tiny-albert": ("predictions.decoder.weight", "albert.embeddings.word_embeddings.weight"),
        "tiny-opt": ("lm_head.weight", "model.decoder.embed_tokens.weight")}
RULES = {"original": "pll_original", "within-word": "pll_within_word_l2r"}


def masked_folders():
    """Every folder of the reference data that contains a masked model and its scores, by name."""
    found = [folder for folder in sorted(FOLDERS.iterdir()) if (folder / "pll_original").is_dir()]
    return found + [command.SHARED / "golden" / "tiny-bert"]


def renamed(source, target, names):
    """A copy of a model with different names for its tensors: only the header is rewritten."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("pll_*", "scores"))
    for path in (target, *target.iterdir()):
        path.chmod(path.stat().st_mode | 0o200)
    file = target / "model.safetensors"
    data = file.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = {names.get(name, name): value for name, value in json.loads(data[8:8 + size]).items()}
    written = json.dumps(header).encode()
    file.write_bytes(len(written).to_bytes(8, "little") + written + data[8 + size:])


def recomputed(run):
    """Accuracy and Brier scores of a run of several templates, computed only from its rows."""
    prompts = {}  # by fact: (options' probabilities, index of the answer) of each template
    for file in run.glob("*_results.jsonl"):
        for row in command.rows(file):
            highest = max(row["pll_scores"])
            powers = [math.exp(score - highest) for score in row["pll_scores"]]
            prompts.setdefault((file.name, row["instance_index"]), []).append(
                ([power / sum(powers) for power in powers], row["answer_idx"]))
    right, margin, lowest = [], [], []
    for asked in prompts.values():
        answers = [max(range(len(shares)), key=shares.__getitem__) for shares, _ in asked]
        truth = asked[0][1]
        right.append(statistics.mean(answer == truth for answer in answers))
        first, second = sorted(asked[0][0], reverse=True)[:2]
        margin.append((first - second - (answers[0] == truth)) ** 2)
        unsure = answers[min(range(len(asked)), key=lambda t: max(asked[t][0]))]
        confidence = sum(max(shares) for (shares, _), answer in zip(asked, answers) if answer == unsure) / len(asked)
        lowest.append((confidence - (unsure == truth)) ** 2)
    return {"accuracy": statistics.mean(right), "brier margin": statistics.mean(margin),
            "brier average_min": statistics.mean(lowest)}


@command.needs_shared
class AgainstLmPubQuiz(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)

    def test_listed_tokens_begin_with_the_bos_but_not_with_a_masked_models_frame(self):
        # Their first special tokens have the ids 0 and 2.
        for name, begins in (("tiny-roberta", False), ("tiny-bert-cased", False), ("tiny-opt", True)):
            run = self.folder / f"listed-{name}"
            command.plumb("probe", "--data", BEAR, "--relations", "P30", "--limit", 1, "--model",
                          FOLDERS / name, "--out", run)
            row = json.loads(command.plumb("data", "prompts", run, "--ids").stdout.splitlines()[0])
            self.assertEqual(row["ids"][0] in (0, 2), begins, name)

    def compare_rows(self, model, golden, relations, facts, *options):
        """Probes this many facts of these relations, and compares all scores; returns the run's folder."""
        out = self.folder / f"{model.name}-{golden.name}"
        command.plumb("probe", "--data", BEAR, "--relations", ",".join(relations), "--limit", facts, "--model", model,
                      "--out", out, *options)
        largest = 0
        for relation in relations:
            theirs = command.rows(golden / f"{relation}_results.jsonl")
            ours = command.rows(out / f"{relation}_results.jsonl")
            self.assertEqual(len(theirs), len(ours))
            for a, b in zip(theirs, ours):
                self.assertEqual((a["sub_id"], a["instance_index"]), (b["sub_id"], b["instance_index"]))
                self.assertEqual(a.get("answer_idx", b["answer_idx"]), b["answer_idx"])
                self.assertEqual(len(a["pll_scores"]), len(b["pll_scores"]))
                largest = max([largest] + [abs(x - y) for x, y in zip(a["pll_scores"], b["pll_scores"])])
        self.assertLess(largest, 1e-3, f"{model.name}, {golden.name}")
        return out

    def compare(self, model, golden, *options):
        """Probes with the settings of the golden scores, and compares them all; returns run.json."""
        metadata = json.loads((golden / "metadata_results.json").read_text())
        facts = max(entry["num_original_instances"] for entry in metadata.values())
        out = self.compare_rows(model, golden, list(metadata), facts, *options)
        written = json.loads((out / "metadata_results.json").read_text())
        for relation, entry in metadata.items():
            if "pll_metric" in entry:
                self.assertEqual(written[relation]["pll_metric"], entry["pll_metric"])
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

    def test_all_available_decoders_match_transformers(self):
        # Llama 2 and 3, SmolLM, Mistral in shards, Mixtral, Qwen 2 and 3 (BF16), Gemma 1 to 3, Pythia, GPT-J, Bloom,
        # Falcon old and new, MPT, Phi, StableLM.
        models = sorted(folder for folder in DECODERS.iterdir() if (folder / "scores").is_dir())
        self.assertGreaterEqual(len(models), 18)
        for model in models:
            with self.subTest(model=model.name):
                if "qwen" in model.name:  # no BOS: transformers' scores from the second token on
                    self.compare_rows(model, model / "scores", ["P30", "P36"], 3, "--bos", "no")
                    continue
                run = self.compare(model, model / "scores")
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
        hollow = self.folder / "hollow"  # no weights: loading it would fail with a different error
        hollow.mkdir()
        shutil.copy(self.bert / "config.json", hollow)
        for job in ("many-shot", "rank"):
            done = command.plumb(job, "--data", command.FACTS, "--model", hollow, "--out", self.folder / "none", code=2)
            self.assertIn("is a masked model", done.stderr)
        for options, words in ((("--bos", "yes"), "--bos: has no effect on a masked model"),
                               (("--span", "continuation"), "reads the text on both sides")):
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

    def test_tied_weights_under_the_name_of_their_head(self):
        for name, (head, embeddings) in TIED.items():
            with self.subTest(model=name):
                tensors = (FOLDERS / name / "model.safetensors").read_bytes()
                self.assertNotEqual(f'"{head}"'.encode() in tensors, f'"{embeddings}"'.encode() in tensors)
                model = self.folder / f"renamed-{name}"
                renamed(FOLDERS / name, model, {head: embeddings, embeddings: head})
                self.probe(FOLDERS / name, f"as-it-was-{name}")
                self.probe(model, f"by-head-{name}")
                ours = {file: data for file, data in command.results(self.folder / f"by-head-{name}").items() if file.endswith(".jsonl")}
                self.assertTrue(ours)
                for file, data in ours.items():
                    self.assertEqual(data, (self.folder / f"as-it-was-{name}" / file).read_bytes(), file)

    def test_a_token_without_an_embedding_is_refused_by_name_in_a_text_that_holds_it(self):
        model = command.SHARED / "cases" / "pad-token-without-row" / "model"
        pad = [token["content"] for token in json.loads((model / "tokenizer.json").read_text())["added_tokens"]][-1]
        data = self.folder / "rows.json"
        data.write_text(json.dumps({"capital": ["The capital of [X] is [Y]."]}))
        facts = self.folder / "rows.tsv"
        facts.write_text("France\tcapital\tParis\nItaly\tcapital\tRome\n")
        command.plumb("probe", "--data", facts, "--model", model, "--out", self.folder / "rows")
        facts.write_text(f"France\tcapital\tParis\nItaly\tcapital\tRome{pad}\n")
        done = command.plumb("probe", "--data", facts, "--model", model, "--out", self.folder / "no-row", "--special-tokens", "parse",
                             code=2)
        self.assertIn(f'the token "{pad}" has the id', done.stderr)

    def test_odd_characters_that_begin_a_name_are_scored(self):
        (self.folder / "odd.json").write_text(json.dumps({"capital": ["[X] likes [Y]."]}))
        odd = ["\x01", "\x7f", "\u200b", "\ufeff", "\u00ad", "\u0301", "\ue000", "\u0378", "\U000e0041", "\U0001d538", "\x01\x02\u200e"]
        facts = self.folder / "odd.tsv"
        facts.write_text("".join(f"{character}Berlin{number}\tcapital\tParis{number}\n" for number, character in enumerate(odd)),
                         encoding="utf-8")
        for model in (*TIED, "tiny-opt-350m-shape"):
            with self.subTest(model=model):
                done = command.plumb("probe", "--data", facts, "--model", FOLDERS / model, "--out", self.folder / f"odd-{model}")
                self.assertNotIn("spells_text", done.stderr)
                rows = command.rows(next((self.folder / f"odd-{model}").glob("*_results.jsonl")))
                self.assertTrue(all(math.isfinite(score) for row in rows for score in row["pll_scores"]))

    def test_a_causal_and_a_masked_model_are_compared_as_a_pair(self):
        for name, model in (("masked", self.bert), ("causal", self.opt)):
            self.probe(model, name, "--templates", "all")
        out = self.folder / "both"
        done = command.plumb("calibrate", f"m-model={self.folder / 'masked'}", f"c-model={self.folder / 'causal'}",
                             "--out", out, "--bins", 4)
        metrics = json.loads((out / "metrics.json").read_text())
        self.assertEqual({name: model["masked"] for name, model in metrics["models"].items()},
                         {"m-model": True, "c-model": False})
        self.assertEqual([(pair["causal"], pair["masked"]) for pair in metrics["pairs"]], [("c-model", "m-model")])
        shown = {line.split()[0]: line.split() for line in done.stdout.splitlines() if " causal " in line or " masked " in line}
        with (out / "pairs.csv").open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["facts_of"] == "all"]
        page = (out / "report.html").read_text()
        self.assertIn("<h3><bdi>c-model</bdi> (causal) and <bdi>m-model</bdi> (masked)</h3>", page)
        for name, run, kind in (("c-model", "causal", "causal"), ("m-model", "masked", "masked")):
            expected = recomputed(self.folder / run)
            found = {row["metric"]: float(row["value"]) for row in rows if row["model"] == name and row["kind"] == kind}
            self.assertEqual(found.keys(), expected.keys())
            for metric, value in expected.items():
                self.assertAlmostEqual(found[metric], value, places=5, msg=f"{name}, {metric}")
                self.assertIn(f'<td data-v="{value:.6f}"', page.replace("-0.000000", "0.000000"))
            self.assertEqual(shown[name][1:5], [kind, *(f"{expected[key]:.3f}" for key in
                                                        ("accuracy", "brier margin", "brier average_min"))])

    def test_a_masked_model_is_probed_and_calibrated_at_once(self):
        command.plumb("calibrate", "--data", command.FACTS, "--relations", "continent", "--limit", 4, "--model",
                      self.bert, "--out", self.folder / "at once")
        self.assertTrue((self.folder / "at once" / "report.html").exists())

    def test_no_byte_depends_on_the_number_of_threads(self):
        for name, model in (("masked", self.bert), ("causal", self.opt)):
            for threads in (1, 2, 3):
                self.probe(model, f"{name}-{threads}", "--threads", threads)
            alone = command.results(self.folder / f"{name}-1")
            self.assertTrue(any(file.endswith("_results.jsonl") for file in alone))
            for threads in (2, 3):
                self.assertEqual(command.results(self.folder / f"{name}-{threads}"), alone)

    def test_masked_inputs_are_counted(self):
        data = self.folder / "words"
        data.mkdir()
        (data / "facts.tsv").write_text("a\tr\tb\nd\tr\te\n")
        (data / "facts.json").write_text(json.dumps({"r": ["[X] : [Y]"]}))
        out = self.folder / "counted"
        command.plumb("probe", "--data", data, "--model", self.bert, "--out", out)
        run = json.loads((out / "run.json").read_text())
        # Subjects a and d, options b and e: 4 statements, 12 tokens. Statements of one subject are equal with the option
        # masked, those of one option with the subject masked: 2 + 2 inputs, and 4 with ":" masked.
        self.assertEqual((run["statements"], run["masked_inputs"], run["masked_inputs_computed"]), (4, 12, 8))

    def test_special_token_text_is_refused_or_read_as_configured(self):
        data = self.folder / "special"
        data.mkdir()
        (data / "facts.tsv").write_text("a\tr\tb\nc\tr\td\n")
        (data / "facts.json").write_text(json.dumps({"r": ["[X] [SEP] [Y]"]}))
        words = ("probe", "--data", data, "--model", self.bert, "--out")
        self.assertIn("[SEP]", command.plumb(*words, self.folder / "none", code=2).stderr)
        tokens = {}
        for choice in ("text", "parse"):
            out = self.folder / f"special-{choice}"
            command.plumb(*words, out, "--special-tokens", choice)
            tokens[choice] = json.loads((out / "run.json").read_text())["masked_inputs"] / 4
            self.assertEqual(json.loads((out / "run.json").read_text())["settings"]["special_tokens"], choice)
        self.assertEqual(tokens["parse"], 3)  # the token itself is one token
        self.assertGreater(tokens["text"], 3)  # "[", its letters, "]"

    def test_products_in_bf16_are_marked_everywhere_or_refused(self):
        out = self.folder / "bf16"
        processor = pathlib.Path("/proc/cpuinfo")
        has_products = processor.exists() and "avx512_bf16" in processor.read_text(encoding="utf-8")
        done = self.probe(self.opt, "bf16", "--precision", "bf16", code=0 if has_products else 2)
        if not has_products:
            self.assertIn("--precision: bf16 needs AVX512-BF16", done.stderr)
            self.assertFalse(out.exists())
            return
        words = "Products are computed in BF16"
        self.assertIn(words, done.stdout + done.stderr)
        settings = json.loads((out / "run.json").read_text())["settings"]
        self.assertEqual(settings["precision"], "bf16")
        self.assertTrue(any(words in warning for warning in settings["warnings"]))
        self.assertIn(words, (out / "report.html").read_text())
        done = self.probe(self.opt, "bf16", "--precision", "exact", "--resume", code=2)
        self.assertIn("the run was started with", done.stderr)

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
