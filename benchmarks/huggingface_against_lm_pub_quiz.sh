#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plumb on Hugging Face folders against lm-pub-quiz 0.3.3 on the same folders, in one run on one machine: random
# models of three sizes (a tiny BERT and one as large as BERT-base by both masking rules, OPT-125M's size in the
# closed-set probe). Sets up the peer's whole environment (torch, transformers; about 6 GB, once).
#
#   bash benchmarks/huggingface_against_lm_pub_quiz.sh [MODELS] [ROUNDS] [DATA]
# MODELS: some of tiny-bert,bert-base,opt-125m.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command
need_whole_peer
export OMP_WAIT_POLICY=passive  # threads that spin slow each other down on a machine that does other work
exec "$whole_peer_python" benchmarks/huggingface_against_lm_pub_quiz.py --plumb build/plumb \
  --models "${1:-tiny-bert,bert-base,opt-125m}" --rounds "${2:-3}" --data "${3:-$plumb_shared/data/bear}"
