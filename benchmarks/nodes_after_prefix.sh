#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Nodes per second of a network of OPT-125M's size after a short and a long shared prefix.
#
#   bash benchmarks/nodes_after_prefix.sh [NODES] [ROUNDS] [PREFIX …]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb nodes_after_prefix
export OMP_WAIT_POLICY=passive
exec build/nodes_after_prefix "$@"
