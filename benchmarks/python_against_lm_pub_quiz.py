#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statements per second of plumb_probe's trees and of lm-pub-quiz, in turn, with one transformers model on one torch.

    python3 benchmarks/python_against_lm_pub_quiz.py MODEL_FOLDER BEAR [--relations P30,P36] [--limit 20] [--rounds 3] [--threads 2]
Needs torch, transformers, lm-pub-quiz and plumb_probe in one environment. lm-pub-quiz gets its best batch size, measured
on the first relation; tree sizes are measured in the same way. Fails if scores differ by a thousandth of a nat.
"""
import argparse
import statistics
import time

from against_lm_pub_quiz import best_batch_size, choose_relations, run_peer  # first, as it keeps the peer's progress bars quiet
import numpy
import torch
from lm_pub_quiz import Evaluator
from transformers import AutoModelForCausalLM, AutoTokenizer

import plumb_probe


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("--relations", default="P30,P36")
    for name, value in (("limit", 20), ("rounds", 3), ("threads", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    print(" ".join(f"{name} {value}" for name, value in vars(given).items()), flush=True)
    torch.set_num_threads(given.threads)
    model = AutoModelForCausalLM.from_pretrained(given.model, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(given.model)
    evaluator = Evaluator.from_model(model, model_type="CLM", tokenizer=tokenizer)
    codes = given.relations.split(",")
    relations = choose_relations(given.data, codes, given.limit)
    batch_size = best_batch_size(evaluator, relations[:1], (1, 8, 32, 64))

    def run_trees(nodes, some):
        engine = plumb_probe.TransformersEngine(model, tokenizer, tree_nodes=nodes)
        began, cpu = time.monotonic(), time.process_time()
        answers = plumb_probe.probe(engine, given.data, relations=some, limit=given.limit)
        return time.monotonic() - began, time.process_time() - cpu, answers

    tried = {nodes: run_trees(nodes, codes[:1])[0] for nodes in (128, 256, 512, 1024)}
    print("seconds of the first relation by nodes of a tree: " + ", ".join(f"{n}: {s:.2f}" for n, s in tried.items()), flush=True)
    nodes = min(tried, key=tried.get)
    ratios, cpu_ratios = [], []
    for number in range(given.rounds):
        peer_seconds, peer_cpu, statements, scores = run_peer(evaluator, relations, batch_size)
        seconds, cpu, answers = run_trees(nodes, codes)
        worst = max(float(numpy.abs(numpy.array(scores[code]) - answers[code].log_likelihoods[:, 0]).max()) for code in codes)
        assert worst < 1e-3, f"scores differ by {worst} nats"
        ratios.append(peer_seconds / seconds)
        cpu_ratios.append(peer_cpu / cpu)
        print(f"round {number + 1}: lm-pub-quiz {statements / peer_seconds:.1f} statements/s, plumb_probe {statements / seconds:.1f}; "
              f"largest difference {worst:.1e} nats", flush=True)
    for name, found in (("by the clock", ratios), ("CPU seconds", cpu_ratios)):
        print(f"ratio, {name}: {statistics.median(found):.2f} (from {min(found):.2f} to {max(found):.2f})", flush=True)


if __name__ == "__main__":
    main()
