#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plumb on Hugging Face folders compared with lm-pub-quiz 0.3.3 on the same folders, in one run on one machine: random
# models of three sizes (a tiny BERT and one of BERT-base's size with both masking rules, and one of OPT-125M's size in the
# closed-set probe). Installs lm-pub-quiz's whole environment (torch, transformers; about 6 GB, once).
#
#   bash benchmarks/huggingface_against_lm_pub_quiz.sh [MODELS] [ROUNDS] [DATA] [RULES]
# MODELS: some of tiny-bert,bert-base,opt-125m. RULES: within-word, original, or both (default).

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command decoder_products
need_whole_peer
export OMP_WAIT_POLICY=passive  # spinning threads slow each other down on a busy machine
exec "$whole_peer_python" benchmarks/huggingface_against_lm_pub_quiz.py --plumb build/plumb \
  --models "${1:-tiny-bert,bert-base,opt-125m}" --rounds "${2:-3}" --data "${3:-$plumb_shared/data/bear}" \
  --rules "${4:-within-word,original}"
