#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Many-shot scoring with the shots in the cache compared with scoring every (fact, choice) from its first token, in the same
# backend, in one run on one machine.
#
#   bash benchmarks/many_shot_against_scratch.sh [RELATION] [ROUNDS]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command requantize many_shot_from_scratch
need_model
exec python3 benchmarks/many_shot_against_scratch.py --build build --model "$model_f32" \
  --relation "${1:-birth-year}" --rounds "${2:-3}"
