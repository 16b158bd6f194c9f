// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each statement according to a masked language model?
//
//   PLL(s) = Σ_t log P(token_t | s with token_t masked)
// This is the pseudo-log-likelihood of Salazar et al. 2020 (`original`). Kauf and Ivanova 2023
// (`within_word`) also mask the tokens after token_t in the same word, so that the end of a word
// does not reveal its beginning. The model's special tokens around a text are context and are never
// scored. Equal masked inputs within a pack are computed once: statements that differ only in a
// one-token answer share the input in which that answer is masked.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/check_model.hpp"
#include "plumb/detail/backend/evaluate_masked.hpp"
#include "plumb/detail/core/byte_archive.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/distinct_inputs.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"
#include "plumb/detail/score/tokenized_statements.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What is masked to score a token: the token and the later tokens of its word, or the token alone.
enum class PseudoLikelihood { within_word, original };

[[nodiscard]] constexpr std::array<PseudoLikelihood, 2> every(PseudoLikelihood) noexcept {
  return {PseudoLikelihood::within_word, PseudoLikelihood::original};
}
[[nodiscard]] constexpr std::string_view name_of(PseudoLikelihood rule) noexcept {
  return rule == PseudoLikelihood::original ? "original" : "within-word";
}

/// Models CandidateScorer and PackedScorer. The model must outlive the scorer. Not thread-safe. The
/// model must be a MaskedLm; for any other type, the compiler reports what is missing.
template <class Model>
class MaskedScorer {
  static_assert(check_masked_lm<Model>());

 public:
  /// The maximum number of tokens in a pack's distinct masked inputs; a single statement with more
  /// tokens still forms one pack.
  static constexpr std::size_t pack_tokens = 4096;

  class Block {
   public:
    [[nodiscard]] std::size_t packs() const { return ends_.size(); }
    [[nodiscard]] std::span<const std::uint32_t> pack(std::size_t p) const {
      const std::size_t begin = p == 0 ? 0 : ends_[p - 1];
      return std::span(order_).subspan(begin, ends_[p] - begin);
    }
    /// The number of tokens fed for pack p.
    [[nodiscard]] std::uint64_t tokens(std::size_t p) const { return tokens_[p]; }
    [[nodiscard]] ScoringCost cost() const { return cost_; }

    /// Passes the members to a ByteWriter or ByteReader.
    template <class Archive>
    void archive(Archive& of) {
      of(statements_, words_, order_, ends_, tokens_, cost_);
    }

   private:
    friend MaskedScorer;
    TokenizedStatements statements_;
    std::vector<std::vector<std::uint32_t>> words_;  // by statement; empty for `original`
    std::vector<std::uint32_t> order_;               // statements, pack by pack
    std::vector<std::size_t> ends_;                  // the end of each pack in order_
    std::vector<std::uint64_t> tokens_;              // by pack
    ScoringCost cost_;
  };

  /// Throws a user error if the rule needs words but the model does not assign tokens to words.
  explicit MaskedScorer(Model& model, PseudoLikelihood rule = PseudoLikelihood::within_word)
      : model_(model), rule_(rule), frame_(frame_of(model)) {
    if (rule == PseudoLikelihood::within_word) (void)words_of(model, "", 0);
  }

  [[nodiscard]] PseudoLikelihood rule() const { return rule_; }

  /// Throws a user error if a statement is longer than the model's context.
  void add(Block& block, const Query& query) {
    for (const Prompt& prompt : query.candidates) append(block, prompt);
  }

  /// For each candidate of the last added query, whether its answer contains the unknown token,
  /// which replaces any text that cannot be spelled with the vocabulary.
  [[nodiscard]] std::vector<bool> unknown_answers(const Block& block, const Query& query) const {
    std::vector<bool> unknown(query.candidates.size(), false);
    const std::optional<TokenId> token = unknown_of(model_);
    if (!token) return unknown;
    const TokenizedStatements& statements = block.statements_;
    const std::size_t first = statements.size() - unknown.size();
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      unknown[i] = ranges::any_of(statements.answer(first + i), [&](std::uint32_t t) {
        return statements.token(first + i, t) == *token;
      });
    }
    return unknown;
  }

  /// Throws, in advance, the user error that reducing the scores of the query would cause. The
  /// query must be the last one added to the block.
  void(check)(const Block& block, const Query& query, Scoring scoring) const {
    if (scoring.span == Span::continuation) {
      throw user_error({.setting = "span"},
                       "continuation is not available for a masked model, which reads the text on "
                       "both sides",
                       "set `span` to statement or answer");
    }
    std::size_t statement = block.statements_.size() - query.candidates.size();
    for (const Prompt& prompt : query.candidates) {
      const std::size_t at = statement++;
      const bool has_tokens = scoring.span == Span::answer ? !block.statements_.answer(at).empty()
                                                           : asked(block.statements_, at) > 0;
      if (has_tokens) continue;
      throw user_error(
          {.field = "statement"},
          "'" + shortened(prompt.text) + "' has no tokens in its " +
              std::string(name_of(scoring.span)),
          "the tokenizer does not spell it; set `span` to statement, or remove the fact");
    }
  }

  /// Packs contain whole statements, grouped by length.
  void plan(Block& block) const {
    const TokenizedStatements& statements = block.statements_;
    block.order_.resize(statements.size());
    std::iota(block.order_.begin(), block.order_.end(), 0U);
    ranges::stable_sort(block.order_, {}, [&](std::uint32_t s) { return statements.length(s); });
    block.cost_.statements = statements.size();
    DistinctInputs inputs;
    std::size_t tokens = 0;
    const auto close = [&](std::size_t end) {
      block.ends_.push_back(end);
      block.tokens_.push_back(tokens);
      block.cost_.masked_inputs_computed += inputs.size();
      block.cost_.tokens_fed += tokens;
      inputs.clear();
      tokens = 0;
    };
    for (std::size_t i = 0; i < block.order_.size(); ++i) {
      const std::uint32_t statement = block.order_[i];
      const std::size_t asked = this->asked(statements, statement);
      const std::size_t length = framed_length(statements, statement);
      const std::size_t begin = block.ends_.empty() ? 0 : block.ends_.back();
      if (i > begin && tokens + asked * length > pack_tokens &&
          tokens + fresh(inputs, block, statement) * length > pack_tokens) {
        close(i);
      }
      const std::size_t before = inputs.size();
      for (std::size_t t = statements.begin(statement); t < statements.length(statement); ++t) {
        inputs.insert(masked(block, statement, t));
      }
      tokens += (inputs.size() - before) * length;
      block.cost_.masked_inputs += asked;
      block.cost_.tokens_one_by_one += asked * length;
    }
    if (!block.order_.empty()) close(block.order_.size());
  }

  /// Serialises a planned block for `load`.
  [[nodiscard]] std::string save(const Block& block) const {
    ByteWriter writer;
    writer(block);
    return writer.bytes();
  }
  [[nodiscard]] Block load(std::string_view bytes) const {
    Block block;
    ByteReader reader(bytes);
    reader(block);
    return block;
  }

  [[nodiscard]] std::vector<StatementScore> score(Block& block, std::size_t p) {
    const std::span<const std::uint32_t> pack = block.pack(p);
    const TokenizedStatements& statements = block.statements_;
    DistinctInputs inputs;
    struct Target {
      TokenId token;
      std::size_t slot;
    };
    std::vector<std::vector<Target>> targets;  // by input
    std::size_t target_count = 0;
    for (const std::uint32_t statement : pack) {
      for (std::size_t t = statements.begin(statement); t < statements.length(statement); ++t) {
        const std::size_t input = inputs.insert(masked(block, statement, t));
        if (input == targets.size()) targets.emplace_back();
        targets[input].push_back({statements.token(statement, t), target_count++});
      }
    }
    std::vector<double> found(target_count, 0);  // ln P by slot
    evaluate_masked(model_, inputs.queries(),
                    [&](std::uint32_t input, std::span<const float> logits) {
                      const double normalizer = log_sum_exp(logits);
                      for (const Target& target : targets[input]) {
                        found[target.slot] = log_probability(logits, target.token, normalizer);
                      }
                    });
    std::vector<StatementScore> scores(pack.size());
    for (std::size_t i = 0, slot = 0; i < pack.size(); ++i) {
      const std::span<const std::uint32_t> answer = statements.answer(pack[i]);
      for (std::size_t t = statements.begin(pack[i]); t < statements.length(pack[i]); ++t, ++slot) {
        add(scores[i].statement, found[slot]);
        if (ranges::binary_search(answer, t)) add(scores[i].answer, found[slot]);
      }
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
  /// The number of scored tokens in a statement.
  [[nodiscard]] static std::size_t asked(const TokenizedStatements& statements,
                                         std::size_t statement) {
    return statements.length(statement) - statements.begin(statement);
  }
  [[nodiscard]] std::size_t framed_length(const TokenizedStatements& statements,
                                          std::size_t statement) const {
    return frame_.before.size() + statements.length(statement) + frame_.after.size();
  }

  void append(Block& block, const Prompt& prompt) const {
    const Tokenization tokenization = tokenize_prompt(model_, prompt);
    const std::size_t begin =
        prompt.context == 0
            ? 0
            : ContinuationFinder().behind(model_, context_part(prompt), tokenization, std::nullopt);
    block.statements_.add(prompt, tokenization, 0, begin);
    if (rule_ == PseudoLikelihood::within_word) {
      block.words_.push_back(words_of(model_, prompt.text, tokenization.tokens.size()));
    }
    const std::size_t length = framed_length(block.statements_, block.statements_.size() - 1);
    check_length(prompt, length, model_.context_length());
  }

  /// The masked input used to score a token of a statement.
  [[nodiscard]] MaskedQuery masked(const Block& block, std::uint32_t statement,
                                   std::size_t token) const {
    const TokenizedStatements& statements = block.statements_;
    MaskedQuery query{frame_.before, static_cast<std::uint32_t>(frame_.before.size() + token)};
    const auto is_hidden = [&](std::size_t t) {
      if (t == token || rule_ == PseudoLikelihood::original) return t == token;
      const std::vector<std::uint32_t>& words = block.words_[statement];
      return t > token && words[t] == words[token];
    };
    for (std::size_t t = 0; t < statements.length(statement); ++t) {
      query.sequence.push_back(is_hidden(t) ? model_.mask() : statements.token(statement, t));
    }
    query.sequence.insert(query.sequence.end(), frame_.after.begin(), frame_.after.end());
    return query;
  }

  /// The number of a statement's inputs that are not yet in `inputs`.
  [[nodiscard]] std::size_t fresh(const DistinctInputs& inputs, const Block& block,
                                  std::uint32_t statement) const {
    std::size_t count = 0;
    for (std::size_t t = block.statements_.begin(statement);
         t < block.statements_.length(statement); ++t) {
      if (!inputs.contains(masked(block, statement, t))) ++count;
    }
    return count;
  }

  Model& model_;
  PseudoLikelihood rule_;
  TextFrame frame_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
