#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Why do lm-evaluation-harness and lm-pub-quiz give different accuracies on BEAR?
#
#   bash benchmarks/against_lm_evaluation_harness.sh [FACTS_PER_RELATION]
#
# Needs BEAR in the reference data. Fetches lm-evaluation-harness 0.4.13 next to lm-pub-quiz's environment.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb plumb_command requantize
need_model
need_whole_peer
harness="$plumb_cache/lm-evaluation-harness-0.4.13"
if [ ! -d "$harness" ]; then
  say "fetching lm-evaluation-harness 0.4.13"
  rm -rf "$harness.part"
  "$whole_peer_python" -m venv --system-site-packages "$harness.part"
  echo "$("$whole_peer_python" -c 'import site; print(site.getsitepackages()[0])')" >"$(echo "$harness".part/lib/python*/site-packages)/peer.pth"
  "$harness.part/bin/python" -m pip install -q --disable-pip-version-check lm-eval==0.4.13
  mv "$harness.part" "$harness"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$harness/bin/python" benchmarks/against_lm_evaluation_harness.py build/plumb "$model_f32" "$plumb_shared/data/bear" "$work" "${1:-5}"
