# SPDX-License-Identifier: Apache-2.0
"""Numbers of published datasets, computed again: KAMEL's from answers and its own files, LPAQA's weights from scores,
BEAR-big's options from lm-pub-quiz. All parts of LAMA, in the layout of its archive, are probed."""
import collections
import json
import math
import pathlib
import shutil
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

KAMEL = command.SHARED / "data" / "kamel-sample"
LPAQA = command.SHARED / "data" / "lpaqa-sample"
BEAR = command.SHARED / "data" / "bear"

SHOTS, LIMIT, LENGTH = 5, 3, 24


def harmonic(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def trimmed_score(text, objects):
    """Precision, recall and F1 of a list with trimmed answers; `objects` are sets of names in lower case."""
    answers = {one.strip().lower() for one in text.replace("%", "").split(";")} - {""}
    if not answers:
        return 0, 0, 0
    precision = sum(any(one in names for names in objects) for one in answers) / len(answers)
    recall = sum(bool(answers & names) for names in objects) / len(objects)
    return precision, recall, harmonic(precision, recall)


def script_score(text, objects):
    """The same computed as in evaluate.py of KAMEL's repository, from the part of a text that predict.py keeps."""
    answers = {one.lower() for one in text.strip().replace("%", "").split(";")}
    right = sum(bool(answers & names) for names in objects)
    return right / len(answers), right / len(objects)


def make_some_right(data, answered):
    """Makes some of the model's answers right: the model knows none of these facts, and only names matter. Of every three rows,
    one gets its last answer as a main label, one its first answer as an alias, and one is unchanged."""
    for path in data.glob("P*/test.jsonl"):
        tests = command.rows(path)
        for row in answered:
            answers = [one.strip() for one in row["answer"].split(";") if one.strip()]
            if row["relation"] != path.parent.name or not answers or row["fact"] % 3 == 2:
                continue
            objects = tests[row["fact"]]["obj_label"]
            if row["fact"] % 3 == 0:
                objects.append({"rdf": None, "alternative": [], "chosen": answers[-1]})
            else:
                objects[0]["alternative"].append(answers[0])
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in tests))


@command.needs_shared
@command.needs_model
class Kamel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = command.temporary_folder(cls)
        cls.data, cls.run_ = folder / "kamel", folder / "run"
        shutil.copytree(KAMEL, cls.data)
        cls.ask(cls.data, folder / "first")
        make_some_right(cls.data, command.rows(folder / "first" / f"{SHOTS}-kamel_answers.jsonl"))
        cls.shown = cls.ask(cls.data, cls.run_)
        cls.rows = command.rows(cls.run_ / f"{SHOTS}-kamel_answers.jsonl")
        cls.metrics = {one["name"]: one for one in json.loads((cls.run_ / "metrics.json").read_text())["lists"]}
        cls.tests = {path.parent.name: command.rows(path) for path in cls.data.glob("P*/test.jsonl")}
        cls.questions = dict(line.split(", ", 1) for line in
                             (KAMEL / "question-templates.csv").read_text().splitlines())

    @staticmethod
    def ask(data, out):
        return command.plumb("generate", "--data", data, "--model", command.MODEL, "--out", out, "--form", "kamel",
                             "--shots", SHOTS, "--limit", LIMIT, "--max-new-tokens", LENGTH).stdout

    def objects(self, row, with_aliases):
        return [{name.lower() for name in [one["chosen"], *(one["alternative"] if with_aliases else [])]}
                for one in self.tests[row["relation"]][row["fact"]]["obj_label"]]

    def numbers(self, score):
        """relation -> means over its facts, and over relations under "mean of relations"."""
        facts = collections.defaultdict(list)
        for row in self.rows:
            facts[row["relation"]].append(score(row))
        made = {code: [mean(column) for column in zip(*scores)] for code, scores in facts.items()}
        made["mean of relations"] = [mean(column) for column in zip(*made.values())]
        return made

    def test_the_first_test_facts_of_every_relation_are_asked(self):
        self.assertEqual([(row["relation"], row["subject"]) for row in self.rows],
                         [(code, self.tests[code][i]["sub_label"]) for code in ("P190", "P569", "P1056")
                          for i in range(LIMIT)])

    def test_prompts_are_lines_of_training_facts_and_the_question(self):
        listed = [json.loads(line) for line in command.plumb("data", "prompts", self.run_).stdout.splitlines()]
        self.assertEqual(len(listed), len(self.rows))
        for prompt in listed:
            question = self.questions[prompt["relation"]]
            training = {one["sub_label"]: one["obj_label"]
                        for one in command.rows(KAMEL / prompt["relation"] / "train.jsonl")}
            *lines, last = prompt["prompt"].split("\n")
            self.assertEqual(len(lines), SHOTS)
            self.assertEqual(last, question.replace("[S]", prompt["subject"]))
            for line, shot in zip(lines, prompt["shots"]):
                self.assertEqual(line, question.replace("[S]", shot["sub_label"]) + " " +
                                 "; ".join(training[shot["sub_label"]]) + "%")
        self.assertGreater(len({prompt["prompt"].split("\n")[0] for prompt in listed
                                if prompt["relation"] == "P569"}), 1)  # shots are drawn again

    def test_precision_recall_and_f1_are_those_of_the_rows(self):
        for key, with_aliases in (("", True), ("main_label_", False)):
            made = self.numbers(lambda row: trimmed_score(row["answer"], self.objects(row, with_aliases)))
            for name, numbers in made.items():
                for part, number in zip(("precision", "recall", "f1"), numbers):
                    self.assertAlmostEqual(self.metrics[name][key + part]["value"], number, places=12)
                self.assertAlmostEqual(self.metrics[name][key + "f1_of_means"], harmonic(*numbers[:2]), places=12)
        mean_of_all = self.metrics["mean of relations"]
        self.assertGreater(mean_of_all["f1"]["value"], mean_of_all["main_label_f1"]["value"])
        self.assertGreater(mean_of_all["main_label_f1"]["value"], 0)

    def test_metrics_include_the_scores_of_the_published_script(self):
        def score(row):
            ended = "" if row["tokens"] == LENGTH else "%"
            return script_score(row["answer"] + ended, self.objects(row, True))
        for name, (precision, recall) in self.numbers(score).items():
            self.assertAlmostEqual(self.metrics[name]["script_precision"]["value"], precision, places=12)
            self.assertAlmostEqual(self.metrics[name]["script_recall"]["value"], recall, places=12)
            self.assertAlmostEqual(self.metrics[name]["script_f1_of_means"], harmonic(precision, recall), places=12)

    def test_answers_that_were_cut_or_are_empty_are_counted(self):
        for name, made in self.metrics.items():
            rows = [row for row in self.rows if name in (row["relation"], "mean of relations")]
            self.assertEqual(made["facts"], len(rows))
            self.assertEqual(made["cut"], sum(row["tokens"] == LENGTH for row in rows))
            self.assertEqual(made["empty"], sum(not row["answer"].replace(";", "").strip() for row in rows))

    def test_what_is_shown(self):
        self.assertIn("Left out: dev.jsonl (relations that have one: 3).", self.shown)
        self.assertIn("mean of relations", self.shown)


@command.needs_shared
@command.needs_model
class Lpaqa(unittest.TestCase):
    def test_weighted_templates_are_the_weighted_mean_of_their_scores(self):
        out = command.temporary_folder(self.__class__) / "run"
        command.probe(out, "--relations", "P30,P36", "--limit", 2, "--templates", "all", "--template-file",
                      LPAQA / "paraphrase", data=BEAR, model=command.tiny_model(out.parent, command.MODEL))
        ranks, sure = [], []
        for code in ("P30", "P36"):
            weights = [one["weight"] for one in command.rows(LPAQA / "paraphrase" / f"{code}.jsonl")]
            facts = collections.defaultdict(dict)
            for row in command.rows(out / f"{code}_results.jsonl"):
                facts[row["instance_index"], row["answer_idx"]][row["template_index"]] = row["pll_scores"]
            self.assertEqual(len(facts), 2)
            for (_, answer), by_template in facts.items():
                self.assertEqual(sorted(by_template), list(range(len(weights))))
                together = [sum(weights[t] * scores[option] for t, scores in by_template.items()) / sum(weights)
                            for option in range(len(by_template[0]))]
                ranks.append(1 + sum(score > together[answer] for score in together))
                self.assertEqual(together.count(together[answer]), 1)
                likelihoods = [math.exp(score - max(together)) for score in together]
                sure.append((1 / sum(likelihoods), ranks[-1] == 1))
        made = json.loads((out / "metrics.json").read_text())["weighted_templates"]["overall"]
        self.assertAlmostEqual(made["accuracy"]["value"], mean(rank == 1 for rank in ranks), places=12)
        self.assertAlmostEqual(made["mean_rank"]["value"], mean(ranks), places=12)
        self.assertAlmostEqual(made["mean_reciprocal_rank"]["value"], mean(1 / rank for rank in ranks), places=12)
        # As an aggregation next to vote, min and max: Base confidence of the same scores.
        page = out.with_name("calibration")
        command.plumb("calibrate", out, "--out", page, "--bins", 2, "--resamples", 20)
        (made,) = json.loads((page / "metrics.json").read_text())["models"].values()
        weighted = made["estimators"]["weighted"]["metrics"]
        self.assertAlmostEqual(weighted["accuracy"]["value"], mean(right for _, right in sure), places=12)
        self.assertAlmostEqual(weighted["mean_confidence"]["value"], mean(c for c, _ in sure), places=9)
        self.assertAlmostEqual(weighted["brier"]["value"], mean((c - right) ** 2 for c, right in sure), places=9)


# relations.jsonl lists only T-REx's relations; Google-RE's templates are in LAMA's program.
LAMA = {
    "relations.jsonl": [{"relation": "P36", "template": "The capital of [X] is [Y] .", "label": "capital", "type": "1-1"},
                        {"relation": "P47", "template": "[X] shares border with [Y] .", "type": "N-M"}],
    "TREx/P36.jsonl": [{"uuid": f"u{i}", "predicate_id": "P36", "sub_uri": f"Q{i}", "sub_label": country, "obj_uri": f"Q9{i}",
                        "obj_label": city, "evidences": [{"masked_sentence": "[MASK] …"}]}
                       for i, (country, city) in enumerate((("France", "Paris"), ("Italy", "Rome")))],
    "Google_RE/place_of_birth_test.jsonl": [
        {"pred": "/people/person/place_of_birth", "sub": "/m/1", "obj": "/m/2", "sub_w": item, "sub_label": person,
         "sub_aliases": [], "obj_w": city, "obj_label": place, "obj_aliases": ["\U0001f1e6"], "uuid": person,
         "judgments": [{"rater": "1", "judgment": "yes"}], "masked_sentences": ["He was born in [MASK] ."]}
        for person, item, place, city in (("John Stephen", None, "Glasgow", "Q4093"), ("Eduard Ender", "Q143416", "Rome", "Q220"))],
    "ConceptNet/test.jsonl": [{"sub": "s", "obj": label, "pred": pred, "masked_sentences": [sentence], "obj_label": label,
                               "uuid": label} for pred, sentence, label in
                              (("AtLocation", "A pen is in a [MASK].", "desk"), ("AtLocation", "[MASK] is where a bed is.", "house"),
                               ("NotDesires", "You do not want [MASK].", "pain"))],
    "Squad/test.jsonl": [{"masked_sentences": ["Quran is a [MASK] text."], "obj_label": "religious", "id": "5_0", "sub_label": "Squad"},
                         {"masked_sentences": ["Nathan Alterman was a [MASK]."], "obj_label": "poet", "id": "6_0", "sub_label": "Squad"}],
}


@command.needs_vocabularies
class Lama(unittest.TestCase):
    def test_every_part_is_probed_in_the_layout_of_the_archive(self):
        folder = command.temporary_folder(self.__class__)
        for name, rows in LAMA.items():
            file = folder / "data" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        shown = command.probe(folder / "run", data=folder / "data", model=command.tiny_model(folder)).stdout
        self.assertIn("Left out: relations of relations.jsonl without facts: P47.", shown)
        self.assertIn("Left out: relations of ConceptNet with a single object: NotDesires.", shown)
        prompts = [json.loads(line) for line in command.plumb("data", "prompts", folder / "run").stdout.splitlines()]
        texts = {(one["relation"], one["sub_id"]): {one.get("prompt", "") + each["text"] for each in one["candidates"]}
                 for one in prompts}
        self.assertEqual(len(texts), 8)
        self.assertEqual(texts["P36", "Q0"], {"The capital of France is Paris .", "The capital of France is Rome ."})
        self.assertEqual(texts["place_of_birth", "Q143416"],
                         {"Eduard Ender was born in Glasgow .", "Eduard Ender was born in Rome ."})
        self.assertIn(("place_of_birth", "John Stephen"), texts)
        self.assertEqual(texts["AtLocation", "house"], {"desk is where a bed is.", "house is where a bed is."})
        self.assertEqual(texts["Squad", "6_0"], {"Nathan Alterman was a religious.", "Nathan Alterman was a poet."})
        made = json.loads((folder / "run" / "metadata_results.json").read_text())
        self.assertEqual(sorted(made), ["AtLocation", "P36", "Squad", "place_of_birth"])


@command.needs_shared
@command.needs_peer
@command.needs_vocabularies
class OptionsByIdentifier(unittest.TestCase):
    """BEAR without its answer spaces, like BEAR-big; some objects share a label, one has two."""

    def test_they_are_those_of_lm_pub_quiz(self):
        folder = command.temporary_folder(self.__class__)
        data = folder / "data"
        data.mkdir()
        codes = ("P30", "P36", "P1376")
        metadata = json.loads((BEAR / "metadata_relations.json").read_text())
        (data / "metadata_relations.json").write_text(json.dumps(
            {code: {"templates": metadata[code]["templates"]} for code in codes}))
        for code in codes:
            facts = command.rows(BEAR / f"{code}.jsonl")
            ids = list(dict.fromkeys(fact["obj_id"] for fact in facts))
            first = next(fact["obj_label"] for fact in facts if fact["obj_id"] == ids[0])
            for fact in facts:
                fact.pop("answer_idx", None)
                if fact["obj_id"] == ids[1]:
                    fact["obj_label"] = first
            facts.append({**facts[0], "sub_id": "Q0", "sub_label": "Nowhere", "obj_label": "another label"})
            (data / f"{code}.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
        done = subprocess.run([command.PEER, pathlib.Path(__file__).with_name("options_of_lm_pub_quiz.py"), data],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        theirs = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(sorted(theirs), sorted(codes))
        lines = command.plumb("data", "describe", data).stdout.splitlines()
        for code in codes:
            row = next(line.split() for line in lines if line.startswith(code + " "))
            self.assertEqual(int(row[2]), len(theirs[code]["ids"]))
        command.probe(folder / "run", data=data, model=command.tiny_model(folder))
        ours = json.loads((folder / "run" / "metadata_results.json").read_text())
        for code in codes:
            self.assertEqual(ours[code]["answer_space_ids"], theirs[code]["ids"])
            self.assertEqual(ours[code]["answer_space_labels"], theirs[code]["labels"])
            self.assertEqual([row["answer_idx"] for row in command.rows(folder / "run" / f"{code}_results.jsonl")],
                             theirs[code]["answers"])


if __name__ == "__main__":
    unittest.main()
