#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command on small inputs with two programs and compares what they print and write.

    same_results.py OLD NEW WRITE_TINY_GGUF VOCABULARY [JOB…]

The model has random weights: a job over it takes seconds, and equal numbers mean equal work. The exit code, stdout, and
every file of every folder are compared, byte by byte. Not compared are the journal, the order of keys in JSON files, and
the times and the command line in run.json. Jobs that can resume are killed under NEW in the middle, resumed under NEW, and
compared with the uninterrupted run of OLD. JOB is the beginning of jobs' names; jobs that read other jobs' runs need those
jobs too. Exits with 1 if anything differs.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FACTS = ROOT / "examples" / "facts"
# Fields of run.json that differ between any two runs.
PASSING = ("command_line", "seconds_model", "seconds_total", "seconds_by_part", "seconds_ranking")
BASELINES = {"Animal class": {"property": "animal-class", "hgp": ["{subject} is a kind of", "The class of {subject} is"],
                              "mmp": ["{subject} and other"]}}
SEPARATORS = "is\nbelongs to\n"
FACTOR = ('full_prefix,doc_id,completion,contradiction_0,contradiction_1,contradiction_2,longest_completions,turncated_prefixes\n'
          'x,0,is Paris.,is Rome.,is Oslo.,is Bonn.,9,The capital of France \n'
          'x,1,is Oslo.,is Rome.,is Paris.,is Bonn.,9,The capital of Norway \n')


def jobs(data):
    """(name, words, whether it is also killed and resumed). RUN/ is the folder of all runs of one program."""
    facts = ["--data", FACTS, "--model", data / "tiny.gguf"]
    few = ["--relations", "continent,us-state-capital,plural", "--limit", 8]
    graph = ["--data", data / "graph", "--model", data / "tiny.gguf"]
    shots = ["--relations", "animal-class,birth-year,currency-country", "--shots", "1,50", "--seeds", 2, "--choices", 20,
             "--limit", 2]
    asked = ["--relations", "continent,nationality", "--limit", 2, "--confidence-prompts", 3, "--max-new-tokens", 8,
             "--samplings", 2000]
    prompts = FACTS / "prompts" / "templates.jsonl"
    yield "probe", ["probe", *facts, *few], True
    yield "probe-all", ["probe", *facts, *few, "--templates", "all", "--seed", 3], True
    yield "probe-answer", ["probe", *facts, *few, "--span", "answer", "--reduction", "mean"], False
    yield "probe-continuation", ["probe", *facts, *few, "--span", "continuation", "--bos", "no"], False
    yield "probe-inject", ["probe", *facts, *few, "--templates", "all", "--inject", "all"], False
    yield "probe-file", ["probe", *facts, "--relations", "continent,nationality", "--limit", 2, "--templates", "all",
                         "--template-file", prompts], False
    yield "probe-fast", ["probe", *facts, *few, "--precision", "fast", "--special-tokens", "text"], False
    yield "probe-factor", ["probe", "--data", data / "factor.csv", "--model", data / "tiny.gguf"], False
    yield "many-shot", ["many-shot", *facts, *shots], True
    yield "many-shot-all", ["many-shot", *facts, *shots, "--eic", "both", "--generate", 8, "--baselines",
                            data / "baselines.json", "--injection", 20, "--injected", 4], True
    yield "many-shot-separators", ["many-shot", *facts, *shots, "--separators", data / "separators.txt",
                                   "--item-separator", "; ", "--pair-separator", ": "], False
    yield "many-shot-text", ["many-shot", *facts, *shots[:2], *shots[4:], "--shots", "-", "--eic", "isolated", "--join", "text"], False
    yield "many-shot-fixed", ["many-shot", "--fixed", data / "fixed.json", "--model", data / "tiny.gguf"], False
    yield "generate", ["generate", *facts, *asked, "--samples", 20], True
    yield "generate-names", ["generate", *facts, *asked, "--samples", 5, "--names", "all", "--wordnet", "none"], True
    yield "generate-question", ["generate", "--relations", "capital", *facts, "--limit", 1, "--form", "both",
                                "--settings", "relation", "--samples", 0, "--max-new-tokens", 4], False
    yield "rank", ["rank", *graph, "--method", "deer,likelihood,lm-head", "--candidates", "single-token"], True
    yield "rank-heads", ["rank", *graph, "--method", "deer,likelihood", "--head-queries", "--nearest", 3, "--sample", 20,
                         "--entity-prompt", "eol,a"], True
    yield "rank-hits", ["rank", *graph, "--method", "likelihood,lm-head", "--hits", "1,3", "--reduction", "mean",
                        "--query-form", "paper", "--shots", 2], False
    yield "rank-closed-set", ["rank", *facts, "--relations", "continent", "--limit", 5, "--candidates", "of-relation",
                              "--method", "deer,likelihood"], False
    yield "rank-entities", ["rank", *graph, "--entities", "RUN/rank-heads/entities.npy", "--sample", 10], False
    yield "calibrate", ["calibrate", "RUN/probe-all", "--bins", 5, "--resamples", 50, "--data", FACTS], False
    yield "calibrate-models", ["calibrate", "one=RUN/probe", "two=RUN/probe-continuation", "--bins", 5, "--resamples", 50,
                               "--masked", "one"], False
    yield "calibrate-model", ["calibrate", *facts, *few, "--inject", "all", "--bins", 3, "--resamples", 20], False
    yield "compare", ["compare", "one=RUN/probe", "two=RUN/probe-continuation", "--pairs", "one:two"], False
    yield "compare-shots", ["compare", "one=RUN/many-shot", "two=RUN/many-shot-all"], False
    yield "compare-prompts", ["compare", "one=RUN/generate-names", "two=RUN/probe-file", "--samplings", 1000,
                              "--wordnet", "none"], False
    yield "report-probe", ["report", "RUN/probe-all", "--seed", 7], False
    yield "report-many-shot", ["report", "RUN/many-shot-all"], False
    yield "report-generate", ["report", "RUN/generate", "--sample-by", "fact", "--wordnet", "none"], False
    yield "report-rank", ["report", "RUN/rank-heads"], False
    yield "data-check", ["data", "check", FACTS], None
    yield "data-describe", ["data", "describe", FACTS, "--model", data / "tiny.gguf"], None
    yield "data-check-factor", ["data", "check", data / "factor.csv"], None
    yield "data-convert", ["data", "convert", FACTS], False
    for run in ("probe-inject", "many-shot-all", "generate-names", "rank-heads"):
        yield f"data-prompts-{run}", ["data", "prompts", f"RUN/{run}", "--ids", "--model", data / "tiny.gguf"], None


def make_data(folder, tiny, vocabulary):
    """The inputs of all jobs."""
    subprocess.run([tiny, folder / "tiny.gguf", vocabulary], check=True)
    (folder / "baselines.json").write_text(json.dumps(BASELINES))
    (folder / "separators.txt").write_text(SEPARATORS)
    (folder / "factor.csv").write_text(FACTOR)
    names = [f"{word} {i}" if i % 2 else word + str(i) for i in range(20) for word in ("sun", "Blue whale", "É")][:50]
    names += ["man", "water", "day", "night"]
    triples = [f"e{i * 7 % len(names)}\tr{i % 2}\te{i}" for i in range(len(names))]
    (folder / "graph").mkdir()
    for part, begin, end in (("train", 0, 20), ("dev", 20, 22), ("test", 22, len(names))):
        (folder / "graph" / f"{part}.tsv").write_text("".join(line + "\n" for line in triples[begin:end]))
    (folder / "graph" / "entity2text.txt").write_text("".join(f"e{i}\t{name}\n" for i, name in enumerate(names)))
    (folder / "graph" / "relation2text.txt").write_text("r0\tis near\nr1\tpart of\n")
    (folder / "fixed.json").write_text(json.dumps({
        "relation": "P0", "separator": " ", "shots": [["Oslo", "Norway"], ["Rome", "Italy"]], "choices": ["Norway", "Italy", "7 up"],
        "test": [{"subject": "Bergen", "answer": "Norway"}, {"subject": "Turin", "answer": "Italy"}]}))


def words_of(words, runs, out):
    given = [str(word).replace("RUN/", f"{runs}/") for word in words]
    return given if out is None else [*given, "--out", str(out)]


def run(program, words, cwd):
    return subprocess.run([program, *words], capture_output=True, text=True, cwd=cwd)


def comparable(path, folder):
    """A file's content for the comparison; paths of a program's own runs are replaced by the same name."""
    data = path.read_bytes().replace(str(folder).encode(), b"RUNS")
    if path.name == "report.html":  # its table of settings has the order of run.json
        return re.sub(rb'(<table class="settings"><tbody>\n)(.*?)(</tbody>)',
                      lambda found: found[1] + b"".join(sorted(found[2].splitlines(True))) + found[3], data, flags=re.S)
    if path.suffix != ".json":
        return data
    object_ = json.loads(data)
    if path.name != "run.json":
        return object_
    return {key: value for key, value in object_.items() if key not in PASSING}


def files_of(out, folder):
    return {str(path.relative_to(out)): comparable(path, folder) for path in sorted(out.rglob("*"))
            if path.is_file() and path.name != "journal.jsonl"}


def kill_in_the_middle(program, words, out, size, cwd):
    """Kills a run once its journal has half the size of the whole run's; returns whether it was still running."""
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd)
    journal = out / "journal.jsonl"
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > size / 2):
        time.sleep(0.002)
    alive = process.poll() is None
    process.kill()
    process.wait()
    return alive


def paths_that_differ(old, new, at=""):
    """Paths in two JSON values that differ, as "/a/b (only in NEW)"; for a list of a different length, the list's path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(set(old) | set(new)):
            if key in old and key in new:
                yield from paths_that_differ(old[key], new[key], f"{at}/{key}")
            else:
                yield f"{at}/{key} (only in {'OLD' if key in old else 'NEW'})"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new)):
            yield from paths_that_differ(a, b, f"{at}/{i}")
    elif old != new:
        yield f"{at} ({json.dumps(old)[:60]} became {json.dumps(new)[:60]})"


def differences(name, old, new):
    """The differences between two results, one per line."""
    found = []
    for what in sorted(set(old) | set(new)):
        if what not in old or what not in new:
            found.append(f"{name}: {what} is only in {'OLD' if what in old else 'NEW'}")
        elif isinstance(old[what], dict):
            paths = list(paths_that_differ(old[what], new[what]))
            shown = ", ".join(paths[:4]) + (f" and {len(paths) - 4} more" if len(paths) > 4 else "")
            found += [f"{name}: {what} differs: {shown}"] if paths else []
        elif old[what] != new[what]:
            found.append(f"{name}: {what} differs")
    return found


def main():
    old, new, tiny, vocabulary, *chosen = sys.argv[1:]
    found, compared, continued = [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        data.mkdir()
        make_data(data, tiny, vocabulary)
        runs = {"old": folder / "old", "new": folder / "new"}
        for path in runs.values():
            path.mkdir()
        wanted = [job for job in jobs(data) if not chosen or any(job[0].startswith(word) for word in chosen)]
        for job, words, resumes in wanted:
            results = {}
            for which, program in (("old", old), ("new", new)):
                out = None if resumes is None else runs[which] / job
                done = run(program, words_of(words, runs[which], out), ROOT)
                results[which] = {"exit code": done.returncode,
                                  "stdout": done.stdout.replace(str(runs[which]), "RUNS")}
                if done.returncode != 0:
                    results[which]["stderr"] = done.stderr.replace(str(runs[which]), "RUNS")
                if out is not None and out.exists():
                    results[which].update(files_of(out, runs[which]))
            compared += len(results["old"])
            found += differences(job, results["old"], results["new"])
            if results["old"]["exit code"] != 0:
                found.append(f"{job}: OLD ends with {results['old']['exit code']}: {results['old']['stderr']}")
            journal = runs["new"] / job / "journal.jsonl"
            if resumes and journal.exists():
                size = journal.stat().st_size
                out = folder / "continued" / job
                out.parent.mkdir(exist_ok=True)
                given = words_of(words, runs["new"], out)
                continued += kill_in_the_middle(new, given, out, size, ROOT)
                done = run(new, [*given, "--resume"], ROOT)
                files = files_of(out, folder / "continued")
                fresh = files_of(runs["old"] / job, runs["old"])
                for all_files in (files, fresh):  # counts only this process's statements
                    all_files.get("run.json", {}).pop("statements_scored_now", None)
                found += differences(f"{job}, continued", {"exit code": 0, **fresh}, {"exit code": done.returncode, **files})
            print(f"{job}: {len(results['old'])} compared", flush=True)
    for line in found:
        print(line)
    print(f"{len(wanted)} jobs, {compared} outputs, {continued} killed while running and resumed, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
