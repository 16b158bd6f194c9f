// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/compiled.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

BOOST_AUTO_TEST_SUITE(compiled)

namespace {

#define PLUMB_WORDS_OF(text) #text
#define PLUMB_WORDS(text) PLUMB_WORDS_OF(text)

PLUMB_INLINE int answer() {
  return 42;
}

}  // namespace

// The tests in tests/report use the function bodies in the report headers; those in tests/run use
// the function bodies in the library.
BOOST_AUTO_TEST_CASE(headers_include_function_bodies_by_default) {
  static_assert(PLUMB_BODIES == 1);
  BOOST_TEST(std::string(PLUMB_WORDS(PLUMB_INLINE)) == "inline");
  BOOST_TEST(answer() == 42);
}

BOOST_AUTO_TEST_SUITE_END()
