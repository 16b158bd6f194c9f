// SPDX-License-Identifier: Apache-2.0

// The one main of every test program; a program holds the tests of one room.

#define BOOST_TEST_MODULE plumb
#include <boost/test/unit_test.hpp>
