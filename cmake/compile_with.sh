#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A launcher for CMake: compile_with.sh CLANG COMPILER WORDS… compiles by clang what CMake would by GCC. What only GCC
# knows among the words is left out.
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
# A precompiled header is not made of the one before, which clang would find beside it.
[ -z "$header" ] || rm -f "$output"
# GCC has no -Wsign-conversion in C++'s -Wconversion, and takes what Boost.Test's macros hold for Boost's own.
exec "$clang" -Qunused-arguments -Wno-unknown-warning-option "$@" -Wno-sign-conversion -Wno-unused-result
