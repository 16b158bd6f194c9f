#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes the readers of files and of command lines with libFuzzer.

    fuzz.py [SECONDS [TARGET …]]     each target, or those that are named, for SECONDS (60)
    fuzz.py --seeds FOLDER           writes the seeds of all targets, FOLDER/TARGET/NAME

Builds the targets (preset fuzz: address and undefined sanitizers), begins with the seeds and with what an
earlier run has found worth keeping (build-fuzz/corpus), and prints for each target what came of it. A reader
may succeed or throw a plumb::Error of one line that names a file. Inputs that do anything else, or take
longer than ten seconds or more memory than 2 GB under the sanitizers, are crashes and kept in
build-fuzz/crashes. The last line is "N targets, N crashes".
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build-fuzz"
SEEDS = ROOT / "tests" / "fuzz" / "seeds"
MODELS = ROOT / "tests" / "support" / "huggingface"
TARGETS = ["datasets", "models", "records", "servers", "command_lines"]
# Rooms whose quoted words are the words of a target's files.
ROOMS = {"datasets": ["data"], "models": ["huggingface"], "records": ["records", "run", "report", "data"],
         "servers": ["server"], "command_lines": ["cli", "run"]}


def as_input(files):
    """Files by name as one input (tests/fuzz/sound.hpp)."""
    return b"".join(b"=== " + name.encode() + b"\n" + text.rstrip(b"\n") + b"\n" for name, text in files)


def seeds_of_models():
    """Seeds from the small models among the tests: their tokenizers' files and their headers of weights."""
    for folder in sorted(MODELS.iterdir()):
        names = [path for path in sorted(folder.glob("*")) if path.is_file() and path.name != "cases.json"]
        if names:
            yield f"tokenizer-{folder.name}", as_input([(path.name, path.read_bytes()) for path in names])
    for folder in sorted((MODELS / "networks").iterdir()):
        files = []
        for path in sorted(folder.glob("*")):
            text = path.read_bytes()
            if path.suffix == ".safetensors":  # the target puts length and numbers around it
                text = text[8:8 + int.from_bytes(text[:8], "little")]
            if path.name != "expected.json":
                files.append((path.name, text))
        yield f"network-{folder.name}", as_input(files)
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }".ljust(53 + 64)
    yield "vectors", as_input([("e.npy", header + b"\n" + bytes(8)), ("e.txt", b"Q90")])


def seeds(target):
    """Name and bytes of each seed of a target."""
    found = [(path.name, path.read_bytes()) for path in sorted((SEEDS / target).glob("*"))]
    return found + (list(seeds_of_models()) if target == "models" else [])


def write_seeds(folder, targets=TARGETS):
    for target in targets:
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, text in seeds(target):
            (folder / target / name).write_bytes(text)


def dictionary(target):
    """Words that readers look for, as libFuzzer takes them."""
    words = {"\n=== ", "18446744073709551615", "-1", "1e308", "4294967296", "null", "true", "[]", "{}", "[[[[",
             "../", "\\u0000", "\\ud800"}
    for room in ROOMS[target]:
        for header in (ROOT / "include" / "plumb" / room).glob("*.hpp"):
            quoted = re.findall(r'"([A-Za-z_][\w.-]{2,30})"', header.read_text(), re.ASCII)
            words.update(("--" if target == "command_lines" else "") + word for word in quoted)
    escaped = (word.replace("\\", "\\\\").replace("\n", "\\x0a") for word in sorted(words))
    return "".join(f'"{word}"\n' for word in escaped)


def run(target, seconds):
    """Runs one target; executions, seconds, coverage, new inputs, crashes."""
    corpus, crashes = BUILD / "corpus" / target, BUILD / "crashes" / target
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(crashes.iterdir())
    words = BUILD / f"{target}.dict"
    words.write_text(dictionary(target))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        write_seeds(pathlib.Path(memory) / "seeds", [target])
        command = [BUILD / f"fuzz_{target}", corpus, f"{memory}/seeds/{target}", f"-dict={words}", "-max_len=8192",
                   f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=1024",
                   "-print_final_stats=1", f"-artifact_prefix={crashes}/"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              env={**os.environ, "TMPDIR": memory})
    (BUILD / f"{target}.log").write_text(done.stdout)
    number = lambda pattern: int((re.findall(pattern, done.stdout) or ["0"])[-1])
    made = sorted(set(crashes.iterdir()) - before)
    crashed = max(len(made), 1 if done.returncode else 0)
    print(f"{target}: {number(r'number_of_executed_units: *([0-9]+)')} executions, {seconds} s, "
          f"{number(r'cov: ([0-9]+)')} edges, {number(r'ft: ([0-9]+)')} features, {crashed} crashes", flush=True)
    for path in made:
        told = re.findall(r"^(?:finding: |SUMMARY: ).*$", done.stdout, re.MULTILINE)
        print(f"  {path.relative_to(ROOT)}: {told[0] if told else 'no word'}")
    return crashed


def main():
    words = sys.argv[1:]
    if words[:1] == ["--seeds"] and len(words) == 2:
        write_seeds(pathlib.Path(words[1]))
        return 0
    seconds, targets = (words[0] if words else "60"), words[1:] or TARGETS
    if not seconds.isdigit() or seconds == "0" or not set(targets) <= set(TARGETS):
        print(__doc__)
        return 2
    subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    built = [f"fuzz_{target}" for target in targets]
    subprocess.run(["cmake", "--build", "--preset", "fuzz", "--target", *built], cwd=ROOT, check=True)
    crashes = sum(run(target, int(seconds)) for target in targets)
    print(f"{len(targets)} targets, {crashes} crashes")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
