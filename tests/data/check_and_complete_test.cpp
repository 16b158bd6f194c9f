// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/check_and_complete.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(check_and_complete_suite)

namespace {

/// A relation with only the fields that a calling program must set.
Relation capitals() {
  Relation capital{.code = "capital",
                   .templates = {"[Y] is the capital of [X]."},
                   .options = {"Paris", "Seoul"}};
  capital.facts = {{.subject = "France", .answer = 0}, {.subject = "Korea", .answer = 1}};
  return capital;
}

std::vector<std::size_t> instances(const Relation& relation) {
  std::vector<std::size_t> all;
  for (const Fact& fact : relation.facts) all.push_back(fact.instance);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(missing_instances_and_option_ids_are_filled_in) {
  const Relation made = check_and_complete(capitals());
  BOOST_TEST(instances(made) == (std::vector<std::size_t>{0, 1}));
  BOOST_TEST(made.option_ids == (std::vector<std::string>{"capital-0", "capital-1"}));
  BOOST_TEST(is_one_to_one(made));
}

BOOST_AUTO_TEST_CASE(existing_instances_and_option_ids_are_kept) {
  Relation said = capitals();
  said.facts[0].instance = 4;
  said.facts[1].instance = 9;
  said.option_ids = {"Q90", "Q8684"};
  const Relation made = check_and_complete(said);
  BOOST_TEST(instances(made) == (std::vector<std::size_t>{4, 9}));
  BOOST_TEST(made.option_ids == said.option_ids);
}

BOOST_AUTO_TEST_CASE(options_with_ids_may_share_a_label) {
  Relation said = capitals();
  said.options = {"Paris", "Paris"};
  said.option_ids = {"Q90", "Q830149"};
  BOOST_TEST(check_and_complete(said).options == said.options);
}

BOOST_AUTO_TEST_CASE(a_relation_is_held_to_what_a_file_is) {
  const auto refused = [](auto spoil, const std::string& message) {
    Relation relation = capitals();
    spoil(relation);
    BOOST_CHECK_EXCEPTION((void)check_and_complete(relation), Error,
                          says(Fault::user, "capital: " + message));
  };
  refused([](Relation& r) { r.facts.clear(); }, "has no fact");
  refused([](Relation& r) { r.options.clear(); }, "has no option");
  refused([](Relation& r) { r.templates.clear(); }, "has no template");
  refused([](Relation& r) { r.templates.push_back("{x} is {y}"); },
          "template '{x} is {y}' has no [X]");
  refused([](Relation& r) { r.templates[0] = "[X]"; }, "template '[X]' has no [Y]");
  refused([](Relation& r) { r.options[0] = ""; }, "an option is empty");
  refused([](Relation& r) { r.options[1] = "Paris"; }, "option 'Paris' is duplicated");
  refused([](Relation& r) { r.option_ids = {"Q90"}; }, "1 id for 2 options");
  refused([](Relation& r) { r.option_ids = {"Q90", "Q90"}; }, "option 'Q90' is duplicated");
  refused([](Relation& r) { r.facts[1].subject = ""; }, "a fact has no subject");
  refused([](Relation& r) { r.facts[1].subject = "K\xFForea"; },
          "the subject 'K\uFFFDorea' is not UTF-8; convert it");
  refused([](Relation& r) { r.templates[0] += "\xC3"; }, "the template '[Y] is the capital of");
  refused([](Relation& r) { r.options[0] = "\x80"; }, "the option '\uFFFD' is not UTF-8");
  refused([](Relation& r) { r.facts[0].subject_aliases = {"\xFF"}; }, "the alias '\uFFFD'");
  refused([](Relation& r) { r.facts[0].choices = {"a", "\xFF"}; }, "the choice '\uFFFD'");
  refused([](Relation& r) { r.domains = {"\xFF"}; }, "the domain '\uFFFD'");
  refused([](Relation& r) { r.facts[1].answer = 2; },
          "the answer or the choices of 'Korea' do not match 2 options");
  refused([](Relation& r) { r.facts[1].choices = {"Seoul"}; },
          "the answer or the choices of 'Korea' do not match 2 options");
  refused([](Relation& r) { r.facts[0].instance = r.facts[1].instance = 3; },
          "instance 3 is duplicated; number the facts, or set all instances to 0");
}

// In LAMA, each fact of ConceptNet and SQuAD has its own sentence, which serves as its template.
BOOST_AUTO_TEST_CASE(sentences_have_the_gap_that_templates_have) {
  Relation events{.code = "HasSubevent", .templates = {"[X]"}, .options = {"think", "eat"}};
  events.verbatim = events.own_sentences = true;
  events.facts = {{.subject = "When alive you [Y].", .answer = 0}};
  BOOST_TEST(check_and_complete(events).facts.size() == 1U);
  events.facts.push_back({.subject = "You eat.", .answer = 1});
  events.file = "test.jsonl";
  events.facts[1].line = 7;
  BOOST_CHECK_EXCEPTION(
      (void)check_and_complete(events), Error,
      says(Fault::user,
           "test.jsonl:7: HasSubevent: the sentence 'You eat.' has no [Y]; write [Y] in"));
}

BOOST_AUTO_TEST_CASE(relations_have_names_of_their_own_that_can_be_files) {
  Dataset dataset{"two", {capitals(), capitals()}, {}};
  BOOST_CHECK_EXCEPTION((void)check_and_complete(dataset), Error,
                        says(Fault::user, "capital: two relations have this name"));
  dataset.relations[1].code = "a/b";
  BOOST_CHECK_EXCEPTION((void)check_and_complete(dataset), Error,
                        says(Fault::user, "relation name 'a/b'"));
  dataset.relations[1].code = "city";
  BOOST_TEST(check_and_complete(dataset).relations[1].option_ids[1] == "city-1");
}

BOOST_AUTO_TEST_SUITE_END()
