// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are entities ranked, and what stands before the prompts of a ranking?

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "plumb/backend/capabilities.hpp"
#include "plumb/core/error.hpp"
#include "plumb/data/knowledge_graph.hpp"
#include "plumb/score/bos.hpp"

namespace plumb {

/// By the cosine of embeddings (DEER), by the exact likelihood of names, or by the LM head among names of
/// one token.
enum class RankMethod { deer, likelihood, lm_head };
[[nodiscard]] constexpr std::array<RankMethod, 3> every(RankMethod) noexcept {
  return {RankMethod::deer, RankMethod::likelihood, RankMethod::lm_head};
}
[[nodiscard]] constexpr std::string_view name_of(RankMethod method) noexcept {
  constexpr std::array<std::string_view, 3> names{"deer", "likelihood", "lm-head"};
  return names[static_cast<std::size_t>(method)];
}

/// What stands before the prompts of a ranking.
struct BosOfRanking {
  Bos bos;
  /// What decided it, as run.json has it: "option", "tokenizer", or "default" of a model that does not
  /// tell.
  std::string_view by;

  /// Throws a user error for a token that the model has not.
  template <class Model>
  [[nodiscard]] static BosOfRanking of(Model& model, const std::optional<Bos>& said) {
    if (said) {
      (void)require_bos(model, *said);
      return {*said, "option"};
    }
    const std::optional<bool> adds = adds_bos_of(std::as_const(model));
    return {adds.value_or(false) && model.bos().has_value(), adds ? "tokenizer" : "default"};
  }
};

/// Whether a model gives vectors of texts, by its type and by what was loaded.
template <class Model>
[[nodiscard]] bool has_vectors(const Model& model) {
  const Capabilities can = capabilities_of(model);
  return can.tree_embeddings || can.text_embeddings;
}

/// Throws a user error for a graph without another entity, and where vectors are asked of a model that
/// has none.
inline void refuse_unrankable(const KnowledgeGraph& graph, bool wants_vectors, bool has_vectors) {
  if (graph.entities.size() < 2) {
    throw user_error({.field = graph.name}, "the graph has one entity",
                     "there is nothing to rank it among; add others");
  }
  if (wants_vectors && !has_vectors) {
    throw user_error({.setting = "method"}, "DEER needs hidden vectors, which this backend lacks",
                     "say `method` likelihood or lm-head");
  }
}

}  // namespace plumb
