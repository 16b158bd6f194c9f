// SPDX-License-Identifier: Apache-2.0
#pragma once

// MPI in a test program: this process is the only one, and MPI is initialised once.
// tests/system/test_mpi.py tests that several processes agree.

#include <mpi.h>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

class MpiSession {
 public:
  static void begin() { static const MpiSession session; }

 private:
  MpiSession() { MPI_Init(nullptr, nullptr); }
  ~MpiSession() { MPI_Finalize(); }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
