// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/archetypes.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/backend/decay_embedder.hpp"
#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(archetypes_suite)

namespace {

using Sequence = std::vector<TokenId>;

Sequence ids_of(const NgramModel& model, std::string_view text) {
  Sequence ids;
  for (const Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
  return ids;
}

/// The rows of a sequence as log-probabilities.
std::vector<std::vector<double>> log_probabilities(NgramModel& model, const Sequence& sequence) {
  std::vector<std::vector<double>> rows;
  model.evaluate(sequence, [&](std::uint32_t, std::span<const float> logits) {
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    rows.emplace_back();
    for (const float logit : logits)
      rows.back().push_back(static_cast<double>(logit) - std::log(sum));
  });
  return rows;
}

}  // namespace

// In "abac" after BOS, a model of order 2 sees BOS→a, a→b, b→a and a→c; the vocabulary has 257
// tokens.
BOOST_AUTO_TEST_CASE(a_bigram_counts_with_one_added) {
  const NgramModel model("abac", 2);
  const TokenId bos = *model.bos();
  BOOST_TEST(model.vocabulary_size() == 257U);
  const auto check = [&](const Sequence& prefix, TokenId next, double probability) {
    BOOST_TEST(std::abs(model.log_probability(prefix, next) - std::log(probability)) < 1e-12);
  };
  check({bos}, 'a', 2.0 / 258);
  check({bos}, 'b', 1.0 / 258);
  check({bos, 'a'}, 'b', 2.0 / 259);
  check({bos, 'a'}, 'c', 2.0 / 259);
  check({bos, 'a', 'b'}, 'a', 2.0 / 258);
  check({'z'}, 'a', 1.0 / 257);
}

BOOST_AUTO_TEST_CASE(a_trigram_sees_two_tokens_and_a_unigram_none) {
  const NgramModel trigram("abcabd", 3);
  const TokenId bos = *trigram.bos();
  BOOST_TEST(trigram.log_probability(Sequence{bos, 'a', 'b'}, 'c') == std::log(2.0 / 259));
  BOOST_TEST(trigram.log_probability(Sequence{'x', 'y', 'a', 'b'}, 'd') == std::log(2.0 / 259));
  BOOST_TEST(trigram.log_probability(Sequence{bos}, 'a') == std::log(2.0 / 258));
  BOOST_TEST(trigram.log_probability(Sequence{'b'}, 'c') == std::log(1.0 / 257));
  const NgramModel unigram("abcabd", 1);
  BOOST_TEST(unigram.log_probability(Sequence{}, 'a') == std::log(3.0 / 263));
  BOOST_TEST(unigram.log_probability(Sequence{'q'}, 'a') == std::log(3.0 / 263));
}

BOOST_AUTO_TEST_CASE(rows_match_individual_log_probabilities) {
  NgramModel model("the cat sat on the mat", 3, {"at", "the "});
  Sequence sequence = ids_of(model, "the cat");
  sequence.insert(sequence.begin(), *model.bos());
  const auto rows = log_probabilities(model, sequence);
  BOOST_REQUIRE(rows.size() == sequence.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BOOST_REQUIRE(rows[i].size() == model.vocabulary_size());
    const auto prefix = std::span<const TokenId>(sequence).first(i + 1);
    double total = 0;
    for (std::size_t token = 0; token < rows[i].size(); ++token) {
      const double expected = model.log_probability(prefix, static_cast<TokenId>(token));
      BOOST_REQUIRE_SMALL(rows[i][token] - expected, 1e-6);
      total += std::exp(expected);
    }
    BOOST_TEST(std::abs(total - 1) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(longer_pieces_win_and_the_bytes_add_up_to_the_text) {
  const NgramModel model("", 2, {"an", "ana", "é"});
  BOOST_TEST(ids_of(model, "banané") == (Sequence{'b', 257, 'n', 258}));
  std::size_t at = 0;
  const Tokenization tokenization = model.tokenize("banané");
  BOOST_TEST(tokenization.spells_text);
  for (const Token& token : tokenization.tokens) {
    BOOST_TEST(token.bytes.begin == at);
    at = token.bytes.end;
  }
  BOOST_TEST(at == std::string("banané").size());
  BOOST_TEST(model.tokenize("").tokens.empty());
}

BOOST_AUTO_TEST_CASE(detokenize_undoes_tokenize_and_bos_is_no_text) {
  const NgramModel model("", 2, {"an", "é"});
  const std::string text = "banané\xF0\x9F\x98\x80";
  Sequence ids = ids_of(model, text);
  BOOST_TEST(model.detokenize(ids) == text);
  ids.insert(ids.begin(), *model.bos());
  BOOST_TEST(model.detokenize(ids) == text);
  BOOST_TEST(*model.bos() == 258);
}

BOOST_AUTO_TEST_CASE(a_trees_rows_are_those_of_its_prefixes) {
  NgramTreeModel model("abcabd", 3);
  TokenTree tree;
  tree.insert(Sequence{*model.bos(), 'a', 'b'});
  tree.insert(Sequence{*model.bos(), 'c'});
  std::map<NodeId, std::vector<float>> rows;
  model.evaluate(tree, std::vector<NodeId>{4, 1, 3}, [&](NodeId node, std::span<const float> row) {
    rows[node].assign(row.begin(), row.end());
  });
  BOOST_TEST(rows.size() == 3U);
  BOOST_TEST(model.tokens_fed == 4U);  // node 2 is on the path to node 3
  for (const auto& [node, row] : rows) {
    std::vector<float> expected;
    NgramModel("abcabd", 3)
        .evaluate(tree.prefix(node), [&](std::uint32_t, std::span<const float> r) {
          expected.assign(r.begin(), r.end());
        });
    BOOST_TEST(row == expected);
  }
}

BOOST_AUTO_TEST_CASE(a_grown_tree_is_fed_only_what_is_new_until_released) {
  NgramTreeModel model("abc", 2);
  const LogitsVisitor ignore = [](NodeId, std::span<const float>) {};
  TokenTree tree;
  const NodeId stem = tree.insert(Sequence{1, 2});
  model.evaluate(tree, std::vector{stem}, ignore);
  BOOST_TEST(model.tokens_fed == 2U);
  const NodeId branch = tree.insert(Sequence{3, 4}, stem);
  model.evaluate(tree, std::vector{branch}, ignore);
  BOOST_TEST(model.tokens_fed == 4U);
  model.release(tree, tree.parent(branch));
  model.evaluate(tree, std::vector{branch}, ignore);
  BOOST_TEST(model.tokens_fed == 6U);
  model.release(tree, TokenTree::root);
  model.evaluate(tree, std::vector{branch}, ignore);
  BOOST_TEST(model.tokens_fed == 10U);
}

BOOST_AUTO_TEST_CASE(the_tree_model_holds_its_user_to_the_rules) {
  const LogitsVisitor ignore = [](NodeId, std::span<const float>) {};
  TokenTree tree;
  tree.insert(Sequence{1, 2, 3});
  tree.insert(Sequence{1, 4});
  const std::vector<NodeId> all{1, 2, 3, 4};
  NgramTreeModel twice("abc");
  twice.evaluate(tree, all, ignore);
  BOOST_CHECK_EXCEPTION(twice.evaluate(tree, std::vector<NodeId>{2}, ignore), Error,
                        says(Fault::internal, "already evaluated"));
  NgramTreeModel full("abc");
  full.limits = {3, 8, 8};
  BOOST_CHECK_EXCEPTION(full.evaluate(tree, all, ignore), Error,
                        says(Fault::internal, "a tree of 4 nodes exceeds the limit"));
  NgramTreeModel narrow("abc");
  narrow.limits = {8, 1, 8};
  narrow.evaluate(tree, std::vector<NodeId>{2, 3}, ignore);
  BOOST_CHECK_EXCEPTION(narrow.evaluate(tree, std::vector<NodeId>{4}, ignore), Error,
                        says(Fault::internal, "a tree of 2 branches exceeds the limit"));
}

// With byte tokens, the tree's vectors have the embedder's dimensions; BOS is 256 in both.
BOOST_AUTO_TEST_CASE(a_trees_vectors_are_those_of_the_embedder) {
  for (const bool with_bos : {true, false}) {
    NgramTreeModel model("abcabd", 3);
    BOOST_TEST(model.dimension() == DecayEmbedder().dimension());
    const std::vector<std::string> texts{"ab", "a", "abca", "bb"};
    TokenTree tree;
    std::vector<NodeId> wanted;
    for (const std::string& text : texts) {
      const NodeId start =
          with_bos ? tree.add(TokenTree::root, *model.bos()) : NodeId{TokenTree::root};
      wanted.push_back(tree.insert(ids_of(model, text), start));
    }
    const EmbeddingMatrix expected = DecayEmbedder().embed(texts, with_bos);
    std::size_t visits = 0;
    model.embed(tree, wanted, [&](NodeId node, std::span<const float> row) {
      const auto text = std::ranges::find(wanted, node) - wanted.begin();
      BOOST_TEST(row.size() == model.dimension());
      BOOST_TEST(std::ranges::equal(row, std::span(expected.row(text).data(), row.size())));
      ++visits;
    });
    BOOST_TEST(visits == 4U);
    BOOST_TEST(model.tokens_fed == 6U + (with_bos ? 1U : 0U));  // a, ab, abc, abca, b, bb
  }
}

BOOST_AUTO_TEST_CASE(longer_pieces_have_dimensions_of_their_own) {
  NgramTreeModel model("", 1, {"ab"});
  TokenTree tree;
  const NodeId end = tree.insert(ids_of(model, "abcab"));
  model.embed(tree, std::vector{end}, [&](NodeId, std::span<const float> row) {
    BOOST_REQUIRE(row.size() == 258U);
    BOOST_TEST(row[256] == 1.25F);
    BOOST_TEST(row['c'] == 0.5F);
    BOOST_TEST(std::ranges::count(row, 0.0F) == 256);
  });
}

BOOST_AUTO_TEST_CASE(vectors_and_logits_are_of_one_tree_that_is_held_to_the_same_rules) {
  const LogitsVisitor ignore = [](NodeId, std::span<const float>) {};
  TokenTree tree;
  const NodeId end = tree.insert(Sequence{1, 2, 3});
  const NodeId fork = tree.insert(Sequence{1, 4});
  NgramTreeModel model("abc");
  model.embed(tree, std::vector<NodeId>{2}, ignore);
  model.evaluate(tree, std::vector{end}, ignore);
  BOOST_TEST(model.tokens_fed == 3U);
  BOOST_CHECK_EXCEPTION(model.evaluate(tree, std::vector<NodeId>{2}, ignore), Error,
                        says(Fault::internal, "already evaluated"));
  BOOST_CHECK_EXCEPTION(model.embed(tree, std::vector{end}, ignore), Error,
                        says(Fault::internal, "already evaluated"));
  model.release(tree, TokenTree::root);
  model.embed(tree, std::vector{end}, ignore);
  BOOST_TEST(model.tokens_fed == 6U);
  model.limits.leaves = 1;
  BOOST_CHECK_EXCEPTION(model.embed(tree, std::vector{fork}, ignore), Error,
                        says(Fault::internal, "a tree of 2 branches exceeds the limit"));
  NgramTreeModel full("abc");
  full.limits.nodes = 2;
  BOOST_CHECK_EXCEPTION(full.embed(tree, std::vector{end}, ignore), Error,
                        says(Fault::internal, "a tree of 3 nodes exceeds the limit"));
}

// In the bigrams of "abcabd", b follows a, c and d follow b, and a follows c.
BOOST_AUTO_TEST_CASE(the_greedy_continuation_takes_the_likeliest_token_and_the_lowest_of_equals) {
  const NgramModel model("abcabd", 2);
  const auto all = model.generate(Sequence{'x', 'a'}, {.max_new_tokens = 5, .stop = {}});
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(all[0].tokens == (Sequence{'b', 'c', 'a', 'b', 'c'}));
  BOOST_REQUIRE(all[0].log_probabilities.size() == 5U);
  BOOST_TEST(all[0].log_probabilities[0] == std::log(3.0 / 259));
  BOOST_TEST(all[0].log_probabilities[1] == std::log(2.0 / 259));
  BOOST_TEST(model.generate(Sequence{'z'}, {.max_new_tokens = 1})[0].tokens == Sequence{0});
}

BOOST_AUTO_TEST_CASE(a_stop_text_ends_a_continuation_and_is_not_part_of_it) {
  const NgramModel model("ab\ncab\nc", 2);
  const auto until = [&](const std::string& stop) {
    return model.generate(Sequence{'a'}, {.max_new_tokens = 4, .stop = {stop}})[0];
  };
  BOOST_TEST(until("\n").tokens == Sequence{'b'});
  BOOST_TEST(until("\n").log_probabilities.size() == 1U);
  BOOST_TEST(until("\nc").tokens == Sequence{'b'});
  BOOST_TEST(until("b").tokens.empty());
  BOOST_TEST(until("never").tokens == (Sequence{'b', '\n', 'c', 'a'}));
  BOOST_TEST((GenerationOptions{}.stop == std::vector<std::string>{"\n"}));
}

BOOST_AUTO_TEST_CASE(the_token_in_which_a_stop_text_begins_is_not_part_of_a_continuation_either) {
  const NgramModel model("abcabcabc", 2, {"bc"});  // the tokens are a, bc, a, bc, …
  const auto until = [&](const std::string& stop) {
    return model.generate(Sequence{'a'}, {.max_new_tokens = 3, .stop = {stop}})[0].tokens;
  };
  BOOST_TEST(until("") == (Sequence{256, 'a', 256}));
  BOOST_TEST(until("b").empty());
  BOOST_TEST(until("ab") == Sequence{256});
  BOOST_TEST(until("ca").empty());
}

BOOST_AUTO_TEST_CASE(bos_ends_a_text_and_nothing_else_does) {
  const NgramModel model("abc", 2, {"bc"});
  for (TokenId token = 0; token < 257; ++token) BOOST_TEST(!model.ends(token));
  BOOST_TEST(model.ends(257));
}

// After 1000 "a"s, the next token is "a" with probability 1000 / 1256 and the end with probability
// 1 / 1256.
BOOST_AUTO_TEST_CASE(samples_are_drawn_from_the_whole_distribution_and_can_be_repeated) {
  const NgramModel model(std::string(1000, 'a'), 2);
  const GenerationOptions options{.samples = 4000, .max_new_tokens = 1, .stop = {}, .seed = 3};
  const auto samples = model.generate(Sequence{'a'}, options);
  BOOST_REQUIRE(samples.size() == 4000U);
  std::map<Sequence, double> counts;
  for (const Continuation& sample : samples) ++counts[sample.tokens];
  BOOST_TEST(std::abs(counts[{'a'}] / 4000 - 1000.0 / 1256) < 0.032);  // five standard errors
  BOOST_TEST(counts[{}] > 0);  // some samples ended immediately, with BOS
  BOOST_TEST(counts[{}] < 14);
  BOOST_TEST(counts.size() > 200U);

  GenerationOptions few = options;
  few.samples = 20;
  few.max_new_tokens = 6;
  const auto first = model.generate(Sequence{'a'}, few);
  few.samples = 10;
  const auto again = model.generate(Sequence{'a'}, few);
  few.seed = 4;
  const auto other = model.generate(Sequence{'a'}, few);
  bool differs = false;
  for (std::size_t i = 0; i < again.size(); ++i) {
    BOOST_TEST(again[i].tokens == first[i].tokens);
    differs |= other[i].tokens != first[i].tokens;
  }
  BOOST_TEST(differs);
}

// In "abac", b is between a and a; a is between BOS and b, and between b and c; c is between a and
// BOS.
BOOST_AUTO_TEST_CASE(the_masked_model_counts_what_stands_between_two_neighbours) {
  NeighbourModel model("abac");
  BOOST_TEST(model.vocabulary_size() == 258U);
  BOOST_TEST(model.mask() == 257);
  const TokenId mask = model.mask();
  const std::vector<MaskedQuery> queries{{{'a', mask, 'a'}, 1},
                                         {{mask, 'b'}, 0},
                                         {{'a', mask}, 1},
                                         {{'x', mask, 'y'}, 1},
                                         {{mask}, 0}};
  const std::vector<TokenId> likely{'b', 'a', 'c', -1, -1};
  std::size_t visits = 0;
  model.evaluate(queries, [&](std::uint32_t query, std::span<const float> logits) {
    ++visits;
    BOOST_REQUIRE(logits.size() == 258U);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    for (TokenId token = 0; token < 258; ++token) {
      const double p = std::exp(static_cast<double>(logits[static_cast<std::size_t>(token)])) / sum;
      const double seen = likely[query] < 0 ? 0 : 1;
      const double expected = ((token == likely[query] ? 1 : 0) + 1) / (seen + 258);
      BOOST_REQUIRE_SMALL(p - expected, 1e-8);
    }
  });
  BOOST_TEST(visits == queries.size());
}

BOOST_AUTO_TEST_CASE(special_tokens_are_parsed_where_the_model_was_made_to) {
  const std::vector<std::string> marks{"<s>", "<s>s"};
  const SpecialTokenModel plain("a<s>b", 2, marks, false);
  const SpecialTokenModel parsing("a<s>b", 2, marks, true);
  for (const SpecialTokenModel* model : {&plain, &parsing}) {
    const std::vector<SpecialToken> listed = model->special_tokens();
    BOOST_REQUIRE(listed.size() == 2U);
    BOOST_TEST(listed[1].text == "<s>s");
    BOOST_TEST(listed[1].id == 257);
  }
  const auto ids_of = [](const SpecialTokenModel& model, std::string_view text) {
    Sequence ids;
    for (const Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
    return ids;
  };
  BOOST_TEST(ids_of(plain, "a<s>b") == (Sequence{'a', '<', 's', '>', 'b'}));
  BOOST_TEST(ids_of(parsing, "a<s>b") == (Sequence{'a', 256, 'b'}));
  BOOST_TEST(parsing.detokenize(ids_of(parsing, "a<s>b")) == "a<s>b");
}

// The lookups return the n-gram model's own probabilities, and the model refuses calls that the
// concept forbids.
BOOST_AUTO_TEST_CASE(the_lookup_model_answers_what_its_concept_asks) {
  const NgramModel oracle("abcabd", 3);
  NgramLookupModel model("abcabd", 3);
  TokenTree tree;
  const NodeId a = tree.add(TokenTree::root, 'a'), ab = tree.add(a, 'b');
  const std::vector<TokenLookup> lookups{{a, 'b'}, {ab, 'c'}, {ab, 'd'}};
  std::vector<double> nats(3);
  model.look_up(tree, lookups, nats);
  BOOST_TEST(nats[0] == oracle.log_probability(Sequence{'a'}, 'b'));
  BOOST_TEST(nats[1] == oracle.log_probability(Sequence{'a', 'b'}, 'c'));
  BOOST_TEST(nats[2] == nats[1]);
  BOOST_TEST(model.calls == 1U);
  BOOST_TEST(model.looked_up == 3U);
  for (const std::vector<TokenLookup>& odd : {std::vector<TokenLookup>{{TokenTree::root, 'a'}},
                                              {{a, 'b'}, {a, 'b'}},
                                              {{ab, 'c'}, {a, 'b'}}}) {
    BOOST_CHECK_EXCEPTION(model.look_up(tree, odd, nats), Error,
                          says(Fault::internal, "not ascending, or one is after the root"));
  }
}

BOOST_AUTO_TEST_CASE(random_trees_have_the_rows_of_their_prefixes) {
  RandomStream random(53, "trees");
  for (int round = 0; round < 30; ++round) {
    NgramTreeModel model("abcabdab", 1 + random.below(3));
    TokenTree tree;
    std::map<NodeId, std::vector<float>> rows;
    std::set<NodeId> fed;
    for (int step = 0; step < 3; ++step) {
      std::vector<NodeId> wanted;
      for (std::size_t i = 0; i < 1 + random.below(20); ++i) {
        const auto parent = static_cast<NodeId>(random.below(tree.size()));
        const NodeId node = tree.add(parent, static_cast<TokenId>('a' + random.below(4)));
        const bool is_new = !fed.contains(node) && std::ranges::count(wanted, node) == 0;
        if (is_new && random.below(3) > 0) wanted.push_back(node);
      }
      random.shuffle(wanted);
      model.evaluate(tree, wanted, [&](NodeId node, std::span<const float> row) {
        BOOST_TEST(rows.try_emplace(node, row.begin(), row.end()).second);
      });
      for (NodeId node : wanted) {
        BOOST_TEST(rows.contains(node));
        for (; node != TokenTree::root; node = tree.parent(node)) fed.insert(node);
      }
    }
    for (const auto& [node, row] : rows) {
      std::vector<float> expected;
      static_cast<NgramModel&>(model).evaluate(
          tree.prefix(node),
          [&](std::uint32_t, std::span<const float> r) { expected.assign(r.begin(), r.end()); });
      BOOST_TEST(row == expected);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
