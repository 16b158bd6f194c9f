// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do true entities stand by the likelihood of their names, or by the LM head?
//
// The queries of a plan fall into groups whose names share a trie, and those into packs that are
// searched together (rank/likelihood_ranker.hpp). Who carries the packs out decides what is kept of
// them: a job (name_search_run.hpp), or nobody in memory.

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

/// What the searches of a method took.
struct NameSearchCost {
  std::size_t queries = 0;
  /// Trie nodes fed and looked at; some are fed again where branches ran out.
  std::uint64_t fed = 0, expanded = 0;
  /// Candidates found nearer than 1e-4 nats to the true one.
  std::size_t nearby = 0;
};

/// What searching the names of a pack of queries gave.
struct SearchedPack {
  std::uint64_t fed_for_names = 0, fed_for_prompts = 0;
  /// In the order of the pack's queries.
  std::vector<SearchedRank> ranks;
};

/// The packs of one group of queries. Not thread-safe; lives while they are carried out.
template <ScoringLm Model>
class NamePacks {
 public:
  /// `of` are the places of the questions among the ranks. All but the two last are taken in.
  NamePacks(Model& model, std::string method, std::string name, const NameTrie& trie,
            const NameSearchOptions& search, std::vector<NameQuestion> unsorted,
            const std::vector<std::size_t>& of, std::vector<EntityRank>& ranks)
      : model_(model),
        method_(std::move(method)),
        name_(std::move(name)),
        trie_(trie),
        search_(search),
        ranks_(ranks) {
    // Questions of one prompt stand in one pack, and what all prompts begin with is shared.
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

  /// What is asked (" heads" behind the method for head queries), and the part of the work.
  [[nodiscard]] const std::string& method() const noexcept { return method_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t queries() const noexcept { return questions_.size(); }
  [[nodiscard]] std::size_t packs() const noexcept {
    return (questions_.size() + pack_size - 1) / pack_size;
  }
  [[nodiscard]] std::size_t queries(std::size_t p) const { return pack(p).size(); }
  [[nodiscard]] std::size_t candidates() const { return trie_.size(); }

  /// Asks the model; `on_answer` is called after each query.
  [[nodiscard]] SearchedPack search(std::size_t p, const std::function<void()>& on_answer = {}) {
    LikelihoodRanker ranker(model_, trie_, search_);
    SearchedPack made;
    made.ranks = ranker.rank(context_, pack(p), on_answer);
    made.fed_for_names = ranker.fed_for_names();
    made.fed_for_prompts = ranker.fed_for_prompts();
    return made;
  }

  /// Puts down the ranks of a pack; what they took is added to both.
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
  // Each pack holds what all prompts begin with; a larger one parts less evenly, and is lost
  // when the job is killed.
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
  std::vector<std::size_t> places_;  // by question, among the ranks
  std::vector<TokenId> context_;
  std::uint64_t name_tokens_ = 0;
  std::vector<EntityRank>& ranks_;
};

/// Model and options must outlive it. Not thread-safe. `carry(packs)` carries out each NamePacks: it
/// has every pack searched, or knows what was found, and taken.
template <ScoringLm Model>
class NameRanking {
 public:
  /// `prompts` has the tokens of queries.
  NameRanking(Model& model, const RankOptions& options, KeptPrompts<Model>& prompts)
      : model_(model), options_(options), prompts_(prompts) {}

  /// Exact ranks by the likelihood of the names. `label` tells plans of one run apart.
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
      const auto behind = tokens_behind(model_, given + gold, given.size());
      const auto behind_lead = tokens_behind(model_, std::string(lead) + gold, lead.size());
      // A tokenizer that normalises its text may cut otherwise than its vocabulary tells.
      const bool decides = behind.spells_text && ids_of(behind) == ids_of(behind_lead);
      return decides ? std::string(lead) : given;
    };
    const auto trie_of = [&](const std::string& lead) { return NameTrie(model_, texts, lead); };
    return searched(plan, "likelihood", label, prompt, lead_of, trie_of, options_.search, carry);
  }

  /// Ranks by the next token alone, behind the query's own tokens; all candidates have names of one
  /// token.
  template <class Carry>
  [[nodiscard]] std::vector<EntityRank> lm_head(const RankPlan& plan, const std::string& label,
                                                Carry carry) {
    const std::vector<std::string> texts = head_texts(plan, options_.form);
    std::vector<std::vector<TokenId>> tokens;
    for (const std::string& text : texts) tokens.push_back(ids_of(inner_tokens(model_, text)));
    return searched(
        plan, "lm-head", label, TriplePrompt(plan.graph, plan.shots, options_.form),
        [](const GraphQuery&) { return std::string(); },
        [&](const std::string&) { return NameTrie(tokens, texts); }, {}, carry);
  }

 private:
  /// Queries of one lead share a trie; nearly always all have the same.
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
        part += "\t" + std::to_string(before + 1);  // no label ends so
      }
      NamePacks<Model> packs(model_, side, part, trie, search, std::move(questions), places, made);
      carry(packs);
    }
    return made;
  }

  /// Leaves out the prompt's last tokens that stand in the trie.
  static void take_given(const RankPlan& plan, const GraphQuery& query, const NameTrie& trie,
                         std::vector<TokenId>& prompt) {
    const std::span<const TokenId> given = trie.given();
    if (prompt.size() <= given.size() ||
        !ranges::equal(std::span(prompt).last(given.size()), given)) {
      throw user_error({.field = plan.graph.entities[query.given()].id},
                       "a token of this tokenizer spans its whole query and a name",
                       "use `bos` yes or show shots");
    }
    prompt.resize(prompt.size() - given.size());
  }

  void refuse_length(const RankPlan& plan, const GraphQuery& query, std::size_t tokens) const {
    if (tokens <= model_.context_length()) return;
    throw user_error({.field = plan.graph.entities[query.given()].id},
                     "its query and the longest name have " + counted(tokens, "token") +
                         ", the model's context " + std::to_string(model_.context_length()),
                     "ask for fewer `shots`");
  }

  Model& model_;
  const RankOptions& options_;
  KeptPrompts<Model>& prompts_;
  std::optional<TokenJoins> joins_;  // reads the whole vocabulary, so once
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
