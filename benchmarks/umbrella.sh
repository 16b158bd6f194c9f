#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How long does a file take to compile that includes everything that works in memory, everything that writes run folders and
# pages, or one public header? How long do programs take: one with both umbrella headers, one that writes a run folder, and one
# with the whole command in three lines, each with all bodies, and with plumb::compiled or plumb::command, whose bodies are in
# a library?
#
#   bash benchmarks/umbrella.sh [ROUNDS [COMPILER …]]
# Prints the CPU seconds of each round for each compiler and each include or program, unoptimised; for some also with
# std::ranges instead of core/ranges.hpp.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"
cd "$plumb_root"

need_build_packages
need_packages clang-14 clang-16
rounds=${1:-3}
compilers=("${@:2}")
[ ${#compilers[@]} -gt 0 ] || compilers=(g++ clang++-14 clang++-16)
headers=(plumb.hpp run.hpp dataset.hpp load.hpp prompt_builder.hpp candidate_scorer.hpp aggregator.hpp
  calibrator.hpp model.hpp probe.hpp many_shot.hpp rank.hpp many_prompts.hpp compare.hpp tensors.hpp)
# An embedder's programs, from one score to all five systems.
programs=(own_engine hold_a_kernel five_systems answers_as_tensors)
# An embedder's program that includes both umbrella headers and writes a run folder.
whole=(examples/own_run_folder.cpp -include plumb/plumb.hpp -include plumb/run.hpp)

# compile LABEL FILE OPTION…: prints a line with the CPU seconds of each round
TIMEFORMAT=%U
include=include
compile() {
  local label=$1 file=$2 seconds=()
  shift 2
  for ((round = 0; round < rounds; ++round)); do
    seconds+=("$({ time "$compiler" -std=c++20 "$@" -I"$include" -isystem /usr/include/eigen3 -c -o /dev/null "$file"; } 2>&1)")
  done
  printf '%-10s  %-40s  %s\n' "$compiler" "$label" "${seconds[*]}"
}

# The headers with std::ranges instead of core/ranges.hpp.
with_std_ranges() {
  local names="find_if find count_if count any_of all_of none_of sort stable_sort max_element min_element lower_bound
    upper_bound binary_search equal reverse" name
  cp -r include "$precompiled/ranges"
  {
    printf '#pragma once\n#include <algorithm>\n#include <functional>\n#include "plumb/detail/core/version.hpp"\n'
    printf 'namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::ranges {\n'
    for name in $names; do printf 'using std::ranges::%s;\n' "$name"; done
    printf 'template <class List> void sort_distinct(List& list) {\n  std::ranges::sort(list);\n'
    printf '  const auto rest = std::ranges::unique(list);\n  list.erase(rest.begin(), rest.end());\n}\n}\n'
  } >"$precompiled/ranges/plumb/detail/core/ranges.hpp"
}

# precompile: both umbrella headers, once for all files of a program that are compiled with the same options
precompiled=$(mktemp -d)
trap 'rm -rf "$precompiled"' EXIT
printf '#include "plumb/plumb.hpp"\n#include "plumb/run.hpp"\n' >"$precompiled/both.hpp"
precompile() {
  local option=()
  case $compiler in
    clang*) option=(-fpch-instantiate-templates) with=(-include-pch "$precompiled/both.pch") made=both.pch ;;
    *) with=(-include "$precompiled/both.hpp") made=both.hpp.gch ;;
  esac
  local spent
  spent=$({ time "$compiler" -std=c++20 "$@" ${option[@]+"${option[@]}"} -Iinclude -isystem /usr/include/eigen3 \
    -x c++-header "$precompiled/both.hpp" -o "$precompiled/$made"; } 2>&1)
  printf '%-10s  %-40s  %s\n' "$compiler" "both, precompiled once" "$spent"
}

with_std_ranges
for compiler in "${compilers[@]}"; do
  for header in "${headers[@]}"; do
    compile "$header" /dev/null -include "plumb/$header" -x c++
  done
  for program in "${programs[@]}"; do compile "$program.cpp" "examples/$program.cpp"; done
  compile "a program over both" "${whole[@]}"
  compile "a program over both, plumb::compiled" "${whole[@]}" -DPLUMB_COMPILED
  precompile -DPLUMB_COMPILED
  compile "the same behind the precompiled header" examples/own_run_folder.cpp "${with[@]}" -DPLUMB_COMPILED
  compile "own_run_folder.cpp" examples/own_run_folder.cpp
  compile "own_run_folder.cpp, plumb::compiled" examples/own_run_folder.cpp -DPLUMB_COMPILED
  compile "own_command.cpp, headers only" examples/own_command.cpp
  compile "own_command.cpp, plumb::command" examples/own_command.cpp -DPLUMB_COMPILED -DPLUMB_COMPILED_COMMAND
  include=$precompiled/ranges
  compile "plumb.hpp, std::ranges" /dev/null -include plumb/plumb.hpp -x c++
  compile "run.hpp, std::ranges" /dev/null -include plumb/run.hpp -x c++
  compile "own_command.cpp, std::ranges" examples/own_command.cpp
  include=include
done
