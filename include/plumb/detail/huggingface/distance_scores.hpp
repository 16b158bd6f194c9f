// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does the distance between two tokens add to their attention score?
//
//   added_ij = scale · (q_i · K_d + k_j · Q_d),  d = the number of the distance i − j
// K and Q are the keys and queries that a layer computes from the distance embeddings. Each
// distance up to half the number of buckets has its own number; beyond that, the numbers grow with
// the logarithm of the distance.
// Source: He et al., "DeBERTa: Decoding-enhanced BERT with Disentangled Attention" (2021), section
// 3.1, and the buckets of DeBERTa 2, with the steps in the same order as in transformers.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/huggingface/decoder_layer.hpp"
#include "plumb/detail/huggingface/encoder_config.hpp"
#include "plumb/detail/huggingface/packed_matrix.hpp"
#include "plumb/detail/huggingface/weight_reader.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Maps each distance to its row of the distance embeddings. Any number of threads may read the
/// same object, except during `prepare`.
class DistanceRows {
 public:
  DistanceRows() = default;
  explicit DistanceRows(const DistanceShape& shape) : shape_(shape) {}

  /// Makes room for sequences of `length` tokens.
  void prepare(std::size_t length) {
    for (std::size_t d = numbers_.size(); d < length; ++d) numbers_.push_back(number(d));
  }
  /// The row of the distance i − j.
  [[nodiscard]] std::size_t row(std::size_t i, std::size_t j) const {
    return i >= j ? (std::min)(shape_.span + numbers_[i - j], 2 * shape_.span - 1)
                  : shape_.span - (std::min)(numbers_[j - i], shape_.span);
  }

 private:
  /// The number assigned to a non-negative distance, before clamping to the span.
  [[nodiscard]] std::size_t number(std::size_t distance) const {
    const std::size_t half = shape_.buckets / 2;
    if (shape_.buckets == 0 || distance <= half) return distance;
    const auto middle = static_cast<float>(half);
    const float whole = logarithm((static_cast<float>(shape_.most) - 1) / middle);
    const float part = logarithm(static_cast<float>(distance) / middle) / whole;
    return half + static_cast<std::size_t>(std::ceil(part * (middle - 1)));
  }
  static float logarithm(float x) { return static_cast<float>(std::log(static_cast<double>(x))); }

  DistanceShape shape_;
  std::vector<std::size_t> numbers_;  // by distance
};

/// The keys and queries that one layer computes from the distance embeddings. Any number of threads
/// may use the same object.
class DistanceScores {
 public:
  /// `embeddings` consists of 2 · span rows of `config.hidden` numbers each. Throws the same user
  /// errors as WeightReader.
  DistanceScores(const WeightReader& reader, const std::string& name, const DecoderLayer& layer,
                 std::span<const float> embeddings, const EncoderConfig& config)
      : scale_(config.attention_scale) {
    const DistanceShape& shape = *config.distances;
    const std::size_t count = 2 * shape.span, hidden = config.hidden;
    if (shape.is_shared) {
      std::vector<float> input, projected;
      const std::vector<std::size_t> positions(count, 0);
      layer.project(config, embeddings, positions, nullptr, input, projected);
      if (shape.by_key) queries_ = by_head(projected.data(), count, 3 * hidden, config);
      if (shape.by_query) keys_ = by_head(projected.data() + hidden, count, 3 * hidden, config);
      return;
    }
    const auto read = [&](const char* projection) {
      const PackedMatrix matrix = reader.linear(name + projection, hidden, hidden);
      std::vector<float> projected(count * hidden);
      matrix.multiply_shared(embeddings.data(), count, hidden, projected.data(), hidden);
      return by_head(projected.data(), count, hidden, config);
    };
    if (shape.by_query) keys_ = read("attention.self.pos_key_proj");
    if (shape.by_key) queries_ = read("attention.self.pos_query_proj");
  }

  /// Computes the numbers that are added to one head's scores, and writes them to `made` as
  /// [asked][length]. `queries` belong to the tokens at `asked`, in order; `keys` belong to all
  /// tokens. The queries and the keys have separate strides.
  void add(const DistanceRows& rows, std::size_t head, std::span<const std::size_t> asked,
           std::size_t length, const float* queries, std::size_t query_stride, const float* keys,
           std::size_t key_stride, std::vector<float>& made) const {
    const std::size_t last = length - 1;
    const std::size_t width = (keys_.empty() ? queries_ : keys_)[head].width();
    const std::size_t first_panel = rows.row(0, last) / width;
    const std::size_t end_panel = rows.row(last, 0) / width + 1;
    made.assign(asked.size() * length, 0.0F);
    std::vector<float> products;
    if (!keys_.empty()) {
      const std::size_t wide = keys_[head].outputs();
      products.resize(asked.size() * wide);
      keys_[head].multiply(queries, asked.size(), query_stride, products.data(), wide, first_panel,
                           end_panel);
      for (std::size_t q = 0; q < asked.size(); ++q) {
        for (std::size_t j = 0; j < length; ++j) {
          made[q * length + j] = products[q * wide + rows.row(asked[q], j)];
        }
      }
    }
    if (!queries_.empty()) {
      const std::size_t wide = queries_[head].outputs();
      products.resize(length * wide);
      queries_[head].multiply(keys, length, key_stride, products.data(), wide, first_panel,
                              end_panel);
      for (std::size_t q = 0; q < asked.size(); ++q) {
        for (std::size_t j = 0; j < length; ++j) {
          made[q * length + j] += products[j * wide + rows.row(asked[q], j)];
        }
      }
    }
    for (float& score : made) score *= scale_;
  }

 private:
  /// Splits `count` rows, which are `stride` apart, into one matrix for each head.
  [[nodiscard]] static std::vector<PackedMatrix> by_head(const float* rows, std::size_t count,
                                                         std::size_t stride,
                                                         const EncoderConfig& config) {
    std::vector<PackedMatrix> made;
    for (std::size_t h = 0; h < config.heads; ++h) {
      PackedMatrix& matrix = made.emplace_back(count, config.head_size);
      for (std::size_t r = 0; r < count; ++r) {
        matrix.set_output(r, {rows + r * stride + h * config.head_size, config.head_size});
      }
    }
    return made;
  }

  std::vector<PackedMatrix> keys_, queries_;  // by head; empty if not used in scores
  float scale_ = 1;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
