#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A table of every kind of decoder, each from a Hugging Face folder: the worst difference from transformers over sequences
# that fill the context, and tokens per second compared with transformers and llama.cpp on the same F32 weights, in one run.
# Installs transformers' environment (about 6 GB, once).
#
#   bash benchmarks/architectures.sh [--kinds llama,qwen2] [--rounds 3] [--seconds 1] [--threads 1]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_llama
build_plumb sequence_logits
need_whole_peer
threads=1
for ((i = 1; i < $#; ++i)); do
  [ "${!i}" != --threads ] || { next=$((i + 1)) && threads=${!next}; }
done
export OMP_NUM_THREADS=$threads OMP_WAIT_POLICY=passive
exec "$whole_peer_python" benchmarks/architectures.py --program build/sequence_logits "$@"
