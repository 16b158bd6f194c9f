// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are answers compared by lemma or word for word?
//
// The Lemmatiser is chosen at run time: WordNet's, read from a folder, or none.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/detail/measure/answer_match.hpp"
#include "plumb/detail/measure/morphy.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may look up words at the same time.
class AnswerLemmas {
 public:
  /// Leaves words unchanged.
  AnswerLemmas() = default;
  /// Throws a user error if the folder does not contain WordNet.
  explicit AnswerLemmas(const std::filesystem::path& wordnet) : morphy_(wordnet) {}

  [[nodiscard]] std::string operator()(std::string_view word) const {
    return morphy_ ? morphy_->lemma(word) : std::string(word);
  }
  [[nodiscard]] bool known() const noexcept { return morphy_.has_value(); }

 private:
  std::optional<Morphy> morphy_;
};

static_assert(Lemmatiser<AnswerLemmas>);

/// The lemmas from a WordNet folder; the name "none" leaves words unchanged. Throws a user error if
/// the folder does not contain WordNet.
[[nodiscard]] inline AnswerLemmas lemmas_of(const std::filesystem::path& wordnet) {
  return wordnet == "none" ? AnswerLemmas() : AnswerLemmas(wordnet);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
