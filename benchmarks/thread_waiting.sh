#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How should llama.cpp's threads wait for each other: with OpenMP, or with ggml's own pool, which polls?
#
#   bash benchmarks/thread_waiting.sh [ROUNDS] [STEPS]
#
# With two threads, on an idle machine and next to one busy process. Each round measures all ways one after another, so that
# other work on the machine affects all of them. Prints seconds and their ratios to the way that the command uses (OpenMP,
# spinning for 1,000 rounds). Builds a second ggml-cpu without OpenMP in plumb's cache.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
build_plumb requantize
need_model
pool_prefix="$llama_prefix-pool"
if [ ! -d "$pool_prefix" ]; then
  work="$plumb_cache/work-pool.$$"
  fetch_llama "$work"
  say "building ggml-cpu without OpenMP (two minutes, once)"
  cmake -S "$work"/llama_cpp_python-*/vendor/llama.cpp -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DGGML_OPENMP=OFF -DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TESTS=OFF \
    -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF \
    -DLLAMA_OPENSSL=OFF -DGGML_CCACHE=OFF >"$work/log" 2>&1 &&
    cmake --build "$work/build" --target ggml-cpu >>"$work/log" 2>&1 || { tail -30 "$work/log" >&2; exit 1; }
  cp -r "$llama_prefix" "$work/prefix"  # everything else is the same
  cp "$(find "$work/build" -name libggml-cpu.a)" "$work/prefix/lib/"
  mv "$work/prefix" "$pool_prefix"
  rm -rf "$work"
fi
for way in openmp pool; do
  prefix="$llama_prefix"
  [ "$way" = pool ] && prefix="$pool_prefix"
  g++ -std=c++20 -O2 -I"$prefix/include" benchmarks/thread_waiting.cpp -o "build/thread_waiting_$way" \
    "$prefix"/lib/libllama.a "$prefix"/lib/libggml.a "$prefix"/lib/libggml-cpu.a "$prefix"/lib/libggml-base.a \
    -fopenmp -pthread -ldl
done
exec python3 benchmarks/thread_waiting.py "$model_f32" "${1:-5}" "${2:-10}"
