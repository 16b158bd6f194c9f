#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How long do Hugging Face folders take to load from the page cache, and how much memory do they take?
#
#   bash benchmarks/folder_loading.sh FOLDER [ROUNDS]
#
# FOLDER is a small causal model, such as SmolLM2-135M. The benchmark also loads random weights in Llama 3.2 1B's shape, in BF16
# and three shards (2.5 GB in TMPDIR), with FOLDER's tokenizer.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb folder_loading
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 benchmarks/folder_loading.py "$work/random-1b-bf16" "$1"
for ((round = 0; round < ${2:-3}; ++round)); do
  for folder in "$1" "$work/random-1b-bf16"; do
    cat "$folder"/*.safetensors >/dev/null
    build/folder_loading "$folder"
  done
done
