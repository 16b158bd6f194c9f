// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/concepts.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/decay_embedder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(concepts_suite)

namespace {

/// The smallest possible model: two equally likely tokens.
struct Coin {
  Tokenization tokenize(std::string_view text) const {
    Tokenization result;
    for (std::size_t i = 0; i < text.size(); ++i)
      result.tokens.push_back({text[i] & 1, {i, i + 1}});
    return result;
  }
  std::string detokenize(std::span<const TokenId> ids) const {
    return std::string(ids.size(), '?');
  }
  std::optional<TokenId> bos() { return std::nullopt; }
  std::size_t vocabulary_size() { return 2; }
  std::size_t context_length() { return 8; }
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    const std::vector<float> row(2, 0.0F);
    for (std::uint32_t i = 0; i < sequence.size(); ++i) visit(i, row);
  }
};

struct TreeCoin : Coin {
  using Coin::evaluate;
  TreeLimits tree_limits() { return {8, 8, 8}; }
  void evaluate(const TokenTree&, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    const std::vector<float> row(2, 0.0F);
    for (const NodeId node : wanted) visit(node, row);
  }
  void release(const TokenTree&, NodeId) {}
};

static_assert(LanguageModel<Coin> && CausalLm<Coin> && !TreeCausalLm<Coin>);
static_assert(TreeCausalLm<TreeCoin>);
static_assert(CausalLm<NgramModel> && !TreeCausalLm<NgramModel>);
static_assert(TreeCausalLm<NgramTreeModel>);

// Each type fails one requirement: a deleted member hides the inherited one.
struct NoTokenize : Coin {
  void tokenize(std::string_view) = delete;
};
struct IdsOnly : Coin {
  std::vector<TokenId> tokenize(std::string_view);
};
struct NoDetokenize : Coin {
  void detokenize(std::span<const TokenId>) = delete;
};
struct TokenizeThatChanges : Coin {
  Tokenization tokenize(std::string_view);
};
struct DetokenizeThatChanges : Coin {
  std::string detokenize(std::span<const TokenId>);
};
struct NoBos : Coin {
  void bos() = delete;
};
struct PlainBos : Coin {
  TokenId bos();  // this return type cannot express "no BOS"
};
struct NoVocabularySize : Coin {
  void vocabulary_size() = delete;
};
struct NoContextLength : Coin {
  void context_length() = delete;
};
struct NoEvaluate : Coin {
  void evaluate(std::span<const TokenId>, const LogitsVisitor&) = delete;
};
struct WrongVisitor : Coin {
  void evaluate(std::span<const TokenId>, const std::function<void(std::string)>&);
};

static_assert(!CausalLm<NoTokenize> && !LanguageModel<NoTokenize>);
static_assert(!CausalLm<IdsOnly> && !LanguageModel<IdsOnly>);
static_assert(!CausalLm<NoDetokenize> && !LanguageModel<NoDetokenize>);
static_assert(!CausalLm<TokenizeThatChanges> && !LanguageModel<TokenizeThatChanges>);
static_assert(!CausalLm<DetokenizeThatChanges> && !LanguageModel<DetokenizeThatChanges>);
static_assert(!CausalLm<NoBos> && !LanguageModel<NoBos>);
static_assert(!CausalLm<PlainBos> && !LanguageModel<PlainBos>);
static_assert(!CausalLm<NoVocabularySize> && !LanguageModel<NoVocabularySize>);
static_assert(!CausalLm<NoContextLength> && !LanguageModel<NoContextLength>);
static_assert(!CausalLm<NoEvaluate> && LanguageModel<NoEvaluate>);
static_assert(!CausalLm<WrongVisitor> && LanguageModel<WrongVisitor>);
static_assert(!CausalLm<int> && !CausalLm<std::string>);

struct NoLimits : TreeCoin {
  void tree_limits() = delete;
};
struct NodesOnly : TreeCoin {
  std::size_t tree_limits();
};
struct NoTreeEvaluate : Coin {
  TreeLimits tree_limits();
  void release(const TokenTree&, NodeId);
};
struct NoRelease : TreeCoin {
  void release(const TokenTree&, NodeId) = delete;
};
struct NoSequences : TreeCoin {
  void evaluate(const TokenTree&, std::span<const NodeId>, const LogitsVisitor&);
};

static_assert(CausalLm<NoLimits> && !TreeCausalLm<NoLimits>);
static_assert(CausalLm<NodesOnly> && !TreeCausalLm<NodesOnly>);
static_assert(CausalLm<NoTreeEvaluate> && !TreeCausalLm<NoTreeEvaluate>);
static_assert(CausalLm<NoRelease> && !TreeCausalLm<NoRelease>);
static_assert(!CausalLm<NoSequences> && !TreeCausalLm<NoSequences>);

struct LookupCoin : NoEvaluate {
  TreeLimits tree_limits() { return {8, 8, 8}; }
  void look_up(const TokenTree&, std::span<const TokenLookup> lookups, std::span<double> nats) {
    for (std::size_t i = 0; i < lookups.size(); ++i) nats[i] = -0.6931471805599453;
  }
};
struct NoLookUp : LookupCoin {
  void look_up(const TokenTree&, std::span<const TokenLookup>, std::span<double>) = delete;
};
struct LookUpWithoutLimits : LookupCoin {
  void tree_limits() = delete;
};
struct LookUpInFloats : LookupCoin {
  void look_up(const TokenTree&, std::span<const TokenLookup>, std::span<float>);
};
struct LookUpWithoutBos : LookupCoin {
  void bos() = delete;
};

static_assert(LookupLm<LookupCoin> && !CausalLm<LookupCoin> && ScoringLm<LookupCoin>);
static_assert(LookupLm<NgramLookupModel> && !CausalLm<NgramLookupModel>);
static_assert(BatchGenerator<NgramBatchModel> && LookupLm<NgramBatchModel>);
static_assert(!CausalLm<NgramBatchModel> && !Generator<NgramBatchModel>);
static_assert(!BatchGenerator<NgramModel> && !BatchGenerator<NgramLookupModel>);
static_assert(ScoringLm<Coin> && !LookupLm<Coin> && !LookupLm<NgramTreeModel>);
static_assert(!LookupLm<NoLookUp> && !LookupLm<LookUpWithoutLimits>);
static_assert(!LookupLm<LookUpInFloats> && !LookupLm<LookUpWithoutBos>);
static_assert(!ScoringLm<NoLookUp> && !ScoringLm<NoEvaluate> && !ScoringLm<int>);

struct MaskedCoin : Coin {
  TokenId mask() { return 1; }
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    const std::vector<float> row(2, 0.0F);
    for (std::uint32_t query = 0; query < queries.size(); ++query) visit(query, row);
  }
};
struct NoMask : MaskedCoin {
  void mask() = delete;
};
struct NoQueries : Coin {
  TokenId mask();
};
struct MasksNothing : NoTokenize {
  TokenId mask();
  void evaluate(std::span<const MaskedQuery>, const LogitsVisitor&);
};

static_assert(MaskedLm<MaskedCoin> && !CausalLm<MaskedCoin> && MaskedLm<NeighbourModel>);
static_assert(!MaskedLm<NoMask> && !MaskedLm<NoQueries> && !MaskedLm<MasksNothing>);
static_assert(!MaskedLm<Coin>);

struct Zeros {
  std::size_t dimension() { return 3; }
  EmbeddingMatrix embed(std::span<const std::string> texts, bool) {
    return EmbeddingMatrix::Zero(static_cast<Eigen::Index>(texts.size()), 3);
  }
};
struct NoDimension : Zeros {
  void dimension() = delete;
};
struct ColumnMajor : Zeros {
  Eigen::MatrixXf embed(std::span<const std::string>, bool);
};
struct OneText : Zeros {
  EmbeddingMatrix embed(const std::string&, bool);
};

static_assert(Embedder<Zeros> && Embedder<DecayEmbedder> && !LanguageModel<Zeros>);
static_assert(!Embedder<NoDimension> && !Embedder<ColumnMajor> && !Embedder<OneText>);

struct HiddenCoin : NoEvaluate {  // the model need not predict anything
  std::size_t dimension() { return 3; }
  TreeLimits tree_limits() { return {8, 8, 8}; }
  void embed(const TokenTree&, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    const std::vector<float> row(3, 0.0F);
    for (const NodeId node : wanted) visit(node, row);
  }
  void release(const TokenTree&, NodeId) {}
};
struct UnknownDimension : HiddenCoin {
  void dimension() = delete;
};
struct NamedDimension : HiddenCoin {
  std::string dimension();
};
struct NoHiddenLimits : HiddenCoin {
  void tree_limits() = delete;
};
struct HiddenNodesOnly : HiddenCoin {
  std::size_t tree_limits();
};
struct NoTreeEmbed : HiddenCoin {
  void embed(const TokenTree&, std::span<const NodeId>, const LogitsVisitor&) = delete;
};
struct EmbedsTexts : HiddenCoin {
  EmbeddingMatrix embed(std::span<const std::string>, bool);
};
struct NeverForgets : HiddenCoin {
  void release(const TokenTree&, NodeId) = delete;
};
struct HiddenWithoutTokens : HiddenCoin {
  void tokenize(std::string_view) = delete;
};

static_assert(TreeEmbedder<HiddenCoin> && TreeEmbedder<NgramTreeModel>);
static_assert(!CausalLm<HiddenCoin> && !Embedder<HiddenCoin>);
static_assert(!TreeEmbedder<TreeCoin> && !TreeEmbedder<NgramModel> && !TreeEmbedder<Zeros>);
static_assert(!TreeEmbedder<UnknownDimension> && !TreeEmbedder<NamedDimension>);
static_assert(!TreeEmbedder<NoHiddenLimits> && !TreeEmbedder<HiddenNodesOnly>);
static_assert(!TreeEmbedder<NoTreeEmbed> && !TreeEmbedder<EmbedsTexts> && Embedder<EmbedsTexts>);
static_assert(!TreeEmbedder<NeverForgets> && !TreeEmbedder<HiddenWithoutTokens>);

struct SilentCoin : Coin {
  std::vector<Continuation> generate(std::span<const TokenId>, const GenerationOptions&) {
    return {{}};
  }
};
struct OneContinuation : Coin {
  Continuation generate(std::span<const TokenId>, const GenerationOptions&);
};
struct FromText : Coin {
  std::vector<Continuation> generate(std::string_view, const GenerationOptions&);
};
struct GeneratesOnly {
  std::vector<Continuation> generate(std::span<const TokenId>, const GenerationOptions&);
};

static_assert(Generator<SilentCoin> && Generator<NgramModel> && !Generator<Coin>);
static_assert(!Generator<OneContinuation> && !Generator<FromText> && !Generator<GeneratesOnly>);

/// Uses a model as a scorer would, through the concept only.
template <CausalLm M>
std::vector<std::uint32_t> positions(M& model, std::string_view text) {
  std::vector<TokenId> ids;
  for (const Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
  std::vector<std::uint32_t> visited;
  model.evaluate(std::span<const TokenId>(ids), [&](std::uint32_t at, std::span<const float> row) {
    BOOST_TEST(row.size() == model.vocabulary_size());
    visited.push_back(at);
  });
  return visited;
}

/// Uses a model as an embedder of prompts would: embeds nodes 2 and 4 of a tree.
template <TreeEmbedder M>
std::set<NodeId> embedded(M& model) {
  TokenTree tree;
  tree.insert(std::vector<TokenId>{0, 1, 0});
  tree.insert(std::vector<TokenId>{0, 0});
  std::set<NodeId> visited;
  model.embed(tree, std::vector<NodeId>{4, 2}, [&](NodeId node, std::span<const float> row) {
    BOOST_TEST(row.size() == model.dimension());
    BOOST_TEST(visited.insert(node).second);
  });
  model.release(tree, TokenTree::root);
  return visited;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_visits_each_position_once_in_order) {
  Coin coin;
  TreeCoin tree_coin;
  NgramModel ngram("abab");
  NgramTreeModel ngram_tree("abab");
  const std::vector<std::uint32_t> expected{0, 1, 2};
  BOOST_TEST(positions(coin, "aba") == expected);
  BOOST_TEST(positions(tree_coin, "aba") == expected);
  BOOST_TEST(positions(ngram, "aba") == expected);
  BOOST_TEST(positions(ngram_tree, "aba") == expected);
}

BOOST_AUTO_TEST_CASE(an_embedder_visits_each_wanted_node_once_with_a_vector_of_its_dimension) {
  HiddenCoin coin;
  NgramTreeModel ngram_tree("abab");
  const std::set<NodeId> expected{2, 4};
  BOOST_TEST((embedded(coin) == expected));
  BOOST_TEST((embedded(ngram_tree) == expected));
}

BOOST_AUTO_TEST_SUITE_END()
