// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/mpi_exchange.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/mpi_session.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(mpi_exchange)

BOOST_AUTO_TEST_CASE(arrays_go_in_parts_that_mpi_can_count) {
  std::vector<std::pair<std::size_t, int>> parts;
  const auto add = [&](std::size_t first, int count) { parts.emplace_back(first, count); };
  for_each_mpi_part(10, add, 4);
  BOOST_TEST((parts == std::vector<std::pair<std::size_t, int>>{{0, 4}, {4, 4}, {8, 2}}));
  parts.clear();
  for_each_mpi_part(8, add, 4);
  BOOST_TEST(parts.size() == 2U);
  parts.clear();
  for_each_mpi_part(0, add);
  BOOST_TEST(parts.empty());
  for_each_mpi_part(std::size_t{5} << 30, add);
  BOOST_TEST(parts.size() == 40U);
  BOOST_TEST(parts.back().first + static_cast<std::size_t>(parts.back().second) == std::size_t{5}
                                                                                       << 30);
}

BOOST_AUTO_TEST_CASE(one_process_keeps_what_it_has) {
  test::MpiSession::begin();
  BOOST_TEST(mpi_rank(MPI_COMM_SELF) == 0U);
  BOOST_TEST(mpi_size(MPI_COMM_SELF) == 1U);
  std::string text = "vectors.npy";
  broadcast(MPI_COMM_SELF, text);
  BOOST_TEST(text == "vectors.npy");
  std::vector<double> numbers{0.1, -0.0, 3};
  sum_at_all(MPI_COMM_SELF, numbers);
  BOOST_TEST((numbers == std::vector<double>{0.1, 0, 3}));
  std::vector<std::uint64_t> counts{std::uint64_t{1} << 40, 0};
  sum_at_first(MPI_COMM_SELF, counts);
  BOOST_TEST((counts == std::vector<std::uint64_t>{std::uint64_t{1} << 40, 0}));
}

BOOST_AUTO_TEST_CASE(what_was_sent_is_waited_for_and_received) {
  test::MpiSession::begin();
  const std::vector<std::uint32_t> sent{3, 1, 4, 1, 5};
  MPI_Request request;
  MPI_Isend(sent.data(), 20, MPI_BYTE, 0, mpi_tag, MPI_COMM_SELF, &request);
  wait_for(MPI_COMM_SELF, 0);
  std::vector<std::uint32_t> received(5);
  receive(MPI_COMM_SELF, 0, received.data(), 5);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  BOOST_TEST(received == sent);
  send(MPI_COMM_SELF, 0, sent.data(), 0);  // no call is made if there are no elements
}

BOOST_AUTO_TEST_SUITE_END()
