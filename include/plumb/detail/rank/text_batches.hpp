// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are many texts embedded by a model that takes whole texts?
//
// In batches of a fixed size, one after another, so that a job that was killed can go on at any
// batch. Models whose prefixes can be shared are embedded by rank/prompt_embedder.hpp, whose jobs
// are used alike.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/rank/text_length.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model must outlive it. As thread-safe as the model.
template <class Model>
requires Embedder<Model> && LanguageModel<Model>
class TextBatches {
 public:
  /// Texts to embed.
  class Job {
   public:
    [[nodiscard]] std::size_t packs() const { return (texts_.size() + size - 1) / size; }
    /// Texts of batch p.
    [[nodiscard]] std::size_t texts(std::size_t p) const {
      return (std::min)(size, texts_.size() - p * size);
    }
    [[nodiscard]] std::size_t statements(std::size_t p) const { return texts(p); }
    /// Of a batch, as if all of the job's texts were equally long.
    [[nodiscard]] std::uint64_t tokens(std::size_t p) const {
      return texts(p) * tokens_ / texts_.size();
    }
    [[nodiscard]] ScoringCost cost() const { return {texts_.size(), tokens_, tokens_, tokens_}; }

   private:
    friend TextBatches;
    static constexpr std::size_t size = 64;
    std::vector<std::string> texts_;
    std::uint64_t tokens_ = 0;
    std::vector<bool> behind_bos_;  // by text
  };

  explicit TextBatches(Model& model) : model_(model) {}

  [[nodiscard]] std::size_t dimension() const { return model_.dimension(); }

  /// Throws a user error when BOS is wanted and the model has none, for other tokens around a text, which
  /// a model of whole texts cannot be told, for a text without tokens and for one that is longer than the
  /// model's context.
  [[nodiscard]] Job plan(std::span<const std::string> texts, const Surround& around) const {
    if (around.is_frame()) {
      throw user_error({.setting = "bos"},
                       "the model's tokenizer puts " +
                           counted(around.own->before.size() + around.own->after.size(), "token") +
                           " around a text, which a model that embeds texts whole cannot be told",
                       "say `bos` yes or no");
    }
    const Bos& bos = around.bos;
    const std::optional<TokenId> first = require_bos(model_, bos);
    if (first && first != model_.bos()) {
      throw user_error(
          {.setting = "bos"},
          "'" + bos.token + "' cannot be put before texts that this model embeds whole",
          "say `bos` yes or no");
    }
    Job job;
    job.texts_.assign(texts.begin(), texts.end());
    for (const std::string& text : texts) {
      const Tokenization own = text_tokens(model_, text);
      job.behind_bos_.push_back(first && !begins_with(own, first));
      const std::size_t tokens = behind_bos(own, first).tokens.size();
      refuse_text_length(text, tokens, model_.context_length());
      job.tokens_ += tokens;
    }
    return job;
  }

  /// Calls `visit(text, vector)` for each text of batch p. Throws an internal error for vectors of
  /// another shape than was said.
  template <class Visit>
  void embed(Job& job, std::size_t p, Visit visit) {
    const std::size_t first = p * Job::size, count = job.texts(p);
    // A text that begins with BOS itself gets no other.
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      const bool with_bos = job.behind_bos_[first + begin];
      while (end < count && job.behind_bos_[first + end] == with_bos) ++end;
      embed(std::span(job.texts_).subspan(first + begin, end - begin), with_bos, first + begin,
            visit);
    }
  }

 private:
  /// Of texts that stand in the job from `first` on.
  template <class Visit>
  void embed(std::span<const std::string> texts, bool with_bos, std::size_t first, Visit& visit) {
    const std::size_t count = texts.size();
    const EmbeddingMatrix rows = model_.embed(texts, with_bos);
    if (static_cast<std::size_t>(rows.rows()) != count ||
        static_cast<std::size_t>(rows.cols()) != dimension()) {
      throw internal_error({.field = "embed"},
                           "the model gave " + std::to_string(rows.rows()) + " vectors of " +
                               std::to_string(rows.cols()) + " numbers for " +
                               std::to_string(count) + " texts, and said " +
                               std::to_string(dimension()),
                           "fix the model's embed or dimension");
    }
    for (std::size_t i = 0; i < count; ++i) {
      visit(first + i,
            std::span<const float>(rows.row(static_cast<Eigen::Index>(i)).data(), dimension()));
    }
  }

  Model& model_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
