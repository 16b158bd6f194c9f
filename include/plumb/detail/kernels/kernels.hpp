// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kernels does this program run?
//
// The widest that the processor has, of those that the program holds: all widths with the library
// plumb::kernels, which defines PLUMB_COMPILED_KERNELS, else those that its files are compiled for. The variable PLUMB_VECTOR (v2, v3 or v4) chooses a
// width. Scores of a network depend on the width in their last digits; a width gives the same bytes on
// every machine that has it.

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/kernels/kernel_set.hpp"

#if !defined(PLUMB_COMPILED_KERNELS)
#include "plumb/detail/kernels/kernels_here.hpp"
#endif

namespace plumb::detail {

#if defined(__x86_64__) || defined(__i386__)
/// AVX-VNNI, which not every compiler's __builtin_cpu_supports knows.
[[nodiscard]] inline bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 &&
         (a & 1U << 4) != 0;
}
#endif

/// Whether this processor, and its operating system, have what a set needs.
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

#if defined(PLUMB_COMPILED_KERNELS)
/// The sets that plumb::kernels holds.
[[nodiscard]] std::span<const KernelSet* const> held_kernels();
#else
/// The sets of the program's files, by when they are initialised.
[[nodiscard]] inline std::vector<const KernelSet*>& added_kernels() {
  static std::vector<const KernelSet*> sets;
  return sets;
}
[[nodiscard]] inline std::span<const KernelSet* const> held_kernels() {
  return added_kernels();
}

inline namespace PLUMB_VECTOR_NAMESPACE {
inline const bool adds_kernels = (added_kernels().push_back(&kernels_here), true);
}  // namespace PLUMB_VECTOR_NAMESPACE
#endif

/// The set to run of those that a program holds: the last in the order of widths that the machine has.
/// `wanted` is a width, or empty. Throws a user error for a width that is not held or that the machine
/// has not, and where there is none.
[[nodiscard]] inline const KernelSet& choose_kernels(std::span<const KernelSet* const> held,
                                                     const std::string& wanted) {
  const KernelSet* best = nullptr;
  bool is_held = false;
  for (const KernelSet* set : held) {
    if (!wanted.empty() && wanted != set->width) continue;
    is_held = true;
    if (!machine_has(set->needs)) continue;
    if (best == nullptr || set->needs > best->needs) best = set;
  }
  if (best != nullptr) return *best;
  std::string list;
  for (const KernelSet* set : held) {
    if (list.ends_with(set->width)) continue;
    list.append(list.empty() ? "" : ", ").append(set->width);
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

/// The set that this program runs. Throws a user error, at the first call, as choose_kernels does.
[[nodiscard]] inline const KernelSet& kernels() {
  static const KernelSet& chosen = []() -> const KernelSet& {
    const char* const wanted = std::getenv("PLUMB_VECTOR");
    return choose_kernels(held_kernels(), wanted == nullptr ? "" : wanted);
  }();
  return chosen;
}

}  // namespace plumb::detail
