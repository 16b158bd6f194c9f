#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A launcher for CMake: compile_with.sh CLANG COMPILER WORDS… compiles with clang instead of CMake's GCC. Options that
# only GCC knows are dropped.
clang=$1
shift 2
output=
header=
previous=
for word; do
  shift
  [ "$previous" = -o ] && output=$word
  [ "$word" = c++-header ] && header=yes
  previous=$word
  case $word in
    -ffold-simple-inlines | -fno-dwarf2-cfi-asm) ;;
    *) set -- "$@" "$word" ;;
  esac
done
# clang must not build a precompiled header from an earlier one, which it would find next to it.
[ -z "$header" ] || rm -f "$output"
# GCC's -Wconversion for C++ does not include -Wsign-conversion, and GCC attributes code in Boost.Test's macros to Boost.
exec "$clang" -Qunused-arguments -Wno-unknown-warning-option "$@" -Wno-sign-conversion -Wno-unused-result
