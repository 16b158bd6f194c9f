// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include "plumb/rank.hpp"

// Each file that includes this header has its own copy of the function.
namespace {

inline std::string ranks_here() {
  constexpr std::size_t count = 300, dimension = 37;
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count * dimension);
  for (float& x : numbers) x = normal(random);
  const plumb::VectorRows rows(numbers.data(), count, dimension);
  const plumb::CosineRanker ranker(rows);
  std::string text;
  for (const auto& nearest : ranker.nearest(rows, 3)) {
    for (const auto& one : nearest) {
      text += std::to_string(one.entity) + " " + std::to_string(one.cosine) + " ";
    }
  }
  return text;
}

}  // namespace
