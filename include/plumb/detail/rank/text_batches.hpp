// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are many texts embedded by a model that takes only whole texts?
//
// The texts are embedded in batches of a fixed size, one after another, so that an interrupted job
// can resume at any batch. For models that can share prefixes, use rank/prompt_embedder.hpp; its
// jobs have the same interface.

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

/// The model must outlive this object, which is as thread-safe as the model.
template <class Model>
requires Embedder<Model> && LanguageModel<Model>
class TextBatches {
 public:
  /// A plan for embedding texts.
  class Job {
   public:
    [[nodiscard]] std::size_t packs() const { return (texts_.size() + size - 1) / size; }
    /// The number of texts in batch p.
    [[nodiscard]] std::size_t texts(std::size_t p) const {
      return (std::min)(size, texts_.size() - p * size);
    }
    [[nodiscard]] std::size_t statements(std::size_t p) const { return texts(p); }
    /// The number of tokens in batch p, estimated on the assumption that all texts of the job have
    /// the same length.
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

  /// Throws a user error if a BOS token is requested but the model has none, or if tokens other
  /// than BOS are to be put around a text, because a model that accepts only whole texts cannot
  /// receive them. Also throws a user error if a text has no tokens or is longer than the model's
  /// context.
  [[nodiscard]] Job plan(std::span<const std::string> texts, const FramingTokens& around) const {
    if (around.is_frame()) {
      throw user_error(
          {.setting = "bos"},
          "the model's tokenizer puts " +
              counted(around.own->before.size() + around.own->after.size(), "token") +
              " around a text, but such tokens cannot be passed to a model that embeds whole texts",
          "set `bos` to yes or no");
    }
    const Bos& bos = around.bos;
    const std::optional<TokenId> first = require_bos(model_, bos);
    if (first && first != model_.bos()) {
      throw user_error(
          {.setting = "bos"},
          "'" + bos.token + "' cannot be put before texts: this model embeds whole texts",
          "set `bos` to yes or no");
    }
    Job job;
    job.texts_.assign(texts.begin(), texts.end());
    for (const std::string& text : texts) {
      const Tokenization own = text_tokens(model_, text);
      job.behind_bos_.push_back(first && !begins_with(own, first));
      const std::size_t tokens = after_bos(own, first).tokens.size();
      refuse_text_length(text, tokens, model_.context_length());
      job.tokens_ += tokens;
    }
    return job;
  }

  /// Calls `visit(text, vector)` for each text of batch p. Throws an internal error if the model
  /// returns an unexpected number of vectors or vectors of an unexpected dimension.
  template <class Visit>
  void embed(Job& job, std::size_t p, Visit visit) {
    const std::size_t first = p * Job::size, count = job.texts(p);
    // If a text already begins with BOS, no BOS is added.
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      const bool with_bos = job.behind_bos_[first + begin];
      while (end < count && job.behind_bos_[first + end] == with_bos) ++end;
      embed(std::span(job.texts_).subspan(first + begin, end - begin), with_bos, first + begin,
            visit);
    }
  }

 private:
  /// Embeds `texts`, which start at index `first` of the job.
  template <class Visit>
  void embed(std::span<const std::string> texts, bool with_bos, std::size_t first, Visit& visit) {
    const std::size_t count = texts.size();
    const EmbeddingMatrix rows = model_.embed(texts, with_bos);
    if (static_cast<std::size_t>(rows.rows()) != count ||
        static_cast<std::size_t>(rows.cols()) != dimension()) {
      throw internal_error({.field = "embed"},
                           "the model returned " + std::to_string(rows.rows()) + " vectors of " +
                               std::to_string(rows.cols()) + " numbers for " +
                               std::to_string(count) + " texts, but dimension() is " +
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
