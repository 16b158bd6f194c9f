#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Queries and entities per second of plumb's DEER and of the reference's method, and whether they agree.

The reference encodes one prompt at a time with transformers and takes the last hidden state of its last token. So do the
loops below, with the same F32 weights, prompts and threads: one requests all hidden states from the causal language
model, as programs based on PromptEOL do; the other runs only its decoder, without the LM head. Their clocks run over
tokenizer and model only, plumb's over its model.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy
import torch
from products import SMOLLM2_135M, Products
from transformers import AutoModelForCausalLM, AutoTokenizer

THREADS = 2


def read_pairs(file):
    return dict(line.split("\t", 1) for line in file.read_text().splitlines() if line)


def write_part(data, folder, count, turn):
    """A graph of entities whose names are next to each other in sorted order, so that they share as many prefixes as in
    the whole graph."""
    lines = sorted((data / "entity2text.txt").read_text().splitlines(), key=lambda line: line.split("\t", 1)[1])
    begin = len(lines) * (2 * turn + 1) // 7
    chosen = lines[begin:begin + count]
    ids = [line.split("\t", 1)[0] for line in chosen]
    relation = next(iter(read_pairs(data / "relation2text.txt")))
    folder.mkdir()
    (folder / "entity2text.txt").write_text("".join(line + "\n" for line in chosen))
    (folder / "relation2text.txt").write_text((data / "relation2text.txt").read_text())
    triples = [f"{head}\t{relation}\t{tail}\n" for head, tail in zip(ids, ids[1:])]
    (folder / "train.tsv").write_text("".join(triples[1:]))
    (folder / "test.tsv").write_text(triples[0])


def main():
    parser = argparse.ArgumentParser()
    for name in ("plumb", "model", "data"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--sample", type=int, default=600, help="entities that plumb embeds per round")
    parser.add_argument("--encoded", type=int, default=40, help="prompts of each kind that a loop encodes per round")
    parser.add_argument("--queries", type=int, default=500, help="queries that plumb embeds per round")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    data = pathlib.Path(arguments.data)
    texts = {id_: (text.split(", ", 1) + ["-"])[:2] for id_, text in read_pairs(data / "entity2text.txt").items()}
    relations = read_pairs(data / "relation2text.txt")
    torch.set_num_threads(THREADS)
    where = {"pretrained_model_name_or_path": os.path.dirname(arguments.model),
             "gguf_file": os.path.basename(arguments.model)}
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(**where)

    def causal(tokens):
        return model(**tokens, output_hidden_states=True).hidden_states[-1]

    def decoder(tokens):
        return model.model(**tokens).last_hidden_state

    def encode(prompts, states):
        began, rows = time.monotonic(), []
        with torch.no_grad():
            for prompt in prompts:
                tokens = tokenizer(prompt, return_tensors="pt", add_special_tokens=False)
                rows.append(states(tokens)[0, -1].numpy())
        return len(prompts) / (time.monotonic() - began), numpy.stack(rows)

    def encode_batches(prompts, batch=16):
        """Only the decoder, over batches of prompts of similar length, padded on the right."""
        began, rows = time.monotonic(), [None] * len(prompts)
        encoded = [tokenizer(prompt, add_special_tokens=False)["input_ids"] for prompt in prompts]
        order = sorted(range(len(prompts)), key=lambda i: len(encoded[i]))
        with torch.no_grad():
            for first in range(0, len(order), batch):
                part = order[first:first + batch]
                longest = max(len(encoded[i]) for i in part)
                ids = torch.tensor([encoded[i] + [0] * (longest - len(encoded[i])) for i in part])
                mask = torch.tensor([[1] * len(encoded[i]) + [0] * (longest - len(encoded[i])) for i in part])
                states = model.model(input_ids=ids, attention_mask=mask).last_hidden_state
                for row, i in zip(states, part):
                    rows[i] = row[len(encoded[i]) - 1].numpy()
        return len(prompts) / (time.monotonic() - began), numpy.stack(rows)

    shares = {"queries": [], "entities": []}  # the time of the matrix products by themselves, as a share of plumb's time in the model
    knows_shape = os.path.basename(arguments.model).startswith("SmolLM2-135M")
    loops = ("causal model", "decoder alone", "sorted batches")
    speeds = []
    ratios = {(kind, loop): [] for kind in ("queries", "entities") for loop in loops}
    print(f"{data.name}, {os.path.basename(arguments.model)}, {THREADS} threads: {arguments.queries} tail queries of the test part, "
          f"{arguments.sample} neighbouring entities; the loops encode {arguments.encoded} prompts of each kind")
    for turn in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)

            def rank(out, graph, *words):
                subprocess.run([arguments.plumb, "rank", "--data", graph, "--model", arguments.model,
                                "--out", folder / out, "--threads", str(THREADS), *words], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                record = json.loads((folder / out / "run.json").read_text())
                if knows_shape:
                    alone = Products(SMOLLM2_135M, THREADS)
                    speeds.append(alone.layers_speed)
                    least = alone.seconds(record["tokens_fed"], record["statements"], with_logits=False)
                    shares[out].append(least / record["seconds_model"])
                return record["seconds_by_part"]

            write_part(data, folder / "part", arguments.sample, turn)
            seconds = rank("entities", folder / "part", "--limit", "1")
            # The queries' time does not depend on the entities that they are ranked among.
            width = numpy.load(folder / "entities" / "entities.npy", mmap_mode="r").shape[1]
            numpy.save(folder / "any.npy", numpy.random.default_rng(0).standard_normal((len(texts), width), "float32"))
            (folder / "any.txt").write_text("".join(id_ + "\n" for id_ in texts))
            seconds["queries"] = rank("queries", data, "--entities", folder / "any.npy", "--limit", str(arguments.queries))["queries"]
            asked = len((folder / "queries" / "deer_ranks.jsonl").read_text().splitlines())
            shots = json.loads((folder / "queries" / "metadata_rank.json").read_text())["shots"]
            said = []
            for kind in ("queries", "entities"):
                names = (folder / kind / f"{kind}.txt").read_text().splitlines()
                vectors = numpy.load(folder / kind / f"{kind}.npy", mmap_mode="r")
                chosen = range(0, len(names), max(1, len(names) // arguments.encoded))[:arguments.encoded]
                if kind == "queries":
                    before = "".join(f"({texts[h][0]}, {relations[r]}, {texts[t][0]})\n" for h, r, t in shots) + "\n"
                    parts = [names[i].split(" ", 1) for i in chosen]
                    prompts = [f"{before}({texts[h][0]}, {relations[r]}, " for h, r in parts]
                else:
                    prompts = [f"{name} - {description}\n"
                               f"This sentence: \"{{word}}\" means in one word: \"{{one word}}\"\n"
                               f"This sentence: \"{name}\" means in one word: \""
                               for name, description in (texts[names[i]] for i in chosen)]
                ours = (asked if kind == "queries" else len(names)) / seconds[kind]
                rates, worst = [], 0
                for loop, run in zip(loops, (lambda: encode(prompts, causal), lambda: encode(prompts, decoder), lambda: encode_batches(prompts))):
                    rate, rows = run()
                    rates.append(rate)
                    ratios[kind, loop].append(ours / rate)
                    worst = max(worst, numpy.abs(rows - vectors[list(chosen)]).max() / numpy.abs(rows).max())
                said.append(f"{kind}: transformers {rates[0]:.1f}/s, {rates[1]:.1f}/s without LM head, {rates[2]:.1f}/s in sorted batches, "
                            f"plumb {ours:.1f}/s, largest difference {worst:.1e} of the largest number")
            print(f"round {turn + 1}: " + "; ".join(said), flush=True)
    for (kind, loop), values in ratios.items():
        print(f"ratio, {kind}, {loop}: {statistics.median(values):.2f} (from {min(values):.2f} to {max(values):.2f})")
    if knows_shape:  # what the ratios would be if plumb computed nothing but its matrix products
        for (kind, loop), values in ratios.items():
            most = [ratio / share for ratio, share in zip(values, shares[kind], strict=True)]
            print(f"limit, {kind}, {loop}: {statistics.median(most):.2f}")
        print("the products alone would take " + " and ".join(f"{statistics.median(found):.2f} of the time of {kind}" for kind, found in shares.items()) +
              f", at {statistics.median(speeds):.0f} GFLOP/s per thread")


if __name__ == "__main__":
    main()
