# SPDX-License-Identifier: Apache-2.0
"""Times `plumb calibrate` on made-up results of many models, and a numpy and scikit-learn version.

Arguments: the program, a work folder, templates, models, rounds. The Python version reads one model and computes accuracy,
ACE, Brier score, log loss and AUROC of Base and Margin for bootstrap resamples: for 50 over all facts, and for 5 also over
each domain, cardinality and relation, as plumb does. Its time is scaled to 1,000 resamples and all models. plumb computes
more than either: 14 metrics, curves, option counts, recalibration, CSV files and the page.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

FACTS, OPTIONS, RELATIONS, RESAMPLES, RESAMPLES_BY_GROUP = 7731, 60, 60, 50, 5
program, work = sys.argv[1], pathlib.Path(sys.argv[2])
templates, models, rounds = map(int, sys.argv[3:])
PLAIN = ["[X] is [Y].", "It is [Y] that [X] is.", "[X] was [Y].", "[Y] is [X].", "[Y] was [X]."]
MARKED = ["[X] is possibly [Y].", "[X] is certainly [Y]."] + [f"I'm {x}% confident [X] is [Y]." for x in (0, 25, 50, 75, 100)]
TEXTS = (PLAIN + MARKED)[:templates]


def write_model(folder, seed):
    random = np.random.default_rng(seed)
    folder.mkdir()
    metadata = {}
    sizes = [FACTS // RELATIONS + (1 if r < FACTS % RELATIONS else 0) for r in range(RELATIONS)]
    for r, size in enumerate(sizes):
        code = f"P{r}"
        info = {"domains": [f"domain {r % 9}"], "cardinality": "multiple instances per answer"}
        if r < 14:
            info["cardinality"] = "single instance per answer"
        metadata[code] = {"templates": TEXTS, "model_name_or_path": f"model {seed}", "reduction": "sum",
                          "dataset_name": "made up", "relation_info": info,
                          "answer_space_labels": [f"option {i}" for i in range(OPTIONS)]}
        answers = random.integers(0, OPTIONS, size)
        with open(folder / f"{code}_results.jsonl", "w", encoding="utf-8") as out:
            for instance, answer in enumerate(answers):
                fact = random.normal(0, 1.5, OPTIONS)
                fact[answer] += 0.1 * seed
                for t in range(templates):
                    scores = -60 + 2 * (fact + random.normal(0, 1, OPTIONS))
                    out.write(json.dumps({"sub_label": f"subject {instance}", "answer_idx": int(answer),
                                          "template_index": t, "instance_index": instance,
                                          "pll_scores": scores.round(10).tolist()}) + "\n")
    (folder / "metadata_results.json").write_text(json.dumps(metadata))


def in_python(folder):
    """Seconds for reading, for one resample of both estimators over all facts, and for one over all facts and every group."""
    start = time.perf_counter()
    metadata = json.loads((folder / "metadata_results.json").read_text())
    confidence, margin, correct, groups = [], [], [], {}
    for file in sorted(folder.glob("*_results.jsonl")):
        code = file.name.removesuffix("_results.jsonl")
        info = metadata[code]["relation_info"]
        for line in file.read_text().splitlines():
            row = json.loads(line)
            if row["template_index"] != 0:
                continue
            scores = np.array(row["pll_scores"])
            p = np.exp(scores - scores.max())
            p /= p.sum()
            top = np.partition(p, -2)[-2:]
            for group in (code, info["cardinality"], *info["domains"]):
                groups.setdefault(group, []).append(len(correct))
            confidence.append(top[1])
            margin.append(top[1] - top[0])
            correct.append(int(scores.argmax() == row["answer_idx"]))
    read = time.perf_counter() - start
    y, confidences = np.array(correct), (np.array(confidence), np.array(margin))
    everything = [np.arange(len(y))]
    one = seconds_of_resample(y, confidences, everything, RESAMPLES)
    return read, one, seconds_of_resample(y, confidences, everything + list(map(np.array, groups.values())), RESAMPLES_BY_GROUP)


def seconds_of_resample(y, confidences, groups, resamples):
    random = np.random.default_rng(0)
    start = time.perf_counter()
    for _ in range(resamples):
        for group in groups:
            chosen = group[random.integers(0, len(group), len(group))]
            right = y[chosen]
            for c in (values[chosen] for values in confidences):
                true, predicted = calibration_curve(right, c, n_bins=20, strategy="quantile")
                np.mean(np.abs(true - predicted))
                brier_score_loss(right, c, pos_label=1)
                log_loss(right, np.clip(c, 1e-12, 1 - 1e-12), labels=[0, 1])
                if 0 < right.sum() < len(right):  # otherwise there is no AUROC
                    roc_auc_score(right, c)
    return (time.perf_counter() - start) / resamples


print(f"{models} models, {FACTS} facts, {OPTIONS} options, {templates} templates, 1000 resamples, "
      f"{os.cpu_count()} cores")
folders = [work / f"model{m}" for m in range(models)]
for m, folder in enumerate(folders):
    write_model(folder, m)
size = sum(f.stat().st_size for folder in folders for f in folder.iterdir())
ratios = {"": [], ", all groups": []}
for turn in range(rounds):
    start = time.perf_counter()
    subprocess.run([program, "calibrate", *map(str, folders), "--out", str(work / f"out{turn}")], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    ours = time.perf_counter() - start
    print(f"plumb calibrate: {ours:.1f} s, from {size / 1e6:.0f} MB of results files to the page")
    read, *resamples = in_python(folders[0])
    for name, (suffix, found), resample in zip(("over all facts", "also over each group"), ratios.items(), resamples, strict=True):
        theirs = models * (read + 1000 * resample)
        print(f"numpy and scikit-learn, {name}: reading one model {read:.1f} s, one resample {1000 * resample:.0f} ms; "
              f"{theirs:.0f} s for all models and 1000 resamples (extrapolated; Base and Margin)")
        found.append(theirs / ours)
for suffix, found in ratios.items():
    print(f"ratio{suffix}: {statistics.median(found):.2f} (from {min(found):.2f} to {max(found):.2f})")
