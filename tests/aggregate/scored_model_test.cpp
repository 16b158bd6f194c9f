// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/scored_model.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(scored_model)

BOOST_AUTO_TEST_CASE(a_dataset_describes_the_relations_it_has) {
  using Names = std::vector<std::string>;
  ScoredModel model;
  for (const char* code : {"P17", "P36"}) {
    Relation& relation = model.predictions.relations.emplace_back().relation;
    relation.code = code;
    relation.domains = {"Geography"};
    relation.cardinality = Cardinality::one_to_one;
  }
  Dataset dataset;
  dataset.relations.resize(2);
  dataset.relations[0].code = "P17";
  dataset.relations[0].domains = {"Arts", "Movies"};
  dataset.relations[0].cardinality = Cardinality::many_to_one;
  dataset.relations[1].code = "P99";
  BOOST_TEST(describe_relations(model, dataset) == 1U);
  BOOST_TEST(model.predictions.relations[0].relation.domains == (Names{"Arts", "Movies"}));
  BOOST_TEST(!is_one_to_one(model.predictions.relations[0].relation));
  BOOST_TEST(model.predictions.relations[1].relation.domains == Names{"Geography"});
  BOOST_TEST(is_one_to_one(model.predictions.relations[1].relation));
}

BOOST_AUTO_TEST_SUITE_END()
