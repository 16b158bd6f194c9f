# SPDX-License-Identifier: Apache-2.0
"""How does plumb's time grow with facts, options, shots, entities and threads?

    growth.py PLUMB RANKING MODEL WORK ROUNDS

MODEL is a GGUF file whose tokenizer a tiny random Llama gets, so that nearly all time is plumb's own. RANKING is
build/ranking_against_sgemm. Prints the seconds of each size, and the exponent b of seconds ~ size^b with its 95%
interval, from a least-squares line through the logarithms of all rounds. For facts, options and shots, the time is that of
a whole job without the start-up (the time of a job of one fact), and the line goes through the times above 0.1 s; for
entities, the time is that of the ranking only.
"""
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

THREADS = 2


def write_model(gguf, folder):
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    config = LlamaConfig(vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
                         num_key_value_heads=2, max_position_embeddings=8192, bos_token_id=tokenizer.bos_token_id, tie_word_embeddings=True)
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def write_facts(folder, facts, options):
    """A table of made-up facts under one template."""
    draw = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"

    def name(length):
        return "".join(draw.choice(letters) for _ in range(length)).capitalize()

    names = set()
    while len(names) < options:
        names.add(name(6))
    names = sorted(names)
    subjects = set()
    while len(subjects) < max(facts, options):
        subjects.add(name(7))
    folder.mkdir()
    rows = [f"{subject}\tcapital\t{names[i % options]}\n" for i, subject in enumerate(sorted(subjects))]
    (folder / "facts.tsv").write_text("".join(rows))
    (folder / "facts.json").write_text(json.dumps({"capital": ["The capital of [X] is [Y]."]}))
    return folder / "facts.tsv"


def fit(sizes, seconds):
    """The exponent and half of its 95% interval."""
    points = [(math.log(size), math.log(value)) for size, values in zip(sizes, seconds) for value in values]
    mean_x, mean_y = (statistics.mean(column) for column in zip(*points))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    left = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    return slope, 1.96 * math.sqrt(left / max(1, len(points) - 2) / spread)


def main(plumb, ranking, model, work, rounds):
    work, rounds = pathlib.Path(work), int(rounds)
    tiny = work / "tiny"
    write_model(pathlib.Path(model), tiny)
    count = 0

    def seconds(*words, threads=THREADS):
        nonlocal count
        count += 1
        began = time.monotonic()
        subprocess.run([plumb, *map(str, words), "--model", tiny, "--threads", str(threads), "--out", work / f"run{count}"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - began

    def ranked(entities):
        return json.loads(subprocess.run([ranking, "500", str(entities), "768", "1"], check=True, capture_output=True,
                                         env={**os.environ, "OMP_NUM_THREADS": str(THREADS)}).stdout)["ranking_seconds"]

    facts = {size: write_facts(work / f"facts{size}", size, 50) for size in (100, 400, 1600)}
    options = {size: write_facts(work / f"options{size}", 2, size) for size in (25, 400, 2000, 10_000, 40_000)}
    studies = {
        "facts, 50 options": {size: ["probe", "--data", data] for size, data in facts.items()},
        "options, 2 facts": {size: ["probe", "--data", data, "--limit", 2] for size, data in options.items()},
        "shots, 20 facts, 50 choices": {size: ["many-shot", "--data", facts[1600], "--shots", size, "--seeds", 1, "--choices", 50, "--train", 400,
                                                "--limit", 20] for size in (0, 50, 100, 200, 400)},
    }
    start = statistics.median(seconds("probe", "--data", facts[100], "--limit", 1) for _ in range(3))
    print(f"start: {start:.2f} s")
    made = {}
    for name, sizes in studies.items():
        found = [[] for _ in sizes]
        for _ in range(rounds):
            for values, words in zip(found, sizes.values()):
                values.append(max(1e-3, seconds(*words) - start))
        made[name] = (list(sizes), found)
    sizes = [1000, 10_000, 100_000, 1_000_000]
    found = [[] for _ in sizes]
    for _ in range(rounds):
        for values, size in zip(found, sizes):
            values.append(ranked(size))
    made["entities, ranks of 500 queries"] = (sizes, found)
    for name, (sizes, found) in made.items():
        used = [i for i, values in enumerate(found) if name not in studies or (sizes[i] > 0 and statistics.median(values) > 0.1)]
        slope, half = fit([sizes[i] for i in used], [found[i] for i in used])
        print(f"{name}: " + ", ".join(f"{size}: {statistics.median(values):.3g} s" for size, values in zip(sizes, found)) +
              f"; exponent {slope:.2f} [{slope - half:.2f}, {slope + half:.2f}]")
    one, two = ([seconds("probe", "--data", facts[400], threads=threads) - start for _ in range(rounds)] for threads in (1, 2))
    print(f"threads, 400 facts: 1: {statistics.median(one):.3g} s, 2: {statistics.median(two):.3g} s; "
          f"two are {statistics.median(a / b for a, b in zip(one, two)):.2f} times as fast")


if __name__ == "__main__":
    main(*sys.argv[1:])
