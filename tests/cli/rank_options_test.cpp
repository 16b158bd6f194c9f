// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/rank.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/option_errors.hpp"

using namespace plumb::detail;
using plumb::detail::RankArguments;
using test::shows;

BOOST_AUTO_TEST_SUITE(rank_options)

namespace {

using enum RankMethod;

using Words = std::vector<std::string>;
using Prompts = std::vector<EntityPrompt>;

RankArguments parse(Words words) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  RankArguments arguments;
  BOOST_REQUIRE(parse_settings(console, "plumb rank [options]", arguments).has_value());
  arguments.check();
  return arguments;
}

/// Adds the required options.
RankArguments with(Words words) {
  words.insert(words.begin(), {"--data", "d", "--model", "m", "--out", "o"});
  return parse(std::move(words));
}

void refused(const Words& words, const std::string& message) {
  BOOST_CHECK_EXCEPTION((void)with(words), Error, shows(Fault::user, words[0] + ": " + message));
}

}  // namespace

// The defaults are the values used in the paper.
BOOST_AUTO_TEST_CASE(omitted_options_have_their_defaults) {
  const RankArguments parsed = with({});
  BOOST_TEST(parsed.rank.data == "d");
  BOOST_TEST(parsed.target.model == "m");
  BOOST_TEST((parsed.target.precision == Precision::exact));
  BOOST_TEST(parsed.target.out == "o");
  BOOST_TEST(parsed.rank.ranks_by(deer));
  BOOST_TEST(!parsed.rank.ranks_by(likelihood));
  BOOST_TEST(!parsed.rank.ranks_by(lm_head));
  BOOST_TEST(!parsed.rank.bos.has_value());
  BOOST_TEST(parsed.rank.entities.empty());
  BOOST_TEST(parsed.rank.fixed.empty());
  BOOST_TEST(parsed.rank.nearest == 0U);
  BOOST_TEST(parsed.rank.seed == 0U);
  BOOST_TEST(!parsed.target.resume);
  const RankOptions ranking = parsed.rank.options();
  BOOST_TEST((ranking.part == GraphPart::test));
  BOOST_TEST((ranking.candidates == CandidateSet::all));
  BOOST_TEST(ranking.relations.empty());
  BOOST_TEST(ranking.sample == 0U);
  BOOST_TEST(ranking.limit == 0U);
  BOOST_TEST(ranking.sample_seed == 0U);
  BOOST_TEST(ranking.shots == 8U);
  BOOST_TEST(ranking.shot_seed == 0U);
  BOOST_TEST((ranking.form == QueryForm::reference));
  BOOST_TEST((ranking.entity_prompts == Prompts{EntityPrompt::eol}));
  BOOST_TEST(!ranking.heads);
  BOOST_TEST((ranking.search.reduction == NameReduction::sum));
  BOOST_TEST(ranking.search.hits == 0U);
  BOOST_TEST(ranking.search.budget == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_given_is_taken) {
  const RankArguments parsed = with({"--method",
                                     "deer,likelihood",
                                     "--split",
                                     "valid",
                                     "--candidates",
                                     "of-queries",
                                     "--relations",
                                     "next,in",
                                     "--sample",
                                     "20",
                                     "--sample-seed",
                                     "2",
                                     "--limit",
                                     "7",
                                     "--shots",
                                     "3",
                                     "--shot-seed",
                                     "4",
                                     "--query-form",
                                     "paper",
                                     "--entity-prompt",
                                     "b,eol",
                                     "--head-queries",
                                     "--nearest",
                                     "6",
                                     "--hits",
                                     "3,10,1",
                                     "--reduction",
                                     "mean",
                                     "--budget",
                                     "500",
                                     "--seed",
                                     "8",
                                     "--precision",
                                     "fast",
                                     "--threads",
                                     "2",
                                     "--resume"});
  BOOST_TEST(parsed.rank.ranks_by(deer));
  BOOST_TEST(parsed.rank.ranks_by(likelihood));
  BOOST_TEST(!parsed.rank.ranks_by(lm_head));
  BOOST_TEST(parsed.rank.seed == 8U);
  BOOST_TEST(parsed.rank.nearest == 6U);
  BOOST_TEST(parsed.target.resume);
  BOOST_TEST((parsed.target.precision == Precision::fast));
  BOOST_TEST(parsed.target.threads == 2U);
  const RankOptions ranking = parsed.rank.options();
  BOOST_TEST((ranking.part == GraphPart::valid));
  BOOST_TEST((ranking.candidates == CandidateSet::of_queries));
  BOOST_TEST((ranking.relations == Words{"next", "in"}));
  BOOST_TEST(ranking.sample == 20U);
  BOOST_TEST(ranking.sample_seed == 2U);
  BOOST_TEST(ranking.limit == 7U);
  BOOST_TEST(ranking.shots == 3U);
  BOOST_TEST(ranking.shot_seed == 4U);
  BOOST_TEST((ranking.form == QueryForm::paper));
  BOOST_TEST((ranking.entity_prompts == Prompts{EntityPrompt::b, EntityPrompt::eol}));
  BOOST_TEST(ranking.heads);
  BOOST_TEST(ranking.search.hits == 10U);  // the highest of them; their order does not matter
  BOOST_TEST((ranking.search.reduction == NameReduction::mean));
  BOOST_TEST(ranking.search.budget == 500U);
}

BOOST_AUTO_TEST_CASE(words_have_their_meanings) {
  for (const auto& [word, part] : {std::pair{"test", GraphPart::test},
                                   {"valid", GraphPart::valid},
                                   {"train", GraphPart::train},
                                   {"all", GraphPart::all}}) {
    BOOST_TEST((with({"--split", word}).rank.ranking.part == part), word);
  }
  for (const auto& [word, set] : {std::pair{"all", CandidateSet::all},
                                  {"single-token", CandidateSet::single_token},
                                  {"of-queries", CandidateSet::of_queries},
                                  {"of-relation", CandidateSet::of_relation}}) {
    BOOST_TEST((with({"--candidates", word}).rank.ranking.candidates == set), word);
  }
  for (const auto& [word, prompt] : {std::pair{"eol", EntityPrompt::eol},
                                     {"a", EntityPrompt::a},
                                     {"b", EntityPrompt::b},
                                     {"c", EntityPrompt::c}}) {
    BOOST_TEST((with({"--entity-prompt", word}).rank.ranking.entity_prompts == Prompts{prompt}),
               word);
  }
  for (const auto& [word, form] :
       {std::pair{"reference", QueryForm::reference}, {"paper", QueryForm::paper}}) {
    BOOST_TEST((with({"--query-form", word}).rank.ranking.form == form), word);
  }
  BOOST_TEST(with({"--shots", "0"}).rank.ranking.shots == 0U);
}

BOOST_AUTO_TEST_CASE(entity_prompts_can_be_listed_in_any_order_but_only_once) {
  const auto prompts = [](const std::string& words) {
    return with({"--entity-prompt", words}).rank.ranking.entity_prompts;
  };
  BOOST_TEST((prompts("eol,a,b,c") ==
              Prompts{EntityPrompt::eol, EntityPrompt::a, EntityPrompt::b, EntityPrompt::c}));
  BOOST_TEST((prompts("c,eol") == Prompts{EntityPrompt::c, EntityPrompt::eol}));
  refused({"--entity-prompt", "a,b,a"}, "lists 'a' twice; list it once");
  refused({"--entity-prompt", "eol,eol"}, "lists 'eol' twice; list it once");
  refused({"--entity-prompt", ""}, "has an empty value; give it a value");
  refused({"--entity-prompt", "a,,b"}, "'a,,b' has an empty item; write a,b,c");
  refused({"--entity-prompt", "eol,all"},
          "'all' is not a valid choice; use eol, a, b, c or several separated by commas");
}

// A relation's candidates are its tails, so head queries cannot be ranked among them.
BOOST_AUTO_TEST_CASE(heads_are_not_asked_for_among_a_relations_tails) {
  refused({"--head-queries", "--candidates", "of-relation"},
          "asks for heads, but --candidates of-relation ranks a relation's tails; remove one of "
          "the two");
  for (const char* set : {"all", "single-token", "of-queries"}) {
    BOOST_TEST(with({"--head-queries", "--candidates", set}).rank.ranking.heads, set);
  }
  BOOST_TEST(!with({"--candidates", "of-relation", "--relations", "in"}).rank.ranking.heads);
}

BOOST_AUTO_TEST_CASE(methods_can_be_listed_in_any_order) {
  for (const auto& [words, by_deer, by_likelihood, by_lm_head] :
       {std::tuple{"deer", true, false, false},
        {"likelihood", false, true, false},
        {"lm-head", false, false, true},
        {"lm-head,deer", true, false, true},
        {"likelihood,lm-head,deer", true, true, true}}) {
    const RankArguments parsed = with({"--method", words});
    BOOST_TEST(parsed.rank.ranks_by(deer) == by_deer, words);
    BOOST_TEST(parsed.rank.ranks_by(likelihood) == by_likelihood, words);
    BOOST_TEST(parsed.rank.ranks_by(lm_head) == by_lm_head, words);
  }
  refused({"--method", "cosine"},
          "'cosine' is not a valid choice; use deer, likelihood, lm-head or several");
  refused({"--method", "deer,"}, "'deer,' has an empty item; write a,b,c");
  refused({"--method", ""}, "has an empty value; give it a value");
}

BOOST_AUTO_TEST_CASE(bos_is_yes_no_or_a_token) {
  for (const bool bos : {true, false}) {
    const RankArguments parsed = with({"--bos", bos ? "yes" : "no"});
    BOOST_TEST((parsed.rank.bos == Bos(bos)));
  }
  BOOST_TEST((with({"--bos", "<|endoftext|>"}).rank.bos == Bos::of("<|endoftext|>")));
  refused({"--bos", "maybe"}, "'maybe' is not a valid choice; use yes, no, or a token");
}

BOOST_AUTO_TEST_CASE(levels_of_hits_are_those_that_are_shown) {
  const auto hits = [](const std::string& levels) {
    return with({"--method", "likelihood", "--hits", levels}).rank.options().search.hits;
  };
  BOOST_TEST(hits("1") == 1U);
  BOOST_TEST(hits("100,3") == 100U);
  for (const auto& [levels, message] :
       {std::pair{"5", "'5' is not a supported k for Hit@k; use 1, 3, 10 or 100"},
        {"1,50", "'50' is not a supported k for Hit@k; use 1, 3, 10 or 100"},
        {"0", "'0' is not a supported k for Hit@k"},
        {"some", "'some' is not a non-negative whole number"},
        {"1,,3", "'1,,3' has an empty item"}}) {
    refused({"--hits", levels, "--method", "likelihood"}, message);
  }
}

BOOST_AUTO_TEST_CASE(vectors_made_elsewhere_are_a_file) {
  BOOST_TEST(with({"--entities", "v.npy"}).rank.entities == "v.npy");
  refused({"--entity-prompt", "a", "--entities", "v.npy"},
          "has no effect with --entities, whose vectors are already computed; remove it");
  refused({"--entity-prompt", "eol", "--entities", "v.npy"}, "has no effect with --entities");
  refused({"--entity-prompt", "a,b", "--entities", "v.npy"}, "has no effect with --entities");
}

BOOST_AUTO_TEST_CASE(what_the_methods_leave_without_effect_is_refused) {
  const auto idle = [](const std::string& method, const std::string& option,
                       const std::string& value, const std::string& needed) {
    refused({option, value, "--method", method},
            "has no effect without --method " + needed + "; remove it");
  };
  for (const char* method : {"likelihood", "lm-head", "likelihood,lm-head"}) {
    idle(method, "--entity-prompt", "a", "deer");
    idle(method, "--entity-prompt", "eol,a", "deer");
    idle(method, "--entities", "v.npy", "deer");
    idle(method, "--nearest", "5", "deer");
  }
  for (const char* method : {"deer", "lm-head", "lm-head,deer"}) {
    idle(method, "--hits", "1", "likelihood");
    idle(method, "--reduction", "mean", "likelihood");
    idle(method, "--budget", "10", "likelihood");
  }
  idle("likelihood", "--query-form", "paper", "deer or lm-head");
  BOOST_TEST((with({"--method", "lm-head", "--query-form", "paper"}).rank.ranking.form ==
              QueryForm::paper));
  BOOST_TEST(with({"--method", "deer,likelihood", "--budget", "10"}).rank.ranking.search.budget ==
             10U);
}

BOOST_AUTO_TEST_CASE(fixed_is_incompatible_with_options_that_select_queries) {
  const RankArguments parsed =
      with({"--fixed", "f.json", "--query-form", "paper", "--bos", "yes", "--resume"});
  BOOST_TEST(parsed.rank.fixed == "f.json");
  BOOST_TEST((parsed.rank.ranking.form == QueryForm::paper));
  BOOST_TEST((parsed.rank.bos == Bos(true)));
  for (const auto& [option, value] : {std::pair{"--split", "valid"},
                                      {"--method", "deer,lm-head"},
                                      {"--candidates", "of-relation"},
                                      {"--relations", "in"},
                                      {"--sample", "5"},
                                      {"--sample-seed", "1"},
                                      {"--shots", "3"},
                                      {"--shot-seed", "1"},
                                      {"--entity-prompt", "a"},
                                      {"--entities", "v.npy"},
                                      {"--nearest", "5"},
                                      {"--hits", "1"},
                                      {"--reduction", "mean"},
                                      {"--budget", "5"},
                                      {"--limit", "5"},
                                      {"--seed", "1"}}) {
    refused({option, value, "--fixed", "f.json"},
            "has no effect with --fixed, whose file determines what is asked; remove it");
  }
  refused({"--head-queries", "--fixed", "f.json"}, "has no effect with --fixed");
}

BOOST_AUTO_TEST_CASE(what_is_required_is_asked_for_by_name) {
  for (const auto& [words, option] : {std::pair{Words{"--model", "m", "--out", "o"}, "--data"},
                                      {Words{"--data", "d", "--out", "o"}, "--model"},
                                      {Words{"--data", "d", "--model", "m"}, "--out"}}) {
    BOOST_CHECK_EXCEPTION(
        (void)parse(words), Error,
        shows(Fault::user, std::string(option) + ": is required but missing; `plumb rank --help`"));
  }
}

BOOST_AUTO_TEST_CASE(what_makes_no_sense_is_refused_by_name) {
  for (const char* option : {"--sample", "--sample-seed", "--shots", "--shot-seed", "--nearest",
                             "--limit", "--seed", "--threads"}) {
    refused({option, "some"}, "'some' is not a non-negative whole number");
    refused({option, "1.5"}, "'1.5' is not a non-negative whole number");
    refused({option, ""}, "has an empty value; give it a value");
  }
  refused({"--budget", "-1", "--method", "likelihood"}, "'-1' is not a non-negative whole number");
  refused({"--split", "dev"}, "'dev' is not a valid choice; use test, valid, train or all");
  refused({"--candidates", "some"},
          "'some' is not a valid choice; use all, single-token, of-queries or of-relation");
  refused({"--query-form", "own"}, "'own' is not a valid choice; use reference or paper");
  refused({"--entity-prompt", "d"},
          "'d' is not a valid choice; use eol, a, b, c or several separated by commas");
  refused({"--reduction", "max", "--method", "likelihood"},
          "'max' is not a valid choice; use sum or mean");
  refused({"--relations", "a,,b"}, "'a,,b' has an empty item");
  refused({"--precision", "half"}, "'half' is not a valid choice; use exact, fast or bf16");
}

BOOST_AUTO_TEST_SUITE_END()
