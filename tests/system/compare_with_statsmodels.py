# SPDX-License-Identifier: Apache-2.0
"""Paired tests of random runs, in plumb compare and in scipy and statsmodels; run by the peer's Python.

Arguments: the program plumb, the number of inputs, and in the largest input the number of facts that only one of two
models knows. Prints the number of inputs and of numbers and, by name, the largest difference found: absolute, but
relative for p.
"""
import csv
import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests

MASK = 2 ** 64 - 1
worst, numbers = {}, 0


class Stream:
    """core/random.hpp: std::mt19937_64, seeded with a number and a name."""

    def __init__(self, seed, name):
        hashed = 0xcbf29ce484222325
        for byte in name.encode():
            hashed = (hashed ^ byte) * 0x100000001b3 & MASK
        z = (seed + hashed + 0x9e3779b97f4a7c15) & MASK
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        state = [z ^ z >> 31]
        for i in range(1, 312):
            state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) & MASK)
        self.state, self.at = state, 312

    def word(self):
        state = self.state
        if self.at == 312:
            for i in range(312):
                x = state[i] & 0xFFFFFFFF80000000 | state[(i + 1) % 312] & 0x7FFFFFFF
                state[i] = state[(i + 156) % 312] ^ x >> 1 ^ (0xB5026F5AA96619E9 if x & 1 else 0)
            self.at = 0
        x = state[self.at]
        self.at += 1
        x ^= x >> 29 & 0x5555555555555555
        x ^= x << 17 & 0x71D67FFFEDA60000
        x ^= x << 37 & 0xFFF7EEE000000000
        return x ^ x >> 43

    def below(self, n):
        product = (self.word() >> 32) * n
        if product & 0xFFFFFFFF < n:
            reject = 2 ** 32 % n
            while product & 0xFFFFFFFF < reject:
                product = (self.word() >> 32) * n
        return product >> 32


def compare(name, ours, theirs, relative=False):
    global numbers
    numbers += 1
    missing = theirs is None or (isinstance(theirs, float) and math.isnan(theirs))
    if missing or ours is None:
        difference = 0.0 if missing and ours is None else math.inf
    else:
        difference = abs(float(ours) - float(theirs)) / (abs(float(theirs)) if relative and theirs else 1)
    if difference > worst.get(name, -1.0):
        worst[name] = difference


def check_interval(name, found, value, draws, count):
    compare(name, found["value"], value)
    compare(name + " count", found["count"], count)
    low, high = np.quantile(draws, [0.025, 0.975])
    if high - low <= 1e-12:
        low = high = None
    compare(name + " interval", found["low"], low)
    compare(name + " interval", found["high"], high)
    return low is not None


def check_facts_interval(found, counts):
    """In the exact distribution of resampled facts, 2.5% are below and above the ends, up to the error of 1,000 draws."""
    both, first, second, neither = counts
    n = sum(counts)
    compare("difference", found["value"], (first - second) / n)
    compare("difference count", found["count"], n)
    if first + second == 0 or first == n or second == n:
        compare("difference interval", found["low"], None)
        return
    if n > 60 or found["low"] is None:
        return
    share = {0: 1.0}  # of the sum of n draws from n facts
    for _ in range(n):
        drawn = {}
        for at, p in share.items():
            for step, count in ((1, first), (-1, second), (0, both + neither)):
                drawn[at + step] = drawn.get(at + step, 0.0) + p * count / n
        share = drawn
    below = sum(p for d, p in share.items() if d < found["low"] * n - 1e-9)
    above = sum(p for d, p in share.items() if d > found["high"] * n + 1e-9)
    up_to = sum(p for d, p in share.items() if d <= found["low"] * n + 1 + 1e-9)
    down_to = sum(p for d, p in share.items() if d >= found["high"] * n - 1 - 1e-9)
    margin = 0.02  # four standard deviations of a share of 0.025 among 1,000
    outside = max(below, above) > 0.025 + margin or min(up_to, down_to) < 0.025 - margin
    compare("resampled facts outside", outside, False)


def write_run(folder, relations, model, options, templates):
    """A results folder as lm-pub-quiz writes it. `relations`: {code: {(instance, template): scores}}; a fact's answer is its
    instance modulo the number of options."""
    folder.mkdir()
    metadata = {}
    for code, rows in relations.items():
        metadata[code] = {"templates": [f"[X] {t} [Y]." for t in range(templates)],
                          "answer_space_labels": [f"o{o}" for o in range(options)], "reduction": "sum", "relation_info": {}}
        with open(folder / f"{code}_results.jsonl", "w") as out:
            for (instance, template), scores in rows.items():
                out.write(json.dumps({"sub_id": f"s{instance}", "sub_label": f"s{instance}", "sub_aliases": [],
                                      "answer_idx": instance % options, "template_index": template,
                                      "instance_index": instance, "pll_scores": scores}) + "\n")
    (folder / "metadata_results.json").write_text(json.dumps(metadata))
    (folder / "run.json").write_text(json.dumps({"settings": {"model": model}}))


def first_best(scores):
    return max(range(len(scores)), key=scores.__getitem__)


def is_right(scores, answer):
    return scores.count(max(scores)) == 1 and first_best(scores) == answer


def pair_counts(first, second, options):
    """The four counts, and facts with the same answer, of one relation of two models; None if they share no facts."""
    templates = sorted({t for _, t in first} & {t for _, t in second})
    instances = sorted({i for i, _ in first} & {i for i, _ in second})
    if not templates or not instances:
        return None
    counts, same = [0, 0, 0, 0], 0
    for i in instances:
        known = [2 * sum(is_right(rows[i, t], i % options) for t in templates) > len(templates) for rows in (first, second)]
        counts[(0 if known[1] else 1) if known[0] else (2 if known[1] else 3)] += 1
        same += first_best(first[i, templates[0]]) == first_best(second[i, templates[0]])
    return counts, same


def check_test(found, counts, same):
    both, first, second, neither = counts
    n = sum(counts)
    for key, value in zip(("both", "only_first", "only_second", "neither"), counts):
        compare("counts", found[key], value)
    compare("counts", found["facts"], n)
    p = binomtest(first, first + second).pvalue if first + second else 1.0
    compare("p", found["p"], p, relative=True)
    if first + second:
        compare("p of statsmodels", found["p"], mcnemar([[both, first], [second, neither]], exact=True).pvalue)
    compare("accuracy", found["first_accuracy"], (both + first) / n)
    compare("accuracy", found["second_accuracy"], (both + second) / n)
    compare("cohens_g", found["cohens_g"], first / (first + second) - 0.5 if first + second else None)
    compare("agreement", found["agreement"], (both + neither) / n)
    with np.errstate(invalid="ignore", divide="ignore"):
        kappa = float(cohens_kappa(np.array([[both, first], [second, neither]])).kappa)
    compare("kappa", found["kappa"], None if both == n or neither == n else kappa)
    compare("same_answer", found["same_answer"], same / n)
    return p


def check_case(plumb, folder, runs, options, templates, replayed=True):
    folder.mkdir()
    for m, relations in enumerate(runs):
        write_run(folder / f"run{m}", relations, f"m{m}", options, templates)
    out = folder / "out"
    subprocess.run([plumb, "compare", *(folder / f"run{m}" for m in range(len(runs))), "--out", out, "--seed", "7"], check=True,
                   capture_output=True, text=True)
    metrics = json.loads((out / "metrics.json").read_text())
    pairs = list(itertools.combinations(range(len(runs)), 2))
    compare("pairs", len(metrics["paired_tests"]), len(pairs))
    overall, by_relation = [], []
    for (a, b), found in zip(pairs, metrics["paired_tests"]):
        compare("models", found["models"] == [f"m{a}", f"m{b}"], True)
        tests = {code: pair_counts(runs[a][code], runs[b][code], options) for code in runs[a] if code in runs[b]}
        tests = {code: test for code, test in tests.items() if test is not None}
        compare("relations", list(found["relations"]) == list(tests), True)
        compare("relations", found["shared_relations"], len(tests))
        if not tests:
            compare("p", found["p"], None)
            compare("mean_difference", found["mean_difference"], None)
            continue
        table = np.array([counts for counts, _ in tests.values()])
        n = table.sum(axis=1)
        differences = (table[:, 1] - table[:, 2]) / n
        overall.append((found, check_test(found, [int(c) for c in table.sum(axis=0)], sum(same for _, same in tests.values()))))
        for code, (counts, same) in tests.items():
            one = found["relations"][code]
            by_relation.append((one, check_test(one, counts, same)))
            check_facts_interval(one["difference"], counts)
        compare("mean accuracy", found["mean_first_accuracy"], np.mean((table[:, 0] + table[:, 1]) / n))
        compare("mean accuracy", found["mean_second_accuracy"], np.mean((table[:, 0] + table[:, 2]) / n))
        if len(tests) == 1:
            for key in ("difference", "mean_difference"):
                compare("one relation", found[key] == next(iter(found["relations"].values()))["difference"], True)
            continue
        if not replayed:
            continue
        stream = Stream(7, "paired relations")
        drawn = np.array([[stream.below(len(tests)) for _ in tests] for _ in range(1000)])
        has = check_interval("overall difference", found["difference"], (table[:, 1].sum() - table[:, 2].sum()) / n.sum(),
                             (table[:, 1] - table[:, 2])[drawn].sum(axis=1) / n[drawn].sum(axis=1), n.sum())
        compare("method", found["difference"]["interval"] == ("bootstrap of relations" if has else "none"), True)
        check_interval("mean_difference", found["mean_difference"], differences.mean(), differences[drawn].mean(axis=1), n.sum())
    for tests in (overall, by_relation):
        if tests:
            adjusted = multipletests([p for _, p in tests], method="holm")[1]
            for (found, _), p in zip(tests, adjusted):
                compare("p_holm", found["p_holm"], p, relative=True)
    check_ranks(metrics)
    check_facts(out, metrics, runs, options)


def check_ranks(metrics):
    models = metrics["models"]
    for name, model in models.items():
        if model["accuracy"] is None:
            compare("rank", model["rank"], None)
            continue
        rank = 1
        for test in metrics["paired_tests"]:
            if name in test["models"] and test["p_holm"] is not None and test["p_holm"] < 0.05:
                other = test["models"][1 - test["models"].index(name)]
                rank += models[other]["accuracy"]["value"] > model["accuracy"]["value"]
        compare("rank", model["rank"], rank)


def check_facts(out, metrics, runs, options):
    with open(out / "facts.csv", newline="") as file:
        found = {(row["relation"], int(row["instance"])): row for row in csv.DictReader(file)}
    expected, alone = 0, [0] * len(runs)
    for code in dict.fromkeys(code for run in runs for code in run):
        asked = {m: run[code] for m, run in enumerate(runs) if code in run}
        templates_of = {m: sorted({t for _, t in rows}) for m, rows in asked.items()}
        common = set.intersection(*map(set, templates_of.values()))
        for i in sorted({i for rows in asked.values() for i, _ in rows}):
            known, answers = {}, {}
            for m, rows in asked.items():
                own = [t for t in templates_of[m] if (i, t) in rows]
                counted = [t for t in own if t in common] or own
                if own:
                    known[m] = 2 * sum(is_right(rows[i, t], i % options) for t in counted) > len(counted)
                    answers[m] = f"o{first_best(rows[i, counted[0]])}"
            if len(known) < 2:
                continue
            expected += 1
            row = found[code, i]
            compare("facts", (row["subject"], row["answer"], int(row["known_by"]), int(row["asked"])) ==
                    (f"s{i}", f"o{i % options}", sum(known.values()), len(known)), True)
            for m in range(len(runs)):
                cells = row[f"answer:m{m}"], row[f"known:m{m}"]
                compare("facts", cells == ((answers[m], str(int(known[m]))) if m in known else ("", "")), True)
                if m > 0:
                    change = "" if not {0, m} <= set(known) or known[0] == known[m] else "lost" if known[0] else "gained"
                    compare("facts", row[f"change:m{m}"] == change, True)
            if sum(known.values()) == 1:
                alone[next(m for m in known if known[m])] += 1
    compare("facts", len(found), expected)
    compare("facts", metrics["facts"]["compared"], expected)
    for m, count in enumerate(alone):
        compare("known_alone", metrics["models"][f"m{m}"]["known_alone"], count)


def random_runs(random, case):
    """Models of different skill over the same facts; some lack facts, templates or relations; scores contain ties."""
    options, templates = int(random.integers(2, 5)), int(random.integers(1, 5))
    codes = [f"P{r}" for r in range(int(random.integers(1, 7)))]
    sizes = {code: int(random.integers(1, 50)) for code in codes}
    runs = []
    for m in range(int(random.integers(2, 5))):
        skill = random.random() * 3
        relations = {}
        for code in codes:
            if case % 5 == 1 and code != "P0" and random.random() < 0.3:
                continue
            instances = [i for i in range(sizes[code]) if case % 4 != 2 or i == 0 or random.random() < 0.8]
            own = [t for t in range(templates) if case % 3 != 1 or t == 0 or random.random() < 0.7]
            relations[code] = {}
            for i in instances:
                for t in own:
                    scores = [-float(random.integers(2, 8 if case % 2 else 40)) for _ in range(options)]
                    scores[i % options] = min(-0.5, scores[i % options] + float(round(skill * random.random() * 3)))
                    relations[code][i, t] = scores
        runs.append(relations)
    return runs, options, templates


def many_discordant(discordant):
    """Two models over one relation, 0.3 points apart among the facts that only one of them knows, and some facts that both
    know."""
    first = discordant // 2 + discordant // 300
    runs = [{"P1": {}}, {"P1": {}}]
    for i in range(discordant + 50):
        for m, rows in enumerate(runs):
            right = i >= discordant or (i < first) == (m == 0)
            rows["P1"][i, 0] = [-1.0, -2.0] if right == (i % 2 == 0) else [-2.0, -1.0]
    return runs, 2, 1


def main():
    plumb, inputs, discordant = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    random = np.random.default_rng(11)
    with tempfile.TemporaryDirectory() as folder:
        for case in range(inputs):
            check_case(plumb, pathlib.Path(folder) / str(case), *random_runs(random, case))
        check_case(plumb, pathlib.Path(folder) / "large", *many_discordant(discordant))
    print(json.dumps({"inputs": inputs + 1, "numbers": numbers, "worst": worst}))


main()
