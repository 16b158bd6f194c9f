#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How good are the tests? Makes many small changes to the library, one at a time, and reports those that no test of the
# header notices (tests/mutate.py).
#
#   bash tests/mutate.sh [ROOM,ROOM…] [N] [SEED]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

rooms=${1:-core,data,score,measure,rank,aggregate,calibrate}
need_build_packages
need_packages wordnet-base
# mutate.py calls CMake's compiler, so the precompiled header must be from the same compiler.
plumb_options+=(-DPLUMB_TEST_CLANG=OFF)
# shellcheck disable=SC2046
build_plumb $(tr ',' '\n' <<<"$rooms" | sed 's/^/test_/')
PLUMB_SHARED="$plumb_shared" exec python3 tests/mutate.py "$rooms" "${2:-200}" "${3:-1}"
