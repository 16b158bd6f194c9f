// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory for numbers that are loaded into vector registers.
//
// The memory is aligned to a cache line, regardless of the vector width. The memory may therefore
// be allocated in one file and freed in another that is compiled with different flags.

#include <cstddef>
#include <new>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  template <class U>
  explicit(false) AlignedAllocator(const AlignedAllocator<U>&) noexcept {
  }  // NOLINT: std::vector requires an implicit constructor
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* at, std::size_t) noexcept { ::operator delete(at, alignment); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const noexcept {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
