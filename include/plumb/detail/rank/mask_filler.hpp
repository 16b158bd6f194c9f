// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens does a masked model fill in for a mask, and how likely are given names there?
//
//   answer      argmax_t P(t | text) over the whole vocabulary, ties to the lowest t: one mask, as
//               BELIEF asks encoders
//   rank        of the likeliest true token among all tokens, and in a common vocabulary (LAMA)
//   names       Σ_j log P(t_j | text, t_1 … t_{j−1}, masks for the rest), in nats
// plumb adds an extension for up to N masks in the gap. For each number of masks, the masks are
// filled from left to right, each with its most likely token. The answer is the fill with the
// highest mean log-probability; ties go to the fill with the fewest masks. Identical inputs are
// computed only once. Sources: "What Matters in Learning Facts in Language Models?", section 2;
// Petroni et al. 2019, "Language Models as Knowledge Bases?", section 4.3.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plumb/detail/backend/evaluate_masked.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"
#include "plumb/detail/measure/rank.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/distinct_inputs.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What to compute for one gap.
struct MaskedGap {
  /// The text with one mask, including the model's special tokens around it.
  MaskedQuery text;
  /// Whether to fill the gap; if false, only names are scored.
  bool fills = true;
  /// The names to score, each of at least one token.
  std::vector<std::vector<TokenId>> names{};
  /// True tokens, without duplicates. The most likely of them is ranked; if there are none, nothing
  /// is ranked.
  std::vector<TokenId> truths{};
  /// A sorted vocabulary in which the most likely true token is ranked too; null if there is none.
  /// Must outlive the gap.
  const std::vector<TokenId>* vocabulary = nullptr;
};

/// A fill of a gap. `log_probability` is the sum over its tokens, in nats.
struct MaskFill {
  std::vector<TokenId> tokens{};
  double log_probability = 0;
};

/// A model's results for one gap.
struct FilledGap {
  MaskFill fill{};
  /// Log-probability of each name, in nats.
  std::vector<double> names{};
  /// The rank of the most likely true token; the other true tokens are not counted.
  std::optional<Rank> rank{};
  /// The most likely token of the gap's vocabulary, and the rank of the most likely true token in
  /// that vocabulary.
  std::optional<TokenId> common_fill{};
  std::optional<Rank> common_rank{};
};

/// The most likely of `tokens`, which must not be empty; ties go to the first.
template <class Tokens>
TokenId likeliest(std::span<const float> logits, const Tokens& tokens) {
  return *ranges::max_element(
      tokens, {}, [&](TokenId token) { return logits[static_cast<std::size_t>(token)]; });
}

/// The rank of the most likely token in `truths` among the tokens that `each` visits, excluding the
/// other truths. `truths` is ascending.
template <class Each>
Rank rank_of_truth(std::span<const float> logits, std::span<const TokenId> truths, Each each) {
  const float best = logits[static_cast<std::size_t>(likeliest(logits, truths))];
  Rank rank;
  each([&](TokenId token) {
    const float logit = logits[static_cast<std::size_t>(token)];
    if (logit < best || ranges::binary_search(truths, token)) return;
    ++(logit > best ? rank.above : rank.equal);
  });
  return rank;
}

/// The model must outlive the filler. Not thread-safe.
template <MaskedLm Model>
class MaskFiller {
 public:
  /// `masks` is the maximum number of masks in a gap and must be at least 1. Ranks are computed
  /// only if it is 1.
  explicit MaskFiller(Model& model, std::size_t masks = 1) : model_(model), masks_(masks) {}

  /// Fills several gaps together. Throws a user error if the model returns a token that has no
  /// logit.
  [[nodiscard]] std::vector<FilledGap> fill(std::span<const MaskedGap> gaps) {
    std::vector<FilledGap> made(gaps.size());
    std::vector<std::vector<MaskFill>> fills(gaps.size());  // indexed by gap, then by masks - 1
    std::size_t longest = masks_;
    for (std::size_t g = 0; g < gaps.size(); ++g) {
      made[g].names.assign(gaps[g].names.size(), 0);
      if (gaps[g].fills) fills[g].resize(masks_);
      for (const auto& name : gaps[g].names) longest = (std::max)(longest, name.size());
    }
    for (std::size_t place = 0; place < longest; ++place) step(gaps, place, fills, made);
    for (std::size_t g = 0; g < gaps.size(); ++g) {
      if (gaps[g].fills) made[g].fill = *ranges::max_element(fills[g], {}, mean);
    }
    return made;
  }

  /// The number of masked inputs requested and computed so far, and the number of their tokens.
  [[nodiscard]] const ScoringCost& cost() const noexcept { return cost_; }

 private:
  /// What an input's row is used for: the next token of a fill, or the probability of a name's next
  /// token.
  struct Target {
    std::size_t gap = 0;
    std::size_t masks = 0;  // the number of masks in the fill; 0 for a name
    std::size_t name = 0;
  };

  static double mean(const MaskFill& fill) {
    return fill.log_probability / static_cast<double>(fill.tokens.size());
  }

  /// A gap's text with `masks` masks, the first of which are replaced by `filled`; the query is for
  /// the next mask.
  [[nodiscard]] MaskedQuery query(const MaskedQuery& text, std::size_t masks,
                                  std::span<const TokenId> filled) const {
    const auto at = text.sequence.begin() + text.position;
    MaskedQuery made{{text.sequence.begin(), at}, text.position};
    made.sequence.insert(made.sequence.end(), filled.begin(), filled.end());
    made.sequence.insert(made.sequence.end(), masks - filled.size(), *at);
    made.sequence.insert(made.sequence.end(), at + 1, text.sequence.end());
    made.position += static_cast<std::uint32_t>(filled.size());
    return made;
  }

  /// Processes the token at `place` of every fill and name that is long enough.
  void step(std::span<const MaskedGap> gaps, std::size_t place,
            std::vector<std::vector<MaskFill>>& fills, std::vector<FilledGap>& made) {
    DistinctInputs inputs;
    std::vector<std::vector<Target>> targets;  // by input
    const auto ask = [&](const Target& target, std::size_t masks, std::span<const TokenId> filled) {
      MaskedQuery wanted = query(gaps[target.gap].text, masks, filled);
      const std::size_t length = wanted.sequence.size(), before = inputs.size();
      const std::size_t input = inputs.insert(std::move(wanted));
      if (input == targets.size()) targets.emplace_back();
      targets[input].push_back(target);
      ++cost_.masked_inputs;
      cost_.tokens_one_by_one += length;
      if (inputs.size() > before) cost_.tokens_fed += length;
    };
    for (std::size_t g = 0; g < gaps.size(); ++g) {
      for (std::size_t masks = place + 1; masks <= fills[g].size(); ++masks) {
        ask({g, masks, 0}, masks, fills[g][masks - 1].tokens);
      }
      for (std::size_t n = 0; n < gaps[g].names.size(); ++n) {
        const std::vector<TokenId>& name = gaps[g].names[n];
        if (name.size() > place) ask({g, 0, n}, name.size(), std::span(name).first(place));
      }
    }
    cost_.masked_inputs_computed += inputs.size();
    evaluate_masked(
        model_, inputs.queries(), [&](std::uint32_t input, std::span<const float> logits) {
          const double normalizer = log_sum_exp(logits);
          for (const Target& target : targets[input]) {
            const MaskedGap& gap = gaps[target.gap];
            FilledGap& filled = made[target.gap];
            if (target.masks == 0) {
              filled.names[target.name] +=
                  log_probability(logits, gap.names[target.name][place], normalizer);
              continue;
            }
            MaskFill& fill = fills[target.gap][target.masks - 1];
            fill.tokens.push_back(
                static_cast<TokenId>(ranges::max_element(logits) - logits.begin()));
            fill.log_probability += log_probability(logits, fill.tokens.back(), normalizer);
            if (masks_ == 1) rank(gap, logits, filled);
          }
        });
  }

  static void rank(const MaskedGap& gap, std::span<const float> logits, FilledGap& filled) {
    std::vector<TokenId> truths = gap.truths;
    ranges::sort(truths);
    if (!truths.empty()) {
      filled.rank = detail::rank_of_truth(logits, truths, [&](auto visit) {
        for (std::size_t t = 0; t < logits.size(); ++t) visit(static_cast<TokenId>(t));
      });
    }
    if (gap.vocabulary == nullptr || gap.vocabulary->empty()) return;
    const std::vector<TokenId>& common = *gap.vocabulary;
    filled.common_fill = detail::likeliest(logits, common);
    std::erase_if(truths, [&](TokenId token) { return !ranges::binary_search(common, token); });
    if (truths.empty()) return;
    filled.common_rank = detail::rank_of_truth(logits, truths, [&](auto visit) {
      for (const TokenId token : common) visit(token);
    });
  }

  Model& model_;
  std::size_t masks_;
  ScoringCost cost_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
