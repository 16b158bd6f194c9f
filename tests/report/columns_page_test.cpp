// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/columns.hpp"

// docs/metrics.md lists the numbers in metrics.json. Its lists are generated from the columns that
// write these numbers.

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/report/answer_set_columns.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/comparison_columns.hpp"
#include "plumb/detail/report/injection_columns.hpp"
#include "plumb/detail/report/list_columns.hpp"
#include "plumb/detail/report/many_prompt_columns.hpp"
#include "plumb/detail/report/many_shot_columns.hpp"
#include "plumb/detail/report/paired_columns.hpp"
#include "plumb/detail/report/probe_columns.hpp"
#include "plumb/detail/report/rank_columns.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(columns_page)

namespace {

template <class Row>
std::string listed_columns(const std::string& where, const std::vector<Column<Row>>& columns) {
  std::string text = "\n" + where + ":\n\n| key | heading | meaning |\n|---|---|---|\n";
  for (const Column<Row>& column : columns) {
    if (column.key == "setting" || column.key == "name") continue;
    text += "| `" + column.key + "` | " + column.heading + " | " + column.meaning + " |\n";
  }
  return text;
}

/// The metrics of the jobs that send text prompts to models, and those of all other jobs.
std::pair<std::string, std::string> listed_metrics() {
  const ManyShotResults shots;
  ManyPromptResults prompts;
  prompts.ways.emplace_back();
  Comparison compared;
  compared.parameters = {1e6};
  return {
      "\n## `plumb probe`\n" +
          listed_columns(
              "Below `all_templates`, `templates.N` and `weighted_templates`, each for `overall`, "
              "`overall_unweighted` (the mean over relations), `relations.CODE`, "
              "`domains.NAME` and `cardinality.KIND`; and, with `--group-by`, in each entry of the "
              "list "
              "`groups.values`",
              group_columns()) +
          listed_columns("In each entry of the list `several_right`", answer_set_columns()) +
          "\n## `plumb many-shot`\n" +
          listed_columns("Below `settings.NAME` and `settings_side_by_side.NAME`",
                         setting_columns(shots)) +
          listed_columns("Below their `relations.CODE`", spread_columns("sd", false)) +
          listed_columns("In each entry of the list `accuracy_at_k.NAME`", at_k_columns()) +
          listed_columns("Below `injection.CODE.panels.NAME`", injection_columns(0)) +
          "\n## `plumb generate`\n" +
          listed_columns("Below `settings.NAME`", way_columns(prompts)) +
          listed_columns("Below its `relations.CODE`", prompted_relation_columns()) +
          listed_columns("Below `prompts`", diversity_columns()) +
          listed_columns("In each entry of the list `lists`, with `--form kamel`", list_columns()),
      "\n## `plumb rank`\n" +
          listed_columns(
              "Below `methods.NAME`, for `raw` and `filtered`, each with `optimistic`, `realistic` "
              "and `pessimistic`, and for each `relations.CODE`",
              rank_columns()) +
          "\n## `plumb calibrate`\n" +
          listed_columns(
              "Below `models.NAME.estimators.NAME`, for `metrics`, `domains.NAME`, "
              "`cardinality.KIND` and `relations.CODE`, and for `values.NAME` with `--group-by`",
              [] {
                auto columns = metric_numbers();
                for (std::size_t i = 0; i < columns.size(); ++i) {
                  columns[i].meaning = declared_metrics[i].meaning;
                }
                return columns;
              }()) +
          listed_columns(
              "Below `models.NAME.marker_effects.NAME` and `means.KIND.marker_effects.NAME`",
              marker_numbers()) +
          listed_columns("Below `models.NAME.reductions.NAME` and `means.KIND.reductions.NAME`",
                         reduction_numbers()) +
          listed_columns("Below `models.NAME.static_calibration`", static_calibration_numbers()) +
          listed_columns("In each entry of the list `differences`, for several models",
                         difference_columns({})) +
          "\n## `plumb compare`\n" +
          listed_columns("Below `models.NAME`", model_standing_columns(compared)) +
          listed_columns("Below `relations.CODE`", relation_standing_columns(compared)) +
          listed_columns("In each entry of the list `paired_tests`", paired_comparison_columns()) +
          listed_columns("In each entry of the list `paired_tests`, for each `relations.CODE`",
                         paired_test_columns()) +
          listed_columns("Below `facts`", compared_fact_columns()) +
          listed_columns("In each entry of the list `base_and_tuned`", tuned_columns())};
}

/// Compares a page's text, starting at `mark`, with `expected`, or rewrites it if PLUMB_WRITE_DOCS
/// is set.
void check_page(const std::string& name, const std::string& mark, const std::string& expected) {
  const auto file =
      std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "docs" / name;
  const std::string text = test::slurp(file);
  BOOST_REQUIRE(text.find(mark) != text.npos);
  const std::string head = text.substr(0, text.find(mark));
  if (std::getenv("PLUMB_WRITE_DOCS") != nullptr) std::ofstream(file) << head << expected;
  BOOST_TEST(test::slurp(file) == head + expected);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_documentation_lists_every_column) {
  const auto [asking, other] = listed_metrics();
  check_page("metrics.md", "\n## `plumb probe`\n", asking);
  check_page("metrics-rank-calibrate-compare.md", "\n## `plumb rank`\n", other);
}

BOOST_AUTO_TEST_SUITE_END()
