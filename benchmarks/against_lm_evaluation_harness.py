# SPDX-License-Identifier: Apache-2.0
"""lm-evaluation-harness's task `bear` and lm-pub-quiz on BEAR: is a statement's score the same, and what else moves the accuracy?

The task asks whole statements behind an empty context, so the harness scores them behind BOS (or EOS where a model has no BOS), all
their tokens, and takes the likeliest. plumb's --bos yes --span statement --reduction sum is the same rule, and so is lm-pub-quiz's.
Scores are compared over a sample; then plumb's accuracy is shown under each choice in which programs and versions differ.

    against_lm_evaluation_harness.py PLUMB MODEL.gguf BEAR OUT FACTS_PER_RELATION
"""

import json
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM


def probe(plumb, model, bear, out, limit, *more):
    subprocess.run([plumb, "probe", "--data", bear, "--model", model, "--limit", limit, "--templates", "all", "--out", out, "--quiet",
                    *more], check=True)
    rows = {}
    for file in sorted(out.glob("*_results.jsonl")):
        rows[file.name.removesuffix("_results.jsonl")] = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return rows


def statement(template, subject, answer):
    text = template.replace("[X]", subject).replace("[Y]", answer)
    return text[:1].upper() + text[1:]


def worst_difference(model, bear, rows):
    """Over every tenth relation's first facts under template 0: the largest difference in nats, and how many scores."""
    metadata = json.loads((bear / "metadata_relations.json").read_text(encoding="utf-8"))
    path = pathlib.Path(model)
    harness = HFLM(pretrained=str(path.parent), gguf_file=path.name, dtype="float32", device="cpu", batch_size=16)
    asked, own = [], []
    for code in sorted(rows)[::10]:
        for row in [row for row in rows[code] if row["template_index"] == 0][:2]:
            for option, answer in enumerate(metadata[code]["answer_space_labels"]):
                text = statement(metadata[code]["templates"][0], row["sub_label"], answer)
                asked.append(Instance("loglikelihood", {}, ("", text), len(asked)))
                own.append(row["pll_scores"][option])
    scores = [score for score, _ in harness.loglikelihood(asked, disable_tqdm=True)]
    return max(abs(a - b) for a, b in zip(scores, own, strict=True)), len(own)


def accuracies(rows, template):
    """(over all facts, mean of relations) under a template, or under all of them; the first of a tie is the answer."""
    right = {code: [max(range(len(row["pll_scores"])), key=row["pll_scores"].__getitem__) == row["answer_idx"]
                    for row in of if template is None or row["template_index"] == template] for code, of in rows.items()}
    return sum(map(sum, right.values())) / sum(map(len, right.values())), sum(sum(r) / len(r) for r in right.values()) / len(right)


def main():
    plumb, model, bear, out, limit = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]), sys.argv[5]
    runs = {"BOS": probe(plumb, model, bear, out / "bos", limit), "no BOS": probe(plumb, model, bear, out / "no-bos", limit, "--bos", "no")}
    worst, compared = worst_difference(model, bear, runs["BOS"])
    print(f"{compared} statements: worst difference from lm-evaluation-harness {worst:.1e} nats")
    print(f"{'':28}{'over all facts':>16}{'mean of relations':>19}")
    for name, rows in runs.items():
        for template in (0, 1, 2, None):
            facts, relations = accuracies(rows, template)
            where = "all templates" if template is None else f"template {template}"
            print(f"{name + ', ' + where:28}{facts:16.4f}{relations:19.4f}")


if __name__ == "__main__":
    main()
