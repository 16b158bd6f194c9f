# SPDX-License-Identifier: Apache-2.0
"""Nodes per second of plumb's own network and of llama.cpp on one .gguf file, in turn in each round, and of only the
products of SmolLM2-135M's matrices.

    engines.py BUILD DATA RELATIONS LIMIT MODEL ROUNDS THREADS...
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from products import SMOLLM2_135M, Products


def main(build, data, relations, limit, model, rounds, *threads):
    plumb = f"{build}/plumb"
    print(f"{pathlib.Path(model).name}, {relations} of {data}, {limit} facts each, {rounds} rounds")
    for count in threads:
        speeds, scores, limits = {"native": [], "llama": []}, {}, []
        with tempfile.TemporaryDirectory() as name:
            for number in range(int(rounds)):
                limits.append(Products(SMOLLM2_135M, count, build=build))
                for engine, found in speeds.items():
                    out = pathlib.Path(name) / f"{engine}-{number}"
                    subprocess.run([plumb, "probe", "--data", data, "--relations", relations, "--limit", limit, "--model", model,
                                    "--engine", engine, "--threads", count, "--out", out], check=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
                    run = json.loads((out / "run.json").read_text())
                    found.append(run["tokens_fed"] / run["seconds_model"])
                    fed = run["tokens_fed"]
                    scores[engine] = [score for file in sorted(out.glob("*_results.jsonl"))
                                      for line in file.read_text().splitlines() for score in json.loads(line)["pll_scores"]]
        worst = max(abs(a - b) for a, b in zip(scores["native"], scores["llama"], strict=True))
        alone = [fed / one.seconds(fed, fed) for one in limits]
        ratios = [a / b for a, b in zip(speeds["native"], speeds["llama"])]
        print(f"{count} threads: " + ", ".join(f"{engine} {statistics.median(found):.0f} nodes/s ({min(found):.0f} to {max(found):.0f})"
                                                for engine, found in speeds.items()) +
              f", ratio {statistics.median(ratios):.2f}; worst difference {worst:.6f} nats in {len(scores['llama'])} statements")
        shares = [a / b for a, b in zip(speeds["native"], alone)]
        most = [a / b for a, b in zip(alone, speeds["llama"])]
        print(f"    only the products, vectors of {limits[0].vectors}: {statistics.median(alone):.0f} nodes/s "
              f"({statistics.median(one.layers_speed for one in limits):.0f} GFLOP/s per thread; a tile in the first cache "
              f"{statistics.median(one.tile_speed for one in limits):.0f}); native reaches {statistics.median(shares):.2f} of it; "
              f"with nothing else to compute, it would be {statistics.median(most):.2f} times as fast as llama.cpp")


if __name__ == "__main__":
    main(*sys.argv[1:])
