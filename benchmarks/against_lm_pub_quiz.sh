#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plumb compared with lm-pub-quiz 0.3.3: the same F32 weights, facts and threads, in one run on one machine.
# Installs lm-pub-quiz's whole environment (torch, transformers; about 6 GB, once) in plumb's cache.
#
#   bash benchmarks/against_lm_pub_quiz.sh [DATA] [RELATIONS] [LIMIT]
#
# With PLUMB_AVX2=1 neither side uses AVX-512, even if the machine supports it.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

data=${1:-$plumb_shared/data/bear}
relations=${2:-P19,P30,P36,P50,P272,P1376}
limit=${3:-10}
need_build_packages
build_plumb plumb_command requantize
need_model

build=build
if [ "${PLUMB_AVX2:-0}" = 1 ]; then
  build=build-avx2
  build_for_avx2 plumb_command
  export PLUMB_VECTOR=v3 ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2
fi

need_whole_peer
exec "$whole_peer_python" benchmarks/against_lm_pub_quiz.py --plumb "$build/plumb" --model "$model_f32" --data "$data" \
  --relations "$relations" --limit "$limit"
