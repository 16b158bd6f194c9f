// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_prompt_csv.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_many_prompts.hpp"

using namespace plumb::detail;
using test::count_of;
using test::holds;

BOOST_AUTO_TEST_SUITE(many_prompt_csv)

namespace {

const ManyPromptResults& made() {
  static const ManyPromptResults results = test::small_many_prompts();
  return results;
}

/// The cells of a row that follow the given first cells, without the newline.
std::string after(const std::string& csv, const std::string& begin) {
  return test::between(csv, "\n" + begin + ",", "\n");
}

std::string cells(const Estimate& e) {
  const auto end = [&](double value) { return e.has_interval() ? with_decimals(value, 8) : ""; };
  return with_decimals(e.value, 8) + "," + end(e.low) + "," + end(e.high) + "," +
         std::to_string(e.count);
}

}  // namespace

BOOST_AUTO_TEST_CASE(accuracies_are_of_all_relations_and_of_each) {
  const std::string csv = many_prompt_accuracy_csv(made());
  BOOST_TEST(csv.starts_with("setting,relation,measure,facts,prompts,value,low,high,count\n"));
  // Each of three settings has five rows over all relations; the settings also have 2, 2 and 1
  // relations, with one average and one oracle row for each.
  BOOST_TEST(count_of(csv, "\n") == 1U + 3 * 5U + 2 * 5U);
  const PromptCoverage& coverage = made().ways[0].coverage;
  BOOST_TEST(after(csv, "zero-shot,,average,5,19") == cells(coverage.average));
  BOOST_TEST(after(csv, "zero-shot,,maximum,5,19") == cells(coverage.maximum));
  BOOST_TEST(after(csv, "zero-shot,,minimum,5,19") == cells(coverage.minimum));
  BOOST_TEST(after(csv, "zero-shot,,oracle,5,19") == cells(coverage.oracle));
  BOOST_TEST(after(csv, "zero-shot,,one_word,5,19").starts_with("1.00000000,"));
  BOOST_TEST(after(csv, "4-template,P<36>,average,2,4").starts_with("0.75000000,"));
  BOOST_TEST(after(csv, "zero-shot-question,P19,oracle,3,7").starts_with("0.66666667,"));
  BOOST_TEST(!holds(many_prompt_accuracy_csv(test::one_closed_set()), "one_word"));
}

BOOST_AUTO_TEST_CASE(templates_have_what_is_known_of_them) {
  const std::string csv = many_prompt_templates_csv(made());
  BOOST_TEST(
      csv.starts_with("setting,relation,template,group,style,origin,facts,accuracy,low,high,"
                      "with_best_expression,with_best_expression_low,with_best_expression_high\n"));
  // The two templates that are not questions have no row in the question setting.
  BOOST_TEST(count_of(csv, "\n") == 1U + 6 + 6 + 2);
  BOOST_TEST(after(csv, "zero-shot,P19,[X] was born in [Y].,born,cloze,manual,3")
                 .starts_with("0.50000000,"));
  BOOST_TEST(
      holds(after(csv, "zero-shot,P19,[X] was born in [Y].,born,cloze,manual,3"), ",0.66666667,"));
  BOOST_TEST(after(csv, "zero-shot,P19,\"[X], a <b>child</b> of [Y].\",born,cloze,generated,3")
                 .starts_with("0.00000000,"));
  BOOST_TEST(
      after(csv, "zero-shot,P19,Which town & land is [X] from? [Y].,where,question,generated,2")
          .starts_with("0.00000000,"));
  BOOST_TEST(after(csv, "4-template,P<36>,\"The \"\"capital\"\" of [X]: [Y].\",,cloze,manual,2")
                 .starts_with("0.50000000,"));
}

BOOST_AUTO_TEST_CASE(samplings_are_drawn_both_ways) {
  const std::string csv = samplings_csv(made());
  BOOST_TEST(csv.starts_with("setting,way,from,to,samplings\n"));
  std::map<std::string, std::size_t> drawn;
  for (std::size_t at = csv.find('\n') + 1; at < csv.size();) {
    const std::string line = csv.substr(at, csv.find('\n', at) - at);
    const std::string way = line.substr(0, line.find(',', line.find(',') + 1));
    drawn[way] += std::stoul(line.substr(line.rfind(',') + 1));
    at += line.size() + 1;
  }
  BOOST_TEST(drawn.size() == 6U);
  for (const auto& [way, samplings] : drawn) BOOST_TEST(samplings == 400U, way);
  BOOST_TEST(drawn.contains("zero-shot,fact"));
  BOOST_TEST(drawn.contains("zero-shot-question,relation"));
}

BOOST_AUTO_TEST_CASE(coverage_has_a_row_for_each_number_of_prompts) {
  const std::string csv = coverage_csv(made());
  BOOST_TEST(csv.starts_with("setting,prompts,facts_with_fewer,value,low,high,count\n"));
  BOOST_TEST(after(csv, "zero-shot,1,0") == cells(made().ways[0].curve.front().share));
  BOOST_TEST(after(csv, "zero-shot,8,4").starts_with("0.80000000,"));
  BOOST_TEST(count_of(csv, "\nzero-shot,") == made().ways[0].curve.size());
}

BOOST_AUTO_TEST_CASE(reliability_has_a_row_for_each_bin) {
  const std::string csv = reliability_csv(made());
  BOOST_TEST(
      csv.starts_with("setting,bin,prompts,lowest,highest,mean_confidence,value,low,high,count\n"));
  BOOST_TEST(count_of(csv, "\n") == 4U);
  BOOST_TEST(holds(csv, "\nzero-shot,1,1,0.90000000,0.90000000,0.90000000,1.00000000,"));
  BOOST_TEST(holds(csv, "\nzero-shot,3,1,0.25000000,0.25000000,0.25000000,0.00000000,"));
}

BOOST_AUTO_TEST_CASE(overconfidence_is_of_confidences_and_by_length) {
  const std::string csv = overconfidence_csv(made());
  BOOST_TEST(csv.starts_with("setting,tokens,measure,prompts,value,low,high,count\n"));
  BOOST_TEST(after(csv, "zero-shot,,overconf,3") == cells(made().ways[0].overconfidence->overconf));
  BOOST_TEST(after(csv, "zero-shot,3,overconf,4").starts_with("-0.87500000,"));
  BOOST_TEST(after(csv, "zero-shot,3,accuracy,4").starts_with("1.00000000,"));
  BOOST_TEST(after(csv, "zero-shot,3,mean_confidence,4").starts_with("0.12500000,"));
  BOOST_TEST(!holds(csv, "4-template,,"));
  BOOST_TEST(!holds(csv, ",5,"));  // no answer has five tokens
}

BOOST_AUTO_TEST_CASE(sharing_has_both_readings_of_each_pair) {
  const std::string csv = sharing_csv(made());
  BOOST_TEST(
      csv.starts_with("reading,left,top,cells,cells_without_knowledge,value,low,high,count\n"));
  BOOST_TEST(count_of(csv, "\n") == 1U + 12);
  BOOST_TEST(after(csv, "template,4-template,zero-shot,6,0").starts_with("0.52777778,"));
  BOOST_TEST(after(csv, "oracle,4-template,zero-shot,1,0").starts_with("0.80000000,"));
}

BOOST_AUTO_TEST_CASE(consistency_has_all_kinds_of_pairs) {
  const std::string csv = consistency_csv(made());
  BOOST_TEST(csv.starts_with("setting,relation,pairs,facts_left_out,value,low,high,count\n"));
  BOOST_TEST(count_of(csv, "\n") == 1U + 5 * (3 + 5));
  BOOST_TEST(after(csv, "zero-shot,,all,0") == cells(made().ways[0].consistency.overall.all.share));
  BOOST_TEST(after(csv, "zero-shot,,only_subject,4").starts_with("0.75000000,"));
  BOOST_TEST(after(csv, "zero-shot,P<36>,inner_group,2") == ",,,0");
}

BOOST_AUTO_TEST_CASE(every_answer_of_several_objects_is_there) {
  const std::string csv = answers_of_several_csv(made());
  BOOST_TEST(csv ==
             "setting,relation,subject,answer,objects\n"
             "zero-shot,P19,<Ann> & Bob,\"\"\"Paris\"\", or <Lyon>\",2\n"
             "zero-shot,P19,Ann,\"Paris and Lyon, and Nice\",3\n");
}

BOOST_AUTO_TEST_CASE(files_without_a_row_are_not_there) {
  const auto names = [](const ManyPromptResults& results) {
    std::vector<std::string> all;
    for (const ReportFile& file : many_prompt_csvs(results)) {
      BOOST_TEST(file.text.ends_with("\n"));
      if (!file.is_absent) all.push_back(file.name);
    }
    return all;
  };
  using Names = std::vector<std::string>;
  BOOST_TEST(
      names(made()) == (Names{"metrics.csv", "accuracy.csv", "templates.csv", "samplings.csv",
                              "coverage.csv", "consistency.csv", "reliability.csv",
                              "overconfidence.csv", "sharing.csv", "answers_of_several.csv"}),
      boost::test_tools::per_element());
  BOOST_TEST(
      names(test::one_closed_set()) ==
          (Names{"metrics.csv", "accuracy.csv", "templates.csv", "samplings.csv", "coverage.csv",
                 "consistency.csv", "reliability.csv", "overconfidence.csv"}),
      boost::test_tools::per_element());
  BOOST_TEST(
      names(test::nothing_asked()) == (Names{"metrics.csv", "accuracy.csv", "templates.csv",
                                             "samplings.csv", "coverage.csv", "consistency.csv"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
