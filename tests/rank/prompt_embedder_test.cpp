// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/prompt_embedder.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/decay_embedder.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "support/errors.hpp"
#include "support/names.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(prompt_embedder_suite)

namespace {

using Strings = std::vector<std::string>;
using Embedding = PromptEmbedder<NgramTreeModel>;
static_assert(Embedder<Embedding> && !LanguageModel<Embedding>);

/// A model without BOS and with a short context.
struct WithoutBos : NgramTreeModel {
  using NgramTreeModel::NgramTreeModel;
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t context_length() const { return 12; }
};
static_assert(TreeEmbedder<WithoutBos>);

/// Texts that start with `before`. Some are equal, some are prefixes of others, and some share only
/// their beginning.
Strings random_texts(RandomStream& random, std::size_t count, const std::string& before) {
  Strings texts(count);
  for (std::string& text : texts) text = before + test::random_letters(random, 1, 6);
  return texts;
}

/// The number of distinct non-empty prefixes; tokens are bytes, plus a BOS at the start.
std::size_t distinct_prefixes(const Strings& texts, bool with_bos) {
  std::set<std::string> prefixes;
  for (const std::string& text : texts) {
    for (std::size_t length = 1; length <= text.size(); ++length) {
      prefixes.insert(text.substr(0, length));
    }
  }
  return prefixes.size() + (with_bos ? 1 : 0);
}

EmbeddingMatrix by_packs(Embedding& embedder, Embedding::Job& job, std::size_t texts,
                         const std::vector<std::size_t>& packs) {
  EmbeddingMatrix rows = EmbeddingMatrix::Constant(static_cast<Eigen::Index>(texts), 257, -1.0F);
  std::vector<bool> seen(texts, false);
  for (const std::size_t p : packs) {
    std::size_t visits = 0;
    embedder.embed(job, p, [&](std::size_t text, std::span<const float> row) {
      BOOST_TEST(!seen[text]);
      seen[text] = true;
      ++visits;
      std::ranges::copy(row, rows.row(static_cast<Eigen::Index>(text)).data());
    });
    BOOST_TEST(visits == job.texts(p));
  }
  return rows;
}

std::vector<std::size_t> all_packs(const Embedding::Job& job) {
  std::vector<std::size_t> packs(job.packs());
  for (std::size_t p = 0; p < packs.size(); ++p) packs[p] = p;
  return packs;
}

}  // namespace

// The expected vectors come from the archetype, which computes them one text at a time, as sums
// over the text's own bytes.
BOOST_AUTO_TEST_CASE(each_text_has_the_vector_it_has_by_itself) {
  RandomStream random(1, "embedder");
  for (int round = 0; round < 60; ++round) {
    const std::string before = round % 3 == 0 ? "" : test::random_letters(random, 1, 12);
    const Strings texts = random_texts(random, 1 + random.below(60), before);
    for (const bool with_bos : {true, false}) {
      for (const TreeLimits limits :
           {TreeLimits{1024, 256, 256}, {40, 8, 16}, {40, 2, 8}, {24, 1, 8}}) {
        NgramTreeModel model("");
        model.limits = limits;
        Embedding embedder(model);
        BOOST_TEST(embedder.dimension() == 257U);
        const EmbeddingMatrix rows = embedder.embed(texts, with_bos);
        BOOST_TEST((rows == DecayEmbedder().embed(texts, with_bos)));
      }
    }
  }
}

// After BOS, the vector of "hello" is 0.5^4 h + 0.5^3 e + (0.5^2 + 0.5) l + o.
BOOST_AUTO_TEST_CASE(a_vector_is_that_of_the_last_token_with_all_before_it) {
  NgramTreeModel model("", 1, {"he"});  // "he" is a single token
  Embedding embedder(model);
  const EmbeddingMatrix rows = embedder.embed(Strings{"hello"}, true);
  BOOST_TEST(rows.cols() == 258);
  BOOST_TEST(rows(0, 256) == 0.125F);
  BOOST_TEST(rows(0, 'l') == 0.75F);
  BOOST_TEST(rows(0, 'o') == 1.0F);
  BOOST_TEST(rows(0, 257) == 0.0625F);  // BOS
  BOOST_TEST(rows.row(0).sum() == 0.125F + 0.75F + 1.0F + 0.0625F);
}

BOOST_AUTO_TEST_CASE(equal_texts_are_embedded_once) {
  NgramTreeModel model("");
  Embedding embedder(model);
  const Strings texts{"aa", "b", "aa", "aa", "b"};
  const EmbeddingMatrix rows = embedder.embed(texts, false);
  BOOST_TEST((rows == DecayEmbedder().embed(texts, false)));
  BOOST_TEST(model.tokens_fed == 3U);  // a, aa, b
  const auto job = embedder.plan(texts, false);
  BOOST_TEST(job.cost().statements == 2U);
  BOOST_TEST(job.cost().tokens_one_by_one == 8U);
  std::size_t texts_of_packs = 0;
  for (std::size_t p = 0; p < job.packs(); ++p) texts_of_packs += job.texts(p);
  BOOST_TEST(texts_of_packs == 5U);
}

// All texts begin with "to " after BOS; "to Rome" and "to P" are prefixes of other texts.
BOOST_AUTO_TEST_CASE(common_prefix_is_fed_once_and_the_cost_reflects_it) {
  const Strings texts{"to Paris", "to Rome", "to P", "to Romeo", "to Rome"};
  for (const bool with_bos : {true, false}) {
    NgramTreeModel model("");
    Embedding embedder(model);
    (void)embedder.embed(texts, with_bos);
    BOOST_TEST(model.tokens_fed == (with_bos ? 1U : 0U) + 3 + 5 + 5);
    BOOST_TEST(embedder.plan(texts, with_bos).cost().tokens_fed == model.tokens_fed);
  }
}

BOOST_AUTO_TEST_CASE(the_cost_is_what_is_fed) {
  RandomStream random(2, "embedder");
  bool many = false;
  for (int round = 0; round < 40; ++round) {
    const std::string before = test::random_letters(random, 0, 12);
    const Strings texts = random_texts(random, 1 + random.below(150), before);
    for (const bool with_bos : {true, false}) {
      for (const TreeLimits limits : {TreeLimits{4096, 4096, 4096}, {40, 8, 16}}) {
        NgramTreeModel model("");
        model.limits = limits;
        Embedding embedder(model);
        const auto job = embedder.plan(texts, with_bos);
        BOOST_TEST(model.tokens_fed == 0U);  // planning uses only the tokenizer
        const ScoringCost cost = job.cost();
        BOOST_TEST(cost.statements == std::set(texts.begin(), texts.end()).size());
        std::size_t one_by_one = 0;
        for (const std::string& text : texts) one_by_one += text.size() + (with_bos ? 1 : 0);
        BOOST_TEST(cost.tokens_one_by_one == one_by_one);
        BOOST_TEST(cost.tree_nodes == distinct_prefixes(texts, with_bos));
        if (job.packs() == 1) BOOST_TEST(cost.tokens_fed == cost.tree_nodes);
        // All packs continue the shared prefix, which is fed once.
        std::uint64_t in_packs = 0;
        for (std::size_t p = 0; p < job.packs(); ++p) in_packs += job.tokens(p);
        BOOST_TEST(in_packs <= cost.tokens_fed);
        BOOST_TEST(cost.tokens_fed - in_packs < texts.front().size() + (with_bos ? 1 : 0));
        many |= job.packs() > 5;
        (void)embedder.embed(texts, with_bos);
        BOOST_TEST(model.tokens_fed == cost.tokens_fed);
      }
    }
  }
  BOOST_TEST(many);
}

BOOST_AUTO_TEST_CASE(packs_give_the_same_rows_in_any_order_and_by_themselves) {
  RandomStream random(3, "embedder");
  for (const bool with_bos : {true, false}) {
    const Strings texts = random_texts(random, 120, "cab");
    const EmbeddingMatrix expected = DecayEmbedder().embed(texts, with_bos);
    NgramTreeModel model("");
    model.limits = {40, 8, 16};
    Embedding embedder(model);
    auto job = embedder.plan(texts, with_bos);
    BOOST_REQUIRE(job.packs() > 5U);
    std::vector<std::size_t> packs = all_packs(job);
    for (int order = 0; order < 5; ++order) {
      BOOST_TEST((by_packs(embedder, job, texts.size(), packs) == expected));
      random.shuffle(packs);
    }
    // One embedder runs half of the packs and a second one runs the rest, as in a resumed job.
    random.shuffle(packs);
    NgramTreeModel another("");
    another.limits = model.limits;
    Embedding fresh(another);
    auto again = fresh.plan(texts, with_bos);
    BOOST_REQUIRE(again.packs() == job.packs());
    const std::size_t half = packs.size() / 2;
    const EmbeddingMatrix first = by_packs(embedder, job, texts.size(), {&packs[0], &packs[half]});
    const EmbeddingMatrix second =
        by_packs(fresh, again, texts.size(), {packs.begin() + static_cast<int>(half), packs.end()});
    for (Eigen::Index i = 0; i < expected.rows(); ++i) {
      const bool in_first = first(i, 0) != -1.0F;  // -1 marks a row that no pack produced
      BOOST_TEST(in_first != (second(i, 0) != -1.0F));
      BOOST_TEST(((in_first ? first : second).row(i) == expected.row(i)));
    }
  }
}

// The model holds the shared prefix while it embeds the packs of one job.
BOOST_AUTO_TEST_CASE(the_shared_beginning_is_fed_once_for_all_packs) {
  RandomStream random(4, "embedder");
  const Strings texts = random_texts(random, 120, "a long beginning ");
  NgramTreeModel model("");
  model.limits = {60, 8, 16};
  Embedding embedder(model);
  auto job = embedder.plan(texts, true);
  BOOST_REQUIRE(job.packs() > 5U);
  (void)by_packs(embedder, job, texts.size(), all_packs(job));
  BOOST_TEST(model.tokens_fed == job.cost().tokens_fed);
  const std::size_t shared = 1 + std::string("a long beginning ").size();
  (void)by_packs(embedder, job, texts.size(), all_packs(job));
  BOOST_TEST(model.tokens_fed == 2 * job.cost().tokens_fed - shared);
}

BOOST_AUTO_TEST_CASE(jobs_with_other_beginnings_and_none_may_take_turns) {
  RandomStream random(5, "embedder");
  NgramTreeModel model("");
  model.limits = {60, 8, 16};
  Embedding embedder(model);
  // Of the shared prefixes, two have the same length, one is a prefix of another, and one is empty.
  std::vector<Strings> texts;
  for (const char* before : {"cab cab ", "bac cab ", "cab ", ""}) {
    texts.push_back(random_texts(random, 80, before));
  }
  texts.push_back({"zzz", "a"});
  std::vector<Embedding::Job> jobs;
  std::vector<EmbeddingMatrix> expected;
  for (const Strings& list : texts) {
    jobs.push_back(embedder.plan(list, false));
    expected.push_back(DecayEmbedder().embed(list, false));
  }
  for (std::size_t p = 0; p < 8; ++p) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (p >= jobs[j].packs()) continue;
      embedder.embed(jobs[j], p, [&](std::size_t text, std::span<const float> row) {
        const auto of_text = expected[j].row(static_cast<Eigen::Index>(text));
        BOOST_TEST(std::ranges::equal(row, std::span(of_text.data(), row.size())));
      });
      if (p == 1) {  // whole lists can be embedded in between
        BOOST_TEST((embedder.embed(texts[j], false) == expected[j]));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(afterwards_the_model_holds_nothing) {
  const Strings texts{"to Paris", "to Rome"};
  NgramTreeModel model("");
  const auto check_empty = [&] {
    TokenTree tree;
    const NodeId end = tree.insert(std::vector<TokenId>{'t', 'o', ' '});
    const std::size_t before = model.tokens_fed;
    model.embed(tree, std::vector{end}, [](NodeId, std::span<const float>) {});
    BOOST_TEST(model.tokens_fed == before + 3);
    model.release(tree, TokenTree::root);
  };
  {
    Embedding embedder(model);
    (void)embedder.embed(texts, false);
    check_empty();
    auto job = embedder.plan(texts, false);
    embedder.embed(job, 0, [](std::size_t, std::span<const float>) {});
  }
  check_empty();
}

// Without trees, every text is fed separately in full, except texts that are prefixes of others.
BOOST_AUTO_TEST_CASE(a_model_of_one_branch_shares_nothing) {
  NgramTreeModel model("");
  model.limits = {64, 1, 64};
  Embedding embedder(model);
  const Strings texts{"to Paris", "to Rome", "to Oslo"};
  BOOST_TEST((embedder.embed(texts, true) == DecayEmbedder().embed(texts, true)));
  BOOST_TEST(model.tokens_fed == 9U + 8 + 8);
  BOOST_TEST(embedder.plan(texts, true).cost().tokens_fed == model.tokens_fed);
}

BOOST_AUTO_TEST_CASE(two_branches_share_what_all_begin_with) {
  NgramTreeModel model("");
  model.limits = {64, 2, 64};
  Embedding embedder(model);
  (void)embedder.embed(Strings{"to Paris", "to Rome", "to Oslo"}, true);
  BOOST_TEST(model.tokens_fed == 4U + 5 + 4 + 4);
}

BOOST_AUTO_TEST_CASE(no_texts_are_no_packs) {
  NgramTreeModel model("");
  Embedding embedder(model);
  for (const bool with_bos : {true, false}) {
    BOOST_TEST(embedder.plan({}, with_bos).packs() == 0U);
    const EmbeddingMatrix rows = embedder.embed(Strings{}, with_bos);
    BOOST_TEST(rows.rows() == 0);
    BOOST_TEST(rows.cols() == 257);
  }
  BOOST_TEST(model.tokens_fed == 0U);
}

BOOST_AUTO_TEST_CASE(the_empty_text_has_a_vector_behind_bos_alone) {
  NgramTreeModel model("");
  Embedding embedder(model);
  const Strings texts{"", "a", ""};
  BOOST_TEST((embedder.embed(texts, true) == DecayEmbedder().embed(texts, true)));
  BOOST_CHECK_EXCEPTION((void)embedder.embed(texts, false), Error,
                        says(Fault::user, "text: '' has no tokens; set `bos` to yes"));
}

BOOST_AUTO_TEST_CASE(bos_on_a_model_without_one_is_refused) {
  WithoutBos model("");
  PromptEmbedder embedder(model);
  const Strings texts{"Paris"};
  BOOST_CHECK_EXCEPTION(
      (void)embedder.plan(texts, true), Error,
      says(Fault::user, "`bos`: the model has no BOS token; set `bos` to no, or choose"));
  BOOST_TEST((embedder.embed(texts, false) == DecayEmbedder().embed(texts, false)));
}

BOOST_AUTO_TEST_CASE(a_text_longer_than_the_context_is_refused) {
  WithoutBos model("");
  PromptEmbedder embedder(model);
  BOOST_TEST(embedder.embed(Strings{"twelve bytes"}, false).rows() == 1);
  BOOST_CHECK_EXCEPTION((void)embedder.plan(Strings{"short", "thirteen byte"}, false), Error,
                        says(Fault::user,
                             "has 13 tokens; the model's limit is 12; shorten the name or "
                             "description"));
  // BOS counts towards the context.
  struct Short : NgramTreeModel {
    using NgramTreeModel::NgramTreeModel;
    [[nodiscard]] std::size_t context_length() const { return 12; }
  };
  Short with("");
  BOOST_TEST(PromptEmbedder(with).embed(Strings{"eleven byte"}, true).rows() == 1);
  BOOST_CHECK_EXCEPTION((void)PromptEmbedder(with).plan(Strings{"twelve bytes"}, true), Error,
                        says(Fault::user, "has 13 tokens; the model's limit is 12"));
}

BOOST_AUTO_TEST_CASE(a_long_text_is_quoted_in_whole_characters) {
  WithoutBos model("");
  PromptEmbedder embedder(model);
  std::string text = "x";
  for (int i = 0; i < 50; ++i) text += "é";
  BOOST_CHECK_EXCEPTION((void)embedder.plan(Strings{text}, false), Error, [](const Error& error) {
    return first_invalid_utf8(error.what()) == std::string_view::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_short_text_is_quoted_whole) {
  WithoutBos model("");
  PromptEmbedder embedder(model);
  BOOST_CHECK_EXCEPTION((void)embedder.plan(Strings{"thirteen byte"}, false), Error,
                        says(Fault::user, "text: 'thirteen byte' has 13 tokens"));
}

// The tokens that the tokenizer adds around a text are also fed; the vector is the last token's.
BOOST_AUTO_TEST_CASE(a_tokenizers_own_frame_stands_around_each_text) {
  NgramTreeModel model("");
  const TokenId bos = model.bos().value(), a = 'a', b = 'b';
  using Ids = std::vector<TokenId>;
  BOOST_TEST(surrounded_ids(model, "ab", {true, TextFrame{{bos}, {7}}}) == (Ids{bos, a, b, 7}));
  BOOST_TEST(surrounded_ids(model, "ab", {false, TextFrame{{}, {7}}}) == (Ids{a, b, 7}));
  BOOST_TEST(surrounded_ids(model, "ab", {true, TextFrame{{3, bos}, {}}}) == (Ids{3, bos, a, b}));
  BOOST_TEST(surrounded_ids(model, "ab", true) == (Ids{bos, a, b}));
  BOOST_TEST(surrounded_ids(model, "ab", {true, TextFrame{}}) == (Ids{a, b}));
  const Strings texts{"ab", "ac", "b"};
  Embedding embedder(model);
  const EmbeddingMatrix framed = embedder.embed(texts, {true, TextFrame{{bos}, {'!'}}});
  const EmbeddingMatrix by_hand = embedder.embed(Strings{"ab!", "ac!", "b!"}, true);
  BOOST_TEST((framed.array() == by_hand.array()).all());
  BOOST_TEST((framed.array() != embedder.embed(texts, true).array()).any());
}

BOOST_AUTO_TEST_SUITE_END()
