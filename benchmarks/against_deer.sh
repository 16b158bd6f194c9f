#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plumb's DEER compared with encoding one prompt at a time with transformers, like the paper's program: the
# same F32 weights, prompts and threads, in one run on one machine. Installs torch and transformers
# (about 6 GB, once) in plumb's cache.
#
#   bash benchmarks/against_deer.sh [GRAPH] [ENTITIES] [ROUNDS] [QUERIES]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command requantize decoder_products
need_model
need_whole_peer
exec "$whole_peer_python" benchmarks/against_deer.py --plumb build/plumb --model "$model_f32" \
  --data "${1:-$plumb_shared/data/wn18rr}" --sample "${2:-600}" --rounds "${3:-3}" --queries "${4:-500}"
