#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The test programs of the rooms under sanitizers: run.sh --sanitize address,undefined [ROOM…], and thread.
# They are built without llama.cpp, with the presets asan and tsan. All threads are OpenMP's. Clang's OpenMP runtime
# reports to the thread sanitizer which thread waits for which (with archer, from libomp-16-dev); GCC's does not.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

kind=${1:-}
shift || true
need_build_packages
need_packages wordnet-base
case $kind in
  address,undefined)
    preset=asan
    export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
    ;;
  thread)
    preset=tsan
    need_packages clang-16 libclang-rt-16-dev libomp-16-dev
    # Code compiled without it (Boost, the C++ library, the runtime itself) cannot be checked.
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1:suppressions=$plumb_root/tests/thread_sanitizer.txt${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
    export OMP_NUM_THREADS="${OMP_NUM_THREADS:-4}"
    ;;
  *)
    echo "run.sh --sanitize address,undefined|thread [ROOM…]" >&2
    exit 2
    ;;
esac
rooms=("$@")
[ $# -gt 0 ] || mapfile -t rooms < <(find tests -mindepth 2 -name '*_test.cpp' -printf '%h\n' | sort -u | xargs -n1 basename)
say "building ${rooms[*]} for the sanitizers $kind"
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target "${rooms[@]/#/test_}"
say "running them"
PLUMB_BUILD="$plumb_root/build-$preset" exec python3 tests/run.py "${rooms[@]}"
