#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The time for scoring every entity for every query of a graph, extrapolated by least squares from a few queries, compared
# with DEER's measured time: Table 2 of "Cosine Similarity as Logits?".
#
#   bash benchmarks/exhaustive_time.sh [GRAPH] [SIZES] [REPEATS] [ENTITIES] [SPLIT OF DEER]
#
# WN18RR's 40,943 entities take minutes per query; ENTITIES draws fewer of them and scales the time.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command requantize exhaustive_time
need_model
exec python3 benchmarks/exhaustive_time.py --build build --model "$model_f32" \
  --data "${1:-$plumb_shared/data/umls}" --sizes "${2:-16,31,46,61,76,91,106,121,136,151}" \
  --repeats "${3:-3}" --entities "${4:-0}" --split "${5:-all}"
