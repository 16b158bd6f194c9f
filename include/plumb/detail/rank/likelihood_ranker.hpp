// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the true entity's rank by exact likelihood, for many queries together?
//
//   rank(q, t) = 1 + #{name e : log P(e | q) > log P(t | q)}
// Each question is a best-first search over one trie of names (score/name_search.hpp). The searches
// for many prompts share the model's steps: each search proposes its most promising prefixes, and
// all of them are evaluated as one batch. The prefix that all prompts share is computed once.
// Questions about the same prompt run one after another and share the rows of log-probabilities
// that have already been read. Nodes that a search no longer needs are released immediately. When
// the model runs out of branches, the search that holds the most nodes releases its branches and
// feeds them again later. Source of the ranks: "Cosine Similarity as Logits?", Appendix B.2.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/rank/name_branches.hpp"
#include "plumb/detail/score/name_search.hpp"
#include "plumb/detail/score/name_trie.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One question: a prompt, its true candidate `gold`, and all true candidates, ascending.
struct NameQuestion {
  std::vector<TokenId> prompt;
  std::uint32_t gold = 0;
  std::vector<std::uint32_t> truths;
};

/// Not thread-safe. The model and the trie must outlive the ranker. While the ranker exists,
/// nothing else may use the model.
template <ScoringLm Model>
class LikelihoodRanker {
 public:
  LikelihoodRanker(Model& model, const NameTrie& trie, const NameSearchOptions& options)
      : trie_(trie),
        options_(options),
        branches_(model, trie),
        leaves_each_(options.hits > 0 ? 6 : 60),
        offered_(options.hits > 0 ? 4 : 40) {}

  /// The number of tokens fed so far for the names and for the prompts before them.
  [[nodiscard]] std::uint64_t fed_for_names() const noexcept { return branches_.fed_names(); }
  [[nodiscard]] std::uint64_t fed_for_prompts() const noexcept { return branches_.fed_prompts(); }

  /// The ranks, in the order of the questions. Every prompt must begin with `context` and be longer
  /// than `context`. The result depends only on the questions, except for rounding. `on_answer` is
  /// called after each question.
  [[nodiscard]] std::vector<SearchedRank> rank(std::span<const TokenId> context,
                                               std::span<const NameQuestion> questions,
                                               const std::function<void()>& on_answer = {}) {
    std::map<std::vector<TokenId>, std::vector<std::size_t>> by_prompt;
    for (std::size_t i = 0; i < questions.size(); ++i) by_prompt[questions[i].prompt].push_back(i);
    std::vector<SearchedRank> ranks(questions.size());
    branches_.hold_context(context);
    auto next = by_prompt.begin();
    std::list<Asked> active;
    while (next != by_prompt.end() || !active.empty()) {
      for (; next != by_prompt.end() && may_join(active, next->first); ++next) {
        active.emplace_back(trie_, branches_.add(next->first), next->second);
        begin(active.back(), questions);
      }
      step(active);
      for (auto asked = active.begin(); asked != active.end();) {
        if (asked->wanted.empty() && !continue_search(*asked, questions, ranks, on_answer)) {
          branches_.release(asked->branch);
          asked = active.erase(asked);
        } else {
          ++asked;
        }
      }
    }
    branches_.drop();
    return ranks;
  }

 private:
  /// One prompt with its questions, which are answered one after another.
  struct Asked {
    Asked(const NameTrie& trie, PromptBranch of, const std::vector<std::size_t>& which)
        : branch(std::move(of)), questions(which), rows(trie) {}

    PromptBranch branch;
    const std::vector<std::size_t>& questions;
    std::size_t current = 0;
    NameRows rows;
    std::optional<NameSearch> search{};
    /// Trie nodes to read next.
    std::vector<NodeId> wanted{};
  };

  /// Whether another prompt can be searched together with the active ones. There must be room for
  /// its prompt, and no prompt may be a prefix of another, because candidates and prompts would
  /// then be confused.
  [[nodiscard]] bool may_join(const std::list<Asked>& active,
                              std::span<const TokenId> prompt) const {
    if (active.empty()) return true;
    const TreeLimits& limits = branches_.limits();
    if ((active.size() + 1) * leaves_each_ > limits.leaves) return false;
    const std::size_t context = branches_.context();
    const std::size_t name = trie_.longest(TokenTree::root);
    std::size_t nodes = prompt.size() + name;
    for (const Asked& asked : active) {
      const auto& other = asked.branch.prompt;
      const std::size_t shared = common_prefix(other, prompt);
      if (shared == other.size() || shared == prompt.size()) return false;
      nodes += other.size() - context + name;
    }
    return nodes <= limits.nodes;
  }

  void begin(Asked& asked, std::span<const NameQuestion> questions) {
    const NameQuestion& question = questions[asked.questions[asked.current]];
    asked.search.emplace(trie_, asked.rows, question.gold, question.truths, options_);
    asked.wanted = asked.search->next(offered_);
  }

  /// Sets the nodes to read next; returns false once all questions are answered.
  bool continue_search(Asked& asked, std::span<const NameQuestion> questions,
                       std::vector<SearchedRank>& ranks, const std::function<void()>& on_answer) {
    asked.wanted = asked.search->next(offered_);
    while (asked.wanted.empty()) {
      ranks[asked.questions[asked.current]] = asked.search->result();
      if (on_answer) on_answer();
      if (++asked.current == asked.questions.size()) return false;
      begin(asked, questions);
    }
    return true;
  }

  /// Evaluates as many wanted nodes as fit into one step. If there is room, all nodes that a search
  /// proposes are evaluated. If no search's nodes fit completely, only some of each search's nodes
  /// are evaluated. If not even some of them fit, nodes held by the model are released.
  void step(std::list<Asked>& active) {
    std::vector<std::pair<Asked*, std::size_t>> chosen;  // each with the number of its wanted nodes
                                                         // to evaluate now
    const TreeLimits limits = branches_.limits().filled();
    TreeRoom room{limits.nodes, limits.leaves};
    room = room.without({branches_.context(), 0});
    for (const Asked& asked : active) room = room.without(branches_.held_by(asked.branch));
    std::size_t batch = 0;
    for (Asked& asked : active) {
      const TreeRoom needed = branches_.needs(asked.branch, asked.wanted);
      if (branches_.has_branches() && !room.holds(needed)) continue;
      if (!chosen.empty() && batch + needed.nodes > limits.batch) break;
      chosen.emplace_back(&asked, asked.wanted.size());
      room = room.without(needed);
      batch += needed.nodes;
    }
    for (auto asked = active.begin(); chosen.empty() && asked != active.end(); ++asked) {
      const std::span<const NodeId> wanted = asked->wanted;
      std::size_t part = wanted.size();
      while (part > 0 && !room.holds(branches_.needs(asked->branch, wanted.first(part)))) --part;
      if (part > 0) chosen.emplace_back(&*asked, part);
    }
    if (chosen.empty()) return give_up(active);
    typename NameBranches<Model>::Chosen nodes;
    std::unordered_map<const PromptBranch*, NameRows*> rows;
    for (const auto& [asked, count] : chosen) {
      nodes.emplace_back(&asked->branch, std::span(asked->wanted).first(count));
      rows[&asked->branch] = &asked->rows;
    }
    branches_.evaluate(nodes, [&](PromptBranch& branch, NodeId node, std::span<const double> nats) {
      rows.at(&branch)->read(node, nats);
    });
    for (const auto& [asked, count] : chosen) {
      asked->wanted.erase(asked->wanted.begin(),
                          asked->wanted.begin() + static_cast<std::ptrdiff_t>(count));
    }
  }

  /// Releases nodes: the names of the search that holds the most nodes or, if no search holds
  /// names, the last held prompt. The first search keeps its prompt, so that it makes progress.
  void give_up(std::list<Asked>& active) {
    Asked& widest = *ranges::max_element(
        active, {}, [](const Asked& asked) { return asked.branch.held.size(); });
    if (widest.branch.held.size() > 1) return branches_.forget_names(widest.branch);
    for (auto asked = active.rbegin(); asked != std::prev(active.rend()); ++asked) {
      if (!asked->branch.held.empty()) return branches_.release(asked->branch);
    }
    throw internal_error({}, "the model's limits leave no room for one search");
  }

  const NameTrie& trie_;
  NameSearchOptions options_;
  NameBranches<Model> branches_;
  // The number of branches that a search may have, and the number of prefixes that it proposes at a
  // time. A search that may end early proposes few prefixes, so that few are evaluated
  // unnecessarily. A search for a full rank needs all the prefixes that it proposes; running few
  // searches together means that held nodes are seldom released.
  std::size_t leaves_each_, offered_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
