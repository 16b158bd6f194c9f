// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each statement to a causal language model?
//
//   log P(s) = Σ_t log P(token_t | BOS, token_1 … token_{t−1})
// as in the BEAR probe (closed-set sentence likelihood). A statement is tokenised whole, so a token
// that spans the join of prompt and answer is what the model would see. Statements of a block share
// one trie, cut into packs (pack_plan.hpp); tree or no tree, the scores are the same. A long context
// that all statements of a block begin with, such as the shots of a many-shot prompt, is evaluated
// once and stays while the block's packs branch from it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/backend/evaluate.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/log_softmax.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/pack_plan.hpp"
#include "plumb/score/tokenized_statements.hpp"

namespace plumb {

/// Models CandidateScorer and PackedScorer. As thread-safe as the model it asks, which nobody else
/// may ask while a block with a context is being scored: the model holds the context.
template <CausalLm Model>
class CausalScorer {
 public:
  class Block {
   public:
    [[nodiscard]] std::size_t packs() const { return plan_.packs(); }
    [[nodiscard]] std::span<const std::uint32_t> pack(std::size_t p) const { return plan_.pack(p); }
    [[nodiscard]] ScoringCost cost() const {
      return {statements_.size(), one_by_one_, context_tokens_ + plan_.tree_nodes,
              context_tokens_ + plan_.pack_nodes};
    }

   private:
    friend CausalScorer;
    /// A row of the context, by the place of its token, and the token that is looked up in it.
    using ContextUse = std::pair<std::uint32_t, TokenId>;
    TokenizedStatements statements_;
    PackPlan plan_;
    std::uint64_t one_by_one_ = 0;
    std::uint64_t context_tokens_ = 0;
    std::vector<ContextUse> context_uses_;       // ascending, each once
    std::vector<double> context_probabilities_;  // parallel; empty until the context is evaluated
  };

  /// `with_bos` puts the model's BOS before every statement; without it the first token is not
  /// scored. Throws a user error when the model has none. With `scored` the answer alone, only the
  /// answers' tokens are looked up, which costs the model fewer rows; a statement's own
  /// log-likelihood and count are then left at 0.
  CausalScorer(Model& model, bool with_bos, Span scored = Span::statement)
      : model_(model), scored_(scored) {
    if (!with_bos) return;
    bos_ = model.bos();
    if (!bos_) {
      throw user_error({.field = "--bos"}, "the model has no BOS token",
                       "use --bos no; the first token of each statement is then not scored");
    }
  }
  CausalScorer(const CausalScorer&) = delete;
  CausalScorer& operator=(const CausalScorer&) = delete;
  ~CausalScorer() { drop_context(); }

  [[nodiscard]] std::optional<TokenId> bos() const { return bos_; }

  /// Says, before the first add, what the block's statements begin with; where one goes on
  /// otherwise earlier, it branches off there. A model that holds one branch does without.
  void share(Block& block, const Prompt& context) {
    if (tree_limits(model_).leaves < 2) return;
    std::vector<TokenId> tokens;
    if (bos_) tokens.push_back(*bos_);
    for (const Token& token : tokenize_prompt(model_, context).tokens) tokens.push_back(token.id);
    block.statements_.set_context(std::move(tokens));
  }

  /// Throws a user error for a statement longer than the model's context.
  void add(Block& block, const Query& query) {
    for (const Prompt& prompt : query.candidates) {
      append(block.statements_, prompt);
      block.one_by_one_ += block.statements_.length(block.statements_.size() - 1);
    }
  }

  /// Throws the user error that scoring and reducing the query would end in, without the model.
  void check(const Query& query, Scoring scoring) const {
    TokenizedStatements statements;
    for (const Prompt& prompt : query.candidates) {
      append(statements, prompt);
      const std::size_t last = statements.size() - 1;
      const bool whole = scoring.span == Span::statement;
      bool reducible = false;
      if (whole) reducible = statements.length(last) > 1;
      for (const std::uint32_t t : statements.answer(last)) reducible = reducible || t > 0;
      if (reducible) continue;
      throw user_error(
          {.field = "statement"},
          "'" + shortened(prompt.text) + "' has no scored token in its " +
              std::string(name_of(scoring.span)),
          whole ? "lengthen the template or use --bos yes"
                : "the tokenizer does not spell the answer, or its only token is the first, "
                  "which has no probability without BOS; use --span statement or --bos yes");
    }
  }

  void plan(Block& block) {
    const TokenizedStatements& statements = block.statements_;
    block.plan_ = plan_packs(statements, tree_limits(model_));
    std::size_t deepest = 0;
    for (std::uint32_t s = 0; s < statements.size(); ++s) {
      const std::size_t shared = statements.shared(s);
      const bool ends_there = statements.rest(s).empty();
      deepest = std::max(deepest, ends_there && shared > 0 ? shared - 1 : shared);
      for_each_scored(statements, s, [&](std::size_t t) {
        if (t > shared) return;
        block.context_uses_.emplace_back(static_cast<std::uint32_t>(t - 1), statements.token(s, t));
      });
    }
    block.context_tokens_ = deepest;
    std::ranges::sort(block.context_uses_);
    const auto [first, last] = std::ranges::unique(block.context_uses_);
    block.context_uses_.erase(first, last);
  }

  [[nodiscard]] std::vector<StatementScore> score(Block& block, std::size_t p) {
    hold_context(block);
    const TokenizedStatements& statements = block.statements_;
    const std::span<const std::uint32_t> pack = block.pack(p);
    const std::vector<NodeId> wanted = grow_tree(statements, pack);
    const auto kept = static_cast<NodeId>(context_.size());
    if (!wanted.empty()) {
      evaluate_and_release(
          model_, tree_, wanted,
          [&](NodeId node, std::span<const float> logits) {
            const double normalizer = log_sum_exp(logits);
            for (std::uint32_t u = use_begin_[node]; u < use_begin_[node + 1]; ++u) {
              const Use& use = uses_[u];
              const auto token = static_cast<std::size_t>(use.token);
              probabilities_[use.slot] = static_cast<double>(logits[token]) - normalizer;
            }
          },
          kept);
    }
    // Added up in the order of the tokens, whatever order the rows came in.
    std::vector<StatementScore> scores(pack.size());
    for (std::size_t i = 0, slot = 0; i < pack.size(); ++i) {
      const std::span<const std::uint32_t> answer = statements.answer(pack[i]);
      for_each_scored(statements, pack[i], [&](std::size_t t) {
        const double probability = t <= statements.shared(pack[i])
                                       ? context_probability(block, pack[i], t)
                                       : probabilities_[slot++];
        if (scored_ == Span::statement) {
          scores[i].log_likelihood += probability;
          ++scores[i].tokens;
        }
        if (!std::ranges::binary_search(answer, t)) return;
        scores[i].answer_log_likelihood += probability;
        ++scores[i].answer_tokens;
      });
    }
    return scores;
  }

  /// One query by itself.
  [[nodiscard]] std::vector<StatementScore> score(const Query& query) {
    Block block;
    add(block, query);
    plan(block);
    std::vector<StatementScore> scores(query.candidates.size());
    for (std::size_t p = 0; p < block.packs(); ++p) {
      const auto part = score(block, p);
      for (std::size_t i = 0; i < part.size(); ++i) scores[block.pack(p)[i]] = part[i];
    }
    return scores;
  }

 private:
  /// A place that waits for a token's log-probability in some node's row.
  struct Use {
    TokenId token;
    std::uint32_t slot;
  };

  static std::string shortened(const std::string& text) {
    std::size_t shown = std::min<std::size_t>(60, text.size());
    while (shown < text.size() && (text[shown] & 0xC0) == 0x80) ++shown;  // whole characters
    return text.substr(0, shown) + (shown < text.size() ? "…" : "");
  }

  void append(TokenizedStatements& statements, const Prompt& prompt) const {
    Tokenization tokenization = tokenize_prompt(model_, prompt);
    if (scored_ == Span::answer && tokenization.spells_text) {
      std::size_t end = 0;  // what follows the answer tells nothing of it
      for (const ByteSpan& span : prompt.answer) end = std::max(end, span.end);
      std::erase_if(tokenization.tokens, [&](const Token& token) {
        return token.bytes.begin >= end && token.bytes.end > end;
      });
    }
    statements.add(prompt, tokenization, bos_);
    const std::size_t length = statements.length(statements.size() - 1);
    if (length <= model_.context_length()) return;
    throw user_error({.field = "statement"},
                     "'" + shortened(prompt.text) + "' has " + std::to_string(length) +
                         " tokens, the model's context " + std::to_string(model_.context_length()),
                     "shorten the template or leave the fact out");
  }

  /// Calls `visit(t)` for each token whose probability is looked up, ascending. The first token has
  /// none.
  template <class Visit>
  void for_each_scored(const TokenizedStatements& statements, std::size_t statement,
                       Visit visit) const {
    if (scored_ == Span::statement) {
      for (std::size_t t = 1; t < statements.length(statement); ++t) visit(t);
    } else {
      for (const std::uint32_t t : statements.answer(statement)) {
        if (t > 0) visit(static_cast<std::size_t>(t));
      }
    }
  }

  double context_probability(const Block& block, std::size_t statement, std::size_t t) const {
    const typename Block::ContextUse use{static_cast<std::uint32_t>(t - 1),
                                         block.statements_.token(statement, t)};
    const auto found = std::ranges::lower_bound(block.context_uses_, use);
    return block
        .context_probabilities_[static_cast<std::size_t>(found - block.context_uses_.begin())];
  }

  /// Makes the model hold the block's context and nothing else. It is evaluated by itself, whatever
  /// was asked before, so that a job taken up again gives the same bytes.
  void hold_context(Block& block) {
    const std::span<const TokenId> context =
        block.statements_.context().first(block.context_tokens_);
    const bool known = block.context_probabilities_.size() == block.context_uses_.size();
    if (known && std::ranges::equal(context, context_)) return;
    drop_context();
    if (context.empty()) return;
    context_.assign(context.begin(), context.end());
    const NodeId end = tree_.insert(context);
    std::vector<NodeId> wanted;
    for (const auto& [place, token] : block.context_uses_) {
      if (wanted.empty() || wanted.back() != place + 1) wanted.push_back(place + 1);
    }
    if (wanted.empty() || wanted.back() != end) wanted.push_back(end);
    block.context_probabilities_.assign(block.context_uses_.size(), 0);
    evaluate_and_release(
        model_, tree_, wanted,
        [&](NodeId node, std::span<const float> logits) {
          const typename Block::ContextUse from{node - 1, 0};
          auto use = std::ranges::lower_bound(block.context_uses_, from);
          if (use == block.context_uses_.end() || use->first != node - 1) return;
          const double normalizer = log_sum_exp(logits);
          for (; use != block.context_uses_.end() && use->first == node - 1; ++use) {
            const auto token = static_cast<std::size_t>(use->second);
            block.context_probabilities_[static_cast<std::size_t>(use -
                                                                  block.context_uses_.begin())] =
                static_cast<double>(logits[token]) - normalizer;
          }
        },
        end);
  }

  void drop_context() {
    if constexpr (TreeCausalLm<Model>) {
      if (!context_.empty()) model_.release(tree_, TokenTree::root);
    }
    context_.clear();
    tree_.clear();
  }

  /// Hangs a pack on the context and lists which of its tokens are looked up where; returns the
  /// nodes that are.
  std::vector<NodeId> grow_tree(const TokenizedStatements& statements,
                                std::span<const std::uint32_t> pack) {
    tree_.shrink(context_.size() + 1);
    std::vector<std::pair<NodeId, Use>> found;
    std::uint32_t slot = 0;
    for (const std::uint32_t statement : pack) {
      const std::size_t shared = statements.shared(statement);
      const auto rest = statements.rest(statement);
      auto node = static_cast<NodeId>(shared);  // the context is a chain, its ids are its depths
      std::size_t depth = shared;
      for_each_scored(statements, statement, [&](std::size_t t) {
        if (t <= shared) return;
        for (; depth < t; ++depth) node = tree_.add(node, rest[depth - shared]);
        found.push_back({node, {rest[t - shared], slot++}});
      });
    }
    probabilities_.assign(slot, 0);
    use_begin_.assign(tree_.size() + 1, 0);
    for (const auto& [node, use] : found) ++use_begin_[node + 1];
    std::vector<NodeId> wanted;
    for (NodeId node = 1; node < tree_.size(); ++node) {
      if (use_begin_[node + 1] > 0) wanted.push_back(node);
    }
    for (std::size_t n = 1; n < use_begin_.size(); ++n) use_begin_[n] += use_begin_[n - 1];
    uses_.resize(found.size());
    std::vector<std::uint32_t> next = use_begin_;
    for (const auto& [node, use] : found) uses_[next[node]++] = use;
    return wanted;
  }

  Model& model_;
  std::optional<TokenId> bos_;
  Span scored_;
  TokenTree tree_;
  std::vector<TokenId> context_;          // what the model holds: nodes 1 … of tree_
  std::vector<std::uint32_t> use_begin_;  // by node: its first entry in uses_
  std::vector<Use> uses_;
  std::vector<double> probabilities_;
};

}  // namespace plumb
