// SPDX-License-Identifier: Apache-2.0

// The only main function, shared by all test programs; each program contains the tests of one room.

#define BOOST_TEST_MODULE plumb
#include <boost/test/unit_test.hpp>
