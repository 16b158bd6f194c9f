// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/pararel.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(pararel_suite)

namespace {

struct Pararel : test::TemporaryFolder {
  Pararel() {
    for (const std::string code : {"P103", "P19"}) {
      write("trex_lms_vocab/" + code + ".jsonl",
            "{\"sub_label\": \"Ada\", \"obj_label\": \"London\", \"uuid\": \"u1\"}\n"
            "{\"sub_label\": \"Emmy\", \"obj_label\": \"Erlangen\", \"uuid\": \"u2\"}\n");
      write("pattern_data/graphs_json/" + code + ".jsonl",
            "{\"pattern\": \"[X] was born in [Y].\", \"lemma\": \"born\"}\n"
            "{\"pattern\": \"[X] is from [Y].\"}\n");
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(relations_are_read_by_number_and_every_pattern_is_a_template, Pararel) {
  BOOST_TEST(is_pararel(path()));
  const Dataset dataset = load_pararel(path());
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].code == "P19");
  BOOST_TEST(dataset.relations[1].code == "P103");
  const Relation& relation = dataset.relations[0];
  BOOST_TEST(relation.templates ==
             (std::vector<std::string>{"[X] was born in [Y].", "[X] is from [Y]."}));
  BOOST_TEST(relation.options == (std::vector<std::string>{"London", "Erlangen"}));
  BOOST_TEST(relation.facts[1].subject_id == "u2");
  BOOST_TEST(relation.facts[1].answer == 1U);
  BOOST_TEST(dataset.files.size() == 4U);
}

BOOST_FIXTURE_TEST_CASE(missing_patterns_are_reported, Pararel) {
  std::filesystem::remove(*this / "pattern_data/graphs_json/P19.jsonl");
  BOOST_CHECK_EXCEPTION(load_pararel(path()), Error,
                        says(Fault::user,
                             "P19.jsonl: is missing, but trex_lms_vocab has P19; add the "
                             "relation's patterns"));
  BOOST_TEST(load_pararel(path(), [](const Error&) {}).relations.at(0).code == "P103");
}

BOOST_FIXTURE_TEST_CASE(broken_patterns_are_reported_at_their_line, Pararel) {
  write("pattern_data/graphs_json/P19.jsonl",
        "{\"pattern\": \"[X] [Y]\"}\n{\"lemma\": \"born\"}\n");
  BOOST_CHECK_EXCEPTION(
      load_pararel(path()), Error,
      says(Fault::user, "graphs_json/P19.jsonl:2: pattern: is missing; add a pattern"));
  write("pattern_data/graphs_json/P19.jsonl", "{\"pattern\": \"[X] was born.\"}\n");
  BOOST_CHECK_EXCEPTION(load_pararel(path()), Error,
                        says(Fault::user,
                             "graphs_json/P19.jsonl:1: pattern: template '[X] was born.' "
                             "has no [Y]; write [X] in"));
}

BOOST_FIXTURE_TEST_CASE(broken_facts_are_reported_at_their_line, Pararel) {
  write("trex_lms_vocab/P19.jsonl", "{\"sub_label\": \"Ada\"}\n");
  BOOST_CHECK_EXCEPTION(load_pararel(path()), Error,
                        says(Fault::user,
                             "trex_lms_vocab/P19.jsonl:1: obj_label: the fact has no answer; "
                             "add a non-empty string obj_label"));
}

BOOST_AUTO_TEST_CASE(both_folders_make_the_layout) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "trex_lms_vocab");
  BOOST_TEST(!is_pararel(folder.path()));
  std::filesystem::create_directories(folder / "pattern_data/graphs_json");
  BOOST_TEST(is_pararel(folder.path()));
}

BOOST_AUTO_TEST_SUITE_END()
