// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/aligned_instances.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(aligned_instances)

namespace {

using Codes = std::vector<std::string>;
using Numbers = std::vector<std::size_t>;

struct Row {
  std::size_t instance;
  std::string subject;
  std::size_t answer;
};

ModelAnswers answers(const std::vector<Row>& rows) {
  RelationAnswers made;
  made.relation.code = "P36";
  made.relation.options = {"Paris", "Rome"};
  for (const Row& row : rows) {
    Fact fact;
    fact.instance = row.instance;
    fact.subject = row.subject;
    fact.answer = row.answer;
    made.relation.facts.push_back(fact);
  }
  return {"model", {made}};
}

Numbers instances(const ModelAnswers& model) {
  Numbers all;
  for (const Fact& fact : model.relations.at(0).relation.facts) all.push_back(fact.instance);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(facts_with_the_same_subject_and_answer_get_the_same_number) {
  std::vector<ModelAnswers> models{answers({{3, "France", 0}, {7, "Italy", 1}}),
                                   answers({{0, "Italy", 1}, {3, "Gaul", 0}})};
  BOOST_TEST((align_instances(models) == Codes{"P36"}));
  BOOST_TEST((instances(models[0]) == Numbers{0, 1}));
  BOOST_TEST((instances(models[1]) == Numbers{1, 2}));
}

BOOST_AUTO_TEST_CASE(equal_numbers_do_not_change) {
  std::vector<ModelAnswers> models{answers({{3, "France", 0}, {7, "Italy", 1}}),
                                   answers({{7, "Italy", 1}, {9, "Gaul", 0}})};
  BOOST_TEST(align_instances(models).empty());
  BOOST_TEST((instances(models[1]) == Numbers{7, 9}));
}

// One answer was renamed; the facts have the same numbers.
BOOST_AUTO_TEST_CASE(a_changed_answer_does_not_renumber) {
  std::vector<ModelAnswers> models{answers({{3, "France", 0}, {7, "Italy", 1}}),
                                   answers({{3, "France", 0}, {7, "Italy", 0}})};
  BOOST_TEST(align_instances(models).empty());
}

BOOST_AUTO_TEST_CASE(different_datasets_are_not_aligned) {
  std::vector<ModelAnswers> others{answers({{0, "France", 0}}), answers({{0, "Italy", 1}})};
  BOOST_TEST(align_instances(others).empty());
  std::vector<ModelAnswers> nameless{answers({{0, "", 0}, {1, "", 1}}),
                                     answers({{0, "", 1}, {1, "", 0}})};
  BOOST_TEST(align_instances(nameless).empty());
}

BOOST_AUTO_TEST_CASE(a_fact_that_occurs_twice_counts_up) {
  std::vector<ModelAnswers> models{answers({{0, "France", 0}, {1, "France", 0}}),
                                   answers({{0, "Italy", 1}, {1, "France", 0}, {2, "France", 0}})};
  BOOST_TEST((align_instances(models) == Codes{"P36"}));
  BOOST_TEST((instances(models[0]) == Numbers{0, 1}));
  BOOST_TEST((instances(models[1]) == Numbers{2, 0, 1}));
}

BOOST_AUTO_TEST_SUITE_END()
