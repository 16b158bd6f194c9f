// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which entities of a tile are nearer to their query than the true one, told by single precision?
//
// Each question has two thresholds: cosines above the upper one are nearer for certain, those below
// the lower one are not, and the few between are left to be decided exactly.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "plumb/measure/rank.hpp"
#include "plumb/rank/tile_products.hpp"

namespace plumb::detail {

/// Products of a few entities with a panel of queries.
struct Tile {
  std::size_t first_entity, rows, panel;
  const float* products;  // [tile_rows][panel_width]
  const float* inverse_lengths;
  [[nodiscard]] float cosine(std::size_t row, std::size_t lane) const {
    return products[row * panel_width + lane] * inverse_lengths[row];
  }
};

/// By lane of a panel: its query's first question, and the cosines above and below which it is
/// decided; further questions of the same query.
struct Thresholds {
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  struct More {
    std::size_t lane;
    std::uint32_t question;
    float high, low;
  };
  std::array<float, panel_width> high, low;
  std::array<std::uint32_t, panel_width> question;
  std::vector<More> more;

  Thresholds() {
    high.fill(std::numeric_limits<float>::infinity());
    low.fill(std::numeric_limits<float>::infinity());
    question.fill(none);
  }

  /// A question about a lane's query, decided for cosines above `above` and below `below`.
  void add(std::size_t lane, std::uint32_t which, float above, float below) {
    if (question[lane] != none) return more.push_back({lane, which, above, below});
    question[lane] = which;
    high[lane] = above;
    low[lane] = below;
  }
};

/// How many cosines of each lane were above its threshold.
struct Counts {
  LaneCounts lanes[panel_lanes] = {};
  [[nodiscard]] std::size_t of(std::size_t lane) const {
    return static_cast<std::size_t>(lanes[lane / lane_count][lane % lane_count]);
  }
};

/// Counts what a tile decides; `decide(question, entity)` is called for what it does not.
template <class Decide>
void count_tile(const Tile& tile, const Thresholds& thresholds, Counts& above, Decide decide,
                std::vector<std::pair<std::uint32_t, Rank>>& found) {
  // −1 in the lanes of a row's cosines that are above their threshold, and that are neither.
  const auto compare = [&](std::size_t r, std::size_t c) {
    const std::size_t at = c * lane_count;
    const Lanes cosine = load(tile.products + r * panel_width + at) * tile.inverse_lengths[r];
    const LaneCounts is_above = cosine > load(thresholds.high.data() + at);
    const LaneCounts is_not_below = cosine >= load(thresholds.low.data() + at);
    return std::pair(is_above, is_above ^ is_not_below);
  };
  LaneCounts undecided = {};
  for (std::size_t r = 0; r < tile.rows; ++r) {
    for (std::size_t c = 0; c < panel_lanes; ++c) {
      const auto [is_above, is_near] = compare(r, c);
      above.lanes[c] -= is_above;
      undecided |= is_near;
    }
  }
  for (std::size_t r = 0; r < tile.rows && any(undecided); ++r) {
    for (std::size_t c = 0; c < panel_lanes; ++c) {
      const LaneCounts is_near = compare(r, c).second;
      if (!any(is_near)) continue;
      for (std::size_t lane = 0; lane < lane_count; ++lane) {
        if (is_near[lane] == 0) continue;
        decide(thresholds.question[c * lane_count + lane], tile.first_entity + r);
      }
    }
  }
  for (const auto& more : thresholds.more) {
    for (std::size_t r = 0; r < tile.rows; ++r) {
      const float cosine = tile.cosine(r, more.lane);
      if (cosine > more.high) {
        found.push_back({more.question, {1, 0}});
      } else if (cosine >= more.low) {
        decide(more.question, tile.first_entity + r);
      }
    }
  }
}

}  // namespace plumb::detail
