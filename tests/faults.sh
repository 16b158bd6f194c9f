#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lets each call on files of each job fail in each way, and the power go after each change of the disk, on tiny
# models: faults.sh [EVERY], which tries each EVERYth place (1: all) (tests/system/faults.cpp). The files are in
# memory: what a disk has after a loss is worked out from the calls.

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
