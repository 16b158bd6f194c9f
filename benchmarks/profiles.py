# SPDX-License-Identifier: Apache-2.0
"""Shares of the time of three jobs by kind of work, sampled with perf: PLUMB MODEL DATA WORK."""
import collections
import json
import pathlib
import re
import subprocess
import sys
import time

plumb, model, data, work = sys.argv[1:]
ROOT = pathlib.Path(__file__).resolve().parent.parent
JOBS = {
    "closed set, BEAR": ["probe", "--data", f"{data}/bear", "--limit", "10"],
    "BELIEF-ICL": ["generate", "--data", ROOT / "examples" / "facts", "--relations", "capital", "--settings", "relation", "--limit", "8",
                   "--samples", "100", "--wordnet", "none"],
    "likelihood ranks": ["rank", "--data", f"{data}/wn18rr", "--method", "likelihood", "--hits", "1,3,10", "--sample", "320"],
}
# The first pattern that matches "LIBRARY FUNCTION" counts.
KINDS = {
    "matrix products": r"add_tile_products|add_any_products|multiply_panels|PackedMatrix",
    "attention": r"[Aa]ttention|attend|multiply_keys|gather|softmax_row|NodeCache",
    "norms, activations, rotation": r"rms_norm|layer_norm|activate|rotate_row|add_scaled_row|FeedForward|DecoderLayer",
    "probabilities": r"exp_sum|highest|log_softmax|LogSoftmax|RowKernels",
    "hash of the model": r"libcrypto",
    "reading the model": r"WeightReader|StoredTensor|clear_page|llama_|gguf",
    "threads waiting": r"libgomp|futex|finish_task_switch|_raw_spin_unlock|sched",
    "memory": r"memmove|memcpy|memset|malloc|_int_free|unmap|page_fault",
    "kernel, other": r"\[kernel",
}
MODEL = ("matrix products", "attention", "norms, activations, rotation", "probabilities", "threads waiting")


def samples(words, name):
    """The number of samples by "LIBRARY FUNCTION", the seconds of the process, and the run's record."""
    out, file = pathlib.Path(work) / name.replace(" ", "-").replace(",", ""), pathlib.Path(work) / "perf.data"
    began = time.monotonic()
    subprocess.run(["perf", "record", "-q", "-o", file, "-e", "cpu-clock", "-F", "499", plumb, *map(str, words), "--model", model, "--threads", "2",
                    "--out", out], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - began
    lines = subprocess.run(["perf", "report", "-q", "-i", file, "--stdio", "--no-children", "-F", "sample,dso,sym"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    found = collections.Counter()
    for line in lines:
        if match := re.match(r"\s*(\d+)\s+(.*)", line):
            found[match[2]] += int(match[1])
    return found, seconds, json.loads((out / "run.json").read_text())


columns, others = {}, {}
for job, words in JOBS.items():
    found, whole, record = samples(words, job)
    everything = sum(found.values())
    column = columns[job] = collections.Counter()
    for text, count in found.items():
        kind = next((kind for kind, pattern in KINDS.items() if re.search(pattern, text)), "other")
        column[kind] += count / everything
        if kind == "other":
            others.setdefault(job, []).append((count / everything, text))
    print(f"{job}: {whole:.1f} s, of which start-up {whole - record['seconds_total']:.1f} s and the model {record['seconds_model']:.1f} s", flush=True)

print(f"\n{'':29}" + "".join(f"{job:>17}" for job in columns))
print("─" * (29 + 17 * len(columns)))
for kind in [*KINDS, "other"]:
    print(f"{kind:29}" + "".join(f"{100 * column[kind]:16.1f}%" for column in columns.values()))
print(f"{'outside the model':29}" + "".join(f"{100 * (1 - sum(column[kind] for kind in MODEL)):16.1f}%" for column in columns.values()))
for job, rest in others.items():
    print(f"\nlargest others, {job}:")
    for share, text in sorted(rest, reverse=True)[:6]:
        print(f"  {100 * share:.1f}%  {' '.join(text.split())[:110]}")
