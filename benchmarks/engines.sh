#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which engine computes a .gguf file faster: plumb's own network or llama.cpp?
#
#   bash benchmarks/engines.sh [MODEL.gguf] [ROUNDS] [THREADS…]
#
# Exact scores of three relations of BEAR on SmolLM2-135M's F32 weights by default; both engines in each round, on 1 thread and
# on 2. Prints nodes a second and the worst difference between their scores.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command
need_model
model="${1:-$model_f32}"
rounds="${2:-3}"
shift $(($# < 2 ? $# : 2))
exec python3 benchmarks/engines.py build/plumb "$plumb_shared/data/bear" P30,P36,P1376 10 "$model" "$rounds" ${@:-1 2}
