#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How does plumb's time grow with facts, options, shots, entities and threads? Fitted exponents with intervals.
#
#   bash benchmarks/growth.sh [ROUNDS]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages libopenblas-dev
build_plumb plumb_command requantize ranking_against_sgemm
need_model
need_whole_peer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$whole_peer_python" benchmarks/growth.py build/plumb build/ranking_against_sgemm "$model_f32" "$work" "${1:-3}"
