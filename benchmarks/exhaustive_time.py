#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time that scoring every entity for every query of a graph would take, compared with DEER's.

Times of a few queries are fitted by ordinary least squares, t = m |Q| + c, and extrapolated to all queries of the graph;
DEER is timed over all of them. Source: "Cosine Similarity as Logits?", section 5.1, Table 2 and Figure 5.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import tempfile


def least_squares(points):
    """Slope, intercept, the slope's standard error from the residual variance, R²."""
    n = len(points)
    mean_x, mean_y = (sum(values) / n for values in zip(*points))
    sxx = sum((x - mean_x) ** 2 for x, _ in points)
    syy = sum((y - mean_y) ** 2 for _, y in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sxx
    intercept = mean_y - slope * mean_x
    residual = sum((y - intercept - slope * x) ** 2 for x, y in points)
    return slope, intercept, math.sqrt(residual / (n - 2) / sxx), 1 - residual / syy


def duration(seconds):
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "model", "data", "sizes"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--repeats", default="3")
    parser.add_argument("--entities", default="0")
    parser.add_argument("--split", default="all", help="queries that DEER is timed over")
    arguments = parser.parse_args()
    build = pathlib.Path(arguments.build)
    made = json.loads(subprocess.run(
        [build / "exhaustive_time", arguments.model, arguments.data, arguments.sizes, arguments.repeats,
         arguments.entities], check=True, stdout=subprocess.PIPE,
        # The plumb command sets the same for its threads.
        env={**os.environ, "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}).stdout)
    slope, intercept, error, r_squared = least_squares(made["queries_and_seconds"])
    queries, entities = made["queries_in_graph"], made["entities_in_graph"]
    print(f"{pathlib.Path(arguments.data).name}: {queries} queries, {entities} entities; "
          f"{len(made['queries_and_seconds'])} measurements among {made['entities']} entities")
    print(f"exhaustive: {slope:.4f} ± {error:.4f} s/query (slope and its standard error), "
          f"intercept {intercept:.2f} s, R² {r_squared:.4f}")
    scale = entities / made["entities"]
    total = (intercept + slope * queries) * scale
    how = "EXTRAPOLATED to all queries" + (f" and, in proportion, from {made['entities']} to all entities"
                                           if scale > 1 else "")
    print(f"exhaustive, {how}: {duration(total)} ± {duration(error * queries * scale)}")
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        subprocess.run([build / "plumb", "rank", "--data", arguments.data, "--model", arguments.model, "--out", out,
                        "--method", "deer", "--split", arguments.split], check=True, stdout=subprocess.DEVNULL)
        seconds = json.loads((out / "run.json").read_text())["seconds_total"]
        asked = json.loads((out / "metrics.json").read_text())["methods"]["deer"]["raw"]["realistic"]["queries"]
    print(f"DEER, measured over {asked} queries: {duration(seconds)}, {seconds / asked:.4f} s/query")
    if asked == queries:
        print(f"ratio (one side EXTRAPOLATED): {total / seconds:.0f}")


if __name__ == "__main__":
    main()
