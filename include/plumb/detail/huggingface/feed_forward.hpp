// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does the feed-forward part of a layer compute from a row?
//
//   plain    W₂ f(W₁ x)
//   gated    W₂ (f(W_g x) ⊙ W₁ x)
//   experts  Σ_e p_e · (gated by expert e), over the few e with the highest router probability;
//            p is the router's softmax, normalised to sum to 1 over them
// Sources: Shazeer, "GLU Variants Improve Transformer" (2020); Jiang et al., "Mixtral of Experts"
// (2024), section 2.1.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/huggingface/activation.hpp"
#include "plumb/detail/huggingface/decoder_config.hpp"
#include "plumb/detail/huggingface/packed_matrix.hpp"
#include "plumb/detail/huggingface/weight_reader.hpp"
#include "plumb/detail/kernels/network_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class FeedForward {
 public:
  FeedForward() = default;
  /// `layer` ends with a dot. Throws the same user errors as WeightReader.
  FeedForward(const WeightReader& reader, const std::string& layer, const DecoderConfig& config)
      : activation_(config.activation), per_token_(config.experts_per_token) {
    const DecoderNames& names = config.names;
    if (config.experts == 0) {
      experts_.push_back(read_one(reader, layer, config));
      return;
    }
    router_ = reader.matrix(layer + names.router + ".weight", config.experts, config.hidden);
    for (std::size_t e = 0; e < config.experts; ++e) {
      experts_.push_back(read_one(reader, layer + names.expert + std::to_string(e) + ".", config));
    }
  }

  /// Computes the output for `count` consecutive rows of `input` and writes it to `made`, which has
  /// the same size. Threads share the work; `between` is reusable memory.
  void apply(std::span<const float> input, std::size_t count, std::span<float> made,
             std::vector<float>& between) const {
    if (router_.outputs() == 0) return apply(experts_[0], input, count, made, between);
    const std::size_t hidden = input.size() / count;
    std::vector<float> chances(count * router_.outputs());
    router_.multiply_shared(input.data(), count, hidden, chances.data(), router_.outputs());
    std::vector<std::vector<std::pair<std::size_t, float>>> asked(
        experts_.size());  // rows, weights
    for (std::size_t i = 0; i < count; ++i) {
      for (const auto& [expert, weight] :
           likeliest({chances.data() + i * router_.outputs(), router_.outputs()})) {
        asked[expert].push_back({i, weight});
      }
    }
    std::fill(made.begin(), made.end(), 0.0F);
    for (std::size_t e = 0; e < experts_.size(); ++e) {  // in a fixed order, regardless of the rows
      if (asked[e].empty()) continue;
      std::vector<float> rows(asked[e].size() * hidden), given(rows.size());
      for (std::size_t r = 0; r < asked[e].size(); ++r) {
        std::copy_n(input.data() + asked[e][r].first * hidden, hidden, rows.data() + r * hidden);
      }
      apply(experts_[e], rows, asked[e].size(), given, between);
      for (std::size_t r = 0; r < asked[e].size(); ++r) {
        float* const to = made.data() + asked[e][r].first * hidden;
        network_kernels().add_scaled(to, given.data() + r * hidden, hidden, asked[e][r].second);
      }
    }
  }

 private:
  /// In a gated layer, the outputs of `up` are the gate's outputs, followed by its own.
  struct Expert {
    PackedMatrix up, down;
    bool is_gated = false;
  };

  static Expert read_one(const WeightReader& reader, const std::string& layer,
                         const DecoderConfig& config) {
    const DecoderNames& names = config.names;
    const std::size_t inner = config.intermediate;
    Expert made;
    made.is_gated = !names.gate.empty();
    if (names.gate == names.up) {
      made.up = reader.linear(layer + names.up, 2 * inner, config.hidden, config.has_feed_bias);
    } else if (made.is_gated) {
      const std::vector<std::string> tensors{layer + names.gate + ".weight",
                                             layer + names.up + ".weight"};
      for (const std::string& name : tensors) reader.need_product(name, inner, config.hidden);
      made.up = PackedMatrix(2 * inner, config.hidden, reader.type_of(tensors));
      std::size_t first = 0;
      for (const std::string& name : {names.gate, names.up}) {
        reader.fill(made.up, layer + name + ".weight", first, inner);
        if (config.has_feed_bias) {
          made.up.set_bias(first, reader.vector(layer + name + ".bias", inner));
        }
        first += inner;
      }
    } else {
      made.up =
          reader.linear(layer + names.up, inner, config.hidden, config.has_feed_bias, names.order);
    }
    made.down =
        reader.linear(layer + names.down, config.hidden, inner, config.has_feed_bias, names.order);
    return made;
  }

  void apply(const Expert& expert, std::span<const float> input, std::size_t count,
             std::span<float> made, std::vector<float>& between) const {
    const std::size_t hidden = expert.up.inputs(), width = expert.up.outputs();
    const std::size_t inner = expert.down.inputs();
    between.resize(count * width);
    expert.up.multiply_shared(input.data(), count, hidden, between.data(), width);
    for_row_blocks(count, [&](std::size_t first, std::size_t in_block) {
      for (std::size_t i = first; i < first + in_block; ++i) {
        float* const row = between.data() + i * width;
        activate(activation_, {row, inner});
        for (std::size_t k = 0; expert.is_gated && k < inner; ++k) row[k] *= row[inner + k];
      }
    });
    expert.down.multiply_shared(between.data(), count, width, made.data(), hidden);
  }

  /// The experts chosen for a row, in ascending order, with their weights. If several experts are
  /// equally probable, the first ones are chosen.
  [[nodiscard]] std::vector<std::pair<std::size_t, float>> likeliest(
      std::span<float> chances) const {
    network_kernels().softmax(chances.data(), chances.size());
    std::vector<std::size_t> order(chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return chances[a] > chances[b]; });
    order.resize(per_token_);
    std::sort(order.begin(), order.end());
    float sum = 0;
    for (const std::size_t e : order) sum += chances[e];
    std::vector<std::pair<std::size_t, float>> found;
    for (const std::size_t e : order) found.push_back({e, chances[e] / sum});
    return found;
  }

  std::vector<Expert> experts_;
  PackedMatrix router_;
  Activation activation_ = Activation::silu;
  std::size_t per_token_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
