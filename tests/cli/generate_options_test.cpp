// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/generate.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/option_errors.hpp"

using namespace plumb::detail;
using test::shows;

BOOST_AUTO_TEST_SUITE(generate_options)

namespace {

using Words = std::vector<std::string>;
using Settings = std::vector<FewShotSetting>;

constexpr auto none = ShotSource::none, any = ShotSource::random, related = ShotSource::relation,
               same = ShotSource::same_template;
constexpr auto mask = PromptForm::mask, question = PromptForm::question;

/// The options of a command line and the settings that they produce.
struct Parsed {
  GenerateSettings said;
  JobTarget target;
  AnswerOptions asking = said.asking();
  Settings names = said.named();
  ManyPromptOptions measuring = said.measuring.options(said.seed);
};

Parsed parse(Words words) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  GenerateArguments arguments;
  BOOST_REQUIRE(parse_settings(console, "plumb generate [options]", arguments));
  arguments.check();
  return {arguments.generate, arguments.target};
}

/// Adds the required options.
Parsed with(Words words) {
  words.insert(words.begin(), {"--data", "d", "--model", "m", "--out", "o"});
  return parse(std::move(words));
}

void refused(const Words& words, const std::string& message) {
  BOOST_CHECK_EXCEPTION((void)with(words), Error, shows(Fault::user, message));
}

}  // namespace

// The defaults are the values used in the paper.
BOOST_AUTO_TEST_CASE(omitted_options_have_their_defaults) {
  const Parsed parsed = with({});
  BOOST_TEST(parsed.said.data == "d");
  BOOST_TEST(parsed.target.model == "m");
  BOOST_TEST((parsed.target.precision == Precision::exact));
  BOOST_TEST(parsed.target.out == "o");
  BOOST_TEST(parsed.said.relations.empty());
  BOOST_TEST(parsed.said.bos.wanted);
  BOOST_TEST(parsed.said.seed == 0U);
  BOOST_TEST(!parsed.target.resume);
  const AnswerOptions& asking = parsed.asking;
  BOOST_TEST((asking.settings ==
              Settings{{none, 0, mask}, {any, 4, mask}, {related, 4, mask}, {same, 4, mask}}));
  BOOST_TEST(asking.limit == 0U);
  BOOST_TEST(asking.max_new_tokens == 16U);
  BOOST_TEST((asking.stop == Words{"\n"}));
  BOOST_TEST(asking.samples == 100U);
  BOOST_TEST(asking.confidence_prompts == 10000U);
  BOOST_TEST(asking.shot_seed == 0U);
  BOOST_TEST(asking.sample_seed == 0U);
  BOOST_TEST((parsed.names == Settings{{none, 0, mask}}));
  BOOST_TEST(parsed.measuring.samplings == 50000U);
  BOOST_TEST((parsed.measuring.by == SampleBy::relation));
  BOOST_TEST(parsed.measuring.seed == 0U);
  BOOST_TEST(parsed.measuring.bootstrap.seed == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_given_is_taken) {
  const Parsed parsed = with({"--relations",
                              "P19,P36",
                              "--settings",
                              "template,zero-shot",
                              "--shots",
                              "2",
                              "--form",
                              "question",
                              "--max-new-tokens",
                              "8",
                              "--samples",
                              "20",
                              "--confidence-prompts",
                              "50",
                              "--names",
                              "all",
                              "--shot-seed",
                              "3",
                              "--sample-seed",
                              "4",
                              "--seed",
                              "5",
                              "--limit",
                              "6",
                              "--samplings",
                              "70",
                              "--sample-by",
                              "fact",
                              "--bos",
                              "no",
                              "--precision",
                              "fast",
                              "--threads",
                              "2",
                              "--resume"});
  BOOST_TEST((parsed.said.relations == Words{"P19", "P36"}));
  BOOST_TEST(!parsed.said.bos.wanted);
  BOOST_TEST((parsed.target.precision == Precision::fast));
  BOOST_TEST(parsed.target.threads == 2U);
  BOOST_TEST(parsed.said.seed == 5U);
  BOOST_TEST(parsed.target.resume);
  const AnswerOptions& asking = parsed.asking;
  BOOST_TEST((asking.settings == Settings{{same, 2, question}, {none, 0, question}}));
  BOOST_TEST((parsed.names == asking.settings));
  BOOST_TEST(asking.limit == 6U);
  BOOST_TEST(asking.max_new_tokens == 8U);
  BOOST_TEST(asking.samples == 20U);
  BOOST_TEST(asking.confidence_prompts == 50U);
  BOOST_TEST(asking.shot_seed == 3U);
  BOOST_TEST(asking.sample_seed == 4U);
  BOOST_TEST(parsed.measuring.samplings == 70U);
  BOOST_TEST((parsed.measuring.by == SampleBy::fact));
  BOOST_TEST(parsed.measuring.seed == 5U);
  BOOST_TEST(parsed.measuring.bootstrap.seed == 5U);
}

BOOST_AUTO_TEST_CASE(an_answer_may_end_at_several_texts_or_at_none) {
  BOOST_TEST((with({"--stop", "%"}).asking.stop == Words{"%"}));
  BOOST_TEST(
      (with({"--stop", "\\n", "--stop", "Q:", "--stop=."}).asking.stop == Words{"\n", "Q:", "."}));
  BOOST_TEST((with({"--stop", "\n\n"}).asking.stop == Words{"\n\n"}));  // like a shell's $'\n\n'
  BOOST_TEST(with({"--stop", ""}).asking.stop.empty());
  refused({"--stop", "", "--stop", "."},
          "--stop: combines an empty text with another text; remove it");
  refused({"--stop", "\\s"},
          "--stop: '\\s' contains a backslash that is not followed by n, t or r");
}

BOOST_AUTO_TEST_CASE(examples_may_be_drawn_for_each_prompt) {
  const Settings shared = with({"--settings", "zero-shot,relation"}).asking.settings;
  BOOST_TEST((shared == Settings{{none, 0, mask}, {related, 4, mask}}));
  const Settings fresh =
      with({"--settings", "zero-shot,relation", "--fresh-shots"}).asking.settings;
  BOOST_TEST((fresh == Settings{{none, 0, mask, false}, {related, 4, mask, true}}));
  refused({"--settings", "zero-shot", "--fresh-shots"},
          "--fresh-shots: has no effect without shots in --settings; remove it");
}

BOOST_AUTO_TEST_CASE(words_have_their_meanings) {
  for (const auto& [word, source] :
       {std::pair{"random", any}, {"relation", related}, {"template", same}}) {
    BOOST_TEST((with({"--settings", word}).asking.settings == Settings{{source, 4, mask}}), word);
  }
  BOOST_TEST((with({"--settings", "zero-shot"}).asking.settings == Settings{{none, 0, mask}}));
  BOOST_TEST((with({"--settings", "relation", "--shots", "1000"}).asking.settings ==
              Settings{{related, 1000, mask}}));
  BOOST_TEST((with({"--sample-by", "relation"}).measuring.by == SampleBy::relation));
}

// The mask form comes before the question form. The names are scored under the first setting, which
// is therefore the same as in a run without questions.
BOOST_AUTO_TEST_CASE(both_forms_ask_each_setting_twice) {
  BOOST_TEST(
      (with({"--form", "both", "--settings", "relation,zero-shot"}).asking.settings ==
       Settings{{related, 4, mask}, {none, 0, mask}, {related, 4, question}, {none, 0, question}}));
}

BOOST_AUTO_TEST_CASE(names_are_scored_under_some_of_the_settings) {
  const auto names = [](const std::string& word, Words more = {}) {
    more.insert(more.end(), {"--names", word});
    return with(std::move(more)).names;
  };
  BOOST_TEST(names("none").empty());
  BOOST_TEST((names("first", {"--settings", "template,random"}) == Settings{{same, 4, mask}}));
  BOOST_TEST(names("all").size() == 4U);
  BOOST_TEST((names("template,zero-shot") == Settings{{same, 4, mask}, {none, 0, mask}}));
  BOOST_TEST((names("random", {"--form", "both"}) == Settings{{any, 4, mask}, {any, 4, question}}));
  BOOST_TEST((names("first", {"--form", "both"}) == Settings{{none, 0, mask}}));
}

BOOST_AUTO_TEST_CASE(words_that_are_not_understood_are_refused) {
  refused(
      {"--settings", "few-shot"},
      "--settings: 'few-shot' is not a valid choice; use zero-shot, random, relation, template or "
      "several separated by commas");
  refused({"--settings", "4-random"}, "--settings: '4-random' is not a valid choice");
  refused({"--settings", "random,"}, "--settings: 'random,' has an empty item");
  refused({"--form", "cloze"},
          "--form: 'cloze' is not a valid choice; use mask, question, both or kamel");
  refused({"--names", "last"}, "--names: 'last' is not a valid choice");
  refused({"--names", "none,random"}, "--names: 'none' is not a valid choice");
  refused({"--sample-by", "prompt"}, "--sample-by: 'prompt' is not a valid choice");
  for (const std::string option :
       {"--shots", "--max-new-tokens", "--samples", "--confidence-prompts", "--shot-seed",
        "--sample-seed", "--samplings", "--seed", "--limit"}) {
    refused({option, "x"}, option + ": 'x' is not a non-negative whole number");
  }
  refused({"--temperature", "1"}, "--temperature: unknown option; `plumb generate --help`");
}

BOOST_AUTO_TEST_CASE(what_is_required_is_asked_for) {
  BOOST_CHECK_EXCEPTION((void)parse({"--model", "m", "--out", "o"}), Error,
                        shows(Fault::user, "--data: is required but missing"));
  BOOST_CHECK_EXCEPTION((void)parse({"--data", "d", "--out", "o"}), Error,
                        shows(Fault::user, "--model: is required but missing"));
  BOOST_CHECK_EXCEPTION((void)parse({"--data", "d", "--model", "m"}), Error,
                        shows(Fault::user, "--out: is required but missing"));
}

BOOST_AUTO_TEST_CASE(numbers_out_of_their_range_are_refused) {
  refused({"--shots", "0"},
          "--shots: 0 is not between 1 and 1000; for none, set --settings to zero-shot");
  refused({"--shots", "1001"}, "--shots: 1001 is not between 1 and 1000");
  refused({"--max-new-tokens", "0"}, "--max-new-tokens: 0 is not between 1 and 100,000");
  refused({"--max-new-tokens", "18446744073709551615"},
          "18,446,744,073,709,551,615 is not between 1 and 100,000");
  refused({"--samples", "1000001"}, "--samples: 1,000,001 is more than 1,000,000");
  refused({"--samplings", "0"}, "--samplings: 0 is not between 1 and 10,000,000");
  refused({"--samplings", "10000001"}, "--samplings: 10,000,001 is not between 1 and 10,000,000");
}

BOOST_AUTO_TEST_CASE(settings_must_be_nonempty_and_unique) {
  refused({"--settings", "random,zero-shot,random"},
          "--settings: lists 'random' twice; list it once");
  refused({"--settings", ""}, "--settings: has an empty value; give it a value");
  refused({"--names", "random,random"}, "--names: lists 'random' twice; list it once");
  refused({"--names", "zero-shot,zero-shot", "--form", "both"}, "lists 'zero-shot' twice");
  refused({"--names", ""}, "--names: has an empty value; give it a value");
  refused({"--settings", "random,zero-shot", "--names", "relation"},
          "--names: 'relation' is not among --settings; choose one of --settings");
}

BOOST_AUTO_TEST_CASE(options_without_effect_are_refused) {
  const std::string shots = ": has no effect without shots in --settings; remove it";
  refused({"--settings", "zero-shot", "--shots", "2"}, "--shots" + shots);
  refused({"--settings", "zero-shot", "--shot-seed", "2"}, "--shot-seed" + shots);
  const std::string sampling = ": has no effect without both --samples and --confidence-prompts";
  refused({"--samples", "0", "--sample-seed", "2"}, "--sample-seed" + sampling);
  refused({"--confidence-prompts", "0", "--sample-seed", "2"}, "--sample-seed" + sampling);
  refused({"--samples", "0", "--confidence-prompts", "5"},
          "--confidence-prompts: has no effect without --samples; remove it");
  refused({"--samples", "5", "--confidence-prompts", "0"},
          "--samples: has no effect without --confidence-prompts; remove it");
  BOOST_TEST(with({"--samples", "0", "--confidence-prompts", "0"}).asking.samples == 0U);
  BOOST_TEST(with({"--samples", "0"}).asking.confidence_prompts == 10000U);
  BOOST_TEST(with({"--settings", "zero-shot,random", "--shots", "2", "--shot-seed", "1"})
                 .asking.settings[1]
                 .shots == 2U);
}

// The KAMEL form has a single setting, which may have zero shots, and its runs write only answers.
BOOST_AUTO_TEST_CASE(lists_are_asked_with_shots_alone) {
  const Parsed parsed = with({"--form", "kamel", "--shots", "5", "--max-new-tokens", "100",
                              "--shot-seed", "3", "--limit", "7"});
  BOOST_TEST((parsed.asking.settings == Settings{{related, 5, PromptForm::list}}));
  BOOST_TEST(few_shot_name(parsed.asking.settings[0]) == "5-kamel");
  BOOST_TEST(parsed.asking.max_new_tokens == 100U);
  BOOST_TEST(parsed.asking.shot_seed == 3U);
  BOOST_TEST(parsed.asking.limit == 7U);
  BOOST_TEST(parsed.asking.samples == 0U);
  BOOST_TEST(parsed.names.empty());
  BOOST_TEST(few_shot_name(with({"--form", "kamel", "--shots", "0"}).asking.settings[0]) ==
             "0-kamel");
  for (const auto& [option, word] : {std::pair{"--settings", "random"},
                                     {"--samples", "3"},
                                     {"--confidence-prompts", "3"},
                                     {"--names", "first"},
                                     {"--sample-seed", "1"},
                                     {"--wordnet", "none"},
                                     {"--samplings", "5"},
                                     {"--sample-by", "fact"},
                                     {"--origin", "manual"},
                                     {"--stop", "."}}) {
    refused({"--form", "kamel", option, word},
            std::string(option) + ": has no effect with --form kamel; remove it");
  }
  refused({"--form", "kamel", "--fresh-shots"},
          "--fresh-shots: has no effect with --form kamel; remove it");
  refused({"--form", "kamel", "--shots", "0", "--shot-seed", "1"},
          "--shot-seed: has no effect without --shots; remove it");
  refused({"--form", "kamel", "--shots", "1001"}, "--shots: 1001 is more than 1000; use 5");
}

BOOST_AUTO_TEST_CASE(templates_of_one_origin_are_asked_for) {
  BOOST_TEST((with({}).said.origin == KeptOrigins::all));
  BOOST_TEST((with({"--origin", "manual"}).said.origin == KeptOrigins::manual));
  BOOST_TEST((with({"--origin", "generated"}).said.origin == KeptOrigins::generated));
  refused({"--origin", "both"},
          "--origin: 'both' is not a valid choice; use manual, generated or all");
}

BOOST_AUTO_TEST_CASE(help_lists_every_option) {
  std::ostringstream out, err;
  Console console{{"--help", "all"}, out, err};
  GenerateArguments arguments;
  BOOST_TEST(!parse_settings(console, "plumb generate [options]", arguments));
  for (const char* option : {"--data",    "--out",         "--relations",   "--settings",
                             "--shots",   "--form",        "--origin",      "--max-new-tokens",
                             "--stop",    "--fresh-shots", "--samples",     "--confidence-prompts",
                             "--names",   "--shot-seed",   "--sample-seed", "--seed",
                             "--wordnet", "--samplings",   "--sample-by",   "--model",
                             "--limit",   "--bos",         "--precision",   "--threads",
                             "--resume"}) {
    BOOST_TEST(out.str().find(option) != std::string::npos, option);
  }
}

BOOST_AUTO_TEST_SUITE_END()
