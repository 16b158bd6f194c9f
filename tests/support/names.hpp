// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does a name rank if every name is scored? This is a slow reference implementation for
// searches, with random names for the queries.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"
#include "plumb/detail/measure/rank.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A random string of the letters "a" to "c"; short strings are often equal.
inline std::string random_letters(RandomStream& random, std::size_t least, std::size_t most) {
  std::string text(least + random.below(most - least + 1), 'a');
  for (char& c : text) c = static_cast<char>('a' + random.below(3));
  return text;
}

/// Names that end with a bracket, so that no name is a prefix of another.
inline std::vector<std::string> random_names(RandomStream& random, std::size_t count,
                                             std::size_t longest) {
  std::vector<std::string> names(count);
  for (std::string& name : names) name = random_letters(random, 1, longest) + "]";
  return names;
}

/// Random ascending indices that include `gold`.
inline std::vector<std::uint32_t> random_truths(RandomStream& random, std::size_t count,
                                                std::uint32_t gold) {
  std::vector<std::uint32_t> truths;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == gold || random.below(5) == 0) truths.push_back(i);
  }
  return truths;
}

template <class Model>
std::vector<TokenId> ids_of(const Model& model, const std::string& text) {
  std::vector<TokenId> ids;
  for (const Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
  return ids;
}

/// Σ log P(token | prompt and earlier tokens) for each name, divided by its number of tokens if the
/// mean is requested. Each name is evaluated as a separate sequence. The logits are in single
/// precision, as in the model. Names with equal scores in the model therefore have bit-identical
/// scores here, if the same model object is used.
inline std::vector<double> exhaustive_scores(NgramModel& model,
                                             const std::vector<std::string>& names,
                                             std::span<const TokenId> prompt,
                                             NameReduction reduction = NameReduction::sum) {
  std::vector<double> scores;
  for (const std::string& name : names) {
    const std::vector<TokenId> ids = ids_of(model, name);
    std::vector<TokenId> sequence(prompt.begin(), prompt.end());
    sequence.insert(sequence.end(), ids.begin(), ids.end());
    double sum = 0;
    model.evaluate(sequence, [&](std::uint32_t position, std::span<const float> logits) {
      if (position + 1 < prompt.size() || position + 1 == sequence.size()) return;
      const TokenId next = sequence[position + 1];
      sum += static_cast<double>(logits[static_cast<std::size_t>(next)]) - log_sum_exp(logits);
    });
    scores.push_back(reduction == NameReduction::mean ? sum / static_cast<double>(ids.size())
                                                      : sum);
  }
  return scores;
}

/// The rank of one name among all names except those in `left_out`.
inline Rank standing(std::span<const double> scores, std::uint32_t gold,
                     std::span<const std::uint32_t> left_out = {}) {
  Rank rank;
  for (std::uint32_t i = 0; i < scores.size(); ++i) {
    bool counts = i != gold;
    for (const std::uint32_t out : left_out) counts = counts && i != out;
    if (!counts) continue;
    rank.above += scores[i] > scores[gold] ? 1U : 0U;
    rank.equal += scores[i] == scores[gold] ? 1U : 0U;
  }
  return rank;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
