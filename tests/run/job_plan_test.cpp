// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/job_plan.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(job_plan)

namespace {

using Lines = std::vector<std::string>;

/// The token counts of a part: the count if texts are fed one by one, and the count of tokens
/// actually fed.
ScoringCost tokens(std::uint64_t one_by_one, std::uint64_t fed = 0) {
  ScoringCost cost;
  cost.tokens_one_by_one = one_by_one;
  cost.tokens_fed = fed;
  return cost;
}

}  // namespace

BOOST_AUTO_TEST_CASE(part_description_contains_its_known_counts) {
  BOOST_TEST(description_of(PlannedPart{"", "statement", 1}) == "1 statement");
  BOOST_TEST(description_of(PlannedPart{"likelihood", "query", 2}) == "likelihood: 2 queries");
  BOOST_TEST(description_of(PlannedPart{"", "statement", 26, tokens(410, 302)}) ==
             "26 statements, 410 tokens (302 fed, because equal prefixes are fed only once)");
  BOOST_TEST(description_of(PlannedPart{"entities", "text", 3, tokens(90, 90)}) ==
             "entities: 3 texts, 90 tokens");
  BOOST_TEST(description_of(PlannedPart{"zero-shot samples", "prompt", 5, tokens(1), 500, 16}) ==
             "zero-shot samples: 5 prompts, 1 token (as if each text were fed separately), 500 "
             "answers of at most 16 tokens");
  ScoringCost masked;
  masked.masked_inputs = 9;
  masked.masked_inputs_computed = 7;
  BOOST_TEST(description_of(PlannedPart{"", "statement", 4, masked}) ==
             "4 statements, 9 masked inputs (7 computed)");
}

BOOST_AUTO_TEST_CASE(one_part_needs_no_sum) {
  BOOST_TEST((description_of(JobPlan{{"choices", "choice", 7, tokens(8)}}) ==
              Lines{"choices: 7 choices, 8 tokens (as if each text were fed separately)"}));
  BOOST_TEST(description_of(JobPlan{}).empty());
}

BOOST_AUTO_TEST_CASE(several_parts_are_added_up_by_what_they_count) {
  const JobPlan plan{{"a", "prompt", 10, tokens(100), 10, 16},
                     {"a samples", "prompt", 2, tokens(20), 200, 16},
                     {"a names", "statement", 30, tokens(300, 200)}};
  BOOST_TEST(description_of(plan).back() ==
             "in all: 12 prompts, 30 statements, 420 tokens, 210 answers");
}

BOOST_AUTO_TEST_CASE(incomplete_token_total_is_marked_as_a_lower_bound) {
  const JobPlan plan{{"a", "prompt", 10, tokens(100), 10, 16}, {"a names", "statement", 30}};
  BOOST_TEST(description_of(plan).back() ==
             "in all: 10 prompts, 30 statements, at least 100 tokens, 10 answers");
  // A part without statements has no tokens, so the total is exact.
  const JobPlan empty{{"a", "prompt", 10, tokens(100)}, {"a names", "statement", 0}};
  BOOST_TEST(description_of(empty).back() == "in all: 10 prompts, 0 statements, 100 tokens");
}

BOOST_AUTO_TEST_SUITE_END()
