// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are exact ranks by likelihood taken so that the job can be resumed?
//
// The names' searches go some queries a pack, and each pack is written into the journal when it is
// done. The LM head is the same search over names of one token. A name has the tokens that it has
// behind its query in one text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/core/number_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/prompt/triple_prompt.hpp"
#include "plumb/rank/likelihood_ranker.hpp"
#include "plumb/run/unranked.hpp"
#include "plumb/run/work.hpp"
#include "plumb/score/bos.hpp"
#include "plumb/score/pack_plan.hpp"
#include "plumb/score/prompt_tokens.hpp"
#include "plumb/score/token_joins.hpp"

namespace plumb {

/// What the searches of a method took.
struct NameSearchCost {
  std::size_t queries = 0;
  /// Trie nodes fed and looked at; some are fed again where branches ran out.
  std::uint64_t fed = 0, expanded = 0;
  /// Candidates found nearer than 1e-4 nats to the true one.
  std::size_t nearby = 0;
};

/// Model, options and work must outlive it. Not thread-safe.
template <ScoringLm Model>
class NameSearchRun {
 public:
  NameSearchRun(Model& model, const RankOptions& options, Work& work)
      : model_(model), options_(options), work_(work) {}

  /// The queries of some plans, written in a form. How far names are searched is not known ahead.
  [[nodiscard]] static PlannedPart planned(Model& model, std::string name,
                                           const std::vector<RankPlan>& plans, QueryForm form,
                                           const Bos& with_bos) {
    const std::optional<TokenId> bos = require_bos(model, with_bos);
    PlannedPart part{std::move(name), "query", 0, ScoringCost()};
    for (const RankPlan& plan : plans) {
      const TriplePrompt prompt(plan.graph, plan.shots, form);
      for (const PlannedQuery& planned : plan.queries) {
        ++part.count;
        part.cost->tokens_one_by_one +=
            prompt_ids(model, {prompt.query(planned.query), {}, {}}, bos).size();
      }
    }
    return part;
  }

  /// Exact ranks by the likelihood of the names. `label` tells plans of one run apart.
  [[nodiscard]] std::vector<EntityRank> likelihood(const RankPlan& plan, const Bos& with_bos,
                                                   const std::string& label = "") {
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
    return searched(plan, "likelihood", label, prompt, lead_of, trie_of, with_bos, options_.search);
  }

  /// Ranks by the next token alone, behind the query's own tokens; all candidates have names of one
  /// token.
  [[nodiscard]] std::vector<EntityRank> lm_head(const RankPlan& plan, const Bos& with_bos,
                                                const std::string& label = "") {
    const std::vector<std::string> texts = head_texts(plan, options_.form);
    std::vector<std::vector<TokenId>> tokens;
    for (const std::string& text : texts) tokens.push_back(ids_of(inner_tokens(model_, text)));
    return searched(
        plan, "lm-head", label, TriplePrompt(plan.graph, plan.shots, options_.form),
        [](const GraphQuery&) { return std::string(); },
        [&](const std::string&) { return NameTrie(tokens, texts); }, with_bos, {});
  }

  /// Whether all queries so far were searched; in a shard others have some, and ranks are no ranks.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

  /// By method; " heads" behind it for head queries.
  [[nodiscard]] const std::map<std::string, NameSearchCost>& cost() const noexcept { return cost_; }

 private:
  // Each pack holds anew what all prompts begin with; a larger one parts less evenly, and is lost
  // when the job is killed.
  static constexpr std::size_t pack_size = 32;

  /// Queries of one lead share a trie; nearly always all have the same.
  template <class LeadOf, class TrieOf>
  [[nodiscard]] std::vector<EntityRank> searched(const RankPlan& plan, const std::string& method,
                                                 const std::string& label,
                                                 const TriplePrompt& prompt, LeadOf lead_of,
                                                 TrieOf trie_of, const Bos& with_bos,
                                                 const NameSearchOptions& search) {
    const TrueCandidates truths(plan);
    const std::optional<TokenId> bos = require_bos(model_, with_bos);
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
        questions.push_back({prompt_ids(model_, {prompt.query(query), {}, {}}, bos),
                             plan.candidates.place(query.gold()), truths.of(query)});
        refuse_length(plan, query, questions.back().prompt.size() + trie.longest(0));
        take_given(plan, query, trie, questions.back().prompt);
      }
      const std::string side = method + (group.first ? " heads" : "");
      std::string part = side + (label.empty() ? "" : " " + label);
      if (const std::size_t before = parts[part]++; before > 0) {
        part += "\t" + std::to_string(before + 1);  // no label ends so
      }
      search_packs(side, part, trie, search, std::move(questions), places, made);
    }
    return made;
  }

  /// Leaves out the prompt's last tokens that stand in the trie.
  static void take_given(const RankPlan& plan, const GraphQuery& query, const NameTrie& trie,
                         std::vector<TokenId>& prompt) {
    const std::span<const TokenId> given = trie.given();
    if (prompt.size() <= given.size() ||
        !over::equal(std::span(prompt).last(given.size()), given)) {
      throw user_error({.field = plan.graph.entities[query.given()].id},
                       "a token of this tokenizer spans its whole query and a name",
                       "use `bos` yes or show shots");
    }
    prompt.resize(prompt.size() - given.size());
  }

  void search_packs(const std::string& method, const std::string& name, const NameTrie& trie,
                    const NameSearchOptions& search, std::vector<NameQuestion> unsorted,
                    const std::vector<std::size_t>& of, std::vector<EntityRank>& made) {
    // Questions of one prompt stand in one pack, and what all prompts begin with is shared.
    std::vector<std::size_t> order(unsorted.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    over::stable_sort(order, {}, [&](std::size_t i) { return unsorted[i].prompt; });
    std::vector<NameQuestion> questions;
    for (const std::size_t i : order) questions.push_back(std::move(unsorted[i]));
    std::vector<TokenId> context = questions.front().prompt;
    context.resize((std::min)(common_prefix(context, questions.back().prompt), context.size() - 1));
    std::uint64_t name_tokens = 0;
    for (std::size_t c = 0; c < trie.size(); ++c) name_tokens += trie.tree().depth(trie.leaf(c));

    std::vector<PackCost> packs;
    const auto pack = [&](std::size_t p) {
      return std::span(questions).subspan(p * pack_size,
                                          (std::min)(pack_size, questions.size() - p * pack_size));
    };
    for (std::size_t p = 0; p * pack_size < questions.size(); ++p) {
      packs.push_back({pack(p).size(), trie.size() * pack(p).size(), pack(p).size()});
    }
    Part part(work_, name);
    work_.begin(name, questions.size());
    const bool is_whole = part.go_through(
        packs,
        [&](std::size_t p) {
          LikelihoodRanker ranker(model_, trie, search);
          const std::vector<SearchedRank> ranks =
              ranker.rank(context, pack(p), [&] { part.step(); });
          Json rows = Json::array();
          rows.push_back(Json::array({ranker.fed_for_names(), ranker.fed_for_prompts()}));
          for (const SearchedRank& r : ranks) {
            rows.push_back({r.score, r.above, r.equal, r.filtered_above, r.filtered_equal,
                            r.undecided, r.nearby, r.expanded});
          }
          return rows.dump();
        },
        [&](std::size_t p, const Json& rows) {
          const std::span<const NameQuestion> asked = pack(p);
          if (rows.size() != asked.size() + 1) throw part.other_job();
          ScoringCost& all = work_.summary().cost;
          NameSearchCost& cost = cost_[method];
          for (std::size_t i = 0; i < asked.size(); ++i) {
            const Json& row = rows[i + 1];
            EntityRank& rank = made[of[order[p * pack_size + i]]];
            rank.score = row[0];
            rank.raw = {row[1], row[2]};
            rank.filtered = {row[3], row[4]};
            rank.undecided = row[5];
            rank.filtered_candidates = rank.candidates - (asked[i].truths.size() - 1);
            all.statements += trie.size();
            all.tokens_one_by_one += trie.size() * asked[i].prompt.size() + name_tokens;
            cost.nearby += row[6].get<std::size_t>();
            cost.expanded += row[7].get<std::uint64_t>();
            ++cost.queries;
          }
          const std::uint64_t names = rows[0][0], prompts = rows[0][1];
          cost.fed += names;
          all.tokens_fed += names + prompts;
          all.tree_nodes += names + prompts;
        });
    is_whole_ = is_whole_ && is_whole;
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
  Work& work_;
  std::map<std::string, NameSearchCost> cost_;
  bool is_whole_ = true;
  std::optional<TokenJoins> joins_;  // reads the whole vocabulary, so once
};

}  // namespace plumb
