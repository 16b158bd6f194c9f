// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which solved facts are shown before a question?
//
// The shots are K facts of the same relation with K different subjects, chosen from all of the
// relation's facts, including those beyond a job's limit. Facts about the question's subject are
// excluded, and so are facts whose answer is that subject: "Germany borders France" reveals what
// France borders. If a subject has several correct answers, one is drawn. In draws by relation, the
// relation's subjects are put in a single random order, and the first K suitable facts are shown.
// Nearly all prompts of a relation then begin the same way, and the model stores that beginning
// only once. In draws by fact, K facts are drawn separately for each question's subject. Both draws
// depend only on the seed, the relation and the subject, so all rows with the same subject show the
// same facts, under all templates.

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
  /// The number of facts before each question.
  std::size_t count = 0;
  std::uint64_t seed = 0;
  ShotDraw draw = ShotDraw::relation;

  friend bool operator==(const ShotChoice&, const ShotChoice&) = default;
};

/// Draws the solved facts. Copies the dataset's facts. Any number of threads may use the same
/// object.
class SolvedFacts {
 public:
  SolvedFacts() = default;
  /// Any fact of the dataset may be shown, including those beyond a limit. Nothing is copied if no
  /// shots are requested.
  SolvedFacts(const Dataset& dataset, const ShotChoice& choice) : choice_(choice) {
    if (choice.count == 0) return;
    for (const Relation& relation : dataset.relations) add(relation);
  }

  [[nodiscard]] const ShotChoice& choice() const noexcept { return choice_; }

  /// The facts to show before a question about a fact of one of the dataset's relations, in order.
  /// Throws a user error that names the relation if it has too few facts.
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
                         asked.subject + "', but `shots` is " + std::to_string(choice_.count),
                     "set a smaller number, or select other relations with `relations`");
  }

  /// Throws the same user error as `of` for the first fact of a dataset whose relation has too few
  /// other facts.
  void(check)(const Dataset& asked) const {
    if (choice_.count == 0) return;
    for (const Relation& relation : asked.relations) {
      for (const Fact& fact : relation.facts) (void)of(relation, fact);
    }
  }

 private:
  struct Pool {
    std::vector<Fact> facts;
    /// Indices of each subject's facts.
    std::vector<std::vector<std::uint32_t>> subjects;
    /// For draws by relation: one fact for each subject, in the order in which the facts are shown.
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
    // A Fisher–Yates shuffle; only swapped positions are stored.
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

  /// Whether a fact is about the subject of `asked`, or has that subject as its answer.
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
