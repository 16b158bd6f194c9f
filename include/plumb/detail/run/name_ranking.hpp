// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do true entities rank by the likelihood of their names, or by the LM head?
//
// The queries of a plan are grouped so that the names in a group share a trie. Groups are split
// into packs that are searched together (rank/likelihood_ranker.hpp). The caller decides how the
// packs are run. A job stores their results (name_search_run.hpp); a ranking in memory does not.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/prompt/triple_prompt.hpp"
#include "plumb/detail/rank/likelihood_ranker.hpp"
#include "plumb/detail/run/rank_plan.hpp"
#include "plumb/detail/run/unranked.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"
#include "plumb/detail/score/kept_prompts.hpp"
#include "plumb/detail/score/pack_plan.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"
#include "plumb/detail/score/token_joins.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The cost of a method's searches.
struct NameSearchCost {
  std::size_t queries = 0;
  /// The number of trie nodes fed and the number of nodes expanded. Some nodes are fed again when
  /// branches run out.
  std::uint64_t fed = 0, expanded = 0;
  /// The number of candidates found within 1e-4 nats of the true one.
  std::size_t nearby = 0;
};

/// The result of a name search for a pack of queries.
struct SearchedPack {
  std::uint64_t fed_for_names = 0, fed_for_prompts = 0;
  /// The ranks, in the order of the pack's queries.
  std::vector<SearchedRank> ranks;
};

/// The packs of one group of queries. Not thread-safe; only valid during the call that runs them.
template <ScoringLm Model>
class NamePacks {
 public:
  /// `of` contains the indices of the questions among the ranks.
  NamePacks(Model& model, std::string method, std::string name, const NameTrie& trie,
            const NameSearchOptions& search, std::vector<NameQuestion> unsorted,
            const std::vector<std::size_t>& of, std::vector<EntityRank>& ranks)
      : model_(model),
        method_(std::move(method)),
        name_(std::move(name)),
        trie_(trie),
        search_(search),
        ranks_(ranks) {
    // Sorting places questions with the same prompt next to each other. The common prefix of all
    // prompts is shared.
    std::vector<std::size_t> order(unsorted.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    ranges::stable_sort(order, {}, [&](std::size_t i) { return unsorted[i].prompt; });
    for (const std::size_t i : order) {
      questions_.push_back(std::move(unsorted[i]));
      places_.push_back(of[i]);
    }
    context_ = questions_.front().prompt;
    context_.resize(
        (std::min)(common_prefix(context_, questions_.back().prompt), context_.size() - 1));
    for (std::size_t c = 0; c < trie.size(); ++c) name_tokens_ += trie.tree().depth(trie.leaf(c));
  }

  /// The method (followed by " heads" for head queries), and the name of this part of the job.
  [[nodiscard]] const std::string& method() const noexcept { return method_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t queries() const noexcept { return questions_.size(); }
  [[nodiscard]] std::size_t packs() const noexcept {
    return (questions_.size() + pack_size - 1) / pack_size;
  }
  [[nodiscard]] std::size_t queries(std::size_t p) const { return pack(p).size(); }
  [[nodiscard]] std::size_t candidates() const { return trie_.size(); }

  /// Searches with the model; `on_answer` is called after each query.
  [[nodiscard]] SearchedPack search(std::size_t p, const std::function<void()>& on_answer = {}) {
    LikelihoodRanker ranker(model_, trie_, search_);
    SearchedPack made;
    made.ranks = ranker.rank(context_, pack(p), on_answer);
    made.fed_for_names = ranker.fed_for_names();
    made.fed_for_prompts = ranker.fed_for_prompts();
    return made;
  }

  /// Stores the ranks of a pack, and adds the cost to `all` and `cost`.
  void take(std::size_t p, const SearchedPack& found, ScoringCost& all, NameSearchCost& cost) {
    const std::span<const NameQuestion> asked = pack(p);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const SearchedRank& r = found.ranks[i];
      EntityRank& rank = ranks_[places_[p * pack_size + i]];
      rank.score = r.score;
      rank.raw = {r.above, r.equal};
      rank.filtered = {r.filtered_above, r.filtered_equal};
      rank.undecided = r.undecided;
      rank.filtered_candidates = rank.candidates - (asked[i].truths.size() - 1);
      all.statements += trie_.size();
      all.tokens_one_by_one += trie_.size() * asked[i].prompt.size() + name_tokens_;
      cost.nearby += r.nearby;
      cost.expanded += r.expanded;
      ++cost.queries;
    }
    cost.fed += found.fed_for_names;
    all.tokens_fed += found.fed_for_names + found.fed_for_prompts;
    all.tree_nodes += found.fed_for_names + found.fed_for_prompts;
  }

 private:
  // Each pack evaluates the common prefix of all prompts again. Larger packs would be distributed
  // less evenly over shards, and more work would be lost if the job were killed.
  static constexpr std::size_t pack_size = 32;

  [[nodiscard]] std::span<const NameQuestion> pack(std::size_t p) const {
    const std::size_t begin = p * pack_size;
    return std::span(questions_).subspan(begin, (std::min)(pack_size, questions_.size() - begin));
  }

  Model& model_;
  std::string method_, name_;
  const NameTrie& trie_;
  NameSearchOptions search_;
  std::vector<NameQuestion> questions_;
  std::vector<std::size_t> places_;  // for each question, its index among the ranks
  std::vector<TokenId> context_;
  std::uint64_t name_tokens_ = 0;
  std::vector<EntityRank>& ranks_;
};

/// The model and the options must outlive this object. Not thread-safe. `carry(packs)` runs a
/// NamePacks object: for every pack, it must either search or obtain the result from elsewhere, and
/// then pass the result to `take`.
template <ScoringLm Model>
class NameRanking {
 public:
  /// `prompts` provides the tokens of queries.
  NameRanking(Model& model, const RankOptions& options, KeptPrompts<Model>& prompts)
      : model_(model), options_(options), prompts_(prompts) {}

  /// Exact ranks by the likelihood of the names. `label` distinguishes the plans of one run.
  template <class Carry>
  [[nodiscard]] std::vector<EntityRank> likelihood(const RankPlan& plan, const std::string& label,
                                                   Carry carry) {
    const std::vector<std::string> texts = likelihood_texts(plan);
    const TriplePrompt prompt(plan.graph, plan.shots, QueryForm::paper);
    if (!joins_) joins_.emplace(model_);
    const auto lead_of = [&](const GraphQuery& query) -> std::string {
      const std::string given = prompt.query(query);
      const std::string& gold = texts[plan.candidates.place(query.gold())];
      const std::string_view lead = joins_->lead(given, ' ');
      const auto behind = tokens_after(model_, given + gold, given.size());
      const auto behind_lead = tokens_after(model_, std::string(lead) + gold, lead.size());
      // A tokenizer that normalises text may split it differently than its vocabulary suggests.
      const bool decides = behind.spells_text && ids_of(behind) == ids_of(behind_lead);
      return decides ? std::string(lead) : given;
    };
    const auto trie_of = [&](const std::string& lead) { return NameTrie(model_, texts, lead); };
    return searched(plan, "likelihood", label, prompt, lead_of, trie_of, options_.search, carry);
  }

  /// Ranks by the single token that follows the query's own tokens. The names of all candidates
  /// must be single tokens.
  template <class Carry>
  [[nodiscard]] std::vector<EntityRank> lm_head(const RankPlan& plan, const std::string& label,
                                                Carry carry) {
    const std::vector<std::string> texts = head_texts(plan, options_.form);
    const std::vector<std::vector<TokenId>> tokens = inner_ids(model_, texts);
    return searched(
        plan, "lm-head", label, TriplePrompt(plan.graph, plan.shots, options_.form),
        [](const GraphQuery&) { return std::string(); },
        [&](const std::string&) { return NameTrie(tokens, texts); }, {}, carry);
  }

 private:
  /// Queries with the same lead share a trie. In nearly all cases, all queries have the same lead.
  template <class LeadOf, class TrieOf, class Carry>
  [[nodiscard]] std::vector<EntityRank> searched(const RankPlan& plan, const std::string& method,
                                                 const std::string& label,
                                                 const TriplePrompt& prompt, LeadOf lead_of,
                                                 TrieOf trie_of, const NameSearchOptions& search,
                                                 Carry& carry) {
    const TrueCandidates truths(plan);
    std::vector<EntityRank> made;
    std::map<std::pair<bool, std::string>, std::vector<std::size_t>> by_lead;
    for (std::size_t i = 0; i < plan.queries.size(); ++i) {
      made.push_back(unranked(model_, plan, plan.queries[i]));
      const GraphQuery& query = plan.queries[i].query;
      by_lead[{query.asks_head, lead_of(query)}].push_back(i);
    }
    std::map<std::string, std::size_t> parts;
    for (const auto& [group, places] : by_lead) {
      const NameTrie trie = trie_of(group.second);
      std::vector<NameQuestion> questions;
      for (const std::size_t i : places) {
        const GraphQuery& query = plan.queries[i].query;
        questions.push_back({prompts_.ids(prompt.query(query)), plan.candidates.place(query.gold()),
                             truths.of(query)});
        refuse_length(plan, query, questions.back().prompt.size() + trie.longest(0));
        take_given(plan, query, trie, questions.back().prompt);
      }
      const std::string side = method + (group.first ? " heads" : "");
      std::string part = side + (label.empty() ? "" : " " + label);
      if (const std::size_t before = parts[part]++; before > 0) {
        part += "\t" + std::to_string(before + 1);  // no label has this suffix
      }
      NamePacks<Model> packs(model_, side, part, trie, search, std::move(questions), places, made);
      carry(packs);
    }
    return made;
  }

  /// Removes the tokens that the trie already contains from the end of the prompt.
  static void take_given(const RankPlan& plan, const GraphQuery& query, const NameTrie& trie,
                         std::vector<TokenId>& prompt) {
    const std::span<const TokenId> given = trie.given();
    if (prompt.size() <= given.size() ||
        !ranges::equal(std::span(prompt).last(given.size()), given)) {
      throw user_error({.field = plan.graph.entities[query.given()].id},
                       "a token of this tokenizer spans its whole query and a name",
                       "set `bos` to yes, or set `shots`");
    }
    prompt.resize(prompt.size() - given.size());
  }

  void refuse_length(const RankPlan& plan, const GraphQuery& query, std::size_t tokens) const {
    if (tokens <= model_.context_length()) return;
    throw user_error({.field = plan.graph.entities[query.given()].id},
                     "its query and the longest name have " + counted(tokens, "token") +
                         "; the model's limit is " + std::to_string(model_.context_length()),
                     "lower `shots`");
  }

  Model& model_;
  const RankOptions& options_;
  KeptPrompts<Model>& prompts_;
  std::optional<TokenJoins> joins_;  // created only once, because it reads the whole vocabulary
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
