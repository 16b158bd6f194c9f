// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/confidence_marker.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(confidence_marker)

namespace {

using Templates = std::vector<std::string>;

bool is(const TemplateRole& role, TemplateKind kind, const std::string& marker) {
  return role.kind == kind && role.marker == marker;
}

Dataset with_templates(const Templates& templates) {
  Dataset dataset{"test", {}, {}};
  Relation relation;
  relation.code = "P36";
  relation.templates = templates;
  relation.file = "P36.jsonl";
  relation.template_file = "templates.json";
  dataset.relations.push_back(relation);
  return dataset;
}

Templates injected(const Templates& templates, AddedMarkers added) {
  Dataset dataset = with_templates(templates);
  inject_markers(dataset, added);
  return dataset.relations[0].templates;
}

constexpr AddedMarkers none = AddedMarkers::none, verbalized = AddedMarkers::verbalized,
                       numerical = AddedMarkers::numerical, both = AddedMarkers::all;

}  // namespace

BOOST_AUTO_TEST_CASE(template_text_determines_the_role) {
  using enum TemplateKind;
  BOOST_TEST(is(role_of("The capital of [X] is [Y]."), paraphrase, ""));
  BOOST_TEST(is(role_of("The capital of [X] is possibly [Y]."), verbalized, "possibly"));
  BOOST_TEST(is(role_of("[X] was certainly born in [Y]."), verbalized, "certainly"));
  BOOST_TEST(is(role_of("I'm 25% confident the capital of [X] is [Y]."), numerical, "25%"));
  BOOST_TEST(is(role_of("I'm 0% confident [X] is [Y]."), numerical, "0%"));
  BOOST_TEST(is(role_of("I'm 100% confident [X] is possibly [Y]."), numerical, "100%"));
  BOOST_TEST(is(role_of(""), paraphrase, ""));
}

BOOST_AUTO_TEST_CASE(a_marker_is_a_word_by_itself) {
  for (const char* text :
       {"[X] is impossibly [Y].", "[X], possibly's [Y].", "[X] is uncertainly [Y].",
        "[X] possiblyish [Y].", "[X] ünpossibly é[Y], possiblyé.", "[X] is possible [Y]."}) {
    BOOST_TEST(is(role_of(text), TemplateKind::paraphrase, ""));
  }
  for (const char* text : {"possibly [X] is [Y]", "[X] is [Y], possibly", "[X] is (possibly) [Y].",
                           "[X] impossibly is possibly [Y]."}) {
    BOOST_TEST(is(role_of(text), TemplateKind::verbalized, "possibly"));
  }
}

BOOST_AUTO_TEST_CASE(what_only_looks_like_a_percentage_is_none) {
  for (const char* text :
       {"I'm % confident [X] is [Y].", "I'm 2.5% confident [X] is [Y].",
        "I'm very% confident [X] is [Y].", "I'm 25 percent confident [X] [Y].",
        "I am 25% confident [X] is [Y].", "Oh, 25% confident I'm [X], [Y].",
        "So I'm 25% confident [X] is [Y].", "I'm 25% confidently [X] [Y].", "I'm [X], [Y]."}) {
    BOOST_TEST(is(role_of(text), TemplateKind::paraphrase, ""));
  }
}

BOOST_AUTO_TEST_CASE(a_slot_is_taken_out_with_the_space_behind_it) {
  BOOST_TEST(without_marker_slot("[X] is {marker} [Y].") == "[X] is [Y].");
  BOOST_TEST(without_marker_slot("{marker} [X] is [Y].") == "[X] is [Y].");
  BOOST_TEST(without_marker_slot("[X] is [Y]{marker}") == "[X] is [Y]");
  BOOST_TEST(without_marker_slot("[X] is [Y]{marker}.") == "[X] is [Y].");
  BOOST_TEST(without_marker_slot("[X] is [Y].") == "[X] is [Y].");
}

BOOST_AUTO_TEST_CASE(a_number_stands_before_the_statement_and_lowers_its_article) {
  BOOST_TEST(with_numerical_marker("The capital of [X] is [Y].", 25) ==
             "I'm 25% confident the capital of [X] is [Y].");
  BOOST_TEST(with_numerical_marker("A [X] is {marker} [Y].", 0) ==
             "I'm 0% confident a [X] is [Y].");
  BOOST_TEST(with_numerical_marker("An [X] is [Y].", 100) == "I'm 100% confident an [X] is [Y].");
  // Any other first word may be a name, so it keeps its case.
  BOOST_TEST(with_numerical_marker("Theodor [X] is [Y].", 5) ==
             "I'm 5% confident Theodor [X] is [Y].");
  BOOST_TEST(with_numerical_marker("[Y] is The [X].", 5) == "I'm 5% confident [Y] is The [X].");
}

BOOST_AUTO_TEST_CASE(a_word_stands_at_the_slot_or_after_the_only_verb) {
  const auto marked = [](const char* text) {
    return with_verbalized_marker(text, "possibly").value_or("nothing");
  };
  BOOST_TEST(marked("The capital of [X] is [Y].") == "The capital of [X] is possibly [Y].");
  BOOST_TEST(marked("[X] was born in [Y].") == "[X] was possibly born in [Y].");
  BOOST_TEST(marked("[X] are [Y].") == "[X] are possibly [Y].");
  BOOST_TEST(marked("[X] were [Y].") == "[X] were possibly [Y].");
  BOOST_TEST(marked("This wasp's area: [X] is[Y].") == "This wasp's area: [X] is possibly[Y].");
  BOOST_TEST(marked("[X] is {marker} what was [Y].") == "[X] is possibly what was [Y].");
  BOOST_TEST(marked("[X] plays {marker} for [Y].") == "[X] plays possibly for [Y].");
}

BOOST_AUTO_TEST_CASE(a_word_has_no_place_without_one_verb) {
  for (const char* text : {"[X] plays for [Y].", "[X] is what was [Y].", "[X] is [Y] and is big.",
                           "[X] isn't [Y], this isé.", "", "Is [X] [Y]?"}) {
    BOOST_TEST(!with_verbalized_marker(text, "possibly").has_value());
  }
}

BOOST_AUTO_TEST_CASE(role_of_a_marked_template_is_recognized) {
  const std::string text = "The capital of [X] is [Y].";
  for (const std::string_view marker : verbalized_markers) {
    const auto marked = with_verbalized_marker(text, marker);
    BOOST_TEST(is(role_of(marked.value()), TemplateKind::verbalized, std::string(marker)));
  }
  for (const int percent : numerical_markers) {
    BOOST_TEST(is(role_of(with_numerical_marker(text, percent)), TemplateKind::numerical,
                  std::to_string(percent) + "%"));
  }
}

// The order is the same as in the paper: paraphrases, then verbalized markers, then numerical ones.
BOOST_AUTO_TEST_CASE(markers_are_appended_to_template_zero) {
  const Templates plain{"The capital of [X] is {marker} [Y].", "[Y] {marker} rules [X]."};
  const Templates bare{"The capital of [X] is [Y].", "[Y] rules [X]."};
  const Templates words{"The capital of [X] is possibly [Y].",
                        "The capital of [X] is certainly [Y]."};
  Templates numbers;
  for (const char* percent : {"0", "25", "50", "75", "100"}) {
    numbers.push_back("I'm " + std::string(percent) + "% confident the capital of [X] is [Y].");
  }
  Templates expected = bare;
  BOOST_TEST(injected(plain, none) == expected, boost::test_tools::per_element());
  expected.insert(expected.end(), words.begin(), words.end());
  BOOST_TEST(injected(plain, verbalized) == expected, boost::test_tools::per_element());
  expected.insert(expected.end(), numbers.begin(), numbers.end());
  BOOST_TEST(injected(plain, both) == expected, boost::test_tools::per_element());
  expected.erase(expected.begin() + 2, expected.begin() + 4);
  BOOST_TEST(injected(plain, numerical) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_slot_is_the_place_where_no_verb_is) {
  const Templates marked = injected({"[X] plays {marker} for [Y]."}, verbalized);
  BOOST_TEST(marked == (Templates{"[X] plays for [Y].", "[X] plays possibly for [Y].",
                                  "[X] plays certainly for [Y]."}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_template_without_a_place_is_refused_by_name) {
  const Templates lacking{"[X] plays for [Y].", "[X] is at [Y]."};
  BOOST_CHECK_EXCEPTION(
      (void)injected(lacking, verbalized), Error,
      test::says(
          Fault::user,
          "templates.json: P36: template '[X] plays for [Y].' does not have exactly one place "
          "for a verbalized marker ({marker}, is, was, are or were); write {marker} in its place, "
          "or inject only numerical markers"));
  BOOST_CHECK_EXCEPTION(
      (void)injected({"{marker} [X] is {marker} [Y].", "[X] is [Y]."}, verbalized), Error,
      test::says(Fault::user, "does not have exactly one place"));
  BOOST_TEST(without_marker_slot("{marker} [X] died in [Y] {marker}.") == "[X] died in [Y].");
  BOOST_TEST(injected(lacking, numerical).size() == 7U);
  // Only template 0 gets markers.
  BOOST_TEST(injected({"[X] is at [Y].", "[X] plays for [Y]."}, both).size() == 9U);
}

BOOST_AUTO_TEST_CASE(markers_are_not_injected_twice) {
  const Templates marked{"[X] is [Y].", "[X] is possibly [Y]."};
  BOOST_CHECK_EXCEPTION(
      (void)injected(marked, numerical), Error,
      test::says(
          Fault::user,
          "templates.json: P36: template '[X] is possibly [Y].' already has a marker; inject "
          "only into plain templates"));
  BOOST_CHECK_EXCEPTION(
      (void)injected({"I'm 50% confident [X] is [Y]."}, verbalized), Error,
      test::says(Fault::user, "template 'I'm 50% confident [X] is [Y].' already has a marker"));
  BOOST_TEST(injected(marked, none) == marked, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
