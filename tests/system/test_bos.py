# SPDX-License-Identifier: Apache-2.0
"""What precedes a text, over GGUF files: BOS, nothing, or a named token, and never two.

The tokens are those that `data prompts --ids` lists. A tokenizer that writes a space before every text
(SentencePiece) does so after BOS too.
"""
import json
import shutil
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf"

SENTENCEPIECE = command.SHARED / "golden" / "sentencepiece" / "tiny-llama-spm.gguf"
FACTS = [{"sub_label": "Chad", "obj_label": "N'Djamena"}, {"sub_label": "Peru", "obj_label": "Lima"}]


def write(folder, *templates):
    folder.mkdir(parents=True, exist_ok=True)
    options = [fact["obj_label"] for fact in FACTS]
    (folder / "metadata_relations.json").write_text(
        json.dumps({"capital": {"templates": list(templates), "answer_space_labels": options}}))
    (folder / "capital.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in FACTS))
    return folder


class Bos(unittest.TestCase):
    def setUp(self):
        self.folder = command.temporary_folder(type(self))
        shutil.rmtree(self.folder)

    def ask(self, name, templates, *more, model=SENTENCEPIECE):
        """The ids of each whole prompt, the rows, the settings, and the terminal output."""
        out = self.folder / name
        done = command.plumb("probe", "--data", write(self.folder / (name + "-data"), *templates), "--model", model,
                             "--out", out, "--threads", 1, "--templates", "all", *more)
        listed = command.plumb("data", "prompts", out, "--ids").stdout.splitlines()
        ids = [[prompt["ids"] + one["ids"] for one in prompt["candidates"]] for prompt in map(json.loads, listed)]
        return ids, command.rows(out / "capital_results.jsonl"), json.loads((out / "run.json").read_text())["settings"], done

    @command.needs_shared
    def test_a_template_that_begins_with_bos_is_scored_as_one_that_does_not(self):
        own, with_own, settings, done = self.ask("own", ["<s>[X] has [Y]."], "--special-tokens", "parse")
        put, with_put, other, _ = self.ask("put", ["[X] has [Y]."], "--special-tokens", "parse")
        self.assertEqual(own, put)
        self.assertEqual([one[:1] for prompt in own for one in prompt], [[1]] * 4)
        self.assertEqual([row["pll_scores"] for row in with_own], [row["pll_scores"] for row in with_put])
        self.assertEqual([row["token_counts"] for row in with_own], [row["token_counts"] for row in with_put])
        warning = "2 statements begin with BOS already; no second BOS is added to them."
        self.assertIn(warning, done.stdout)
        self.assertIn(warning, (self.folder / "own" / "report.html").read_text())
        self.assertEqual(settings["warnings"], ["Warning: " + warning])
        self.assertNotIn("warnings", other)

    @command.needs_shared
    def test_bos_in_the_middle_and_bos_as_text_get_one_before_them(self):
        parsed, _, settings, _ = self.ask("middle", ["[X]<s> has [Y]."], "--special-tokens", "parse")
        self.assertEqual({one.count(1) for prompt in parsed for one in prompt}, {2})
        self.assertNotIn("warnings", settings)
        text, _, settings, _ = self.ask("text", ["<s>[X] has [Y]."], "--special-tokens", "text")
        self.assertEqual({one.count(1) for prompt in text for one in prompt}, {1})
        self.assertNotIn("warnings", settings)

    @command.needs_shared
    def test_any_token_may_stand_there(self):
        put, _, _, _ = self.ask("bos", ["[X] has [Y]."])
        named, _, settings, _ = self.ask("named", ["[X] has [Y]."], "--bos", "</s>")
        self.assertEqual(named, [[[2] + one[1:] for one in prompt] for prompt in put])
        self.assertEqual(settings["bos"], "</s>")
        again = self.folder / "again"
        command.plumb("probe", "--config", self.folder / "named" / "run.json", "--out", again)
        self.assertEqual((again / "capital_results.jsonl").read_bytes(),
                         (self.folder / "named" / "capital_results.jsonl").read_bytes())

    def test_a_model_without_bos(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        bare = self.folder / "bare.gguf"
        command.subprocess.run([command.BUILD / "write_tiny_gguf", bare, "no-bos"], check=True)
        templates = ["[X] has [Y].", "[Y] is of [X]."]
        named, _, settings, _ = self.ask("bare named", templates, "--bos", "<bos>", model=bare)
        none, _, without, done = self.ask("bare none", templates, "--bos", "no", model=bare)
        self.assertEqual([[one[1:] for one in prompt] for prompt in named], none)
        self.assertNotIn("warnings", settings)
        self.assertEqual(len(without["warnings"]), 1)
        for words in ("the first token of each has no probability", "1 of 2 templates begins with the answer",
                      "2 right answers lack a token's probability."):
            self.assertIn(words, without["warnings"][0])
            self.assertIn(words, " ".join(done.stdout.split()))
        refused = command.plumb("probe", "--data", self.folder / "bare none-data", "--model", bare, "--out",
                                self.folder / "x", "--bos", "<boss>", code=2)
        self.assertEqual(refused.stderr.count("\n"), 1)
        self.assertIn("--bos: '<boss>' is not a token of this model", refused.stderr)
        self.assertIn("similar special tokens: <bos>", refused.stderr)


if __name__ == "__main__":
    unittest.main()
