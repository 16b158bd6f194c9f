// SPDX-License-Identifier: Apache-2.0

// My model turns texts into vectors. How well does it rank entities by cosine (DEER)?
//
// The embedder is a stand-in for a model's last hidden vectors: it counts letters and gives later
// letters more weight.
//
// Prints:
//   deer: 8 queries among 13 candidates, MRR 0.126

#include <cstdio>
#include <span>
#include <string>

#include <Eigen/Core>

#include "plumb/dataset.hpp"
#include "plumb/model.hpp"
#include "plumb/rank.hpp"

/// The tokenizer and logits come from an archetype; this struct computes the vectors.
struct LetterCounts : plumb::NgramModel {
  LetterCounts() : NgramModel("") {}
  [[nodiscard]] std::size_t dimension() const { return 256; }
  /// Returns one row for each text.
  [[nodiscard]] plumb::EmbeddingMatrix embed(std::span<const std::string> texts, bool) const {
    plumb::EmbeddingMatrix rows =
        plumb::EmbeddingMatrix::Zero(static_cast<Eigen::Index>(texts.size()), 256);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      auto row = rows.row(static_cast<Eigen::Index>(i));
      for (const char letter : texts[i]) {
        row *= 0.9F;
        row(static_cast<unsigned char>(letter)) += 1;
      }
    }
    return rows;
  }
};
static_assert(plumb::Embedder<LetterCounts>);
// A model that can branch from a stored prefix can embed trees, which is faster. This one cannot.
static_assert(!plumb::TreeEmbedder<LetterCounts>);

int main() {
  const plumb::Dataset dataset{"cities",
                               {plumb::relation_of("country", {"[X] is in [Y]."},
                                                   {{"Oslo", "Norway"},
                                                    {"Lima", "Peru"},
                                                    {"Bergen", "Norway"},
                                                    {"Cusco", "Peru"},
                                                    {"Turku", "Finland"},
                                                    {"Vaasa", "Finland"},
                                                    {"Narvik", "Norway"},
                                                    {"Piura", "Peru"},
                                                    {"Oulu", "Finland"},
                                                    {"Tromso", "Norway"}})}};
  LetterCounts model;
  const auto made =
      plumb::rank(model, dataset, {.methods = {plumb::RankMethod::deer}, .asked = {.shots = 1}});
  const auto& deer = made.methods[0];
  std::printf("deer: %zu queries among %zu candidates, MRR %.3f\n", deer.ranks.size(),
              deer.candidates, deer.realistic().mean_reciprocal_rank.value);
}
