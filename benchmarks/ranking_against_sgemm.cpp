// SPDX-License-Identifier: Apache-2.0

// How does ranking compare with a bare matrix product of the same size?
//
//   ranking_against_sgemm [queries] [entities] [dimension] [rounds]
// Times CosineRanker::ranks and one OpenBLAS sgemm in turn, on random vectors, and reports how much
// memory ranking takes in addition to its inputs and results. Prints one JSON object.

#include <cblas.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/rank/cosine_ranker.hpp"

namespace {

using namespace plumb::detail;

EmbeddingMatrix random_vectors(std::size_t rows, std::size_t dimension, const std::string& name) {
  EmbeddingMatrix vectors(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(dimension));
  RandomStream random(0, name);
  for (Eigen::Index i = 0; i < vectors.size(); ++i) {
    // A sum of three uniform numbers is close enough to a normal distribution.
    vectors.data()[i] =
        static_cast<float>(random.uniform() + random.uniform() + random.uniform() - 1.5);
  }
  return vectors;
}

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::size_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss);
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t fallback) {
    return argc > i ? std::stoul(argv[i]) : fallback;
  };
  const std::size_t queries = number(1, 3000), entities = number(2, 40943);
  const std::size_t dimension = number(3, 768), rounds = number(4, 5);
  const EmbeddingMatrix q = random_vectors(queries, dimension, "queries");
  const EmbeddingMatrix e = random_vectors(entities, dimension, "entities");
  std::vector<RankQuestion> questions;
  RandomStream random(0, "gold");
  for (std::uint32_t i = 0; i < queries; ++i) {
    questions.push_back({i, static_cast<std::uint32_t>(random.below(entities))});
  }
  const VectorRows query_rows(q.data(), q.rows(), q.cols());
  const VectorRows entity_rows(e.data(), e.rows(), e.cols());

  const std::size_t before = peak_kilobytes();
  std::vector<Rank> ranks;
  const auto rank = [&] { ranks = CosineRanker(entity_rows).ranks(query_rows, questions); };
  rank();  // also warms up
  const std::size_t extra = peak_kilobytes() - before;

  std::vector<float> product(queries * entities);
  const auto multiply = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(queries),
                static_cast<int>(entities), static_cast<int>(dimension), 1.0F, q.data(),
                static_cast<int>(dimension), e.data(), static_cast<int>(dimension), 0.0F,
                product.data(), static_cast<int>(entities));
  };
  multiply();
  std::vector<double> ratios, ranking, sgemm;
  for (std::size_t i = 0; i < rounds; ++i) {
    ranking.push_back(seconds_of(rank));
    sgemm.push_back(seconds_of(multiply));
    ratios.push_back(ranking.back() / sgemm.back());
  }
  double mean = 0;
  for (const Rank& one : ranks) mean += one.realistic() / static_cast<double>(ranks.size());
  std::printf(
      "{\"queries\": %zu, \"entities\": %zu, \"dimension\": %zu, \"rounds\": %zu, "
      "\"ranking_seconds\": %.3f, \"sgemm_seconds\": %.3f, \"ratio\": %.3f, "
      "\"ratio_least\": %.3f, \"ratio_most\": %.3f, \"extra_kilobytes\": %zu, "
      "\"mean_rank\": %.1f}\n",
      queries, entities, dimension, rounds, middle(ranking), middle(sgemm), middle(ratios),
      *std::ranges::min_element(ratios), *std::ranges::max_element(ratios), extra, mean);
}
