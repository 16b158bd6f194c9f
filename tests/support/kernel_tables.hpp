// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstddef>

#include "plumb/detail/kernels/kernels.hpp"
#include "plumb/detail/kernels/network_kernels.hpp"
#include "plumb/detail/kernels/rank_kernels.hpp"
#include "plumb/detail/kernels/row_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Calls `check(table)` for each of the program's kernel tables that this machine can run.
template <class Table, class Check>
void with_each(Check check) {
  std::size_t count = 0;
  for (const Table* table : held_kernels<Table>()) {
    if (!machine_has(table->needs)) continue;
    ++count;
    BOOST_TEST_CONTEXT("width " << table->width << ", needs " << table->needs) {
      check(*table);
    }
  }
  BOOST_TEST(count > 0U);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
