#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How long does the command take to build from nothing, and where does the time go? Builds it in a temporary folder on two
# cores, without a compiler cache. Then compiles the largest files twice more: without optimisation, and only up to parsing.
# Takes about eight minutes.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"
need_build_packages
need_llama
need_jinja
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$llama_prefix" -DPLUMB_JINJA_DIR="$jinja_folder" \
  -DPLUMB_TESTS=OFF >"$folder/configure.log"
CCACHE_DISABLE=1 python3 benchmarks/build_time.py "$folder"
