// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each statement according to a causal language model?
//
//   log P(s) = Σ_t log P(token_t | BOS, token_1 … token_{t−1})
// This is the sentence likelihood of the BEAR probe (closed sets). A statement is tokenised as a
// whole, so a token that spans the boundary between prompt and answer is presented to the model as
// in running text. Statements of a block share one trie, which is cut into packs (pack_plan.hpp).
// Scores are the same whether or not the model supports trees. If all statements of a block begin
// with a long context, such as the shots of a many-shot prompt, the context is evaluated once and
// kept in the model's cache while the block's packs branch from it.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/cached_tree.hpp"
#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/check_model.hpp"
#include "plumb/detail/core/byte_archive.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/pack_plan.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"
#include "plumb/detail/score/score_check.hpp"
#include "plumb/detail/score/token_lookups.hpp"
#include "plumb/detail/score/tokenized_statements.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Models CandidateScorer and PackedScorer. The model must outlive the scorer. While a block is
/// being scored, nothing else may use a TreeCausalLm, because the model holds the block's tree. Not
/// thread-safe: each thread needs its own scorer. Several scorers may share a model if it is
/// thread-safe and does not support trees. The model must be a ScoringLm; for any other type, the
/// compiler reports what is missing.
template <class Model>
class CausalScorer {
  static_assert(check_scoring_lm<Model>());

 public:
  class Block {
   public:
    [[nodiscard]] std::size_t packs() const { return plan_.packs(); }
    [[nodiscard]] std::span<const std::uint32_t> pack(std::size_t p) const { return plan_.pack(p); }
    /// The number of tokens fed for pack p.
    [[nodiscard]] std::uint64_t tokens(std::size_t p) const { return plan_.nodes[p]; }
    [[nodiscard]] ScoringCost cost() const {
      return {statements_.size(), one_by_one_, context_tokens_ + plan_.tree_nodes,
              context_tokens_ + plan_.pack_nodes};
    }

   private:
    friend CausalScorer;
    TokenizedStatements statements_;
    PackPlan plan_;
    std::uint64_t one_by_one_ = 0;
    std::uint64_t context_tokens_ = 0;
    TokenLookups context_;                    // lookups of tokens that follow context nodes
    std::vector<std::size_t> context_slots_;  // the first slot of each statement in `context_`
    bool context_is_read_ = false;
  };

  /// `bos` precedes every statement; without it, the first token is not scored. Throws a user error
  /// if the model has no BOS or the token is outside its vocabulary. If `scored` is the answer or
  /// the continuation, only its tokens are looked up, which requires fewer rows; the other
  /// log-likelihoods and counts stay 0.
  explicit CausalScorer(Model& model, const Bos& bos = {}, Span scored = Span::statement)
      : model_(model), bos_setting_(bos), scored_(scored), held_(model) {
    const bool lacks_bos = bos && bos.token.empty() && !model.bos();
    bos_ =
        require_bos(model, bos,
                    "set `bos` to no (each statement's first token then has no probability), or " +
                        (lacks_bos ? stand_in_remedy(model) : std::string()));
    if (bos_) check_in_vocabulary(*bos_, model.vocabulary_size(), "bos");
  }
  /// Deleted because a bare true or false would be unclear; write Bos() or Bos::none() instead.
  template <std::same_as<bool> Flag, class... Rest>
  CausalScorer(Model& model, Flag with_bos, Rest... rest) = delete;
  CausalScorer(const CausalScorer&) = delete;
  CausalScorer& operator=(const CausalScorer&) = delete;

  [[nodiscard]] std::optional<TokenId> bos() const { return bos_; }
  /// The BOS setting passed to the constructor.
  [[nodiscard]] const Bos& bos_setting() const { return bos_setting_; }
  /// The span whose tokens are scored.
  [[nodiscard]] Span span() const { return scored_; }
  /// Whether a prompt already begins with BOS, so that BOS is not added again.
  [[nodiscard]] bool begins_with_bos(const Prompt& prompt) const {
    if (!own_bos_) own_bos_.emplace(model_, bos_);
    return own_bos_->begins(prompt.text);
  }

  /// Sets the context that the block's statements begin with. Must be called before the first add.
  /// A statement that differs from the context branches off at the first differing token. Ignored
  /// if the model can hold only one branch.
  void share(Block& block, const Prompt& context) {
    if (tree_limits(model_).leaves < 2) return;
    block.statements_.set_context(prompt_ids(model_, context, bos_));
  }

  /// Throws a user error if a statement is longer than the model's context, or if a token is
  /// outside the model's vocabulary.
  void add(Block& block, const Query& query) {
    for (const Prompt& prompt : query.candidates) {
      append(block.statements_, prompt, finders_);
      block.one_by_one_ += block.statements_.length(block.statements_.size() - 1);
    }
  }

  /// Throws, in advance, the user error that reducing the scores of the query would cause. The
  /// query must be the last one added to the block.
  void(check)(const Block& block, const Query& query, Scoring scoring) const {
    std::size_t statement = block.statements_.size() - query.candidates.size();
    for (const Prompt& prompt : query.candidates) {
      bool reducible = false;
      for_each_token(block.statements_, statement++, scoring.span,
                     [&](std::size_t) { reducible = true; });
      if (reducible) continue;
      throw user_error({.field = "statement"},
                       "'" + shortened(prompt.text) + "' has no scored token in its " +
                           std::string(name_of(scoring.span)),
                       remedy_without_token(scoring.span));
    }
  }

  void plan(Block& block) const {
    block.plan_ = plan_packs(block.statements_, tree_limits(model_));
    ask_in_context(block);
  }

  /// Serialises an unscored planned block for `load`.
  [[nodiscard]] std::string save(const Block& block) const {
    ByteWriter writer;
    writer(block.statements_, block.plan_, block.one_by_one_);
    return writer.bytes();
  }
  [[nodiscard]] Block load(std::string_view bytes) const {
    Block block;
    ByteReader reader(bytes);
    reader(block.statements_, block.plan_, block.one_by_one_);
    ask_in_context(block);
    return block;
  }

  [[nodiscard]] std::vector<StatementScore> score(Block& block, std::size_t p) {
    hold_context(block);
    const TokenizedStatements& statements = block.statements_;
    const std::span<const std::uint32_t> pack = block.pack(p);
    grow_tree(statements, pack);
    lookups_.prepare();
    if (lookups_.size() > 0) held_.look_up(lookups_.lookups(), lookups_.answers());
    held_.back_to_context();
    const bool looks_up = capabilities_of(model_).lookups;
    // Sums are computed in token order, regardless of the order in which lookups are answered.
    std::vector<StatementScore> scores(pack.size());
    for (std::size_t i = 0, slot = 0; i < pack.size(); ++i) {
      const std::span<const std::uint32_t> answer = statements.answer(pack[i]);
      std::size_t context_slot = block.context_slots_[pack[i]];
      for_each_scored(statements, pack[i], [&](std::size_t t) {
        const double probability =
            t <= statements.shared(pack[i]) ? block.context_[context_slot++] : lookups_[slot++];
        // In a lookup, NaN means that the engine did not report the probability; in a row of
        // logits, it is an error.
        if (looks_up && std::isnan(probability)) ++scores[i].unreported_tokens;
        if (scored_ == Span::statement) {
          add(scores[i].statement, probability);
        }
        if (scored_ != Span::answer && t >= statements.continuation(pack[i])) {
          add(scores[i].continuation, probability);
        }
        if (scored_ == Span::continuation || !ranges::binary_search(answer, t)) return;
        add(scores[i].answer, probability);
      });
    }
    return scores;
  }

  /// Scores a single query.
  [[nodiscard]] std::vector<StatementScore> score(const Query& query) {
    Block block;
    add(block, query);
    plan(block);
    return score_all_packs(*this, block);
  }

 private:
  static void add(SpanScore& span, double log_probability) noexcept {
    span.log_likelihood += log_probability;
    ++span.tokens;
  }

  /// Adds to a planned block the lookups of tokens that follow context nodes.
  void ask_in_context(Block& block) const {
    const TokenizedStatements& statements = block.statements_;
    for (std::uint32_t s = 0; s < statements.size(); ++s) {
      const std::size_t shared = statements.shared(s);
      const bool ends_there = shared > 0 && statements.rest(s).empty();
      block.context_tokens_ =
          std::max<std::uint64_t>(block.context_tokens_, ends_there ? shared - 1 : shared);
      block.context_slots_.push_back(block.context_.size());
      for_each_scored(statements, s, [&](std::size_t t) {
        if (t <= shared) block.context_.ask(static_cast<NodeId>(t), statements.token(s, t));
      });
    }
  }

  struct Finders {
    ContinuationFinder continuations, statements;
  };

  void append(TokenizedStatements& statements, const Prompt& prompt, Finders& finders) const {
    Tokenization tokenization = tokenize_prompt(model_, prompt, bos_);
    const std::size_t vocabulary = model_.vocabulary_size();
    for (const Token& token : tokenization.tokens) {
      check_in_vocabulary(token.id, vocabulary, "tokenize", prompt.text);
    }
    const std::size_t continuation =
        scored_ == Span::answer ? 0
                                : finders.continuations.first(model_, prompt, tokenization, bos_);
    const std::size_t begin =
        prompt.context == 0
            ? 0
            : finders.statements.behind(model_, context_part(prompt), tokenization, bos_);
    if (scored_ == Span::answer && tokenization.spells_text) {
      std::size_t end = 0;  // tokens after the answer do not affect it
      for (const ByteSpan& span : prompt.answer) end = (std::max)(end, span.end);
      std::erase_if(tokenization.tokens, [&](const Token& token) {
        return token.bytes.begin >= end && token.bytes.end > end;
      });
    }
    statements.add(prompt, tokenization, continuation, begin);
    const std::size_t length = statements.length(statements.size() - 1);
    check_length(prompt, length, model_.context_length());
  }

  /// Calls `visit(t)` for each token whose probability is looked up, in ascending order.
  template <class Visit>
  void for_each_scored(const TokenizedStatements& statements, std::size_t statement,
                       Visit visit) const {
    for_each_token(statements, statement, scored_, visit);
  }

  /// Calls `visit(t)` for each token of a span. Without BOS, the statement's first token has no
  /// probability.
  template <class Visit>
  static void for_each_token(const TokenizedStatements& statements, std::size_t statement,
                             Span span, Visit visit) {
    if (span == Span::answer) {
      for (const std::uint32_t t : statements.answer(statement)) {
        if (t > 0) visit(static_cast<std::size_t>(t));
      }
      return;
    }
    const std::size_t first =
        span == Span::statement ? statements.begin(statement) : statements.continuation(statement);
    for (std::size_t t = std::max<std::size_t>(1, first); t < statements.length(statement); ++t) {
      visit(t);
    }
  }

  /// Sets the model's cache to contain only the block's context. The context is always evaluated in
  /// a separate call, regardless of earlier computations, so that a resumed job writes the same
  /// bytes.
  void hold_context(Block& block) {
    const std::span<const TokenId> context =
        block.statements_.context().first(block.context_tokens_);
    const bool is_read = block.context_is_read_ || block.context_.size() == 0;
    if (!is_read) held_.drop();
    held_.hold(context, [&](NodeId end) {
      block.context_.prepare();
      held_.look_up(block.context_.lookups(), block.context_.answers(), end);
      block.context_is_read_ = true;
    });
  }

  /// Appends a pack's statements to the context and adds their lookups, in statement order.
  void grow_tree(const TokenizedStatements& statements, std::span<const std::uint32_t> pack) {
    lookups_.clear();
    for (const std::uint32_t statement : pack) {
      const std::size_t shared = statements.shared(statement);
      const auto rest = statements.rest(statement);
      auto node = static_cast<NodeId>(shared);  // the context is a chain, so the id of a node in it
                                                // equals its depth
      std::size_t depth = shared;
      for_each_scored(statements, statement, [&](std::size_t t) {
        if (t <= shared) return;
        for (; depth < t; ++depth) node = held_.add(node, rest[depth - shared]);
        lookups_.ask(node, rest[t - shared]);
      });
    }
  }

  Model& model_;
  Bos bos_setting_;
  std::optional<TokenId> bos_;
  mutable std::optional<OwnBos<Model>> own_bos_;  // created on first use, because its construction
                                                  // uses the model
  Span scored_;
  Finders finders_;
  CachedTree<Model> held_;
  TokenLookups lookups_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
