// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/any_model.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/backend/look_up.hpp"
#include "plumb/detail/backend/tree_generator.hpp"
#include "support/errors.hpp"
#include "support/plain_embedder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(any_model)

namespace {

const std::string text = "The capital of France is Paris. ";

AnyModel any_tree() {
  return AnyModel::made_by([] { return NgramTreeModel(text, 12); });
}

/// A model that describes itself, lists a special token, ends at a full stop, records the reserved
/// number of nodes, and cannot be moved.
struct TalkingModel : NgramTreeModel {
  explicit TalkingModel(std::size_t& room) : NgramTreeModel(text, 12), reserved(room) {}
  TalkingModel(const TalkingModel&) = delete;
  [[nodiscard]] ModelDescription describe() const { return {"test", "Q4_1", true}; }
  [[nodiscard]] std::vector<SpecialToken> special_tokens() const { return {{"<end>", 7}}; }
  [[nodiscard]] bool ends(TokenId token) const { return token == '.'; }
  void reserve(std::size_t nodes) { reserved = nodes; }
  std::size_t& reserved;
};

std::vector<TokenId> ids_of(const Tokenization& made) {
  std::vector<TokenId> ids;
  for (const Token& token : made.tokens) ids.push_back(token.id);
  return ids;
}

/// Maps a node or position to its logits.
using Rows = std::map<std::uint32_t, std::vector<float>>;

auto collected(Rows& rows) {
  return [&rows](std::uint32_t at, std::span<const float> row) {
    BOOST_TEST(rows.try_emplace(at, row.begin(), row.end()).second);
  };
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_can_do_what_the_model_can) {
  const Capabilities tree = any_tree().capabilities();
  BOOST_TEST(tree.trees);
  BOOST_TEST(tree.tree_embeddings == TreeEmbedder<NgramTreeModel>);
  BOOST_TEST(!tree.text_embeddings);
  BOOST_TEST(!tree.special_tokens);
  const Capabilities plain = AnyModel::made_by([] { return NgramModel(text); }).capabilities();
  BOOST_TEST(!plain.trees);
  BOOST_TEST(!plain.tree_embeddings);
  const auto embedder = AnyModel::made_by([] { return test::PlainEmbedder(text); });
  BOOST_TEST(embedder.capabilities().text_embeddings);
  BOOST_TEST(!embedder.capabilities().trees);
  BOOST_TEST(plain.causal);
  BOOST_TEST(!plain.lookups);
}

BOOST_AUTO_TEST_CASE(a_shared_one_is_the_same_model_and_outlives_the_first) {
  std::size_t reserved = 0;
  auto first = std::optional(AnyModel::made_by([&] { return TalkingModel(reserved); }));
  AnyModel other = first->shared();
  other.reserve(7);
  BOOST_TEST(reserved == 7U);
  first.reset();
  other.reserve(8);
  BOOST_TEST(reserved == 8U);
  BOOST_TEST(other.describe().weights == "Q4_1");
}

/// Counts the texts that it tokenises.
struct CountingModel : NgramTreeModel {
  explicit CountingModel(std::size_t& count) : NgramTreeModel(text, 12), texts(count) {}
  [[nodiscard]] Tokenization tokenize(std::string_view of) const {
    ++texts;
    return NgramTreeModel::tokenize(of);
  }
  std::size_t& texts;
};

BOOST_AUTO_TEST_CASE(remembered_texts_are_tokenised_once) {
  std::size_t asked = 0;
  AnyModel model = AnyModel::made_by([&] { return CountingModel(asked); });
  (void)model.tokenize("Paris");
  (void)model.tokenize("Paris");
  BOOST_TEST(asked == 2U);
  model.remember_texts();
  const Tokenization first = model.tokenize("France"), again = model.tokenize("France");
  BOOST_TEST(asked == 3U);
  BOOST_TEST(ids_of(first) == ids_of(again));
  BOOST_TEST(ids_of(again) == ids_of(NgramTreeModel(text, 12).tokenize("France")));
}

// AnyModel provides every interface, but a model without logit rows is used only through its
// lookups.
BOOST_AUTO_TEST_CASE(a_model_of_lookups_alone_can_be_held) {
  AnyModel any = AnyModel::made_by([] { return NgramLookupModel(text, 12); });
  const Capabilities can = any.capabilities();
  BOOST_TEST(can.lookups);
  BOOST_TEST(!can.causal);
  BOOST_TEST(!can.trees);
  BOOST_TEST(any.tree_limits().leaves == 256U);
  NgramLookupModel model(text, 12);
  TokenTree tree;
  const NodeId end = tree.insert(ids_of(any.tokenize("The c")));
  const std::vector<TokenLookup> lookups{{end, 'a'}, {end, 'b'}};
  std::vector<double> one(2), other(2);
  look_up(any, tree, lookups, one);
  model.look_up(tree, lookups, other);
  BOOST_TEST(one == other, boost::test_tools::per_element());
  any.release(tree, TokenTree::root);  // has no effect
  any.reserve(31);
  BOOST_CHECK_EXCEPTION(any.evaluate(std::span<const TokenId>(), {}), Error,
                        says(Fault::internal, "evaluate: this backend does not support it"));
}

BOOST_AUTO_TEST_CASE(model_description_is_optional) {
  std::size_t room = 0;
  AnyModel talks = AnyModel::made_by([&] { return TalkingModel(room); });
  const ModelDescription said = talks.describe();
  BOOST_TEST(said.backend == "test");
  BOOST_TEST(said.weights == "Q4_1");
  BOOST_TEST(said.quantized);
  BOOST_TEST(said.lists_special_tokens);
  BOOST_TEST(talks.special_tokens().at(0).id == 7);
  BOOST_TEST(talks.ends('.'));
  BOOST_TEST(!talks.ends('a'));
  talks.reserve(31);
  BOOST_TEST(room == 31U);

  AnyModel silent = any_tree();
  BOOST_TEST(silent.describe().backend == "own backend");
  BOOST_TEST(silent.describe().weights.empty());
  BOOST_TEST(!silent.describe().quantized);
  BOOST_TEST(!silent.describe().lists_special_tokens);
  BOOST_TEST(!silent.ends('.'));
  silent.reserve(31);
}

BOOST_AUTO_TEST_CASE(its_answers_are_the_models) {
  NgramTreeModel model(text, 12);
  AnyModel any = any_tree();
  const std::vector<TokenId> ids = ids_of(any.tokenize("The Paris"));
  BOOST_TEST(ids == ids_of(model.tokenize("The Paris")), boost::test_tools::per_element());
  BOOST_TEST(any.detokenize(ids) == model.detokenize(ids));
  BOOST_TEST((any.bos() == model.bos()));
  BOOST_TEST(any.vocabulary_size() == model.vocabulary_size());
  BOOST_TEST(any.context_length() == model.context_length());
  BOOST_TEST(any.tree_limits().nodes == model.tree_limits().nodes);
  BOOST_TEST(any.tree_limits().leaves == model.tree_limits().leaves);
  Rows one, other;
  model.evaluate(std::span<const TokenId>(ids), collected(one));
  any.evaluate(std::span<const TokenId>(ids), collected(other));
  BOOST_TEST((one == other));

  TokenTree tree;
  const std::vector<NodeId> wanted{tree.insert(ids)};
  Rows of_tree;
  any.evaluate(tree, wanted, collected(of_tree));
  any.release(tree, TokenTree::root);
  BOOST_TEST((of_tree.at(wanted[0]) == one.rbegin()->second));
}

// For a model without trees, AnyModel counts the tokens fed as the model itself does, including
// repeated prefixes.
BOOST_AUTO_TEST_CASE(a_model_without_trees_is_fed_as_by_itself) {
  NgramModel plain(text);
  AnyModel any = AnyModel::made_by([] { return NgramModel(text); });
  BOOST_TEST(any.tree_limits().leaves == 1U);
  BOOST_TEST(tree_limits(any).nodes == tree_limits(plain).nodes);
  const std::vector<TokenId> prompt = ids_of(plain.tokenize("The c"));
  const GenerationOptions options{.max_new_tokens = 5};
  TreeGenerator one(plain);
  TreeGenerator other(any);
  const auto said = one.generate(prompt, options);
  const auto again = other.generate(prompt, options);
  BOOST_TEST(said.at(0).tokens == again.at(0).tokens, boost::test_tools::per_element());
  BOOST_TEST(one.fed() == other.fed());
}

BOOST_AUTO_TEST_CASE(a_text_with_a_mask_is_the_models_own) {
  const NeighbourModel plain("a b");
  const AnyModel any = AnyModel::made_by([] { return NeighbourModel("a b"); });
  BOOST_TEST((any.masked_text("a ", "b") == masked_text(plain, "a ", "b")));
}

BOOST_AUTO_TEST_CASE(operations_unsupported_by_the_model_are_refused) {
  AnyModel plain = AnyModel::made_by([] { return NgramModel(text); });
  TokenTree tree;
  const auto lacks = [](const std::string& what) {
    return says(Fault::internal, what + ": this backend does not support it");
  };
  BOOST_CHECK_EXCEPTION((void)plain.special_tokens(), Error, lacks("special_tokens"));
  BOOST_CHECK_EXCEPTION((void)plain.dimension(), Error, lacks("dimension"));
  BOOST_CHECK_EXCEPTION((void)plain.masked_text("a", "b"), Error, lacks("masked_text"));
  BOOST_CHECK_EXCEPTION(plain.evaluate(tree, {}, {}), Error, lacks("evaluate of a tree"));
  BOOST_CHECK_EXCEPTION(plain.embed(tree, {}, {}), Error, lacks("embed of a tree"));
  BOOST_CHECK_EXCEPTION((void)plain.embed({}, true), Error, lacks("embed"));
  BOOST_CHECK_EXCEPTION(plain.look_up(tree, {}, {}), Error, lacks("look_up"));
  BOOST_CHECK_EXCEPTION((void)plain.generate({}, {}, {}), Error, lacks("generate"));
  BOOST_TEST(plain.facts()().is_null());
  BOOST_CHECK_EXCEPTION(plain.release(tree, TokenTree::root), Error, lacks("release"));
}

BOOST_AUTO_TEST_SUITE_END()
