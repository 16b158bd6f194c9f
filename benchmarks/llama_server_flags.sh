#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How long do 330 statements of BEAR, and 20 choices after 50 shots, take through a llama-server with several numbers of slots
# and flags? Builds llama-server once. Needs BEAR in the reference data.
#
#   bash benchmarks/llama_server_flags.sh

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"
need_build_packages
need_llama
need_llama_server
build_plumb plumb_command requantize
need_model
PLUMB_LLAMA_SERVER="$llama_server" exec python3 benchmarks/llama_server_flags.py build/plumb "$model_f32" "$plumb_shared/data/bear"
