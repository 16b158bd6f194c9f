#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How often 95% intervals of shares contain the true share: Wilson's over all outcomes, clustered ones over draws.
#
#   bash benchmarks/interval_coverage.sh [DRAWS] [SEED]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb interval_coverage
exec build/interval_coverage "$@"
