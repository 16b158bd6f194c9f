// SPDX-License-Identifier: Apache-2.0

// How fast would a decoder be if it computed nothing but its matrix products?
//
//   decoder_products HIDDEN QUERIES_KEYS_VALUES WIDENED INNER LAYERS VOCABULARY [THREADS [f32|bf16]]
//
// WIDENED is the number of outputs of the feed-forward network's first product, and INNER the
// number of inputs of its last one; in a gated network, WIDENED is twice INNER. With `bf16`,
// products are computed in BF16, which needs a CPU with AVX512-BF16. Prints JSON with the best of
// five rounds: seconds for one node's layers in batches of 512 nodes, seconds for one row of logits
// in batches of 96 (like DecoderNetwork), and the speed of one thread in 10⁹ additions and
// multiplications per second, both for the layers and for one tile whose numbers stay in the
// first-level cache.

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "plumb/detail/huggingface/packed_matrix.hpp"

namespace {

using plumb::detail::PackedMatrix;
using plumb::detail::WeightType;

double best_seconds(const auto& work) {
  double best = 1e30;
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// Weights between 1/7 and 1: zeros or denormal numbers could change the speed.
PackedMatrix matrix(std::size_t outputs, std::size_t inputs, WeightType type) {
  PackedMatrix made(outputs, inputs, type);
  std::vector<float> row(inputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t k = 0; k < inputs; ++k) row[k] = 1.0F / static_cast<float>(1 + (o + k) % 7);
    made.set_output(o, row);
  }
  return made;
}

double seconds_of(const std::vector<PackedMatrix>& matrices, std::size_t count) {
  std::size_t widest = 0, longest = 0;
  for (const PackedMatrix& each : matrices) {
    widest = std::max(widest, each.outputs());
    longest = std::max(longest, each.inputs());
  }
  const std::vector<float> rows(count * longest, 0.5F);
  std::vector<float> made(count * widest);
  return best_seconds([&] {
    for (const PackedMatrix& each : matrices) {
      each.multiply_shared(rows.data(), count, each.inputs(), made.data(), each.outputs());
    }
  });
}

double tile_speed() {
  using namespace plumb::detail;
  constexpr std::size_t depth = 64, times = 20000;
  const NetworkKernels& set = network_kernels();
  const std::size_t width = set.product_width();
  AlignedVector<float> rows(set.product_rows * depth, 0.5F), columns(depth * width, 0.25F),
      sums(set.product_rows * width);
  const double seconds = best_seconds([&] {
    for (std::size_t i = 0; i < times; ++i) {
      set.add_products(
          set.product_rows, set.product_lanes,
          {rows.data(), depth, columns.data(), width, set.lanes, depth, sums.data(), width});
    }
  });
  return 2e-9 * static_cast<double>(set.product_rows * width * depth * times) / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const auto word = [&](int i) { return static_cast<std::size_t>(std::atoll(argv[i])); };
  const std::size_t hidden = word(1), projected = word(2), widened = word(3), inner = word(4),
                    layers = word(5);
  if (argc > 7) omp_set_num_threads(std::atoi(argv[7]));
  const bool in_bf16 = argc > 8 && std::string_view(argv[8]) == "bf16";
  if (in_bf16 && !plumb::detail::network_kernels().has_pair_products) {
    std::fputs("decoder_products: this CPU has no BF16 products; leave out `bf16`\n", stderr);
    return 2;
  }
  const WeightType type = in_bf16 ? WeightType::bf16_pairs : WeightType::f32;
  // Each layer has its own matrices, so that weights come from memory, as in a network.
  std::vector<PackedMatrix> all;
  for (std::size_t l = 0; l < layers; ++l) {
    all.push_back(matrix(projected, hidden, type));
    all.push_back(matrix(hidden, hidden, type));
    all.push_back(matrix(widened, hidden, type));
    all.push_back(matrix(hidden, inner, type));
  }
  constexpr std::size_t nodes = 512, rows = 96;
  const double of_node = seconds_of(all, nodes) / static_cast<double>(nodes);
  double work = 0;
  for (const PackedMatrix& each : all) {
    work += 2e-9 * static_cast<double>(each.outputs() * each.inputs());
  }
  const int threads = omp_get_max_threads();
  all.clear();
  all.push_back(matrix(word(6), hidden, type));
  const double of_row = seconds_of(all, rows) / static_cast<double>(rows);
  std::printf(
      "{\"node\": %.9g, \"row\": %.9g, \"layers\": %.4g, \"tile\": %.4g, \"vectors\": %zu}\n",
      of_node, of_row, work / of_node / threads, tile_speed(),
      plumb::detail::network_kernels().lanes);
  return 0;
}
