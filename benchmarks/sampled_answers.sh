#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sampling a prompt's answers in one tree compared with one generation after another, in the same backend.
#
#   bash benchmarks/sampled_answers.sh [DATA] [PROMPTS] [SAMPLES] [ROUNDS]
#
# Prints the measurements of sampled_answers.cpp, and the ratio of the rates, round by round.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb requantize sampled_answers
need_model
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=1000  # as the command sets them
build/sampled_answers "$model_f32" "${1:-examples/facts}" 4 "${2:-32}" "${3:-100}" "${4:-3}" |
  python3 -c '
import json, statistics, sys
made = json.load(sys.stdin)
print(json.dumps(made, indent=1))
ratios = [a / b for a, b in zip(made["tree_queries_per_second"],
                                made["one_by_one_queries_per_second"])]
print("in one tree, times as many queries a second:", ", ".join(f"{r:.1f}" for r in ratios),
      f"(median {statistics.median(ratios):.1f})")'
