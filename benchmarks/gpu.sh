#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A GPU's scores compared with a CPU's, and its speed by nodes per step, compared with transformers on the same card if torch
# is installed. Takes ten minutes with an NVIDIA card, nvcc and 16 cores; needs no network if the sources were downloaded
# before.
#
#   bash benchmarks/gpu.sh [all|build|measure|rehearse]
# `rehearse` does everything on only the CPU with a tiny model. On a machine without a card the script reports that and stops.
#
# PLUMB_LLAMA_SOURCES: llama.cpp's sources; by default they are downloaded and stored in plumb's cache.
# PLUMB_GPU_MODELS: GGUF files to measure in addition to the random one; by default SmolLM2-135M if it was downloaded.
# PLUMB_GPU_SHAPE: 1B (Llama's, the default) or 7B.  PLUMB_GPU_SECONDS: seconds of one speed measurement (2).
# PLUMB_HEADERS: a folder with eigen3/ and nlohmann/, if Debian's packages are not installed.
# PLUMB_LLAMA_OPTIONS: more CMake options for llama.cpp.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

step=${1:-all}
case "$step" in all | build | measure | rehearse) ;; *)
  echo "gpu.sh: '$step' is not a choice; say all, build, measure or rehearse" >&2
  exit 2
  ;;
esac
device=gpu shape=${PLUMB_GPU_SHAPE:-1B} packs="64 128 256 512 1024 2048 4096 8192" seconds=${PLUMB_GPU_SECONDS:-2}
if [ "$step" = rehearse ]; then
  device=cpu shape=tiny packs="64 256" seconds=0.5
elif ! nvidia-smi -L >/dev/null 2>&1; then
  echo "no NVIDIA card here (nvidia-smi lists none): nothing was measured"
  exit 0
fi
work="$plumb_cache/gpu-$llama_version-$shape"
prefix="$work/prefix" programs="$work/programs"
mkdir -p "$programs"
export LD_LIBRARY_PATH="$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

need_sources() {
  sources=${PLUMB_LLAMA_SOURCES:-$plumb_cache/llama-$llama_version-sources/llama.cpp}
  [ -f "$sources/CMakeLists.txt" ] && return
  if [ -n "${PLUMB_LLAMA_SOURCES:-}" ]; then
    echo "PLUMB_LLAMA_SOURCES: $sources has no CMakeLists.txt; name the folder of llama.cpp's sources" >&2
    exit 2
  fi
  local got="$plumb_cache/work-sources.$$"
  fetch_llama "$got"
  mkdir -p "$(dirname "$sources")"
  mv "$got"/llama_cpp_python-*/vendor/llama.cpp "$sources"
  rm -rf "$got"
}

build_cuda_llama() {
  [ -d "$prefix" ] && return
  local card
  card=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d '. ')
  say "building llama.cpp for CUDA, compute capability $card"
  cmake -S "$sources" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
    -DCMAKE_INSTALL_PREFIX="$prefix.part" -DCMAKE_INSTALL_LIBDIR=lib -DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TESTS=OFF \
    -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF \
    -DLLAMA_OPENSSL=OFF -DGGML_CCACHE=OFF -DGGML_CUDA=ON -DGGML_CUDA_NCCL=OFF \
    -DCMAKE_CUDA_ARCHITECTURES="$card-real" ${PLUMB_LLAMA_OPTIONS:-} >"$work/log" 2>&1 &&
    cmake --build "$work/build" >>"$work/log" 2>&1 && cmake --install "$work/build" >>"$work/log" 2>&1 ||
    { grep -iE "error|fatal" "$work/log" | head -20 >&2; tail -20 "$work/log" >&2; exit 1; }
  mv "$prefix.part" "$prefix"
}

# With Eigen's and nlohmann-json's headers from Debian's packages, or from PLUMB_HEADERS.
compile() {
  local headers=(-isystem /usr/include/eigen3)
  [ -n "${PLUMB_HEADERS:-}" ] && headers=(-isystem "$PLUMB_HEADERS/eigen3" -isystem "$PLUMB_HEADERS")
  g++ -std=c++20 -O2 -march=native -c -Iinclude -I"$sources/include" -I"$sources/ggml/include" "${headers[@]}" "$2" \
    -o "$programs/$1.o"
}

if [ "$step" != measure ]; then
  need_sources
  for program in gpu:benchmarks/gpu.cpp requantize:examples/requantize.cpp; do
    compile "${program%%:*}" "${program#*:}" &
    compiling+=($!)
    [ "$step" = rehearse ] && wait $!
  done
  if [ "$step" = rehearse ]; then
    need_llama
    libraries=(-L"$llama_prefix/lib" -lllama -lggml -lggml-cpu -lggml-base -fopenmp -lpthread -ldl)
  else
    build_cuda_llama
    libraries=(-L"$prefix/lib" -Wl,--allow-shlib-undefined -lllama -lggml -lggml-base -ldl)
  fi
  for one in "${compiling[@]}"; do wait "$one"; done
  for program in gpu requantize; do g++ "$programs/$program.o" "${libraries[@]}" -o "$programs/$program"; done
  vocabulary=ggml-vocab-llama-bpe.gguf
  [ "$shape" = 7B ] && vocabulary=ggml-vocab-llama-spm.gguf
  say "random weights of Llama's shape, $shape"
  "$programs/gpu" weights "$shape" "$sources/models/$vocabulary" "$work/random-$shape.gguf"
fi
[ "$step" = build ] && exit

# Scores are exact only in F32.
models=("$work/random-$shape.gguf")
default_models=""
[ "$step" != rehearse ] && [ -f "$model_q4" ] && default_models=$model_q4
for given in ${PLUMB_GPU_MODELS-$default_models}; do
  name="$work/$(basename "$given" .gguf)"
  "$programs/requantize" "$given" "$name.BF16.gguf" BF16
  models+=("$name.BF16.gguf")
done
facts=examples/facts

if [ "$device" = gpu ]; then
  nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader
fi
echo "$(nproc) cores: $(grep -m1 '^model name' /proc/cpuinfo | cut -d: -f2 | xargs)"
for model in "${models[@]}"; do
  exact="${model%.gguf}.exact.gguf"
  [ -f "$exact" ] || "$programs/requantize" "$model" "$exact" F32
  say "$(basename "$model" .gguf): scores"
  results="$work/scores-$(basename "$model" .gguf)"
  mkdir -p "$results"
  scores() {  # NAME FILE PRECISION DEVICE
    printf '%-28s ' "$1"
    "$programs/gpu" scores "$2" "$3" "$4" "$facts" 1 "$results/$1"
  }
  scores cpu-exact "$exact" exact cpu
  scores cpu-fast "$model" fast cpu
  scores gpu-exact "$exact" exact "$device"
  # cuBLAS multiplies F32 in TF32 if llama.cpp allows it; this variable forbids it.
  NVIDIA_TF32_OVERRIDE=0 scores gpu-exact-without-tf32 "$exact" exact "$device"
  scores gpu-fast "$model" fast "$device"
  scores gpu-fast-f32-weights "$exact" fast "$device"
  python3 benchmarks/gpu.py compare "$results/cpu-exact" "$results"/[cg]pu-[ef]*
  python3 benchmarks/gpu.py compare "$results/cpu-fast" "$results/gpu-fast"
  python3 benchmarks/gpu.py compare "$results/gpu-exact" "$results/gpu-exact-without-tf32"
done

say "$(basename "${models[0]}" .gguf): speed"
exact="${models[0]%.gguf}.exact.gguf"
failed=0
# If an engine fails at one size, the other sizes are still measured, and the script fails at its end.
rate() {  # FILE PRECISION PACK
  "$programs/gpu" rate "$1" "$2" "$device" "$facts" "$3" "$seconds" && return
  echo "  FAILED at $3 nodes a step, $2: see the lines above"
  failed=1
}
for pack in $packs; do
  rate "${models[0]}" fast "$pack"
  rate "$exact" exact "$pack"
done
echo "without TF32:"
for pack in 256 1024; do NVIDIA_TF32_OVERRIDE=0 rate "$exact" exact "$pack"; done
for model in "${models[@]:1}"; do
  echo "$(basename "$model" .gguf):"
  rate "${model%.gguf}.exact.gguf" exact 1024
done

if python3 -c "import torch, transformers" 2>/dev/null; then
  say "transformers on the same card: random weights of the same shape, the same statements"
  "$programs/gpu" tokens "${models[0]}" "$facts" "$work/tokens.json"
  python3 benchmarks/gpu.py transformers "$shape" "$work/tokens.json" "$seconds" "$device"
fi
exit $failed
