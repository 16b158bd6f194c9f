// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does each text get the same vector and continuation in a batch as on its own?

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/model_verification.hpp"
#include "plumb/detail/backend/verified_sequences.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Compares the vector that each text gets on its own with the vector that it gets in a batch with
/// all other texts. Skips texts without tokens.
template <Embedder M>
void compare_text_vectors(DifferenceLog& log, M& model, std::span<const std::string> texts,
                          bool with_bos) {
  log.begin("embed of texts together");
  std::vector<std::string> asked;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (model.tokenize(texts[i]).tokens.empty()) continue;
    asked.push_back(texts[i]);
    numbers.push_back(i);
  }
  const auto together = model.embed(asked, with_bos);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto alone = model.embed(std::span(&asked[i], 1), with_bos);
    const auto row = together.row(static_cast<std::ptrdiff_t>(i));
    const VerifiedRow known(alone.data(), alone.data() + alone.size());
    log.note({log.form(), numbers[i], 0, std::nullopt,
              vector_difference(known, {row.data(), static_cast<std::size_t>(row.size())})},
             {i, 0});
  }
  log.end();
}

/// Compares the greedy continuation that each prompt gets on its own with the continuation that it
/// gets in a batch with all other prompts. If the two diverge, they are compared up to the token
/// where they diverge, because a near tie may be decided either way.
template <BatchGenerator M>
void compare_continuations(DifferenceLog& log, M& model,
                           std::span<const VerifiedSequence> sequences, bool has_bos) {
  GenerationOptions options;
  options.max_new_tokens = 4;
  options.stop.clear();
  std::vector<std::vector<TokenId>> prompts;
  for (const VerifiedSequence& one : sequences) {
    if (!one.other) prompts.push_back(one.tokens);
  }
  log.begin("generate of prompts together");
  const auto together = model.generate(prompts, options, {});
  for (std::size_t p = 0; p < prompts.size() && p < together.size(); ++p) {
    const auto alone = model.generate(std::span(&prompts[p], 1), options, {});
    if (alone.empty() || alone.front().empty() || together[p].empty()) continue;
    const Continuation &a = alone.front().front(), &b = together[p].front();
    for (std::size_t i = 0; i < (std::min)(a.tokens.size(), b.tokens.size()); ++i) {
      log.note({log.form(), sequences[p].text, prompts[p].size() - (has_bos ? 1 : 0) + i,
                std::nullopt, std::abs(a.log_probabilities.at(i) - b.log_probabilities.at(i))},
               {p, i});
      if (a.tokens[i] != b.tokens[i]) break;
    }
  }
  log.end();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
