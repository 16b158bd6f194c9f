// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/published_comparison.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(published_comparison)

namespace {

PublishedNumber number(const std::string& model, const std::string& name, double value,
                       int decimals = 2, const std::string& dataset = "") {
  PublishedNumber one;
  one.model = model;
  one.name = name;
  one.value = value;
  one.decimals = decimals;
  one.dataset = dataset;
  return one;
}

RunNumbers run(const std::string& model, std::map<std::string, RunNumber> numbers,
               const std::string& dataset = "") {
  return {model, dataset, std::move(numbers)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_are_paired_by_name) {
  const auto made = compare_with_published(
      {number("OPT-1.3B", "a.b", 0.14), number("OPT-1.3B", "a.c", 0.5)},
      {run("opt-1.3b", {{"a.b", {0.15, 0.10, 0.20, 40}}, {"a.d", {0.3, {}, {}, 0}}})});
  BOOST_REQUIRE(made.pairs.size() == 1U);
  BOOST_TEST(made.pairs[0].same_model);
  BOOST_TEST(made.pairs[0].run == "opt-1.3b");
  BOOST_TEST(std::abs(made.pairs[0].difference() - 0.01) < 1e-15);
  BOOST_TEST((made.pairs[0].in_interval() == std::optional(true)));
  BOOST_REQUIRE(made.unmatched.size() == 1U);
  BOOST_TEST(made.unmatched[0].name == "a.c");
  BOOST_TEST(made.remarks.empty());
}

BOOST_AUTO_TEST_CASE(names_of_models_are_their_letters_and_digits) {
  for (const char* same : {"OPT-1.3B", "opt_1.3b.gguf", "opt1.3b", "Opt 1.3B", "opt.1.3b."}) {
    BOOST_TEST(bare_model_name(same) == "opt1.3b");
  }
  // Another model: a point between two digits counts.
  BOOST_TEST(bare_model_name("facebook-opt-13b") == "facebookopt13b");
  BOOST_TEST(bare_model_name(".") == "");
  BOOST_TEST(bare_model_name("gguf.gguf") == "gguf");
  BOOST_TEST(bare_model_name("é-1") == "é1");
}

BOOST_AUTO_TEST_CASE(run_of_a_published_model_is_compared_with_that_model_only) {
  const std::vector<PublishedNumber> numbers{number("one", "x", 0.1), number("two", "x", 0.2),
                                             number("two", "y", 0.3)};
  const auto made = compare_with_published(
      numbers, {run("two", {{"x", {0.25, {}, {}, 0}}, {"y", {0.3, {}, {}, 0}}}),
                run("other", {{"x", {0.5, {}, {}, 0}}})});
  // The first run is compared with the published model "two" (x and y). The second run's model has
  // no published numbers, so the run is compared with both models.
  BOOST_REQUIRE(made.pairs.size() == 4U);
  BOOST_TEST(made.pairs[0].published.model == "one");
  BOOST_TEST(made.pairs[0].run == "other");
  BOOST_TEST(!made.pairs[0].same_model);
  BOOST_TEST(made.pairs[1].published.model == "two");
  BOOST_TEST(made.pairs[1].run == "two");
  BOOST_TEST(made.pairs[1].same_model);
  BOOST_TEST(made.pairs[2].run == "other");
  BOOST_TEST(made.pairs[3].published.name == "y");
  BOOST_TEST(made.unmatched.empty());
  BOOST_REQUIRE(made.remarks.size() == 1U);
  BOOST_TEST(
      made.remarks[0] ==
      "No published model is called other: this run is compared with other models' numbers.");
}

BOOST_AUTO_TEST_CASE(remark_on_a_run_without_published_numbers_suggests_its_own) {
  const auto made =
      compare_with_published({number("z", "accuracy", 0.5)},
                             {run("one", {{"accuracy", {0.4, {}, {}, 0}}}),
                              run("two", {{"relations.P.accuracy", {0.5, {}, {}, 0}},
                                          {"long_relations.P30.accuracy", {0.5, {}, {}, 0}},
                                          {"overall.accuracy", {0.6, {}, {}, 0}},
                                          {"overall.mean_rank", {2, {}, {}, 0}}}),
                              run("three", {{"x", {0.5, {}, {}, 0}}})});
  BOOST_TEST(made.pairs.size() == 1U);
  BOOST_REQUIRE(made.remarks.size() == 3U);
  BOOST_TEST(made.remarks[1] ==
             "two has none of the published numbers: it has no 'accuracy', but it has "
             "'overall.accuracy'.");
  BOOST_TEST(made.remarks[2] ==
             "three has none of the published numbers; its metrics.json lists the names of its "
             "numbers.");
}

// Calibrating several models yields numbers for each model and separate ones for the run itself.
BOOST_AUTO_TEST_CASE(run_whose_models_have_the_numbers_gets_no_remark) {
  RunNumbers around = run("both", {{"bins", {20, {}, {}, 0}}});
  RunNumbers a = run("a", {{"accuracy", {0.4, {}, {}, 0}}}),
             b = run("b", {{"accuracy", {0.6, {}, {}, 0}}});
  a.of_run = b.of_run = "both";
  const auto made = compare_with_published({number("a", "accuracy", 0.5)}, {around, a, b});
  // b has no published numbers. It is skipped because a has published numbers.
  BOOST_TEST(made.pairs.size() == 1U);
  BOOST_TEST(made.runs == (std::vector<std::string>{"a"}), boost::test_tools::per_element());
  BOOST_REQUIRE(made.remarks.size() == 1U);
  BOOST_TEST(made.remarks[0] ==
             "Left out, because no published model has this name: b. To compare such a model, "
             "give it its own run or rename it with NAME=RUN.");
  // If none of the models has published numbers, each of them is compared with all published
  // numbers.
  const auto all = compare_with_published({number("c", "accuracy", 0.5)}, {around, a, b});
  BOOST_TEST(all.pairs.size() == 2U);
  // If none of the models has the published kind of number, there is a remark for each of them, but
  // not for the run that contains them.
  const auto none = compare_with_published({number("c", "ace", 0.5)}, {around, a, b});
  BOOST_REQUIRE(none.remarks.size() == 2U);
  BOOST_TEST(none.remarks[0].starts_with("a has none of the published numbers"));
  BOOST_TEST(none.remarks[1].starts_with("b has none of the published numbers"));
  // The run's own number is still compared with a published one.
  const auto own = compare_with_published({number("a", "bins", 20)}, {around, a, b});
  BOOST_TEST(own.pairs.size() == 1U);
  BOOST_TEST(own.runs.front() == "both");
}

// DEER's Table 4 ranks single-token names. Ranking the entities of the queries, as this run does,
// is an easier task.
BOOST_AUTO_TEST_CASE(comparison_with_other_candidates_or_queries_has_no_verdict) {
  PublishedNumber one = number("m", "hits_at_10", 0.14);
  one.table = "4";
  one.candidates = "single-token";
  one.queries = "test";
  const auto compared = [&](const std::string& candidates, const std::string& queries) {
    return compare_with_published(
        {one}, {run("m", {{"hits_at_10", {0.15, 0.10, 0.20, 40, candidates, queries}}})});
  };
  const auto same = compared("single-token", "test");
  BOOST_TEST(same.remarks.empty());
  BOOST_TEST((same.pairs[0].in_interval() == std::optional(true)));
  const auto other = compared("of-queries", "500 of test");
  BOOST_TEST(other.pairs[0].same_model);
  BOOST_TEST(other.pairs[0].has_other_candidates());
  BOOST_TEST(other.pairs[0].has_other_queries());
  BOOST_TEST(!other.pairs[0].in_interval().has_value());
  BOOST_REQUIRE(other.remarks.size() == 2U);
  BOOST_TEST(
      other.remarks[0] ==
      "m has the candidates 'of-queries', but table 4 'single-token': different candidates, so the "
      "numbers are not comparable.");
  BOOST_TEST(other.remarks[1].starts_with(
      "m has the queries '500 of test', but table 4 'test': different"));
  const auto unsaid = compared("", "");
  BOOST_TEST(unsaid.remarks.empty());
  BOOST_TEST(!unsaid.pairs[0].has_other_candidates());
  BOOST_TEST(unsaid.pairs[0].in_interval().has_value());
}

BOOST_AUTO_TEST_CASE(number_of_another_model_is_not_reported_as_missing) {
  const auto made = compare_with_published({number("one", "x", 0.1), number("two", "x", 0.2)},
                                           {run("two", {{"x", {0.25, {}, {}, 0}}})});
  BOOST_TEST(made.pairs.size() == 1U);
  BOOST_TEST(made.unmatched.empty());
}

BOOST_AUTO_TEST_CASE(a_rounded_number_is_in_the_interval_if_one_that_rounds_to_it_is) {
  const auto in = [](double published, int decimals, std::optional<double> low,
                     std::optional<double> high) {
    return PublishedPair{number("m", "x", published, decimals), "m", true, {0.2, low, high, 9}}
        .in_interval();
  };
  BOOST_TEST((in(0.14, 2, 0.10, 0.20) == std::optional(true)));
  BOOST_TEST((in(0.14, 2, 0.145, 0.20) == std::optional(true)));  // 0.145 may be printed as 0.14
  BOOST_TEST((in(0.14, 2, 0.146, 0.20) == std::optional(false)));
  BOOST_TEST((in(0.140, 3, 0.141, 0.20) == std::optional(false)));
  BOOST_TEST((in(0.21, 2, 0.10, 0.205) == std::optional(true)));
  BOOST_TEST((in(0.21, 2, 0.10, 0.204) == std::optional(false)));
  BOOST_TEST((in(0.21, 2, {}, {}) == std::nullopt));
}

BOOST_AUTO_TEST_CASE(dataset_mismatch_is_remarked_once) {
  const auto made = compare_with_published(
      {number("m", "x", 0.1, 2, "WN18RR"), number("m", "y", 0.1, 2, "WN18RR")},
      {run("m", {{"x", {}}, {"y", {}}}, "umls"), run("n", {{"x", {}}}, "wn18rr"),
       run("k", {{"x", {}}})});
  std::vector<std::string> told;
  for (const std::string& remark : made.remarks) {
    if (remark.find("was run on") != std::string::npos) told.push_back(remark);
  }
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told[0] ==
             "m was run on umls, but the published numbers are from WN18RR: they are comparable "
             "only if both contain the same facts.");
}

BOOST_AUTO_TEST_SUITE_END()
