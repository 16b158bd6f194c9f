// SPDX-License-Identifier: Apache-2.0
#pragma once

// Do all forms of a model give the same answers?
//
// A model may be called with sequences, with trees that grow and are released, with lookups, and
// with batches of masked queries or of texts. Each form is compared with the simplest one, a single
// sequence evaluated on its own, on the same tokens:
//   max over tokens t of | log P(t | prefix) − log P'(t | prefix) |, in nats,
// where log-probabilities below `least_nats` count as `least_nats`. Vectors are compared using the
// length of their difference, divided by the vector's length. A row depends only on its prefix, so
// continuing the sequence differently must not change the row either. Rows are normalised first,
// because one form may produce raw logits and another log-probabilities.
//
// Non-goals: checking whether the answers are correct (this code does not know the weights), and
// forms that the model lacks.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/evaluate.hpp"
#include "plumb/detail/backend/evaluate_masked.hpp"
#include "plumb/detail/backend/look_up.hpp"
#include "plumb/detail/backend/model_verification.hpp"
#include "plumb/detail/backend/verified_batches.hpp"
#include "plumb/detail/backend/verified_sequences.hpp"
#include "plumb/detail/backend/verified_trees.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe; the model must hold no tree.
template <class M>
class ModelVerifier {
 public:
  /// `texts` contains the tokens of each text.
  ModelVerifier(M& model, const std::vector<std::vector<TokenId>>& texts, VerifyScope scope)
      : model_(model), scope_(scope), can_(capabilities_of(model)), bos_(model.bos()) {
    std::size_t most = std::min<std::size_t>(scope.most_tokens, model.context_length());
    if constexpr (ScoringLm<M> || TreeEmbedder<M>) {
      if (can_.causal || can_.lookups || can_.tree_embeddings) {
        if constexpr (ScoringLm<M>) {
          limits_ = plumb::detail::tree_limits(model);
        } else {
          limits_ = model.tree_limits();
        }
        most = (std::min)(most, limits_.nodes);
      }
    }
    if (bos_) check_in_vocabulary(*bos_, model.vocabulary_size(), "bos");
    for (const auto& text : texts) {
      for (const TokenId id : text) check_in_vocabulary(id, model.vocabulary_size(), "tokenize");
    }
    sequences_ = verified_sequences(texts, bos_, most, scope.branches);
    log_.emplace(sequences_, bos_.has_value(), scope.tolerance);
  }

  [[nodiscard]] ModelVerification(verify)(std::span<const std::string> texts) {
    if constexpr (CausalLm<M>) {
      if (can_.causal) compare_rows();
    }
    if constexpr (LookupLm<M>) {
      if (can_.lookups) compare_lookups();
    }
    if constexpr (MaskedLm<M>) {
      if (can_.masked) compare_masked();
    }
    if (!scope_.whole) return std::move(made());
    if constexpr (TreeEmbedder<M>) {
      if (can_.tree_embeddings) compare_vectors();
    }
    if constexpr (Embedder<M>) {
      if (can_.text_embeddings) compare_text_vectors(*log_, model_, texts, bos_.has_value());
    }
    if constexpr (BatchGenerator<M>) {
      if (can_.generates) compare_continuations(*log_, model_, sequences_, bos_.has_value());
    }
    return std::move(made());
  }

 private:
  using Row = VerifiedRow;

  [[nodiscard]] ModelVerification& made() noexcept { return log_->made(); }
  [[nodiscard]] VerifiedTrees trees() {
    return {*log_, sequences_, limits_, scope_.whole,
            [&](const TokenTree& tree, NodeId node) { release_node(model_, tree, node); }};
  }

  /// Converts a row of the simplest form to the values that are stored: log-probabilities, or
  /// nothing if the row is not a distribution.
  Row kept(std::span<const float> row) {
    ++made().rows;
    const double normalizer = log_sum_exp(row);
    if (!std::isfinite(normalizer)) {
      ++made().broken_rows;
      return {};
    }
    const auto [least, most] = std::minmax_element(row.begin(), row.end());
    made().constant_rows += *least == *most ? 1U : 0U;
    Row logs(row.size());
    for (std::size_t t = 0; t < row.size(); ++t) logs[t] = log_probability(row[t], normalizer);
    return logs;
  }

  /// Visits the rows of one sequence, evaluated on its own, by position.
  void evaluate_alone(std::size_t s, const LogitsVisitor& visit) {
    PlacedTree chain(sequences_);
    std::vector<NodeId> wanted;
    chain.grow(s, sequences_[s].tokens.size(), wanted);
    const LogitsVisitor by_position = [&](NodeId node, std::span<const float> row) {
      visit(node - 1, row);
    };
    CheckedRows rows(chain.tree(), wanted, model_.vocabulary_size(), by_position);
    model_.evaluate(std::span<const TokenId>(sequences_[s].tokens),
                    [&](std::uint32_t position, std::span<const float> row) {
                      rows(static_cast<NodeId>(position + 1), row);
                    });
    rows.finish();
  }

  void compare_rows() {
    rows_.resize(sequences_.size());
    log_->begin("evaluate");
    for (std::size_t s = 0; s < sequences_.size(); ++s) {
      rows_[s].resize(sequences_[s].tokens.size());
      evaluate_alone(s, [&](std::uint32_t i, std::span<const float> row) {
        // A sequence that departs from another one shares the other's rows up to the point of
        // departure.
        const bool known = i < sequences_[s].shared;
        if (known) {
          const Row& before = rows_[sequences_[s].base][i];
          const PlacedTree::Place at{sequences_[s].base, i};
          log_->note({s, i}, scope_.whole ? row_difference(before, row)
                                          : row_difference(before, row, looked_up(at)));
        }
        rows_[s][i] = kept(row);
        if (rows_[s][i].empty()) log_->note({s, i}, std::numeric_limits<double>::infinity());
      });
    }
    if (scope_.whole && !sequences_.empty()) {
      evaluate_alone(0, [&](std::uint32_t i, std::span<const float> row) {
        log_->note({0, i}, row_difference(rows_[0][i], row));
      });
    }
    log_->end();
    if constexpr (TreeCausalLm<M>) {
      if (!can_.trees) return;
      trees().compare(
          "evaluate",
          [&](PlacedTree::Place at, std::span<const float> row) {
            const Row& known = rows_[at.sequence][at.index];
            return scope_.whole ? row_difference(known, row)
                                : row_difference(known, row, looked_up(at));
          },
          [&](const TokenTree& tree, const std::vector<NodeId>& wanted,
              const LogitsVisitor& visit) { evaluate_tree(model_, tree, wanted, visit); });
    }
  }

  /// The tokens to look up after a position, ascending.
  [[nodiscard]] std::vector<TokenId> looked_up(PlacedTree::Place at) const {
    std::vector<TokenId> tokens;
    const std::vector<TokenId>& sequence = sequences_[at.sequence].tokens;
    if (at.index + 1 < sequence.size()) tokens.push_back(sequence[at.index + 1]);
    const auto vocabulary = static_cast<TokenId>(model_.vocabulary_size());
    if (scope_.whole || tokens.empty()) {
      tokens.push_back(vocabulary / 2);
      if (scope_.whole) tokens.push_back(vocabulary / 3);
    }
    if (at.sequence < rows_.size() && !rows_[at.sequence][at.index].empty()) {
      const Row& row = rows_[at.sequence][at.index];
      tokens.push_back(static_cast<TokenId>(ranges::max_element(row) - row.begin()));
    }
    ranges::sort_distinct(tokens);
    return tokens;
  }

  struct Lookups {
    std::vector<TokenLookup> lookups{};
    std::vector<double> nats{};
  };
  /// The answers to the lookups after `nodes`, in one call.
  [[nodiscard]] Lookups answered(const PlacedTree& tree, std::span<const NodeId> nodes) {
    Lookups made;
    for (const NodeId node : nodes) {
      for (const TokenId token : looked_up(tree.place(node))) made.lookups.push_back({node, token});
    }
    made.nats.resize(made.lookups.size());
    ask_lookups(model_, tree.tree(), made.lookups, made.nats);
    return made;
  }

  /// Compares answers with the rows, or, if there are no rows, with answers that were obtained one
  /// by one.
  void note_lookups(const PlacedTree& tree, const Lookups& made) {
    for (std::size_t i = 0; i < made.lookups.size(); ++i) {
      const auto& [node, token] = made.lookups[i];
      const PlacedTree::Place at = tree.place(node);
      double known = 0;
      if (rows_.empty()) {
        const std::vector<TokenId> tokens = looked_up(at);
        const auto nth = ranges::lower_bound(tokens, token) - tokens.begin();
        known = alone_[at.sequence][at.index][static_cast<std::size_t>(nth)];
      } else if (!rows_[at.sequence][at.index].empty()) {
        known = rows_[at.sequence][at.index][static_cast<std::size_t>(token)];
      }
      if (std::isnan(made.nats[i]) || std::isnan(known))
        continue;  // NaN means unknown, which is not compared
      log_->note(at,
                 std::abs((std::max)(made.nats[i], least_nats) - (std::max)(known, least_nats)));
    }
  }

  void compare_lookups() {
    alone_.resize(sequences_.size());
    std::optional<double> only;
    bool constant = true;
    if (!rows_.empty()) log_->begin("look_up");
    for (std::size_t s = 0; s < sequences_.size(); ++s) {
      PlacedTree chain(sequences_);
      std::vector<NodeId> nodes;
      chain.grow(s, sequences_[s].tokens.size(), nodes);
      // There is one call for each prefix. A short check makes one call for each sequence instead,
      // because a server may need a request for each call.
      const std::size_t together = scope_.whole ? 1 : nodes.size();
      for (std::size_t first = 0; first < nodes.size(); first += together) {
        const Lookups answers = answered(chain, std::span(nodes).subspan(first, together));
        for (const double nats : answers.nats) {
          made().unknown += std::isnan(nats) ? 1U : 0U;
          if (std::isnan(nats)) continue;
          if (!only) only = nats;
          constant = constant && nats == *only;
        }
        if (!rows_.empty()) note_lookups(chain, answers);
        for (std::size_t i = 0; i < answers.lookups.size(); ++i) {
          if (i == 0 || answers.lookups[i].node != answers.lookups[i - 1].node)
            alone_[s].emplace_back();
          alone_[s].back().push_back(answers.nats[i]);
        }
      }
      release_node(model_, chain.tree(), TokenTree::root);
    }
    log_->end();
    if (rows_.empty()) {
      for (const auto& sequence : alone_) made().rows += sequence.size();
      if (only && constant && made().rows > 1) made().constant_rows = made().rows;
    }
    log_->begin("look_up of a tree");
    for (const auto& group : sequences_together(sequences_, limits_)) {
      PlacedTree tree(sequences_);
      std::vector<NodeId> nodes;
      for (const std::size_t s : group) tree.grow(s, sequences_[s].tokens.size(), nodes);
      note_lookups(tree, answered(tree, nodes));
      release_node(model_, tree.tree(), TokenTree::root);
    }
    log_->end();
  }

  /// Compares each text with one token masked: the token halfway through and, in a whole
  /// comparison, also the last one.
  void compare_masked() {
    std::vector<MaskedQuery> queries;
    std::vector<ModelDifference> places;
    const TextFrame frame = frame_of(model_);
    for (const VerifiedSequence& one : sequences_) {
      const auto text = std::span(one.tokens).subspan(bos_ ? 1 : 0);
      if (one.other || text.empty()) continue;
      for (const std::size_t at : {text.size() / 2, text.size() - 1}) {
        MaskedQuery query{frame.before, static_cast<std::uint32_t>(frame.before.size() + at)};
        query.sequence.insert(query.sequence.end(), text.begin(), text.end());
        query.sequence.insert(query.sequence.end(), frame.after.begin(), frame.after.end());
        query.sequence[query.position] = model_.mask();
        if (query.sequence.size() > model_.context_length()) continue;
        queries.push_back(std::move(query));
        places.push_back({"", one.text, at});
        if (!scope_.whole) break;
      }
    }
    const auto note = [&](std::size_t q, double nats) {
      ModelDifference place = places[q];
      place.form = log_->form();
      place.nats = nats;
      log_->note(place, {q, 0});
    };
    std::vector<Row> alone;
    log_->begin("evaluate of one query");
    for (std::size_t q = 0; q < queries.size(); ++q) {
      evaluate_masked(model_, std::span<const MaskedQuery>(&queries[q], 1),
                      [&](std::uint32_t, std::span<const float> row) {
                        alone.push_back(kept(row));
                        if (alone.back().empty()) note(q, std::numeric_limits<double>::infinity());
                      });
    }
    log_->end();
    log_->begin("evaluate of queries together");
    const auto together = [&](std::span<const MaskedQuery> asked, auto number) {
      evaluate_masked(model_, asked, [&](std::uint32_t q, std::span<const float> row) {
        note(number(q), row_difference(alone[number(q)], row));
      });
    };
    together(queries, [](std::size_t q) { return q; });
    if (scope_.whole) {
      const std::vector<MaskedQuery> backwards(queries.rbegin(), queries.rend());
      together(backwards, [&](std::size_t q) { return queries.size() - 1 - q; });
    }
    log_->end();
  }

  void compare_vectors() {
    std::vector<std::vector<Row>> alone(sequences_.size());
    log_->begin("embed");
    for (std::size_t s = 0; s < sequences_.size(); ++s) {
      PlacedTree chain(sequences_);
      std::vector<NodeId> wanted;
      chain.grow(s, sequences_[s].tokens.size(), wanted);
      alone[s].resize(wanted.size());
      model_.embed(chain.tree(), wanted, [&](NodeId node, std::span<const float> row) {
        Row& kept = alone[s][chain.place(node).index];
        kept.assign(row.begin(), row.end());
        if (!ranges::all_of(row, [](float x) { return std::isfinite(x); })) {
          log_->note(chain.place(node), std::numeric_limits<double>::infinity());
        }
      });
      model_.release(chain.tree(), TokenTree::root);
    }
    log_->end();
    trees().compare(
        "embed",
        [&](PlacedTree::Place at, std::span<const float> row) {
          return vector_difference(alone[at.sequence][at.index], row);
        },
        [&](const TokenTree& tree, const std::vector<NodeId>& wanted, const LogitsVisitor& visit) {
          model_.embed(tree, wanted, visit);
        });
  }

  M& model_;
  VerifyScope scope_;
  Capabilities can_;
  std::optional<TokenId> bos_;
  TreeLimits limits_{};
  std::vector<VerifiedSequence> sequences_;
  std::vector<std::vector<Row>> rows_;                   // by sequence and position
  std::vector<std::vector<std::vector<double>>> alone_;  // lookup answers, by sequence and position
  std::optional<DifferenceLog> log_;
};

/// Compares a model's forms on the given texts. A position is reported if its difference exceeds
/// `tolerance` nats; use 1e-3 for an engine that computes in F32. Feeds each text's tokens about
/// ten times, stores a row for each token, and leaves the model holding nothing. Texts are
/// truncated to the limits of the model and its tree. Throws a user error if the texts have no
/// tokens. Also throws the errors that the model's own calls throw, for example for a missing row.
template <class M>
requires ScoringLm<M> || MaskedLm<M> || TreeEmbedder<M>
[[nodiscard]] ModelVerification verify_model(M& model, std::span<const std::string> texts,
                                             double tolerance) {
  std::vector<std::vector<TokenId>> tokens(texts.size());
  std::size_t all = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const Token& token : model.tokenize(texts[i]).tokens) tokens[i].push_back(token.id);
    all += tokens[i].size();
  }
  if (all == 0) {
    throw user_error({.field = "texts"}, "contain no tokens",
                     "pass some sentences to "
                     "verify_model");
  }
  return (detail::ModelVerifier<M>(model, tokens, {tolerance}).verify)(texts);
}

/// Does the same, but throws a user error that describes the first difference.
template <class M>
ModelVerification require_verified(M& model, std::span<const std::string> texts, double tolerance) {
  ModelVerification made = verify_model(model, texts, tolerance);
  if (made.agrees()) return made;
  throw user_error(
      {.field = "model"},
      made.first->description() +
          " (compared with the same prefix alone); worst case: " + made.worst->description(),
      "check which state the model keeps, copies or releases in that call");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
