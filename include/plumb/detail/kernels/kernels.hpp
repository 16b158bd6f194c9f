// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kernels does this program run?
//
// The widest that the processor has, of those that the program holds: all widths with the library
// plumb::kernels, which defines PLUMB_COMPILED_KERNELS, else those that its files are compiled for. The
// variable PLUMB_VECTOR (v2, v3 or v4) chooses a width. Scores depend on the width in their last digits; a
// width gives the same bytes on every machine that has it.

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/kernels/kernel_tables.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

#if defined(__x86_64__) || defined(__i386__)
/// AVX-VNNI, which not every compiler's __builtin_cpu_supports knows.
[[nodiscard]] inline bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 &&
         (a & 1U << 4) != 0;
}
#endif

/// Whether this processor, and its operating system, have what a table needs.
[[nodiscard]] inline bool machine_has(unsigned needs) {
#if defined(__x86_64__) || defined(__i386__)
  const auto lacks = [&](VectorNeeds need, bool has) {
    return (needs & static_cast<unsigned>(need)) != 0 && !has;
  };
  __builtin_cpu_init();
  return !lacks(VectorNeeds::avx2, __builtin_cpu_supports("avx2") &&
                                       __builtin_cpu_supports("fma") &&
                                       __builtin_cpu_supports("bmi2")) &&
         !lacks(VectorNeeds::avx512,
                __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl")) &&
         !lacks(VectorNeeds::vnni, __builtin_cpu_supports("avx512vnni")) &&
         !lacks(VectorNeeds::bf16, __builtin_cpu_supports("avx512bf16")) &&
         !lacks(VectorNeeds::avx_vnni, has_avx_vnni());
#else
  return needs == 0;
#endif
}

/// The tables that a program holds: those of plumb::kernels, or those that its files have added when
/// they were initialised.
#if defined(PLUMB_COMPILED_KERNELS)
template <class Table>
[[nodiscard]] std::span<const Table* const> held_kernels();
template <>
std::span<const RowKernels* const> held_kernels<RowKernels>();
template <>
std::span<const NetworkKernels* const> held_kernels<NetworkKernels>();
template <>
std::span<const RankKernels* const> held_kernels<RankKernels>();
#else
template <class Table>
[[nodiscard]] std::vector<const Table*>& added_kernels() {
  static std::vector<const Table*> tables;
  return tables;
}
template <class Table>
[[nodiscard]] std::span<const Table* const> held_kernels() {
  return added_kernels<Table>();
}
#endif

/// The table to run of those that a program holds: the last in the order of widths that the machine has.
/// `wanted` is a width, or empty. Throws a user error for a width that is not held or that the machine
/// has not, and where there is none.
template <class Table>
[[nodiscard]] const Table& choose_kernels(std::span<const Table* const> held,
                                          const std::string& wanted) {
  const Table* best = nullptr;
  bool is_held = false;
  for (const Table* table : held) {
    if (!wanted.empty() && wanted != table->width) continue;
    is_held = true;
    if (!machine_has(table->needs)) continue;
    if (best == nullptr || table->needs > best->needs) best = table;
  }
  if (best != nullptr) return *best;
  std::string list;
  for (const Table* table : held) {
    if (list.ends_with(table->width)) continue;
    list.append(list.empty() ? "" : ", ").append(table->width);
  }
  if (wanted.empty()) {
    throw user_error({.field = "kernels"}, "this processor has none of the widths " + list,
                     "compile the program for this processor");
  }
  throw user_error({.field = "PLUMB_VECTOR"},
                   is_held ? "this processor has no " + wanted
                           : "'" + wanted + "' is no width of this program, which has " + list,
                   "unset it, or name a width that both have");
}

/// The table that this program runs. Throws a user error, at the first call, as choose_kernels does.
template <class Table>
[[nodiscard]] const Table& kernels() {
  static const Table& chosen = []() -> const Table& {
    const char* const wanted = std::getenv("PLUMB_VECTOR");
    return choose_kernels(held_kernels<Table>(), wanted == nullptr ? "" : wanted);
  }();
  return chosen;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
