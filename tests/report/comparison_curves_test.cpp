// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/comparison_curves.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "plumb/detail/report/comparison_columns.hpp"
#include "support/markup.hpp"
#include "support/small_comparison.hpp"

using namespace plumb::detail;
using test::holds;

BOOST_AUTO_TEST_SUITE(comparison_curves)

namespace {

Comparison small() {
  return compare_answers(test::three_models(), test::three_options());
}

}  // namespace

BOOST_AUTO_TEST_CASE(accuracy_against_size_needs_two_sizes) {
  Comparison made = small();
  BOOST_TEST(accuracy_by_size(made).empty());
  made.parameters.assign(made.table.models.size(), 135e6);
  BOOST_TEST(accuracy_by_size(made).empty());
  made.parameters[0] = 1.7e9;
  const std::string html = accuracy_by_size(made);
  BOOST_TEST(holds(html, "<h2>Accuracy against size</h2>"));
  BOOST_TEST(holds(html, "million parameters"));
  BOOST_TEST(holds(html, ">1000<"));  // a round tick
}

BOOST_AUTO_TEST_CASE(sizes_are_written_in_short) {
  BOOST_TEST(size_text(134515008) == "135M");
  BOOST_TEST(size_text(1.7e9) == "1.7B");
  BOOST_TEST(size_text(12e9) == "12B");
  BOOST_TEST(size_text(520) == "520");
  BOOST_TEST(size_text(2e12) == "2.0T");
}

BOOST_AUTO_TEST_CASE(every_shared_setting_is_a_row) {
  Comparison made = small();
  made.settings.clear();
  BOOST_TEST(accuracy_by_setting(made).empty());
  const std::size_t models = made.table.models.size();
  for (const std::size_t shots : {1U, 50U}) {
    Setting setting{"ic"};
    setting.shots = shots;
    setting.by = "choice";
    setting.separator = " ";
    made.settings.push_back(
        {setting, std::vector<Estimate>(models, wilson(shots, std::size_t{100}))});
  }
  const NumberTable table = setting_accuracy_table(made);
  BOOST_TEST(table.rows.size() == 2U);
  BOOST_TEST(table.columns.size() == models + 1);
  const std::string html = accuracy_by_setting(made);
  BOOST_TEST(holds(html, "<h2>All settings</h2>"));
  BOOST_TEST(holds(html, "ic/50"));
  BOOST_TEST(holds(html, "Accuracy against shots"));
}

BOOST_AUTO_TEST_CASE(groups_of_facts_are_rows_with_a_number_for_each_model) {
  Comparison made = small();
  BOOST_TEST(accuracy_by_group(made).empty());
  made.groups = {"year <1>", {{"1999", 3, {}}, {"2001", 2, {}}}, 4};
  for (ColumnGroup& group : made.groups.groups) {
    group.accuracy.assign(made.table.models.size(), wilson(1, group.facts));
  }
  const std::string html = accuracy_by_group(made);
  BOOST_TEST(holds(html, "4 facts without a value."));
  BOOST_TEST(!holds(html, "<1>"));
  BOOST_TEST(group_accuracy_table(made).rows.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
