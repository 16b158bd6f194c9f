#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs every test: the test programs of each room, then the tests of the whole
# command. The last line counts them. Arguments: names of rooms or system tests to run alone.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages wordnet-base unicode-cldr-core iso-codes miscfiles bodr chromium clang-16 doxygen
build_plumb all
need_model

need_vocabularies
need_peer
need_conan

say "running the tests"
PLUMB_BUILD="$plumb_root/build" PLUMB_MODEL="$model_f32" PLUMB_MODEL_Q4="$model_q4" \
  PLUMB_PEER="$peer_python" PLUMB_CONAN="$conan_folder/bin/conan" PLUMB_SHARED="$plumb_shared" \
  PLUMB_VOCABULARIES="$vocabulary_folder" \
  PLUMB_LLAMA_INCLUDE="$llama_prefix/include" exec python3 tests/run.py "$@"
