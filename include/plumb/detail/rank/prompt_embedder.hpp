// SPDX-License-Identifier: Apache-2.0
#pragma once

// How can many texts be embedded at the lowest cost?
//
// A text's vector is the hidden vector of its last token. Identical texts are embedded only once.
// The beginning that all texts share (the shots of a query) is computed once and kept. The rest is
// divided into packs of texts that share prefixes (score/pack_plan.hpp). Packs depend only on the
// texts, so an interrupted job can resume at any pack and compute the same vectors. If a model does
// not support trees, texts are embedded one by one.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/cached_tree.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/rank/text_length.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/pack_plan.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"
#include "plumb/detail/score/tokenized_statements.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Implements Embedder on top of any TreeEmbedder, which must outlive this object. Nothing else may
/// use the model while a job is being embedded, because the model holds the beginning that the
/// job's texts share. Not thread-safe.
template <TreeEmbedder Model>
class PromptEmbedder {
 public:
  /// A plan for embedding texts.
  class Job {
   public:
    [[nodiscard]] std::size_t packs() const { return plan_.packs(); }
    /// The number of distinct texts in pack p.
    [[nodiscard]] std::size_t statements(std::size_t p) const { return plan_.pack(p).size(); }
    /// The number of texts in pack p, duplicates included.
    [[nodiscard]] std::size_t texts(std::size_t p) const {
      std::size_t count = 0;
      for (const std::uint32_t s : plan_.pack(p)) count += texts_[s].size();
      return count;
    }
    /// The number of tokens fed for pack p.
    [[nodiscard]] std::uint64_t tokens(std::size_t p) const { return plan_.nodes[p]; }
    /// The cost of the job; each distinct text counts as a statement.
    [[nodiscard]] ScoringCost cost() const {
      return {statements_.size(), one_by_one_, statements_.context().size() + plan_.tree_nodes,
              statements_.context().size() + plan_.pack_nodes};
    }

   private:
    friend PromptEmbedder;
    TokenizedStatements statements_;
    // for each statement, the indices of the texts equal to it
    std::vector<std::vector<std::uint32_t>> texts_;
    PackPlan plan_;
    std::uint64_t one_by_one_ = 0;
  };

  explicit PromptEmbedder(Model& model) : model_(model), held_(model) {}

  [[nodiscard]] std::size_t dimension() const { return model_.dimension(); }

  /// `around` specifies the tokens put around every text. Throws a user error if `around` contains
  /// a BOS that the model lacks, if a text has no tokens, or if a text is longer than the model's
  /// context.
  [[nodiscard]] Job plan(std::span<const std::string> texts, const FramingTokens& around) const {
    Job job;
    std::map<std::vector<TokenId>, std::vector<std::uint32_t>> places;
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      std::vector<TokenId> ids = surrounded_ids(model_, texts[i], around);
      refuse_text_length(texts[i], ids.size(), model_.context_length());
      job.one_by_one_ += ids.size();
      places[std::move(ids)].push_back(i);
    }
    if (places.size() > 1 && model_.tree_limits().leaves > 1) {
      const auto& [first, _] = *places.begin();
      const auto& [last, __] = *places.rbegin();  // the keys are sorted, so the prefix shared by
                                                  // the first and last is shared by all texts
      std::size_t common = common_prefix(first, last);
      common = (std::min)(common, first.size() - 1);
      job.statements_.set_context({first.begin(), first.begin() + static_cast<int>(common)});
    }
    for (auto& [ids, which] : places) {
      Tokenization tokens;
      for (const TokenId id : ids) tokens.tokens.push_back({id, {}});
      job.statements_.add({}, tokens);
      job.texts_.push_back(std::move(which));
    }
    job.plan_ = plan_packs(job.statements_, model_.tree_limits(), LastToken::is_fed);
    return job;
  }

  /// Calls `visit(text, vector)` for each text of pack p, in any order.
  template <class Visit>
  void embed(Job& job, std::size_t p, Visit visit) {
    const TokenizedStatements& statements = job.statements_;
    held_.hold(statements.context(), [&](NodeId end) {
      held_.embed(std::span(&end, 1), [](NodeId, std::span<const float>) {});
    });
    std::map<NodeId, std::uint32_t> of;  // by node: the statement that ends there
    std::vector<NodeId> wanted;
    for (const std::uint32_t s : job.plan_.pack(p)) {
      const NodeId node =
          held_.insert(statements.rest(s), static_cast<NodeId>(statements.shared(s)));
      of.emplace(node, s);
      wanted.push_back(node);
    }
    ranges::sort(wanted);
    held_.embed(wanted, [&](NodeId node, std::span<const float> row) {
      for (const std::uint32_t text : job.texts_[of.at(node)]) visit(text, row);
    });
    held_.back_to_context();
  }

  [[nodiscard]] EmbeddingMatrix embed(std::span<const std::string> texts,
                                      const FramingTokens& around) {
    Job job = plan(texts, around);
    EmbeddingMatrix rows(static_cast<Eigen::Index>(texts.size()),
                         static_cast<Eigen::Index>(dimension()));
    for (std::size_t p = 0; p < job.packs(); ++p) {
      embed(job, p, [&](std::size_t text, std::span<const float> row) {
        std::copy(row.begin(), row.end(), rows.row(static_cast<Eigen::Index>(text)).data());
      });
    }
    held_.drop();
    return rows;
  }

 private:
  Model& model_;
  CachedTree<Model> held_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
