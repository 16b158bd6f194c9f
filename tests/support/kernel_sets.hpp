// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>

#include "plumb/detail/kernels/kernels.hpp"

namespace plumb::detail::test {

/// Calls `check(set)` for each of the program's sets that this machine can run.
template <class Check>
void with_each_set(Check check) {
  std::size_t count = 0;
  for (const KernelSet* set : held_kernels()) {
    if (!machine_has(set->needs)) continue;
    ++count;
    BOOST_TEST_CONTEXT("width " << set->width << ", needs " << set->needs) {
      check(*set);
    }
  }
  BOOST_TEST(count > 0U);
}

}  // namespace plumb::detail::test
