// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do unknown and incorrect pairs among the shots affect the pairs around them?
//
// The design consists of one sequence of correct pairs x1 y1 … xn yn, and copies of this sequence
// with some of its slots replaced. The replacements are unknowable pairs (an invented subject with
// an invented object) or incorrect pairs (the real subject with another object). Replacements of
// each kind are either spread over the sequence or placed in one block. The panels differ only in
// these slots, so each position can be compared across panels. Source: the paper on latent
// knowledge in many shots, section 3, Figure 2 and Appendix E. Departures from the paper: no
// subject occurs twice in the sequence, and a slot that is in both the spread and the block
// contains the same pair in both panels. Non-goals: turning the pairs into text, and showing the
// model's results (report/injection_page.hpp).

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/choices.hpp"
#include "plumb/detail/prompt/label_inventor.hpp"
#include "plumb/detail/prompt/many_shot.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// `after_injected` is a correct pair directly after an injected pair; `correct` is any other
/// correct pair.
enum class PairKind { correct, injected, after_injected };

struct InjectedPair {
  std::string subject;
  std::string object;
  PairKind kind = PairKind::correct;
};

struct InjectionPanel {
  /// "correct", "unknown, spread", "unknown, block", "incorrect, spread" or "incorrect, block".
  std::string name;
  /// The pairs by position: a pair's index is the number of pairs before it.
  std::vector<InjectedPair> pairs;
};

/// A panel's pairs without their kinds.
[[nodiscard]] inline std::vector<SubjectObject> pairs_of(const InjectionPanel& panel) {
  std::vector<SubjectObject> pairs;
  for (const InjectedPair& pair : panel.pairs) pairs.push_back({pair.subject, pair.object});
  return pairs;
}

struct InjectionOptions {
  std::size_t pairs = 200;
  std::size_t injected = 40;
  std::uint64_t seed = 0;
  /// The position to highlight, counted from 0; drawn at random if not set.
  std::optional<std::size_t> highlight{};
};

struct InjectionDesign {
  /// The relation's code.
  std::string relation;
  /// Five panels, in the order of the names above. All have the same number of pairs.
  std::vector<InjectionPanel> panels;
  /// The fact at each position, as an index into the relation's facts.
  std::vector<std::size_t> facts;
  /// A position that is not a slot in any panel.
  std::size_t highlight = 0;
  /// The facts' positions in the relation's file (Fact::instance), parallel to `facts`.
  std::vector<std::size_t> instances{};
};

/// 0 … n−1 in random order; n must be below 2^32.
inline std::vector<std::size_t> random_order(std::size_t n, RandomStream& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  return order;
}

/// Whether two facts may have the same subject, that is, whether they share an identifier or the
/// label of one is a label or alias of the other.
inline bool may_share_subject(const Fact& a, const Fact& b) {
  const auto named = [](const Fact& fact, const std::string& name) {
    return fact.subject == name ||
           ranges::find(fact.subject_aliases, name) != fact.subject_aliases.end();
  };
  return (!a.subject_id.empty() && a.subject_id == b.subject_id) || named(a, b.subject) ||
         named(b, a.subject);
}

/// Draws an option that is neither a true object of this subject nor an alias of one, and that does
/// not have a true object's label as an alias. Throws a user error if there is no such option.
inline std::string wrong_object(const Relation& relation, const Fact& fact,
                                const ObjectAliases& aliases, RandomStream random) {
  std::unordered_set<std::string> right;
  std::set<std::string> labels;
  const auto add = [&](const Fact& one) {
    right.insert(option_text(relation, one, one.answer));
    labels.insert(option_text(relation, one, one.answer));
    if (!one.choices.empty() || aliases.empty()) return;
    if (const auto names = aliases.find(relation.option_ids[one.answer]); names != aliases.end()) {
      right.insert(names->second.begin(), names->second.end());
    }
  };
  add(fact);
  for (const Fact& other : relation.facts) {
    if (may_share_subject(fact, other)) add(other);
  }
  std::vector<std::string> wrong;
  const std::size_t options = fact.choices.empty() ? relation.options.size() : fact.choices.size();
  for (std::size_t i = 0; i < options; ++i) {
    const std::string& option = option_text(relation, fact, i);
    const bool is_named_like = fact.choices.empty() && !aliases.empty() &&
                               has_alias(aliases, relation.option_ids[i], labels);
    if (!right.contains(option) && !is_named_like) wrong.push_back(option);
  }
  if (wrong.empty()) {
    throw user_error(
        {relation.file, fact.line, relation.code},
        "every option is a true object of '" + fact.subject + "', so no pair would be incorrect",
        "remove the subject or choose another relation");
  }
  return wrong[random.below(wrong.size())];
}

/// Builds a panel with `replacement(position)` at each slot and the correct pairs elsewhere.
template <class Replacement>
InjectionPanel injected_panel(std::string name, std::vector<InjectedPair> pairs,
                              const std::vector<bool>& slot, Replacement replacement) {
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (slot[p]) {
      pairs[p] = replacement(p);
      pairs[p].kind = PairKind::injected;
    } else if (p > 0 && slot[p - 1]) {
      pairs[p].kind = PairKind::after_injected;
    }
  }
  return {std::move(name), std::move(pairs)};
}

/// The five panels. The order, the spread slots and the injected pairs depend on the relation, the
/// seed and the number of pairs. The spread slots for a smaller number of slots are a subset of
/// those for a larger number. The block is in the middle and starts at position (pairs − slots) /
/// 2. A randomly drawn highlight directly follows a spread slot if possible, like the star in the
/// paper. Throws a user error if the relation has fewer subjects than pairs, if there are no slots,
/// if at least half of the pairs are slots, or if the given highlight is a slot in some panel.
[[nodiscard]] inline InjectionDesign injection_design(const Relation& relation,
                                                      const InjectionOptions& options,
                                                      const ObjectAliases& aliases = {}) {
  const bool most =
      options.injected >= options.pairs || options.injected >= options.pairs - options.injected;
  if (options.injected == 0 || most) {
    throw user_error({.setting = "injected"},
                     std::to_string(options.injected) + " of " + counted(options.pairs, "pair") +
                         " cannot be injected",
                     "set it to at least 1 and less than half of the pairs");
  }
  const std::string name = "injection/" + relation.code + "/";
  const auto stream = [&](const std::string& part) {
    return RandomStream(options.seed, name + part);
  };
  InjectionDesign design{relation.code, {}, {}, 0};
  std::vector<InjectedPair> correct;
  std::unordered_set<std::string> subjects;
  RandomStream order = stream("order");
  for (const std::size_t f : detail::random_order(relation.facts.size(), order)) {
    const Fact& fact = relation.facts[f];
    if (!subjects.insert(fact.subject).second || correct.size() == options.pairs) continue;
    design.facts.push_back(f);
    design.instances.push_back(fact.instance);
    correct.push_back({fact.subject, option_text(relation, fact, fact.answer)});
  }
  if (correct.size() < options.pairs) {
    throw user_error({relation.file, 0, relation.code},
                     "has facts of " + counted(subjects.size(), "subject") +
                         ", but the injection needs " + counted(options.pairs, "pair"),
                     "set fewer pairs or choose a larger relation");
  }
  std::vector<bool> spread(options.pairs), block(options.pairs);
  RandomStream draws = stream("spread");
  const std::vector<std::size_t> places = detail::random_order(options.pairs, draws);
  for (std::size_t i = 0; i < options.injected; ++i) {
    spread[places[i]] = true;
    block[(options.pairs - options.injected) / 2 + i] = true;
  }
  // One invented pair for each position, so that a position in both the spread and the block gets
  // the same pair in both.
  LabelInventor inventor(relation, stream("unknown"));
  std::vector<InjectedPair> inventions;
  for (std::size_t p = 0; p < options.pairs; ++p) {
    std::string subject = inventor.subject();
    inventions.push_back({std::move(subject), inventor.object()});
  }
  const auto unknown = [&](std::size_t p) { return inventions[p]; };
  const auto incorrect = [&](std::size_t p) -> InjectedPair {
    const Fact& fact = relation.facts[design.facts[p]];
    return {fact.subject, detail::wrong_object(relation, fact, aliases,
                                               stream("incorrect/" + std::to_string(p)))};
  };
  const std::vector<bool> none(options.pairs);
  design.panels = {detail::injected_panel("correct", correct, none, unknown),
                   detail::injected_panel("unknown, spread", correct, spread, unknown),
                   detail::injected_panel("unknown, block", correct, block, unknown),
                   detail::injected_panel("incorrect, spread", correct, spread, incorrect),
                   detail::injected_panel("incorrect, block", correct, block, incorrect)};
  std::vector<std::size_t> best, rest;
  for (std::size_t p = 0; p < options.pairs; ++p) {
    if (spread[p] || block[p]) continue;
    (p > 0 && spread[p - 1] ? best : rest).push_back(p);
  }
  if (options.highlight) {
    const std::size_t p = *options.highlight;
    if (p >= options.pairs || spread[p] || block[p]) {
      throw user_error(
          {.setting = "highlight"},
          "position " + std::to_string(p) +
              (p >= options.pairs ? " is after the last pair" : " is an injected slot"),
          "set a position, counted from 0, that is not injected, or drop `highlight`");
    }
    design.highlight = p;
  } else {
    const std::vector<std::size_t>& from = best.empty() ? rest : best;
    design.highlight = from[stream("highlight").below(from.size())];
  }
  return design;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
