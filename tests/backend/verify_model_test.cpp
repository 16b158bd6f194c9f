// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/verify_model.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(verify_model_suite)

namespace {

constexpr std::string_view trained = "The capital of France is Paris. The river of Rome is Tiber. ";
const std::vector<std::string> texts{"The capital of France is Paris.",
                                     "The river of Rome is Tiber.", "Paris is the capital.",
                                     "Tiber"};

template <class M>
ModelVerification verified(M model) {
  ModelVerification made = verify_model(model, texts, 1e-3);
  AnyModel any = AnyModel::made_by([&] { return model; });
  const ModelVerification through = verify_model(any, texts, 1e-3);
  BOOST_TEST(through.agrees() == made.agrees());
  BOOST_TEST(through.compared == made.compared, boost::test_tools::per_element());
  return made;
}

/// A tree model with one fault; otherwise, its rows equal an n-gram model's for the whole prefix.
struct Broken : NgramModel {
  Broken() : NgramModel(trained, 40) {}
  using NgramModel::evaluate;
  using Prefix = std::vector<TokenId>;

  [[nodiscard]] TreeLimits tree_limits() const { return {1024, 256, 256}; }

  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    for (const NodeId node : wanted) {
      fill_row(seen(tree, node));
      visit(node, row_);
    }
  }
  void release(const TokenTree&, NodeId) {}

  /// The prefix that the engine uses for a node.
  std::function<Prefix(const TokenTree&, NodeId)> seen = [](const TokenTree& tree, NodeId node) {
    return tree.prefix(node);
  };
};

/// Stores the tokens that each node has read, like a cache that forks from its parent.
struct Cache {
  std::map<NodeId, std::vector<TokenId>> held{};
  std::size_t forks = 0;

  const std::vector<TokenId>& state(const TokenTree& tree, NodeId node) {
    if (const auto found = held.find(node); found != held.end()) return found->second;
    std::vector<TokenId> read;
    if (tree.parent(node) != TokenTree::root) read = state(tree, tree.parent(node));
    read.push_back(tree.token(node));
    return held[node] = std::move(read);
  }
};

/// A cache that, on release, forgets the nodes for which `forgets(tree, node, released)` is true.
struct Releasing : NgramModel {
  Releasing() : NgramModel(trained, 40) {}
  using NgramModel::evaluate;

  [[nodiscard]] TreeLimits tree_limits() const { return {1024, 256, 256}; }

  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    for (const NodeId node : wanted) {
      fill_row(cache.state(tree, node));
      visit(node, row_);
    }
  }
  void release(const TokenTree& tree, NodeId released) { on_release(cache, tree, released); }

  Cache cache{};
  std::function<void(Cache&, const TokenTree&, NodeId)> on_release = below;

  static void below(Cache& cache, const TokenTree& tree, NodeId released) {
    std::erase_if(cache.held, [&](const auto& one) {
      NodeId node = one.first;
      if (node >= tree.size()) return false;  // the node belongs to an earlier tree
      while (node != released && node != TokenTree::root) node = tree.parent(node);
      return node == released;
    });
  }
};

/// Returns log-probabilities with a different constant added to each row, which leaves the
/// distribution unchanged.
struct Shifted : NgramTreeModel {
  Shifted() : NgramTreeModel(trained, 5) {}
  using NgramTreeModel::evaluate;
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    NgramTreeModel::evaluate(tree, wanted, [&](NodeId node, std::span<const float> row) {
      const double normalizer = log_sum_exp(row);
      std::vector<float> made(row.begin(), row.end());
      for (float& x : made) x -= static_cast<float>(normalizer + node);
      visit(node, made);
    });
  }
};

/// A model whose rows use a context of five tokens, but whose lookups come from a bigram model.
struct ShortLookups : NgramModel {
  ShortLookups() : NgramModel(trained, 5) {}
  [[nodiscard]] TreeLimits tree_limits() const { return {512, 64, 64}; }
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups, std::span<double> out) {
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const std::vector<TokenId> prefix = tree.prefix(lookups[i].node);
      const std::span<const TokenId> all(prefix);
      out[i] = log_probability(all.last(std::min<std::size_t>(all.size(), kept)), lookups[i].token);
    }
  }
  std::size_t kept = 2;
};

/// Supports only lookups; in a call with more than `limit` of them, it uses the first one's prefix
/// for the rest.
struct CrowdedLookups : NgramLookupModel {
  CrowdedLookups() : NgramLookupModel(trained, 6) {}
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups, std::span<double> out) {
    std::vector<TokenLookup> asked(lookups.begin(), lookups.end());
    plumb::detail::NgramModel exact(trained, 6);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const NodeId node = i < limit ? asked[i].node : asked[0].node;
      out[i] = exact.log_probability(tree.prefix(node), asked[i].token);
    }
  }
  std::size_t limit = 30;
};

/// Reports only the `top` most likely tokens.
struct TopLookups : NgramLookupModel {
  TopLookups() : NgramLookupModel(trained, 3) {}
  void look_up(const TokenTree& tree, std::span<const TokenLookup> lookups, std::span<double> out) {
    NgramLookupModel::look_up(tree, lookups, out);
    for (double& nats : out) {
      if (nats < -5.5) nats = std::numeric_limits<double>::quiet_NaN();
    }
  }
};

/// A masked model in which the second query of a batch sees the first query's sequence.
struct LeakyBatch : NeighbourModel {
  LeakyBatch() : NeighbourModel(trained) {}
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    std::vector<MaskedQuery> seen(queries.begin(), queries.end());
    if (seen.size() > 1 && seen[1].position > 0) {
      seen[1].sequence[seen[1].position - 1] = seen[0].sequence[seen[0].sequence.size() - 2];
    }
    NeighbourModel::evaluate(std::span<const MaskedQuery>(seen), visit);
  }
};

/// A tree embedder in which the vector of a node with siblings lacks its parent's contribution.
struct LostParents : NgramTreeModel {
  LostParents() : NgramTreeModel(trained, 3) {}
  void embed(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    NgramTreeModel::embed(tree, wanted, [&](NodeId node, std::span<const float> row) {
      std::vector<float> made(row.begin(), row.end());
      if (tree.parent(node) + 1 != node)
        made[static_cast<std::size_t>(tree.token(tree.parent(node)))] = 0;
      visit(node, made);
    });
  }
};

/// Embeds texts; in a batch, each vector includes a fraction of the previous one.
struct LeakyTexts : NgramTreeModel {
  LeakyTexts() : NgramTreeModel(trained, 3) {}
  using NgramTreeModel::embed;
  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> all, bool) const {
    EmbeddingMatrix made(static_cast<Eigen::Index>(all.size()), 3);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      made.row(row) << static_cast<float>(all[i].size()), 1, 2;
      if (leaks && i > 0) made.row(row) += made.row(row - 1) * 0.1F;
    }
    return made;
  }
  bool leaks = true;
};

/// Continues every prompt in a batch the way it continues the first one.
struct LeakyContinuations : NgramBatchModel {
  LeakyContinuations() : NgramBatchModel(trained, 4) {}
  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds) const {
    auto made = NgramBatchModel::generate(prompts, options, seeds);
    for (auto& one : made) one = made.front();
    return made;
  }
};

/// Each row depends on the length of the whole sequence, as it would without a causal mask.
struct SeesAhead : NgramModel {
  SeesAhead() : NgramModel(trained, 3) {}
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    NgramModel::evaluate(sequence, [&](std::uint32_t i, std::span<const float> row) {
      std::vector<float> made(row.begin(), row.end());
      made[static_cast<std::size_t>(sequence.back())] += 1;
      visit(i, made);
    });
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(archetypes_agree_in_all_their_forms) {
  const auto rows = verified(NgramModel(trained));
  BOOST_TEST(rows.agrees());
  BOOST_TEST(rows.compared == (std::vector<std::string>{"evaluate"}),
             boost::test_tools::per_element());
  const auto trees = verified(NgramTreeModel(trained, 30));
  BOOST_TEST(trees.agrees());
  BOOST_TEST(trees.worst->nats == 0);
  BOOST_TEST(
      trees.compared == (std::vector<std::string>{
                            "evaluate", "evaluate of a tree", "evaluate of a tree that grows",
                            "evaluate of a tree after a release", "embed", "embed of a tree",
                            "embed of a tree that grows", "embed of a tree after a release"}),
      boost::test_tools::per_element());
  BOOST_TEST(verified(NgramLookupModel(trained)).agrees());
  BOOST_TEST(verified(NgramBatchModel(trained)).compared.back() == "generate of prompts together");
  BOOST_TEST(verified(NeighbourModel(trained)).agrees());
  BOOST_TEST(verified(Shifted()).agrees());
  BOOST_TEST(verified(Broken()).agrees());
  BOOST_TEST(verified(Releasing()).agrees());
  LeakyTexts texts_alone;
  texts_alone.leaks = false;
  BOOST_TEST(verified(texts_alone).agrees());
}

BOOST_AUTO_TEST_CASE(limits_of_trees_are_kept) {
  for (const TreeLimits limits :
       {TreeLimits{12, 1, 4}, TreeLimits{40, 2, 7}, TreeLimits{60, 9, 60}}) {
    NgramTreeModel model(trained, 6);  // this model throws if its limits are exceeded
    model.limits = limits;
    BOOST_TEST(verify_model(model, texts, 1e-3).agrees());
  }
}

BOOST_AUTO_TEST_CASE(a_row_that_sees_what_follows_is_found) {
  const auto made = verified(SeesAhead());
  BOOST_REQUIRE(!made.agrees());
  BOOST_TEST(made.first->form == "evaluate");
}

BOOST_AUTO_TEST_CASE(a_fork_that_is_stale_at_every_seventh_row_is_found) {
  Broken model;
  std::size_t rows = 0;
  model.seen = [&](const TokenTree& tree, NodeId node) {
    return tree.prefix(++rows % 7 == 0 ? node - 1 : node);
  };
  const auto made = verify_model(model, texts, 1e-3);
  BOOST_REQUIRE(!made.agrees());
  BOOST_TEST(made.first->form == "evaluate of a tree");
  // BOS is node 1, so the seventh row follows the sixth token of the text.
  BOOST_TEST(made.first->text == 0U);
  BOOST_TEST(made.first->position == 6U);
  // Where one of the two rows has a count of 2, the other has a count of 1. The log-probabilities
  // there differ by ln 2, because the counts of both rows sum to 258.
  BOOST_TEST(std::abs(made.first->nats - std::log(2.0)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_position_that_is_off_by_one_is_found) {
  Broken model;
  model.seen = [](const TokenTree& tree, NodeId node) {
    std::vector<TokenId> prefix = tree.prefix(node);
    if (prefix.size() > 3) prefix.erase(prefix.begin());
    return prefix;
  };
  const auto made = verify_model(model, texts, 1e-3);
  BOOST_REQUIRE(!made.agrees());
  BOOST_TEST(made.first->text == 0U);
  BOOST_TEST(made.first->position == 3U);  // the first prefix that lost a token
}

BOOST_AUTO_TEST_CASE(a_release_of_too_much_or_too_little_is_found) {
  Releasing nothing;
  nothing.on_release = [](Cache&, const TokenTree&, NodeId) {};
  Releasing children;  // the node itself is kept
  children.on_release = [](Cache& cache, const TokenTree& tree, NodeId released) {
    std::optional<std::vector<TokenId>> own;
    if (cache.held.contains(released)) own = cache.held[released];
    Releasing::below(cache, tree, released);
    if (own) cache.held[released] = *own;
  };
  // The parent's state is lost too, and its continuations start from an empty state.
  Releasing branch;
  branch.on_release = [](Cache& cache, const TokenTree& tree, NodeId released) {
    Releasing::below(cache, tree, released);
    if (released != TokenTree::root && tree.parent(released) != TokenTree::root) {
      cache.held[tree.parent(released)] = {};
    }
  };
  Releasing all_but_root;
  all_but_root.on_release = [](Cache& cache, const TokenTree& tree, NodeId released) {
    if (released != TokenTree::root) Releasing::below(cache, tree, released);
  };
  for (Releasing* model : {&nothing, &children, &branch, &all_but_root}) {
    const auto made = verify_model(*model, texts, 1e-3);
    BOOST_TEST(!made.agrees());
  }
}

BOOST_AUTO_TEST_CASE(a_lookup_that_ignores_part_of_the_prefix_is_found) {
  ShortLookups whole;
  whole.kept = 100;
  BOOST_TEST(verified(whole).agrees());
  const auto made = verified(ShortLookups());
  BOOST_REQUIRE(!made.agrees());
  BOOST_TEST(made.first->form == "look_up");
  const auto crowded = verified(CrowdedLookups());
  BOOST_REQUIRE(!crowded.agrees());
  BOOST_TEST(crowded.first->form == "look_up of a tree");
}

BOOST_AUTO_TEST_CASE(what_an_engine_does_not_report_is_counted_and_no_difference) {
  const auto made = verified(TopLookups());
  BOOST_TEST(made.agrees());
  BOOST_TEST(made.unknown > 0U);
}

BOOST_AUTO_TEST_CASE(batches_that_leak_are_found) {
  const auto masked = verified(LeakyBatch());
  BOOST_REQUIRE(!masked.agrees());
  BOOST_TEST(masked.first->form == "evaluate of queries together");
  BOOST_TEST(!verified(LostParents()).agrees());
  const auto embedded = verified(LeakyTexts());
  BOOST_REQUIRE(!embedded.agrees());
  BOOST_TEST(embedded.first->form == "embed of texts together");
  BOOST_TEST(embedded.first->text == 1U);
  const auto generated = verified(LeakyContinuations());
  BOOST_REQUIRE(!generated.agrees());
  BOOST_TEST(generated.first->form == "generate of prompts together");
}

BOOST_AUTO_TEST_CASE(constant_and_broken_rows_are_counted) {
  NgramModel untrained("", 3);
  const auto constant = verify_model(untrained, texts, 1e-3);
  BOOST_TEST(constant.agrees());
  BOOST_TEST(constant.rows > 0U);
  BOOST_TEST(constant.constant_rows == constant.rows);
  NgramLookupModel asked("", 3);
  const auto looked_up = verify_model(asked, texts, 1e-3);
  BOOST_TEST(looked_up.rows > 0U);
  BOOST_TEST(looked_up.constant_rows == looked_up.rows);
  NgramModel read(trained, 2);  // this model knows the successors of only a few tokens
  const auto some = verify_model(read, texts, 1e-3);
  BOOST_TEST(some.constant_rows < some.rows);
  struct Nan : NgramModel {
    Nan() : NgramModel(trained) {}
    void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
      NgramModel::evaluate(sequence, [&](std::uint32_t i, std::span<const float> row) {
        std::vector<float> made(row.begin(), row.end());
        if (i == 4) made[7] = std::numeric_limits<float>::quiet_NaN();
        visit(i, made);
      });
    }
  };
  const auto broken = verified(Nan());
  BOOST_REQUIRE(!broken.agrees());
  BOOST_TEST(broken.broken_rows > 0U);
  BOOST_TEST(broken.first->position == 4U);
  BOOST_TEST(std::isinf(broken.first->nats));
}

BOOST_AUTO_TEST_CASE(the_checking_form_names_the_place) {
  NgramTreeModel sound(trained, 5);
  BOOST_TEST(require_verified(sound, texts, 1e-3).agrees());
  ShortLookups model;
  BOOST_CHECK_EXCEPTION((void)require_verified(model, texts, 1e-3), Error, [](const Error& error) {
    return says(Fault::user, "look_up differs by")(error) && says(Fault::user, "of text 0")(error);
  });
  BOOST_CHECK_EXCEPTION((void)verify_model(sound, std::vector<std::string>{""}, 1e-3), Error,
                        says(Fault::user, "contain no tokens"));
}

BOOST_AUTO_TEST_CASE(branches_are_verified_even_for_single_or_identical_texts) {
  for (const std::vector<std::string>& few :
       {std::vector<std::string>{"The capital of France is Paris."},
        std::vector<std::string>{"Paris.", "Paris."},
        std::vector<std::string>{"", "ab", "ab cd"}}) {
    NgramTreeModel model(trained, 9);
    BOOST_TEST(verify_model(model, few, 1e-3).agrees());
  }
  Broken model;
  model.seen = [](const TokenTree& tree, NodeId node) {  // the engine loses a shared prefix
    std::vector<TokenId> prefix = tree.prefix(node);
    if (tree.parent(node) + 1 != node) prefix.erase(prefix.begin());
    return prefix;
  };
  BOOST_TEST(!verify_model(model, std::vector<std::string>{"The capital of France is Paris."}, 1e-3)
                  .agrees());
}

BOOST_AUTO_TEST_SUITE_END()
