# SPDX-License-Identifier: Apache-2.0
"""What do a chat template, shots, a prefix, BOS and reductions change, and does transformers give the same numbers?

One command, `plumb probe --models`, scores one model with the options of each entry of WAYS. transformers computes every
score again with the same weights: the prompts are written here independently, the conversations by apply_chat_template.
Prints the accuracies and, for each entry, the largest difference of a score in nats.

    asked_ways.py PLUMB MODEL.gguf FACTS OUT [FACTS_PER_RELATION]
"""

import csv
import json
import pathlib
import subprocess
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

RELATIONS = "animal-class,continent,element-family,us-state-capital"
PREFIX = "Here are facts.\n"
SYSTEM = "You are a careful encyclopedia."
WAYS = {
    "plain": {},
    "no-bos": {"bos": "no"},
    "prefix": {"prefix": PREFIX},
    "shots": {"shots": 3, "shot-seed": 1},
    "bytes": {"span": "answer", "reduction": "bytes"},
    "pmi": {"span": "answer", "reduction": "pmi"},
    "chat": {"chat": "true"},
    "chat-system": {"chat": "true", "system": SYSTEM},
    "chat-bos": {"chat": "true", "bos": "<|endoftext|>"},
    "chat-shots": {"chat": "true", "shots": 3, "shot-seed": 1},
    "chat-statement": {"chat": "true", "chat-turn": "statement", "prefix": "Tell me a fact."},
    "all-but-chat": {"prefix": PREFIX, "shots": 3, "shot-seed": 1, "bos": "no", "span": "answer", "reduction": "pmi"},
    "all": {"chat": "true", "system": SYSTEM, "prefix": PREFIX, "shots": 3, "shot-seed": 1, "bos": "<|endoftext|>",
            "span": "answer", "reduction": "pmi"},
}


def write_table(file, model):
    columns = ["name", "path", *sorted({option for way in WAYS.values() for option in way})]
    with open(file, "w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, columns, restval="")
        table.writeheader()
        for name, way in WAYS.items():
            table.writerow({"name": name, "path": model, **way})


def capitalized(text):
    return text[:1].upper() + text[1:]


class Prompts:
    """(text before the scored part, scored part, where its answer begins in it) of facts, built from the options."""

    def __init__(self, tokenizer, relation, way):
        self.tokenizer, self.way = tokenizer, way
        self.template = relation["templates"][0]
        self.chat = "chat" in way
        self.whole = way.get("chat-turn") == "statement"

    def statement(self, subject, answer):
        return capitalized(self.template.replace("[X]", subject).replace("[Y]", answer))

    def question(self, subject):
        before = self.template[:self.template.index("[Y]")].replace("[X]", subject)
        return capitalized(before if subject else " ".join(before.split())).rstrip()

    def said(self, answer):
        return answer + self.template[self.template.index("[Y]") + 3:]

    def turns(self, subject, answer=None, prefix=""):
        """The user's turn, and the assistant's turn if an answer is given."""
        user = prefix if self.whole else prefix + self.question(subject)
        made = [{"role": "user", "content": user}]
        if answer is not None:
            made.append({"role": "assistant", "content": self.statement(subject, answer) if self.whole else self.said(answer)})
        return made

    def conversation(self, turns):
        return self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)

    def asked(self, subject, answer, shots):
        prefix = self.way.get("prefix", "")
        if not self.chat:
            context = prefix + "".join(self.statement(*shot) + "\n" for shot in shots)
            statement = self.statement(subject, answer)
            return context, statement, len(self.question(subject)) + 1
        turns = [{"role": "system", "content": self.way["system"]}] if "system" in self.way else []
        for shot in shots:
            turns += self.turns(*shot, prefix=prefix if self.whole or len(turns) < 2 else "")
        turns += self.turns(subject, prefix=prefix if self.whole or not shots else "")
        if self.whole:
            return self.conversation(turns), self.statement(subject, answer), len(self.question(subject)) + 1
        return self.conversation(turns), self.said(answer), 0

    def neutral(self, answer):
        """An answer without its subject; neither shots nor a prefix are before it."""
        if not self.chat:
            before = self.question("")
            return "", f"{before} {answer}", len(before) + 1
        turns = [{"role": "system", "content": self.way["system"]}] if "system" in self.way else []
        return self.conversation(turns + self.turns("")), answer, 0


class Scorer:
    def __init__(self, model):
        path = pathlib.Path(model)
        self.tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
        self.model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()

    def __call__(self, context, scored, answer_begin, answer, bos, span):
        """Log-likelihood, tokens and UTF-8 bytes of the span: the tokens after the context, or those that share a
        character with the answer."""
        text = context + scored
        made = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        ids, offsets = list(made["input_ids"]), list(made["offset_mapping"])
        before = self.tokenizer(context.rstrip(" "), add_special_tokens=False)["input_ids"]
        first = 0
        while first < len(before) and ids[first] == before[first]:
            first += 1
        begin, end = len(context) + answer_begin, len(context) + answer_begin + len(answer)
        places = list(range(first, len(ids)))
        if span == "answer":
            places = [t for t in places if offsets[t][0] < end and offsets[t][1] > begin]
        shift = 0
        if bos is not None and ids[:1] != [bos]:
            ids, shift = [bos, *ids], 1
        with torch.inference_mode():
            rows = torch.log_softmax(self.model(torch.tensor([ids])).logits[0].double(), -1)
        total = sum(float(rows[t + shift - 1][ids[t + shift]]) for t in places if t + shift > 0)
        count = sum(t + shift > 0 for t in places)
        return total, count, len((answer if span == "answer" else scored).encode())


def reduced(way, score, neutral):
    total, tokens, size = score
    kind = way.get("reduction", "sum")
    return {"sum": total, "mean": total / max(tokens, 1), "bytes": total / size, "pmi": total - (neutral or 0)}[kind]


def check(scorer, facts, out, way, options_each):
    """The largest difference between plumb's scores and those of transformers, and how many were compared."""
    metadata = json.loads((facts / "metadata_relations.json").read_text(encoding="utf-8"))
    token = {"no": None}.get(way.get("bos", "no" if "chat" in way else "yes"), scorer.tokenizer.bos_token)
    if way.get("bos", "").startswith("<"):
        token = way["bos"]
    bos = None if token is None else scorer.tokenizer.convert_tokens_to_ids(token)
    listed = [json.loads(line) for line in subprocess.run([PLUMB, "data", "prompts", out], check=True, capture_output=True, text=True)
              .stdout.splitlines()]
    shots_of = {(row["relation"], row["instance_index"]): row.get("shots", []) for row in listed}
    worst, compared = 0.0, 0
    for code in RELATIONS.split(","):
        relation = metadata[code]
        labels = relation["answer_space_labels"]
        all_facts = [json.loads(line) for line in (facts / f"{code}.jsonl").read_text(encoding="utf-8").splitlines()]
        rows = [json.loads(line) for line in (out / f"{code}_results.jsonl").read_text(encoding="utf-8").splitlines()]
        prompts, span, neutral_of = Prompts(scorer.tokenizer, relation, way), way.get("span", "statement"), {}
        for row in rows[::10]:
            shots = [(all_facts[i]["sub_label"], all_facts[i]["obj_label"]) for i in shots_of[code, row["instance_index"]]]
            for option in range(0, len(labels), max(1, len(labels) // options_each)):
                answer, neutral = labels[option], None
                made = scorer(*prompts.asked(row["sub_label"], answer, shots), answer, bos, span)
                if way.get("reduction") == "pmi":
                    if answer not in neutral_of:
                        neutral_of[answer] = scorer(*prompts.neutral(answer), answer, bos, span)[0]
                    neutral = neutral_of[answer]
                own = row["answer_scores" if span == "answer" else "pll_scores"][option]
                if way.get("reduction") == "bytes":
                    own /= row["answer_byte_counts"][option]
                if neutral is not None:
                    own -= row["neutral_scores"][option]
                worst = max(worst, abs(own - reduced(way, made, neutral)))
                compared += 1
    return worst, compared


def main():
    global PLUMB
    PLUMB, model, facts, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    limit = sys.argv[5] if len(sys.argv) > 5 else "30"
    out.mkdir(parents=True, exist_ok=True)
    write_table(out / "ways.csv", model)
    subprocess.run([PLUMB, "probe", "--data", facts, "--relations", RELATIONS, "--limit", limit, "--models", out / "ways.csv",
                    "--out", out / "runs", "--quiet"], check=True)
    scorer = Scorer(model)
    accuracies = json.loads((out / "runs/comparison/metrics.json").read_text(encoding="utf-8"))["models"]
    print(f"{'asked':24}{'accuracy':>9}{'95%':>17}{'scores':>8}{'worst nats':>12}")
    for name, way in WAYS.items():
        worst, compared = check(scorer, facts, out / "runs" / name, way, 5)
        accuracy = accuracies[name]["accuracy"]
        print(f"{name:24}{accuracy['value']:9.3f}   [{accuracy['low']:.3f}, {accuracy['high']:.3f}]{compared:8}{worst:12.1e}", flush=True)


if __name__ == "__main__":
    main()
