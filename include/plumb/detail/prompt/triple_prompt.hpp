// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a model prompted for the tail of a triple?
//
//   (h1, r1, t1)
//   …
//   (h8, r8, t8)
//   (h, r,
// Eight training triples are the shots; the unfinished query follows. `paper` writes the query as
// above, and puts a space before and a closing bracket after each candidate, so that no candidate
// is a prefix of another. `reference` is the form written by the paper's own program, with an empty
// line before the query and a space after it. Head queries are plumb's own addition: shots and
// query have the form (t, inverse of r, h. Source: "Cosine Similarity as Logits?", Figures 4 and
// 11.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class QueryForm { paper, reference };
[[nodiscard]] constexpr std::array<QueryForm, 2> every(QueryForm) noexcept {
  return {QueryForm::reference, QueryForm::paper};
}
[[nodiscard]] constexpr std::string_view name_of(QueryForm form) noexcept {
  return form == QueryForm::paper ? "paper" : "reference";
}

/// A triple whose tail (or head) the model must find.
struct GraphQuery {
  Triple triple;
  bool asks_head = false;

  /// The given entity, and the entity that the model must find.
  [[nodiscard]] std::uint32_t given() const { return asks_head ? triple.tail : triple.head; }
  [[nodiscard]] std::uint32_t gold() const { return asks_head ? triple.head : triple.tail; }
};

/// `count` training triples, drawn without replacement. A larger `count` yields the same triples,
/// followed by more. Throws a user error if there are fewer than `count` triples.
[[nodiscard]] inline std::vector<Triple> drawn_shots(const KnowledgeGraph& graph, std::size_t count,
                                                     std::uint64_t seed) {
  if (graph.train.size() < count) {
    throw user_error({.setting = "shots"},
                     "the graph has " + counted(graph.train.size(), "training triple") +
                         ", fewer than " + std::to_string(count),
                     "set fewer shots");
  }
  std::vector<Triple> shots = graph.train;
  RandomStream random(seed, "shots/" + graph.name);
  random.shuffle(shots, count);
  shots.resize(count);
  return shots;
}

/// Writes queries about one graph, all after the same shots. The graph must outlive this object.
/// Any number of threads may use the same object.
class TriplePrompt {
 public:
  TriplePrompt(const KnowledgeGraph& graph, const std::vector<Triple>& shots, QueryForm form)
      : graph_(graph), form_(form) {
    for (const bool head : {false, true}) {
      for (const Triple& shot : shots) {
        const GraphQuery asked{shot, head};
        shots_[head] += open(asked) + " " + graph.entities[asked.gold()].name + ")\n";
      }
      if (form == QueryForm::reference) shots_[head] += "\n";
    }
  }

  /// The text with which all head queries, or all tail queries, begin.
  [[nodiscard]] const std::string& shots(bool asks_head) const { return shots_[asks_head]; }
  /// The whole prompt, up to the answer.
  [[nodiscard]] std::string query(const GraphQuery& query) const {
    return shots_[query.asks_head] + open(query) + (form_ == QueryForm::reference ? " " : "");
  }
  /// The text whose likelihood is computed after a query in the paper's form.
  [[nodiscard]] static std::string candidate(const Entity& entity) {
    return " " + entity.name + ")";
  }
  /// The text that the LM head scores after a query in `form`, for one-token names.
  [[nodiscard]] static std::string head_candidate(const Entity& entity, QueryForm form) {
    return (form == QueryForm::paper ? " " : "") + entity.name;
  }

 private:
  [[nodiscard]] std::string open(const GraphQuery& query) const {
    const std::string& relation = graph_.relations[query.triple.relation].name;
    return "(" + graph_.entities[query.given()].name + ", " +
           (query.asks_head ? "inverse of " : "") + relation + ",";
  }

  const KnowledgeGraph& graph_;
  QueryForm form_;
  std::string shots_[2];
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
