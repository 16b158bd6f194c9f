// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kernels does this program run?
//
// It runs the widest of its kernels that the processor supports. A program that links the library
// plumb::kernels, which defines PLUMB_COMPILED_KERNELS, contains kernels of all widths. Without
// that library, a program contains only kernels of the widths for which its files are compiled. The
// environment variable PLUMB_VECTOR (v2, v3 or v4) selects a width. The last digits of scores
// depend on the width. For a given width, every machine that supports it writes the same bytes.

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
/// Whether the processor has AVX-VNNI. Some compilers' __builtin_cpu_supports does not recognise
/// this name.
[[nodiscard]] inline bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 &&
         (a & 1U << 4) != 0;
}
#endif

/// Whether this processor and its operating system support the instructions that a table needs.
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

/// The tables in a program: those of plumb::kernels, or those that the program's files added during
/// initialisation.
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

/// Chooses the widest of the program's tables that the machine supports. `wanted` is a width; an
/// empty string accepts any width. Throws a user error if the program or the machine does not
/// support the wanted width, or if the machine supports none of the tables.
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
    throw user_error({.field = "kernels"},
                     "this processor supports none of the program's vector widths: " + list,
                     "compile the program for this processor");
  }
  throw user_error({.field = "PLUMB_VECTOR"},
                   is_held ? "this processor does not support " + wanted
                           : "'" + wanted + "' is not one of this program's vector widths: " + list,
                   "unset it, or set a width that both the processor and the program support");
}

/// The table that this program runs. The first call may throw the same user errors as
/// choose_kernels.
template <class Table>
[[nodiscard]] const Table& kernels() {
  static const Table& chosen = []() -> const Table& {
    const char* const wanted = std::getenv("PLUMB_VECTOR");
    return choose_kernels(held_kernels<Table>(), wanted == nullptr ? "" : wanted);
  }();
  return chosen;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
