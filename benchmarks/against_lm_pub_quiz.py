#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statements per second of plumb and of lm-pub-quiz, in turn, and whether they agree.

Both score the same statements with the same F32 weights and two threads. lm-pub-quiz gets the fastest batch size on this
machine, measured on the first relation. Its clock runs only over evaluate_relation. plumb's runs over its whole process,
including model loading and report, and also over the model only. On a machine that does other work, the ratio of CPU
seconds varies least.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

os.environ.setdefault("TQDM_DISABLE", "1")
import torch  # noqa: E402
from lm_pub_quiz import Dataset, DatasetResults, Evaluator  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

THREADS = 2


def load_peer(model):
    where = {"pretrained_model_name_or_path": os.path.dirname(model), "gguf_file": os.path.basename(model)}
    weights = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    return Evaluator.from_model(weights, model_type="CLM", tokenizer=AutoTokenizer.from_pretrained(**where))


def run_peer(evaluator, relations, batch_size):
    """Wall-clock and CPU seconds, statements, and the scores by relation."""
    began, cpu, statements, scores = time.monotonic(), time.process_time(), 0, {}
    for relation in relations:
        result = evaluator.evaluate_relation(relation, template_index=0, batch_size=batch_size)
        statements += len(result.instance_table) * len(result.answer_space)
        scores[relation.relation_code] = result.instance_table["pll_scores"].tolist()
    return time.monotonic() - began, time.process_time() - cpu, statements, scores


def choose_relations(data, codes, limit):
    """The first facts of some relations, each with its whole answer space."""
    chosen = {relation.relation_code: relation.filter_subset(range(limit), keep_answer_space=True)
              for relation in Dataset.from_path(data) if relation.relation_code in codes}
    return [chosen[code] for code in codes]


def best_batch_size(evaluator, relations, sizes):
    """The batch size that scores the most statements per second."""
    rates = {}
    for batch_size in sizes:
        seconds, _, statements, _ = run_peer(evaluator, relations, batch_size)
        rates[batch_size] = statements / seconds
    print("lm-pub-quiz statements/s by batch size: " + ", ".join(f"{b}: {r:.1f}" for b, r in rates.items()), flush=True)
    return max(rates, key=rates.get)


def run_plumb(plumb, model, data, codes, limit, options, out):
    words = [plumb, "probe", "--data", data, "--model", model, "--relations", ",".join(codes), "--limit", str(limit),
             "--threads", str(THREADS), "--out", out, *options]
    began, cpu = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime
    return seconds, cpu_seconds, json.loads((pathlib.Path(out) / "run.json").read_text())


def measure(evaluator, plumb, model, data, codes, limit, rounds, sizes=(1, 8, 32, 64), options=(), products=None):
    """Both in turn, at lm-pub-quiz's best batch size. Returns the last run.json. Fails if scores differ. `products`: called with
    run.json after plumb's run in each round, it returns the seconds of the matrix products by themselves, and their GFLOP/s per
    thread."""
    relations = choose_relations(data, codes, limit)
    batch_size = best_batch_size(evaluator, relations[:1], sizes)
    limits, shares, speeds = [], [], []
    ratios = {"whole process": [], "model alone": [], "CPU seconds, whole process": []}
    for round_index in range(rounds):
        peer_seconds, peer_cpu, statements, scores = run_peer(evaluator, relations, batch_size)
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "run"
            seconds, cpu_seconds, run = run_plumb(plumb, model, data, codes, limit, options, out)
            ours = {code: [json.loads(line)["pll_scores"] for line in (out / f"{code}_results.jsonl").open()]
                    for code in codes}
            theirs = DatasetResults.from_path(out).get_metrics("accuracy")
            overall = json.loads((out / "metrics.json").read_text())["all_templates"]["overall"]
            metrics = overall["accuracy_first_wins"]["value"]
        if products is not None:
            least, speed = products(run)
            limits.append(peer_seconds / least)
            shares.append(least / run["seconds_model"])
            speeds.append(speed)
        assert run["statements"] == statements
        worst = max(abs(a - b) for code in codes for mine, other in zip(ours[code], scores[code], strict=True)
                    for a, b in zip(mine, other, strict=True))
        assert worst < 1e-3, f"scores differ by {worst} nats"
        for kind, ratio in zip(ratios, (peer_seconds / seconds, peer_seconds / run["seconds_model"], peer_cpu / cpu_seconds),
                               strict=True):
            ratios[kind].append(ratio)
        print(f"round {round_index + 1}: lm-pub-quiz {statements / peer_seconds:.1f} statements/s, plumb "
              f"{statements / seconds:.1f} (model alone {statements / run['seconds_model']:.1f}); "
              f"largest difference {worst:.1e} nats; accuracy {theirs:.6f} in lm-pub-quiz, {metrics:.6f} in plumb",
              flush=True)
    for kind, found in ratios.items():
        print(f"ratio, {kind}: {statistics.median(found):.2f} (from {min(found):.2f} to {max(found):.2f})", flush=True)
    if products is not None:
        print(f"limit, whole process: {statistics.median(limits):.2f}, as the products alone would take {statistics.median(shares):.2f} "
              f"of the time in the model, at {statistics.median(speeds):.0f} GFLOP/s per thread", flush=True)
    return run


def main():
    parser = argparse.ArgumentParser()
    for name in ("plumb", "model", "data", "relations", "limit"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"model {os.path.basename(arguments.model)}, data {arguments.data}, relations {arguments.relations}, "
          f"first {arguments.limit} facts, template 0, {THREADS} threads, {arguments.rounds} rounds in turn", flush=True)
    torch.set_num_threads(THREADS)
    measure(load_peer(arguments.model), arguments.plumb, arguments.model, arguments.data, arguments.relations.split(","),
            int(arguments.limit), arguments.rounds)


if __name__ == "__main__":
    main()
