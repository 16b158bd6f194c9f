#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How far are scores of F16 and BF16 weights from those of the same weights in F32?
#
#   bash benchmarks/half_weights.sh [DATA] [RELATIONS] [LIMIT]
#
# For SmolLM2-135M rounded to 16 bits, compared with its own F32 rewrite: exact (widened), fast, and fast F32, which shows the
# part of the difference of `fast` that does not come from the weights. Prints the mean and the worst difference per statement,
# in nats.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command requantize
need_model
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
asked=(--data "${1:-$plumb_shared/data/bear}" --relations "${2:-P30,P1376,P36}" --limit "${3:-6}")
export PLUMB_CACHE="$work/cache"
for type in BF16 F16; do
  build/requantize "$model_f32" "$work/half.gguf" "$type"
  build/requantize "$work/half.gguf" "$work/f32.gguf" F32
  rm -rf "$work"/run-*
  build/plumb probe "${asked[@]}" --model "$work/f32.gguf" --out "$work/run-f32" >/dev/null 2>&1
  build/plumb probe "${asked[@]}" --model "$work/half.gguf" --out "$work/run-exact" >/dev/null 2>&1
  build/plumb probe "${asked[@]}" --model "$work/half.gguf" --precision fast --out "$work/run-fast" >/dev/null 2>&1
  build/plumb probe "${asked[@]}" --model "$work/f32.gguf" --precision fast --out "$work/run-fast-f32" >/dev/null 2>&1
  python3 - "$work" "$type" <<'PYTHON'
import json, pathlib, sys
work, kind = pathlib.Path(sys.argv[1]), sys.argv[2]


def scores(run):
    return [score for file in sorted((work / run).glob("*_results.jsonl"))
            for line in file.read_text().splitlines() for score in json.loads(line)["pll_scores"]]


reference = scores("run-f32")
for run, name in (("run-exact", f"{kind}, exact"), ("run-fast", f"{kind}, fast"), ("run-fast-f32", "the same in F32, fast")):
    apart = [abs(a - b) for a, b in zip(reference, scores(run), strict=True)]
    print(f"{name:24} {len(apart)} statements, mean {sum(apart) / len(apart):.5f}, worst {max(apart):.5f}")
PYTHON
done
