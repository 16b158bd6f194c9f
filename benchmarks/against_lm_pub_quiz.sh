#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# plumb against lm-pub-quiz 0.3.3: the same F32 weights, facts and threads, in one run on one machine.
# Sets up the peer's whole environment (torch, transformers; about 6 GB, once) beside the other caches.
#
#   bash benchmarks/against_lm_pub_quiz.sh [DATA] [RELATIONS] [LIMIT]

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

data=${1:-$plumb_shared/data/bear}
relations=${2:-P19,P30,P36,P50,P272,P1376}
limit=${3:-10}
need_build_packages
build_plumb plumb_command requantize
need_model

peer="$plumb_cache/lm-pub-quiz-0.3.3-full"
if [ ! -d "$peer" ]; then
  say "fetching lm-pub-quiz 0.3.3 with torch and transformers"
  rm -rf "$peer.part"
  python3 -m venv "$peer.part"
  "$peer.part/bin/python" -m pip install -q --disable-pip-version-check \
    lm-pub-quiz==0.3.3 torch transformers accelerate gguf scipy scikit-learn sentencepiece
  mv "$peer.part" "$peer"
fi
exec "$peer/bin/python" benchmarks/against_lm_pub_quiz.py --plumb build/plumb --model "$model_f32" --data "$data" \
  --relations "$relations" --limit "$limit"
