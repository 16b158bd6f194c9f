#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How do a chat template, shots, a prefix, BOS and reductions affect SmolLM2-135M-Instruct in F32, separately and together?
#
#   bash benchmarks/asked_ways.sh [OUT] [FACTS_PER_RELATION]
#
# One command probes the model in thirteen ways; OUT/runs/comparison/report.html has the paired differences. Prints each accuracy
# and, over every tenth fact and about six of its options, the largest difference from transformers' score of the same text.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command requantize
need_model
need_whole_peer
exec "$whole_peer_python" benchmarks/asked_ways.py build/plumb "$model_f32" examples/facts "${1:-runs/asked_ways}" "${2:-30}"
