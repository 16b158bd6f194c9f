// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/part_work.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/temporary_folder.hpp"

using namespace plumb;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(part_work)

namespace {

/// The clock's next tick, however coarse it is.
void wait_for_a_tick() {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() == start) {
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(time_is_that_of_the_models_work_by_part) {
  const TemporaryFolder folder;
  PartWork work(folder / "journal.jsonl", {});
  BOOST_TEST(work.summary.seconds_model == 0.0);
  BOOST_TEST(work.seconds.empty());
  int done = 0;
  const auto tick = [&] {
    wait_for_a_tick();
    ++done;
  };
  work.time("queries", tick);
  const double once = work.seconds.at("queries");
  BOOST_TEST(once > 0.0);
  BOOST_TEST(work.summary.seconds_model == once);
  work.time("queries", tick);
  BOOST_TEST(work.seconds.at("queries") > once);
  work.time("entities", tick);
  BOOST_TEST(done == 3);
  BOOST_TEST(work.seconds.size() == 2U);
  const double sum = work.seconds.at("queries") + work.seconds.at("entities");
  BOOST_TEST(std::abs(work.summary.seconds_model - sum) < 1e-12);
  BOOST_CHECK_THROW(work.time("queries", [] { throw std::runtime_error("of the model"); }),
                    std::runtime_error);
}

BOOST_AUTO_TEST_CASE(progress_is_passed_on_where_somebody_looks) {
  const TemporaryFolder folder;
  std::vector<std::tuple<std::string, std::size_t, std::size_t, std::size_t>> seen;
  {
    PartWork work(folder / "journal.jsonl",
                  [&](const std::string& part, std::size_t done, std::size_t fresh,
                      std::size_t total) { seen.emplace_back(part, done, fresh, total); });
    work.advance("entities", 3, 2, 10);
  }
  PartWork alone(folder / "journal.jsonl", {});
  alone.advance("entities", 4, 3, 10);
  BOOST_REQUIRE(seen.size() == 1U);
  BOOST_TEST((seen[0] == std::tuple(std::string("entities"), 3U, 2U, 10U)));
}

BOOST_AUTO_TEST_CASE(the_journal_is_the_one_of_the_file) {
  const TemporaryFolder folder;
  {
    PartWork work(folder / "journal.jsonl", {});
    BOOST_TEST(!work.journal.find("likelihood", 0).has_value());
    work.journal.append("likelihood", 0, Json::array({1, 2}));
  }
  PartWork again(folder / "journal.jsonl", {});
  BOOST_TEST((again.journal.find("likelihood", 0).value() == Json::array({1, 2})));
}

BOOST_AUTO_TEST_SUITE_END()
