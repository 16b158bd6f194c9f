// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are arrays of any length sent between MPI processes?
//
// MPI uses int for counts, so long arrays are sent in parts. A process that waits for a message
// sleeps between checks, because it may wait for hours while the first process embeds, and MPI's
// own waiting would occupy a core. An MPI error ends all processes, which is MPI's default.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The maximum number of elements per call.
inline constexpr std::size_t mpi_part = std::size_t{1} << 27;

[[nodiscard]] inline std::size_t mpi_rank(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return static_cast<std::size_t>(rank);
}
[[nodiscard]] inline std::size_t mpi_size(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return static_cast<std::size_t>(size);
}

/// Calls `part(first, count)` for consecutive parts of `length` elements, with at most `most`
/// elements each.
template <class Part>
void for_each_mpi_part(std::size_t length, Part part, std::size_t most = mpi_part) {
  for (std::size_t first = 0; first < length; first += most) {
    part(first, static_cast<int>((std::min)(most, length - first)));
  }
}

/// Copies an array from the first process to all others, whose arrays must have the same length.
/// Collective.
template <class T>
void broadcast(MPI_Comm comm, T* data, std::size_t length) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto* const bytes = reinterpret_cast<char*>(data);
  for_each_mpi_part(length * sizeof(T), [&](std::size_t first, int count) {
    MPI_Bcast(bytes + first, count, MPI_BYTE, 0, comm);
  });
}
/// Copies a list from the first process to all others, whose lists are resized. Collective.
template <class List>
void broadcast(MPI_Comm comm, List& list) {
  std::uint64_t length = list.size();
  broadcast(comm, &length, 1);
  list.resize(length);
  broadcast(comm, list.data(), list.size());
}

/// Sums numbers over all processes; every process receives the result. If all processes but one
/// contribute zero, the sum exactly equals the number that the remaining process contributes.
/// Collective.
inline void sum_at_all(MPI_Comm comm, std::vector<double>& numbers) {
  for_each_mpi_part(numbers.size(), [&](std::size_t first, int count) {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data() + first, count, MPI_DOUBLE, MPI_SUM, comm);
  });
}
/// Sums numbers over all processes; only the first process receives the result. Collective.
inline void sum_at_first(MPI_Comm comm, std::vector<std::uint64_t>& numbers) {
  const bool is_first = mpi_rank(comm) == 0;
  for_each_mpi_part(numbers.size(), [&](std::size_t first, int count) {
    std::uint64_t* const own = numbers.data() + first;
    MPI_Reduce(is_first ? MPI_IN_PLACE : own, is_first ? own : nullptr, count, MPI_UINT64_T,
               MPI_SUM, 0, comm);
  });
}

inline constexpr int mpi_tag = 17;

/// Sends an array to one process, which must receive the same number of elements.
template <class T>
void send(MPI_Comm comm, std::size_t to, const T* data, std::size_t length) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* const bytes = reinterpret_cast<const char*>(data);
  for_each_mpi_part(length * sizeof(T), [&](std::size_t first, int count) {
    MPI_Send(bytes + first, count, MPI_BYTE, static_cast<int>(to), mpi_tag, comm);
  });
}
template <class T>
void receive(MPI_Comm comm, std::size_t from, T* data, std::size_t length) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto* const bytes = reinterpret_cast<char*>(data);
  for_each_mpi_part(length * sizeof(T), [&](std::size_t first, int count) {
    MPI_Recv(bytes + first, count, MPI_BYTE, static_cast<int>(from), mpi_tag, comm,
             MPI_STATUS_IGNORE);
  });
}

/// Waits until a process has sent something, without occupying a core.
inline void wait_for(MPI_Comm comm, std::size_t from) {
  for (int there = 0;;) {
    MPI_Iprobe(static_cast<int>(from), mpi_tag, comm, &there, MPI_STATUS_IGNORE);
    if (there != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
