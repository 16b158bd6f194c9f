// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/parallel.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(parallel)

BOOST_AUTO_TEST_CASE(each_piece_is_done_once) {
  for (const int threads : {1, 4}) {
    const test::Threads with(threads);
    for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
      std::vector<int> done(count, 0);
      std::atomic<std::size_t> calls = 0;
      parallel_for(count, [&](std::size_t i) {
        ++calls;
        ++done.at(i);
      });
      BOOST_TEST(done == std::vector<int>(count, 1));
      BOOST_TEST(calls == count);
    }
  }
}

BOOST_AUTO_TEST_CASE(loops_may_be_nested) {
  const test::Threads with(4);
  std::vector<std::vector<std::size_t>> table(5, std::vector<std::size_t>(6, 0));
  parallel_for(5, [&](std::size_t i) {
    parallel_for(6, [&](std::size_t j) { table.at(i).at(j) = 10 * i + j; });
  });
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 6; ++j) BOOST_TEST(table[i][j] == 10 * i + j);
  }
}

BOOST_AUTO_TEST_CASE(an_exception_is_thrown_again_as_it_was) {
  for (const int threads : {1, 4}) {
    const test::Threads with(threads);
    BOOST_CHECK_EXCEPTION(parallel_for(100,
                                       [](std::size_t i) {
                                         if (i == 42)
                                           throw user_error({"f.csv", 3, "x"}, "is wrong");
                                       }),
                          Error, test::says(Fault::user, "f.csv:3: x: is wrong"));
    BOOST_CHECK_THROW(parallel_for(1, [](std::size_t) { throw 7; }), int);
  }
}

BOOST_AUTO_TEST_CASE(of_several_exceptions_that_of_the_lowest_piece_is_thrown) {
  const auto fails_from_three = [](std::size_t i) {
    if (i >= 3) throw std::runtime_error("piece " + std::to_string(i));
  };
  const auto is_of_three = [](const std::runtime_error& error) {
    return std::string(error.what()) == "piece 3";
  };
  for (const int threads : {1, 2, 4}) {
    const test::Threads with(threads);
    for (int round = 0; round < 20; ++round) {
      BOOST_CHECK_EXCEPTION(parallel_for(30, fails_from_three), std::runtime_error, is_of_three);
    }
  }
}

// If there is a second thread, piece 0 yields until another piece has failed.
BOOST_AUTO_TEST_CASE(the_lowest_piece_need_not_be_the_first_to_fail) {
  const test::Threads with(4);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> failed = 0;
    const auto work = [&](std::size_t i) {
      for (int n = 0; i == 0 && failed == 0 && n < 10000; ++n) std::this_thread::yield();
      ++failed;
      throw i;
    };
    BOOST_CHECK_EXCEPTION(parallel_for(10, work), std::size_t,
                          [](std::size_t piece) { return piece == 0; });
#ifdef _OPENMP
    BOOST_TEST(failed == 10);  // pieces run in order, and the first exception ends the loop
#endif
  }
}

BOOST_AUTO_TEST_SUITE_END()
