#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On tiny models: makes each file call of each job fail with each fault, and simulates a power loss after each change
# of the disk (tests/system/faults.cpp). faults.sh [EVERY] tries every EVERYth place (1: all). The files are in
# memory: the state of a disk after a power loss is computed from the calls.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"
need_build_packages
build_plumb faults
[ -n "${TMPDIR:-}" ] || export TMPDIR=/dev/shm
status=0
build/faults errors --every "${1:-1}" || status=1
build/faults power-loss --every "${1:-1}" || status=1
exit $status
