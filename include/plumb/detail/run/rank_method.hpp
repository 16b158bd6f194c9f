// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are entities ranked, and which tokens precede the prompts of a ranking?

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How entities are ranked: by the cosine of embeddings (DEER), by the exact likelihood of names,
/// or by the LM head among single-token names.
enum class RankMethod { deer, likelihood, lm_head };
[[nodiscard]] constexpr std::array<RankMethod, 3> every(RankMethod) noexcept {
  return {RankMethod::deer, RankMethod::likelihood, RankMethod::lm_head};
}
[[nodiscard]] constexpr std::string_view name_of(RankMethod method) noexcept {
  constexpr std::array<std::string_view, 3> names{"deer", "likelihood", "lm-head"};
  return names[static_cast<std::size_t>(method)];
}

/// The tokens before the prompts of a ranking.
struct BosOfRanking {
  Bos bos;
  /// What determined these tokens, as run.json records it: "option", "tokenizer", or "default" if
  /// the model does not report which tokens its tokenizer adds.
  std::string_view by;
  /// All tokens that the tokenizer adds around a text, if the tokenizer determined them.
  std::optional<TextFrame> own{};

  /// The tokens around an embedded text. Name scores use only `bos`, because a token after a query
  /// would come between it and the answer.
  [[nodiscard]] FramingTokens around() const { return {bos, own}; }

  /// Throws a user error for a token that the model does not have.
  template <class Model>
  [[nodiscard]] static BosOfRanking of(Model& model, const std::optional<Bos>& recorded) {
    if (recorded) {
      (void)require_bos(model, *recorded);
      return {*recorded, "option"};
    }
    std::optional<TextFrame> own = own_frame_of(model);
    if (!own) return {false, "default"};
    BosOfRanking made{false, "tokenizer", std::move(own)};
    if (made.own->before.empty()) return made;
    const TokenId last = made.own->before.back();
    made.bos = last == model.bos() ? Bos(true) : Bos::of(text_of(model, last));
    if (require_bos(model, made.bos) == last) return made;
    throw user_error({.setting = "bos"},
                     "the model's tokenizer begins a text with token " + std::to_string(last) +
                         ", which has no text of its own",
                     "set `bos` to yes, no or a token's text");
  }

  /// A remark about these tokens for the report.
  template <class Model>
  [[nodiscard]] std::optional<std::string> remark(const Model& model, bool scores_names) const {
    if (!around().is_frame()) return std::nullopt;
    std::string words = "deer: as its tokenizer is configured, each text";
    const auto tokens = [&](const char* verb, const std::vector<TokenId>& ids) {
      if (ids.empty()) return;
      words += (words.ends_with("text") ? " " : " and ") + std::string(verb);
      for (const TokenId id : ids) words += " " + text_of(model, id);
    };
    tokens("begins with", own->before);
    tokens("ends with", own->after);
    words += own->after.empty() ? "." : "; the last token's vector is used.";
    return words + (scores_names && !own->after.empty()
                        ? " Likelihood and LM head add no token after a query."
                        : "");
  }

 private:
  template <class Model>
  [[nodiscard]] static std::string text_of(const Model& model, TokenId id) {
    if constexpr (ListsSpecialTokens<Model>) {
      if (capabilities_of(model).special_tokens) {
        for (const SpecialToken& one : model.special_tokens()) {
          if (one.id == id) return one.text;
        }
      }
    }
    return model.detokenize(std::span<const TokenId>(&id, 1));
  }
};

/// Whether a model can embed texts, according to its type and its capabilities at run time.
template <class Model>
[[nodiscard]] bool has_vectors(const Model& model) {
  const Capabilities can = capabilities_of(model);
  return can.tree_embeddings || can.text_embeddings;
}

/// Throws a user error if the graph has only one entity, or if vectors are needed but the model
/// cannot compute them.
inline void refuse_unrankable(const KnowledgeGraph& graph, bool wants_vectors, bool has_vectors) {
  if (graph.entities.size() < 2) {
    throw user_error({.field = graph.name}, "the graph has only one entity",
                     "add entities to rank it among");
  }
  if (wants_vectors && !has_vectors) {
    throw user_error({.setting = "method"}, "DEER needs hidden vectors, which this backend lacks",
                     "set `method` to likelihood or lm-head");
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
