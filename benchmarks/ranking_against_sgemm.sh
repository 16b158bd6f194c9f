#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ranking queries among entities by cosine compared with one OpenBLAS sgemm of the same size, in turns, in one run on one
# machine. With PLUMB_AVX2=1 both use only AVX2, even if the machine supports AVX-512.
#
#   bash benchmarks/ranking_against_sgemm.sh [QUERIES] [ENTITIES] [DIMENSION] [ROUNDS]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages libopenblas-dev
build_plumb ranking_against_sgemm
export OMP_WAIT_POLICY=passive
if [ "${PLUMB_AVX2:-0}" = 1 ]; then
  export OPENBLAS_CORETYPE=Haswell PLUMB_VECTOR=v3
fi
exec build/ranking_against_sgemm "$@"
