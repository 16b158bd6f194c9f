// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can this model answer at all, and does an answer depend on what is asked beside it?
//
// A net below all other checks, at the start of every run: a file that is no language model may
// give rows that are all one number, and an engine, a kernel or a server may mix up what it is
// asked at once. A few short fixed prompts are asked alone, in trees or batches and after a release
// (verify_model.hpp); the model holds nothing afterwards. Compared is what a score is made of: after
// each token the log-probability of the next one and of the likeliest. Kernels of quantised weights
// depend on the size of a step, and move tokens that nobody asks about by half a nat and more.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/model_verification.hpp"
#include "plumb/detail/backend/verify_model.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/token.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Nats that a place may differ by: of a model that computes in F32, and of any other.
inline constexpr double most_apart_exact = 1e-3, most_apart = 0.5;

/// Short token sequences of texts in several scripts; where the tokenizer has too few of their
/// characters, of tokens from everywhere.
template <class M>
std::vector<std::vector<TokenId>> start_prompts(M& model) {
  constexpr std::size_t most_tokens = 7, most_prompts = 3;
  std::vector<std::vector<TokenId>> prompts;
  for (const std::string_view text :
       {"The capital of France is Paris.", "1, 2, 3: one, two, three", "Москва — столица России",
        "東京は日本の首都です", "القاهرة عاصمة مصر"}) {
    std::vector<TokenId> ids;
    try {
      for (const Token& token : model.tokenize(text).tokens) ids.push_back(token.id);
    } catch (const Error&) {
      continue;  // a text that this tokenizer refuses
    }
    if (ids.size() > most_tokens) ids.resize(most_tokens);
    if (std::set(ids.begin(), ids.end()).size() > 2) prompts.push_back(std::move(ids));
    if (prompts.size() == most_prompts) break;
  }
  const auto size = static_cast<TokenId>(model.vocabulary_size());
  if (size == 0) return {};
  if (prompts.size() < 2) prompts.push_back({size / 2, size / 3, size / 4, size - 1, size / 5});
  if (prompts.size() < 2) prompts.push_back({size / 6, size / 2, size / 7, size / 3, size / 8});
  return prompts;
}

/// What was found. Throws a user error for a model whose rows are all one number, or hold no
/// distribution, and where two forms are more than `most` nats apart; `name` is the model, as the
/// user named it.
template <class M>
ModelVerification check_at_start(M& model, double most, const std::string& name) {
  const detail::VerifyScope scope{.tolerance = most, .branches = 1, .whole = false};
  ModelVerification made =
      (detail::ModelVerifier<M>(model, detail::start_prompts(model), scope).verify)({});
  const Site site{.setting = "model"};
  if (made.broken_rows > 0) {
    throw user_error(
        site,
        name + " gives rows of logits that are not finite: " + std::to_string(made.broken_rows) +
            " of " + counted(made.rows, "row") + " of fixed prompts",
        "its weights are damaged or overflow here; fetch or convert it again");
  }
  if (made.rows > 0 && made.constant_rows == made.rows) {
    throw user_error(site,
                     name +
                         " gives rows of logits that are all one number, after every token of "
                         "fixed prompts",
                     "it is no language model, or was converted without its head; choose another");
  }
  if (!made.agrees()) {
    throw user_error(site,
                     name +
                         " answers otherwise when asked otherwise: " + made.first->description() +
                         " of fixed prompts from the same prefix asked alone, and " +
                         with_decimals(most, 3) + " is the most",
                     "an answer must depend on its own prefix alone; verify_model "
                     "(docs/embedding.md) names what an engine of your own mixes up");
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
