// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does attention compute for a token from the tokens that it sees?
//
//   gathered_i = Σ_j softmax_j(cap(scale · q_i · k_j) + bias_j + added_ij) v_j
// for each head, over the tokens j that token i sees. A few queries are computed together, using
// all keys that at least one of them sees, so both sums are products of small matrices
// (kernels/row_products.hpp). Keys are stored in blocks. A block contains as many keys as a vector
// has lanes, with the numbers for one dimension next to each other. Values are stored row by row. A
// key that a query does not see has weight 0 in that query's sum. The order of the tokens j is
// fixed, so a token's result is bit-for-bit the same no matter which queries are computed with it.
// Source: Vaswani et al., "Attention Is All You Need" (2017), 3.2.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/detail/core/aligned_allocator.hpp"
#include "plumb/detail/kernels/network_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Keys and values of one layer, by slot. Any number of threads may read them. Different threads
/// may set different slots at the same time.
class KeyValues {
 public:
  KeyValues() = default;
  /// In each head, every key and every value consists of `size` numbers.
  KeyValues(std::size_t heads, std::size_t size)
      : lanes_(network_kernels().lanes), size_(size), keys_(heads), values_(heads) {}

  [[nodiscard]] std::size_t heads() const noexcept { return keys_.size(); }
  /// The number of elements in one head's key, and in its value.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void reserve(std::size_t count) {
    for (Numbers& keys : keys_) keys.reserve(blocks(count) * block_size());
    for (Numbers& values : values_) values.reserve(count * value_stride());
  }
  /// Makes room for slots 0 … count − 1; existing slots keep their numbers.
  void resize(std::size_t count) {
    for (Numbers& keys : keys_) keys.resize(blocks(count) * block_size(), 0.0F);
    for (Numbers& values : values_) values.resize(count * value_stride(), 0.0F);
  }

  /// `key_value` contains the keys of all heads, then the values of all heads.
  void set(std::size_t slot, const float* key_value) {
    const float* value = key_value + heads() * size_;
    for (std::size_t h = 0; h < heads(); ++h) {
      float* to = keys_[h].data() + slot / lanes_ * block_size() + slot % lanes_;
      for (std::size_t k = 0; k < size_; ++k) to[k * lanes_] = key_value[h * size_ + k];
      std::copy_n(value + h * size_, size_, values_[h].data() + slot * value_stride());
    }
  }

  /// The number of keys in a block.
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_; }
  /// A block's keys: [size()][lanes()]; the next block follows it.
  [[nodiscard]] const float* keys(std::size_t head, std::size_t block) const {
    return keys_[head].data() + block * block_size();
  }
  [[nodiscard]] std::size_t block_size() const noexcept { return size_ * lanes_; }
  /// A slot's value, padded with zeros to value_stride() numbers; the next slot's value follows it.
  [[nodiscard]] const float* value(std::size_t head, std::size_t slot) const {
    return values_[head].data() + slot * value_stride();
  }
  [[nodiscard]] std::size_t value_stride() const noexcept { return blocks(size_) * lanes_; }

 private:
  using Numbers = AlignedVector<float>;
  [[nodiscard]] std::size_t blocks(std::size_t count) const {
    return (count + lanes_ - 1) / lanes_;
  }

  std::size_t lanes_ = 1, size_ = 0;
  std::vector<Numbers> keys_, values_;  // by head
};

/// Consecutive slots.
struct SlotRun {
  std::size_t first, count;
};

/// The slots that a group of queries sees.
struct SeenSlots {
  /// The maximum number of queries.
  [[nodiscard]] static std::size_t most_queries() { return network_kernels().product_rows; }

  /// All slots that at least one query sees, in the order of summation.
  std::vector<SlotRun> runs;
  /// The number of leading slots that all queries see.
  std::size_t shared = 0;
  /// For each query, the slots after the shared ones that it sees, as ascending indices in the
  /// order of summation. Empty if all slots are shared.
  std::vector<std::vector<std::uint32_t>> own;
  /// The token position of each slot, in the order of summation, if scores have a
  /// position-dependent bias.
  std::vector<std::uint32_t> positions{};
};

/// How a head's scores are computed from products of queries and keys.
struct HeadScores {
  float scale = 1;
  /// Scores become c · tanh(x / c); 0 means no cap.
  float cap = 0;
  /// Added to a key's score; indexed by the key's position. Null for none.
  const float* bias = nullptr;
  /// Added to the score of each query and key. Points to the first query's numbers, which are
  /// indexed by the key's position in the order of summation. The numbers of consecutive queries
  /// are `added_stride` apart. Null for none.
  const float* added = nullptr;
  std::size_t added_stride = 0;
};

/// Writes the products of the queries and the keys of one run, times `scale`, into columns of `to`.
inline void multiply_keys(const KeyValues& held, std::size_t head, SlotRun run,
                          const float* queries, std::size_t count, std::size_t stride, float scale,
                          float* to, std::size_t to_stride) {
  const NetworkKernels& with = network_kernels();
  const std::size_t lanes = held.lanes(), width = with.product_width();
  alignas(64) float sums[most_product_rows * most_product_width];
  const std::size_t end = run.first + run.count;
  for (std::size_t block = run.first / lanes; block * lanes < end; block += with.product_lanes) {
    const std::size_t wide = (std::min)(with.product_lanes, (end - 1) / lanes + 1 - block);
    with.add_products(count, wide,
                      {queries, stride, held.keys(head, block), lanes, held.block_size(),
                       held.size(), sums, width, false});
    const std::size_t first = (std::max)(run.first, block * lanes);
    const std::size_t last = (std::min)(end, (block + wide) * lanes);
    for (std::size_t q = 0; q < count; ++q) {
      const float* from = sums + q * width + (first - block * lanes);
      float* row = to + q * to_stride + (first - run.first);
      for (std::size_t i = 0; i < last - first; ++i) row[i] = from[i] * scale;
    }
  }
}

/// Converts a row of scores to weights. Slots after the shared ones have weight 0 if `own` does not
/// contain them.
inline void weigh_row(std::span<float> row, std::size_t shared,
                      std::span<const std::uint32_t> own) {
  for (std::size_t i = 0; i < own.size(); ++i) row[shared + i] = row[own[i]];
  network_kernels().softmax(row.data(), shared + own.size());
  std::fill(row.begin() + static_cast<std::ptrdiff_t>(shared + own.size()), row.end(), 0.0F);
  for (std::size_t i = own.size(); i-- > 0 && own[i] != shared + i;) {
    row[own[i]] = row[shared + i];
    row[shared + i] = 0;
  }
}

/// Computes the attention of `count` queries in one head of keys and values. `queries` and
/// `gathered` point to the head's numbers for the first query; the numbers of consecutive queries
/// are `stride` and `gathered_stride` apart. `scratch` is reusable memory.
inline void attend(const KeyValues& held, std::size_t head, const SeenSlots& seen,
                   const HeadScores& scores, const float* queries, std::size_t count,
                   std::size_t stride, float* gathered, std::size_t gathered_stride,
                   std::vector<float>& scratch) {
  const NetworkKernels& with = network_kernels();
  const std::size_t size = held.size(), wide = held.value_stride(), lanes = held.lanes();
  std::size_t slot_count = 0;
  for (const SlotRun run : seen.runs) slot_count += run.count;
  scratch.resize(count * (slot_count + wide));
  float* const weights = scratch.data();
  float* const sums = weights + count * slot_count;
  std::size_t at = 0;
  for (const SlotRun run : seen.runs) {
    detail::multiply_keys(held, head, run, queries, count, stride, scores.scale, weights + at,
                          slot_count);
    at += run.count;
  }
  if (scores.cap > 0) with.cap(weights, count * slot_count, scores.cap);
  for (std::size_t q = 0; q < count; ++q) {
    float* const row = weights + q * slot_count;
    for (std::size_t i = 0; scores.bias != nullptr && i < slot_count; ++i) {
      row[i] += scores.bias[seen.positions[i]];
    }
    for (std::size_t i = 0; scores.added != nullptr && i < slot_count; ++i) {
      row[i] += scores.added[q * scores.added_stride + i];
    }
    const std::span<const std::uint32_t> own =
        seen.own.empty() ? std::span<const std::uint32_t>() : seen.own[q];
    detail::weigh_row({row, slot_count}, seen.shared, own);
  }
  std::fill_n(sums, count * wide, 0.0F);
  at = 0;
  for (const SlotRun run : seen.runs) {
    const float* values = held.value(head, run.first);
    for (std::size_t c = 0, left = wide / lanes; left > 0;) {  // in parts of similar width
      const std::size_t parts = (left + with.product_lanes - 1) / with.product_lanes;
      const std::size_t now = (left + parts - 1) / parts;
      with.add_products(count, now,
                        {weights + at, slot_count, values + c * lanes, wide, lanes, run.count,
                         sums + c * lanes, wide});
      c += now;
      left -= now;
    }
    at += run.count;
  }
  for (std::size_t q = 0; q < count; ++q) {
    std::copy_n(sums + q * wide, size, gathered + q * gathered_stride);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
