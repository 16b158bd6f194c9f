# SPDX-License-Identifier: Apache-2.0
"""Why do lm-evaluation-harness and lm-pub-quiz give different accuracies on BEAR?

Both programs and plumb (--bos yes --span statement --reduction sum) score the first facts of each relation with all
options under template 0, all with F32 weights. Then the accuracy is shown for each choice that differs between the
programs, their versions and their defaults: BOS, template, mean over facts or over relations, and the precision of the
weights and of the softmax.

    against_lm_evaluation_harness.py PLUMB MODEL.gguf BEAR OUT FACTS_PER_RELATION
"""

import json
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TQDM_DISABLE", "1")
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from lm_pub_quiz import Dataset, Evaluator
from transformers import AutoModelForCausalLM, AutoTokenizer


def probe(plumb, model, bear, out, limit, *more):
    """The rows of a probe under all templates, by relation."""
    subprocess.run([plumb, "probe", "--data", bear, "--model", model, "--limit", limit, "--templates", "all", "--out", out,
                    "--quiet", *more], check=True)
    return {file.name.removesuffix("_results.jsonl"): [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            for file in sorted(out.glob("*_results.jsonl"))}


def under(rows, template):
    """Lists of scores and the indices of the right options, by relation, under one template or under all."""
    return {code: [(row["pll_scores"], row["answer_idx"]) for row in of if template is None or row["template_index"] == template]
            for code, of in rows.items()}


def loaded(model):
    where = {"pretrained_model_name_or_path": os.path.dirname(model), "gguf_file": os.path.basename(model)}
    return AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32), AutoTokenizer.from_pretrained(**where)


def statement(template, subject, answer):
    text = template.replace("[X]", subject).replace("[Y]", answer)
    return text[:1].upper() + text[1:]


class Harness:
    """Scores of lm-evaluation-harness for the rows of template 0: whole statements after an empty context."""

    def __init__(self, rows, bear):
        metadata = json.loads((bear / "metadata_relations.json").read_text(encoding="utf-8"))
        self.rows = {code: [row for row in of if row["template_index"] == 0] for code, of in rows.items()}
        self.texts = [statement(metadata[code]["templates"][0], row["sub_label"], answer)
                      for code, of in self.rows.items() for row in of for answer in metadata[code]["answer_space_labels"]]

    def scores(self, model, dtype, softmax_dtype=None):
        weights, tokenizer = loaded(model)
        harness = HFLM(pretrained=weights.to(getattr(torch, dtype)), tokenizer=tokenizer, softmax_dtype=softmax_dtype, batch_size=16)
        asked = [Instance("loglikelihood", {}, ("", text), i) for i, text in enumerate(self.texts)]
        scores = iter([score for score, _ in harness.loglikelihood(asked, disable_tqdm=True)])
        return {code: [([next(scores) for _ in row["pll_scores"]], row["answer_idx"]) for row in of] for code, of in self.rows.items()}


def lm_pub_quiz(model, bear, limit, codes):
    weights, tokenizer = loaded(model)
    evaluator = Evaluator.from_model(weights, model_type="CLM", tokenizer=tokenizer)
    made = {}
    for relation in Dataset.from_path(bear):
        if relation.relation_code not in codes:
            continue
        first = relation.filter_subset(range(int(limit)), keep_answer_space=True)
        table = evaluator.evaluate_relation(first, template_index=0, batch_size=16).instance_table
        made[relation.relation_code] = list(zip(table["pll_scores"].tolist(), table["answer_idx"].tolist(), strict=True))
    return made


def worst(ours, theirs):
    """The largest difference of two scores in nats, and how many scores were compared."""
    gaps = [abs(a - b) for code in ours for (one, _), (other, _) in zip(ours[code], theirs[code], strict=True)
            for a, b in zip(one, other, strict=True)]
    return max(gaps), len(gaps)


def accuracies(table):
    """(over all facts, mean of relations); the first option of a tie is the answer, as in both programs."""
    right = {code: [max(range(len(scores)), key=scores.__getitem__) == answer for scores, answer in of] for code, of in table.items()}
    return sum(map(sum, right.values())) / sum(map(len, right.values())), sum(sum(r) / len(r) for r in right.values()) / len(right)


def tied(table):
    """Facts with several options that share the best score."""
    return sum(scores.count(max(scores)) > 1 for of in table.values() for scores, _ in of)


def main():
    plumb, model, bear, out, limit = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]), sys.argv[5]
    rows = probe(plumb, model, bear, out / "bos", limit, "--bos", "yes")
    without = probe(plumb, model, bear, out / "no-bos", limit, "--bos", "no")
    ours = under(rows, 0)
    harness = Harness(rows, bear)
    f32 = harness.scores(model, "float32")
    for name, theirs in (("lm-evaluation-harness", f32), ("lm-pub-quiz", lm_pub_quiz(model, bear, limit, set(rows)))):
        gap, count = worst(ours, theirs)
        print(f"{name + ', F32:':28} worst of {count} differences from plumb {gap:.1e} nats", flush=True)
    table = [("BOS, template 0", ours), ("BOS, template 1", under(rows, 1)), ("BOS, template 2", under(rows, 2)),
             ("BOS, all templates", under(rows, None)), ("no BOS, template 0", under(without, 0)),
             ("no BOS, all templates", under(without, None)),
             ("harness, BF16", harness.scores(model, "bfloat16")),
             ("harness, BF16, F32 softmax", harness.scores(model, "bfloat16", "float32"))]
    print(f"{'':28}{'over all facts':>16}{'mean of relations':>19}{'facts with a tie':>18}")
    for name, scored in table:
        facts, relations = accuracies(scored)
        print(f"{name:28}{facts:16.4f}{relations:19.4f}{tied(scored):18}", flush=True)


if __name__ == "__main__":
    main()
