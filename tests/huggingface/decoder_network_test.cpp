// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/decoder_network.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/huggingface/decoder_architectures.hpp"
#include "plumb/detail/huggingface/network_kind.hpp"
#include "support/errors.hpp"
#include "support/network_cases.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(decoder_network)

namespace {

DecoderNetwork network(const std::string& name) {
  const std::filesystem::path folder = test::network_folder(name);
  return DecoderNetwork::read(folder, read_decoder_config(folder));
}

using Rows = std::map<NodeId, std::vector<float>>;

LogitsVisitor into(Rows& rows) {
  return [&rows](NodeId node, std::span<const float> row) {
    BOOST_TEST_REQUIRE(rows.try_emplace(node, row.begin(), row.end()).second);
  };
}

/// The row of a prefix, computed on its own.
std::vector<float> alone(DecoderNetwork& model, const std::vector<TokenId>& prefix) {
  std::vector<float> last;
  model.evaluate(prefix, [&](std::uint32_t, std::span<const float> row) {
    last.assign(row.begin(), row.end());
  });
  return last;
}

void grow(TokenTree& tree, std::mt19937& random, std::size_t size) {
  while (tree.size() < size) {
    const auto parent = static_cast<NodeId>(random() % tree.size());
    if (tree.depth(parent) < 16) tree.add(parent, static_cast<TokenId>(random() % 37));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(tied_weights_are_found_under_the_name_of_the_head) {
  for (const auto& [name, embeddings] :
       {std::pair<std::string, std::string>{"gpt2", "transformer.wte.weight"},
        {"opt", "model.decoder.embed_tokens.weight"}}) {
    const test::TemporaryFolder folder;
    test::write_renamed(name, folder, {{embeddings, "lm_head.weight"}});
    DecoderNetwork model = DecoderNetwork::read(folder.path(), read_decoder_config(folder.path()));
    for (const test::NetworkCase& expected : test::network_cases(name)) {
      EmbeddingMatrix rows(expected.logits.rows(), expected.logits.cols());
      model.evaluate(expected.tokens, test::into_rows(rows));
      BOOST_TEST(test::relative_difference(rows, expected.logits) < 1e-5F);
    }
  }
}

BOOST_AUTO_TEST_CASE(hidden_vectors_and_logits_are_those_of_transformers) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::network_folder(""))) {
    const std::string name = entry.path().filename();
    if (network_kind(entry.path()) != NetworkKind::causal) continue;
    ++count;
    BOOST_TEST_CONTEXT(name) {
      DecoderNetwork model = network(name);
      for (const test::NetworkCase& expected : test::network_cases(name)) {
        EmbeddingMatrix logits = expected.logits * 0, hidden = expected.hidden * 0;
        model.evaluate(expected.tokens, test::into_rows(logits));
        BOOST_TEST(test::relative_difference(logits, expected.logits) < 1e-5F);
        BOOST_TEST(static_cast<Eigen::Index>(model.dimension()) == hidden.cols());
        TokenTree tree;
        tree.insert(expected.tokens);
        std::vector<NodeId> wanted;
        for (NodeId node = 1; node < tree.size(); ++node) wanted.push_back(node);
        model.embed(tree, wanted, [&](NodeId node, std::span<const float> row) {
          test::into_rows(hidden)(node - 1, row);
        });
        model.release(tree, TokenTree::root);
        BOOST_TEST(test::relative_difference(hidden, expected.hidden) < 1e-5F);
      }
    }
  }
  BOOST_TEST(count == 48U);
}

BOOST_AUTO_TEST_CASE(a_tree_gives_what_its_sequences_give) {
  for (const std::string name : {"opt", "opt-norm-after", "gpt2", "mistral", "gemma3", "bloom",
                                 "falcon-alibi", "mixtral", "gpt-neo"}) {
    DecoderNetwork model = network(name), other = network(name);
    std::mt19937 random(3);
    for (int trial = 0; trial < 5; ++trial) {
      TokenTree tree;
      Rows rows;
      std::vector<bool> asked(1000, false);
      for (std::size_t size = 20; size < 1000; size *= 3) {  // the cache grows between two calls
        grow(tree, random, size);
        std::vector<NodeId> wanted;
        for (NodeId node = 1; node < tree.size(); ++node) {
          if (asked[node] || random() % 2 == 0) continue;
          wanted.push_back(node);
          for (NodeId at = node; at != TokenTree::root; at = tree.parent(at)) asked[at] = true;
        }
        std::shuffle(wanted.begin(), wanted.end(), random);
        const std::size_t before = rows.size();
        model.evaluate(tree, wanted, into(rows));
        BOOST_TEST(rows.size() == before + wanted.size());
      }
      for (const auto& [node, row] : rows) BOOST_TEST(row == alone(other, tree.prefix(node)));
      model.release(tree, TokenTree::root);
    }
  }
}

// A batch has 512 nodes. Its last layer is not finished for nodes that are not wanted, but later
// batches need their keys and values.
BOOST_AUTO_TEST_CASE(batches_may_have_no_wanted_nodes) {
  for (const std::string name :
       {"opt-norm-after", "gpt2", "mistral", "falcon-alibi", "mixtral", "llama-f16"}) {
    DecoderNetwork model = network(name), other = network(name);
    std::mt19937 random(7);
    TokenTree tree;
    grow(tree, random, 1100);
    const auto inner = static_cast<NodeId>(tree.size());
    std::vector<NodeId> wanted;
    for (NodeId node = 1; node < inner; ++node) wanted.push_back(tree.add(node, 36));
    Rows rows;
    model.evaluate(tree, wanted, into(rows));
    BOOST_TEST(rows.size() == wanted.size());
    for (const auto& [node, row] : rows) BOOST_TEST(row == alone(other, tree.prefix(node)));
  }
}

// The test runs on any processor: without BF16 instructions, the products are computed from F32.
BOOST_AUTO_TEST_CASE(products_in_bf16_are_near_exact_ones_and_a_row_is_still_its_own) {
  for (const std::string name : {"llama", "gpt2", "mixtral", "llama-f16"}) {
    const std::filesystem::path folder = test::network_folder(name);
    const DecoderConfig config = read_decoder_config(folder);
    DecoderNetwork model = DecoderNetwork::read(folder, config, ProductType::bf16);
    DecoderNetwork other = DecoderNetwork::read(folder, config, ProductType::bf16);
    BOOST_TEST((model.weight_type() == WeightType::bf16_pairs));
    for (const test::NetworkCase& expected : test::network_cases(name)) {
      EmbeddingMatrix logits = expected.logits * 0;
      model.evaluate(expected.tokens, test::into_rows(logits));
      const float difference = test::relative_difference(logits, expected.logits);
      BOOST_TEST(difference < 0.1F, name << ": " << difference);
      BOOST_TEST(difference > 1e-4F, name << ": " << difference);
    }
    std::mt19937 random(3);
    TokenTree tree;
    grow(tree, random, 200);
    std::vector<NodeId> wanted;
    for (NodeId node = 1; node < tree.size(); ++node) wanted.push_back(node);
    Rows rows;
    model.evaluate(tree, wanted, into(rows));
    for (const auto& [node, row] : rows) BOOST_TEST(row == alone(other, tree.prefix(node)));
  }
}

BOOST_AUTO_TEST_CASE(released_nodes_can_be_asked_again) {
  DecoderNetwork model = network("gpt2"), other = network("gpt2");
  std::mt19937 random(5);
  TokenTree tree;
  const std::vector<TokenId> first{4, 8, 1};
  const NodeId chain = tree.insert(first);
  model.reserve(100);
  Rows rows;
  model.evaluate(tree, std::vector<NodeId>{chain}, into(rows));
  for (int round = 0; round < 10; ++round) {
    tree.shrink(chain + 1);
    grow(tree, random, 60);
    std::vector<NodeId> wanted;
    for (NodeId node = chain + 1; node < tree.size(); ++node) wanted.push_back(node);
    rows.clear();
    model.evaluate(tree, wanted, into(rows));
    for (const auto& [node, row] : rows) BOOST_TEST(row == alone(other, tree.prefix(node)));
    for (NodeId node = chain + 1; node < tree.size(); ++node) {
      if (tree.parent(node) <= chain) model.release(tree, node);
    }
  }
  BOOST_CHECK_EXCEPTION(model.evaluate(tree, std::vector<NodeId>{chain}, into(rows)), Error,
                        says(Fault::internal, "was already evaluated"));
  model.release(tree, chain);
  rows.clear();
  model.evaluate(tree, std::vector<NodeId>{chain}, into(rows));
  BOOST_TEST(rows[chain] == alone(other, first));
}

BOOST_AUTO_TEST_CASE(one_tree_serves_logits_and_hidden_vectors) {
  DecoderNetwork model = network("opt-norm-after"), other = network("opt-norm-after");
  TokenTree tree;
  const NodeId start = tree.insert(std::vector<TokenId>{2, 5}), end = tree.add(start, 11);
  Rows hidden, logits;
  model.embed(tree, std::vector<NodeId>{start}, into(hidden));
  model.evaluate(tree, std::vector<NodeId>{end}, into(logits));
  BOOST_TEST(hidden[start].size() == 12U);
  BOOST_TEST(logits[end] == alone(other, {2, 5, 11}));
}

BOOST_AUTO_TEST_CASE(what_is_past_the_limits_is_refused) {
  DecoderNetwork model = network("opt");
  const auto refuses = [&](const std::vector<TokenId>& tokens, const char* words) {
    BOOST_CHECK_EXCEPTION(alone(model, tokens), Error, says(Fault::user, words));
  };
  BOOST_TEST(model.context_length() == 16U);
  BOOST_TEST(alone(model, std::vector<TokenId>(16, 5)).size() == 37U);
  refuses(std::vector<TokenId>(17, 5), "17 tokens; the model's limit is 16");
  refuses({2, 37}, "token 37 is outside the model's 37 embeddings");
  refuses({-1}, "token -1 is outside the model's 37 embeddings");
  TokenTree tree;
  std::mt19937 random(1);
  grow(tree, random, model.tree_limits().nodes + 2);
  std::vector<NodeId> wanted;
  for (NodeId node = 1; node < tree.size(); ++node) wanted.push_back(node);
  Rows rows;
  BOOST_CHECK_EXCEPTION(model.evaluate(tree, wanted, into(rows)), Error,
                        says(Fault::internal, "exceeds the limit"));
  wanted.pop_back();
  model.evaluate(tree, wanted, into(rows));
  BOOST_TEST(rows.size() == model.tree_limits().nodes);
  BOOST_CHECK_EXCEPTION(model.evaluate(tree, std::vector<NodeId>{TokenTree::root}, into(rows)),
                        Error, says(Fault::internal, "is the root"));
}

BOOST_AUTO_TEST_SUITE_END()
