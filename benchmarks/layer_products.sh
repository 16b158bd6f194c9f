#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plumb's matrix product for a network's layers compared with Eigen's and OpenBLAS's, in turns, in one run on one machine.
# With PLUMB_AVX2=1 all use only AVX2, even if the machine supports AVX-512.
#
#   bash benchmarks/layer_products.sh [ROUNDS]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages libopenblas-dev
build_plumb layer_products layer_products_avx2
if [ "${PLUMB_AVX2:-0}" = 1 ]; then
  OPENBLAS_CORETYPE=Haswell PLUMB_VECTOR=v3 exec build/layer_products_avx2 "$@"
fi
exec build/layer_products "$@"
