#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where does the time of long jobs go? Samples three jobs with perf: the closed-set probe of BEAR, sampled and greedy answers,
# and ranks by likelihood. Prints the shares of the samples by kind of work. Needs BEAR and WN18RR in the reference data.
#
#   bash benchmarks/profiles.sh

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"
need_build_packages
need_packages linux-perf
build_plumb plumb_command requantize
need_model
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 benchmarks/profiles.py build/plumb "$model_f32" "$plumb_shared/data" "$work"
