// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/many_shot.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/option_errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::shows;

BOOST_AUTO_TEST_SUITE(many_shot_options)

namespace {

using Words = std::vector<std::string>;
using Indices = std::vector<std::size_t>;

/// The settings from a command line, after reading the files that it specifies.
struct Parsed : ManyShotSettings {
  ManyShotOptions study;
  InjectionOptions injection;
  std::map<std::string, std::size_t> without_separator;
  JobTarget target;
};

Parsed parse(Words words) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  ManyShotArguments arguments;
  BOOST_REQUIRE(parse_settings(console, "plumb many-shot [options]", arguments));
  arguments.check();
  auto [options, without] = read_many_shot_files(arguments.many_shot);
  return {arguments.many_shot, std::move(options), arguments.many_shot.injection_options(),
          std::move(without), arguments.target};
}

/// Adds the required options.
Parsed with(Words words) {
  words.insert(words.begin(), {"--data", "d", "--model", "m", "--out", "o"});
  return parse(std::move(words));
}

void refused(const Words& words, const std::string& message) {
  BOOST_CHECK_EXCEPTION((void)with(words), Error, shows(Fault::user, words[0] + ": " + message));
}

const char* baselines_text = R"({
  "Born": {"property": "P19", "hgp": ["{subject} was born in", "the place of {subject} is"],
           "mmp": ["{subject}, born in", "{subject} was born in"]},
  "Capital": {"property": "P36", "mmp": ["the capital of {subject}"]}})";

}  // namespace

// The defaults are the values used in the paper.
BOOST_AUTO_TEST_CASE(omitted_options_have_their_defaults) {
  const Parsed parsed = with({});
  BOOST_TEST(parsed.data == "d");
  BOOST_TEST(parsed.target.model == "m");
  BOOST_TEST(parsed.target.out == "o");
  const ManyShotOptions& study = parsed.study;
  BOOST_TEST((study.shots.numbers == Indices{50}));
  BOOST_TEST(study.seeds == 5U);
  BOOST_TEST(study.choices == 100U);
  BOOST_TEST(study.choice_seed == 0U);
  BOOST_TEST(study.split_seed == 0U);
  BOOST_TEST(study.training == 100U);
  BOOST_TEST(study.limit == 0U);
  BOOST_TEST(study.least_facts == 0U);
  BOOST_TEST(study.least_objects == 0U);
  BOOST_TEST((study.pair_separators == Words{" "}));
  BOOST_TEST(study.relation_separators.empty());
  BOOST_TEST(study.item_separator == " ");
  BOOST_TEST(!study.eic_paper);
  BOOST_TEST(!study.eic_isolated);
  BOOST_TEST((study.eic_form.join == Join::ids));
  BOOST_TEST(study.eic_form.item_separator == ",");
  BOOST_TEST(study.eic_geometry.first == 50U);
  BOOST_TEST(study.eic_geometry.step == 5U);
  BOOST_TEST(study.eic_geometry.questions == 10U);
  BOOST_TEST(study.baselines.empty());
  BOOST_TEST(parsed.generate == 0U);
  BOOST_TEST(parsed.injection.pairs == 0U);
  BOOST_TEST(!parsed.injection.highlight);
  BOOST_TEST(parsed.baseline_file.empty());
  BOOST_TEST(parsed.separators.empty());
  BOOST_TEST(parsed.fixed.empty());
  BOOST_TEST(parsed.seed == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_given_is_taken) {
  const Parsed parsed = with({"--shots",
                              "25,1,10",
                              "--seeds",
                              "3",
                              "--choices",
                              "20",
                              "--choice-seed",
                              "4",
                              "--split-seed",
                              "6",
                              "--train",
                              "60",
                              "--min-facts",
                              "500",
                              "--min-objects",
                              "100",
                              "--limit",
                              "7",
                              "--generate",
                              "50",
                              "--pair-separator",
                              " is ",
                              "--item-separator",
                              "; ",
                              "--injection",
                              "200",
                              "--injected",
                              "30",
                              "--highlight",
                              "12",
                              "--seed",
                              "8",
                              "--relations",
                              "P36",
                              "--bos",
                              "no",
                              "--resume"});
  const ManyShotOptions& study = parsed.study;
  BOOST_TEST((study.shots.numbers == Indices{1, 10, 25}));  // ascending
  BOOST_TEST(study.seeds == 3U);
  BOOST_TEST(study.choices == 20U);
  BOOST_TEST(study.choice_seed == 4U);
  BOOST_TEST(study.split_seed == 6U);
  BOOST_TEST(study.training == 60U);
  BOOST_TEST(study.least_facts == 500U);
  BOOST_TEST(study.least_objects == 100U);
  BOOST_TEST(study.limit == 7U);
  BOOST_TEST((study.pair_separators == Words{" is "}));
  BOOST_TEST(study.item_separator == "; ");
  BOOST_TEST(parsed.generate == 50U);
  BOOST_TEST(parsed.injection.pairs == 200U);
  BOOST_TEST(parsed.injection.injected == 30U);
  BOOST_TEST(parsed.injection.highlight.value() == 12U);
  BOOST_TEST(parsed.injection.seed == 6U);
  BOOST_TEST(parsed.seed == 8U);
  BOOST_TEST((parsed.relations == Words{"P36"}));
  BOOST_TEST(!parsed.bos.wanted);
  BOOST_TEST(parsed.target.resume);
}

BOOST_AUTO_TEST_CASE(kinds_of_eic_have_names) {
  for (const auto& [kind, paper, isolated] : {std::tuple{"none", false, false},
                                              {"paper", true, false},
                                              {"isolated", false, true},
                                              {"both", true, true}}) {
    const ManyShotOptions study = with({"--eic", kind}).study;
    BOOST_TEST(study.eic_paper == paper, kind);
    BOOST_TEST(study.eic_isolated == isolated, kind);
  }
  // The parts of an EIC-LKE text use IC-LKE's separators only if they are joined in the same way as
  // IC-LKE's parts.
  const Words separators{"--eic", "paper", "--pair-separator", ": ", "--item-separator", "; "};
  const ManyShot ids = with(separators).study.eic_form;
  BOOST_TEST((ids.join == Join::ids));
  BOOST_TEST(ids.pair_separator == " ");
  BOOST_TEST(ids.item_separator == ",");
  Words text = separators;
  text.insert(text.end(), {"--join", "text"});
  const ManyShot joined = with(text).study.eic_form;
  BOOST_TEST((joined.join == Join::text));
  BOOST_TEST(joined.pair_separator == ": ");
  BOOST_TEST(joined.item_separator == "; ");
}

BOOST_AUTO_TEST_CASE(a_row_of_eic_has_a_length) {
  const EicGeometry given =
      with({"--eic", "isolated", "--eic-first", "20", "--eic-step", "4", "--eic-questions", "6"})
          .study.eic_geometry;
  BOOST_TEST(given.first == 20U);
  BOOST_TEST(given.step == 4U);
  BOOST_TEST(given.questions == 6U);
  for (const char* option : {"--eic-first", "--eic-step", "--eic-questions"}) {
    refused({option, "3"}, "has no effect without --eic; set --eic to paper or isolated");
    refused({option, "0", "--eic", "paper"}, "0 is not between 1 and 100,000; use ");
    refused({option, "100001", "--eic", "paper"}, "100,001 is not between 1 and 100,000; use ");
    refused({option, "few", "--eic", "paper"}, "'few' is not a non-negative whole number");
    BOOST_CHECK_EXCEPTION(
        (void)parse({"--fixed", "f.json", "--model", "m", "--out", "o", option, "3"}), Error,
        shows(Fault::user,
              std::string(option) +
                  ": has no effect with --fixed, whose file determines what is asked"));
  }
  refused({"--eic-step", "3", "--eic", "paper", "--eic-questions", "1"},
          "has no effect with --eic-questions 1; remove it");
  BOOST_TEST(with({"--eic", "paper", "--eic-questions", "1"}).study.eic_geometry.pairs() == 50U);
}

BOOST_AUTO_TEST_CASE(generated_texts_end_at_no_text_but_those_that_are_given) {
  BOOST_TEST(with({"--generate", "5"}).stop.texts.empty());
  BOOST_TEST(
      (with({"--generate", "5", "--stop", "\\n", "--stop", ","}).stop.texts == Words{"\n", ","}));
  refused({"--stop", ","}, "has no effect without --generate; set --generate to 50");
}

BOOST_AUTO_TEST_CASE(generated_answers_are_matched_by_letters_by_default) {
  BOOST_TEST((with({"--generate", "5"}).answer_match == LabelMatch::letters));
  BOOST_TEST(
      (with({"--generate", "5", "--answer-match", "program"}).answer_match == LabelMatch::program));
  refused({"--answer-match", "program"}, "has no effect without --generate; set --generate to 50");
}

BOOST_AUTO_TEST_CASE(an_empty_separator_is_one_too) {
  const ManyShotOptions study = with({"--pair-separator", "", "--item-separator", ""}).study;
  BOOST_TEST((study.pair_separators == Words{""}));
  BOOST_TEST(study.item_separator.empty());
}

BOOST_AUTO_TEST_CASE(separators_are_lines_of_a_file_between_spaces) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("s.txt", "was born in\n\n  , of\r\n \t\nwas born in\nis");
  const Parsed parsed = with({"--separators", file.string()});
  BOOST_TEST((parsed.study.pair_separators == Words{" ", " was born in ", " , of ", " is "}));
  BOOST_TEST(parsed.study.relation_separators.empty());
  BOOST_TEST(parsed.separators == file);
  const auto again = with({"--pair-separator", " is ", "--separators", file.string()});
  BOOST_TEST((again.study.pair_separators == Words{" is ", " was born in ", " , of "}));
  BOOST_CHECK_EXCEPTION((void)with({"--separators", (folder / "none.txt").string()}), Error,
                        shows(Fault::user, "none.txt: cannot be read"));
}

BOOST_AUTO_TEST_CASE(separators_may_be_the_templates_that_begin_with_the_subject) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("t.json", baselines_text);
  const Parsed parsed = with({"--separators", file.string()});
  BOOST_TEST((parsed.study.pair_separators == Words{" "}));
  const auto& own = parsed.study.relation_separators;
  Words born = own.at("P19");
  std::ranges::sort(born);
  born.erase(std::unique(born.begin(), born.end()), born.end());
  BOOST_TEST((born == Words{" was born in ", ", born in "}));
  // no template of P36 begins with the subject
  BOOST_TEST((!own.contains("P36") || own.at("P36").empty()));
  BOOST_TEST(parsed.without_separator.at("P19") == 1U);
  BOOST_TEST(parsed.without_separator.at("P36") == 1U);
  BOOST_TEST(parsed.study.baselines.empty());
}

BOOST_AUTO_TEST_CASE(baselines_come_from_a_file) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("t.json", baselines_text);
  const Parsed parsed = with({"--baselines", file.string(), "--shots", "-"});
  BOOST_TEST(parsed.baseline_file == file);
  BOOST_TEST(parsed.study.shots.numbers.empty());
  BOOST_TEST(parsed.study.baselines.at("P19").hgp.size() == 2U);
  BOOST_TEST(parsed.study.baselines.at("P36").mmp.size() == 1U);
  const auto bad = folder.write("bad.json", R"({"Born": {"property": "P19", "hgp": ["in"]}})");
  BOOST_CHECK_EXCEPTION(
      (void)with({"--baselines", bad.string()}), Error,
      shows(Fault::user, "bad.json:1: Born.hgp[0]: template 'in' has no {subject}"));
}

BOOST_AUTO_TEST_CASE(a_fixed_study_stands_for_the_dataset) {
  const Parsed parsed = parse({"--fixed", "f.json", "--model", "m", "--out", "o"});
  BOOST_TEST(parsed.fixed == "f.json");
  refused({"--fixed", "f.json"}, "conflicts with --data; use only one of them");
  BOOST_CHECK_EXCEPTION((void)parse({"--model", "m", "--out", "o"}), Error,
                        shows(Fault::user, "--data: is required but missing"));
  BOOST_CHECK_EXCEPTION((void)parse({"--fixed", "f.json", "--out", "o"}), Error,
                        shows(Fault::user, "--model: is required but missing; `plumb many-shot"));
}

BOOST_AUTO_TEST_CASE(what_a_fixed_study_leaves_without_effect_is_refused) {
  for (const char* option : {"--shots", "--choices", "--limit", "--generate", "--relations"}) {
    BOOST_CHECK_EXCEPTION(
        (void)parse({"--fixed", "f.json", "--model", "m", "--out", "o", option, "3"}), Error,
        shows(Fault::user,
              std::string(option) +
                  ": has no effect with --fixed, whose file determines what is asked"));
  }
  const Parsed parsed = parse({"--fixed", "f.json", "--model", "m", "--out", "o", "--bos", "no"});
  BOOST_TEST(!parsed.bos.wanted);
}

BOOST_AUTO_TEST_CASE(a_fifth_of_the_injections_pairs_is_replaced_by_default) {
  BOOST_TEST(with({"--injection", "200"}).injection.injected == 40U);  // the paper's number
  BOOST_TEST(with({"--injection", "60"}).injection.injected == 12U);
}

BOOST_AUTO_TEST_CASE(what_other_options_leave_without_effect_is_refused) {
  const auto idle = [](Words words, const std::string& option, const std::string& beside) {
    BOOST_CHECK_EXCEPTION((void)with(std::move(words)), Error,
                          shows(Fault::user, option + ": has no effect " + beside));
  };
  idle({"--join", "text"}, "--join", "without --eic; set --eic to paper");
  idle({"--injected", "4"}, "--injected", "without --injection; set --injection to 200");
  idle({"--highlight", "4"}, "--highlight", "without --injection; set --injection to 200");
  idle({"--shots", "-", "--eic", "paper", "--separators", "f"}, "--separators", "without shots");
  const Words ids{"--shots", "-", "--eic", "paper", "--pair-separator", ": "};
  idle(ids, "--pair-separator", "without shots, unless EIC-LKE has --join text");
  for (const Words& more : {Words{"--join", "text"}, Words{"--injection", "100"}}) {
    Words used = ids;
    used.insert(used.end(), more.begin(), more.end());
    BOOST_TEST((with(used).study.pair_separators == Words{": "}));
  }
}

BOOST_AUTO_TEST_CASE(something_must_be_asked) {
  const std::string message = "nothing to run: there are no shots; set --shots to numbers";
  refused({"--shots", "-"}, message);
  refused({"--shots", ""}, "has an empty value; give it a value, or remove it");
  BOOST_TEST(with({"--shots", "-", "--eic", "paper"}).study.shots.numbers.empty());
  BOOST_TEST(with({"--shots", "-", "--injection", "100"}).study.shots.numbers.empty());
}

BOOST_AUTO_TEST_CASE(bounds_are_kept_and_what_makes_no_sense_is_refused_by_name) {
  BOOST_TEST(with({"--seeds", "1"}).study.seeds == 1U);
  refused({"--seeds", "0"}, "0 is less than 1");
  BOOST_TEST(with({"--choices", "2"}).study.choices == 2U);
  refused({"--choices", "1"}, "1 is less than 2");
  BOOST_TEST(with({"--train", "1"}).study.training == 1U);
  refused({"--train", "0"}, "0 is less than 1");
  for (const char* option :
       {"--seeds", "--choices", "--train", "--choice-seed", "--split-seed", "--min-facts",
        "--min-objects", "--generate", "--injection", "--limit", "--seed"}) {
    refused({option, "some"}, "'some' is not a non-negative whole number");
    refused({option, "1.5"}, "'1.5' is not a non-negative whole number");
  }
  for (const char* option : {"--injected", "--highlight"}) {
    refused({option, "some", "--injection", "100"}, "'some' is not a non-negative whole number");
  }
  refused({"--shots", "many"}, "'many' is not a non-negative whole number");
  refused({"--shots", "1,,5"}, "'1,,5' has an empty item");
  refused({"--shots", "5-1"}, "'5-1' is not a range");
  refused({"--eic", "all"}, "'all' is not a valid choice; use paper, isolated, both or none");
  refused({"--eic", ""}, "has an empty value; give it a value");
  refused({"--join", "bytes", "--eic", "paper"}, "'bytes' is not a valid choice; use ids or text");
}

BOOST_AUTO_TEST_SUITE_END()
