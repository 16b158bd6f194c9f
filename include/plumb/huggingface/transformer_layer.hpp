// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does one layer of a masked model's network compute?
//
//   attention  what a token gathers from those it sees (attention.hpp), times W
//   feed       W₂ f(W₁ x)
// each added to what it was given, with a layer norm after the sum.
// Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/huggingface/activation.hpp"
#include "plumb/huggingface/encoder_config.hpp"
#include "plumb/huggingface/packed_matrix.hpp"
#include "plumb/huggingface/weight_reader.hpp"

namespace plumb {

/// What an architecture calls the tensors of a layer, after the layer's own name.
struct LayerNames {
  /// Three names.
  std::vector<std::string> query_key_value;
  std::string attention_out, attention_norm, up, down, norm;
};

/// The weights of a layer, and its steps on rows that lie one behind the other. Any number of
/// threads may use one.
struct TransformerLayer {
  /// [3 · hidden, hidden]: queries, keys, values.
  PackedMatrix query_key_value;
  PackedMatrix attention_out, up, down;
  Norm attention_norm, norm;
  Activation activation = Activation::gelu;

  /// `layer` ends with a dot. Throws a user error as WeightReader does.
  [[nodiscard]] static TransformerLayer read(const WeightReader& reader, const std::string& layer,
                                             const LayerNames& names, const EncoderConfig& config) {
    const std::size_t hidden = config.hidden;
    TransformerLayer result;
    std::vector<std::string> tensors;
    for (const std::string& name : names.query_key_value) {
      tensors.push_back(layer + name + ".weight");
      reader.need_product(tensors.back(), hidden, hidden);
    }
    result.query_key_value = PackedMatrix(3 * hidden, hidden, reader.type_of(tensors));
    for (std::size_t i = 0; i < names.query_key_value.size(); ++i) {
      const std::string name = layer + names.query_key_value[i];
      reader.fill(result.query_key_value, name + ".weight", i * hidden, hidden);
      result.query_key_value.set_bias(i * hidden, reader.vector(name + ".bias", hidden));
    }
    const auto norm = [&](const std::string& name) {
      return reader.norm(layer + name, hidden, {.epsilon = config.norm_epsilon});
    };
    result.attention_out = reader.linear(layer + names.attention_out, hidden, hidden);
    result.up = reader.linear(layer + names.up, config.intermediate, hidden);
    result.down = reader.linear(layer + names.down, hidden, config.intermediate);
    result.attention_norm = norm(names.attention_norm);
    result.norm = norm(names.norm);
    result.activation = config.activation;
    return result;
  }

  /// Turns what the rows' attention gathered into the layer's output, in `rows`, which hold the
  /// layer's input.
  void finish(std::span<const float> gathered, std::span<float> rows) const {
    const std::size_t hidden = attention_out.outputs(), count = rows.size() / hidden;
    std::vector<float> sum(rows.size());
    attention_out.multiply(gathered.data(), count, hidden, sum.data(), hidden);
    add(sum, rows);
    attention_norm.apply(rows.data(), count, hidden);
    std::vector<float> inner(count * up.outputs());
    up.multiply(rows.data(), count, hidden, inner.data(), up.outputs());
    activate(activation, inner);
    down.multiply(inner.data(), count, up.outputs(), sum.data(), hidden);
    add(sum, rows);
    norm.apply(rows.data(), count, hidden);
  }

 private:
  static void add(std::span<const float> from, std::span<float> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  }
};

}  // namespace plumb
