# SPDX-License-Identifier: Apache-2.0
"""Times `plumb data overlap` on a made-up text, as plain text and as JSON lines, compared with `grep -c -F -f names`.

Arguments: the program, a work folder, megabytes, facts, rounds. A text has lines of words of a made-up language: the
n-th of 30,000 words has a frequency proportional to 1/n. About every forty words there is the name of some fact, and
about every fifth line is empty. Names are one to three of these words. grep searches for the same names as written, even
within words, and counts the lines that contain any name: it does not report which names, or which of them together. With
whole words in any case (-i -w) it is much slower.
"""
import itertools
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

program, work = sys.argv[1], pathlib.Path(sys.argv[2])
megabytes, count, rounds = map(int, sys.argv[3:6])
draw = random.Random(1)
syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
words = list(dict.fromkeys("".join(draw.choices(syllables, k=draw.choice([1, 1, 2, 2, 3, 4]))) for _ in range(120_000)))[:30_000]
weights = list(itertools.accumulate(1 / (n + 1) for n in range(len(words))))


def name():
    return " ".join(draw.choices(words[200:], k=draw.choice([1, 2, 2, 3]))).title()


options = list(dict.fromkeys(name() for _ in range(300)))
facts = [{"sub_id": f"S{i}", "sub_label": name(), "sub_aliases": [name()] if i % 4 == 0 else [], "obj_label": options[i % len(options)],
          "answer_idx": i % len(options)} for i in range(count)]
data = work / "data"
data.mkdir()
(data / "made.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
(data / "metadata_relations.json").write_text(json.dumps({"made": {
    "templates": ["[X] is of [Y]."], "answer_space_labels": options, "answer_space_ids": [f"O{i}" for i in range(len(options))]}}))
names = sorted({n for fact in facts for n in (fact["sub_label"], *fact["sub_aliases"])} | set(options))
(work / "names").write_text("\n".join(names) + "\n")

lines, size = [], 0
while size < 10_000_000:
    line = draw.choices(words, cum_weights=weights, k=draw.randrange(5, 30)) if draw.randrange(5) else []
    for at in range(len(line)):
        if draw.randrange(40) == 0:
            fact = draw.choice(facts)
            line[at] = draw.choice([fact["sub_label"], fact["obj_label"], fact["sub_label"] + ", " + fact["obj_label"]])
    lines.append(" ".join(line).capitalize() + ("." if line else ""))
    size += len(lines[-1]) + 1
with open(work / "text.txt", "w") as text, open(work / "rows.jsonl", "w") as rows:
    for part in range(max(1, megabytes // 10)):
        draw.shuffle(lines)
        text.write("\n".join(lines) + "\n")
        for at in range(0, len(lines), 40):
            rows.write(json.dumps({"text": "\n".join(lines[at:at + 40]), "meta": {"part": part}}) + "\n")

commands = {"plumb, 50 words": [program, "data", "overlap", data, work / "text.txt"],
            "plumb, paragraph": [program, "data", "overlap", data, work / "text.txt", "--within", "paragraph"],
            "plumb, 1000 words": [program, "data", "overlap", data, work / "text.txt", "--within", "1000"],
            "plumb, document, JSON lines": [program, "data", "overlap", data, work / "rows.jsonl", "--within", "document"],
            "grep -c -F -f names": ["grep", "-c", "-F", "-f", work / "names", work / "text.txt"]}


def run(name):
    """Megabytes per second of CPU time and of wall-clock time, and the table's last row or grep's count."""
    start = time.perf_counter()
    with open(work / "out", "wb") as out:
        process = subprocess.Popen(commands[name], stdout=out, stderr=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"})
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, name
    mb = os.path.getsize(commands[name][4 if "plumb" in name else -1]) / 1e6
    said = (work / "out").read_text().splitlines()
    total = next((line for line in said if line.startswith("all ")), said[-1])
    return mb / (usage.ru_utime + usage.ru_stime), mb / (time.perf_counter() - start), " ".join(total.split())


print(f"{count} facts, {len(names)} names, {os.path.getsize(work / 'text.txt') / 1e6:.0f} MB of text, "
      f"{os.path.getsize(work / 'rows.jsonl') / 1e6:.0f} MB of JSON lines, {rounds} rounds in turn")
taken = {name: [] for name in commands}
for _ in range(rounds):
    for name in commands:
        taken[name].append(run(name))
for name, results in taken.items():
    cpu, clock = ([result[i] for result in results] for i in (0, 1))
    print(f"{name:28} {statistics.median(cpu):6.1f} MB per CPU second (from {min(cpu):.1f} to {max(cpu):.1f}), "
          f"{statistics.median(clock):6.1f} by the clock: {results[0][2]}")
ours, theirs = (statistics.median(result[0] for result in taken[name]) for name in ("plumb, 50 words", "grep -c -F -f names"))
print(f"ratio, plumb over grep -c -F -f names, CPU seconds: {ours / theirs:.2f}")
