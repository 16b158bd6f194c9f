// SPDX-License-Identifier: Apache-2.0
#pragma once

// How often does an alias outrank its label?
//
//   subjects   under one template, ℓ(label of an object | an alias of the subject)
//                                > ℓ(the same label      | the label of the subject)
//   objects    after one prompt,   ℓ(an alias of an object) > ℓ(its label)
// Each such comparison is a pair. A fact's rate is the proportion of its pairs in which the alias
// scores strictly higher than the label. The overall rate is the mean over facts that have a pair,
// so that a subject with thirty aliases counts once. The pooled rate is the same proportion over
// all pairs. Pairs with equal likelihoods are counted separately. ℓ is in nats. It is computed both
// as the sum over the name's tokens, which favours short names, and as the mean. Source: "What
// Matters in Learning Facts in Language Models?", appendix C.1, Table 10, which does not specify
// how pairs are averaged and compares single tokens, for which sum and mean are equal. Non-goal:
// whether the alias is the answer.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/fact_means.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The likelihood of one name of a fact's object after one of the fact's prompts.
struct NameLikelihood {
  /// Sum over the name's tokens, in nats, and the number of tokens.
  double log_likelihood = 0;
  std::uint32_t tokens = 1;
  /// Index among the relation's templates.
  std::uint16_t template_index = 0;
  /// Three indices: of the subject's name among its names, of the object among the fact's objects,
  /// and of the object's name among its names. Name 0 is the label.
  std::uint16_t expression = 0;
  std::uint16_t object = 0;
  std::uint16_t name = 0;
};

/// Filled relation by relation, fact by fact. Thread-safe to read.
class NameLikelihoods {
 public:
  /// Starts a new relation, to which all subsequently added facts belong.
  void begin_relation() { strata_.push_back(0); }

  /// Adds a fact to the latest relation; begin_relation must have been called. Rows may come in any
  /// order and need not be complete: a name whose label has no row forms no pair. Throws a user
  /// error if two rows have the same name after the same prompt, if a name has no tokens, or if a
  /// log-likelihood is above 0 or NaN; the fact is then not added.
  void add_fact(std::span<const NameLikelihood> rows) {
    std::vector<NameLikelihood> sorted(rows.begin(), rows.end());
    ranges::sort(sorted, {}, place);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const NameLikelihood& row = sorted[i];
      if (i > 0 && place(sorted[i - 1]) == place(row)) refuse(row, "two likelihoods");
      if (row.tokens == 0) refuse(row, "no token");
      if (!(row.log_likelihood <= 1e-9)) refuse(row, "not a log-likelihood");
    }
    rows_.insert(rows_.end(), sorted.begin(), sorted.end());
    ends_.push_back(rows_.size());
    ++strata_.back();
  }

  /// The number of facts of each relation.
  [[nodiscard]] const std::vector<std::size_t>& strata() const noexcept { return strata_; }
  [[nodiscard]] std::size_t facts() const noexcept { return ends_.size(); }
  /// The rows of one fact, ordered by template, subject expression, object and name.
  [[nodiscard]] std::span<const NameLikelihood> rows(std::size_t fact) const {
    const std::size_t first = fact == 0 ? 0 : ends_[fact - 1];
    return std::span(rows_).subspan(first, ends_[fact] - first);
  }

  /// The sort key of a row.
  [[nodiscard]] static std::tuple<std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t> place(
      const NameLikelihood& row) {
    return {row.template_index, row.expression, row.object, row.name};
  }

 private:
  void refuse(const NameLikelihood& row, const std::string& message) const {
    throw user_error({.field = "log_likelihood"},
                     "fact " + std::to_string(facts()) + ", template " +
                         std::to_string(row.template_index) + ", subject expression " +
                         std::to_string(row.expression) + ", object " + std::to_string(row.object) +
                         ", name " + std::to_string(row.name) + ": " + message,
                     "for each name of a prompt, pass one sum in nats over at least one token");
  }

  std::vector<std::size_t> strata_;
  /// The end of each fact's rows.
  std::vector<std::size_t> ends_;
  std::vector<NameLikelihood> rows_;
};

struct OutrankingRate {
  /// The mean over facts of the proportion of their pairs in which the alias scores higher than its
  /// label; its count is the number of facts with a pair.
  Estimate rate;
  std::uint64_t pairs = 0;
  /// The number of pairs in which the alias scores higher than its label, and the number of pairs
  /// in which both score the same.
  std::uint64_t above = 0;
  std::uint64_t equal = 0;
  /// The number of facts without a pair.
  std::size_t excluded = 0;

  /// The rate over all pairs; `no_number` if there are no pairs.
  [[nodiscard]] double pooled() const {
    return pairs == 0 ? no_number : static_cast<double>(above) / static_cast<double>(pairs);
  }
};

/// The rates computed from the sum over a name's tokens, and from the mean over them. Both use the
/// same pairs.
struct NameRates {
  OutrankingRate by_sum, by_mean;
};

struct AliasRanks {
  NameRates subjects, objects;
};

struct OutrankingCount {
  std::uint64_t pairs = 0;
  std::uint64_t above = 0;
  std::uint64_t equal = 0;

  void add(double alias, double label) {
    ++pairs;
    above += alias > label ? 1U : 0U;
    equal += alias == label ? 1U : 0U;
  }
};

/// The counts computed from sums over tokens and from means over tokens.
struct OutrankingCounts {
  OutrankingCount by_sum, by_mean;

  void add(const NameLikelihood& alias, const NameLikelihood& label) {
    by_sum.add(alias.log_likelihood, label.log_likelihood);
    by_mean.add(alias.log_likelihood / alias.tokens, label.log_likelihood / label.tokens);
  }
};

/// A fact's (alias, label) pairs, either for the subject or for the objects; `rows` are sorted.
inline OutrankingCounts count_outranking(std::span<const NameLikelihood> rows, bool of_subjects) {
  OutrankingCounts counts;
  for (const NameLikelihood& row : rows) {
    NameLikelihood label = row;
    if (of_subjects) {
      if (row.expression == 0 || row.name != 0) continue;
      label.expression = 0;
    } else {
      if (row.name == 0) continue;
      label.name = 0;
    }
    const auto wanted = NameLikelihoods::place(label);
    const auto found = ranges::lower_bound(rows, wanted, {}, NameLikelihoods::place);
    if (found == rows.end() || NameLikelihoods::place(*found) != wanted) continue;
    counts.add(row, *found);
  }
  return counts;
}

inline OutrankingRate outranking_rate(const std::vector<OutrankingCounts>& facts,
                                      const std::vector<std::size_t>& strata,
                                      OutrankingCount OutrankingCounts::*reduced) {
  OutrankingRate made;
  FactValues values;
  auto fact = facts.begin();
  for (const std::size_t size : strata) {
    values.begin_relation();
    for (std::size_t i = 0; i < size; ++i, ++fact) {
      const OutrankingCount& count = (*fact).*reduced;
      if (count.pairs == 0) {
        ++made.excluded;
        continue;
      }
      values.add(static_cast<double>(count.above) / static_cast<double>(count.pairs));
      made.pairs += count.pairs;
      made.above += count.above;
      made.equal += count.equal;
    }
  }
  made.rate = share_of(values);
  return made;
}

/// Objects are compared after every available prompt, including prompts with an alias of the
/// subject. Facts without an alias have no pair.
[[nodiscard]] inline AliasRanks alias_ranks(const NameLikelihoods& table) {
  const auto rates = [&](bool of_subjects) {
    std::vector<detail::OutrankingCounts> facts;
    for (std::size_t fact = 0; fact < table.facts(); ++fact) {
      facts.push_back(detail::count_outranking(table.rows(fact), of_subjects));
    }
    using detail::OutrankingCounts;
    return NameRates{detail::outranking_rate(facts, table.strata(), &OutrankingCounts::by_sum),
                     detail::outranking_rate(facts, table.strata(), &OutrankingCounts::by_mean)};
  };
  return {rates(true), rates(false)};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
