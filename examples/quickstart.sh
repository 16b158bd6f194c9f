#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From nothing to a report: sets up, builds, and probes SmolLM2-135M for the facts of examples/facts.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

limit=${1:-20}
need_build_packages
build_plumb plumb_command requantize
need_model

run=$plumb_root/runs/quickstart
say "probing the first $limit facts of each relation of examples/facts (--limit $limit)"
if [ -d "$run" ]; then
  rm -rf "$run"  # a quickstart starts anew
fi
build/plumb probe --data examples/facts --model "$model_f32" --limit "$limit" --out "$run"
