// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does the model continue many prompts itself, or are they decoded in a tree from its rows?
//
// All jobs that generate text use this class. A model that is itself a BatchGenerator, such as a
// model on a server, is called directly. Any other CausalLm decodes through a TreeGenerator. The
// two methods draw different random numbers, so the same seed yields different samples.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/tree_generator.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model must outlive it. Not thread-safe.
template <CausalLm Model>
class PromptGenerator {
 public:
  explicit PromptGenerator(Model& model) : model_(model) {
    if (!asks_model()) by_rows_.emplace(model);
  }

  /// Works like `generate` of TreeGenerator and BatchGenerator.
  [[nodiscard]] std::vector<std::vector<Continuation>> generate(
      std::span<const std::vector<TokenId>> prompts, const GenerationOptions& options,
      std::span<const std::uint64_t> seeds = {}) {
    if (by_rows_) return by_rows_->generate(prompts, options, seeds);
    if constexpr (BatchGenerator<Model>) {
      auto all = model_.generate(prompts, options, seeds);
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (const Continuation& one : all[i]) given_ += prompts[i].size() + one.tokens.size();
      }
      return all;
    } else {
      return {};
    }
  }

  /// The number of tokens fed to the model so far, over all calls. For a model that generates on
  /// its own, this is the number of tokens in all prompts and continuations.
  [[nodiscard]] std::uint64_t fed() const noexcept { return by_rows_ ? by_rows_->fed() : given_; }

 private:
  [[nodiscard]] bool asks_model() const {
    if constexpr (BatchGenerator<Model>) return capabilities_of(model_).generates;
    return false;
  }

  Model& model_;
  std::optional<TreeGenerator<Model>> by_rows_;
  std::uint64_t given_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
