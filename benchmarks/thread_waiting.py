# SPDX-License-Identifier: Apache-2.0
"""Runs thread_waiting with every way of waiting, in rounds; called by thread_waiting.sh."""
import json
import os
import statistics
import subprocess
import sys

MODEL, ROUNDS, STEPS = sys.argv[1], int(sys.argv[2]), sys.argv[3]
TAKEN = "OpenMP, 1,000 rounds"
PASSIVE = {"OMP_WAIT_POLICY": "passive"}
WAYS = {TAKEN: ("openmp", [], PASSIVE | {"GOMP_SPINCOUNT": "1000"}),
        "OpenMP, asleep": ("openmp", [], PASSIVE | {"GOMP_SPINCOUNT": "0"}),
        "OpenMP's own choice": ("openmp", [], {}),
        "pool, poll 0": ("pool", ["0"], {}),
        "pool, poll 1": ("pool", ["1"], {}),
        "pool, poll 50": ("pool", ["50"], {})}


def measured(way):
    program, words, environment = WAYS[way]
    free = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    done = subprocess.run([f"build/thread_waiting_{program}", MODEL, "2", STEPS, *words], env=free | environment,
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main():
    print(f"{MODEL.rsplit('/', 1)[-1]}, 2 threads of {os.cpu_count()} cores, {ROUNDS} rounds of {STEPS} steps of 256 tokens, "
          f"and 8 times as many of 8; load at the start {os.getloadavg()[0]:.1f}")
    for beside in (0, 1):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(beside)]
        try:
            rounds = [{way: measured(way) for way in WAYS} for _ in range(ROUNDS)]
        finally:
            for one in busy:
                one.kill()
                one.wait()
        print("next to one busy process" if beside else "without a busy process")
        for way in WAYS:
            seconds = [statistics.median(made[way][size] for made in rounds) for size in (0, 1)]
            ratios = [statistics.median(made[way][size] / made[TAKEN][size] for made in rounds) for size in (0, 1)]
            print(f"  {way:22} 256 tokens {seconds[0]:7.2f} s, {ratios[0]:5.2f} times; 8 tokens {seconds[1]:7.2f} s, "
                  f"{ratios[1]:5.2f} times")


main()
