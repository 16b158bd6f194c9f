#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes the readers of files and of command lines with libFuzzer.

    fuzz.py [SECONDS [TARGET …]]     each target, or only the named ones, for SECONDS (60)
    fuzz.py --seeds FOLDER           writes the seeds of all targets, FOLDER/TARGET/NAME

Builds the targets (preset fuzz: address and undefined sanitizers), starts from the seeds and the useful inputs of earlier
runs (build-fuzz/corpus), and prints the result of each target. A reader may succeed, or throw a plumb::Error of one line
that names a file. A quarter of the time goes to inputs grown to 100 kB. A reader must read these within a second, which is
checked as ten seconds under the sanitizers. The rest goes to inputs of up to 8 kB, within two seconds. Inputs that cause
anything else, or take longer or more than 2 GB of memory, are crashes and stored in build-fuzz/crashes. The last line is
"N targets, N crashes".
"""
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build-fuzz"
SEEDS = ROOT / "tests" / "fuzz" / "seeds"
MODELS = ROOT / "tests" / "support" / "huggingface"
TARGETS = ["datasets", "models", "records", "servers", "command_lines"]
# Rooms whose string literals are the words of a target's files.
ROOMS = {"datasets": ["data"], "models": ["huggingface"], "records": ["records", "run", "report", "data"],
         "servers": ["server"], "command_lines": ["cli", "run"]}


def as_input(files):
    """Files by name, as one input (tests/fuzz/sound.hpp)."""
    return b"".join(b"=== " + name.encode() + b"\n" + text.rstrip(b"\n") + b"\n" for name, text in files)


def small_gguf():
    """A GGUF file of plumb's own network: Llama with one layer, 8 numbers wide."""
    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()
    facts = {"context_length": 64, "embedding_length": 8, "block_count": 1, "feed_forward_length": 8,
             "attention.head_count": 2, "rope.dimension_count": 4}
    head = text("general.architecture") + struct.pack("<I", 8) + text("llama")
    head += text("llama.attention.layer_norm_rms_epsilon") + struct.pack("<If", 6, 1e-5)
    head += b"".join(text(f"llama.{name}") + struct.pack("<II", 4, value) for name, value in facts.items())
    shapes = {"token_embd": (8, 3), "output_norm": (8,), "blk.0.attn_norm": (8,), "blk.0.ffn_norm": (8,)}
    shapes |= {f"blk.0.{name}": (8, 8) for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")}
    data, entries = b"", b""
    for name, shape in shapes.items():
        entries += text(name + ".weight") + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in shape)
        entries += struct.pack("<IQ", 0, len(data))
        data += struct.pack("<f", 0.25) * math.prod(shape)
        data += bytes(-len(data) % 32)
    made = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), 2 + len(facts)) + head + entries
    return made + bytes(-len(made) % 32) + data


def seeds_of_models():
    """Seeds from the tests' small models: their tokenizers' files and the headers of their weights."""
    for folder in sorted(MODELS.iterdir()):
        names = [path for path in sorted(folder.glob("*")) if path.is_file() and path.name != "cases.json"]
        if names:
            yield f"tokenizer-{folder.name}", as_input([(path.name, path.read_bytes()) for path in names])
    for folder in sorted((MODELS / "networks").iterdir()):
        files = []
        for path in sorted(folder.glob("*")):
            text = path.read_bytes()
            if path.suffix == ".safetensors":  # the target adds length and numbers around it
                text = text[8:8 + int.from_bytes(text[:8], "little")]
            if path.name != "expected.json":
                files.append((path.name, text))
        yield f"network-{folder.name}", as_input(files)
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }".ljust(53 + 64)
    yield "gguf", as_input([("m.gguf", small_gguf() + b"\x01")])
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


def grown(text, size=100_000):
    """An input with its longest file grown to about `size` by repeating all its lines, its first line, or its middle."""
    files = [part.split(b"\n", 1) for part in (b"\n" + text).split(b"\n=== ")[1:]]
    files = [file for file in files if len(file) == 2] or [[b"", text]]
    at = max(range(len(files)), key=lambda i: len(files[i][1]))
    body = files[at][1]
    lines, half = body.splitlines(keepends=True) or [b"\n"], len(body) // 2
    bodies = [body * (size // (len(body) + 1) + 1), lines[0] * (size // len(lines[0])) + body,
              body[:half] + body[half:half + 12] * (size // 12) + body[half:]]
    for more in bodies:
        whole = [(name, more if i == at else rest) for i, (name, rest) in enumerate(files)]
        yield b"".join(b"=== " + name + b"\n" + rest + b"\n" for name, rest in whole) if files[at][0] else more


def dictionary(target):
    """Words that readers search for, in libFuzzer's format."""
    words = {"\n=== ", "18446744073709551615", "-1", "1e308", "4294967296", "null", "true", "[]", "{}", "[[[[",
             "../", "\\u0000", "\\ud800"}
    for room in ROOMS[target]:
        for header in (ROOT / "include" / "plumb" / "detail" / room).glob("*.hpp"):
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
    grown_seconds = max(1, seconds // 4)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        memory = pathlib.Path(memory)
        write_seeds(memory / "seeds", [target])
        (memory / "grown").mkdir()
        (memory / "grown-corpus").mkdir()
        for name, text in seeds(target):
            for i, more in enumerate(grown(text)):
                (memory / "grown" / f"{name}-{i}").write_bytes(more)

        def fuzz(folders, length, time, timeout):
            command = [BUILD / f"fuzz_{target}", *folders, f"-dict={words}", f"-max_len={length}",
                       f"-max_total_time={time}", f"-timeout={timeout}", "-rss_limit_mb=2048", "-malloc_limit_mb=1024",
                       "-print_final_stats=1", f"-artifact_prefix={crashes}/"]
            return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", env={**os.environ, "TMPDIR": str(memory)})

        runs = [fuzz([corpus, memory / "seeds" / target], 8192, max(1, seconds - grown_seconds), 2),
                fuzz([memory / "grown-corpus", memory / "grown"], 120_000, grown_seconds, 10)]
    told = "\n".join(done.stdout for done in runs)
    (BUILD / f"{target}.log").write_text(told)
    numbers = lambda pattern: [int(found) for found in re.findall(pattern, told)] or [0]
    executions = numbers(r"number_of_executed_units: *([0-9]+)")
    made = sorted(set(crashes.iterdir()) - before)
    crashed = max(len(made), sum(done.returncode != 0 for done in runs))
    print(f"{target}: {sum(executions)} executions, {executions[-1] if len(executions) == 2 else 0} of them grown, "
          f"{seconds} s, {max(numbers(r'cov: ([0-9]+)'))} edges, {max(numbers(r'ft: ([0-9]+)'))} features, "
          f"{crashed} crashes", flush=True)
    findings = re.findall(r"^(?:finding: |SUMMARY: ).*$", told, re.MULTILINE)
    for path in made:
        print(f"  {path.relative_to(ROOT)}")
    for line in findings:
        print(f"  {line}")
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
