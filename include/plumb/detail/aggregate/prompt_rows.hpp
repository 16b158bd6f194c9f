// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model's results for one prompt, as a row: an answer, samples, likelihoods of names, or
// likelihoods of candidates after a content-free text.
//
// For use in messages, a row stores its line number, counted from 1, in the file from which it was
// read; 0 if there is no file. Rows come relation by relation, in the order in which the relations
// were used.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/measure/rank.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Identifies the prompt of a row.
struct AskedPrompt {
  std::uint32_t fact = 0;
  std::uint16_t template_index = 0;
  std::uint16_t expression = 0;

  friend bool operator==(const AskedPrompt&, const AskedPrompt&) = default;
};

/// The examples that a prompt shows, in order: indices into a list that is stored elsewhere, and
/// the templates of these examples if the list does not contain them.
struct ShotPlaces {
  std::vector<std::uint32_t> places{};
  std::vector<std::uint32_t> templates{};

  friend bool operator==(const ShotPlaces&, const ShotPlaces&) = default;
};

/// Data about the tokens that a masked model filled into a prompt's gap, in addition to their text.
struct RecordedFill {
  std::vector<TokenId> ids;
  /// Whether the fill consists of exactly the tokens of a name of one of the fact's objects.
  bool right = false;
  /// Rank of the likeliest true token in the whole vocabulary; set if one mask was filled and one
  /// of the names is a single token.
  std::optional<Rank> rank{};
  /// The likeliest token of a vocabulary common to several models, if such a vocabulary was given,
  /// and the rank of the likeliest true token in that vocabulary.
  std::optional<TokenId> common_id{};
  std::string common_text{};
  std::optional<Rank> common_rank{};
};

struct RecordedAnswer {
  std::string relation;
  AskedPrompt prompt;
  std::string subject;
  std::string text;
  std::uint32_t tokens = 0;
  double log_probability = 0;
  std::size_t line = 0;
  ShotPlaces shots{};
  /// The fill of a masked model.
  std::optional<RecordedFill> fill{};
};

struct RecordedSamples {
  std::string relation;
  AskedPrompt prompt;
  std::string subject;
  /// Distinct texts, and the number of times each was drawn.
  std::vector<std::pair<std::string, std::uint32_t>> texts;
  std::size_t line = 0;
  ShotPlaces shots{};
};

/// The log-likelihood of one text after a prompt or in its gap, in nats, and its number of tokens;
/// 0 tokens if the text does not fit into the gap.
struct TextLikelihood {
  double nats = 0;
  std::uint32_t tokens = 0;
};

struct RecordedNames {
  std::string relation;
  AskedPrompt prompt;
  std::string subject;
  /// By object, then by name.
  std::vector<std::vector<TextLikelihood>> names;
  std::size_t line = 0;
  ShotPlaces shots{};
};

struct RecordedContentFree {
  std::string relation;
  std::size_t template_index = 0;
  std::string subject;
  std::vector<TextLikelihood> candidates;
  std::size_t line = 0;
  ShotPlaces shots{};
};

/// Checks rows as they arrive; every reader of rows uses it. Not thread-safe.
class PromptRowCheck {
 public:
  /// `asked` must outlive it; `source` is the origin of the rows, for messages.
  PromptRowCheck(std::filesystem::path source, const MultiPromptDataset& asked)
      : source_(std::move(source)), asked_(asked) {}

  /// The index of the row's relation among the relations in `asked`. Throws a user error if the
  /// row's prompt was not used or already has a row, or if relations come in a different order.
  template <class Row>
  std::size_t operator()(const Row& row) {
    std::size_t place = place_;
    while (place < asked_.relations.size() && asked_.relations[place].code != row.relation) ++place;
    if (place == asked_.relations.size()) {
      refuse(row, "is not one of the relations that were queried, or its rows are not contiguous");
    }
    if (place != place_) seen_.clear();
    place_ = place;
    if (!was_asked(asked_.relations[place], row.prompt, row.subject)) {
      refuse(row, "the row belongs to a prompt that was not used");
    }
    const AskedPrompt& prompt = row.prompt;
    const auto key = std::uint64_t{prompt.fact} << 32U |
                     std::uint32_t{prompt.template_index} << 16U | prompt.expression;
    if (!seen_.insert(key).second) refuse(row, "this prompt already has a row");
    return place;
  }

  /// Throws the user error about a row.
  template <class Row>
  [[noreturn]] void refuse(const Row& row, const std::string& message) const {
    throw user_error({source_, row.line, row.relation}, message,
                     "the file was changed; run the job again");
  }

 private:
  static bool was_asked(const MultiPromptRelation& relation, const AskedPrompt& prompt,
                        const std::string& subject) {
    if (prompt.fact >= relation.facts.size()) return false;
    const std::vector<std::string>& names = relation.facts[prompt.fact].subject.names;
    return prompt.template_index < relation.templates.size() && prompt.expression < names.size() &&
           names[prompt.expression] == subject;
  }

  std::filesystem::path source_;
  const MultiPromptDataset& asked_;
  std::size_t place_ = 0;
  /// Prompts of the relation that have a row.
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
