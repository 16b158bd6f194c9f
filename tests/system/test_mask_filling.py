# SPDX-License-Identifier: Apache-2.0
"""BELIEF for a masked model in a Hugging Face folder, from one command to one page, with its numbers computed again: answers
from the weights by hand; accuracy, consistency and confidence from the rows."""
import array
import collections
import itertools
import json
import math
import unittest

import command

PROGRAMS = "plumb_command"

BERT = command.SHARED / "golden" / "tiny-bert"
FOLDERS = command.SHARED / "golden" / "hugging-face"
WORDS = ("--relations", "capital,nationality", "--limit", "6", "--samplings", "2000")


class Weights:
    """A small BERT from its safetensors, as lists of numbers: enough for a few sentences."""

    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())
        raw = (folder / "model.safetensors").read_bytes()
        size = int.from_bytes(raw[:8], "little")
        self.tensors = {}
        for name, one in json.loads(raw[8:8 + size]).items():
            if name == "__metadata__":
                continue
            assert one["dtype"] == "F32", name
            begin, end = one["data_offsets"]
            self.tensors[name] = (one["shape"], array.array("f", raw[8 + size + begin:8 + size + end]))

    def row(self, name, at):
        shape, numbers = self.tensors[name]
        return numbers[at * shape[1]:(at + 1) * shape[1]]

    def linear(self, name, x):
        shape, numbers = self.tensors[name + ".weight"]
        bias = self.tensors[name + ".bias"][1]
        return [sum(map(float.__mul__, x, map(float, numbers[o * shape[1]:(o + 1) * shape[1]]))) + bias[o]
                for o in range(shape[0])]

    def norm(self, name, x):
        mean = sum(x) / len(x)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in x) / len(x) + self.config["layer_norm_eps"])
        weight, bias = self.tensors[name + ".weight"][1], self.tensors[name + ".bias"][1]
        return [(v - mean) / deviation * w + b for v, w, b in zip(x, weight, bias)]

    @staticmethod
    def gelu(x):
        return [v / 2 * (1 + math.erf(v / math.sqrt(2))) for v in x]

    def log_probabilities(self, ids, place):
        """The log-probabilities of every token at a position of a sequence."""
        embeddings = "bert.embeddings."
        hidden = [self.norm(embeddings + "LayerNorm",
                            [a + b + c for a, b, c in zip(self.row(embeddings + "word_embeddings.weight", token),
                                                          self.row(embeddings + "position_embeddings.weight", i),
                                                          self.row(embeddings + "token_type_embeddings.weight", 0))])
                  for i, token in enumerate(ids)]
        heads = self.config["num_attention_heads"]
        width = self.config["hidden_size"] // heads
        for layer in range(self.config["num_hidden_layers"]):
            at = f"bert.encoder.layer.{layer}."
            query, key, value = ([self.linear(at + "attention.self." + name, x) for x in hidden]
                                 for name in ("query", "key", "value"))
            rows = []
            for i, x in enumerate(hidden):
                seen = []
                for first in range(0, heads * width, width):
                    part = slice(first, first + width)
                    scores = [sum(a * b for a, b in zip(query[i][part], k[part])) / math.sqrt(width) for k in key]
                    weights = [math.exp(score - max(scores)) for score in scores]
                    seen += [sum(w * v[c] for w, v in zip(weights, value)) / sum(weights)
                             for c in range(first, first + width)]
                made = self.linear(at + "attention.output.dense", seen)
                x = self.norm(at + "attention.output.LayerNorm", [a + b for a, b in zip(made, x)])
                made = self.linear(at + "output.dense", self.gelu(self.linear(at + "intermediate.dense", x)))
                rows.append(self.norm(at + "output.LayerNorm", [a + b for a, b in zip(made, x)]))
            hidden = rows
        head = "cls.predictions.transform."
        x = self.norm(head + "LayerNorm", self.gelu(self.linear(head + "dense", hidden[place])))
        bias = self.tensors["cls.predictions.bias"][1]
        logits = [sum(a * b for a, b in zip(x, self.row("bert.embeddings.word_embeddings.weight", token))) + bias[token]
                  for token in range(len(bias))]
        highest = max(logits)
        normalizer = highest + math.log(sum(math.exp(v - highest) for v in logits))
        return [v - normalizer for v in logits]


@command.needs_shared
class MaskFilling(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        first = cls.folder / "first"
        command.plumb("generate", "--data", command.FACTS, "--model", BERT, "--out", first, *WORDS)
        # The model is random. For one prompt in three, its answer becomes an object of the fact, so that some answers
        # are right.
        facts = command.rows(first / "asked" / "facts.jsonl")
        place = collections.defaultdict(list)
        for fact in facts:
            place[fact["relation"]].append(fact)
        for number, row in enumerate(command.rows(first / "masked_answers.jsonl")):
            objects = place[row["relation"]][row["fact"]]["objects"]
            labels = [name for one in objects for name in [one["obj_label"], *one.get("obj_aliases", [])]]
            if number % 3 == 0 and row["answer"].isalpha() and row["answer"] not in labels:
                objects.append({"obj_label": row["answer"], "obj_id": f"new {number}"})
        cls.data = cls.folder / "data"
        cls.data.mkdir()
        (cls.data / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
        (cls.data / "templates.jsonl").write_bytes((first / "asked" / "templates.jsonl").read_bytes())
        cls.whole = cls.folder / "whole"
        cls.shown = command.plumb("generate", "--data", cls.data, "--model", BERT, "--out", cls.whole, "--samplings",
                                  "2000").stdout
        cls.rows = command.rows(cls.whole / "masked_answers.jsonl")
        cls.metrics = json.loads((cls.whole / "metrics.json").read_text())["settings"]["masked"]
        cls.facts = collections.defaultdict(list)
        for fact in command.rows(cls.whole / "asked" / "facts.jsonl"):
            cls.facts[fact["relation"]].append(fact)
        cls.templates = collections.defaultdict(list)
        for row in command.rows(cls.whole / "asked" / "templates.jsonl"):
            cls.templates[row["relation"]].append(row["template"])

    def by_fact(self):
        table = collections.defaultdict(list)
        for row in self.rows:
            table[row["relation"], row["fact"]].append(row)
        return table

    def test_the_answer_is_the_likeliest_token_of_the_whole_vocabulary(self):
        weights = Weights(BERT)
        listed = [json.loads(line) for line in
                  command.plumb("data", "prompts", self.whole, "--ids").stdout.splitlines()]
        listed = [row for row in listed if row["part"] == "masked answers"]
        self.assertEqual(len(listed), len(self.rows))
        mask = json.loads((BERT / "tokenizer.json").read_text())["model"]["vocab"]["[MASK]"]
        for row, prompt in list(zip(self.rows, listed))[::max(1, len(self.rows) // 12)]:
            template = self.templates[row["relation"]][row["template"]]
            self.assertEqual(prompt["prompt"], template.replace("[X]", row["subject"]).replace("[Y]", "[MASK]"))
            self.assertEqual(prompt["ids"].count(mask), 1)
            found = weights.log_probabilities(prompt["ids"], prompt["ids"].index(mask))
            best = max(range(len(found)), key=found.__getitem__)
            self.assertEqual(row["ids"], [best])
            self.assertAlmostEqual(row["log_probability"], found[best], delta=1e-3)

    def test_an_answer_is_right_if_it_is_exactly_a_name(self):
        right = 0
        for row in self.rows:
            objects = self.facts[row["relation"]][row["fact"]]["objects"]
            names = [name for one in objects for name in [one["obj_label"], *one.get("obj_aliases", [])]]
            # The tiny model's tokenizer lower-cases everything.
            self.assertEqual(row["right"], row["answer"] in [name.lower() for name in names], row)
            self.assertEqual(row["right"], row["rank"] == [0, 0])
            right += row["right"]
        self.assertGreater(right, 10)
        self.assertGreater(len(self.rows) - right, 10)

    def test_accuracy_coverage_and_consistency_are_those_of_the_rows(self):
        table = self.by_fact()
        shares = [sum(row["right"] for row in rows) / len(rows) for rows in table.values()]
        coverage = self.metrics["coverage"]
        self.assertAlmostEqual(coverage["average"]["value"], sum(shares) / len(shares), places=12)
        self.assertAlmostEqual(coverage["oracle"]["value"], sum(share > 0 for share in shares) / len(shares), places=12)
        pairs = []
        for rows in table.values():
            if len(rows) > 1:
                same = [a["ids"] == b["ids"] for a, b in itertools.combinations(rows, 2)]
                pairs.append(sum(same) / len(same))
        self.assertAlmostEqual(self.metrics["consistency"]["all"]["share"]["value"], sum(pairs) / len(pairs), places=12)
        self.assertLess(0, sum(pairs))

    def test_overconfidence_is_of_all_prompts_and_their_probabilities(self):
        made = self.metrics["overconfidence"]
        sure = [math.exp(row["log_probability"]) for row in self.rows]
        self.assertEqual(made["prompts"], len(self.rows))
        self.assertEqual(made["samples_of_a_prompt"], 0)
        self.assertAlmostEqual(made["mean_confidence"]["value"], sum(sure) / len(sure), places=9)
        accuracy = sum(row["right"] for row in self.rows) / len(self.rows)
        self.assertAlmostEqual(made["overconf"]["value"], sum(sure) / len(sure) - accuracy, places=9)
        self.assertFalse((self.whole / "masked_samples.jsonl").exists())

    def test_ranks_of_the_true_token_are_those_of_the_rows(self):
        table = self.by_fact()
        ranks = self.metrics["true_token_ranks"]["whole"]
        place = {fact: [1 + row["rank"][0] + row["rank"][1] / 2 for row in rows] for fact, rows in table.items()}
        mean = sum(sum(1 / rank for rank in all_of) / len(all_of) for all_of in place.values()) / len(place)
        self.assertAlmostEqual(ranks["mean_reciprocal_rank"]["value"], mean, places=12)
        hits = sum(sum(rank <= 10 for rank in all_of) / len(all_of) for all_of in place.values()) / len(place)
        self.assertAlmostEqual(ranks["hit_at_10"]["value"], hits, places=12)

    def test_bias_level_is_of_the_candidates_probabilities_in_the_gap(self):
        levels = []
        rows = collections.defaultdict(list)
        for row in command.rows(self.whole / "masked_content_free.jsonl"):
            rows[row["relation"], row["template"]].append(row)
        by_relation = collections.defaultdict(list)
        for (relation, _), texts in rows.items():
            mean = [0.0] * len(texts[0]["candidates"])
            for row in texts:
                chances = [math.exp(nats) for nats, _ in row["candidates"]]
                mean = [m + c / sum(chances) / len(texts) for m, c in zip(mean, chances)]
            entropy = -sum(p * math.log(p) for p in mean if p > 0)
            by_relation[relation].append(1 - entropy / math.log(len(mean)))
        for relation in by_relation.values():
            levels.append(sum(relation) / len(relation))
        self.assertAlmostEqual(self.metrics["bias"]["single"], sum(levels) / len(levels), places=8)

    def test_interrupted_run_resumes_to_identical_results(self):
        kept = command.results(self.whole)
        for name in kept:
            (self.whole / name).unlink()
        journal = self.whole / "journal.jsonl"
        journal.write_bytes(journal.read_bytes()[:journal.stat().st_size // 2])
        command.plumb("generate", "--data", self.data, "--model", BERT, "--out", self.whole, "--samplings", "2000",
                      "--resume")
        self.assertEqual(command.results(self.whole), kept)


@command.needs_shared
class OfOtherModels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)

    def fill(self, model, out, *options, data=command.FACTS, code=0):
        return command.plumb("generate", "--data", data, "--model", FOLDERS / model, "--out", self.folder / out,
                             "--samplings", "500", *options, code=code)

    def test_a_vocabulary_in_common_ranks_models_of_different_tokenizers(self):
        # Single tokens of both, found by passing all words to each; their intersection is then the common vocabulary.
        words = self.folder / "words.txt"
        words.write_text("".join(chr(c) + "\n" for c in range(ord("a"), ord("z") + 1)) +
                         "the\nof\nin\nRome\nParis\nFrench\nGerman\nBritish\nAmerican\nsupercalifragilistic\n")
        few = ("--relations", "official-language,nationality", "--limit", "4", "--names", "none")
        missing = set()
        for model in ("tiny-bert-cased", "tiny-roberta"):
            self.fill(model, f"all {model}", *few, "--vocabulary", words)
            for line in (self.folder / f"all {model}" / "left_out.csv").read_text().splitlines():
                relation, what, name = line.split(",", 2)
                if what == "word of the vocabulary":
                    missing.add(name)
        self.assertIn("supercalifragilistic", missing)
        words.write_text("".join(word + "\n" for word in words.read_text().split() if word not in missing))
        for model in ("tiny-bert-cased", "tiny-roberta"):
            shown = self.fill(model, f"common {model}", *few, "--vocabulary", words).stdout
            self.assertNotIn("word of the vocabulary",
                             (self.folder / f"common {model}" / "left_out.csv").read_text())
            self.assertIn("common", shown)
            common = set(words.read_text().split())
            for row in command.rows(self.folder / f"common {model}" / "masked_answers.jsonl"):
                self.assertIn(row["common"]["answer"], common)
                if row["common"]["rank"]:
                    self.assertLess(row["common"]["rank"][0], len(common))
                    self.assertLessEqual(row["common"]["rank"][0], row["rank"][0])
        shown = command.plumb("compare", self.folder / "common tiny-bert-cased", self.folder / "common tiny-roberta",
                              "--samplings", "500", "--out", self.folder / "both").stdout
        self.assertIn("tiny-roberta masked", shown)

    def test_more_masks_are_an_extension_that_leaves_less_out(self):
        few = ("--relations", "capital", "--limit", "3", "--names", "none")
        for masks in (1, 3):
            shown = self.fill("tiny-albert", f"masks {masks}", *few, "--masks", masks).stdout
            self.assertEqual("an extension" in shown, masks == 3)
        rows = command.rows(self.folder / "masks 3" / "masked_answers.jsonl")
        self.assertTrue(all(1 <= row["tokens"] == len(row["ids"]) <= 3 and row["rank"] is None for row in rows))
        left_out = [(self.folder / f"masks {masks}" / "left_out.csv").read_text().count(",fact,") for masks in (1, 3)]
        self.assertLess(left_out[1], left_out[0])

    def test_every_layout_of_facts_is_asked(self):
        for name, relations in (("bear", "P30"), ("pararel", "P36")):
            self.fill("tiny-xlm-roberta", name, "--relations", relations, "--limit", "3", "--masks", "5",
                      data=command.SHARED / "data" / name)
            self.assertTrue((self.folder / name / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
