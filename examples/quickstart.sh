#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From nothing to a report: sets up, builds, and probes SmolLM2-135M for the facts of examples/facts.
# quickstart.sh [N]: the first N facts of each relation, 5 by default. A fact costs some 78 tokens fed to the
# model: 5 of each relation are 9,330 tokens, 20 are 37,216. All 24 relations are asked either way, each fact
# with all options and scored in full; fewer facts only widen the intervals.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

limit=${1:-5}
need_build_packages
build_plumb plumb_command requantize
need_model

run=$plumb_root/runs/quickstart
say "probing the first $limit facts of each relation of examples/facts (--limit $limit)"
if [ -d "$run" ]; then
  rm -rf "$run"  # a quickstart starts from nothing
fi
build/plumb probe --data examples/facts --model "$model_f32" --limit "$limit" --out "$run"
if [ $# = 0 ]; then
  echo "narrower intervals: bash examples/quickstart.sh 20 asks four times as many facts"
fi
