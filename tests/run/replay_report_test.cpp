// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/replay_report.hpp"

#include <boost/test/unit_test.hpp>

#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(replay_report_suite)

BOOST_AUTO_TEST_CASE(a_replay_shows_its_table_and_leaves_no_page) {
  const test::TemporaryFolder folder;
  TextTable table({"relation", "facts"});
  table.add({"P36", "7"});
  const Report report = replay_report(table, {"a remark"});
  report.write(folder.path());
  BOOST_TEST(std::filesystem::is_empty(folder.path()));
  BOOST_TEST(report.table().find("P36") != std::string::npos);
  BOOST_TEST(report.notes().front() == "a remark");
}

BOOST_AUTO_TEST_SUITE_END()
