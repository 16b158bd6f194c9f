// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/prompt_list.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(prompt_list_suite)

namespace {

using Sizes = std::vector<std::size_t>;

const auto each = boost::test_tools::per_element();

}  // namespace

BOOST_AUTO_TEST_CASE(an_empty_list_has_nothing) {
  const PromptList<int> list;
  BOOST_TEST(list.prompts.empty());
  BOOST_TEST(list.facts.empty());
  BOOST_TEST(list.strata.empty());
}

BOOST_AUTO_TEST_CASE(prompts_are_counted_by_fact_and_facts_by_relation) {
  PromptList<std::string> list;
  list.begin_relation();
  list.begin_fact();
  list.add("a");
  list.add("b");
  list.begin_fact();      // without a prompt
  list.begin_relation();  // without a fact
  list.begin_relation();
  list.begin_fact();
  list.add("c");
  BOOST_TEST(list.prompts == (std::vector<std::string>{"a", "b", "c"}), each);
  BOOST_TEST(list.facts == (Sizes{2, 0, 1}), each);
  BOOST_TEST(list.strata == (Sizes{2, 0, 1}), each);
  BOOST_TEST(std::accumulate(list.facts.begin(), list.facts.end(), std::size_t{0}) ==
             list.prompts.size());
  BOOST_TEST(std::accumulate(list.strata.begin(), list.strata.end(), std::size_t{0}) ==
             list.facts.size());
}

BOOST_AUTO_TEST_CASE(what_stands_in_it_need_not_be_copied) {
  PromptList<std::unique_ptr<int>> list;
  list.begin_relation();
  list.begin_fact();
  list.add(std::make_unique<int>(3));
  BOOST_TEST(*list.prompts.front() == 3);
}

BOOST_AUTO_TEST_CASE(an_answers_likelihood_is_kept_as_it_is) {
  PromptList<AnswerLikelihood> list;
  list.begin_relation();
  list.begin_fact();
  list.add({});
  list.add({2, -1.5, true});
  BOOST_TEST(list.prompts[0].tokens == 0U);
  BOOST_TEST(list.prompts[0].log_probability == 0.0);
  BOOST_TEST(!list.prompts[0].right);
  BOOST_TEST(list.prompts[1].tokens == 2U);
  BOOST_TEST(list.prompts[1].log_probability == -1.5);
  BOOST_TEST(list.prompts[1].right);
}

BOOST_AUTO_TEST_SUITE_END()
