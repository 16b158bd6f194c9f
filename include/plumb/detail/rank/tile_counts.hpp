// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which entities of a tile are nearer to a query than the true one, told by their products?
//
// Products above a range are nearer for certain, those below it are not, and the few within it are
// left to be decided exactly.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "plumb/detail/kernels/rank_kernels.hpp"
#include "plumb/detail/rank/short_direction.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Products from least to most, of vectors that may be as near as another.
struct Undecided {
  std::int32_t least, most;
};

/// Of a product that is known as far as a double goes.
inline std::int32_t clamped(double product) {
  constexpr double most = (std::numeric_limits<std::int32_t>::max)();
  return static_cast<std::int32_t>(std::clamp(product, -most, most));
}

/// Products of a few queries with a chunk of entities.
struct Tile {
  std::size_t first_query, rows, first_entity, columns, stride;
  const std::int32_t* products;   // [rows][stride]
  const ShortDirection* queries;  // [rows]
  ShortDirection entities;

  [[nodiscard]] const std::int32_t* row(std::size_t r) const { return products + r * stride; }
  [[nodiscard]] double scale(std::size_t r) const { return queries[r].scale * entities.scale; }
  [[nodiscard]] double cosine(std::size_t r, std::size_t c) const { return row(r)[c] / scale(r); }
  /// How far cosine() may be from the exact one.
  [[nodiscard]] double bound(std::size_t r) const {
    return product_bound(queries[r], entities) / scale(r);
  }
  /// Products of entities that may be as near as one with this cosine.
  [[nodiscard]] Undecided undecided(std::size_t r, double exact) const {
    const double product = exact * scale(r), bound = product_bound(queries[r], entities);
    return {clamped(std::ceil(product - bound)), clamped(std::floor(product + bound))};
  }
};

/// How many products are above; calls `decide(c)` for each of those that are undecided. `columns` are at
/// most as many as `scratch`, memory to be used again, has.
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
