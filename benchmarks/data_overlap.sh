#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The time to find facts whose names appear together in a made-up text, compared with grep -F, which only finds lines that
# contain any name.
#
#   bash benchmarks/data_overlap.sh [MEGABYTES] [FACTS] [ROUNDS]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 benchmarks/data_overlap.py build/plumb "$work" "${1:-200}" "${2:-20000}" "${3:-3}"
