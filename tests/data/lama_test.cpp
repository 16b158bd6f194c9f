// SPDX-License-Identifier: Apache-2.0
#include "plumb/data/lama.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(lama_suite)

namespace {

struct Lama : test::TemporaryFolder {
  Lama() {
    write("relations.jsonl",
          "{\"relation\": \"P36\", \"template\": \"The capital of [X] is [Y] .\"}\n"
          "{\"relation\": \"place_of_birth\", \"template\": \"[X] was born in [Y] .\"}\n"
          "{\"relation\": \"P30\", \"template\": \"[X] is located in [Y] .\"}\n"
          "{\"relation\": \"P36\", \"template\": \"[Y] , capital of [X] .\"}\n");
    write("TREx/P36.jsonl",
          "{\"uuid\": \"u1\", \"sub_label\": \"France\", \"sub_uri\": \"Q142\", "
          "\"obj_label\": \"Paris\", \"obj_uri\": \"Q90\", \"evidences\": []}\n"
          "{\"uuid\": \"u2\", \"sub_label\": \"Italy\", \"obj_label\": \"Rome\"}\n");
    write("P30.jsonl",
          "{\"sub_label\": \"Chad\", \"obj_label\": \"Africa\"}\n"
          "{\"sub_label\": \"Peru\", \"obj_label\": \"Americas\"}\n");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(relations_are_read_from_either_place, Lama) {
  BOOST_TEST(is_lama(path()));
  const Dataset dataset = load_lama(path());
  BOOST_REQUIRE(dataset.relations.size() == 2U);  // place_of_birth has no facts, as in LAMA itself
  const Relation& capitals = dataset.relations[0];
  BOOST_TEST(capitals.code == "P36");
  BOOST_TEST(capitals.templates ==
             (std::vector<std::string>{"The capital of [X] is [Y] .", "[Y] , capital of [X] ."}));
  BOOST_TEST(capitals.options == (std::vector<std::string>{"Paris", "Rome"}));
  BOOST_TEST(capitals.option_ids == (std::vector<std::string>{"Q90", "P36-1"}));
  BOOST_TEST(capitals.facts[0].subject_id == "Q142");
  BOOST_TEST(capitals.facts[1].subject_id == "u2");
  BOOST_TEST(dataset.relations[1].code == "P30");
  BOOST_TEST(dataset.files.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_line_needs_its_relation_and_template, Lama) {
  write("relations.jsonl",
        "{\"relation\": \"P36\", \"template\": \"[X] [Y]\"}\n{\"template\": \"[X] [Y]\"}\n");
  BOOST_CHECK_EXCEPTION(load_lama(path()), Error,
                        says(Fault::user,
                             "relations.jsonl:2: relation: is missing; each line needs "
                             "relation and template"));
  write("relations.jsonl", "{\"relation\": \"P36\"}\n");
  BOOST_CHECK_EXCEPTION(
      load_lama(path()), Error,
      says(Fault::user, "relations.jsonl:1: template: is missing; each line needs"));
}

BOOST_FIXTURE_TEST_CASE(a_template_without_a_placeholder_is_reported_at_its_line, Lama) {
  write("relations.jsonl", "\n{\"relation\": \"P36\", \"template\": \"The capital is [Y] .\"}\n");
  BOOST_CHECK_EXCEPTION(load_lama(path()), Error,
                        says(Fault::user,
                             "relations.jsonl:2: template: template 'The capital is [Y] .' "
                             "has no [X]; write [X] where"));
}

BOOST_FIXTURE_TEST_CASE(a_broken_fact_is_reported_and_left_out, Lama) {
  write("P30.jsonl",
        "{\"sub_label\": \"Chad\", \"obj_label\": \"Africa\"}\n{\"obj_label\": \"Asia\"}\n"
        "{\"sub_label\": \"Peru\", \"obj_label\": \"Americas\"}\n");
  BOOST_CHECK_EXCEPTION(load_lama(path()), Error,
                        says(Fault::user, "P30.jsonl:2: sub_label: the fact has no subject; give"));
  const Dataset dataset = load_lama(path(), [](const Error&) {});
  const Relation& continents = dataset.relations.at(1);
  BOOST_TEST(continents.facts.size() == 2U);
  BOOST_TEST(continents.facts[1].instance == 2U);
}

BOOST_AUTO_TEST_CASE(a_list_that_is_missing_is_named) {
  const test::TemporaryFolder folder;
  BOOST_TEST(!is_lama(folder.path()));
  BOOST_CHECK_EXCEPTION(load_lama(folder.path()), Error,
                        says(Fault::user, "relations.jsonl: cannot be read; check that it exists"));
}

BOOST_AUTO_TEST_SUITE_END()
