#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs every test: the test programs of each room, then the tests of the whole
# command. The last line counts them. Arguments: names of rooms or system tests to run alone.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages wordnet-base unicode-cldr-core iso-codes miscfiles bodr chromium
build_plumb all
need_model

# lm-pub-quiz opens our folders; without torch, which the tests stub, it is small.
peer="$plumb_cache/lm-pub-quiz-0.3.3"
if [ ! -d "$peer" ]; then
  say "fetching lm-pub-quiz 0.3.3 and what it reads tables with"
  rm -rf "$peer.part"
  python3 -m venv "$peer.part"
  "$peer.part/bin/python" -m pip install -q --disable-pip-version-check numpy==1.26.4 pandas==2.2.3 \
    scipy==1.14.1 scikit-learn==1.5.2 tqdm==4.67.1 typing_extensions==4.12.2
  "$peer.part/bin/python" -m pip install -q --disable-pip-version-check --no-deps lm-pub-quiz==0.3.3
  mv "$peer.part" "$peer"
fi

say "running the tests"
PLUMB_BUILD="$plumb_root/build" PLUMB_MODEL="$model_f32" PLUMB_MODEL_Q4="$model_q4" \
  PLUMB_PEER="$peer/bin/python" PLUMB_SHARED="$plumb_shared" exec python3 tests/run.py "$@"
