#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The golden relations of BEAR on SmolLM2-135M in F32 through a real llama-server, against lm-pub-quiz's scores, beside
# what tests/run.sh has of servers. Takes minutes.
#
#   bash tests/servers.sh [FACTS]        so many facts of each relation; 10 has all that there are golden scores of

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_llama
need_llama_server
need_vocabularies
build_plumb plumb_command requantize write_tiny_gguf
need_model
PLUMB_BUILD="$plumb_root/build" PLUMB_SHARED="$plumb_shared" PLUMB_MODEL="$model_f32" \
  PLUMB_LLAMA_SERVER="$llama_server" PLUMB_VOCABULARIES="$vocabulary_folder" PLUMB_SERVERS_GOLDEN="${1:-10}" exec python3 tests/run.py test_servers
