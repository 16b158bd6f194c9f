#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs every test: the test programs of each room, then the tests of the whole
# command. The last line counts them. Arguments: rooms or modules of tests/system; only these are then built and
# run (tests/run.py). `--sanitize address,undefined` or `--sanitize thread`, followed by rooms or by nothing, runs
# the rooms' programs under sanitizers (tests/sanitize.sh). `--fuzz [SECONDS]` fuzzes the readers, each family for a
# minute or for SECONDS (tests/fuzz/fuzz.py). Packages that only these two need are installed only for them.

set -euo pipefail
if [ "${1:-}" = --sanitize ]; then
  exec bash "$(dirname "${BASH_SOURCE[0]}")/sanitize.sh" "${@:2}"
fi
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
if [ "${1:-}" = --fuzz ]; then
  need_packages clang-16 libclang-rt-16-dev
  exec python3 tests/fuzz/fuzz.py "${@:2}"
fi
need_packages wordnet-base
targets=$(python3 tests/run.py --targets "$@")
case " $* " in
  *" test_"* | "  ")
    need_packages locales unicode-cldr-core iso-codes miscfiles bodr chromium clang-14 clang-16 libc++-16-dev libc++abi-16-dev libclang-rt-16-dev libomp-16-dev groff-base
    need_llama
    need_vocabularies
    [ -f "$model_f32" ] || build_plumb requantize
    need_model
    need_peer
    need_conan
    ;;
esac
plumb_options+=(-DPLUMB_STRICT=ON)
# The command is built with MPI if its MPI tests or all tests are run.
case " $* " in
  *" test_mpi "* | "  ")
    need_packages libopenmpi-dev openmpi-bin
    plumb_options+=(-DPLUMB_MPI=ON)
    ;;
  *" test_headers "*) need_packages libopenmpi-dev ;;
esac
case " $* " in
  *" test_servers "* | "  ") need_llama_server ;;
esac
# shellcheck disable=SC2086
[ -z "$targets" ] || build_plumb $targets

say "running the tests"
PLUMB_BUILD="$plumb_root/build" PLUMB_MODEL="$model_f32" PLUMB_MODEL_Q4="$model_q4" \
  PLUMB_PEER="$peer_python" PLUMB_CONAN="$conan_folder/bin/conan" PLUMB_SHARED="$plumb_shared" \
  PLUMB_VOCABULARIES="$vocabulary_folder" PLUMB_JINJA="$jinja_folder" PLUMB_LLAMA_SERVER="$llama_server" \
  PLUMB_LLAMA_INCLUDE="$llama_prefix/include" exec python3 tests/run.py "$@"
