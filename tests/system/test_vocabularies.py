# SPDX-License-Identifier: Apache-2.0
"""The scores of every job on every kind of vocabulary in llama.cpp's sources.

The command scores with a tiny random model for each vocabulary. Its scores are compared with those of whole texts by a
program that uses only llama.cpp. With random weights, different tokens would change the scores by far more than the bound,
so equal scores mean equal tokens.
"""
import json
import pathlib
import subprocess
import unittest

import command

PROGRAMS = "plumb_command write_tiny_gguf whole_text_scores"

FOLDER = pathlib.Path(command.VOCABULARIES or "/nowhere")
# One of each kind; the others of llama.cpp's sources are split like one of these.
KINDS = ("llama-spm", "llama-bpe", "gpt-2", "qwen2", "falcon", "mpt", "phi-3", "command-r", "deepseek-llm",
         "deepseek-coder", "gemma-4")
NAMES = ["20th Century", "7", "Oslo", "東京", "Ελλάδα", "\"Quoted\" Name", "'s-Hertogenbosch", "😀 Emoji", "3.14 pi",
         "École", "-dash", "(inner) x"]
ENTITIES = [*NAMES, "Two  Words", " Lead", "man", "water", "day"]  # those at the end are a single token in every vocabulary
BOUND = 1e-3


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def closed_set(folder):
    """110 facts with subjects of every kind and twelve objects, for shots and for statements."""
    subjects = [f"{name} {i}" if i % 3 else f"{i} {name}" for i in range(10) for name in NAMES][:110]
    # Spaces at either end and doubled ones, in more subjects than a row of few facts has positions.
    subjects = [(s, s + " ", " " + s, s.replace(" ", "  "), s + "  ")[i % 5] for i, s in enumerate(subjects)]
    write(folder / "P1.jsonl", lines({"sub_id": f"Q{i}", "sub_label": subject, "sub_aliases": [],
                                      "answer_idx": i * 5 % len(NAMES)} for i, subject in enumerate(subjects)))
    write(folder / "metadata_relations.json",
          json.dumps({"P1": {"templates": ["[X] belongs to [Y].", "[Y] owns [X]", "In \"[X]\": [Y]"],
                             "answer_space_labels": NAMES}}))
    return subjects


def graph(folder):
    triples = [(f"e{i * 7 % len(ENTITIES)}", f"r{i % 2}", f"e{i}") for i in range(len(ENTITIES))]
    write(folder / "train.tsv", "".join("\t".join(t) + "\n" for t in triples[:5]))
    write(folder / "dev.tsv", "".join("\t".join(t) + "\n" for t in triples[5:6]))
    write(folder / "test.tsv", "".join("\t".join(t) + "\n" for t in triples[6:]))
    write(folder / "entity2text.txt", "".join(f"e{i}\t{name}\n" for i, name in enumerate(ENTITIES)))
    write(folder / "relation2text.txt", "r0\tis near\nr1\tpart of 2\n")


def many_prompts(folder):
    write(folder / "facts.jsonl", lines(
        {"relation": "P1", "sub_id": f"Q{i}", "sub_label": name, "sub_aliases": [f"2 {name}"],
         "objects": [{"obj_id": f"O{i}", "obj_label": NAMES[(i * 5 + 1) % 12], "obj_aliases": [NAMES[i], " 9  " + name]}]}
        for i, name in enumerate(NAMES)))
    write(folder / "templates.jsonl", lines(
        {"relation": "P1", "template": text} for text in ("[X] belongs to [Y].", "[Y] owns [X].")))


@command.needs_vocabularies
class ScoredTokens(unittest.TestCase):
    """One test for each kind of vocabulary; made below."""

    @classmethod
    def setUpClass(cls):
        cls.folder = command.temporary_folder(cls)
        cls.subjects = closed_set(cls.folder / "closed")
        graph(cls.folder / "graph")
        many_prompts(cls.folder / "prompts")
        write(cls.folder / "baselines.json", json.dumps(
            {"Owner": {"property": "P1", "hgp": ["{subject} belongs to"], "mmp": ["the \"{subject}\" of "]}}))

    def check(self, kind):
        self.model = self.folder / f"{kind}.gguf"
        self.addCleanup(self.model.unlink)
        subprocess.run([command.BUILD / "write_tiny_gguf", self.model, FOLDER / f"ggml-vocab-{kind}.gguf"], check=True)
        self.questions, self.expected = [], []
        oracle = subprocess.Popen([command.BUILD / "whole_text_scores", self.model], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(oracle.communicate)
        self.bos = json.loads(oracle.stdout.readline())["has_bos"]
        self.out = self.folder / kind
        self.statements()
        self.many_shot()
        self.ranks()
        self.names()
        answers = [json.loads(line) for line in oracle.communicate(lines(self.questions))[0].splitlines()]
        self.assertEqual(oracle.returncode, 0)
        self.assertGreater(len(answers), 280)
        wrong = [(what, ours, answer["score"]) for (what, ours, tokens), answer in zip(self.expected, answers, strict=True)
                 if ours is not None and not abs(ours - answer["score"]) <= BOUND or tokens not in (None, answer["tokens"])]
        self.assertEqual(wrong[:5], [], f"{len(wrong)} of {len(answers)} scores differ from those in whole texts")
        above, score, first = self.rank
        others = [answer["score"] for answer in answers[first:first + len(ENTITIES)]]
        self.assertEqual(above, sum(other > score + BOUND for other in others))

    def expect(self, what, given, rest, ours, tokens=None):
        """`given` and `rest` are texts, or lists of pieces."""
        self.questions.append({"given": given, "rest": rest, "bos": self.bos})
        self.expected.append((f"{what}: {str(given)[-60:]} | {rest}", ours, tokens))

    def run_job(self, job, *words):
        out = self.out / job
        command.plumb(job, "--model", self.model, "--out", out, "--bos", "yes" if self.bos else "no", "--threads", 1, *words)
        return out

    def statements(self):
        out = self.run_job("probe", "--data", self.folder / "closed", "--templates", "all", "--limit", 2)
        for row in command.rows(out / "P1_results.jsonl"):
            for i, name in enumerate(NAMES):
                subject = row["sub_label"]
                given, rest = [(f"{subject} belongs to", f" {name}."), ("", f"{name} owns {subject}"),
                               (f"In \"{subject}\":", f" {name}")][row["template_index"]]
                if row["template_index"] < 2:  # the first letter of a sentence
                    first = (given or rest)[0]
                    if first.upper() != first and len(first.upper()) == 1:
                        given, rest = (first.upper() + given[1:], rest) if given else ("", first.upper() + rest[1:])
                self.expect("statement", "", given + rest, row["pll_scores"][i], row["token_counts"][i])
                self.expect("continuation", given, rest, row["continuation_scores"][i],
                            row["continuation_token_counts"][i])

    def many_shot(self):
        out = self.run_job("many-shot", "--data", self.folder / "closed", "--shots", "2", "--seeds", 1, "--choices", 5,
                           "--limit", 2, "--eic", "both", "--baselines", self.folder / "baselines.json",
                           "--injection", 12, "--injected", 2)
        relation = json.loads((out / "metadata_many_shot.json").read_text())["relations"]["P1"]
        shots = [(self.subjects[i], NAMES[i * 5 % len(NAMES)]) for i in relation["shots"][0]]
        rows = command.rows(out / "P1_choices.jsonl")
        asked = {row["instance_index"]: row for row in rows if row["method"] == "eic"}
        self.assertTrue(any(row["asked_before"] for row in asked.values()))
        for row in rows:
            subject = row["sub_label"]
            if row["method"].startswith("eic"):
                self.interspersed(row, asked, shots)
                continue
            for place, score in zip(row["choices"], row["answer_scores"], strict=True):
                choice = NAMES[place]
                if row["method"] == "ic":
                    text = "".join(f"{s} {o} " for s, o in shots[:2]) + subject
                    given = text.rstrip(" ")  # spaces at its end may form one token with the separator
                    self.expect("ic", given, text[len(given):] + " " + choice, score)
                else:
                    text = {"hgp": f"{subject} belongs to", "mmp": f"the \"{subject}\" of"}[row["method"]]
                    rest = " " + choice if row["method"] == "hgp" else "  " + choice
                    self.expect(row["method"], text, rest, score)
        for panel in json.loads((out / "P1_injection.json").read_text())["panels"]:
            given = ""
            for subject, thing, _, score in panel["pairs"]:
                given += (" " if given else "") + subject
                text = given.rstrip(" ")
                self.expect("injection", text, given[len(text):] + " " + thing, score)
                given += " " + thing

    def interspersed(self, row, asked, shots):
        """Each choice of a question of EIC-LKE, with the parts before it: shots, and among them the earlier questions, each with
        the choice that it has in the same sequence."""
        for place, score in zip(row["choices"], row["answer_scores"], strict=True):
            of = row["choices"].index(place)
            sequence = row["choice_order"].index(of) if "choice_order" in row else 0
            pairs, shown = [], 0
            for instance in row.get("asked_before", []):
                other = asked[instance]
                pairs += shots[shown:other["pairs_before"]]
                shown = other["pairs_before"]
                choice = other["choice_order"][sequence % len(other["choice_order"])]
                pairs.append((other["sub_label"], NAMES[other["choices"][choice]]))
            pairs += shots[shown:row["pairs_before"]]
            given = []
            for s, o in pairs:
                given += [s, {"separator": " "}, o, {"separator": ","}]
            self.expect(row["method"], given + [row["sub_label"], {"separator": " "}], [NAMES[place]], score)

    def ranks(self):
        out = self.run_job("rank", "--data", self.folder / "graph", "--method", "likelihood,lm-head", "--shots", 2,
                           "--query-form", "paper")
        run = json.loads((out / "metadata_rank.json").read_text())
        names = {f"e{i}": name for i, name in enumerate(ENTITIES)}
        words = {"r0": "is near", "r1": "part of 2"}
        shots = "".join(f"({names[h]}, {words[r]}, {names[t]})\n" for h, r, t in run["shots"])
        rows = command.rows(out / "likelihood_ranks.jsonl")
        for row in rows:
            self.expect("likelihood", f"{shots}({names[row['head']]}, {words[row['relation']]},",
                        f" {names[row['tail']]})", row["score"])
        self.rank = (rows[0]["above"], rows[0]["score"], len(self.questions))
        for name in ENTITIES:  # all candidates of the first query; only its own score is known
            self.expect("candidate", f"{shots}({names[rows[0]['head']]}, {words[rows[0]['relation']]},", f" {name})", None)
        for row in command.rows(out / "lm-head_ranks.jsonl"):
            self.expect("lm-head", f"{shots}({names[row['head']]}, {words[row['relation']]},", f" {names[row['tail']]}",
                        row["score"], 1)

    def names(self):
        out = self.run_job("generate", "--data", self.folder / "prompts", "--settings", "zero-shot", "--limit", 3,
                           "--samples", 0, "--names", "all", "--max-new-tokens", 1, "--wordnet", "none")
        facts = {row["sub_id"]: row for row in command.rows(self.folder / "prompts" / "facts.jsonl")}
        templates = [row["template"] for row in command.rows(self.folder / "prompts" / "templates.jsonl")]
        for row in command.rows(out / "zero-shot_names.jsonl"):
            asked = templates[row["template"]].replace("[X]", row["subject"]).replace("[Y]", "[MASK]")
            given = f"Predict the [MASK] in each sentence in one word.\nQ: {asked}\nA:"
            fact = facts[f"Q{row['fact']}"]
            for name, (score, tokens) in zip([fact["objects"][0]["obj_label"], *fact["objects"][0]["obj_aliases"]],
                                             row["names"][0], strict=True):
                self.expect("name", given, " " + name, score, tokens)


for kind in KINDS:
    def test(self, kind=kind):
        self.check(kind)
    setattr(ScoredTokens, "test_scored_tokens_are_the_whole_texts_with_" + kind.replace("-", "_"), test)


@command.needs_vocabularies
class WordPiece(unittest.TestCase):
    def test_a_vocabulary_of_an_encoder_is_refused_in_words(self):
        folder = command.temporary_folder(type(self))
        closed_set(folder / "closed")
        done = command.plumb("probe", "--data", folder / "closed", "--model", FOLDER / "ggml-vocab-bert-bge.gguf", "--out",
                             folder / "run", code=2)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("ggml-vocab-bert-bge.gguf", done.stderr)
        self.assertFalse((folder / "run").exists())


if __name__ == "__main__":
    unittest.main()
