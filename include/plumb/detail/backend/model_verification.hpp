// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do the answers of two forms of a model differ, and by how much?
//
// This header contains the result type of verify_model.hpp, the difference between two rows, and
// the log of a comparison.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/verified_sequences.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A position at which a form's answer differs from the answer for the same sequence evaluated on
/// its own.
struct ModelDifference {
  /// The name of the form, for example "evaluate of a tree".
  std::string form{};
  /// Index of the text, from 0, and the number of the text's tokens before the differing position,
  /// without BOS.
  std::size_t text = 0, position = 0;
  /// For a sequence that departs from the text halfway through: the index of the text whose
  /// reversed second half follows.
  std::optional<std::size_t> other{};
  /// The difference; infinite if one of the two answers is not finite. For vectors, the difference
  /// is relative to their length.
  double nats = 0;

  /// For example "evaluate of a tree differs by 2.3 nats after 5 tokens of text 1".
  [[nodiscard]] std::string description() const {
    return form + " differs by " +
           (std::isfinite(nats) ? with_decimals(nats, nats < 0.01 ? 6 : 3)
                                : std::string("no finite number")) +
           (form.starts_with("embed") ? " of its length" : " nats") + " after " +
           counted(position, "token") + " of text " + std::to_string(text) +
           (other ? ", its first half followed by tokens of text " + std::to_string(*other) : "");
  }
};

struct ModelVerification {
  /// The forms that were compared, in order.
  std::vector<std::string> compared{};
  /// The number of rows of the simplest form, or of lookup answers if the model has no rows.
  std::size_t rows = 0;
  /// The number of these rows in which all numbers are equal, and the number of rows that are not a
  /// distribution.
  std::size_t constant_rows = 0, broken_rows = 0;
  /// The number of lookups that the model could not answer.
  std::size_t unknown = 0;
  /// The first difference above the tolerance. "First" means by form, then by text, then by
  /// position.
  std::optional<ModelDifference> first{};
  std::optional<ModelDifference> worst{};

  [[nodiscard]] bool agrees() const { return !first; }
};

/// How much to compare.
struct VerifyScope {
  double tolerance = 0;
  /// The maximum number of tokens in a sequence, and the maximum number of sequences that depart
  /// from a text.
  std::size_t most_tokens = (std::numeric_limits<std::size_t>::max)();
  std::size_t branches = (std::numeric_limits<std::size_t>::max)();
  /// Whether to run the whole comparison: it also compares vectors and continuations, looks up more
  /// tokens, and repeats everything in a different order.
  bool whole = true;
};

/// Smaller log-probabilities are raised to this value, because such small probabilities do not
/// affect any answer.
inline constexpr double least_nats = -20;

using VerifiedRow = std::vector<float>;

inline float log_probability(float logit, double normalizer) {
  return static_cast<float>((std::max)(static_cast<double>(logit) - normalizer, least_nats));
}
inline double row_difference(const VerifiedRow& known, std::span<const float> row) {
  const double normalizer = log_sum_exp(row);
  if (!std::isfinite(normalizer) || known.empty()) {
    return std::numeric_limits<double>::infinity();
  }
  float most = 0;
  for (std::size_t t = 0; t < row.size(); ++t) {
    most = (std::max)(most, std::abs(known[t] - log_probability(row[t], normalizer)));
  }
  return static_cast<double>(most);
}
/// The same difference, computed over the given tokens only.
inline double row_difference(const VerifiedRow& known, std::span<const float> row,
                             std::span<const TokenId> tokens) {
  const double normalizer = log_sum_exp(row);
  if (!std::isfinite(normalizer) || known.size() != row.size()) {
    return std::numeric_limits<double>::infinity();
  }
  float most = 0;
  for (const TokenId token : tokens) {
    const auto t = static_cast<std::size_t>(token);
    most = (std::max)(most, std::abs(known[t] - log_probability(row[t], normalizer)));
  }
  return static_cast<double>(most);
}
inline double vector_difference(const VerifiedRow& known, std::span<const float> row) {
  if (known.size() != row.size()) return std::numeric_limits<double>::infinity();
  double apart = 0, length = 0, other_length = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto a = static_cast<double>(known[i]), b = static_cast<double>(row[i]);
    apart += (a - b) * (a - b);
    length += a * a;
    other_length += b * b;
  }
  return apart > 0 ? std::sqrt(apart / (std::max)(length, other_length)) : apart;
}

/// Records the differences of each form, position by position, in any order. Not thread-safe.
class DifferenceLog {
 public:
  /// `has_bos`: whether each sequence begins with a token that does not belong to its text.
  DifferenceLog(std::span<const VerifiedSequence> sequences, bool has_bos, double tolerance)
      : sequences_(sequences), has_bos_(has_bos), tolerance_(tolerance) {}

  void begin(std::string form) {
    form_ = std::move(form);
    first_of_form_.reset();
    if (ranges::find(made_.compared, form_) == made_.compared.end())
      made_.compared.push_back(form_);
  }
  void note(PlacedTree::Place at, double nats) {
    const VerifiedSequence& sequence = sequences_[at.sequence];
    const std::size_t before = at.index + 1 - (has_bos_ ? 1 : 0);
    const bool has_left = sequence.other && at.index >= sequence.shared;
    note({form_, sequence.text, before, has_left ? sequence.other : std::nullopt, nats},
         {at.sequence, at.index});
  }
  void note(ModelDifference made, std::pair<std::size_t, std::size_t> order) {
    if (std::isnan(made.nats)) made.nats = std::numeric_limits<double>::infinity();
    if (!made_.worst || made.nats > made_.worst->nats) made_.worst = made;
    if (made.nats <= tolerance_) return;
    if (!first_of_form_ || order < first_of_form_->first) first_of_form_ = {order, made};
  }
  void end() {
    if (!made_.first && first_of_form_) made_.first = first_of_form_->second;
  }

  [[nodiscard]] const std::string& form() const noexcept { return form_; }
  [[nodiscard]] ModelVerification& made() noexcept { return made_; }

 private:
  std::span<const VerifiedSequence> sequences_;
  bool has_bos_;
  double tolerance_;
  ModelVerification made_;
  std::string form_;
  std::optional<std::pair<std::pair<std::size_t, std::size_t>, ModelDifference>> first_of_form_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
