// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does one layer of a causal or masked network compute?
//
//   attention  projections to queries, keys and values, norms on heads, the rotation of positions;
//              attention.hpp computes the rest
//   feed       W₂ f(W₁ x), or W₂ (f(W_g x) ⊙ W₁ x), or a weighted sum of such experts
// The output of each part is added to its input rows. The two parts run one after the other, or
// both read the same rows. DecoderConfig specifies which parts exist. Every step processes each row
// separately, so a row's numbers are bit-for-bit independent of the other rows.
// Sources: Vaswani et al., "Attention Is All You Need" (2017); Shazeer, "GLU Variants Improve
// Transformer" (2020); Jiang et al., "Mixtral of Experts" (2024).

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/huggingface/activation.hpp"
#include "plumb/detail/huggingface/decoder_config.hpp"
#include "plumb/detail/huggingface/feed_forward.hpp"
#include "plumb/detail/huggingface/packed_matrix.hpp"
#include "plumb/detail/huggingface/weight_reader.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The weights of a layer, and the functions that apply it to consecutive rows. Any number of
/// threads may use the same object.
class DecoderLayer {
 public:
  /// `name` ends with a dot. If `norms_input` is false, the layer has no norm before attention,
  /// even if other layers have one. Throws the same user errors as WeightReader.
  DecoderLayer(const WeightReader& reader, const std::string& name, const DecoderConfig& config,
               bool norms_input = true)
      : norms_input_(norms_input && !config.norm_after_sum &&
                     !config.names.attention_norm.empty()) {
    const DecoderNames& names = config.names;
    read_projection(reader, name, config);
    attention_out_ = reader.linear(name + names.attention_out, config.hidden, config.query_size(),
                                   config.has_attention_out_bias, names.order);
    feed_ = FeedForward(reader, name, config);
    const auto norm = [&](const std::string& of, Norm& into) {
      if (!of.empty()) into = reader.norm(name + of, config.hidden, config.norm);
    };
    if (norms_input) norm(names.attention_norm, attention_norm_);
    norm(names.feed_norm, feed_norm_);
    norm(names.attention_end_norm, attention_end_norm_);
    norm(names.feed_end_norm, feed_end_norm_);
    if (config.head_norm != HeadNorm::none) {
      query_norm_ = head_norm(reader, name + names.query_norm, config.heads, config);
      key_norm_ = head_norm(reader, name + names.key_norm, config.key_heads, config);
    }
  }

  /// Writes the rows' queries, keys and values to `made`, as [rows][query_size + 2 key_size]. Row i
  /// is at position `positions[i]`. `rotary` may be null. The work is divided among threads.
  void project(const DecoderConfig& config, std::span<const float> rows,
               std::span<const std::size_t> positions, const Rotary* rotary,
               std::vector<float>& input, std::vector<float>& made) const {
    const std::size_t count = positions.size(), hidden = config.hidden;
    const std::size_t width = query_key_value_.outputs();
    input.assign(rows.begin(), rows.end());
    if (norms_input_) {
      for_row_blocks(count, [&](std::size_t first, std::size_t in_block) {
        attention_norm_.apply(input.data() + first * hidden, in_block, hidden);
      });
    }
    made.resize(count * width);
    query_key_value_.multiply_shared(input.data(), count, hidden, made.data(), width);
    for_row_blocks(count, [&](std::size_t first, std::size_t in_block) {
      for (std::size_t i = first; i < first + in_block; ++i) {
        finish_projection(config, made.data() + i * width, positions[i], rotary);
      }
    });
  }

  /// Computes the layer's output from `gathered`, the attention's output for each row. `rows`
  /// contains the layer's input and receives its output. The work is divided among threads;
  /// `input`, `given` and `between` are reusable memory.
  void finish(const DecoderConfig& config, std::span<const float> gathered, std::span<float> rows,
              std::vector<float>& input, std::vector<float>& given,
              std::vector<float>& between) const {
    const std::size_t hidden = config.hidden, count = rows.size() / hidden;
    given.resize(rows.size());
    input.resize(rows.size());
    attention_out_.multiply_shared(gathered.data(), count, config.query_size(), given.data(),
                                   hidden);
    for_row_blocks(count, [&](std::size_t first, std::size_t in_block) {
      const std::size_t from = first * hidden, size = in_block * hidden;
      add_attention(config, std::span(given).subspan(from, size), rows.subspan(from, size),
                    std::span(input).subspan(from, size));
    });
    feed_.apply(input, count, given, between);
    for_row_blocks(count, [&](std::size_t first, std::size_t in_block) {
      const std::size_t from = first * hidden, size = in_block * hidden;
      if (!config.names.feed_end_norm.empty()) {
        feed_end_norm_.apply(given.data() + from, in_block, hidden);
      }
      add(std::span(given).subspan(from, size), rows.subspan(from, size), config.residual_scale);
      if (config.norm_after_sum) feed_norm_.apply(rows.data() + from, in_block, hidden);
    });
  }

 private:
  void read_projection(const WeightReader& reader, const std::string& layer,
                       const DecoderConfig& config) {
    const DecoderNames& names = config.names;
    const std::size_t hidden = config.hidden, size = config.head_size;
    const std::vector<std::size_t> sizes{config.query_size(), config.key_size(), config.key_size()};
    const std::size_t all = sizes[0] + sizes[1] + sizes[2];
    const bool is_one = names.query_key_value.size() == 1;
    std::vector<std::string> tensors;
    for (std::size_t i = 0; i < names.query_key_value.size(); ++i) {
      tensors.push_back(layer + names.query_key_value[i] + ".weight");
      reader.need_product(tensors.back(), is_one ? all : sizes[i], hidden, names.order);
    }
    query_key_value_ = PackedMatrix(all, hidden, reader.type_of(tensors));
    if (config.projection == ProjectionOrder::stacked) {
      std::size_t first = 0;
      for (std::size_t i = 0; i < names.query_key_value.size(); ++i) {
        const std::string name = layer + names.query_key_value[i];
        const std::size_t count = is_one ? all : sizes[i];
        reader.fill(query_key_value_, name + ".weight", first, count, names.order);
        if (config.has_attention_bias) {
          query_key_value_.set_bias(first, reader.vector(name + ".bias", count));
        }
        first += count;
      }
      return;
    }
    const std::size_t group = config.heads / config.key_heads;  // query heads per key head
    const auto place = [&](std::size_t row) {
      const std::size_t key_head = row / ((group + 2) * size), at = row / size % (group + 2);
      const std::size_t head = at < group    ? key_head * group + at
                               : at == group ? config.heads + key_head
                                             : config.heads + config.key_heads + key_head;
      return head * size + row % size;
    };
    const std::string name = layer + names.query_key_value[0];
    reader.fill_rows(query_key_value_, name + ".weight", all, place);
    if (!config.has_attention_bias) return;
    const std::vector<float> stored = reader.vector(name + ".bias", all);
    std::vector<float> bias(all);
    for (std::size_t row = 0; row < all; ++row) bias[place(row)] = stored[row];
    query_key_value_.set_bias(0, bias);
  }

  /// Reads and returns one norm for all heads, or `heads` norms, one for each head.
  static std::vector<Norm> head_norm(const WeightReader& reader, const std::string& name,
                                     std::size_t heads, const DecoderConfig& config) {
    const NormShape& shape = config.head_norm_shape;
    const std::size_t size = config.head_size;
    switch (config.head_norm) {
      case HeadNorm::shared:
        return {reader.norm(name, size, shape)};
      case HeadNorm::whole:
        return {reader.norm(name, heads * size, shape)};
      case HeadNorm::each: {
        const std::vector<float> weights = reader.rows(name + ".weight", heads, size);
        std::vector<Norm> norms;
        for (std::size_t h = 0; h < heads; ++h) {
          const float* const from = weights.data() + h * size;
          norms.push_back({{from, from + size}, {}, shape.epsilon, shape.kind});
        }
        return norms;
      }
      default: {
        std::vector<Norm> norms;
        for (std::size_t h = 0; h < heads; ++h) {
          norms.push_back(reader.norm(name + ".norms." + std::to_string(h), size, shape));
        }
        return norms;
      }
    }
  }

  static void apply_head_norm(const std::vector<Norm>& norms, float* row, std::size_t size,
                              const DecoderConfig& config) {
    if (config.head_norm == HeadNorm::whole) return norms[0].apply(row, 1, size);
    const std::size_t heads = size / config.head_size;
    for (std::size_t h = 0; h < heads; ++h) {
      norms[norms.size() == 1 ? 0 : h].apply(row + h * config.head_size, 1, config.head_size);
    }
  }

  /// Applies clamping, head norms and the rotation to one row.
  void finish_projection(const DecoderConfig& config, float* query, std::size_t position,
                         const Rotary* rotary) const {
    float* const key = query + config.query_size();
    if (config.clip > 0) {
      for (std::size_t k = 0; k < query_key_value_.outputs(); ++k) {
        query[k] = std::clamp(query[k], -config.clip, config.clip);
      }
    }
    if (config.head_norm != HeadNorm::none) {
      apply_head_norm(query_norm_, query, config.query_size(), config);
      apply_head_norm(key_norm_, key, config.key_size(), config);
    }
    if (rotary != nullptr) {
      rotary->apply(query, config.heads, config.head_size, position);
      rotary->apply(key, config.key_heads, config.head_size, position);
    }
  }

  /// Adds the attention's output to the rows and computes the feed-forward's input.
  void add_attention(const DecoderConfig& config, std::span<float> given, std::span<float> rows,
                     std::span<float> input) const {
    const std::size_t hidden = config.hidden, count = rows.size() / hidden;
    if (!config.names.attention_end_norm.empty()) {
      attention_end_norm_.apply(given.data(), count, hidden);
    }
    if (config.parallel) {
      std::copy(rows.begin(), rows.end(), input.begin());
      const bool is_shared = config.names.feed_norm.empty();
      (is_shared ? attention_norm_ : feed_norm_).apply(input.data(), count, hidden);
      add(given, rows, config.residual_scale);
      return;
    }
    if (config.residual_from_norm) attention_norm_.apply(rows.data(), count, hidden);
    add(given, rows, config.residual_scale);
    if (config.norm_after_sum) attention_norm_.apply(rows.data(), count, hidden);
    std::copy(rows.begin(), rows.end(), input.begin());
    const bool is_before = !config.norm_after_sum && !config.names.feed_norm.empty();
    if (is_before) feed_norm_.apply(input.data(), count, hidden);
    if (config.residual_from_norm) std::copy(input.begin(), input.end(), rows.begin());
  }

  static void add(std::span<const float> from, std::span<float> to, float scale) {
    if (scale == 1) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    } else {
      network_kernels().add_scaled(to.data(), from.data(), to.size(), scale);
    }
  }

  bool norms_input_ = true;
  PackedMatrix query_key_value_;  // outputs: queries, keys, values
  PackedMatrix attention_out_;
  FeedForward feed_;
  Norm attention_norm_, feed_norm_, attention_end_norm_, feed_end_norm_;
  std::vector<Norm> query_norm_, key_norm_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
