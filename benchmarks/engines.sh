#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which engine computes a .gguf file faster: plumb's own network or llama.cpp? And how close is each to the time of only the
# network's matrix products?
#
#   bash benchmarks/engines.sh [MODEL.gguf] [ROUNDS] [THREADS…]
#
# By default, exact scores of three relations of BEAR on SmolLM2-135M's F32 weights; both engines in each round, with 1 and 2
# threads. Prints nodes per second, the worst difference between their scores, and the limit from the matrix products. With
# PLUMB_AVX2=1 everything, including llama.cpp, is built for AVX2 without AVX-512, even if the machine supports it (build-avx2,
# ten minutes, once).

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command requantize decoder_products
need_model
build=build
if [ "${PLUMB_AVX2:-0}" = 1 ]; then
  build=build-avx2
  build_for_avx2 plumb_command decoder_products
  export PLUMB_VECTOR=v3
fi
model="${1:-$model_f32}"
rounds="${2:-3}"
shift $(($# < 2 ? $# : 2))
exec python3 benchmarks/engines.py "$build" "$plumb_shared/data/bear" P30,P36,P1376 10 "$model" "$rounds" ${@:-1 2}
