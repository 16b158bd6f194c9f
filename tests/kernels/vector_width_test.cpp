// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/vector_width.hpp"

#include <boost/test/unit_test.hpp>

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {
struct OfThisWidth {};
}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

BOOST_AUTO_TEST_SUITE(vector_width)

BOOST_AUTO_TEST_CASE(names_are_found_without_the_width) {
  plumb::detail::OfThisWidth made;
  plumb::detail::PLUMB_VECTOR_NAMESPACE::OfThisWidth& same = made;
  BOOST_TEST(&same == &made);
  BOOST_TEST(PLUMB_VECTOR_LEVEL == 2);  // the level that this file is compiled for
}

BOOST_AUTO_TEST_SUITE_END()
