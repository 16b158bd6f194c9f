// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/tree_generator.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

static_assert(Generator<TreeGenerator<NgramModel>> && Generator<TreeGenerator<NgramTreeModel>>);

BOOST_AUTO_TEST_SUITE(tree_generator_suite)

namespace {

using Sequence = std::vector<TokenId>;

Sequence bytes(std::string_view text) {
  return {text.begin(), text.end()};
}

/// Checks that the tokens are equal, and that the log-probabilities are equal up to the rounding of
/// float logits.
void check_equal(const std::vector<Continuation>& found,
                 const std::vector<Continuation>& expected) {
  BOOST_REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    BOOST_TEST(found[i].tokens == expected[i].tokens);
    BOOST_REQUIRE(found[i].log_probabilities.size() == found[i].tokens.size());
    for (std::size_t t = 0; t < found[i].tokens.size(); ++t) {
      BOOST_TEST(std::abs(found[i].log_probabilities[t] - expected[i].log_probabilities.at(t)) <
                 1e-6);
    }
  }
}

/// The prompts, each preceded by the common context.
std::vector<Sequence> behind(const Sequence& context, std::vector<Sequence> prompts) {
  for (Sequence& prompt : prompts) prompt.insert(prompt.begin(), context.begin(), context.end());
  return prompts;
}

Sequence random_sequence(RandomStream& random, std::size_t longest) {
  Sequence sequence(random.below(longest + 1));
  for (TokenId& token : sequence) token = static_cast<TokenId>('a' + random.below(3));
  return sequence;
}

/// Generates the same text for every prompt, and does not define `ends`.
struct Reciter {
  std::string text;
  Tokenization tokenize(std::string_view) const { return {}; }
  std::string detokenize(std::span<const TokenId> ids) const { return {ids.begin(), ids.end()}; }
  std::optional<TokenId> bos() { return std::nullopt; }
  std::size_t vocabulary_size() { return 128; }
  std::size_t context_length() { return 64; }
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    for (std::uint32_t i = 0; i < sequence.size(); ++i) {
      std::vector<float> row(128, -std::numeric_limits<float>::infinity());
      row[static_cast<std::size_t>(text[i % text.size()])] = 2.5F;
      visit(i, row);
    }
  }
};

/// A model whose logits are NaN.
struct Broken : Reciter {
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    const std::vector<float> row(128, std::numeric_limits<float>::quiet_NaN());
    for (std::uint32_t i = 0; i < sequence.size(); ++i) visit(i, row);
  }
};

constexpr std::string_view training = "abcabdaabbccab\nca\n\nabcbabc\nccab";

}  // namespace

// In the bigrams of "abcabd", b follows a twice, c and d follow b, and a follows c. After d, all
// 257 tokens are equally likely, and the lowest is chosen.
BOOST_AUTO_TEST_CASE(greedy_continuations_and_their_probabilities_are_as_by_hand) {
  NgramTreeModel model("abcabd", 2);
  TreeGenerator generator(model);
  const auto all = generator.generate(std::vector{bytes("xa"), bytes("xd"), bytes("xc")},
                                      {.max_new_tokens = 3, .stop = {}});
  BOOST_REQUIRE(all.size() == 3U);
  check_equal(all[0],
              {{bytes("bca"), {std::log(3.0 / 259), std::log(2.0 / 259), std::log(2.0 / 258)}}});
  check_equal(all[1],
              {{{0, 0, 0}, {std::log(1.0 / 257), std::log(1.0 / 257), std::log(1.0 / 257)}}});
  check_equal(all[2],
              {{bytes("abc"), {std::log(2.0 / 258), std::log(3.0 / 259), std::log(2.0 / 259)}}});
}

// The common prefix is fed once, then the rest of each prompt, then two steps for each prompt: the
// last token of a continuation is never fed.
BOOST_AUTO_TEST_CASE(what_prompts_share_is_fed_once_and_the_last_token_not_at_all) {
  NgramTreeModel model("abcabd", 2);
  TreeGenerator generator(model);
  const GenerationOptions options{.max_new_tokens = 3, .stop = {}};
  const std::vector prompts{bytes("pa"), bytes("qa"), bytes("pb"), bytes("qa"), bytes("pa")};
  const auto all = generator.generate(behind(bytes("xyz"), prompts), options);
  BOOST_TEST(model.tokens_fed == 3U + (2 + 3) + 3 * 2);
  BOOST_TEST(all[0][0].tokens == all[4][0].tokens);
  BOOST_TEST(all[1][0].tokens == all[3][0].tokens);
  BOOST_TEST(all[2][0].tokens == bytes("cab"));
}

// Each step is one evaluation, so there are at most as many evaluations as new tokens.
BOOST_AUTO_TEST_CASE(one_step_serves_all_prompts) {
  struct Counting : NgramTreeModel {
    using NgramModel::evaluate;
    using NgramTreeModel::NgramTreeModel;
    void evaluate(const TokenTree& tree, std::span<const NodeId> wanted,
                  const LogitsVisitor& visit) {
      ++evaluations;
      NgramTreeModel::evaluate(tree, wanted, visit);
    }
    std::size_t evaluations = 0;
  };
  Counting model(training, 3);
  TreeGenerator generator(model);
  std::vector<Sequence> prompts;
  for (char c = 'a'; c <= 'z'; ++c) prompts.push_back({c, 'a'});
  (void)generator.generate(behind(bytes("x"), prompts), {.max_new_tokens = 5, .stop = {}});
  BOOST_TEST(model.evaluations == 5U);
  model.evaluations = 0;
  (void)generator.generate(bytes("xa"), {.samples = 50, .max_new_tokens = 5, .stop = {}});
  BOOST_TEST(model.evaluations == 5U);
}

// The cases are nested prompts, equal prompts, an empty context, an empty prompt, tight limits, one
// branch, and no trees. In every case, the results equal those that the archetype generates for
// each prompt on its own, without a tree.
BOOST_AUTO_TEST_CASE(batched_generation_matches_each_prompt_alone) {
  const std::vector<std::vector<std::string>> stops{{},     {""},      {"\n"},        {"b"},
                                                    {"bc"}, {"never"}, {"\n", "c\na"}};
  RandomStream random(5, "generate");
  for (int round = 0; round < 120; ++round) {
    NgramTreeModel model(training, 1 + random.below(4), {"ab", "c\n"});
    NgramModel plain(training, 1 + random.below(4), {"ab", "c\n"});
    const Sequence context = random_sequence(random, 3);
    std::vector<Sequence> prompts(1 + random.below(8));
    for (Sequence& prompt : prompts) {
      do prompt = random_sequence(random, 3);
      while (context.empty() && prompt.empty());
    }
    const GenerationOptions options{.samples = random.below(2) * random.below(7),
                                    .max_new_tokens = random.below(7),
                                    .stop = stops[random.below(stops.size())],
                                    .seed = random.below(100)};
    const std::size_t longest = 3 + 3 + 7;
    const std::vector<TreeLimits> limits{
        {1024, 256, 256}, {longest, 4, 4}, {2 * longest, 2, 2}, {64, 1, 64}};
    model.limits = limits[random.below(limits.size())];
    const auto all = TreeGenerator(model).generate(behind(context, prompts), options);
    const auto flat = TreeGenerator(plain).generate(behind(context, prompts), options);
    BOOST_REQUIRE(all.size() == prompts.size());
    BOOST_REQUIRE(flat.size() == prompts.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      Sequence whole = context;
      whole.insert(whole.end(), prompts[i].begin(), prompts[i].end());
      check_equal(all[i], model.generate(whole, options));
      check_equal(flat[i], plain.generate(whole, options));
      check_equal(TreeGenerator(model).generate(whole, options), all[i]);
    }
  }
}

// The limits allow for the common prefix and two prompts with their new tokens, so four prompts
// form two groups. The common prefix is kept between groups.
BOOST_AUTO_TEST_CASE(groups_keep_to_the_limits_and_what_they_share_is_fed_once_for_all_of_them) {
  NgramTreeModel model("abcabd", 2);
  const std::vector prompts{bytes("pa"), bytes("qb"), bytes("ra"), bytes("sc")};
  const GenerationOptions options{.max_new_tokens = 4, .stop = {}};
  for (const TreeLimits limits : {TreeLimits{20 + 2 * 5, 256, 256}, TreeLimits{1024, 2, 2}}) {
    model.limits = limits;
    model.tokens_fed = 0;
    const auto all =
        TreeGenerator(model).generate(behind(bytes(std::string(20, 'x')), prompts), options);
    BOOST_TEST(model.tokens_fed == 20U + 4 * (2 + 3));
    BOOST_TEST(all[3][0].tokens == bytes("abca"));
  }
  // With one branch, each prompt is processed separately, from its beginning.
  model.limits = {1024, 1, 256};
  model.tokens_fed = 0;
  (void)TreeGenerator(model).generate(behind(bytes(std::string(20, 'x')), prompts), options);
  BOOST_TEST(model.tokens_fed == 4U * (20 + 2 + 3));
}

// The prompts begin with the same letter and share prefixes of various lengths. Regardless of the
// grouping, each distinct prefix of the prompts is fed only once. The only exception is the last
// token of a prompt whose samples are spread over several groups.
BOOST_AUTO_TEST_CASE(every_distinct_prefix_of_the_prompts_is_fed_once_over_all_groups) {
  RandomStream random(9, "prefixes");
  for (int round = 0; round < 40; ++round) {
    NgramTreeModel model(training, 3);
    std::vector<Sequence> prompts(1 + random.below(30));
    for (Sequence& prompt : prompts) {
      prompt = random_sequence(random, 6);
      prompt.insert(prompt.begin(), 'x');
      prompt.push_back('y');  // no prompt is a prefix of another
    }
    TokenTree distinct;
    for (const Sequence& prompt : prompts) distinct.insert(prompt);
    model.limits = {64, 1 + random.below(7), 64};
    if (model.limits.leaves == 1) model.limits.leaves = 9;
    TreeGenerator generator(model);
    (void)generator.generate(prompts, {.max_new_tokens = 1, .stop = {}});
    BOOST_TEST(model.tokens_fed == distinct.size() - 1);
    BOOST_TEST(generator.fed() == model.tokens_fed);
  }
}

BOOST_AUTO_TEST_CASE(tokens_fed_are_counted_with_trees_and_without) {
  NgramTreeModel model("abcabd", 2);
  TreeGenerator generator(model);
  const std::vector prompts{bytes("xpa"), bytes("xqa")};
  (void)generator.generate(prompts, {.max_new_tokens = 3, .stop = {}});
  BOOST_TEST(generator.fed() == 1U + 2 * (2 + 2));
  (void)generator.generate(prompts, {.max_new_tokens = 1, .stop = {}});
  BOOST_TEST(generator.fed() == 9U + 5);
  BOOST_TEST(generator.fed() == model.tokens_fed);
  NgramModel plain("abcabd", 2);
  TreeGenerator slow(plain);
  (void)slow.generate(prompts, {.max_new_tokens = 3, .stop = {}});
  BOOST_TEST(slow.fed() == 2U * (3 + 4 + 5));
}

// Each prompt has its own seed: sample i of a prompt equals the one drawn for that prompt alone
// with the same seed.
BOOST_AUTO_TEST_CASE(each_prompt_can_have_its_own_seed) {
  NgramTreeModel model(training, 2);
  const std::vector prompts{bytes("xa"), bytes("xa"), bytes("xb"), bytes("xa")};
  const std::vector<std::uint64_t> seeds{4, 5, 4, 4};
  GenerationOptions options{.samples = 20, .max_new_tokens = 4, .stop = {}, .seed = 99};
  const auto all = TreeGenerator(model).generate(prompts, options, seeds);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    options.seed = seeds[i];
    check_equal(all[i], model.generate(prompts[i], options));
  }
  BOOST_TEST(!std::ranges::equal(all[0], all[1], {}, &Continuation::tokens, &Continuation::tokens));
}

BOOST_AUTO_TEST_CASE(the_model_holds_nothing_afterwards) {
  NgramTreeModel model(training, 3);
  TreeGenerator generator(model);
  const std::vector prompts{bytes("pa"), bytes("qb")};
  (void)generator.generate(behind(bytes("xy"), prompts), {});
  model.limits.nodes = 4;  // if old nodes were still held, this limit would be exceeded
  (void)generator.generate(bytes("abc"), {.max_new_tokens = 2});
}

BOOST_AUTO_TEST_CASE(a_stop_text_ends_a_continuation_wherever_it_begins) {
  NgramTreeModel model("abcabcabc", 2, {"bc"});  // the tokens are a, bc, a, bc, …
  TreeGenerator generator(model);
  const auto until = [&](const std::string& stop) {
    return generator.generate(bytes("xa"), {.max_new_tokens = 3, .stop = {stop}})[0].tokens;
  };
  BOOST_TEST(until("") == (Sequence{256, 'a', 256}));
  BOOST_TEST(until("a") == Sequence{256});
  BOOST_TEST(until("ab") == Sequence{256});  // the stop text crosses a token boundary
  BOOST_TEST(until("ca") == Sequence{});  // the token in which the stop text begins is removed too
  BOOST_TEST(until("cab") == Sequence{});
  BOOST_TEST(until("bcabca") == (Sequence{256, 'a', 256}));
}

BOOST_AUTO_TEST_CASE(generation_stops_at_end_tokens_if_the_model_defines_any) {
  struct EndsAtB : NgramTreeModel {
    using NgramTreeModel::NgramTreeModel;
    [[nodiscard]] bool ends(TokenId token) const { return token == 'b'; }
  };
  EndsAtB model("aabaab", 3);  // a follows ab and ba, b follows aa
  TreeGenerator generator(model);
  BOOST_TEST(generator.ends('b'));
  BOOST_TEST(!generator.ends('a'));
  const std::vector prompts{bytes("aa"), bytes("ab")};
  const auto all = generator.generate(prompts, {.max_new_tokens = 5, .stop = {}});
  BOOST_TEST(all[0][0].tokens.empty());
  BOOST_TEST(all[0][0].log_probabilities.empty());
  BOOST_TEST(all[1][0].tokens == bytes("aa"));
  BOOST_TEST(all[1][0].log_probabilities.size() == 2U);

  Reciter reciter{"hallo"};
  TreeGenerator recital(reciter);
  BOOST_TEST(!recital.ends('h'));
  BOOST_TEST(recital.generate(Sequence{1}, {.max_new_tokens = 7})[0].tokens == bytes("halloha"));
}

BOOST_AUTO_TEST_CASE(a_token_of_probability_zero_is_never_drawn) {
  Reciter reciter{"hi"};
  const auto all =
      TreeGenerator(reciter).generate(Sequence{1}, {.samples = 20, .max_new_tokens = 4});
  BOOST_REQUIRE(all.size() == 20U);
  for (const Continuation& sample : all) {
    BOOST_TEST(sample.tokens == bytes("hihi"));
    BOOST_TEST(sample.log_probabilities == std::vector<double>(4, 0.0));
  }
}

// After 1000 "a"s, the next token is "a" with probability 1001 / 1257 and the end with 1 / 1257.
BOOST_AUTO_TEST_CASE(samples_are_drawn_from_the_whole_distribution_in_any_number_of_groups) {
  NgramTreeModel model(std::string(1001, 'a'), 2);
  const GenerationOptions options{.samples = 4000, .max_new_tokens = 2, .stop = {}, .seed = 3};
  const auto samples = TreeGenerator(model).generate(bytes("a"), options);
  BOOST_REQUIRE(samples.size() == 4000U);
  double first = 0;
  double ended = 0;
  for (const Continuation& sample : samples) {
    ended += sample.tokens.empty() ? 1 : 0;
    first += !sample.tokens.empty() && sample.tokens[0] == 'a' ? 1 : 0;
  }
  BOOST_TEST(std::abs(first / 4000 - 1001.0 / 1257) < 0.032);  // five standard errors
  BOOST_TEST(ended > 0);
  BOOST_TEST(ended < 14);
}

// After "a", 50 samples need few nodes: the first step needs one row, and equal first tokens share
// one node.
BOOST_AUTO_TEST_CASE(equal_sampled_prefixes_are_one_node) {
  NgramTreeModel model(std::string(100000, 'a'), 2);  // a follows a with P = 0.997
  const auto samples = TreeGenerator(model).generate(
      bytes("xya"), {.samples = 50, .max_new_tokens = 3, .stop = {}, .seed = 1});
  BOOST_TEST(samples.size() == 50U);
  BOOST_TEST(model.tokens_fed >= 3U + 2);
  BOOST_TEST(model.tokens_fed < 3U + 10);
}

BOOST_AUTO_TEST_CASE(nothing_wanted_asks_nothing) {
  NgramTreeModel model("abc");
  TreeGenerator generator(model);
  BOOST_TEST(generator.generate(std::vector<Sequence>{}, {}).empty());
  const auto none = generator.generate(bytes("a"), {.samples = 2, .max_new_tokens = 0});
  BOOST_REQUIRE(none.size() == 2U);
  BOOST_TEST(none[1].tokens.empty());
  BOOST_TEST(model.tokens_fed == 0U);
}

BOOST_AUTO_TEST_CASE(a_prompt_that_is_empty_or_too_long_is_refused_before_the_model_is_asked) {
  NgramTreeModel model("abc");
  TreeGenerator generator(model);
  BOOST_CHECK_EXCEPTION((void)generator.generate(Sequence{}, {.max_new_tokens = 1}), Error,
                        says(Fault::user, "prompt: an empty prompt has no next token"));
  model.limits.nodes = 10;
  const std::vector prompts{bytes("a"), bytes("bcdef")};
  BOOST_CHECK_EXCEPTION(
      (void)generator.generate(behind(bytes("wxyz"), prompts), {.max_new_tokens = 3}), Error,
      says(Fault::user, "prompt: 9 tokens and 3 new ones exceed the model's context of 10"));
  BOOST_TEST(model.tokens_fed == 0U);
  BOOST_TEST(generator.generate(behind(bytes("wxyz"), prompts), {.max_new_tokens = 2}).size() ==
             2U);
  NgramModel plain("abc");
  BOOST_CHECK_EXCEPTION(
      (void)TreeGenerator(plain).generate(Sequence(4096, 'a'), {.max_new_tokens = 2}), Error,
      says(Fault::user, "exceed the model's context of 4096"));
}

BOOST_AUTO_TEST_CASE(invalid_logits_are_an_internal_error) {
  Broken broken{{"x"}};
  for (const std::size_t samples : {0U, 2U}) {
    BOOST_CHECK_EXCEPTION((void)TreeGenerator(broken).generate(bytes("a"), {.samples = samples}),
                          Error, says(Fault::internal, "do not yield probabilities"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
