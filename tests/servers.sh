#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests real servers. The golden relations of BEAR on SmolLM2-135M in F32 run through llama-server; statements, ranks
# and generation run through vLLM on the CPU (7 GB, downloaded once). Results are compared with lm-pub-quiz's scores and
# plumb's own network. The servers' tests of tests/run.sh run too. Takes minutes.
#
#   bash tests/servers.sh [FACTS]        facts of each golden relation through llama-server, 1 to 10 (10 by default)
#
# PLUMB_VLLM names the Python of an existing environment with vLLM, or is "no".

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_llama
need_llama_server
need_vocabularies
build_plumb plumb_command requantize write_tiny_gguf
need_model
if [ -z "${PLUMB_VLLM:-}" ]; then
  need_vllm && PLUMB_VLLM="$vllm_python" || PLUMB_VLLM=no
fi
[ "$PLUMB_VLLM" = no ] && PLUMB_VLLM=""
export PLUMB_VLLM
PLUMB_BUILD="$plumb_root/build" PLUMB_SHARED="$plumb_shared" PLUMB_MODEL="$model_f32" \
  PLUMB_LLAMA_SERVER="$llama_server" PLUMB_VOCABULARIES="$vocabulary_folder" PLUMB_SERVERS_GOLDEN="${1:-10}" exec python3 tests/run.py test_servers
