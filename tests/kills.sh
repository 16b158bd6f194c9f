#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills every job at random moments on tiny models and resumes it: kills.sh [N] [SEED], 1000 kills by default
# (tests/kills.py).

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"
need_build_packages
build_plumb tiny_command
exec python3 tests/kills.py build "$@"
