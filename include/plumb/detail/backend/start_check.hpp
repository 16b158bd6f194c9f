// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can this model answer at all, and are its answers independent of other requests?
//
// This is a basic check at the start of every run. A file that is not a language model may produce
// rows in which all numbers are equal. An engine, a kernel or a server may mix up inputs that it
// receives together. A few short fixed prompts are therefore evaluated one by one, in trees or
// batches, and after a release (verify_model.hpp). The model holds nothing afterwards. The check
// compares the numbers from which scores are computed: at each position, the log-probabilities of
// the token that follows and of the most likely token. Other tokens are not compared, because the
// results of quantised kernels depend on the step size, which can change these tokens'
// log-probabilities by half a nat or more.

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

/// The largest accepted difference at any position, in nats, for a model that computes in F32 and
/// for any other model.
inline constexpr double most_apart_exact = 1e-3, most_apart = 0.5;

/// Short token sequences from texts in several scripts, or, if the tokenizer knows too few of their
/// characters, sequences of tokens from the whole vocabulary.
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
      continue;  // a text that this tokenizer rejects
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

/// Runs the check and returns its findings. Throws a user error if all numbers are equal in every
/// row, if a row is not a distribution, or if two forms differ by more than `most` nats. `name` is
/// the model's name as the user wrote it.
template <class M>
ModelVerification check_at_start(M& model, double most, const std::string& name) {
  const detail::VerifyScope scope{.tolerance = most, .branches = 1, .whole = false};
  ModelVerification made =
      (detail::ModelVerifier<M>(model, detail::start_prompts(model), scope).verify)({});
  const Site site{.setting = "model"};
  if (made.broken_rows > 0) {
    throw user_error(
        site,
        name + " returns rows of non-finite logits: " + std::to_string(made.broken_rows) + " of " +
            counted(made.rows, "row") + " of fixed prompts",
        "its weights are damaged or overflow on this engine; fetch or convert it again");
  }
  if (made.rows > 0 && made.constant_rows == made.rows) {
    throw user_error(
        site,
        name + " returns rows in which all logits are equal, after every token of fixed prompts",
        "it is not a language model, or was converted without its head; choose "
        "another model");
  }
  if (!made.agrees()) {
    throw user_error(site,
                     name + " gives inconsistent answers: " + made.first->description() +
                         " of fixed prompts (compared with the same prefix alone); at most " +
                         with_decimals(most, 3) + " is allowed",
                     "an answer must depend only on its own prefix; verify_model "
                     "(docs/embedding.md) shows what your engine mixes up");
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
