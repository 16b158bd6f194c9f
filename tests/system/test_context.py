# SPDX-License-Identifier: Apache-2.0
"""Text before a statement, and the reductions of its numbers: every score is that of the whole text, which is built here
independently and scored by llama.cpp by itself (whole_text_scores)."""
import csv
import json
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf whole_text_scores"

CAPITALS = [("France", "Paris", 51), ("Żmudź", "Łódź", 3), ("Peru", "Lima", 34), ("Chad", "N'Djamena", 19), ("Eire", "Dublin", 5),
            ("Kongo, the", "Kinshasa", 109)]
YEARS = [("Gauss", "1777", 9), ("Noether", "1882", 8), ("Łukasiewicz", "1878", 7), ("Euler", "1707", 6)]
TEMPLATES = {"capital": ["the capital of [X] is [Y].", "[Y] is the capital of [X]."], "born": ["[X] was born in [Y].", "In [Y], [X] was born."]}
BOUND = 1e-3


def upper(text):
    return text[:1].upper() + text[1:]


def fill(template, subject, answer):
    return upper(template.replace("[X]", subject).replace("[Y]", answer))


def question(given, rest):
    return {"given": given.rstrip(" "), "rest": given[len(given.rstrip(" ")):] + rest, "bos": True}


@command.needs_model
class Context(unittest.TestCase):
    """A tiny model with the vocabulary of SmolLM2, which splits digits and has tokens for the spaces before them."""

    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.model = command.tiny_model(cls.folder, command.MODEL)
        cls.data = cls.folder / "data"
        cls.data.mkdir()
        # As a spreadsheet writes it: additional columns among the three, and quotes around fields that contain a comma.
        with open(cls.data / "facts.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["Object", "Popularity", "Subject", "Relation"])
            for code, facts in (("capital", CAPITALS), ("born", YEARS)):
                writer.writerows((answer, popularity, subject, code) for subject, answer, popularity in facts)
        (cls.data / "facts.json").write_text(json.dumps(TEMPLATES), encoding="utf-8")

    def score(self, questions):
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in questions)
        done = subprocess.run([command.BUILD / "whole_text_scores", self.model], input=text, capture_output=True, text=True, check=True)
        return [json.loads(line)["score"] for line in done.stdout.splitlines()[1:]]

    def check(self, name, *words, prefix="", shots=0, reduction="sum", span="statement", neutral=None):
        out = self.folder / name
        command.probe(out, "--templates", "all", "--reduction", reduction, "--span", span, *words, data=self.data, model=self.model)
        prompts = [json.loads(line) for line in command.plumb("data", "prompts", out).stdout.splitlines()]
        shown = {(p["relation"], p["instance_index"], p["template"]): p.get("shots", []) for p in prompts}
        asked, expected, ours = [], [], []
        for code, facts in (("capital", CAPITALS), ("born", YEARS)):
            options = [answer for _, answer, _ in facts]
            for row in command.rows(out / f"{code}_results.jsonl"):
                template = TEMPLATES[code][row["template_index"]]
                subject = row["sub_label"]
                self.assertEqual(row["further"], {"Popularity": str({s: p for s, _, p in facts}[subject])})
                instances = shown[code, row["instance_index"], row["template_index"]]
                self.assertEqual(len(set(instances)), shots)
                before = prefix
                for instance in instances:
                    self.assertNotEqual(facts[instance][0], subject)
                    before += fill(template, *facts[instance][:2]) + "\n"
                for option, score in zip(options, row["pll_scores"], strict=True):
                    text = fill(template, subject, option)
                    at = text.index(option)
                    size = {"statement": len(text.encode()), "answer": len(option.encode()),
                            "continuation": len(text.encode()) - len(text[:at].rstrip(" ").encode())}[span]
                    given = before if span == "statement" or at == 0 else before + text[:at]
                    rest = before + text
                    if span == "answer":
                        given, rest = before + text[:at], before + text[:at] + option
                    parts = [question(given, rest[len(given):])]
                    if reduction == "pmi":
                        head = upper(" ".join(template[:template.index("[Y]")].replace("[X]", "").split()))
                        head = f"{neutral} " if neutral else head and head + " "
                        parts.append(question(head, option))
                    asked += parts
                    expected.append((len(parts), size if reduction == "bytes" else 1))
                    ours.append((score, text))
        scores = self.score(asked)
        place = 0
        for (parts, size), (score, text) in zip(expected, ours, strict=True):
            theirs = (scores[place] - (scores[place + 1] if parts == 2 else 0)) / size
            place += parts
            self.assertLess(abs(score - theirs), BOUND, f"{name}: {text}")
        self.assertEqual(len(ours), 2 * (len(CAPITALS) ** 2 + len(YEARS) ** 2))
        return out

    def test_bytes_divide_by_the_utf8_bytes_of_each_span(self):
        for span in ("statement", "continuation"):
            self.check(f"bytes-{span}", reduction="bytes", span=span)

    def test_pmi_subtracts_the_answer_behind_a_neutral_prefix(self):
        self.check("pmi", reduction="pmi", span="continuation")
        self.check("pmi-statement", reduction="pmi")
        self.check("pmi-text", "--neutral", "Answer:", reduction="pmi", span="continuation", neutral="Answer:")

    def test_a_prefix_stands_before_every_statement(self):
        self.check("prefix", "--prefix", "Answer truthfully. ", prefix="Answer truthfully. ")
        file = self.folder / "prefix.txt"
        file.write_text("Here are facts:\n\n", encoding="utf-8")
        out = self.check("prefix-file", "--prefix", file, prefix="Here are facts:\n\n", span="continuation")
        settings = json.loads((out / "run.json").read_text(encoding="utf-8"))["settings"]
        self.assertEqual(settings["prefix"], "Here are facts:\n\n")
        file.write_text("Other facts:\n", encoding="utf-8")
        for call in (("data", "prompts", out), ("probe", "--config", out / "run.json", "--out", out, "--resume")):
            self.assertIn("prefix", command.plumb(*call, code=2).stderr)

    def test_shots_are_solved_facts_of_the_same_template(self):
        for draw in ("relation", "fact"):
            self.check(f"shots-{draw}", "--shots", 3, "--shot-seed", 5, "--shot-draw", draw, shots=3)

    def test_all_of_it_together(self):
        words = ["--prefix", "Facts:\n", "--shots", 2, "--shot-draw", "fact"]
        out = self.check("together", *words, prefix="Facts:\n", shots=2, reduction="pmi", span="continuation")
        # Two shards of it are merged into the same files.
        parts = []
        for i in (1, 2):
            parts.append(self.folder / f"part{i}")
            command.probe(parts[-1], "--templates", "all", "--reduction", "pmi", "--span", "continuation", *words,
                          "--shard", f"{i}/2", data=self.data, model=self.model)
        merged = self.folder / "merged"
        command.plumb("merge", *parts, "--out", merged)
        for code in TEMPLATES:
            name = f"{code}_results.jsonl"
            self.assertEqual((merged / name).read_bytes(), (out / name).read_bytes())

    def same(self, first, second):
        """Equal up to the rounding of rows: scores are written with fewer digits than they are computed with."""
        self.assertEqual(type(first), type(second))
        if isinstance(first, dict):
            self.assertEqual(first.keys(), second.keys())
            for key, value in first.items():
                self.same(value, second[key])
        elif isinstance(first, list):
            self.assertEqual(len(first), len(second))
            for one, other in zip(first, second):
                self.same(one, other)
        elif isinstance(first, float):
            self.assertAlmostEqual(first, second, delta=1e-6 * max(1, abs(first)))
        else:
            self.assertEqual(first, second)

    def test_calibrate_reads_and_asks_the_same(self):
        asked = self.folder / "asked"
        command.plumb("calibrate", "--data", self.data, "--model", self.model, "--out", asked, "--prefix", "Facts:\n", "--shots", 1,
                      "--reduction", "bytes")
        plain = self.folder / "asked-sum"
        command.probe(plain, "--templates", "all", "--prefix", "Facts:\n", "--shots", 1, data=self.data, model=self.model)
        command.plumb("calibrate", plain, "--out", self.folder / "again", "--reduction", "bytes")
        first, second = (json.loads((folder / "metrics.json").read_text()) for folder in (asked, self.folder / "again"))
        self.same(first["models"], second["models"])

    def test_what_cannot_be_asked_is_refused_by_name(self):
        def said(*words, **more):
            return command.plumb("probe", "--data", self.data, "--model", self.model, "--out", self.folder / "none", *words, code=2, **more).stderr
        self.assertIn("born: has 3 other subjects to show before", said("--shots", 4))
        self.assertIn("--shot-seed: has no effect without --shots", said("--shot-seed", 1))
        self.assertIn("--neutral: has no effect without --reduction pmi", said("--neutral", "x"))
        self.assertIn("--prefix: there is no file 'lost.txt'", said("--prefix", "lost.txt"))
        long = self.folder / "long.txt"
        long.write_text("word " * 20000)
        self.assertIn("use fewer --shots or a shorter --prefix", said("--prefix", long))
        self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    unittest.main()
