// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each statement to a causal language model?
//
//   log P(s) = Σ_t log P(token_t | BOS, token_1 … token_{t−1})
// as in the BEAR probe (closed-set sentence likelihood). A statement is tokenised whole, so a token
// that spans the join of prompt and answer is what the model would see. Statements of a block share
// one trie, cut into packs (pack_plan.hpp); tree or no tree, the scores are the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/backend/evaluate.hpp"
#include "plumb/core/error.hpp"
#include "plumb/score/candidate_scorer.hpp"
#include "plumb/score/log_softmax.hpp"
#include "plumb/score/pack_plan.hpp"
#include "plumb/score/tokenized_statements.hpp"

namespace plumb {

/// Models CandidateScorer and PackedScorer. As thread-safe as the model it asks.
template <CausalLm Model>
class CausalScorer {
 public:
  class Block {
   public:
    [[nodiscard]] std::size_t packs() const { return plan_.packs(); }
    [[nodiscard]] std::span<const std::uint32_t> pack(std::size_t p) const { return plan_.pack(p); }
    [[nodiscard]] ScoringCost cost() const {
      return {statements_.size(), one_by_one_, plan_.tree_nodes, plan_.pack_nodes};
    }

   private:
    friend CausalScorer;
    TokenizedStatements statements_;
    PackPlan plan_;
    std::uint64_t one_by_one_ = 0;
  };

  /// `with_bos` puts the model's BOS before every statement; without it the first token is not
  /// scored. Throws a user error when the model has none.
  CausalScorer(Model& model, bool with_bos) : model_(model) {
    if (!with_bos) return;
    bos_ = model.bos();
    if (!bos_) {
      throw user_error({.field = "--bos"}, "the model has no BOS token",
                       "use --bos no; the first token of each statement is then not scored");
    }
  }

  [[nodiscard]] std::optional<TokenId> bos() const { return bos_; }

  /// Throws a user error for a statement longer than the model's context.
  void add(Block& block, const Query& query) {
    for (const Prompt& prompt : query.candidates) {
      append(block.statements_, prompt);
      block.one_by_one_ += block.statements_.tokens(block.statements_.size() - 1).size();
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
      for (std::size_t t = 1; t < statements.tokens(last).size(); ++t) {
        reducible = reducible || whole || statements.is_answer(last, t);
      }
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

  void plan(Block& block) { block.plan_ = plan_packs(block.statements_, tree_limits(model_)); }

  [[nodiscard]] std::vector<StatementScore> score(Block& block, std::size_t p) {
    const std::span<const std::uint32_t> pack = block.pack(p);
    build_tree(block.statements_, pack);
    std::vector<StatementScore> scores(pack.size());
    std::vector<NodeId> wanted(tree_.size() - 1);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<NodeId>(i + 1);
    evaluate_and_release(model_, tree_, wanted, [&](NodeId node, std::span<const float> logits) {
      const double normalizer = log_sum_exp(logits);
      for (std::uint32_t u = use_begin_[node]; u < use_begin_[node + 1]; ++u) {
        const Use& use = uses_[u];
        const auto token = static_cast<std::size_t>(use.token);
        probabilities_[use.slot] = static_cast<double>(logits[token]) - normalizer;
      }
    });
    // Added up in the order of the tokens, whatever order the rows came in.
    for (std::size_t i = 0, slot = 0; i < pack.size(); ++i) {
      const std::size_t length = block.statements_.tokens(pack[i]).size();
      for (std::size_t t = 1; t < length; ++t, ++slot) {
        scores[i].log_likelihood += probabilities_[slot];
        ++scores[i].tokens;
        if (!block.statements_.is_answer(pack[i], t)) continue;
        scores[i].answer_log_likelihood += probabilities_[slot];
        ++scores[i].answer_tokens;
      }
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
    statements.add(prompt, model_.tokenize(prompt.text), bos_);
    const std::size_t length = statements.tokens(statements.size() - 1).size();
    if (length <= model_.context_length()) return;
    throw user_error({.field = "statement"},
                     "'" + shortened(prompt.text) + "' has " + std::to_string(length) +
                         " tokens, the model's context " + std::to_string(model_.context_length()),
                     "shorten the template or leave the fact out");
  }

  void build_tree(const TokenizedStatements& statements, std::span<const std::uint32_t> pack) {
    tree_.clear();
    std::vector<std::pair<NodeId, Use>> found;
    std::uint32_t slot = 0;
    for (const std::uint32_t statement : pack) {
      const auto tokens = statements.tokens(statement);
      NodeId node = TokenTree::root;
      for (std::size_t t = 0; t + 1 < tokens.size(); ++t) {
        node = tree_.add(node, tokens[t]);
        found.push_back({node, {tokens[t + 1], slot++}});
      }
    }
    probabilities_.assign(slot, 0);
    use_begin_.assign(tree_.size() + 1, 0);
    for (const auto& [node, use] : found) ++use_begin_[node + 1];
    for (std::size_t n = 1; n < use_begin_.size(); ++n) use_begin_[n] += use_begin_[n - 1];
    uses_.resize(found.size());
    std::vector<std::uint32_t> next = use_begin_;
    for (const auto& [node, use] : found) uses_[next[node]++] = use;
  }

  Model& model_;
  std::optional<TokenId> bos_;
  TokenTree tree_;
  std::vector<std::uint32_t> use_begin_;  // by node: its first entry in uses_
  std::vector<Use> uses_;
  std::vector<double> probabilities_;
};

}  // namespace plumb
