// SPDX-License-Identifier: Apache-2.0
#pragma once

// Log-likelihoods from the small models' own probabilities, token by token. They serve as
// references for scorers.

#include <string_view>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The log-likelihood of `rest` after BOS and `given`, in nats; the two texts are tokenised
/// separately.
[[nodiscard]] inline double nats_behind(const NgramModel& model, std::string_view given,
                                        std::string_view rest) {
  std::vector<TokenId> ids{*model.bos()};
  for (const Token& token : model.tokenize(given).tokens) ids.push_back(token.id);
  double sum = 0;
  for (const Token& token : model.tokenize(rest).tokens) {
    sum += model.log_probability(ids, token.id);
    ids.push_back(token.id);
  }
  return sum;
}

/// The log-likelihood of a text after BOS, in nats.
[[nodiscard]] inline double nats_by_hand(const NgramModel& model, std::string_view text) {
  return nats_behind(model, "", text);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
