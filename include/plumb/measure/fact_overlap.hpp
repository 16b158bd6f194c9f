// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts stand in a text, and how often?
//
// A fact is met where a name of its subject and a name of its object stand together: as whole words
// (answer_words.hpp: "St. Louis" in "in St Louis's", "us" for "US"), not overlapping each other, and
//   within N words   in a stretch of at most N words, both names included; counted are disjoint
//                    stretches, as many as there can be
//   within a line, within a paragraph (lines up to one without a word)
//                    counted are lines or paragraphs
// All names are looked for at once, word by word, in a trie of their words. Memory goes by the
// names and by what stands in one stretch, line or paragraph, whatever the text's length. Standing
// together is no statement of the fact, and a statement may do without a name ("He was born there"):
// the count says what a text may have taught, not what it did. Non-goals: other scripts' inflections,
// spelling, accents. Answer to: data leakage, "Cosine Similarity as Logits?", section 7.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/core/over.hpp"
#include "plumb/data/named_facts.hpp"
#include "plumb/measure/answer_words.hpp"

namespace plumb {

/// What subject and object must stand in together.
struct Within {
  enum class Unit { words, line, paragraph };
  Unit unit = Unit::words;
  /// Of a stretch; unused for others.
  std::size_t words = 50;
};

/// How often a fact was met, and where first: the text's number, from 0, and its line, from 1.
struct FactMeetings {
  std::size_t count = 0;
  std::size_t text = 0;
  std::size_t line = 0;
};

/// Facts in one text after another, fed in pieces. One thread at a time may use one.
class FactOverlap {
 public:
  /// The facts may be gone afterwards.
  FactOverlap(std::span<const NamedFact> facts, Within within)
      : within_(within), met_(facts.size()), last_(facts.size(), nowhere) {
    for (std::size_t f = 0; f < facts.size(); ++f) {
      const std::vector<std::uint32_t> subjects = names_of(facts[f].subject);
      const std::vector<std::uint32_t> objects = names_of(facts[f].object);
      if (subjects.empty() || objects.empty()) ++nameless_;
      for (const std::uint32_t s : subjects) {
        for (const std::uint32_t o : objects) {
          facts_[pair(s, o)].push_back(static_cast<std::uint32_t>(f));
        }
      }
    }
    for (const auto& [key, unused] : facts_) {
      objects_of_[static_cast<std::uint32_t>(key >> 32)].push_back(static_cast<std::uint32_t>(key));
    }
  }

  /// A piece of a line of the text at hand, which counts from 1; `ends` of a line's last piece. Names
  /// go on in the next piece and, but within a line, in the next line; words do not.
  void feed(std::string_view piece, std::size_t line, bool ends) {
    line_ = line;
    bool words = false;
    for_each_answer_word(piece, [&](const std::string& word) {
      words = true;
      take(word);
    });
    line_has_words_ = line_has_words_ || words;
    if (!ends) return;
    const bool is_empty = !line_has_words_;
    line_has_words_ = false;
    if (within_.unit == Within::Unit::line || is_empty) end_unit();
  }

  /// Ends the text at hand: nothing stands together with what follows.
  void end_text() {
    end_unit();
    recent_.clear();
    active_.clear();
    line_has_words_ = false;
    line_ = 0;
    unit_line_ = 1;
    ++text_;
  }

  /// Parallel to the facts.
  [[nodiscard]] const std::vector<FactMeetings>& met() const noexcept { return met_; }
  /// Words that were read.
  [[nodiscard]] std::size_t words() const noexcept { return static_cast<std::size_t>(at_); }
  /// Facts whose subject or object has no name with a word ("?"), which no text can hold.
  [[nodiscard]] std::size_t nameless() const noexcept { return nameless_; }

 private:
  static constexpr std::int64_t nowhere = -1;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// A name in the text, by the numbers of its first and last word.
  struct Mention {
    std::uint32_t name;
    std::int64_t first, last;
  };
  /// A name that has begun.
  struct Begun {
    std::uint32_t node;
    std::int64_t first;
  };
  /// Of a name in the unit at hand: the end of what ends first, the beginning of what begins last.
  struct Extent {
    std::int64_t first_end, last_begin;
  };

  static std::uint64_t pair(std::uint32_t one, std::uint32_t other) noexcept {
    return (std::uint64_t{one} << 32) | other;
  }

  /// The numbers of an entity's names that have a word, each once.
  std::vector<std::uint32_t> names_of(const NamedEntity& entity) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : entity.names) {
      std::uint32_t node = 0;
      for_each_answer_word(name, [&](const std::string& word) {
        const auto id = words_.try_emplace(word, static_cast<std::uint32_t>(words_.size()));
        const auto child = children_.try_emplace(pair(node, id.first->second),
                                                 static_cast<std::uint32_t>(name_at_.size()));
        if (child.second) name_at_.push_back(none);
        node = child.first->second;
      });
      if (node == 0) continue;
      if (name_at_[node] == none) name_at_[node] = names_++;
      if (over::find(numbers, name_at_[node]) == numbers.end()) numbers.push_back(name_at_[node]);
    }
    return numbers;
  }

  void take(const std::string& word) {
    const std::int64_t here = at_++;
    const auto known = words_.find(word);
    if (known == words_.end()) return active_.clear();
    active_.push_back({0, here});
    std::size_t kept = 0;
    for (const Begun begun : active_) {
      const auto child = children_.find(pair(begun.node, known->second));
      if (child == children_.end()) continue;
      active_[kept++] = {child->second, begun.first};
      const std::uint32_t name = name_at_[child->second];
      if (name != none) mention({name, begun.first, here});
    }
    active_.resize(kept);
  }

  void mention(const Mention& made) {
    if (within_.unit == Within::Unit::words) return look_back(made);
    const auto [place, is_new] = present_.try_emplace(made.name, Extent{made.last, made.first});
    if (is_new) return;
    place->second.first_end = std::min(place->second.first_end, made.last);
    place->second.last_begin = std::max(place->second.last_begin, made.first);
  }

  /// Credits the facts of a mention and those before it in the stretch.
  void look_back(const Mention& made) {
    const auto words = static_cast<std::int64_t>(within_.words);
    while (!recent_.empty() && recent_.front().last + words <= made.last) recent_.pop_front();
    for (const Mention& before : recent_) {
      if (before.first + words <= made.last || before.last >= made.first) continue;
      credit(before.name, made.name, before.first, made.last);
      if (before.name != made.name) credit(made.name, before.name, before.first, made.last);
    }
    recent_.push_back(made);
  }

  /// Counts the facts of a subject's and an object's name that were not counted from `first` on.
  void credit(std::uint32_t subject, std::uint32_t object, std::int64_t first, std::int64_t last) {
    const auto found = facts_.find(pair(subject, object));
    if (found == facts_.end()) return;
    for (const std::uint32_t f : found->second) {
      if (last_[f] >= first) continue;
      last_[f] = last;
      FactMeetings& met = met_[f];
      if (met.count++ == 0) {
        met.text = text_;
        met.line = within_.unit == Within::Unit::paragraph ? unit_line_ : line_;
      }
    }
  }

  void end_unit() {
    for (const auto& [subject, one] : present_) {
      const auto objects = objects_of_.find(subject);
      if (objects == objects_of_.end()) continue;
      for (const std::uint32_t object : objects->second) {
        const auto other = present_.find(object);
        if (other == present_.end()) continue;
        const Extent& two = other->second;
        if (one.first_end < two.last_begin || two.first_end < one.last_begin) {
          credit(subject, object, unit_begin_, at_ - 1);
        }
      }
    }
    present_.clear();
    if (within_.unit != Within::Unit::words) active_.clear();
    unit_begin_ = at_;
    unit_line_ = line_ + 1;
  }

  Within within_;
  std::unordered_map<std::string, std::uint32_t> words_;
  /// The trie: (node, word) -> node; the root is 0.
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
  std::vector<std::uint32_t> name_at_{none};
  std::uint32_t names_ = 0;
  /// (subject's name, object's name) -> facts.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> facts_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> objects_of_;
  std::size_t nameless_ = 0;

  /// Words since the first text began.
  std::int64_t at_ = 0;
  std::size_t text_ = 0, line_ = 0, unit_line_ = 1;
  bool line_has_words_ = false;
  std::vector<Begun> active_;
  std::deque<Mention> recent_;
  std::map<std::uint32_t, Extent> present_;
  std::int64_t unit_begin_ = 0;
  std::vector<FactMeetings> met_;
  /// The last word of the stretch or unit that was counted last, by fact.
  std::vector<std::int64_t> last_;
};

}  // namespace plumb
