#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every command of docs/papers on SmolLM2-135M in F32 and a few facts, as tests/system/test_papers.py does on a
# tiny random model. Takes minutes, so tests/run.sh uses the tiny model.
#
#   bash tests/papers.sh

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages wordnet-base
need_llama
build_plumb plumb_command requantize write_tiny_gguf
need_model
PLUMB_BUILD="$plumb_root/build" PLUMB_SHARED="$plumb_shared" PLUMB_PAPERS_MODEL="$model_f32" \
  exec python3 tests/run.py test_papers
