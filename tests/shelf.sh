#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every command of docs/papers that takes a table of models on twenty tiny random models, causal and masked, as
# tests/system/test_shelf.py does. Models, runs and pages are kept. Needs no reference data and downloads no model.
#
#   bash tests/shelf.sh FOLDER

set -euo pipefail
if [ $# -ne 1 ] || [ -e "$1" ]; then
  echo "usage: bash tests/shelf.sh FOLDER (a new folder)" >&2
  exit 2
fi
shelf=$(realpath -m "$1")
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages wordnet-base
need_llama
build_plumb plumb_command
PLUMB_BUILD="$plumb_root/build" PLUMB_SHELF="$shelf" python3 tests/run.py test_shelf
find "$shelf" -path '*/comparison/report.html' | sort
