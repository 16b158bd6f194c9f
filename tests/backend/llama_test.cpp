// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/backend/llama.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plumb/detail/score/causal_scorer.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_gguf.hpp"

BOOST_AUTO_TEST_SUITE(llama_suite)

namespace {

using plumb::detail::test::TemporaryFolder;
using plumb::detail::test::TinyGguf;
using plumb::detail::test::TinyKind;
using plumb::detail::test::TinyOptions;

plumb::detail::LlamaModel tiny(const TemporaryFolder& folder, TinyOptions options) {
  return plumb::detail::LlamaModel(
      {TinyGguf(options).write(folder / "tiny.gguf"), plumb::detail::Precision::exact, 2});
}

std::vector<float> row_after(plumb::detail::LlamaModel& model,
                             std::span<const plumb::detail::TokenId> prefix) {
  std::vector<float> row;
  model.evaluate(prefix, [&](std::uint32_t, std::span<const float> logits) {
    row.assign(logits.begin(), logits.end());
  });
  return row;
}

double worst_difference(std::span<const float> a, std::span<const float> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return worst;
}

using Rows = std::map<std::vector<plumb::detail::TokenId>, std::vector<float>>;

/// Grows one tree step by step from held nodes, releasing some branches along the way. Each step
/// adds about 100 nodes. Returns the rows of all wanted nodes, keyed by prefix.
Rows grown(plumb::detail::LlamaModel& model, std::size_t steps) {
  plumb::detail::RandomStream random(9, "grown");
  const auto token = [&] { return static_cast<plumb::detail::TokenId>(random.below(256)); };
  plumb::detail::TokenTree tree;
  Rows rows;
  std::vector<plumb::detail::NodeId> held;
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<plumb::detail::NodeId> wanted;
    for (std::size_t branch = 0; branch < 4; ++branch) {
      plumb::detail::NodeId node =
          held.empty() ? plumb::detail::TokenTree::root : held[random.below(held.size())];
      for (std::size_t length = 0; length < 25; ++length) {
        node = tree.add(node, token());
        if (length % 6 == 0 && std::ranges::count(held, node) == 0 &&
            std::ranges::count(wanted, node) == 0) {
          wanted.push_back(node);
        }
      }
    }
    model.evaluate(tree, wanted, [&](plumb::detail::NodeId node, std::span<const float> row) {
      const bool added =
          rows.emplace(tree.prefix(node), std::vector(row.begin(), row.end())).second;
      BOOST_TEST(added);
    });
    held.insert(held.end(), wanted.begin(), wanted.end());
    if (step % 4 != 3) continue;
    const plumb::detail::NodeId gone = held[held.size() / 2 + random.below(held.size() / 2)];
    model.release(tree, gone);
    std::erase_if(held, [&](plumb::detail::NodeId node) {
      while (node > gone) node = tree.parent(node);
      return node == gone;
    });
  }
  model.release(tree, plumb::detail::TokenTree::root);
  return rows;
}

double worst_difference(const Rows& a, const Rows& b) {
  BOOST_REQUIRE(a.size() == b.size());
  double worst = 0;
  for (const auto& [prefix, row] : a) worst = std::max(worst, worst_difference(row, b.at(prefix)));
  return worst;
}

plumb::detail::Query statements(const std::string& subject) {
  plumb::detail::Query query;
  for (const std::string option :
       {"Paris", "Rome", "Par", "the long, long name of a far city", "R"}) {
    const std::string text = "The town of " + subject + " is " + option + "..";
    query.candidates.push_back({text, {{text.size() - 2 - option.size(), text.size() - 2}}});
  }
  return query;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_kind_of_model_scores_a_tree_as_it_scores_one_by_one) {
  for (const TinyKind kind :
       {TinyKind::transformer, TinyKind::sliding_window, TinyKind::recurrent, TinyKind::hybrid}) {
    const TemporaryFolder folder;
    auto model = tiny(folder, {.kind = kind});
    const bool shares = kind == TinyKind::transformer || kind == TinyKind::sliding_window;
    BOOST_TEST((model.tree_limits().leaves > 1) == shares);
    plumb::detail::CausalScorer scorer(model);
    plumb::detail::CausalScorer<plumb::detail::LlamaModel>::Block block;
    std::vector<plumb::detail::StatementScore> expected;
    for (const std::string subject : {"Lyon", "Lyons", "Ly", "Nancy the old and very far away"}) {
      const plumb::detail::Query query = statements(subject);
      scorer.add(block, query);
      for (const plumb::detail::Prompt& prompt : query.candidates) {
        expected.push_back(scorer.score(plumb::detail::Query{{prompt}}).front());
      }
    }
    scorer.plan(block);
    for (std::size_t p = 0; p < block.packs(); ++p) {
      const auto scores = scorer.score(block, p);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const plumb::detail::StatementScore& alone = expected[block.pack(p)[i]];
        BOOST_TEST(std::abs(scores[i].statement.log_likelihood - alone.statement.log_likelihood) <
                   1e-3);
        BOOST_TEST(std::abs(scores[i].answer.log_likelihood - alone.answer.log_likelihood) < 1e-3);
        BOOST_TEST(scores[i].statement.tokens == alone.statement.tokens);
        BOOST_TEST(scores[i].answer.tokens == alone.answer.tokens);
      }
    }
    if (shares) BOOST_TEST(block.cost().tokens_fed < block.cost().tokens_one_by_one);
  }
}

BOOST_AUTO_TEST_CASE(a_tree_may_grow_and_shrink_between_evaluations) {
  for (const TinyKind kind : {TinyKind::transformer, TinyKind::sliding_window}) {
    const TemporaryFolder folder;
    auto model = tiny(folder, {.kind = kind});
    auto oracle = tiny(folder, {.kind = kind});
    plumb::detail::TokenTree tree;
    plumb::detail::RandomStream random(7, "grow");
    std::vector<plumb::detail::NodeId> held{plumb::detail::TokenTree::root};
    for (int round = 0; round < 40; ++round) {
      std::vector<plumb::detail::NodeId> wanted;
      for (std::size_t i = 0; i < 1 + random.below(4); ++i) {
        plumb::detail::NodeId node = held[random.below(held.size())];
        for (std::size_t step = 0; step <= random.below(3); ++step) {
          const auto before = tree.size();
          const plumb::detail::NodeId next =
              tree.add(node, static_cast<plumb::detail::TokenId>(random.below(256)));
          if (tree.size() == before) break;
          node = next;
          wanted.push_back(node);
        }
      }
      std::map<plumb::detail::NodeId, int> seen;
      model.evaluate(tree, wanted, [&](plumb::detail::NodeId node, std::span<const float> row) {
        ++seen[node];
        const std::vector<float> kept(row.begin(), row.end());
        BOOST_TEST(worst_difference(kept, row_after(oracle, tree.prefix(node))) < 1e-3);
      });
      BOOST_TEST(seen.size() == wanted.size());
      held.insert(held.end(), wanted.begin(), wanted.end());
      if (round % 10 == 9 && held.size() > 3) {
        const plumb::detail::NodeId gone = held[1 + random.below(held.size() - 1)];
        model.release(tree, gone);
        std::erase_if(held, [&](plumb::detail::NodeId node) {
          while (node > gone) node = tree.parent(node);
          return node == gone;
        });
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_statement_longer_than_a_step_or_the_first_cache_is_fed_in_parts) {
  const TemporaryFolder folder;
  plumb::detail::LlamaModel model({TinyGguf({.context = 2048}).write(folder / "tiny.gguf"),
                                   plumb::detail::Precision::exact, 2, 256});
  std::vector<plumb::detail::TokenId> sequence(1500);
  plumb::detail::RandomStream random(3, "long");
  for (auto& token : sequence) token = static_cast<plumb::detail::TokenId>(random.below(256));
  std::size_t rows = 0;
  model.evaluate(sequence, [&](std::uint32_t position, std::span<const float>) {
    BOOST_TEST(position == rows++);
  });
  BOOST_TEST(rows == sequence.size());
  const std::vector<float> late = row_after(model, sequence);
  const std::vector<float> early = row_after(model, std::span(sequence).first(40));
  BOOST_TEST(worst_difference(late, early) > 1e-3);
}

BOOST_AUTO_TEST_CASE(a_long_prefix_is_fed_once_for_all_that_follows_it) {
  const TemporaryFolder folder;
  plumb::detail::LlamaModel model({TinyGguf({.context = 2048}).write(folder / "tiny.gguf"),
                                   plumb::detail::Precision::exact, 2, 256});
  plumb::detail::CausalScorer scorer(model);
  plumb::detail::CausalScorer<plumb::detail::LlamaModel>::Block block;
  plumb::detail::Query query;
  for (const std::string end : {"one end", "another end", "a third", "the last of all"}) {
    query.candidates.push_back({std::string(1500, 'x') + end, {{1500, 1500 + end.size()}}});
  }
  scorer.add(block, query);
  scorer.plan(block);
  BOOST_TEST(block.packs() == 1U);
  BOOST_TEST(block.cost().tokens_fed == block.cost().tree_nodes);
  const auto together = scorer.score(block, 0);
  for (std::size_t i = 0; i < together.size(); ++i) {
    const auto alone =
        scorer.score(plumb::detail::Query{{query.candidates[block.pack(0)[i]]}}).front();
    BOOST_TEST(std::abs(together[i].answer.log_likelihood - alone.answer.log_likelihood) < 1e-3);
  }
}

BOOST_AUTO_TEST_CASE(what_was_asked_before_changes_neither_limits_nor_scores) {
  const TemporaryFolder folder;
  plumb::detail::LlamaModel model({TinyGguf({.context = 2048}).write(folder / "tiny.gguf"),
                                   plumb::detail::Precision::exact, 2, 256});
  const std::vector<plumb::detail::TokenId> shorter{1, 2, 3, 4, 5};
  const std::vector<plumb::detail::TokenId> longer(900, 7);
  const std::vector<float> before = row_after(model, shorter);
  const plumb::detail::TreeLimits limits = model.tree_limits();
  BOOST_TEST(row_after(model, longer).size() == model.vocabulary_size());
  BOOST_TEST(model.tree_limits().nodes == limits.nodes);
  BOOST_TEST(worst_difference(before, row_after(model, shorter)) == 0);
}

BOOST_AUTO_TEST_CASE(a_tree_that_grows_past_the_cache_gives_the_rows_of_one_with_room) {
  for (const TinyKind kind : {TinyKind::transformer, TinyKind::sliding_window}) {
    const TemporaryFolder folder;
    const auto file = TinyGguf({.kind = kind, .context = 4096}).write(folder / "tiny.gguf");
    plumb::detail::LlamaModel small({file, plumb::detail::Precision::exact, 2, 256});
    plumb::detail::LlamaModel roomy({file, plumb::detail::Precision::exact, 2, 4096});
    const Rows moved = grown(small, 20);  // outgrows 512, 1024 and then 1536 cells
    const Rows expected = grown(roomy, 20);
    BOOST_TEST(worst_difference(moved, expected) < 1e-4);
    plumb::detail::LlamaModel oracle({file, plumb::detail::Precision::exact, 2, 256});
    double worst = 0;
    std::size_t checked = 0;
    for (const auto& [prefix, row] : moved) {
      if (++checked % 5 == 0)
        worst = std::max(worst, worst_difference(row, row_after(oracle, prefix)));
    }
    BOOST_TEST(worst < 1e-3);
    // The next tree again starts with a cache of the initial size.
    BOOST_TEST(worst_difference(grown(small, 20), moved) == 0);
  }
}

BOOST_AUTO_TEST_CASE(reserving_the_tree_size_does_not_change_the_rows) {
  for (const TinyKind kind : {TinyKind::transformer, TinyKind::sliding_window}) {
    const TemporaryFolder folder;
    const auto file = TinyGguf({.kind = kind, .context = 4096}).write(folder / "tiny.gguf");
    plumb::detail::LlamaModel roomy({file, plumb::detail::Precision::exact, 2, 2048});
    plumb::detail::LlamaModel small({file, plumb::detail::Precision::exact, 2, 256});
    const Rows expected = grown(roomy, 16);
    small.reserve(1500);
    BOOST_TEST(worst_difference(grown(small, 16), expected) == 0);
    small.reserve(1U << 30);  // more than the cache can hold, so the maximum is reserved
    BOOST_TEST(worst_difference(grown(small, 16), expected) < 1e-4);
    small.reserve(10);  // less than the tree needs
    BOOST_TEST(worst_difference(grown(small, 16), expected) < 1e-4);
  }
}

// llama.cpp rotates with the factors for long contexts as soon as the cache has more cells than the
// original context. plumb keeps trees below that size, so scores do not depend on it.
BOOST_AUTO_TEST_CASE(a_long_rope_model_keeps_its_factors_for_short_contexts) {
  const TemporaryFolder folder;
  const auto file = TinyGguf({.context = 8192}).with_long_rope(2048).write(folder / "tiny.gguf");
  plumb::detail::LlamaModel model({file, plumb::detail::Precision::exact, 2});
  BOOST_TEST(model.context_length() == 1536U);  // 2,048 cells less two packs
  BOOST_TEST(model.tree_limits().nodes == 1536U);
  const std::vector<plumb::detail::TokenId> prefix{263, 't', 'h', 'e', 'r', 'e'};
  const std::vector<float> short_row = row_after(model, prefix);
  model.reserve(100'000);
  BOOST_TEST(worst_difference(short_row, row_after(model, prefix)) == 0);
  // With an original context below the smallest cache, the long factors would always be used.
  const auto long_file = TinyGguf({.context = 8192}).with_long_rope(512).write(folder / "l.gguf");
  BOOST_CHECK_EXCEPTION(plumb::detail::LlamaModel({long_file}), plumb::detail::Error,
                        plumb::detail::test::says(plumb::detail::Fault::user, "`pack`"));
}

BOOST_AUTO_TEST_CASE(a_tree_past_the_models_limit_is_refused_also_when_it_grows_there) {
  const TemporaryFolder folder;
  plumb::detail::LlamaModel model({TinyGguf({.context = 700}).write(folder / "tiny.gguf"),
                                   plumb::detail::Precision::exact, 2, 256});
  BOOST_TEST(model.tree_limits().nodes == 700U);
  plumb::detail::TokenTree tree;
  const plumb::detail::NodeId end = tree.insert(std::vector<plumb::detail::TokenId>(600, 7));
  const auto ignore = [](plumb::detail::NodeId, std::span<const float>) {};
  model.evaluate(tree, std::vector{end}, ignore);
  const plumb::detail::NodeId last = tree.insert(std::vector<plumb::detail::TokenId>(101, 8), end);
  BOOST_CHECK_EXCEPTION(model.evaluate(tree, std::vector{last}, ignore), plumb::detail::Error,
                        [](const plumb::detail::Error& error) {
                          return error.fault() == plumb::detail::Fault::internal &&
                                 std::string(error.what()).find("701 nodes exceeds the limit") !=
                                     std::string::npos;
                        });
}

/// Statements that begin with a shared context of `tokens` tokens.
struct Shared {
  explicit Shared(std::size_t tokens) {
    plumb::detail::RandomStream random(tokens, "context");
    for (std::size_t i = 0; i < tokens; ++i) {
      context.text += static_cast<char>('A' + random.below(26));
    }
    for (const std::string subject : {"lyon", "lyons", "ly", "nancy the old and far away", "x"}) {
      for (plumb::detail::Prompt& prompt : statements(subject).candidates) {
        prompt.text.insert(0, context.text);
        for (plumb::detail::ByteSpan& span : prompt.answer)
          span.begin += tokens, span.end += tokens;
        query.candidates.push_back(std::move(prompt));
      }
    }
    // These statements share only the first part of the context.
    for (std::size_t depth = 0; depth <= tokens; depth += 37) {
      query.candidates.push_back({context.text.substr(0, depth) + "...", {{depth, depth + 3}}});
    }
  }
  plumb::detail::CausalScorer<plumb::detail::LlamaModel>::Block block(
      plumb::detail::CausalScorer<plumb::detail::LlamaModel>& scorer, int copies = 1) const {
    plumb::detail::CausalScorer<plumb::detail::LlamaModel>::Block made;
    scorer.share(made, context);
    for (int i = 0; i < copies; ++i) {
      plumb::detail::Query asked = query;
      for (plumb::detail::Prompt& prompt : asked.candidates)
        prompt.text += std::string(9, static_cast<char>('a' + i));
      scorer.add(made, asked);
    }
    scorer.plan(made);
    return made;
  }
  plumb::detail::Prompt context;
  plumb::detail::Query query;
};

void check_equal(const std::vector<plumb::detail::StatementScore>& a,
                 const std::vector<plumb::detail::StatementScore>& b) {
  BOOST_REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    BOOST_TEST(a[i].statement.log_likelihood == b[i].statement.log_likelihood);
    BOOST_TEST(a[i].answer.log_likelihood == b[i].answer.log_likelihood);
  }
}

BOOST_AUTO_TEST_CASE(statements_score_the_same_with_a_shared_context_and_without) {
  for (const TinyKind kind :
       {TinyKind::transformer, TinyKind::sliding_window, TinyKind::recurrent, TinyKind::hybrid}) {
    const TemporaryFolder folder;
    plumb::detail::LlamaModel model(
        {TinyGguf({.kind = kind, .context = 2048}).write(folder / "tiny.gguf"),
         plumb::detail::Precision::exact, 2, 256});
    for (const plumb::detail::Span scored :
         {plumb::detail::Span::statement, plumb::detail::Span::answer}) {
      plumb::detail::CausalScorer scorer(model, plumb::detail::Bos(), scored);
      const Shared shared(400);
      auto block = shared.block(scorer);
      std::vector<plumb::detail::StatementScore> scores(shared.query.candidates.size());
      for (std::size_t p = 0; p < block.packs(); ++p) {
        const auto part = scorer.score(block, p);
        for (std::size_t i = 0; i < part.size(); ++i) scores[block.pack(p)[i]] = part[i];
      }
      double worst = 0;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        plumb::detail::Prompt prompt = shared.query.candidates[i];
        prompt.text += "aaaaaaaaa";
        const auto alone = scorer.score(plumb::detail::Query{{prompt}}).front();
        worst = std::max(
            worst, std::abs(scores[i].statement.log_likelihood - alone.statement.log_likelihood));
        worst = std::max(worst,
                         std::abs(scores[i].answer.log_likelihood - alone.answer.log_likelihood));
        BOOST_TEST(scores[i].statement.tokens == alone.statement.tokens);
        BOOST_TEST(scores[i].answer.tokens == alone.answer.tokens);
      }
      BOOST_TEST(worst < 1e-3);
    }
  }
}

// An interrupted and resumed job must write the same bytes as an uninterrupted one.
BOOST_AUTO_TEST_CASE(packs_on_a_shared_context_score_the_same_whatever_was_asked_before) {
  for (const TinyKind kind : {TinyKind::transformer, TinyKind::sliding_window}) {
    const TemporaryFolder folder;
    const auto file = TinyGguf({.kind = kind, .context = 2048}).write(folder / "tiny.gguf");
    const Shared shared(500);
    std::vector<std::vector<plumb::detail::StatementScore>> expected;
    {
      plumb::detail::LlamaModel model({file, plumb::detail::Precision::exact, 2, 256});
      plumb::detail::CausalScorer scorer(model);
      auto block = shared.block(scorer, 8);
      BOOST_REQUIRE(block.packs() > 3U);
      for (std::size_t p = 0; p < block.packs(); ++p) expected.push_back(scorer.score(block, p));
    }
    plumb::detail::LlamaModel model({file, plumb::detail::Precision::exact, 2, 256});
    plumb::detail::CausalScorer scorer(model);
    auto block = shared.block(scorer, 8);
    for (std::size_t p = block.packs(); p-- > 0;) check_equal(scorer.score(block, p), expected[p]);
    const Shared other(1300);  // scoring these enlarges the cache
    auto between = other.block(scorer);
    (void)scorer.score(between, 0);
    check_equal(scorer.score(block, 1), expected[1]);
    (void)scorer.score(statements("Lyon"));
    check_equal(scorer.score(block, 2), expected[2]);
  }
}

BOOST_AUTO_TEST_CASE(a_statement_longer_than_the_context_is_refused) {
  const TemporaryFolder folder;
  auto model = tiny(folder, {.context = 64});
  plumb::detail::CausalScorer scorer(model);
  plumb::detail::CausalScorer<plumb::detail::LlamaModel>::Block block;
  const std::string text(200, 'x');
  BOOST_CHECK_EXCEPTION(scorer.add(block, {{{text, {{0, 10}}}}}), plumb::detail::Error,
                        [](const plumb::detail::Error& error) {
                          return error.fault() == plumb::detail::Fault::user &&
                                 std::string(error.what()).find("limit is 64") != std::string::npos;
                        });
}

BOOST_AUTO_TEST_CASE(a_missing_or_damaged_file_is_a_user_error_that_names_it) {
  const TemporaryFolder folder;
  const auto whole = TinyGguf({}).write(folder / "whole.gguf");
  const std::string bytes = plumb::detail::test::slurp(whole);
  const auto names_file = [](const std::string& name) {
    return [name](const plumb::detail::Error& error) {
      return error.fault() == plumb::detail::Fault::user &&
             std::string(error.what()).find(name) != std::string::npos;
    };
  };
  BOOST_CHECK_EXCEPTION(plumb::detail::LlamaModel({folder / "none.gguf"}), plumb::detail::Error,
                        names_file("none.gguf"));
  for (const std::size_t kept :
       {std::size_t{0}, std::size_t{3}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    const auto cut = folder.write("cut.gguf", bytes.substr(0, kept));
    BOOST_CHECK_EXCEPTION(plumb::detail::LlamaModel({cut}), plumb::detail::Error,
                          names_file("cut.gguf"));
  }
  const auto text = folder.write("text.gguf", std::string(5000, 'a'));
  BOOST_CHECK_EXCEPTION(plumb::detail::LlamaModel({text}), plumb::detail::Error,
                        names_file("text.gguf"));
}

BOOST_AUTO_TEST_CASE(fast_precision_is_near_exact_but_not_equal) {
  const TemporaryFolder folder;
  const auto file = TinyGguf({}).write(folder / "tiny.gguf");
  plumb::detail::LlamaModel exact({file, plumb::detail::Precision::exact, 2});
  plumb::detail::LlamaModel fast({file, plumb::detail::Precision::fast, 2});
  std::vector<plumb::detail::TokenId> sequence{10, 20, 30, 40, 50, 60};
  const double difference = worst_difference(row_after(exact, sequence), row_after(fast, sequence));
  BOOST_TEST(difference > 0);
  BOOST_TEST(difference < 0.1);
}

/// The scores of all statements about a few subjects, planned and evaluated in packs.
std::vector<plumb::detail::StatementScore> scored_in_packs(plumb::detail::LlamaModel& model,
                                                           std::size_t& packs) {
  plumb::detail::CausalScorer scorer(model);
  plumb::detail::CausalScorer<plumb::detail::LlamaModel>::Block block;
  for (const std::string subject : {"lyon", "lyons", "ly", "nancy the old and far away", "x"}) {
    for (int copy = 0; copy < 8; ++copy) {
      plumb::detail::Query query = statements(subject);
      for (plumb::detail::Prompt& prompt : query.candidates) {
        prompt.text += std::string(9, static_cast<char>('a' + copy));
      }
      scorer.add(block, query);
    }
  }
  scorer.plan(block);
  packs = block.packs();
  std::vector<plumb::detail::StatementScore> scores(5 * 8 * 5);
  for (std::size_t p = 0; p < packs; ++p) {
    const auto part = scorer.score(block, p);
    for (std::size_t i = 0; i < part.size(); ++i) scores[block.pack(p)[i]] = part[i];
  }
  return scores;
}

// The packs use a GPU's step size but run on a CPU.
BOOST_AUTO_TEST_CASE(packs_of_any_size_give_the_same_scores_within_the_bound) {
  for (const TinyKind kind : {TinyKind::transformer, TinyKind::sliding_window}) {
    const TemporaryFolder folder;
    const auto file = TinyGguf({.kind = kind, .context = 4096}).write(folder / "tiny.gguf");
    std::vector<plumb::detail::StatementScore> expected;
    std::size_t usual = 0;
    for (const std::size_t pack : {0U, 32U, 100U, 1024U, 8192U}) {
      plumb::detail::LlamaOptions options{file, plumb::detail::Precision::exact, 2};
      options.engine.pack = pack;
      plumb::detail::LlamaModel model(options);
      BOOST_TEST(model.tree_limits().batch == (pack == 0 ? 256 : pack));
      BOOST_TEST(model.tree_limits().leaves <= model.tree_limits().batch);
      BOOST_TEST(model.describe().pack == model.tree_limits().batch);
      std::size_t packs = 0;
      const auto scores = scored_in_packs(model, packs);
      if (pack == 0) {
        expected = scores;
        usual = packs;
      }
      if (pack >= 1024) BOOST_TEST(2 * packs < usual);
      double worst = 0;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        worst = std::max(worst, std::abs(scores[i].statement.log_likelihood -
                                         expected[i].statement.log_likelihood));
      }
      BOOST_TEST(worst < 1e-4);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_cache_type_that_the_model_cannot_have_is_refused) {
  const TemporaryFolder folder;
  plumb::detail::LlamaOptions options{TinyGguf({}).write(folder / "tiny.gguf"),
                                      plumb::detail::Precision::fast, 2};
  options.engine.cache_type =
      plumb::detail::CacheType::q8_0;  // attention heads of 8 numbers do not fill a block of 32
  BOOST_CHECK_EXCEPTION(plumb::detail::LlamaModel{options}, plumb::detail::Error,
                        [](const plumb::detail::Error& error) {
                          return error.fault() == plumb::detail::Fault::user &&
                                 std::string(error.what())
                                     .starts_with(
                                         "`cache-type`: q8_0 does not work with this "
                                         "model");
                        });
  options.engine.cache_type = plumb::detail::CacheType::f16;
  plumb::detail::LlamaModel model(options);
  BOOST_TEST(model.describe().cache_type == "f16");
}

BOOST_AUTO_TEST_CASE(model_describes_its_backend_and_weights) {
  const TemporaryFolder folder;
  const plumb::detail::ModelDescription description = tiny(folder, {}).describe();
  if (plumb::detail::llama_gpu_kind().empty()) {
    BOOST_TEST(description.device == "CPU");
    BOOST_TEST(!description.gpu_layers);
    BOOST_TEST(description.pack == 256U);
  }
  BOOST_TEST(description.cache_type == "f32");
  BOOST_TEST(description.backend.starts_with("llama.cpp"));
  BOOST_TEST(description.weights == "all F32");
  BOOST_TEST(!description.quantized);
}

BOOST_AUTO_TEST_SUITE_END()
