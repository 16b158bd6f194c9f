// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which entities of a tile are nearer to a query than the true entity, judged by their products?
//
// An entity whose product is above a given range is certainly nearer, and one whose product is
// below the range is certainly not. The few entities whose products fall within the range are left
// to the caller, which computes them exactly.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "plumb/detail/kernels/rank_kernels.hpp"
#include "plumb/detail/rank/short_direction.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The range of products, from `least` to `most`, for which it is undecided whether a vector is
/// nearer.
struct Undecided {
  std::int32_t least, most;
};

/// A product clamped to the range of a 32-bit integer.
inline std::int32_t clamped(double product) {
  constexpr double most = (std::numeric_limits<std::int32_t>::max)();
  return static_cast<std::int32_t>(std::clamp(product, -most, most));
}

/// The products of a few queries with a chunk of entities.
struct Tile {
  std::size_t first_query, rows, first_entity, columns, stride;
  const std::int32_t* products;   // [rows][stride]
  const ShortDirection* queries;  // [rows]
  ShortDirection entities;

  [[nodiscard]] const std::int32_t* row(std::size_t r) const { return products + r * stride; }
  [[nodiscard]] double scale(std::size_t r) const { return queries[r].scale * entities.scale; }
  [[nodiscard]] double cosine(std::size_t r, std::size_t c) const { return row(r)[c] / scale(r); }
  /// A bound on the error of cosine().
  [[nodiscard]] double bound(std::size_t r) const {
    return product_bound(queries[r], entities) / scale(r);
  }
  /// The range of products for which it is undecided whether an entity's cosine is above `exact`.
  [[nodiscard]] Undecided undecided(std::size_t r, double exact) const {
    const double product = exact * scale(r), bound = product_bound(queries[r], entities);
    return {clamped(std::ceil(product - bound)), clamped(std::floor(product + bound))};
  }
};

/// Returns the number of products above the range, and calls `decide(c)` for each column whose
/// product is within it. `scratch` is reusable memory of at least `columns` elements.
template <class Decide>
std::size_t count_above(const std::int32_t* products, std::size_t columns, Undecided undecided,
                        std::span<std::uint32_t> scratch, Decide decide) {
  std::size_t found = 0;
  const std::size_t above = rank_kernels().count_above(products, columns, undecided.least,
                                                       undecided.most, scratch.data(), found);
  for (std::size_t i = 0; i < found; ++i) decide(std::size_t{scratch[i]});
  return above;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
