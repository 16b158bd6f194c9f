// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts appear in a text, and how often?
//
// A fact is met in a text if a name of its subject and a name of its object appear together in a
// document, as whole words (answer_words.hpp: "St. Louis" in "in St Louis's"; "us" for "US" unless
// letters keep their case). The two names must not overlap: "Bank of America" does not count as a
// meeting with America. "Together" means one of the following:
//   within N words        in a stretch of at most N words, both names included, across lines and
//                         paragraphs; disjoint stretches are counted, as many as fit
//   within a line, a paragraph (lines up to one without a word), a document
//                         the lines, paragraphs or documents are counted
// All names are searched for in one pass, word by word, using a trie of their words. At each
// mention of a name, only the facts with that name are checked, or only the other current mentions
// if there are fewer of them. Memory grows with the number of names and, for the unit "within N
// words", with N. It does not grow with the length of the text. Two names may appear together
// without the fact being stated, and a statement of the fact may lack a name ("He was born there").
// The count shows which facts a text may have taught a model, not which facts it did teach. Kandpal
// et al. 2023, "Large Language Models Struggle to Learn Long-Tail Knowledge", also count documents
// that contain both entities, but find the entities by entity linking instead of by name.
// Non-goals: inflections, spelling, accents, links.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/named_facts.hpp"
#include "plumb/detail/measure/answer_words.hpp"
#include "plumb/detail/measure/word_trie.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The unit of text in which the subject and the object must appear together.
struct Within {
  enum class Unit { words, line, paragraph, document };
  Unit unit = Unit::words;
  /// The length of a stretch in words; unused for other units.
  std::size_t words = 50;
};

/// The number of a fact's meetings, and where its first meeting was completed: the file, counted
/// from 0, and the line, counted from 1.
struct FactMeetings {
  std::size_t count = 0;
  std::size_t file = 0;
  std::size_t line = 0;
};

/// For each name, the names that form a fact with it, each with that fact.
class FactPartners {
 public:
  struct Partner {
    std::uint32_t name, fact;
    friend auto operator<=>(const Partner&, const Partner&) = default;
  };

  /// Adds a pair of names: a name of a fact's subject and a name of its object.
  void add(std::uint32_t subject, std::uint32_t object, std::uint32_t fact) {
    all_.emplace_back(subject, Partner{object, fact});
    all_.emplace_back(object, Partner{subject, fact});
  }
  /// Must be called once after all pairs are added; `names` is the number of names.
  void close(std::uint32_t names) {
    ranges::sort_distinct(all_);
    begin_.assign(std::size_t{names} + 1, 0);
    for (const auto& [name, partner] : all_) {
      ++begin_[name + 1];
      partners_.push_back(partner);
    }
    for (std::size_t n = 0; n < names; ++n) begin_[n + 1] += begin_[n];
    all_ = {};
  }

  /// The partners of a name, in ascending order.
  [[nodiscard]] std::span<const Partner> of(std::uint32_t name) const {
    return std::span(partners_).subspan(begin_[name], begin_[name + 1] - begin_[name]);
  }

 private:
  std::vector<std::pair<std::uint32_t, Partner>> all_;
  std::vector<Partner> partners_;
  std::vector<std::size_t> begin_;
};

/// Counts facts in documents that are fed in pieces, one document after another. Not thread-safe.
class FactOverlap {
 public:
  /// Keeps no reference to `facts` after construction.
  FactOverlap(std::span<const NamedFact> facts, Within within,
              LetterCase letters = LetterCase::lower)
      : within_(within), names_(letters), met_(facts.size()), last_(facts.size(), nowhere) {
    for (std::size_t f = 0; f < facts.size(); ++f) {
      const std::vector<std::uint32_t> subjects = numbers_of(facts[f].subject);
      const std::vector<std::uint32_t> objects = numbers_of(facts[f].object);
      if (subjects.empty() || objects.empty()) ++nameless_;
      for (const std::uint32_t s : subjects) {
        for (const std::uint32_t o : objects) partners_.add(s, o, static_cast<std::uint32_t>(f));
      }
    }
    partners_.close(names_.size());
    latest_.assign(names_.size(), nowhere);
  }

  /// Processes a piece of a line. `line` is the line's number, for FactMeetings; `ends` marks a
  /// line's last piece. A name may continue in the next piece and, unless the unit is a line, in
  /// the next line. A word may not continue in the next piece.
  void feed(std::string_view piece, std::size_t line, bool ends) {
    line_ = line;
    const std::int64_t before = at_;
    for_each_answer_word(
        piece, [&](const std::string& word) { take(word); }, names_.letters());
    line_has_words_ = line_has_words_ || at_ > before;
    if (!ends) return;
    const bool is_unit = within_.unit == Within::Unit::line;
    if (is_unit || (within_.unit == Within::Unit::paragraph && !line_has_words_)) end_unit();
    line_has_words_ = false;
  }

  /// Ends the document: names in it cannot be paired with names in later text.
  void end_document() {
    end_unit();
    line_has_words_ = false;
  }
  /// Ends the file: later text is from another file.
  void end_file() {
    end_document();
    ++file_;
  }

  /// The meetings of each fact, parallel to the facts.
  [[nodiscard]] const std::vector<FactMeetings>& met() const noexcept { return met_; }
  /// The number of words read so far.
  [[nodiscard]] std::size_t words() const noexcept { return static_cast<std::size_t>(at_); }
  /// The number of facts for which no name of the subject, or no name of the object, contains any
  /// word (for example, "?"). Such facts cannot appear in any text.
  [[nodiscard]] std::size_t nameless() const noexcept { return nameless_; }

 private:
  static constexpr std::int64_t nowhere = -1;
  static constexpr std::uint32_t none = WordTrie::none;

  /// A mention of a name in the text. Its first and last word are numbered from the start of the
  /// first text. Also stores the number of the previous mention of the same name.
  struct Mention {
    std::uint32_t name;
    std::int64_t first, last, before;
  };
  /// A name of which only the first words have been read so far.
  struct UnfinishedMention {
    std::uint32_t node;
    std::int64_t first;
  };

  /// The distinct numbers of an entity's names, excluding names without a word.
  std::vector<std::uint32_t> numbers_of(const NamedEntity& entity) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : entity.names) {
      if (const std::uint32_t number = names_.add(name); number != none) numbers.push_back(number);
    }
    ranges::sort_distinct(numbers);
    return numbers;
  }

  [[nodiscard]] bool counts_words() const noexcept { return within_.unit == Within::Unit::words; }

  void take(const std::string& text) {
    const std::int64_t here = at_++;
    const std::uint32_t word = names_.word(text);
    if (word == none) return begun_.clear();
    begun_.push_back({WordTrie::root, here});
    std::size_t going_on = 0;
    for (const UnfinishedMention begun : begun_) {
      const std::uint32_t node = names_.next(begun.node, word);
      if (node == none) continue;
      begun_[going_on++] = {node, begun.first};
      if (const std::uint32_t name = names_.name_at(node); name != none) {
        mention(name, begun.first, here);
      }
    }
    begun_.resize(going_on);
  }

  /// Counts the facts formed by this mention and an earlier one, then stores the mention. For the
  /// unit "within N words", the mentions of the last N words are stored. For the other units, only
  /// each name's first mention in the unit is stored, because any mention that follows a later one
  /// also follows the first.
  void mention(std::uint32_t name, std::int64_t first, std::int64_t last) {
    const auto reach = static_cast<std::int64_t>(within_.words);
    while (counts_words() && !recent_.empty() && recent_.front().last + reach <= last) {
      recent_.pop_front();
      ++begin_;
    }
    const auto stands_before = [&](const Mention& other) {
      return other.last < first && (!counts_words() || other.first + reach > last);
    };
    const auto partners = partners_.of(name);
    if (partners.size() <= 8 * recent_.size()) {
      for (const auto& [other, fact] : partners) {
        std::int64_t at = latest_[other];
        while (at >= begin_ && kept(at).last >= first) at = kept(at).before;
        if (at >= begin_ && stands_before(kept(at))) count(fact, kept(at).first, last);
      }
    } else {
      for (const Mention& other : recent_) {
        if (!stands_before(other)) continue;
        using Partner = detail::FactPartners::Partner;
        auto partner = ranges::lower_bound(partners, Partner{other.name, 0});
        for (; partner != partners.end() && partner->name == other.name; ++partner) {
          count(partner->fact, other.first, last);
        }
      }
    }
    if (!counts_words() && latest_[name] >= begin_) return;
    recent_.push_back({name, first, last, latest_[name]});
    latest_[name] = begin_ + static_cast<std::int64_t>(recent_.size()) - 1;
  }
  [[nodiscard]] const Mention& kept(std::int64_t number) const {
    return recent_[static_cast<std::size_t>(number - begin_)];
  }

  /// Counts a fact unless it was already counted in this stretch or unit.
  void count(std::uint32_t fact, std::int64_t first, std::int64_t last) {
    if (last_[fact] >= (counts_words() ? first : unit_begin_)) return;
    last_[fact] = last;
    FactMeetings& met = met_[fact];
    if (met.count++ > 0) return;
    met.file = file_;
    met.line = line_;
  }

  void end_unit() {
    begin_ += static_cast<std::int64_t>(recent_.size());
    recent_.clear();
    begun_.clear();
    unit_begin_ = at_;
  }

  Within within_;
  WordTrie names_;
  detail::FactPartners partners_;
  std::size_t nameless_ = 0;

  /// The number of words since the start of the first text, now and at the start of the current
  /// unit.
  std::int64_t at_ = 0, unit_begin_ = 0;
  std::size_t file_ = 0, line_ = 0;
  bool line_has_words_ = false;
  std::vector<UnfinishedMention> begun_;
  /// Mentions that may still be paired, the number of the first such mention, and the number of
  /// each name's latest mention.
  std::deque<Mention> recent_;
  std::int64_t begin_ = 0;
  std::vector<std::int64_t> latest_;
  std::vector<FactMeetings> met_;
  /// For each fact, the position of the last word in the most recently counted stretch.
  std::vector<std::int64_t> last_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
