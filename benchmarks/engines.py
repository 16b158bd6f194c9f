# SPDX-License-Identifier: Apache-2.0
"""Nodes a second of plumb's own network and of llama.cpp over one .gguf file, one after the other in each round.

    engines.py PLUMB DATA RELATIONS LIMIT MODEL ROUNDS THREADS...
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


def main(plumb, data, relations, limit, model, rounds, *threads):
    print(f"{pathlib.Path(model).name}, {relations} of {data}, {limit} facts each, {rounds} rounds")
    for count in threads:
        speeds, scores = {"native": [], "llama": []}, {}
        with tempfile.TemporaryDirectory() as name:
            for number in range(int(rounds)):
                for engine, found in speeds.items():
                    out = pathlib.Path(name) / f"{engine}-{number}"
                    subprocess.run([plumb, "probe", "--data", data, "--relations", relations, "--limit", limit, "--model", model,
                                    "--engine", engine, "--threads", count, "--out", out], check=True, stdout=subprocess.DEVNULL)
                    run = json.loads((out / "run.json").read_text())
                    found.append(run["tokens_fed"] / run["seconds_model"])
                    scores[engine] = [score for file in sorted(out.glob("*_results.jsonl"))
                                      for line in file.read_text().splitlines() for score in json.loads(line)["pll_scores"]]
        worst = max(abs(a - b) for a, b in zip(scores["native"], scores["llama"], strict=True))
        ratios = [a / b for a, b in zip(speeds["native"], speeds["llama"])]
        print(f"{count} threads: " + ", ".join(f"{engine} {statistics.median(found):.0f} nodes/s ({min(found):.0f} to {max(found):.0f})"
                                                for engine, found in speeds.items()) +
              f", ratio {statistics.median(ratios):.2f}; worst difference {worst:.6f} nats in {len(scores['llama'])} statements")


if __name__ == "__main__":
    main(*sys.argv[1:])
