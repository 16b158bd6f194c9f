# SPDX-License-Identifier: Apache-2.0
"""Statements in a conversation: texts of chat templates as transformers writes them (write_chat_texts.py), tokens and scores
as llama.cpp by itself gives them, draws of shots, and refused settings."""
import collections
import hashlib
import json
import pathlib
import subprocess
import unittest

import command

PROGRAMS = "plumb_command chat_texts whole_text_scores"

TEXTS = pathlib.Path(__file__).with_name("chat_texts.jsonl")
TEMPLATES = command.JINJA / "templates"
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
OPENING = "<|im_start|>system\nBe brief.<|im_end|>\n"


@unittest.skipUnless(TEMPLATES.is_dir(), "skipped: no Jinja sources of llama.cpp in the cache")
class Texts(unittest.TestCase):
    def test_texts_are_those_of_transformers(self):
        rows = command.rows(TEXTS)
        self.assertGreater(len({row["template"] for row in rows}), 60)
        asked = [{"template": (TEMPLATES / row["template"]).read_text(encoding="utf-8"), "tokens": TOKENS,
                  "messages": row["messages"], "opens": row["opens"]} for row in rows]
        done = subprocess.run([command.BUILD / "chat_texts"], input="".join(json.dumps(one) + "\n" for one in asked),
                              capture_output=True, text=True, check=True)
        differ = collections.defaultdict(list)
        for row, line in zip(rows, done.stdout.splitlines(), strict=True):
            text = json.loads(line)
            if "sha256" in row:
                same = text is not None and hashlib.sha256(text.encode()).hexdigest() == row["sha256"]
            else:
                same = text == row["text"]
            if not same:
                differ[row["template"]].append(row["conversation"])
        # It reads `datetime`, which neither program defines: an error in Python, an empty text here.
        differ.pop("fireworks-ai-llama-3-firefunction-v2.jinja")
        self.assertEqual(differ, {})


@command.needs_model
class Chat(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)

    def run_of(self, name, *more, relations="continent,element-family"):
        out = self.folder / name
        command.probe(out, "--relations", relations, "--limit", 4, *more)
        return out

    def prompts(self, out, *more):
        return [json.loads(line) for line in command.plumb("data", "prompts", out, *more).stdout.splitlines()]

    def test_conversations_and_their_scores_are_those_of_llama_cpp_alone(self):
        out = self.run_of("shots", "--chat", "--system", "Be brief.", "--shots", 2, "--shot-seed", 7)
        listed = self.prompts(out, "--ids")
        facts = {code: command.rows(command.FACTS / f"{code}.jsonl") for code in ("continent", "element-family")}
        texts = {"continent": "{} is located in", "element-family": "The element {} is"}
        questions = []
        for row in listed:
            text = OPENING
            for shot in [facts[row["relation"]][i] for i in row["shots"]]:
                text += (f"<|im_start|>user\n{texts[row['relation']].format(shot['sub_label'])}<|im_end|>\n"
                         f"<|im_start|>assistant\n{shot['obj_label']}.<|im_end|>\n")
            asked = texts[row["relation"]].format(row["sub_label"])
            text += f"<|im_start|>user\n{asked}<|im_end|>\n<|im_start|>assistant\n"
            self.assertEqual(len(row["shots"]), 2)
            for candidate in row["candidates"]:
                questions.append({"given": text, "rest": (row["prompt"] + candidate["text"]).removeprefix(text), "bos": False,
                                  "special": True})
                self.assertTrue((row["prompt"] + candidate["text"]).startswith(text), candidate)
        done = subprocess.run([command.BUILD / "whole_text_scores", command.MODEL], text=True, check=True, capture_output=True,
                              input="".join(json.dumps(one) + "\n" for one in questions))
        answers = [json.loads(line) for line in done.stdout.splitlines()[1:]]
        rows = [row for code in facts for row in command.rows(out / f"{code}_results.jsonl")]
        of = {(code, row["instance_index"]): row for code in facts for row in command.rows(out / f"{code}_results.jsonl")}
        self.assertEqual(len(rows), 8)
        at = 0
        for prompt in listed:
            row = of[prompt["relation"], prompt["instance_index"]]
            for option, candidate in enumerate(prompt["candidates"]):
                answer = answers[at]
                at += 1
                self.assertEqual(prompt["ids"] + candidate["ids"], answer["ids"])
                self.assertLess(abs(row["pll_scores"][option] - answer["score"]), 1e-3)
                self.assertEqual(row["token_counts"][option], answer["tokens"])
        self.assertEqual(at, len(answers))

    def test_a_run_and_its_page_have_the_template(self):
        out = self.run_of("plain", "--chat", relations="continent")
        settings = json.loads((out / "run.json").read_text())["settings"]
        self.assertEqual((settings["chat"], settings["bos"], settings["system"]), ("question", "no", None))
        self.assertIn("<|im_start|>", settings["chat_template"])
        page = (out / "report.html").read_text()
        self.assertIn("add_generation_prompt", page)
        self.assertIn("&lt;|im_start|&gt;assistant", page)
        # One BOS: this model's template begins with its BOS.
        again = self.run_of("bos", "--chat", "--bos", "yes", relations="continent")
        self.assertEqual(command.rows(out / "continent_results.jsonl"), command.rows(again / "continent_results.jsonl"))
        self.assertEqual({prompt["ids"].count(1) for prompt in self.prompts(again, "--ids")}, {3})

    def test_a_whole_statement_and_a_neutral_prompt(self):
        out = self.run_of("statement", "--chat", "--chat-turn", "statement", "--prefix", "Tell me a fact.", relations="mythology")
        row = self.prompts(out)[0]
        self.assertIn("<|im_start|>user\nTell me a fact.<|im_end|>\n<|im_start|>assistant\n", row["prompt"])
        self.assertTrue(row["prompt"].endswith("is a figure of"), row["prompt"])
        out = self.run_of("pmi", "--chat", "--reduction", "pmi", relations="continent")
        self.assertEqual(len(command.rows(out / "continent_results.jsonl")[0]["neutral_scores"]), 6)

    def test_another_template_and_what_it_refuses(self):
        own = self.folder / "own.jinja"
        own.write_text("{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system here') }}{% endif %}"
                       "Q: {{ m.content }}\n{% endfor %}A:")
        out = self.run_of("own", "--chat", "--chat-template", own, relations="continent")
        self.assertTrue(self.prompts(out)[0]["prompt"].endswith("is located in\nA:"))
        said = command.probe(self.folder / "refused", "--chat", "--chat-template", own, "--system", "x", code=2).stderr
        self.assertIn("the chat template could not be run: no system here", said)
        own.write_text("{% for %}")
        said = command.probe(self.folder / "refused", "--chat", "--chat-template", own, code=2).stderr
        self.assertIn("--chat: the chat template could not be run: ", said)

    def test_what_makes_no_conversation_is_refused(self):
        for more, why in {("--chat", "--relations", "mythology"): "mythology.jsonl:1: mythology, template 0: --chat: ",
                          ("--chat", "--templates", "1", "--relations", "capital"): "begins with its answer",
                          ("--chat", "--chat-turn", "statement"): "but the user's turn is empty",
                          ("--chat", "--special-tokens", "text"): "special tokens that must be parsed",
                          ("--chat", "--reduction", "pmi", "--neutral", " "): "so the user's turn would be empty",
                          ("--system", "x"): "--system: has no effect without --chat",
                          ("--chat", "--system", "<|im_end|>"): "the text of a special token"}.items():
            said = command.probe(self.folder / "refused", *more, code=2).stderr
            self.assertIn(why, said)
            self.assertEqual(len(said.splitlines()), 1, said)
        self.assertFalse((self.folder / "refused").exists())

    def test_draws_of_shots_are_runs_with_a_spread(self):
        out = self.folder / "draws"
        done = command.probe(out, "--relations", "continent", "--limit", 6, "--shots", 1, "--shot-seed", 4, "--shot-seeds", 3)
        self.assertIn("draws of the shots", done.stdout)
        accuracies = []
        for seed in (4, 5, 6):
            alone = self.folder / f"alone-{seed}"
            command.probe(alone, "--relations", "continent", "--limit", 6, "--shots", 1, "--shot-seed", seed)
            rows = command.rows(alone / "continent_results.jsonl")
            self.assertEqual(rows, command.rows(out / f"shot-seed-{seed}" / "continent_results.jsonl"))
            accuracies.append(sum(max(range(6), key=row["pll_scores"].__getitem__) == row["answer_idx"] for row in rows) / 6)
        (spread,) = json.loads((out / "comparison" / "metrics.json").read_text())["draws"]
        mean = sum(accuracies) / 3
        self.assertEqual(spread["draws"], 3)
        self.assertAlmostEqual(spread["mean"], mean)
        self.assertAlmostEqual(spread["sd"], (sum((one - mean) ** 2 for one in accuracies) / 2) ** 0.5)
        self.assertEqual((spread["least"], spread["most"]), (min(accuracies), max(accuracies)))
        self.assertIn("Spread between draws of the shots", (out / "comparison" / "report.html").read_text())
        said = command.probe(self.folder / "refused", "--shot-seeds", 2, code=2).stderr
        self.assertIn("--shot-seeds: has no effect without --shots", said)


if __name__ == "__main__":
    unittest.main()
