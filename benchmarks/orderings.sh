#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which method is better: do the four papers' main orderings hold on SmolLM2-135M in F32, at small size?
#
#   bash benchmarks/orderings.sh [RUNS]
#
# The runs go into RUNS (runs/orderings); finished runs there are reused. Facts come from ../shared/data, except birth years,
# which are the bundled ones. PLUMB_BUILD names a folder that already contains the command.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages wordnet-base
if [ -z "${PLUMB_BUILD:-}" ]; then
  build_plumb plumb_command requantize
fi
need_model
exec python3 benchmarks/orderings.py --plumb "${PLUMB_BUILD:-build}/plumb" --model "$model_f32" \
  --data "$plumb_shared/data" --runs "${1:-runs/orderings}"
