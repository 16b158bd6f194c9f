// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/check_model.hpp"

#include <boost/test/unit_test.hpp>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/decay_embedder.hpp"
#include "plumb/detail/backend/tree_generator.hpp"

// tests/system/test_concepts.py tests the messages for incomplete types, using code that must fail
// to compile.

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(check_model)

namespace {

struct Nothing {};

/// A CausalLm except for tokenize, which returns only tokens.
struct OddTokenizer : NgramModel {
  using NgramModel::NgramModel;
  [[nodiscard]] std::vector<TokenId> tokenize(std::string_view) const { return {}; }
};

static_assert(!LanguageModel<Nothing> && !CausalLm<Nothing> && !TreeCausalLm<Nothing>);
static_assert(!LookupLm<Nothing> && !LookupLm<NgramTreeModel> && !ScoringLm<Nothing>);
static_assert(!MaskedLm<Nothing> && !TreeEmbedder<Nothing> && !Embedder<Nothing>);
static_assert(!Generator<Nothing>);
static_assert(!LanguageModel<OddTokenizer> && !CausalLm<OddTokenizer>);
static_assert(!TreeCausalLm<NgramModel> && !MaskedLm<NgramModel> && !Embedder<NgramModel>);
static_assert(!CausalLm<NeighbourModel> && !LanguageModel<DecayEmbedder>);

}  // namespace

BOOST_AUTO_TEST_CASE(each_archetype_passes_the_check_of_its_concept) {
  static_assert(check_language_model<NgramModel>() && check_causal_lm<NgramModel>());
  static_assert(check_generator<NgramModel>() && check_generator<TreeGenerator<NgramModel>>());
  static_assert(check_batch_generator<NgramBatchModel>());
  static_assert(check_tree_causal_lm<NgramTreeModel>() && check_tree_embedder<NgramTreeModel>());
  static_assert(check_causal_lm<SpecialTokenModel>() && ListsSpecialTokens<SpecialTokenModel>);
  static_assert(check_lookup_lm<NgramLookupModel>());
  static_assert(check_masked_lm<NeighbourModel>() && check_embedder<DecayEmbedder>());
  static_assert(check_scoring_lm<NgramModel>() && check_scoring_lm<NgramLookupModel>());
  static_assert(check_any_model<NgramLookupModel>() && check_any_model<NeighbourModel>());
  BOOST_TEST(check_causal_lm<NgramTreeModel>());  // a tree model is also a CausalLm
}

BOOST_AUTO_TEST_SUITE_END()
