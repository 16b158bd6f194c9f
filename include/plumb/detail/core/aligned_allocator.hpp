// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do numbers lie that vectors load?
//
// At the beginning of a line of the cache, whatever the width of vectors, so that memory may be taken in
// one file and given back in another that is compiled with other flags.

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
  }  // NOLINT: as vectors want it
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
