// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/llama_hidden.hpp"

#include <ggml-alloc.h>
#include <ggml.h>
#include <gguf.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "plumb/detail/backend/llama.hpp"
#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

using namespace plumb::detail;
using test::says;
using test::TemporaryFolder;
using test::TinyGguf;
using test::TinyKind;

BOOST_AUTO_TEST_SUITE(llama_hidden)

namespace {

using Row = std::vector<float>;
using Rows = std::map<NodeId, Row>;
using Tokens = std::vector<TokenId>;

constexpr std::array all_kinds{TinyKind::transformer, TinyKind::sliding_window, TinyKind::recurrent,
                               TinyKind::hybrid};
constexpr std::array sharing_kinds{TinyKind::transformer, TinyKind::sliding_window};

/// A tiny model and its file.
struct Tiny : TemporaryFolder {
  explicit Tiny(TinyKind kind, std::uint32_t context = 512) {
    file = TinyGguf({.kind = kind, .context = context}).write(*this / "tiny.gguf");
  }
  [[nodiscard]] LlamaModel model(std::size_t cells = 1024) const {
    return LlamaModel({file, Precision::exact, 2, cells});
  }
  std::filesystem::path file;
};

double worst_difference(const Row& a, const Row& b) {
  BOOST_REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return worst;
}

/// Collects the rows and fails if a node is visited twice.
LogitsVisitor into(Rows& rows) {
  return [&rows](NodeId node, std::span<const float> row) {
    BOOST_TEST(rows.emplace(node, Row(row.begin(), row.end())).second);
  };
}

Rows embedded(LlamaModel& model, const TokenTree& tree, const std::vector<NodeId>& wanted) {
  Rows rows;
  model.embed(tree, wanted, into(rows));
  return rows;
}

Rows evaluated(LlamaModel& model, const TokenTree& tree, const std::vector<NodeId>& wanted) {
  Rows rows;
  model.evaluate(tree, wanted, into(rows));
  return rows;
}

/// The last row of the prefix when evaluated on its own.
Row hidden_of(LlamaModel& model, const Tokens& prefix) {
  TokenTree tree;
  const NodeId end = tree.insert(prefix);
  const Rows rows = embedded(model, tree, {end});
  model.release(tree, TokenTree::root);
  return rows.at(end);
}

Row logits_of(LlamaModel& model, const Tokens& prefix) {
  TokenTree tree;
  const NodeId end = tree.insert(prefix);
  const Rows rows = evaluated(model, tree, {end});
  model.release(tree, TokenTree::root);
  return rows.at(end);
}

Tokens drawn_tokens(std::size_t count, const char* name) {
  RandomStream random(11, name);
  Tokens tokens(count);
  for (TokenId& token : tokens) token = static_cast<TokenId>(random.below(256));
  return tokens;
}

/// Adds branches of one to six tokens below random nodes of `held` and returns the new nodes.
std::vector<NodeId> grow(TokenTree& tree, const std::vector<NodeId>& held, RandomStream& random,
                         std::size_t branches) {
  std::vector<NodeId> added;
  for (std::size_t branch = 0; branch < branches; ++branch) {
    NodeId node = held[random.below(held.size())];
    for (std::size_t length = 0; length <= random.below(6); ++length) {
      const std::size_t before = tree.size();
      node = tree.add(node, static_cast<TokenId>(random.below(256)));
      if (tree.size() > before) added.push_back(node);
    }
  }
  return added;
}

struct Free {
  void operator()(gguf_context* context) const { gguf_free(context); }
  void operator()(ggml_context* context) const { ggml_free(context); }
  void operator()(ggml_backend_buffer* buffer) const { ggml_backend_buffer_free(buffer); }
};

/// The token embeddings of a tiny model, which also uses them as output weights.
std::vector<Row> token_vectors(const std::filesystem::path& file) {
  ggml_context* opened = nullptr;
  const std::unique_ptr<gguf_context, Free> gguf(
      gguf_init_from_file(file.c_str(), {.no_alloc = false, .ctx = &opened}));
  const std::unique_ptr<ggml_context, Free> tensors(opened);
  const ggml_tensor* tensor = ggml_get_tensor(tensors.get(), "token_embd.weight");
  const auto* values = static_cast<const float*>(tensor->data);
  std::vector<Row> rows;
  for (std::int64_t token = 0; token < tensor->ne[1]; ++token, values += tensor->ne[0]) {
    rows.emplace_back(values, values + tensor->ne[0]);
  }
  return rows;
}

/// A llama.cpp tensor with a name and shape [3, 2] that contains the numbers 1, 2, …
class NamedTensor {
 public:
  explicit NamedTensor(const char* name)
      : context_(ggml_init({ggml_tensor_overhead() * 2, nullptr, true})),
        tensor_(ggml_new_tensor_2d(context_.get(), GGML_TYPE_F32, 3, 2)),
        buffer_(ggml_backend_alloc_ctx_tensors_from_buft(context_.get(),
                                                         ggml_backend_cpu_buffer_type())) {
    ggml_set_name(tensor_, name);
    const Row values{1, 2, 3, 4, 5, 6};
    ggml_backend_tensor_set(tensor_, values.data(), 0, ggml_nbytes(tensor_));
  }
  [[nodiscard]] ggml_tensor* get() const { return tensor_; }

 private:
  std::unique_ptr<ggml_context, Free> context_;
  ggml_tensor* tensor_;
  std::unique_ptr<ggml_backend_buffer, Free> buffer_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(steps_run_on_while_nobody_reads) {
  LlamaHidden hidden;
  BOOST_TEST(!hidden.is_read());
  for (const char* name : {"result_norm", "result_output", "l_out-1"}) {
    const NamedTensor tensor(name);
    BOOST_TEST(!LlamaHidden::watch(tensor.get(), true, &hidden));
    BOOST_TEST(LlamaHidden::watch(tensor.get(), false, &hidden));
  }
}

BOOST_AUTO_TEST_CASE(a_step_that_is_read_ends_at_the_final_norm) {
  LlamaHidden hidden;
  {
    const LlamaHidden::Reading reading(hidden);
    BOOST_TEST(hidden.is_read());
    for (const char* name : {"norm", "result_norm-1", "attn_norm-0", "result_output"}) {
      const NamedTensor tensor(name);
      BOOST_TEST(!LlamaHidden::watch(tensor.get(), true, &hidden));
      BOOST_TEST(LlamaHidden::watch(tensor.get(), false, &hidden));
    }
    const NamedTensor norm("result_norm");
    BOOST_TEST(LlamaHidden::watch(norm.get(), true, &hidden));
    BOOST_TEST(!LlamaHidden::watch(norm.get(), false, &hidden));
  }
  BOOST_TEST(!hidden.is_read());
  const auto row = [&](std::size_t i) {
    const auto span = hidden.row(i, 3);
    return Row(span.begin(), span.end());
  };
  BOOST_TEST(row(0) == (Row{1, 2, 3}), boost::test_tools::per_element());
  BOOST_TEST(row(1) == (Row{4, 5, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_row_that_no_step_gave_is_an_internal_error) {
  LlamaHidden hidden;
  const auto missing =
      says(Fault::internal, "llama.cpp has no tensor result_norm for this kind of model");
  BOOST_CHECK_EXCEPTION((void)hidden.row(0, 3), Error, missing);
  {
    const LlamaHidden::Reading reading(hidden);
    const NamedTensor norm("result_norm");
    LlamaHidden::watch(norm.get(), false, &hidden);
  }
  BOOST_TEST(hidden.row(1, 3).size() == 3U);
  BOOST_CHECK_EXCEPTION((void)hidden.row(2, 3), Error, missing);
}

BOOST_AUTO_TEST_CASE(the_dimension_is_known_before_anything_is_embedded) {
  for (const TinyKind kind : all_kinds) {
    const Tiny tiny(kind);
    LlamaModel model = tiny.model();
    BOOST_TEST(model.dimension() == token_vectors(tiny.file).front().size());
    BOOST_TEST(hidden_of(model, {1, 2, 3}).size() == model.dimension());
  }
}

// The logits are the products of the hidden vector and the token vectors; nothing else follows the
// final norm.
BOOST_AUTO_TEST_CASE(the_lm_head_makes_the_logits_of_them) {
  for (const TinyKind kind : all_kinds) {
    const Tiny tiny(kind);
    LlamaModel model = tiny.model();
    const std::vector<Row> tokens = token_vectors(tiny.file);
    for (const std::size_t length : {1U, 2U, 9U, 60U}) {
      const Tokens prefix = drawn_tokens(length, "head");
      const Row hidden = hidden_of(model, prefix);
      Row expected;
      for (const Row& token : tokens) {
        double sum = 0;
        for (std::size_t i = 0; i < token.size(); ++i) {
          sum += static_cast<double>(token[i]) * static_cast<double>(hidden[i]);
        }
        expected.push_back(static_cast<float>(sum));
      }
      const Row logits = logits_of(model, prefix);
      BOOST_TEST(worst_difference(logits, expected) < 1e-4);
      BOOST_TEST(std::ranges::max(logits) - std::ranges::min(logits) > 1.0F);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_tree_has_the_hidden_vectors_of_its_prefixes_one_by_one) {
  for (const TinyKind kind : sharing_kinds) {
    const Tiny tiny(kind);
    LlamaModel model = tiny.model(), oracle = tiny.model();
    TokenTree tree;
    RandomStream random(7, "tree");
    std::vector<NodeId> held{TokenTree::root};
    std::vector<Row> all;
    for (int round = 0; round < 12; ++round) {
      const std::vector<NodeId> added = grow(tree, held, random, 3);
      const Rows rows = embedded(model, tree, added);
      BOOST_TEST(rows.size() == added.size());
      for (const auto& [node, row] : rows) {
        BOOST_TEST(worst_difference(row, hidden_of(oracle, tree.prefix(node))) < 1e-4);
        all.push_back(row);
      }
      held.insert(held.end(), added.begin(), added.end());
    }
    for (std::size_t i = 1; i < all.size(); ++i) {
      BOOST_TEST(worst_difference(all[i - 1], all[i]) > 1e-2);
    }
  }
}

// A model with a recurrent state holds one branch, which may be evaluated step by step.
BOOST_AUTO_TEST_CASE(a_single_branch_has_the_hidden_vectors_of_its_prefixes_in_every_model) {
  for (const TinyKind kind : all_kinds) {
    const Tiny tiny(kind);
    LlamaModel model = tiny.model(), oracle = tiny.model();
    const Tokens tokens = drawn_tokens(40, "branch");
    TokenTree tree;
    NodeId end = TokenTree::root;
    for (const std::size_t upto : {1U, 7U, 8U, 40U}) {
      std::vector<NodeId> wanted;
      while (tree.depth(end) < upto) {
        end = tree.add(end, tokens[tree.depth(end)]);
        if (tree.depth(end) % 3 != 0) wanted.push_back(end);
      }
      for (const auto& [node, row] : embedded(model, tree, wanted)) {
        BOOST_TEST(worst_difference(row, hidden_of(oracle, tree.prefix(node))) < 1e-4);
      }
    }
  }
}

// A step has 256 nodes; only the rows of wanted nodes are visited.
BOOST_AUTO_TEST_CASE(rows_find_their_nodes_over_many_steps) {
  for (const TinyKind kind : all_kinds) {
    const Tiny tiny(kind, 1024);
    LlamaModel model = tiny.model(), oracle = tiny.model();
    const Tokens tokens = drawn_tokens(700, "long");
    TokenTree tree;
    tree.insert(tokens);
    std::vector<NodeId> wanted;
    for (const NodeId node : {699, 3, 256, 257, 255, 512, 5, 640}) wanted.push_back(node);
    const Rows rows = embedded(model, tree, wanted);
    BOOST_TEST(rows.size() == wanted.size());
    for (const auto& [node, row] : rows) {
      BOOST_TEST(worst_difference(row, hidden_of(oracle, tree.prefix(node))) < 1e-3);
    }
  }
}

BOOST_AUTO_TEST_CASE(logits_are_the_same_after_embedding_as_before) {
  for (const TinyKind kind : all_kinds) {
    const Tiny tiny(kind);
    LlamaModel model = tiny.model(), fresh = tiny.model();
    const Tokens first = drawn_tokens(30, "first"), second = drawn_tokens(20, "second");
    const Row logits = logits_of(fresh, second);
    BOOST_TEST(logits.size() == model.vocabulary_size());
    const Row hidden = hidden_of(model, first);
    BOOST_TEST(worst_difference(logits_of(model, second), logits) == 0);
    BOOST_TEST(worst_difference(hidden_of(model, first), hidden) == 0);
    BOOST_TEST(worst_difference(logits_of(model, second), logits) == 0);
    std::size_t rows = 0;
    model.evaluate(second, [&](std::uint32_t position, std::span<const float> row) {
      BOOST_TEST(position == rows++);
      BOOST_TEST(row.size() == model.vocabulary_size());
    });
    BOOST_TEST(rows == second.size());
  }
}

BOOST_AUTO_TEST_CASE(one_tree_gives_hidden_vectors_of_some_nodes_and_logits_of_others) {
  for (const TinyKind kind : sharing_kinds) {
    const Tiny tiny(kind);
    LlamaModel model = tiny.model(), oracle = tiny.model();
    TokenTree tree;
    RandomStream random(8, "both");
    std::vector<NodeId> held{TokenTree::root};
    for (int round = 0; round < 16; ++round) {
      const std::vector<NodeId> added = grow(tree, held, random, 3);
      const bool embeds = round % 2 == 0;
      for (const auto& [node, row] :
           embeds ? embedded(model, tree, added) : evaluated(model, tree, added)) {
        const Tokens prefix = tree.prefix(node);
        const Row alone = embeds ? hidden_of(oracle, prefix) : logits_of(oracle, prefix);
        BOOST_TEST(worst_difference(row, alone) < 1e-3);
      }
      held.insert(held.end(), added.begin(), added.end());
      if (round != 9) continue;
      const NodeId gone = held[held.size() / 2];
      model.release(tree, gone);
      std::erase_if(held, [&](NodeId node) {
        while (node > gone) node = tree.parent(node);
        return node == gone;
      });
    }
  }
}

// Once either function has evaluated a node, the node is held and neither function evaluates it
// again.
BOOST_AUTO_TEST_CASE(a_node_is_asked_once_of_one_of_both) {
  const Tiny tiny(TinyKind::transformer);
  LlamaModel model = tiny.model();
  TokenTree tree;
  const NodeId one = tree.add(TokenTree::root, 5), two = tree.add(one, 6);
  const auto again = says(Fault::internal, "a wanted node is the root or was already evaluated");
  BOOST_TEST(embedded(model, tree, {one}).size() == 1U);
  BOOST_CHECK_EXCEPTION((void)evaluated(model, tree, {one}), Error, again);
  BOOST_TEST(evaluated(model, tree, {two}).size() == 1U);
  BOOST_CHECK_EXCEPTION((void)embedded(model, tree, {two}), Error, again);
  BOOST_CHECK_EXCEPTION((void)embedded(model, tree, {TokenTree::root}), Error, again);
  model.release(tree, two);
  BOOST_TEST(embedded(model, tree, {two}).at(two).size() == model.dimension());
}

// During embedding, the cache is replaced and its nodes are fed again, although none of their rows
// are wanted.
BOOST_AUTO_TEST_CASE(a_tree_that_grows_past_the_cache_gives_the_rows_of_one_with_room) {
  for (const TinyKind kind : sharing_kinds) {
    const Tiny tiny(kind, 4096);
    LlamaModel small = tiny.model(256), roomy = tiny.model(4096);
    TokenTree tree;
    RandomStream random(3, "past the cache");
    std::vector<NodeId> ends{TokenTree::root};
    // at 100 nodes per step, the tree outgrows 768 and then 1536 cells
    for (int step = 0; step < 17; ++step) {
      NodeId end = ends[random.below(ends.size())];
      std::vector<NodeId> wanted;
      for (int length = 0; length < 100; ++length) {
        end = tree.add(end, static_cast<TokenId>(random.below(256)));
        if (length % 30 == 0 || length == 99) wanted.push_back(end);
      }
      ends.push_back(end);
      const bool embeds = step % 3 != 2;
      const Rows rows = embeds ? embedded(small, tree, wanted) : evaluated(small, tree, wanted);
      const Rows expected = embeds ? embedded(roomy, tree, wanted) : evaluated(roomy, tree, wanted);
      BOOST_TEST(rows.size() == wanted.size());
      for (const auto& [node, row] : rows) {
        BOOST_TEST(worst_difference(row, expected.at(node)) < 1e-3);
      }
    }
    BOOST_TEST(tree.size() == 1701U);
  }
}

BOOST_AUTO_TEST_CASE(nothing_wanted_shows_nothing) {
  const Tiny tiny(TinyKind::transformer);
  LlamaModel model = tiny.model();
  TokenTree tree;
  const NodeId end = tree.insert(Tokens{1, 2, 3});
  BOOST_TEST(embedded(model, tree, {}).empty());
  const Rows rows = embedded(model, tree, {end});  // the nodes on its path are not visited either
  BOOST_TEST(rows.size() == 1U);
  BOOST_TEST(rows.contains(end));
}

BOOST_AUTO_TEST_CASE(a_visitor_that_throws_leaves_the_model_fit_for_logits) {
  const Tiny tiny(TinyKind::transformer);
  LlamaModel model = tiny.model(), fresh = tiny.model();
  const Tokens prefix = drawn_tokens(9, "thrown");
  TokenTree tree;
  const NodeId end = tree.insert(prefix);
  BOOST_CHECK_THROW(
      model.embed(tree, std::vector{end},
                  [](NodeId, std::span<const float>) { throw std::runtime_error("enough"); }),
      std::runtime_error);
  model.release(tree, TokenTree::root);
  BOOST_TEST(worst_difference(logits_of(model, prefix), logits_of(fresh, prefix)) == 0);
}

BOOST_AUTO_TEST_CASE(a_model_that_was_moved_still_embeds) {
  const Tiny tiny(TinyKind::transformer);
  LlamaModel model = tiny.model();
  const Tokens prefix = drawn_tokens(9, "moved");
  const Row before = hidden_of(model, prefix);
  LlamaModel moved(std::move(model));
  BOOST_TEST(worst_difference(hidden_of(moved, prefix), before) == 0);
}

BOOST_AUTO_TEST_CASE(models_side_by_side_keep_their_vectors_apart) {
  const TemporaryFolder folder;
  LlamaModel one({TinyGguf({.seed = 1}).write(folder / "one.gguf"), Precision::exact, 2});
  LlamaModel two({TinyGguf({.seed = 2}).write(folder / "two.gguf"), Precision::exact, 2});
  const Tokens prefix = drawn_tokens(9, "apart");
  const Row first = hidden_of(one, prefix);
  const Row second = hidden_of(two, prefix);
  BOOST_TEST(worst_difference(first, second) > 1e-2);
  BOOST_TEST(worst_difference(hidden_of(one, prefix), first) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
