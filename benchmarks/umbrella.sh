#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How long does a file take to compile that includes all that works in memory, all that writes run
# folders and pages, or what one score needs? And a program that writes a run folder, with all bodies and
# with plumb::compiled?
#
#   bash benchmarks/umbrella.sh [ROUNDS]
# Prints for each compiler and include or program the seconds of each round, unoptimised.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages clang-14 clang-16
rounds=${1:-3}
TIMEFORMAT=%R
for compiler in g++ clang++-14 clang++-16; do
  for header in plumb.hpp runs.hpp score/causal_scorer.hpp calibrate/calibrator.hpp aggregate/probe_in_memory.hpp run/probe_into_folder.hpp; do
    seconds=()
    for ((round = 0; round < rounds; ++round)); do
      seconds+=("$({ time echo "#include \"plumb/$header\"" |
        "$compiler" -std=c++20 -Iinclude -isystem /usr/include/eigen3 -c -o /dev/null -x c++ -; } 2>&1)")
    done
    printf '%-10s  %-32s  %s\n' "$compiler" "$header" "${seconds[*]}"
  done
  for option in -UPLUMB_COMPILED -DPLUMB_COMPILED; do
    seconds=()
    for ((round = 0; round < rounds; ++round)); do
      seconds+=("$({ time "$compiler" -std=c++20 $option -Iinclude -isystem /usr/include/eigen3 -c -o /dev/null \
        examples/own_run_folder.cpp; } 2>&1)")
    done
    printf '%-10s  %-32s  %s\n' "$compiler" "own_run_folder.cpp ${option/-U*/whole}" "${seconds[*]}"
  done
done
