#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Do two programs give the same results? Runs every command on small inputs with both, and compares their output and
# all files that they write (tests/same_results.py lists the few fields that may differ).
#
#   bash tests/same_results.sh OLD NEW [JOB…]
#
# OLD and NEW are programs or commits. Commits are built for any CPU under build/same_results/.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

if (($# < 2)); then
  echo "usage: bash tests/same_results.sh OLD NEW [JOB…]" >&2
  exit 2
fi
need_build_packages
need_llama
need_vocabularies

# program_of PROGRAM|COMMIT: the path of a program.
program_of() {
  if [ -x "$1" ] && [ -f "$1" ]; then
    realpath "$1"
    return
  fi
  local commit folder
  commit=$(git rev-parse --verify --quiet "$1^{commit}") || {
    echo "$1 is neither a program nor a commit" >&2
    exit 2
  }
  folder=$plumb_root/build/same_results/$commit
  if [ ! -x "$folder/build/plumb" ]; then
    rm -rf "$folder" && mkdir -p "$folder/source"
    git archive "$commit" | tar -x -C "$folder/source"
    cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPLUMB_NATIVE=OFF \
      -DPLUMB_TESTS=OFF -DCMAKE_PREFIX_PATH="$llama_prefix" >&2
    cmake --build "$folder/build" --target plumb_command >&2
  fi
  echo "$folder/build/plumb"
}

old=$(program_of "$1")
new=$(program_of "$2")
[ -x build/write_tiny_gguf ] || build_plumb write_tiny_gguf
PLUMB_SHARED="$plumb_shared" exec python3 tests/same_results.py "$old" "$new" \
  build/write_tiny_gguf "$vocabulary_folder/ggml-vocab-gpt-2.gguf" "${@:3}"
