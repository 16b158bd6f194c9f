// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/template_roles.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::indices_of;
using test::says;

BOOST_AUTO_TEST_SUITE(template_roles)

namespace {

using Places = std::vector<std::size_t>;

/// Templates 0 and 1 are paraphrases; templates 2 and 3 have markers. There is one fact.
Relation relation_of(const std::string& code = "P36") {
  Relation relation;
  relation.code = code;
  relation.templates = {"The capital of [X] is [Y].", "[Y] is the capital of [X].",
                        "The capital of [X] is possibly [Y].",
                        "I'm 25% confident the capital of [X] is [Y]."};
  relation.facts.resize(1);
  return relation;
}

/// Two relations; the first uses templates 0 and 2, the second templates 0 to 3.
std::vector<RelationPredictions> two_relations() {
  return {prediction_frame(relation_of("P17"), {0, 2}, {}),
          prediction_frame(relation_of("P36"), {0, 1, 2, 3}, {})};
}

}  // namespace

BOOST_AUTO_TEST_CASE(roles_are_known_before_there_are_cells) {
  const RelationPredictions frame = prediction_frame(relation_of(), {0, 1, 3}, {.base = 1});
  BOOST_TEST(frame.relation.code == "P36");
  BOOST_TEST(indices_of(frame) == (Places{0, 1, 3}));
  BOOST_TEST(frame.paraphrases == 2U);
  BOOST_TEST(frame.base == 1U);
  BOOST_TEST(frame.roles[1].marker == "");
  BOOST_TEST(frame.roles[2].marker == "25%");
  BOOST_CHECK(frame.roles[2].kind == TemplateKind::numerical);
  BOOST_TEST(frame.facts() == 1U);
  BOOST_TEST(frame.cells.empty());
}

BOOST_AUTO_TEST_CASE(paraphrases_stand_before_marked_templates) {
  Relation relation = relation_of();
  std::swap(relation.templates[0], relation.templates[3]);
  const RelationPredictions frame = prediction_frame(relation, {0, 1, 2, 3}, {.base = 3});
  BOOST_TEST(indices_of(frame) == (Places{1, 3, 0, 2}));
  BOOST_TEST(frame.paraphrases == 2U);
  BOOST_TEST(frame.base == 1U);  // the base's index in the row, not among the templates
}

BOOST_AUTO_TEST_CASE(explicit_template_kinds_override_template_texts) {
  const TemplateKinds kinds{
      .base = 2, .paraphrases = Places{2}, .verbalized = {1}, .numerical = {3}};
  const RelationPredictions frame = prediction_frame(relation_of(), {0, 1, 2, 3}, kinds);
  BOOST_TEST(indices_of(frame) == (Places{2, 1, 3}));  // template 0 is in no list
  BOOST_TEST(frame.roles[0].marker == "");
  BOOST_TEST(frame.roles[1].marker == "template 1");
  BOOST_CHECK(frame.roles[1].kind == TemplateKind::verbalized);
  BOOST_TEST(frame.roles[2].marker == "25%");  // the marker as it appears in the template's text
}

BOOST_AUTO_TEST_CASE(a_lone_template_without_a_text_is_a_paraphrase_and_of_several_none_is) {
  Relation relation = relation_of();
  relation.templates.clear();
  BOOST_TEST(prediction_frame(relation, {0}, {}).paraphrases == 1U);
  BOOST_CHECK_EXCEPTION((void)prediction_frame(relation, {0, 1}, {}), Error,
                        says(Fault::user,
                             "P36: the metadata has no text for template 0, so its kind is "
                             "unknown; set `paraphrases`, `verbalized` and `numerical`"));
  BOOST_TEST(prediction_frame(relation, {0, 1}, {.paraphrases = Places{0, 1}}).paraphrases == 2U);
}

BOOST_AUTO_TEST_CASE(the_base_template_must_be_a_paraphrase) {
  const std::string words = ", which Base and Margin use, was not scored as a paraphrase";
  BOOST_CHECK_EXCEPTION((void)prediction_frame(relation_of(), {1}, {}), Error,
                        says(Fault::user, "P36: template 0" + words));
  BOOST_CHECK_EXCEPTION((void)prediction_frame(relation_of(), {0, 2}, {.base = 2}, "rows.jsonl"),
                        Error, says(Fault::user, "rows.jsonl: P36: template 2" + words));
  BOOST_CHECK_EXCEPTION((void)prediction_frame(relation_of(), {0, 1}, {.paraphrases = Places{1}}),
                        Error, says(Fault::user, "P36: template 0" + words));
}

BOOST_AUTO_TEST_CASE(a_marker_belongs_to_one_template) {
  Relation relation = relation_of();
  relation.templates[3] = "[Y] is possibly the capital of [X].";
  BOOST_CHECK_EXCEPTION((void)prediction_frame(relation, {0, 2, 3}, {}), Error,
                        says(Fault::user, "P36: two templates have the marker 'possibly'"));
}

BOOST_AUTO_TEST_CASE(listed_templates_stand_in_some_relation) {
  const auto relations = two_relations();
  const TemplateKinds sound{.paraphrases = Places{0, 1}, .verbalized = {2}, .numerical = {3}};
  BOOST_CHECK_NO_THROW(refuse_absent_templates(relations, sound));
  BOOST_CHECK_NO_THROW(refuse_absent_templates(relations, {}));
  const auto refused = [&](const TemplateKinds& kinds, const std::string& words) {
    BOOST_CHECK_EXCEPTION(refuse_absent_templates(relations, kinds), Error,
                          says(Fault::user, words));
  };
  refused({.paraphrases = Places{0, 7}}, "`paraphrases`: template 7 was not scored");
  refused({.paraphrases = Places{0}, .verbalized = {5}}, "`verbalized`: template 5 was not scored");
  refused({.paraphrases = Places{0}, .numerical = {4}}, "`numerical`: template 4 was not scored");
  BOOST_CHECK_NO_THROW(refuse_absent_templates({}, {.paraphrases = Places{7}}));
}

BOOST_AUTO_TEST_CASE(a_listed_template_has_one_kind) {
  const auto relations = two_relations();
  const auto refused = [&](const TemplateKinds& kinds, const std::string& words) {
    BOOST_CHECK_EXCEPTION(refuse_absent_templates(relations, kinds), Error,
                          says(Fault::user, words));
  };
  refused({.paraphrases = Places{0}, .verbalized = {2}, .numerical = {2}},
          "`numerical`: template 2 is in two lists; put it in only one");
  refused({.paraphrases = Places{0, 1}, .verbalized = {1}},
          "`verbalized`: template 1 is in two lists");
}

BOOST_AUTO_TEST_SUITE_END()
