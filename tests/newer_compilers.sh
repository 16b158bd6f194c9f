#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles both umbrella headers without warnings and runs three examples, with g++ and clang of a newer Debian in its
# own chroot: newer_compilers.sh [SUITE] [FOLDER], "testing" and /var/tmp/plumb-SUITE by default. Needs root. The
# installed packages stay in the folder, so that the next run is fast.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
suite=${1:-testing}
folder=${2:-/var/tmp/plumb-$suite}
need_packages debootstrap
[ -e "$folder/etc/debian_version" ] || debootstrap --variant=minbase "$suite" "$folder"
mkdir -p "$folder/plumb"
cp -r "$plumb_root/include" "$plumb_root/examples" "$folder/plumb"
printf '#include "plumb/plumb.hpp"\n#include "plumb/detail/runs.hpp"\nint main() {}\n' > "$folder/plumb/umbrellas.cpp"
chroot "$folder" bash -euo pipefail -c '
  export DEBIAN_FRONTEND=noninteractive
  if ! command -v clang++ > /dev/null || ! command -v g++ > /dev/null; then
    apt-get -qq -o Acquire::Check-Valid-Until=false update
    apt-get -qq install -y --no-install-recommends g++ clang libeigen3-dev nlohmann-json3-dev libxtensor-dev
  fi
  cd /plumb
  for compiler in g++ clang++; do
    "$compiler" --version | head -n 1
    words="-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude -isystem /usr/include/eigen3"
    "$compiler" $words -fsyntax-only umbrellas.cpp
    for example in own_engine fitted_confidence own_run_folder; do
      "$compiler" $words -o "$example" "examples/$example.cpp"
      diff <(sed -n "/^.. Prints:/,/^[^\/]/s|^//   ||p" "examples/$example.cpp") <(cd /tmp && "/plumb/$example")
    done
    echo "  both umbrella headers and three examples: no warnings, and the examples print what their comments state"
  done'
