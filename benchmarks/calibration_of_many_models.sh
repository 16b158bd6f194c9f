#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The time for all calibration numbers of 16 models on a BEAR-sized table (7,731 facts, 60 options, made-up scores),
# including the bootstrap, from results files to the page; and for comparison the same definitions in numpy and
# scikit-learn for a part of the work. Arguments: templates (1 by default; 12 is the paper's five paraphrases and seven
# markers), models (16), rounds (1).

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
need_build_packages
build_plumb plumb_command
need_peer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$peer_python" "$plumb_root/benchmarks/calibration_of_many_models.py" "$plumb_root/build/plumb" "$work" "${1:-1}" "${2:-16}" "${3:-1}"
