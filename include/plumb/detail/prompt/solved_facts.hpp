// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which solved facts stand before a question about another one?
//
// K facts of the asked fact's relation, K different subjects, from all that the dataset has of it,
// those beyond a job's limit too. Neither the asked fact's subject nor a fact whose answer that subject
// is stands among them: "Germany borders France" tells what France borders. Of a subject's several
// right answers one is drawn. Drawn by relation, the facts are the first K that fit of one order of
// the relation's subjects, so that nearly all prompts of a relation begin alike and are held in the
// model once; drawn by fact, each asked subject has K of its own. Either depends on the seed, the
// relation and the subject alone: rows of one subject and all templates show the same facts.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class ShotDraw : std::uint8_t { relation, fact };
[[nodiscard]] constexpr std::array<ShotDraw, 2> every(ShotDraw) noexcept {
  return {ShotDraw::relation, ShotDraw::fact};
}
[[nodiscard]] constexpr std::string_view name_of(ShotDraw draw) noexcept {
  return draw == ShotDraw::relation ? "relation" : "fact";
}

struct ShotChoice {
  /// Before each question.
  std::size_t count = 0;
  std::uint64_t seed = 0;
  ShotDraw draw = ShotDraw::relation;

  friend bool operator==(const ShotChoice&, const ShotChoice&) = default;
};

/// Draws them. Keeps the facts itself. Any number of threads may ask one.
class SolvedFacts {
 public:
  SolvedFacts() = default;
  /// The dataset's facts may be shown, those behind a limit too. Nothing is kept where no shots are
  /// wanted.
  SolvedFacts(const Dataset& dataset, const ShotChoice& choice) : choice_(choice) {
    if (choice.count == 0) return;
    for (const Relation& relation : dataset.relations) add(relation);
  }

  [[nodiscard]] const ShotChoice& choice() const noexcept { return choice_; }

  /// The facts before a question about a fact of one of the dataset's relations, in their order. Throws a user error that names the relation where it has too few.
  [[nodiscard]] std::vector<const Fact*> of(const Relation& relation, const Fact& asked) const {
    std::vector<const Fact*> shown;
    if (choice_.count == 0) return shown;
    const auto found = pools_.find(relation.code);
    if (found != pools_.end()) {
      choice_.draw == ShotDraw::relation ? take_in_order(found->second, relation, asked, shown)
                                         : take_own(found->second, relation, asked, shown);
    }
    if (shown.size() == choice_.count) return shown;
    throw user_error({.file = relation.file, .line = asked.line, .field = relation.code},
                     "has " + counted(shown.size(), "other subject") + " to show before '" +
                         asked.subject + "', and `shots` asks for " + std::to_string(choice_.count),
                     "ask for fewer, or leave the relation out with `relations`");
  }

  /// Throws the user error of `of` for the first fact of a dataset that has too few others.
  void(check)(const Dataset& asked) const {
    if (choice_.count == 0) return;
    for (const Relation& relation : asked.relations) {
      for (const Fact& fact : relation.facts) (void)of(relation, fact);
    }
  }

 private:
  struct Pool {
    std::vector<Fact> facts;
    /// Places of each subject's facts.
    std::vector<std::vector<std::uint32_t>> subjects;
    /// Drawn by relation: one fact of each subject, in the order in which they are shown.
    std::vector<std::uint32_t> order;
  };

  void add(const Relation& relation) {
    Pool& pool = pools_[relation.code];
    pool.facts = relation.facts;
    pool.facts.insert(pool.facts.end(), relation.facts_behind_limit.begin(),
                      relation.facts_behind_limit.end());
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;
    for (std::size_t f = 0; f < pool.facts.size(); ++f) {
      const Fact& fact = pool.facts[f];
      const auto [place, is_new] =
          known.try_emplace({fact.subject_id, fact.subject}, pool.subjects.size());
      if (is_new) pool.subjects.emplace_back();
      pool.subjects[place->second].push_back(static_cast<std::uint32_t>(f));
    }
    if (choice_.draw == ShotDraw::fact) return;
    RandomStream random(choice_.seed, "solved facts/relation/" + relation.code);
    std::vector<std::uint32_t> subjects(pool.subjects.size());
    std::iota(subjects.begin(), subjects.end(), 0U);
    random.shuffle(subjects);
    for (const std::uint32_t subject : subjects) {
      pool.order.push_back(one_of(pool.subjects[subject], random));
    }
  }

  static std::uint32_t one_of(const std::vector<std::uint32_t>& places, RandomStream& random) {
    return places.size() == 1 ? places.front() : places[random.below(places.size())];
  }

  void take_in_order(const Pool& pool, const Relation& relation, const Fact& asked,
                     std::vector<const Fact*>& shown) const {
    for (const std::uint32_t place : pool.order) {
      if (shown.size() == choice_.count) return;
      const Fact& fact = pool.facts[place];
      if (!tells_of(relation, fact, asked)) shown.push_back(&fact);
    }
  }

  void take_own(const Pool& pool, const Relation& relation, const Fact& asked,
                std::vector<const Fact*>& shown) const {
    RandomStream random(choice_.seed, "solved facts/fact/" + relation.code + "/" +
                                          asked.subject_id + "/" + asked.subject);
    // Fisher and Yates, of which only the places that were swapped are kept.
    std::map<std::size_t, std::size_t> swapped;
    const auto at = [&](std::size_t place) {
      const auto found = swapped.find(place);
      return found == swapped.end() ? place : found->second;
    };
    const std::size_t all = pool.subjects.size();
    for (std::size_t i = 0; i < all && shown.size() < choice_.count; ++i) {
      const std::size_t drawn = i + random.below(all - i), subject = at(drawn);
      swapped[drawn] = at(i);
      const Fact& fact = pool.facts[one_of(pool.subjects[subject], random)];
      if (!tells_of(relation, fact, asked)) shown.push_back(&fact);
    }
  }

  /// Whether a fact is about the asked one's subject, or has it for its answer.
  static bool tells_of(const Relation& relation, const Fact& fact, const Fact& asked) {
    const auto names = [](const Fact& one, const std::string& name) {
      return one.subject == name ||
             ranges::find(one.subject_aliases, name) != one.subject_aliases.end();
    };
    if (names(fact, asked.subject) || names(asked, fact.subject)) return true;
    const std::string& id = asked.subject_id;
    if (!id.empty() && fact.subject_id == id) return true;
    if (names(asked, option_text(relation, fact, fact.answer))) return true;
    return !id.empty() && fact.answer < relation.option_ids.size() &&
           relation.option_ids[fact.answer] == id;
  }

  ShotChoice choice_{};
  std::map<std::string, Pool> pools_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
